//! What every part of the measurement needs: the clock, the processors, the time, and the user's wish to end.

use std::io;

use linerate_core::host_limits::LimitCaution;
use linerate_core::units::{Span, Time};

use super::{Asked, LimitsWatch, NOISE, PARTS, PASSES, SHARES, topology};
use crate::observe::{HostClock, pin_to, usable_cpus};
use crate::probe::Sampler;

/// What every part of the measurement needs.
pub(super) struct Context<'a> {
    pub(super) clock: &'a HostClock,
    pub(super) asked: Asked,
    /// Processors that may be used, in order; at least one.
    pub(super) cpus: Vec<u32>,
    pub(super) cautions: Vec<LimitCaution>,
    watch: &'a mut dyn LimitsWatch,
    /// How many parts have begun.
    begun: usize,
    started: Time,
    ended: bool,
}

impl<'a> Context<'a> {
    pub(super) fn new(clock: &'a HostClock, asked: Asked, watch: &'a mut dyn LimitsWatch) -> Self {
        let mut cpus = usable_cpus().unwrap_or_default();
        if cpus.is_empty() {
            cpus.push(0);
        }
        Self { clock, asked, cpus, cautions: Vec::new(), watch, begun: 0, started: clock.now(), ended: false }
    }

    /// Pins the measuring thread to the first processor.
    pub(super) fn pin(&self) -> io::Result<()> {
        pin_to(self.cpus[0])
    }

    /// Begins part `number`, of the next pass or after all of them, and says how long it may take. Absent once the user has ended the measurement.
    pub(super) fn part(&mut self, number: usize) -> Option<Span> {
        if self.is_ended() {
            return None;
        }
        self.watch.part(PARTS[number], self.begun, PASSES * NOISE + 1);
        self.begun += 1;
        let rest = 100 - SHARES.iter().sum::<u64>();
        let once = |share| self.asked.time.scaled(share, 100 * PASSES as u64);
        Some(SHARES.get(number).map_or(self.asked.time.scaled(rest, 100), |share| once(*share)))
    }

    /// Whether the user has ended the measurement.
    pub(super) fn is_ended(&mut self) -> bool {
        self.ended |= self.watch.go_on().is_break();
        self.ended
    }

    /// The same, asked from any thread: whether the measurement goes on.
    pub(super) fn goes_on(&self) -> bool {
        self.watch.go_on().is_continue()
    }

    pub(super) fn took(&self) -> Span {
        self.clock.now().since(self.started)
    }

    /// Takes samples for `time`.
    pub(super) const fn sampler(&self, time: Span) -> Sampler<'a> {
        Sampler { clock: self.clock, time }
    }

    /// The first processor, and another that shares no core with it if there is one, else any other.
    pub(super) fn two_processors(&self) -> Option<[u32; 2]> {
        let first = self.cpus[0];
        let siblings = topology::siblings(first);
        let others = || self.cpus.iter().copied().filter(|cpu| *cpu != first);
        let apart = others().find(|cpu| !siblings.contains(cpu));
        apart.or_else(|| others().next()).map(|other| [first, other])
    }
}
