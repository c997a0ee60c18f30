//! What is on the medium: every transmission that can still be heard somewhere, and what a station
//! hears of it, computed when it is asked.

use linerate_core::units::Time;

use super::deference::{Carrier, Gap, earliest_start};
use super::delays::Delays;

/// Carrier as its source sends it: a frame or burst with its preambles, extension and fill, or a
/// fragment with its jam.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transmission {
    pub(super) source: u32,
    pub(super) start: Time,
    /// As presently known: a collision makes it earlier, the next frame of a burst later.
    pub(super) end: Time,
    /// It has not ended.
    pub(super) active: bool,
}

/// The transmissions, in the order of their starts.
#[derive(Debug)]
pub(super) struct Air {
    delays: Delays,
    gap: Gap,
    transmissions: Vec<Transmission>,
    /// What one station hears.
    carriers: Vec<Carrier>,
}

impl Air {
    pub(super) fn new(delays: Delays, gap: Gap) -> Self {
        Self { delays, gap, transmissions: Vec::new(), carriers: Vec::new() }
    }

    pub(super) const fn delays(&self) -> &Delays {
        &self.delays
    }

    pub(super) fn transmissions(&self) -> &[Transmission] {
        &self.transmissions
    }

    pub(super) fn begin(&mut self, source: u32, start: Time, end: Time) {
        self.transmissions.push(Transmission { source, start, end, active: true });
    }

    /// Moves the end of what `source` is sending.
    pub(super) fn move_end(&mut self, source: u32, end: Time) {
        self.active(source).end = end;
    }

    /// What `source` is sending ends now; forgets what can be heard no more.
    pub(super) fn finish(&mut self, source: u32, now: Time) {
        let ended = self.active(source);
        (ended.end, ended.active) = (now, false);
        self.forget(now);
    }

    fn active(&mut self, source: u32) -> &mut Transmission {
        let mut newest_first = self.transmissions.iter_mut().rev();
        newest_first.find(|one| one.source == source && one.active).expect("it is sending")
    }

    /// Forgets transmissions of which the carrier is gone everywhere, and its gap too, unless they
    /// overlapped one that is not: that one may still arrive somewhere damaged by them, or form
    /// one period of carrier with them.
    fn forget(&mut self, now: Time) {
        let longest = self.delays.longest();
        let heard =
            self.transmissions.iter().filter(|one| one.active || one.end + longest + self.gap.whole >= now);
        let oldest = heard.map(|one| one.start).min().unwrap_or(now);
        self.transmissions.retain(|one| one.active || one.end + longest >= oldest);
    }

    /// Whether a transmission is about to end at this very instant.
    pub(super) fn another_ends(&self, now: Time) -> bool {
        self.transmissions.iter().any(|one| one.active && one.end == now)
    }

    /// The first instant of `from..until` at which carrier of others is at `port`.
    pub(super) fn foreign_carrier(&self, port: u32, [from, until]: [Time; 2]) -> Option<Time> {
        let others = self.transmissions.iter().filter(|other| other.source != port);
        let heard = others.filter_map(|other| {
            let delay = self.delays.between(other.source, port);
            let start = (other.start + delay).max(from);
            (other.end + delay > from && start < until).then_some(start)
        });
        heard.min()
    }

    /// Whether `port` itself sends in `from..until`.
    pub(super) fn sends(&self, port: u32, [from, until]: [Time; 2]) -> bool {
        self.transmissions.iter().any(|one| one.source == port && one.end > from && one.start < until)
    }

    /// Whether what `source` sent, at `port` in `from..until`, overlaps there with what others than
    /// the two send.
    pub(super) fn is_mixed(&self, source: u32, port: u32, [from, until]: [Time; 2]) -> bool {
        let mut others = self.transmissions.iter().filter(|one| one.source != source && one.source != port);
        others.any(|other| {
            let delay = self.delays.between(other.source, port);
            other.end + delay > from && other.start + delay < until
        })
    }

    /// When `port`, which has a frame, may begin. Absent while that depends on a transmission in
    /// progress.
    pub(super) fn earliest_start(&mut self, port: u32, now: Time) -> Option<Time> {
        self.carriers.clear();
        for one in &self.transmissions {
            let delay = self.delays.between(one.source, port);
            self.carriers.push(Carrier {
                start: one.start + delay,
                end: one.end + delay,
                active: one.active,
                own: one.source == port,
            });
        }
        earliest_start(&mut self.carriers, now, self.gap)
    }
}
