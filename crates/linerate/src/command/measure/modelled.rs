//! A model as the subject of a curve.

use linerate_core::measure::Method;
use linerate_core::plan::{Common, CurvePlan, Plan, PlanError};
use linerate_core::run::{Answering, Model, Path, Run, Source};
use linerate_sim::bench::ModelBench;
use linerate_sim::model::{self, Curve};
use linerate_sim::plan::ModelPlan;

use super::subject::CurveSubject;
use crate::command::conduct::{Subject, Surroundings};
use crate::command::modelled::Chosen;
use crate::context::Context;
use crate::signals::Interrupt;
use crate::trouble::Trouble;

/// A modelled network, ready to be measured.
pub(in crate::command) struct Modelled {
    chosen: Chosen,
    curve: Curve,
    /// How many passages of frames are kept.
    passages: Option<usize>,
    interrupt: Interrupt,
}

impl Modelled {
    /// Builds the model. Socket options of `plan` apply to the modelled hosts.
    /// A trial ends early at an interrupt.
    pub(in crate::command) fn build(
        mut chosen: Chosen,
        plan: &Plan,
        around: Surroundings<'_>,
    ) -> Result<Self, Trouble> {
        Chosen::refuse(plan)?;
        chosen.plan = model::asked(&plan.common.socket, &chosen.plan);
        let Surroundings { context, interrupt, .. } = around;
        let passages = chosen.passages(&context.files)?;
        let curve = build(&chosen, chosen.plan.seed, passages, interrupt)?;
        if curve.exact.is_some() && plan.curve().is_some_and(|curve| curve.repeat > 1) {
            let help = "leave --repeat out, or give the model something random, such as [[impair]]";
            return Err(Trouble::new("failed to repeat: nothing in this model is random", help));
        }
        Ok(Self { curve, chosen, passages, interrupt: interrupt.clone() })
    }

    /// The model.
    pub(in crate::command) const fn model_bench(&mut self) -> &mut ModelBench {
        &mut self.curve.bench
    }

    /// Whether one trial of a size is enough.
    pub(super) const fn is_exact(&self) -> bool {
        self.curve.exact.is_some()
    }
}

/// The model, with this seed for everything random in it.
fn build(
    chosen: &Chosen,
    seed: u64,
    passages: Option<usize>,
    interrupt: &Interrupt,
) -> Result<Curve, Trouble> {
    let plan = ModelPlan { seed, ..chosen.plan.clone() };
    let mut curve = model::curve(&plan, passages).map_err(|error| Trouble::model(&error, ""))?;
    curve.bench.stop_at(interrupt.flag());
    Ok(curve)
}

impl Subject for Modelled {
    fn source(&self) -> Source {
        self.chosen.source()
    }

    fn set_hosts(&self, run: &mut Run) {
        let [here, there] = self.curve.stations.map(|station| format!("station {}", station.0));
        let path =
            Path { transport: "model".to_owned(), from_address: here, to_address: there, ..Path::default() };
        let [local, end] = self.curve.ends.clone();
        run.set_star(local, vec![Answering { end, path }]);
    }

    fn model(&self) -> Option<Model> {
        Some(self.chosen.model(self.curve.link, self.curve.payload, &self.curve.cautions))
    }

    fn finish(&mut self, context: &Context) -> Result<(), Trouble> {
        self.chosen.keep(self.curve.bench.take_trace(), &context.files)
    }
}

impl CurveSubject for Modelled {
    type Bench = ModelBench;

    fn bench(&mut self) -> &mut ModelBench {
        &mut self.curve.bench
    }

    fn begin_again(&mut self, _plan: &Plan, pass: u32) -> Result<(), Trouble> {
        let seed = self.chosen.plan.seed.wrapping_add(pass.into());
        self.curve = build(&self.chosen, seed, self.passages, &self.interrupt)?;
        Ok(())
    }

    fn method(&self, common: &Common, curve: &CurvePlan) -> Result<Method, PlanError> {
        self.curve.method(common, curve)
    }
}
