//! Carries out the jobs of the checks, several at a time. The results do not depend on how many:
//! each job is a model of its own.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use linerate_core::measure::{Ended, Progress, Watch, measure};
use linerate_core::series::Series;
use linerate_sim::model;
use linerate_sim::plan::ModelPlan;

use super::curve::Curve;
use super::results::{Answer, Job, PlanFacts, Results};
use super::runs::Run;
use crate::grid::changed;
use crate::{parallel, shipped};

/// `stop` ended it.
struct Stopped;

/// Carries out every job, this many at a time. Absent if `stop` ended it. `progress` receives how
/// many are done, and of how many.
pub fn carry_out(
    jobs: &[Job],
    at_once: NonZeroUsize,
    stop: impl Fn() -> bool + Sync,
    progress: impl Fn(usize, usize) + Sync,
) -> Option<Results> {
    let done = AtomicUsize::new(0);
    progress(0, jobs.len());
    let answers = parallel::map(jobs, at_once, |job| {
        if stop() {
            return Err(Stopped);
        }
        let answer = answer(job, &stop);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
        Ok((job.clone(), answer))
    });
    let answers = answers.ok().filter(|_| !stop())?;
    Some(Results(answers.into_iter().collect()))
}

/// The result of `job`, or why it has no result.
fn answer(job: &Job, stop: &impl Fn() -> bool) -> Result<Answer, String> {
    let plan = plan(job.run())?;
    match job {
        Job::Plan(_) => facts(&plan).map(Answer::Plan),
        Job::Load(_) => {
            let loaded = model::load(&plan, None).map_err(|error| error.to_string())?;
            Ok(Answer::Load(Box::new(loaded.outcome)))
        }
        Job::Curve(_) => curve(&plan, stop).map(Answer::Curve),
    }
}

/// The shipped plan of `run` with its changes.
fn plan(run: &Run) -> Result<ModelPlan, String> {
    let shipped = shipped::find(&run.plan);
    let shipped = shipped.ok_or_else(|| format!("no plan `{}` comes with linerate", run.plan))?;
    let plan = ModelPlan::from_toml(shipped.text).map_err(|error| error.to_string())?;
    changed(&plan, &run.set).map_err(|error| format!("failed to {error}"))
}

fn facts(plan: &ModelPlan) -> Result<PlanFacts, String> {
    let curve = model::curve(plan, None).map_err(|error| error.to_string())?;
    let granted = &curve.ends[1].granted;
    Ok(PlanFacts {
        mtu: plan.network.mtu(),
        link: curve.link.as_mbps(),
        ceiling: curve.payload.as_mbps(),
        receive_buffer: granted.rcvbuf.known().copied(),
        usable_window: granted.usable_window.known().copied(),
    })
}

/// The curve of `plan`, measured as `linerate measure --model` measures it.
fn curve(plan: &ModelPlan, stop: &impl Fn() -> bool) -> Result<Curve, String> {
    let mut built = model::curve(plan, None).map_err(|error| error.to_string())?;
    let asked = plan.measure.curve().ok_or("the plan asks for no curve")?;
    let method = built.method(&plan.measure.common, asked).map_err(|error| error.to_string())?;
    let outcome = measure(&mut built.bench, &method, &mut Glance(stop));
    match outcome.ended {
        Ended::Complete => Curve::of(&outcome.series).ok_or_else(|| "nothing was measured".to_owned()),
        Ended::Interrupted => Err("it was interrupted".to_owned()),
        Ended::Failed(error) => Err(format!("failed to {error}")),
    }
}

/// Ends a measurement when it is asked to stop.
struct Glance<'a, F>(&'a F);

impl<F: Fn() -> bool> Watch for Glance<'_, F> {
    fn trial_done(&mut self, _: &Progress) -> ControlFlow<()> {
        if (self.0)() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn round_done(&mut self, _: &mut Series) {}
}
