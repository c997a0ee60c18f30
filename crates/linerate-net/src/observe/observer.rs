//! The observer of one end during a measurement; the same at both ends.

use std::collections::BTreeSet;
use std::net::IpAddr;

use linerate_core::environment::Fact;
use linerate_core::observation::{Clock, Connection, Observation};
use linerate_core::trial::Tally;
use linerate_core::units::Span;

use super::{
    ActivityWatch, HostClock, InterfaceCounters, LinkDowns, LinkWatch, interface_name, peak_memory,
    watch_noise,
};

/// How often a clock is read to learn its cost.
pub(crate) const CLOCK_READS: u64 = 100_000;
/// How long each end watches its own noise, after the last trial. Both do so at the same time.
const NOISE: Span = Span::from_ms(500);

/// An end's watch over a measurement, from its start to its finish.
#[derive(Debug)]
pub(crate) struct Observer {
    clock: Clock,
    activity: ActivityWatch,
    counters: Fact<InterfaceCounters>,
    link: LinkWatch,
    downs: LinkDowns,
    tally: Tally,
    cpus: BTreeSet<u32>,
}

impl Observer {
    /// Starts to watch, on the thread that will measure; `local` is the connection's address here.
    pub(crate) fn start(clock: &HostClock, checked: Clock, local: IpAddr) -> Self {
        let link = LinkWatch::of(local);
        Self {
            downs: LinkDowns::watch(link.clone(), local),
            link,
            clock: checked,
            activity: ActivityWatch::start(clock),
            counters: interface_name(local).and_then(|name| InterfaceCounters::read(&name)).into(),
            tally: Tally::default(),
            cpus: BTreeSet::new(),
        }
    }

    /// The clock that was checked when the watch began.
    pub(crate) const fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The link of the connection's address here.
    pub(crate) const fn link(&self) -> &LinkWatch {
        &self.link
    }

    /// Notes what passed, and the processor that moved it.
    pub(crate) fn saw(&mut self, tally: &Tally, processor: Option<u32>) {
        self.tally += *tally;
        self.cpus.extend(processor);
    }

    /// Ends the watch.
    pub(crate) fn finish(&mut self, clock: &HostClock, connection: Fact<Connection>) -> Observation {
        let interface = match &self.counters {
            Fact::Known(before) => InterfaceCounters::read(before.name()).map(|now| now.since(before)).into(),
            Fact::Unknown { unknown } => Fact::unknown(unknown.clone()),
        };
        let load = self.activity.finish(clock);
        Observation {
            clock: Fact::Known(self.clock.clone()),
            load,
            interface,
            connection,
            tally: self.tally,
            cpus: self.cpus.iter().copied().collect(),
            noise: Fact::Known(watch_noise(clock, NOISE)),
            peak_memory_bytes: peak_memory(),
            first_sample_after: None,
            link_down: self.downs.total(),
            silent: Span::ZERO,
        }
    }
}
