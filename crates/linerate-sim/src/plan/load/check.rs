//! Whether a load can be offered: every value within its range, and a run that ends in a reasonable
//! time.

use std::collections::BTreeSet;

use linerate_core::units::Span;

use super::{Arrival, FrameSizes, LoadPlan, Offer, PACKET, StationLoad, To};
use crate::plan::{ModelError, require};

/// The most frames that one run models: more would take hours.
const MOST_FRAMES: f64 = 1e9;
/// The most frames that all burst senders offer at one instant.
const MOST_AT_ONCE: f64 = 250_000.0;
/// The most that a line carries, as a share of its rate; used to estimate the length of a run.
const MOST_LOAD: f64 = 1000.0;
/// What is allowed as a station's number.
const THERE: &str = "there is no such station; they are counted from 0";

impl LoadPlan {
    /// Checks every value against its range, for `stations` whose lines carry `bits` per second.
    ///
    /// # Errors
    ///
    /// [`ModelError`] for the first invalid value.
    pub fn check(&self, stations: u32, bits: f64) -> Result<(), ModelError> {
        require(stations >= 2, "network.stations", stations, "it must be at least 2")?;
        let limits = Span::from_us(1)..=Span::from_ms(3_600_000);
        require(limits.contains(&self.time), "load.time", self.time, "it must be from 1us to 1h")?;
        require(
            self.warm_up < self.time,
            "load.warm-up",
            self.warm_up.exact(),
            "it must be shorter than load.time",
        )?;
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
        self.packet.as_ref().map_or(Ok(()), |packet| check_sizes(PACKET, packet))?;
        let both = self.station_load.is_some() && self.total_load.is_some();
        let reason = "give only one of them, or neither for saturated senders";
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
        for Offer { station, share, arrivals, to, .. } in self.offers(stations) {
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
        let own = self.own(stations);
        let mut known = BTreeSet::new();
        for sender in senders {
            let refuse = |ok, reason| require(ok, "load.senders", sender, reason);
            refuse(known.insert(sender), "that station is named twice")?;
            refuse(*sender < stations, THERE)?;
            let own = own[*sender as usize].and_then(|one| one.to);
            refuse(own.is_some() || self.to != To::Station(*sender), "a station cannot send to itself")?;
        }
        Ok(())
    }

    /// Checks how many frames the run may have, so that it ends in a reasonable time.
    fn check_frames(&self, stations: u32, bits: f64) -> Result<(), ModelError> {
        let (mut most, mut at_once) = (0.0, 0.0);
        let own = self.own(stations);
        for Offer { station, share, sizes, arrivals, .. } in self.offers(stations) {
            let frame_bits = sizes.mean() * 8.0;
            if let Some(share) = share {
                let seconds = frame_bits / (share * bits);
                let reason = "a station would offer a frame every picosecond or faster; lower it";
                require(seconds > 1e-12, self.share_key(own[station as usize]), share, reason)?;
            }
            if arrivals == Arrival::Burst {
                at_once += self.burst.bytes() as f64 * 8.0 / frame_bits;
            }
            // Frames offered beyond the line's rate are lost, but take as long to model.
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

    /// The key that sets the share that a station with this entry of its own offers.
    fn share_key(&self, own: Option<&StationLoad>) -> &'static str {
        if own.is_some_and(|one| one.load.is_some()) {
            "load.station.load"
        } else if self.station_load.is_some() {
            "load.station-load"
        } else {
            "load.total-load"
        }
    }
}

fn check_sizes(key: &'static str, sizes: &FrameSizes) -> Result<(), ModelError> {
    let mixed = sizes.weights().iter().any(|(_, weight)| *weight > 0);
    let reason = "give a size, or sizes with weights such as [[64, 7], [1518, 1]]";
    require(mixed, key, "an empty mix", reason)?;
    let none = sizes.weights().iter().any(|(size, _)| *size == 0);
    require(!none, key, 0, "a size must be at least 1 B")
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
}
