//! The load that the stations of a model offer.

mod check;
mod sizes;

use std::borrow::Cow;
use std::collections::BTreeSet;

use linerate_core::units::{Size, Span, SpanText, span_text};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

pub use sizes::FrameSizes;

/// The load that the stations of a model offer, and for how long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LoadPlan {
    /// How long, in the model's time.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub time: Span,
    /// End earlier when this many frames have arrived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<u64>,
    /// Rates and delays are counted from here.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub warm_up: Span,
    /// Frame sizes: on Ethernet of the MAC frame with its check sequence, elsewhere of the IP packet.
    pub frame: FrameSizes,
    /// Sizes of the IP packets, on every medium. If present, `frame` has no effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packet: Option<FrameSizes>,
    /// What each sender offers, as a share of its line's rate. Without this and `total-load`,
    /// senders are saturated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub station_load: Option<f64>,
    /// What all senders together offer, as a share of one line's rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_load: Option<f64>,
    /// When frames are offered.
    pub arrivals: Arrival,
    /// Of `on-off`: the mean time for which a sender offers frames, and the mean time for which it
    /// is then silent.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub on: Span,
    /// See `on`.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub off: Span,
    /// How these times are distributed.
    pub periods: Periods,
    /// Of `burst`: what a sender offers at once, in whole frames.
    pub burst: Size,
    /// How often; all senders at the same instant.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub every: Span,
    /// To whom.
    pub to: To,
    /// Which stations send. If absent, all except the one that `to` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub senders: Option<Vec<u32>>,
    /// Most frames that wait at a sender.
    pub queue_frames: usize,
    /// Whether the load is offered beside the flows of a curve, a stream or requests too.
    pub beside: bool,
    /// Stations that offer something else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub station: Vec<StationLoad>,
}

/// Stations that offer something else than the others. Missing keys have the values of the others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct StationLoad {
    /// Which stations. They send, whatever `senders` says.
    pub stations: Vec<u32>,
    /// What each offers, as a share of its line's rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    /// Sizes of its frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<FrameSizes>,
    /// When they are offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrival>,
    /// To whom they go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<To>,
}

/// The key whose sizes are of IP packets.
const PACKET: &str = "load.packet";

/// What one station offers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offer<'a> {
    /// Which station.
    pub station: u32,
    /// As a share of its line's rate. If absent, the sender is saturated.
    pub share: Option<f64>,
    /// Sizes of what it sends.
    pub sizes: &'a FrameSizes,
    /// The key that gives them: those of `load.packet` are of IP packets.
    pub sizes_key: &'static str,
    /// When they are offered.
    pub arrivals: Arrival,
    /// To whom they go.
    pub to: To,
}

impl Default for LoadPlan {
    fn default() -> Self {
        Self {
            time: Span::from_ms(100),
            frames: None,
            warm_up: Span::from_ms(5),
            frame: FrameSizes::One(1518),
            packet: None,
            station_load: None,
            total_load: None,
            arrivals: Arrival::Poisson,
            on: Span::from_ms(10),
            off: Span::from_ms(10),
            periods: Periods::Exponential,
            burst: Size(64 << 10),
            every: Span::from_ms(10),
            to: To::Random,
            senders: None,
            queue_frames: 1000,
            beside: false,
            station: Vec::new(),
        }
    }
}

/// When frames are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arrival {
    /// At exponentially distributed intervals.
    Poisson,
    /// At equal intervals.
    Periodic,
    /// At equal intervals for a while, and then not at all for a while.
    OnOff,
    /// Many at once, from all senders at the same instant, again and again.
    Burst,
}

/// How the times of an on-off load are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Periods {
    /// Exponentially.
    Exponential,
    /// All alike, from a random phase.
    Fixed,
}

/// To whom frames go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// To any other station, each equally likely.
    Random,
    /// Station 0 with 1, 2 with 3, and so on.
    Pairs,
    /// To the next station, the last to the first.
    Next,
    /// All to this station.
    Station(u32),
}

impl Serialize for To {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Random => out.serialize_str("random"),
            Self::Pairs => out.serialize_str("pairs"),
            Self::Next => out.serialize_str("next"),
            Self::Station(number) => out.collect_str(&format_args!("station {number}")),
        }
    }
}

impl<'de> Deserialize<'de> for To {
    fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let text = String::deserialize(input)?;
        let station = || text.strip_prefix("station ")?.trim().parse().ok().map(Self::Station);
        match text.as_str() {
            "random" => Some(Self::Random),
            "pairs" => Some(Self::Pairs),
            "next" => Some(Self::Next),
            _ => station(),
        }
        .ok_or_else(|| {
            serde::de::Error::custom(format!(
                "`{text}` is none of \"random\", \"pairs\", \"next\", \"station N\""
            ))
        })
    }
}

