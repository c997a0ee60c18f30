//! What a plan can name, as tables and as JSON.

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table};
use linerate_core::units::Rate;
use linerate_sim::ethernet::phy::{Duplexes, Phy};
use linerate_sim::model::build;
use linerate_sim::plan::{ModelPlan, Network};
use serde::Serialize;

use crate::error::RenderError;

/// Physical layers, other media, relays, and what comes with linerate.
#[derive(Debug, Serialize)]
pub struct Catalogue {
    /// Physical layers of Ethernet.
    pub links: Vec<Link>,
    /// The other media.
    pub media: Vec<Medium>,
    /// What an Ethernet can be made of.
    pub relays: Vec<Relay>,
    /// Hosts that come with linerate.
    pub hosts: Vec<Named>,
    /// Kernels that come with linerate.
    pub kernels: Vec<Named>,
    /// Plans that come with linerate.
    pub plans: Vec<Plan>,
}

/// A host or a kernel that comes with linerate.
#[derive(Debug, Serialize)]
pub struct Named {
    /// Its name in plans.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: String,
}

/// A physical layer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Link {
    name: &'static str,
    aliases: &'static [&'static str],
    /// Of the MAC's data. Unit: bit/s.
    rate: Rate,
    coding: &'static str,
    /// Symbols a second on each lane.
    baud: u64,
    lanes: u64,
    duplex: &'static str,
    /// Slot time in half duplex. Unit: bit times.
    slot_bits: Option<u64>,
    cable: &'static str,
}

impl Link {
    /// The row of a physical layer.
    pub fn of(phy: &Phy) -> Self {
        Self {
            name: phy.name,
            aliases: phy.aliases,
            rate: Rate::from_bits_per_second(phy.pace.bits_per_second()),
            coding: phy.coding.name(),
            baud: phy.baud,
            lanes: phy.lanes,
            duplex: match phy.duplexes {
                Duplexes::HalfOnly => "half",
                Duplexes::Both => "half, full",
                Duplexes::FullOnly => "full",
            },
            slot_bits: phy.slot_bits,
            cable: phy.cable.name,
        }
    }
}

/// A medium other than Ethernet, with its defaults.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Medium {
    name: &'static str,
    /// Line coding taken off. Unit: bit/s.
    rate: Rate,
    /// Largest IP packet. Unit: bytes.
    mtu: u32,
    about: &'static str,
}

impl Medium {
    /// All that a plan knows besides Ethernet (`medium`).
    pub fn all() -> Vec<Self> {
        let medium = |(network, about): (Network, _)| {
            let (name, mtu) = (network.medium(), network.mtu());
            let plan = ModelPlan { network, ..ModelPlan::default() };
            let rate = build(&plan).expect("a medium's defaults fit each other").line_rate;
            Self { name, rate, mtu, about }
        };
        Network::others().into_iter().map(medium).collect()
    }
}

/// What a relay does with a frame.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Relay {
    name: &'static str,
    about: &'static str,
}

impl Relay {
    /// Those that an Ethernet's plan knows (`topology`, and `kind` of a relay).
    pub const ALL: [Self; 3] = [
        Self { name: "hub", about: "repeats every bit to every port: one collision domain, half duplex" },
        Self { name: "switch", about: "stores a frame and forwards it to where its addressee is" },
        Self {
            name: "distributor",
            about: "full-duplex repeater: repeats whole frames to every other port, one at a time",
        },
    ];
}

/// A shipped plan.
#[derive(Debug, Serialize)]
pub struct Plan {
    /// Its name.
    pub name: &'static str,
    /// What it models, in one line.
    pub about: String,
    /// The medium of its network.
    pub medium: &'static str,
}

/// The lists as indented JSON. Rates are in bit/s.
///
/// # Errors
///
/// [`RenderError::Json`] when a field has no JSON form.
pub fn json(catalogue: &Catalogue) -> Result<String, RenderError> {
    Ok(serde_json::to_string_pretty(catalogue)? + "\n")
}

/// The lists as tables.
pub fn table(catalogue: &Catalogue) -> String {
    let links = catalogue.links.iter().map(|link| {
        vec![
            link.name.to_owned(),
            link.rate.to_string(),
            link.duplex.to_owned(),
            link.coding.to_owned(),
            link.cable.to_owned(),
            link.aliases.join(", "),
        ]
    });
    let media = catalogue.media.iter().map(|medium| {
        vec![medium.name.to_owned(), medium.rate.to_string(), medium.mtu.to_string(), medium.about.to_owned()]
    });
    let relays = catalogue.relays.iter().map(|relay| vec![relay.name.to_owned(), relay.about.to_owned()]);
    let named = |named: &Named| vec![named.name.to_owned(), named.about.clone()];
    let plans = catalogue
        .plans
        .iter()
        .map(|plan| vec![plan.name.to_owned(), plan.medium.to_owned(), plan.about.clone()]);
    let blocks = [
        lay_out(
            "Physical layers of Ethernet (phy = ..)",
            &["name", "rate", "duplex", "coding", "cable", "also"],
            links,
        ),
        lay_out("Other media (medium = ..)", &["name", "rate", "MTU", "about"], media),
        lay_out("Relays of Ethernet (topology = ..)", &["name", "what it does"], relays),
        lay_out("Hosts (host.profile = ..)", &["name", "about"], catalogue.hosts.iter().map(named)),
        lay_out("Kernels (tcp.personality = ..)", &["name", "about"], catalogue.kernels.iter().map(named)),
        lay_out(
            "Plans (linerate measure --model NAME, model load NAME)",
            &["name", "medium", "about"],
            plans,
        ),
    ];
    blocks.join("\n\n") + "\n"
}

fn lay_out(title: &str, header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.iter().copied());
    table.add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((2, 0));
    }
    format!("{title}\n{}", table.trim_fmt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_medium_has_the_rate_and_the_mtu_of_its_standard() {
        let media: Vec<(&str, f64, u32)> = Medium::all()
            .iter()
            .map(|medium| (medium.name, medium.rate.bits_per_second().round(), medium.mtu))
            .collect();
        let standards = [
            // SONET leaves 260 of 270 columns of OC-3c (GR-253); RFC 2225.
            ("atm", 155_520_000.0 * 260.0 / 270.0, 9180),
            // ISO 9314; RFC 1390.
            ("fddi", 100e6, 4352),
            // FC-PH: 8 of 10 baud; RFC 4338.
            ("fibre-channel", 1_062_500_000.0 * 8.0 / 10.0, 65_280),
            // ANSI/VITA 26; the MTU could not be traced to a document.
            ("myrinet", 1.28e9, 8432),
        ];
        assert_eq!(media, standards);
    }
}
