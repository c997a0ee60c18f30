//! What a rank says of its host, and what it saw there.

use std::collections::BTreeSet;

use linerate_core::environment::Fact;
use linerate_core::observation::{Clock, Observation};
use linerate_core::run::Node;
use linerate_core::trial::Tally;
use linerate_core::units::Span;
use linerate_net::observe::{
    ActivityWatch, HostClock, check_clock, current_cpu, environment, peak_memory, watch_noise,
};

/// How often a clock is read to learn its cost.
const CLOCK_READS: u64 = 100_000;
/// How long each rank watches the noise of its host, after the last message. All do so at the same time.
const NOISE: Span = Span::from_ms(500);
/// Why nothing is known of interface and connection.
const OWN_WAY: &str = "an MPI chooses itself what carries its messages";

/// A rank's watch over a run.
#[derive(Debug)]
pub struct Watching {
    clock: HostClock,
    checked: Clock,
    activity: ActivityWatch,
    tally: Tally,
    cpus: BTreeSet<u32>,
}

impl Watching {
    /// Begins.
    #[must_use]
    pub fn start(clock: HostClock) -> Self {
        Self {
            clock,
            checked: check_clock(&clock, CLOCK_READS),
            activity: ActivityWatch::start(&clock),
            tally: Tally::default(),
            cpus: BTreeSet::new(),
        }
    }

    /// What reading the clock takes.
    #[must_use]
    pub const fn clock_cost(&self) -> Span {
        self.checked.cost
    }

    /// Notes what passed, and the processor that it passed on.
    pub fn saw(&mut self, tally: &Tally) {
        self.tally += *tally;
        self.cpus.extend(current_cpu());
    }

    /// What this rank knows until now: of the host all, of the run nothing yet.
    #[must_use]
    pub fn node(&self) -> Node {
        Node { environment: environment(None), ..Node::default() }
    }

    /// What it saw. This takes half a second.
    #[must_use]
    pub fn finish(&self) -> Observation {
        let load = self.activity.finish(&self.clock);
        Observation {
            clock: Fact::Known(self.checked.clone()),
            load,
            interface: Fact::unknown(OWN_WAY),
            connection: Fact::unknown(OWN_WAY),
            tally: self.tally,
            cpus: self.cpus.iter().copied().collect(),
            noise: Fact::Known(watch_noise(&self.clock, NOISE)),
            peak_memory_bytes: peak_memory(),
            first_sample_after: None,
            link_down: Span::ZERO,
            silent: Span::ZERO,
        }
    }
}