impl JsonSchema for To {
    fn schema_name() -> Cow<'static, str> {
        "To".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "To whom frames go: `random`, `pairs` (station 0 with 1, 2 with 3, and so on), `next` \
                            (the last to the first), or all to `station N`.",
            "type": "string",
            "pattern": "^(random|pairs|next|station *[0-9]+)$",
        })
    }
}

impl Offer<'_> {
    /// Whether the sizes are of IP packets.
    #[must_use]
    pub fn of_packets(&self) -> bool {
        self.sizes_key == PACKET
    }
}

impl LoadPlan {
    /// What each station that sends offers, of this many stations, in their order.
    #[must_use]
    pub fn offers(&self, stations: u32) -> Vec<Offer<'_>> {
        let own = self.own(stations);
        let sending = self.sending_with(&own);
        let share = self.share_of(sending.len());
        let all = match &self.packet {
            Some(packet) => (packet, PACKET),
            None => (&self.frame, "load.frame"),
        };
        let offer = |station: u32| {
            let own = own[station as usize];
            let arrivals = own.and_then(|own| own.arrivals).unwrap_or(self.arrivals);
            let frame = own.and_then(|own| own.frame.as_ref());
            let (sizes, sizes_key) = frame.map_or(all, |frame| (frame, "load.station.frame"));
            Offer {
                station,
                share: own.and_then(|own| own.load).or(share).filter(|_| arrivals != Arrival::Burst),
                sizes,
                sizes_key,
                arrivals,
                to: own.and_then(|own| own.to).unwrap_or(self.to),
            }
        };
        sending.into_iter().map(offer).collect()
    }

    /// The entry of each station, of this many. Of several the first counts.
    fn own(&self, stations: u32) -> Vec<Option<&StationLoad>> {
        let mut own = vec![None; stations as usize];
        for one in &self.station {
            for station in &one.stations {
                if let Some(entry) = own.get_mut(*station as usize) {
                    entry.get_or_insert(one);
                }
            }
        }
        own
    }

    /// What each sender offers, as a share of its line's rate. If absent, all that the line takes.
    #[must_use]
    pub fn share(&self, stations: u32) -> Option<f64> {
        self.share_of(self.sending(stations).len())
    }

    fn share_of(&self, senders: usize) -> Option<f64> {
        self.station_load.or_else(|| self.total_load.map(|total| total / senders as f64))
    }

    /// The stations that send.
    #[must_use]
    pub fn sending(&self, stations: u32) -> Vec<u32> {
        self.sending_with(&self.own(stations))
    }

    /// The stations that send, where each has this entry of its own.
    fn sending_with(&self, own: &[Option<&StationLoad>]) -> Vec<u32> {
        let named: Option<BTreeSet<u32>> =
            self.senders.as_ref().map(|senders| senders.iter().copied().collect());
        let sends = |station: u32| match &named {
            Some(named) => named.contains(&station),
            None => self.to != To::Station(station),
        };
        (0_u32..)
            .zip(own)
            .filter(|(station, own)| own.is_some() || sends(*station))
            .map(|(station, _)| station)
            .collect()
    }
}

impl To {
    /// To whom `station` sends, of this many. If absent, to any other.
    #[must_use]
    pub const fn target(self, station: u32, stations: u32) -> Option<u32> {
        match self {
            Self::Random => None,
            Self::Pairs => Some(station ^ 1),
            Self::Next => Some((station + 1) % stations),
            Self::Station(number) => Some(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_senders_are_what_the_names_say() {
        let plan = LoadPlan { to: To::Station(1), ..LoadPlan::default() };
        assert_eq!(plan.sending(4), [0, 2, 3]);
        assert_eq!((To::Pairs.target(2, 4), To::Next.target(3, 4)), (Some(3), Some(0)));
    }

    #[test]
    fn a_station_of_its_own_offers_what_it_says_and_all_else_as_the_others() {
        let text = "to = 'station 1'\nstation-load = 0.5\nsenders = [0]\n\
                    [[station]]\nstations = [2, 3]\nload = 0.1\nframe = 64";
        let plan: LoadPlan = toml::from_str(text).expect("a load");
        plan.check(4, 1e9).expect("it can be offered");
        assert_eq!(plan.sending(4), [0, 2, 3]);
        let offers = plan.offers(4);
        let [usual, _, own] = &offers[..] else { panic!("three send: {offers:?}") };
        assert_eq!((usual.share, usual.sizes), (Some(0.5), &FrameSizes::One(1518)));
        assert_eq!((own.share, own.sizes, own.to), (Some(0.1), &FrameSizes::One(64), usual.to));
    }
}
