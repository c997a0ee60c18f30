//! This end of a measurement: where it runs, what it is and what it sees.

use std::net::IpAddr;

use linerate_core::environment::Fact;
use linerate_core::observation::{Clock, Connection};
use linerate_core::options::Granted;
use linerate_core::plan::{LocalOptions, Plan};
use linerate_core::run::EndState;
use linerate_core::units::Span;

use super::PairError;
use crate::observe::{CLOCK_READS, HostClock, Observer, check_clock, environment};
use crate::place::{Pin, Place, make_room_for_files};

/// This end of a measurement, from before it begins to its end.
#[derive(Debug)]
pub(crate) struct Here {
    pub(crate) clock: HostClock,
    pub(crate) observer: Observer,
    /// What it is and what it saw.
    pub(crate) state: EndState,
    /// What its clock is worth.
    pub(super) our_clock: Clock,
    place: Place,
}

impl Here {
    /// Ties this thread to the processor that `plan` names, and makes room for the files that it needs.
    ///
    /// # Errors
    ///
    /// What the host refuses.
    pub(crate) fn place(plan: &Plan) -> Result<Place, PairError> {
        let LocalOptions { pin: cpu, cpu_latency_us, .. } = plan.common.local;
        make_room_for_files(plan)?;
        Place::take(Pin { cpu, whole_process: plan.has_loads() }, cpu_latency_us)
            .map_err(|source| PairError::Pin { cpu: cpu.unwrap_or_default(), source })
    }

    /// Begins to watch this host, whose address is `local`.
    pub(crate) fn watch(place: Place, clock: HostClock, local: IpAddr) -> Self {
        let our_clock = check_clock(&clock, CLOCK_READS);
        let state = EndState { environment: environment(Some(local)), ..EndState::default() };
        let observer = Observer::start(&clock, our_clock.clone(), local);
        Self { clock, observer, state, our_clock, place }
    }

    /// What a channel was granted, with the place beside it.
    pub(crate) fn granted(&mut self, of_channel: Granted) {
        self.state.granted = self.place.granted(of_channel);
    }

    /// Ends the watch.
    pub(crate) fn finish(
        &mut self,
        granted: Granted,
        connection: Fact<Connection>,
        first_sample: Option<Span>,
    ) {
        self.granted(granted);
        self.state.observation = self.observer.finish(&self.clock, connection);
        self.state.observation.first_sample_after = first_sample;
    }
}
