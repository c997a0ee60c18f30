//! What is measured: two hosts and a wire, or a model of them.

use std::ops::ControlFlow;

use linerate_core::bench::Bench;
use linerate_core::measure::Method;
use linerate_core::plan::{Common, CurvePlan, Plan, PlanError};
use linerate_core::run::{Answering, EndState, Source};
use linerate_core::stages::Stages;
use linerate_net::pair::Pair;

use crate::command::conduct::Subject;
use crate::peer::LoopbackPeer;
use crate::trouble::Trouble;

/// Anything on which a curve can be measured.
pub(super) trait CurveSubject: Subject {
    /// Where trials are run.
    type Bench: Bench;

    fn bench(&mut self) -> &mut Self::Bench;

    /// How a curve is measured here.
    fn method(&self, common: &Common, curve: &CurvePlan) -> Result<Method, PlanError>;

    /// The stages of single messages, if `plan` asks for them; `watch` receives each size and may
    /// end them. Only real hosts have stages; for others such a plan was refused before.
    fn stages(
        &mut self,
        plan: &Plan,
        watch: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Vec<Stages>, Trouble> {
        let _ = (plan, watch);
        Ok(Vec::new())
    }
}

/// Two hosts, or one and a peer that was started on it.
pub(super) struct Hosts {
    pub(super) pair: Pair,
    /// Kept until the end of the measurement: the peer ends when this is dropped.
    pub(super) peer: Option<LoopbackPeer>,
}

impl Subject for Hosts {
    fn source(&self) -> Source {
        if self.peer.is_some() { Source::Loopback } else { Source::Measured }
    }

    fn ends(&self) -> (EndState, Vec<Answering>) {
        let (local, end, path) = self.pair.ends();
        (local, vec![Answering { end, path }])
    }

    fn finish(&mut self) -> Result<(), Trouble> {
        self.pair.finish().map_err(Trouble::from)
    }
}

impl CurveSubject for Hosts {
    type Bench = Pair;

    fn bench(&mut self) -> &mut Pair {
        &mut self.pair
    }

    fn method(&self, common: &Common, curve: &CurvePlan) -> Result<Method, PlanError> {
        Method::of(common, curve, self.pair.timing_clock().cost)
    }

    fn stages(
        &mut self,
        plan: &Plan,
        watch: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Vec<Stages>, Trouble> {
        Ok(self.pair.stages(plan, watch)?)
    }
}
