//! A model as the subject of a trace.

use std::ops::ControlFlow;

use linerate_core::plan::Plan;
use linerate_core::run::{Model, Run};
use linerate_core::stages::Clocks;
use linerate_core::trace::{Means, Trace, TracedEnd, TracedSize};

use super::TraceSubject;
use crate::command::conduct::{Subject, Surroundings};
use crate::command::measure;
use crate::command::modelled::Chosen;
use crate::context::Context;
use crate::trouble::{Trouble, run_help};

/// Messages of each size that go before those that are kept: a new connection may not send a large message at once.
const WARM_UP: u32 = linerate_core::stages::WARM_UP;

/// A modelled network whose messages are traced.
pub(super) struct Modelled(measure::Modelled);

impl Modelled {
    pub(super) fn build(chosen: Chosen, plan: &Plan, around: Surroundings<'_>) -> Result<Self, Trouble> {
        Ok(Self(measure::Modelled::build(chosen, plan, around)?))
    }
}

impl Subject for Modelled {
    fn source(&self) -> linerate_core::run::Source {
        self.0.source()
    }

    fn set_hosts(&self, run: &mut Run) {
        self.0.set_hosts(run);
    }

    fn model(&self) -> Option<Model> {
        self.0.model()
    }

    fn finish(&mut self, context: &Context) -> Result<(), Trouble> {
        self.0.finish(context)
    }
}

impl TraceSubject for Modelled {
    fn trace(
        &mut self,
        plan: &Plan,
        mut watch: impl FnMut(u64) -> ControlFlow<()>,
        mut done: impl FnMut(&Trace),
    ) -> Result<Trace, Trouble> {
        let end = TracedEnd { means: Means::Model, ..TracedEnd::default() };
        let mut trace = Trace { ends: vec![end; 2], ..Trace::default() };
        let Some(asked) = plan.trace() else { return Ok(trace) };
        for size in &asked.sizes {
            if watch(size.0).is_break() {
                break;
            }
            let marks = self.0.model_bench().trace_messages(size.0, WARM_UP, asked.messages);
            let [ours, theirs] = marks.map_err(|error| {
                let help = run_help(&error);
                Trouble::new(format!("failed to trace: {error}"), help)
            })?;
            trace.sizes.push(TracedSize::of(size.0, asked.messages, Clocks::One, [&ours, &theirs]));
            done(&trace);
        }
        Ok(trace)
    }
}
