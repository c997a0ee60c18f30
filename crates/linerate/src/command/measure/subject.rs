//! What a measurement is made of: two hosts and a wire, or a model of them.

use std::ops::ControlFlow;

use linerate_core::bench::Bench;
use linerate_core::measure::Method;
use linerate_core::plan::{Plan, PlanError};
use linerate_core::run::{End, Model, Path, Source};
use linerate_core::stages::Stages;
use linerate_net::pair::Pair;

use crate::peer::LoopbackPeer;
use crate::trouble::Trouble;

/// A bench, and what a run says of it.
pub(super) trait Subject {
    /// Where trials are run.
    type Bench: Bench;

    fn bench(&mut self) -> &mut Self::Bench;

    /// Where the numbers come from.
    fn source(&self) -> Source;

    /// The two ends and the connection between them, as far as they are known.
    fn ends(&self) -> (End, End, Path);

    /// What was computed, if it was.
    fn model(&self) -> Option<Model>;

    /// How `plan` is measured here.
    fn method(&self, plan: &Plan) -> Result<Method, PlanError>;

    /// The stages of single messages, if `plan` asks for them; `watch` is told each size and may end
    /// it. Only what has kernels has any, and a plan that asks others for them is refused before.
    fn stages(
        &mut self,
        plan: &Plan,
        watch: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Vec<Stages>, Trouble> {
        let _ = (plan, watch);
        Ok(Vec::new())
    }

    /// Ends it and reads what is known only then.
    fn finish(&mut self) -> Result<(), Trouble>;
}

/// Two hosts, or one and a peer that was started on it.
pub(super) struct Hosts {
    pub(super) pair: Pair,
    /// Kept until the end of the measurement: the peer ends when this is dropped.
    pub(super) peer: Option<LoopbackPeer>,
}

impl Subject for Hosts {
    type Bench = Pair;

    fn bench(&mut self) -> &mut Pair {
        &mut self.pair
    }

    fn source(&self) -> Source {
        if self.peer.is_some() { Source::Loopback } else { Source::Measured }
    }

    fn ends(&self) -> (End, End, Path) {
        self.pair.ends()
    }

    fn model(&self) -> Option<Model> {
        None
    }

    fn method(&self, plan: &Plan) -> Result<Method, PlanError> {
        Method::of(plan, self.pair.timing_clock().cost)
    }

    fn stages(
        &mut self,
        plan: &Plan,
        watch: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Vec<Stages>, Trouble> {
        Ok(self.pair.stages(plan, watch)?)
    }

    fn finish(&mut self) -> Result<(), Trouble> {
        self.pair.finish().map_err(Trouble::from)
    }
}
