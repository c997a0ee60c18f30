//! The load that the stations of a model offer.

use std::borrow::Cow;
use std::collections::BTreeSet;

use linerate_core::units::{Size, Span, SpanText, span_text};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::{ModelError, require};

/// The load that the stations of a model offer, and for how long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LoadPlan {
    /// How long, in the model's time.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub time: Span,
    /// Ends earlier when so many frames have arrived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<u64>,
    /// Rates and delays are counted from here.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub warm_up: Span,
    /// Frame sizes as the medium counts them.
    pub frame: FrameSizes,
    /// What each sender offers, as a share of its line's rate; neither this nor `total-load`
    /// means saturated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub station_load: Option<f64>,
    /// What all senders together offer, as a share of one line's rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_load: Option<f64>,
    /// When frames are offered.
    pub arrivals: Arrival,
    /// Of `on-off`: how long a sender offers frames, on average, and how long it then is silent.
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
    /// Which stations send; none means all but the one that `to` names.
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

/// What some stations offer instead of what the others do; what it does not say is as of the others.
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

/// What one station offers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offer<'a> {
    /// As a share of its line's rate; none is saturated.
    pub share: Option<f64>,
    /// Sizes of its frames.
    pub frame: &'a FrameSizes,
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

/// Frame sizes: one, or a mix. Unit: bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FrameSizes {
    /// All frames alike.
    One(u32),
    /// Sizes and how often each comes, such as `[[64, 7], [1518, 1]]`.
    Mix(Vec<(u32, u32)>),
}

impl FrameSizes {
    /// Sizes with their weights.
    #[must_use]
    pub fn weights(&self) -> Vec<(u32, u32)> {
        match self {
            Self::One(size) => vec![(*size, 1)],
            Self::Mix(sizes) => sizes.clone(),
        }
    }

    /// The mean of the sizes. Unit: bytes.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let sizes = self.weights();
        let weight: f64 = sizes.iter().map(|(_, weight)| f64::from(*weight)).sum();
        let bytes: f64 = sizes.iter().map(|(size, weight)| f64::from(*size) * f64::from(*weight)).sum();
        bytes / weight
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
    /// To any other station, each as likely.
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

/// The most frames that one run models: more would take hours.
const MOST_FRAMES: f64 = 1e9;
/// The most frames that all senders of bursts offer at one instant.
const MOST_AT_ONCE: f64 = 250_000.0;
/// What is on the wire of one line at most, as a share of its rate, so that a plan ends.
const MOST_LOAD: f64 = 1000.0;
/// What is allowed of a station's number.
const THERE: &str = "there is no such station; they are counted from 0";

impl LoadPlan {
    /// Checks every value against its range, for `stations` whose lines carry `bits` per second.
    ///
    /// # Errors
    ///
    /// [`ModelError`] for the first value that cannot be.
    pub fn check(&self, stations: u32, bits: f64) -> Result<(), ModelError> {
        require(stations >= 2, "network.stations", stations, "it must be at least 2")?;
        let limits = Span::from_us(1)..=Span::from_ms(3_600_000);
        require(limits.contains(&self.time), "load.time", self.time, "it must be from 1us to 1h")?;
        require(self.warm_up < self.time, "load.warm-up", self.warm_up, "it must be shorter than load.time")?;
        require(self.frames != Some(0), "load.frames", 0, "it must be at least 1")?;
        let some = (1..=1_000_000).contains(&self.queue_frames);
        require(some, "load.queue-frames", self.queue_frames, "it must be from 1 to 1000000")?;
        self.check_offer()?;
        self.check_ends(stations)?;
        self.check_stations(stations)?;
        self.check_frames(stations, bits)
    }

    /// Checks how large frames are, and how many are offered.
    fn check_offer(&self) -> Result<(), ModelError> {
        check_sizes("load.frame", &self.frame)?;
        let both = self.station_load.is_some() && self.total_load.is_some();
        let reason = "give one of them, or none for saturated senders";
        require(!both, "load.total-load", "given with load.station-load", reason)?;
        check_share("load.station-load", self.station_load)?;
        check_share("load.total-load", self.total_load)?;
        let spans = Span::from_us(1)..=Span::from_ms(3_600_000);
        for (key, span) in [("load.on", self.on), ("load.off", self.off), ("load.every", self.every)] {
            require(spans.contains(&span), key, span, "it must be from 1us to 1h")?;
        }
        let burst = (1..=1 << 30).contains(&self.burst.bytes());
        require(burst, "load.burst", self.burst, "it must be from 1 B to 1 GiB")?;
        let bursts = self.arrivals == Arrival::Burst;
        let reason = "a burst is as large as load.burst says; leave it out";
        require(!bursts || self.station_load.is_none(), "load.station-load", "given for bursts", reason)?;
        require(!bursts || self.total_load.is_none(), "load.total-load", "given for bursts", reason)
    }

