//! Loads on a model, in its own time: [`Carrier`] for a modelled network.
//!
//! Every load has a network of its own that starts idle, so that no load depends on the one before.
//! Its flows are those of [`crate::stations`]; their applications are here. The pace of a flow and
//! the schedule of requests are the core's, the same as between real hosts.

mod asking;
mod bulk;
mod calls;
mod check;
mod course;
mod looks;

use linerate_core::carrier::{CarriedLoad, Carrier, LoadWatch};
use linerate_core::caution::Caution;
use linerate_core::run::{Answering, EndState};
use linerate_core::traffic::Load;
use linerate_core::units::{Rate, Span};

use crate::model::{Described, Network, asked, describe};

pub use crate::model::Ends;
use crate::plan::{ModelError, ModelPlan};
use crate::trace::{Passage, Trace};
use course::Course;

/// A model on which loads are put.
#[derive(Debug)]
pub struct ModelCarrier {
    plan: ModelPlan,
    stations: Ends,
    /// What a run records about the initiator.
    pub end: EndState,
    /// What it records about the responders.
    pub answering: Vec<Answering>,
    /// Rate of a station's links, all together.
    pub link: Rate,
    /// The most payload that framing leaves of that, one direction, the other free.
    pub payload: Rate,
    /// Cautions about the network.
    pub cautions: Vec<Caution>,
    trace: Option<Trace>,
    /// How long the loads before took, in the model's time.
    passed: Span,
}

impl ModelCarrier {
    /// The plan's network as a carrier of loads between `stations`. It records this many passages
    /// of frames, from the first on.
    ///
    /// # Errors
    ///
    /// When the plan cannot be built, has no such stations, or cannot carry loads.
    pub fn build(plan: &ModelPlan, stations: &Ends, trace: Option<usize>) -> Result<Self, ModelError> {
        let Described { beginning, answering, link, payload, cautions } = describe(plan, stations)?;
        Ok(Self {
            plan: plan.clone(),
            stations: stations.clone(),
            end: beginning,
            answering,
            link,
            payload,
            cautions,
            trace: trace.map(Trace::new),
            passed: Span::ZERO,
        })
    }

    /// What passed the stations' ports, if that was requested. Recording ends. The loads follow
    /// each other in time, though each starts with an idle network.
    #[must_use]
    pub fn take_trace(&mut self) -> Option<Trace> {
        self.trace.take()
    }

    fn run(&mut self, load: &Load, watch: &mut dyn LoadWatch) -> Result<CarriedLoad<ModelError>, ModelError> {
        let peers = u32::try_from(self.stations.answering.len()).unwrap_or(u32::MAX);
        let load = &load.share(peers);
        let plan = asked(&load.socket, &self.plan);
        check::load(load, peers, self.payload)?;
        let room = self.trace.as_ref().map(Trace::room);
        let (network, _) = Network::build(&plan, &self.stations, room)?;
        let mut course = Course::begin(network, load);
        let ended = course.run(watch);
        let (transfer, taken, stations) = course.finish();
        if let (Some(whole), Some(part)) = (&mut self.trace, stations.trace) {
            append(whole, &part, self.passed);
        }
        self.passed += taken;
        Ok(CarriedLoad { transfer: Some(transfer), ended })
    }
}

impl Carrier for ModelCarrier {
    type Error = ModelError;

    /// Several stations have such a load each, but for a rate, which they share.
    fn carry(&mut self, load: &Load, watch: &mut dyn LoadWatch) -> CarriedLoad<ModelError> {
        self.run(load, watch).unwrap_or_else(CarriedLoad::refused)
    }
}

/// Adds what passed in one load to what passed before, which took `before`.
fn append(whole: &mut Trace, part: &Trace, before: Span) {
    for passage in part.passages() {
        whole.record(Passage { time: passage.time + before, ..*passage });
    }
    whole.leave_out(part.left_out());
}
