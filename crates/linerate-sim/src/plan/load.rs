//! The load that the stations of a model offer.

use std::collections::BTreeSet;

use linerate_core::units::{Span, span_text};
use serde::{Deserialize, Serialize};

use super::{ModelError, require};

/// The load that the stations of a model offer, and for how long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LoadPlan {
    /// How long, in the model's time.
    #[serde(with = "span_text")]
    pub time: Span,
    /// Ends earlier when so many frames have arrived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<u64>,
    /// Rates and delays are counted from here.
    #[serde(with = "span_text")]
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
    /// To whom.
    pub to: To,
    /// Which stations send; none means all but the one that `to` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub senders: Option<Vec<u32>>,
    /// Most frames that wait at a sender.
    pub queue_frames: usize,
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
            to: To::Random,
            senders: None,
            queue_frames: 1000,
        }
    }
}

/// Frame sizes: one, or a mix. Unit: bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrival {
    /// At exponentially distributed intervals.
    Poisson,
    /// At equal intervals.
    Periodic,
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

/// The most frames that one run models: more would take hours.
const MOST_FRAMES: f64 = 1e9;
/// What is on the wire of one line at most, as a share of its rate, so that a plan ends.
const MOST_LOAD: f64 = 1000.0;

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
        self.check_frames(stations, bits)
    }

    /// Checks how large frames are, and how many are offered.
    fn check_offer(&self) -> Result<(), ModelError> {
        let mixed = self.frame.weights().iter().any(|(_, weight)| *weight > 0);
        let reason = "give a size, or sizes with weights such as [[64, 7], [1518, 1]]";
        require(mixed, "load.frame", "an empty mix", reason)?;
        let both = self.station_load.is_some() && self.total_load.is_some();
        let reason = "give one of them, or none for saturated senders";
        require(!both, "load.total-load", "given with load.station-load", reason)?;
        for (key, load) in [("load.station-load", self.station_load), ("load.total-load", self.total_load)] {
            let Some(load) = load else { continue };
            let ok = load > 0.0 && load <= MOST_LOAD;
            require(ok, key, load, "it must be above 0 and at most 1000 (1 is the rate of one line)")?;
        }
        Ok(())
    }

    /// Checks who sends to whom.
    fn check_ends(&self, stations: u32) -> Result<(), ModelError> {
        let there = "there is no such station; they are counted from 0";
        if let To::Station(number) = self.to {
            require(number < stations, "load.to", format!("station {number}"), there)?;
        }
        let paired = self.to != To::Pairs || stations.is_multiple_of(2);
        require(paired, "load.to", "pairs", "it needs an even number of stations")?;
        let Some(senders) = &self.senders else { return Ok(()) };
        require(!senders.is_empty(), "load.senders", "[]", "name at least one station")?;
        let mut known = BTreeSet::new();
        for sender in senders {
            let refuse = |ok, reason| require(ok, "load.senders", sender, reason);
            refuse(known.insert(sender), "that station is named twice")?;
            refuse(*sender < stations, there)?;
            refuse(self.to != To::Station(*sender), "a station cannot send to itself")?;
        }
        Ok(())
    }

    /// Checks how many frames the run may have, so that it ends while somebody waits for it.
    fn check_frames(&self, stations: u32, bits: f64) -> Result<(), ModelError> {
        let each = self.share(stations);
        let frame_bits = self.frame.mean() * 8.0;
        if let Some(share) = each {
            let seconds = frame_bits / (share * bits);
            let reason = "a station would offer a frame every picosecond or faster; lower it";
            let key = if self.station_load.is_some() { "load.station-load" } else { "load.total-load" };
            require(seconds > 1e-12, key, share, reason)?;
        }
        let most = bits * self.time.as_seconds() * f64::from(stations) / frame_bits;
        let most = self.frames.map_or(most, |frames| most.min(frames as f64 * 16.0));
        // What is offered beyond the line's rate is lost, and takes as long to model.
        let most = most * each.unwrap_or(1.0).max(1.0);
        let reason = format!(
            "that is up to {most:.0} frames, which would take hours; shorten it, or give load.frames"
        );
        require(most <= MOST_FRAMES, "load.time", self.time, &reason)
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
        let all = || (0..stations).filter(|station| self.to != To::Station(*station)).collect();
        self.senders.clone().unwrap_or_else(all)
    }

    /// To whom `station` sends, of so many; none if to any other.
    #[must_use]
    pub const fn target(&self, station: u32, stations: u32) -> Option<u32> {
        match self.to {
            To::Random => None,
            To::Pairs => Some(station ^ 1),
            To::Next => Some((station + 1) % stations),
            To::Station(number) => Some(number),
        }
    }
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
        assert_eq!(LoadPlan { to: To::Pairs, ..plan.clone() }.target(2, 4), Some(3));
        assert_eq!(LoadPlan { to: To::Next, ..plan }.target(3, 4), Some(0));
    }
}
