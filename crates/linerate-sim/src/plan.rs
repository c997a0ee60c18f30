//! A model's plan, as TOML for people: a network, a transport, a load, a measurement.

mod ethernet;
mod host;
mod impair;
mod lab;
mod load;
mod overlay;
mod tcp;
mod transport;

use linerate_core::plan::Plan;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

pub use crate::error::ModelError;
pub(crate) use crate::error::require;
pub use ethernet::{Cable, End, EthernetPlan, MarkingPlan, Pause, Receive, RedPlan, Relay, RelayKind, Shape};
pub use host::HostPlan;
pub use impair::ImpairPlan;
pub use load::{Arrival, FrameSizes, LoadPlan, Offer, Periods, StationLoad, To};
pub use tcp::TcpPlan;
pub use transport::TransportPlan;

use crate::media::each_medium;

/// A model: everything that a run of it depends on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelPlan {
    /// One line about it, shown in lists.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Seed of everything random in the network.
    pub seed: u64,
    /// Stations, and what connects them.
    pub network: Network,
    /// The transport of the two hosts of a curve, if they do not speak TCP.
    pub transport: TransportPlan,
    /// TCP between the two hosts of a curve, instead of `transport`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpPlan>,
    /// The costs of these two hosts. If absent, nothing costs time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPlan>,
    /// The costs of the second one. If absent, the same as the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer: Option<HostPlan>,
    /// What links do to frames besides carrying them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub impair: Vec<ImpairPlan>,
    /// What the stations offer under load.
    pub load: LoadPlan,
    /// How a curve is measured, as in a measurement's plan.
    #[serde(skip_serializing_if = "is_default")]
    pub measure: Plan,
}

fn is_default(plan: &Plan) -> bool {
    *plan == Plan::default()
}

/// [`Network`] of the table of media.
macro_rules! network {
    ($($(#[$doc:meta])* $medium:ident($name:literal, $about:literal, $carrier:ty, $event:ty, $plan:ty),)*) => {
        /// Stations, and what connects them.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "medium")]
        pub enum Network {
            /// IEEE 802.3.
            #[serde(rename = "ethernet")]
            Ethernet(Box<EthernetPlan>),
            $($(#[$doc])* #[serde(rename = $name)] $medium($plan),)*
        }

        impl Network {
            /// The media besides Ethernet, each with its defaults and with what it is in a line.
            #[must_use]
            pub fn others() -> Vec<(Self, &'static str)> {
                vec![$((Self::$medium(Default::default()), $about)),*]
            }

            /// The medium's name in a plan.
            #[must_use]
            pub const fn medium(&self) -> &'static str {
                match self {
                    Self::Ethernet(_) => "ethernet",
                    $(Self::$medium(_) => $name,)*
                }
            }

            /// The medium and its particulars, in a few words.
            #[must_use]
            pub fn words(&self) -> String {
                match self {
                    Self::Ethernet(plan) => format!("Ethernet: {}", plan.phy),
                    $(Self::$medium(plan) => plan.words(),)*
                }
            }

            /// How many stations there are.
            #[must_use]
            pub const fn stations(&self) -> u32 {
                match self {
                    Self::Ethernet(plan) => plan.stations,
                    $(Self::$medium(plan) => plan.stations,)*
                }
            }

            /// Largest IP packet. Unit: bytes.
            #[must_use]
            pub const fn mtu(&self) -> u32 {
                match self {
                    Self::Ethernet(plan) => plan.mtu,
                    $(Self::$medium(plan) => plan.mtu,)*
                }
            }
        }
    };
}

each_medium!(network);

impl Default for Network {
    fn default() -> Self {
        Self::Ethernet(Box::default())
    }
}

impl Network {
    /// How many links each station has.
    #[must_use]
    pub const fn links(&self) -> u32 {
        match self {
            Self::Ethernet(plan) => plan.links,
            _ => 1,
        }
    }
}

impl ModelPlan {
    /// Reads a plan from TOML.
    ///
    /// ```
    /// use linerate_core::measure::{Unwatched, measure};
    /// use linerate_core::plan::Plan;
    /// use linerate_sim::{model, plan::ModelPlan};
    ///
    /// let network = ModelPlan::from_toml("[network]\nmedium = 'ethernet'")?;
    /// let mut modelled = model::curve(&network, None)?;
    /// let asked = Plan::from_toml("schedule = 'list:1MiB'")?;
    /// let method = modelled.method(&asked.common, asked.curve().expect("it asks for a curve"))?;
    /// let outcome = measure(&mut modelled.bench, &method, &mut Unwatched);
    /// let time = outcome.series.timed().next().and_then(|point| point.time()).expect("it was timed");
    /// // Gigabit Ethernet carries 1500 of 1538 bytes, of which 40 are headers of IP and TCP.
    /// let mbps = 1_048_576.0 * 8e6 / time.median;
    /// assert!(mbps < 1_000.0 * 1_460.0 / 1_538.0 && mbps > 900.0, "{mbps}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ModelError::Syntax`] with the place in the text.
    pub fn from_toml(text: &str) -> Result<Self, ModelError> {
        Ok(toml::from_str(text)?)
    }

    /// The JSON Schema of a plan: the tables of the TOML form in JSON.
    #[must_use]
    pub fn schema() -> Schema {
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Self>()
    }

    /// The plan as TOML, every value filled in.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("every field of a plan has a TOML form")
    }
}