    /// Checks the stations that offer something else.
    fn check_stations(&self, stations: u32) -> Result<(), ModelError> {
        let mut known = BTreeSet::new();
        for one in &self.station {
            let key = "load.station.stations";
            require(!one.stations.is_empty(), key, "[]", "name at least one station")?;
            for station in &one.stations {
                require(*station < stations, key, station, THERE)?;
                require(known.insert(station), key, station, "that station is named twice")?;
            }
            check_share("load.station.load", one.load)?;
            let reason = "give load.station-load, because these stations have a share of their own";
            require(one.load.is_none() || self.total_load.is_none(), "load.total-load", "given", reason)?;
            if let Some(frame) = &one.frame {
                check_sizes("load.station.frame", frame)?;
            }
            if let Some(to) = one.to {
                check_target("load.station.to", to, stations)?;
                let itself = one.stations.iter().any(|station| to == To::Station(*station));
                require(!itself, "load.station.to", "the station itself", "a station cannot send to itself")?;
            }
        }
        for station in self.sending(stations) {
            let Offer { share, arrivals, to, .. } = self.offer(station, stations);
            let key = if self.station.is_empty() { "load.arrivals" } else { "load.station.arrivals" };
            let reason = "a sender that is on needs a rate: give a share of the line, such as \
                          load.station-load = 0.5";
            require(arrivals != Arrival::OnOff || share.is_some(), key, "on-off", reason)?;
            let itself = to == To::Station(station);
            require(!itself, "load.to", format!("station {station}"), "a station cannot send to itself")?;
        }
        Ok(())
    }

    /// Checks who sends to whom.
    fn check_ends(&self, stations: u32) -> Result<(), ModelError> {
        check_target("load.to", self.to, stations)?;
        let Some(senders) = &self.senders else { return Ok(()) };
        let some = !senders.is_empty() || !self.station.is_empty();
        require(some, "load.senders", "[]", "name at least one station")?;
        let mut known = BTreeSet::new();
        for sender in senders {
            let refuse = |ok, reason| require(ok, "load.senders", sender, reason);
            refuse(known.insert(sender), "that station is named twice")?;
            refuse(*sender < stations, THERE)?;
            let own = self.own(*sender).and_then(|one| one.to);
            refuse(own.is_some() || self.to != To::Station(*sender), "a station cannot send to itself")?;
        }
        Ok(())
    }

    /// Checks how many frames the run may have, so that it ends while somebody waits for it.
    fn check_frames(&self, stations: u32, bits: f64) -> Result<(), ModelError> {
        let (mut most, mut at_once) = (0.0, 0.0);
        for station in self.sending(stations) {
            let Offer { share, frame, arrivals, .. } = self.offer(station, stations);
            let frame_bits = frame.mean() * 8.0;
            if let Some(share) = share {
                let seconds = frame_bits / (share * bits);
                let reason = "a station would offer a frame every picosecond or faster; lower it";
                require(seconds > 1e-12, self.share_key(station), share, reason)?;
            }
            if arrivals == Arrival::Burst {
                at_once += self.burst.bytes() as f64 * 8.0 / frame_bits;
            }
            // What is offered beyond the line's rate is lost, and takes as long to model.
            let rate = match arrivals {
                Arrival::Burst => 8.0 * self.burst.bytes() as f64 / self.every.as_seconds(),
                _ => bits * share.unwrap_or(1.0).max(1.0),
            };
            most += rate.max(bits) * self.time.as_seconds() / frame_bits;
        }
        let reason = format!("that is {at_once:.0} frames at one instant; it must be at most {MOST_AT_ONCE}");
        require(at_once <= MOST_AT_ONCE, "load.burst", self.burst, &reason)?;
        let most = self.frames.map_or(most, |frames| most.min(frames as f64 * 16.0));
        let reason = format!(
            "that is up to {most:.0} frames, which would take hours; shorten it, or give load.frames"
        );
        require(most <= MOST_FRAMES, "load.time", self.time, &reason)
    }

    /// Which key says what share a station offers.
    fn share_key(&self, station: u32) -> &'static str {
        if self.own(station).is_some_and(|one| one.load.is_some()) {
            "load.station.load"
        } else if self.station_load.is_some() {
            "load.station-load"
        } else {
            "load.total-load"
        }
    }

    /// What is said of a station by itself.
    fn own(&self, station: u32) -> Option<&StationLoad> {
        self.station.iter().find(|one| one.stations.contains(&station))
    }

    /// What a station of so many offers.
    #[must_use]
    pub fn offer(&self, station: u32, stations: u32) -> Offer<'_> {
        let own = self.own(station);
        let arrivals = own.and_then(|own| own.arrivals).unwrap_or(self.arrivals);
        let share = own.and_then(|own| own.load).or_else(|| self.share(stations));
        Offer {
            share: share.filter(|_| arrivals != Arrival::Burst),
            frame: own.and_then(|own| own.frame.as_ref()).unwrap_or(&self.frame),
            arrivals,
            to: own.and_then(|own| own.to).unwrap_or(self.to),
        }
    }

    /// What each sender offers, as a share of its line's rate; none if all that the line takes.
    #[must_use]
    pub fn share(&self, stations: u32) -> Option<f64> {
        let senders = self.sending(stations).len() as f64;
        self.station_load.or_else(|| self.total_load.map(|total| total / senders))
    }

    /// The stations that send.
    #[must_use]
    pub fn sending(&self, stations: u32) -> Vec<u32> {
        let sends = |station: &u32| match &self.senders {
            _ if self.own(*station).is_some() => true,
            Some(senders) => senders.contains(station),
            None => self.to != To::Station(*station),
        };
        (0..stations).filter(sends).collect()
    }
}

