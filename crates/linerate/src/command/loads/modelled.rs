//! A model as the subject of loads.

use linerate_analysis::report::Report;
use linerate_core::plan::{Common, Plan, StreamPlan, StreamTask, Task};
use linerate_core::run::{Model, Run, Source};
use linerate_core::units::Span;
use linerate_sim::carrier::{Ends, ModelCarrier};

use super::{LoadSubject, carry};
use crate::cli::ProgressForm;
use crate::command::conduct::{Subject, Surroundings};
use crate::command::modelled::Chosen;
use crate::context::Context;
use crate::progress::Line;
use crate::signals::Interrupt;
use crate::trouble::Trouble;

/// Default length of a load in the model's time: whatever settles has settled by then, and a second
/// of a gigabit takes about a second to compute.
const TIME: Span = Span::from_ms(1_000);
/// Default interval of its samples.
const INTERVAL: Span = Span::from_ms(100);

/// A modelled network, ready for loads.
struct ModelledLoads {
    chosen: Chosen,
    carrier: ModelCarrier,
}

/// The plan under the flags: the measurement of the model's plan if it has the task of `verb`,
/// otherwise that task for a second of the model's time.
pub(in crate::command) fn base(chosen: &Chosen, verb: &str) -> Plan {
    let plan = chosen.plan.measure.clone();
    if plan.task.verb() == verb {
        return plan;
    }
    let bulk = StreamPlan { interval: INTERVAL, ..StreamPlan::default() };
    let task = match verb {
        "stream" => Task::Stream(StreamTask { bulk, ..StreamTask::default() }),
        _ => Task::Requests(linerate_core::plan::RrPlan::default()),
    };
    Plan { common: Common { time: TIME, ..plan.common }, task }
}

/// Puts the plan's loads on the chosen model.
pub(in crate::command) fn on_model(
    chosen: Chosen,
    plan: Plan,
    context: &Context,
    progress: ProgressForm,
) -> Result<Report, Trouble> {
    Chosen::refuse(&plan)?;
    let carrier = ModelCarrier::build(&chosen.plan, &ends(&chosen, &plan)?, chosen.passages(&context.files)?);
    let carrier = carrier.map_err(|error| Trouble::model(&error, ""))?;
    let (line, interrupt) = (Line::of(progress), Interrupt::listen()?);
    let around = Surroundings { context, line: &line, interrupt: &interrupt };
    carry(ModelledLoads { chosen, carrier }, plan, around)
}

/// The stations that the plan names as its hosts; by default the first and the last.
fn ends(chosen: &Chosen, plan: &Plan) -> Result<Ends, Trouble> {
    let number = |host: &str| {
        host.parse().map_err(|_| {
            Trouble::new(
                format!("failed to find the station `{host}` in the model: stations have numbers"),
                "write the numbers of the responding stations, such as 1 2 3; station 0 is the initiator",
            )
        })
    };
    let named = plan.hosts().map(number).collect::<Result<Vec<u32>, _>>()?;
    let outermost = Ends::outermost(&chosen.plan);
    Ok(if named.is_empty() { outermost } else { Ends { answering: named, ..outermost } })
}

impl Subject for ModelledLoads {
    fn source(&self) -> Source {
        self.chosen.source()
    }

    fn set_hosts(&self, run: &mut Run) {
        run.set_star(self.carrier.end.clone(), self.carrier.answering.clone());
    }

    fn model(&self) -> Option<Model> {
        Some(self.chosen.model(self.carrier.link, self.carrier.payload, &self.carrier.cautions))
    }

    fn finish(&mut self, context: &Context) -> Result<(), Trouble> {
        self.chosen.keep(self.carrier.take_trace(), &context.files)
    }
}

impl LoadSubject for ModelledLoads {
    type Carrier = ModelCarrier;

    fn carrier(&mut self) -> &mut ModelCarrier {
        &mut self.carrier
    }
}
