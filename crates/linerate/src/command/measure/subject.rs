//! What is measured: two hosts and a wire, or a model of them.

use std::ops::ControlFlow;
use std::rc::Rc;

use linerate_core::bench::Bench;
use linerate_core::measure::Method;
use linerate_core::plan::{Common, CurvePlan, Plan, PlanError};
use linerate_core::run::{Answering, Laboratory, Run, Source};
use linerate_core::stages::Stages;
use linerate_net::pair::Pair;

use crate::command::conduct::Subject;
use crate::command::hosts::{Opening, Started};
use crate::context::Context;
use crate::trouble::Trouble;

/// Anything on which a curve can be measured.
pub(in crate::command) trait CurveSubject: Subject {
    /// Where trials are run.
    type Bench: Bench;

    fn bench(&mut self) -> &mut Self::Bench;

    /// How a curve is measured here.
    fn method(&self, common: &Common, curve: &CurvePlan) -> Result<Method, PlanError>;

    /// Begins pass number `pass`, from 1, over new connections, once [`Subject::finish`] has ended the
    /// pass before.
    fn begin_again(&mut self, plan: &Plan, pass: u32) -> Result<(), Trouble>;

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
pub(in crate::command) struct Hosts<'a> {
    opening: Rc<Opening<'a>>,
    pair: Pair,
    /// Whether both ends have reported what they saw.
    finished: bool,
    /// Kept until the end of the pass: a server ends when this is dropped.
    started: Started,
}

impl<'a> Hosts<'a> {
    /// Connects to the peer that `plan` names, or starts one.
    pub(in crate::command) fn open(opening: Opening<'a>, plan: &Plan) -> Result<Self, Trouble> {
        let (pair, started) = opening.pair(plan)?;
        Ok(Self { opening: Rc::new(opening), pair, finished: false, started })
    }

    /// The connection.
    pub(in crate::command) const fn pair(&mut self) -> &mut Pair {
        &mut self.pair
    }
}

impl Subject for Hosts<'_> {
    fn source(&self) -> Source {
        self.started.source()
    }

    fn laboratory(&self) -> Option<Laboratory> {
        self.started.laboratory()
    }

    fn set_hosts(&self, run: &mut Run) {
        let (local, end, path) = self.pair.ends();
        run.set_star(local, vec![Answering { end, path }]);
        self.opening.limits.iter().for_each(|limits| run.set_limits(limits));
    }

    fn finish(&mut self, _: &Context) -> Result<(), Trouble> {
        if std::mem::replace(&mut self.finished, true) {
            return Ok(());
        }
        self.pair.finish().map_err(Trouble::from)
    }

    fn another(&self, plan: &Plan) -> Result<Option<Self>, Trouble> {
        let (pair, started) = self.opening.pair(plan)?;
        Ok(Some(Self { opening: Rc::clone(&self.opening), pair, finished: false, started }))
    }
}

impl CurveSubject for Hosts<'_> {
    type Bench = Pair;

    fn bench(&mut self) -> &mut Pair {
        &mut self.pair
    }

    fn method(&self, common: &Common, curve: &CurvePlan) -> Result<Method, PlanError> {
        Method::of(common, curve, self.pair.timing_clock().cost)
    }

    fn begin_again(&mut self, plan: &Plan, _pass: u32) -> Result<(), Trouble> {
        (self.pair, self.started) = self.opening.pair(plan)?;
        self.finished = false;
        Ok(())
    }

    fn stages(
        &mut self,
        plan: &Plan,
        watch: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Vec<Stages>, Trouble> {
        Ok(self.pair.stages(plan, watch)?)
    }
}