impl To {
    /// To whom `station` sends, of so many; none if to any other.
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

fn check_sizes(key: &'static str, sizes: &FrameSizes) -> Result<(), ModelError> {
    let mixed = sizes.weights().iter().any(|(_, weight)| *weight > 0);
    let reason = "give a size, or sizes with weights such as [[64, 7], [1518, 1]]";
    require(mixed, key, "an empty mix", reason)
}

fn check_share(key: &'static str, share: Option<f64>) -> Result<(), ModelError> {
    let ok = share.is_none_or(|load| load > 0.0 && load <= MOST_LOAD);
    let reason = "it must be above 0 and at most 1000 (1 is the rate of one line)";
    require(ok, key, share.unwrap_or(0.0), reason)
}

fn check_target(key: &'static str, to: To, stations: u32) -> Result<(), ModelError> {
    if let To::Station(number) = to {
        require(number < stations, key, format!("station {number}"), THERE)?;
    }
    let paired = to != To::Pairs || stations.is_multiple_of(2);
    require(paired, key, "pairs", "it needs an even number of stations")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<(), ModelError> {
        let plan: LoadPlan = toml::from_str(text)?;
        plan.check(4, 1e9)
    }

    #[test]
    fn absurd_loads_are_refused_by_key() {
        for (text, key) in [
            ("time = '0s'", "load.time"),
            ("time = '1h'", "load.time"),
            ("warm-up = '1s'", "load.warm-up"),
            ("frames = 0", "load.frames"),
            ("frame = []", "load.frame"),
            ("frame = [[64, 0]]", "load.frame"),
            ("station-load = -0.5", "load.station-load"),
            ("station-load = nan", "load.station-load"),
            ("total-load = 1e9", "load.total-load"),
            ("station-load = 1000\ntime = '500ms'\nframe = 1", "load.time"),
            ("total-load = 0.5\nstation-load = 0.5", "load.total-load"),
            ("to = 'station 4'", "load.to"),
            ("senders = []", "load.senders"),
            ("senders = [9]", "load.senders"),
            ("senders = [1, 2, 1]", "load.senders"),
            ("to = 'station 1'\nsenders = [1]", "load.senders"),
            ("queue-frames = 0", "load.queue-frames"),
            ("arrivals = 'on-off'", "load.arrivals"),
            ("on = '0s'", "load.on"),
            ("off = '2h'", "load.off"),
            ("arrivals = 'burst'\nburst = 0", "load.burst"),
            ("arrivals = 'burst'\nevery = '0s'", "load.every"),
            ("arrivals = 'burst'\nstation-load = 0.5", "load.station-load"),
            ("arrivals = 'burst'\nburst = '1GiB'", "load.burst"),
            ("arrivals = 'burst'\nburst = '8MiB'\nevery = '1us'", "load.time"),
            ("[[station]]\nstations = []", "load.station.stations"),
            ("[[station]]\nstations = [4]", "load.station.stations"),
            ("[[station]]\nstations = [1, 1]", "load.station.stations"),
            ("[[station]]\nstations = [1]\nload = 0.0", "load.station.load"),
            ("[[station]]\nstations = [1]\nframe = []", "load.station.frame"),
            ("[[station]]\nstations = [1]\nto = 'station 1'", "load.station.to"),
            ("[[station]]\nstations = [1]\narrivals = 'on-off'", "load.station.arrivals"),
            ("total-load = 1.0\n[[station]]\nstations = [1]\nload = 0.5", "load.total-load"),
            ("to = 'station 1'\n[[station]]\nstations = [1]\nload = 0.5", "load.to"),
        ] {
            let error = check(text).expect_err(text).to_string();
            assert!(error.starts_with(key), "{text}: {error}");
        }
        let fast = LoadPlan {
            station_load: Some(1000.0),
            frame: FrameSizes::One(1),
            warm_up: Span::ZERO,
            time: Span::from_us(1),
            ..LoadPlan::default()
        };
        assert!(fast.check(4, 1e9).is_ok(), "8 ps a frame");
        let error = fast.check(4, 8e12).expect_err("1 fs a frame").to_string();
        assert!(error.starts_with("load.station-load"), "{error}");
        assert!(check("").is_ok());
        assert!(check("to = 'nobody'").is_err() && check("frams = 1").is_err());
    }

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
        let [usual, own] = [0, 3].map(|station| plan.offer(station, 4));
        assert_eq!((usual.share, usual.frame), (Some(0.5), &FrameSizes::One(1518)));
        assert_eq!((own.share, own.frame, own.to), (Some(0.1), &FrameSizes::One(64), usual.to));
    }
}
