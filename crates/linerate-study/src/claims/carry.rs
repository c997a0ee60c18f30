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
use crate::result_file::ResultName;
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
        let Some(answer) = answer(job, &stop) else { return Err(Stopped) };
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
        Ok((job.clone(), answer))
    });
    let answers = answers.ok().filter(|_| !stop())?;
    Some(Results(answers.into_iter().collect()))
}

/// The result of `job`, or why it has no result. Absent if `stop` ended it.
pub fn answer(job: &Job, stop: &impl Fn() -> bool) -> Option<Result<Answer, String>> {
    if stop() {
        return None;
    }
    let answer = plan(job.run()).and_then(|plan| of_plan(job, &plan, stop));
    (!stop()).then_some(answer)
}

/// The name of the result of `job`: other jobs of the same plan have the same.
pub fn result_name(job: &Job) -> ResultName {
    let kind = match job {
        Job::Plan(_) => "claims plan",
        Job::Load(_) => "claims load",
        Job::Curve(_) => "claims curve",
    };
    let run = job.run();
    // A plan that cannot be built has a reason for a result, which the words determine.
    let determined =
        plan(run).map_or_else(|_| format!("{}\n{}", run.plan, run.set.join("\n")), |plan| plan.to_toml());
    ResultName::of(kind, &[&determined])
}

fn of_plan(job: &Job, plan: &ModelPlan, stop: &impl Fn() -> bool) -> Result<Answer, String> {
    match job {
        Job::Plan(_) => facts(plan).map(Answer::Plan),
        Job::Load(_) => {
            let loaded = model::load(plan, None).map_err(|error| error.to_string())?;
            Ok(Answer::Load(Box::new(loaded.outcome)))
        }
        Job::Curve(_) => curve(plan, stop).map(Answer::Curve),
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    const TWO: NonZeroUsize = NonZeroUsize::new(2).expect("it is not 0");

    /// A shipped plan whose load and whose curve take little.
    fn run(plan: &str) -> Run {
        let set = ["load.time=1ms", "load.warm-up=0s", "measure.schedule='list:1,1000'"];
        Run { plan: plan.to_owned(), set: set.map(str::to_owned).into() }
    }

    #[test]
    fn each_job_gives_what_it_is_asked_for() {
        let jobs = [Job::Plan(run("gigabit")), Job::Load(run("direct")), Job::Curve(run("gigabit"))];
        let told = Mutex::new(Vec::new());
        let progress = |done, all| told.lock().expect("nobody panics").push((done, all));
        let results = carry_out(&jobs, TWO, || false, progress).expect("nothing stops it");
        let mut told = told.into_inner().expect("nobody panics");
        told.sort_unstable();
        assert_eq!(told, [(0, 3), (1, 3), (2, 3), (3, 3)]);
        let Ok(Answer::Plan(facts)) = results.of(&jobs[0]) else { panic!("facts: {results:?}") };
        // 1500 B of packet have 40 of header, and take 1538 on the line.
        assert_eq!((facts.mtu, facts.link), (1500, 1000.0));
        assert!((facts.ceiling - 1460.0 / 1538.0 * 1000.0).abs() < 1e-6, "{}", facts.ceiling);
        let Ok(Answer::Load(outcome)) = results.of(&jobs[1]) else { panic!("a load: {results:?}") };
        assert!(outcome.delivered > 0 && outcome.counted.as_us() >= 900.0, "{outcome:?}");
        let curve = results.curve(run("gigabit")).expect("it was run");
        assert_eq!(curve.points.iter().map(|point| point.size).collect::<Vec<_>>(), [1, 1000]);
    }

    #[test]
    fn what_cannot_be_run_says_why_and_does_not_end_the_others() {
        let wrong = run("gigabit").with("network.mtu", "many");
        let jobs = [Job::Plan(run("nowhere")), Job::Load(wrong), Job::Plan(run("gigabit"))];
        let results = carry_out(&jobs, TWO, || false, |_, _| {}).expect("nothing stops it");
        let reason = |nth: usize| results.of(&jobs[nth]).map(drop).expect_err("it has no answer");
        assert_eq!(reason(0), "no plan `nowhere` comes with linerate");
        assert!(reason(1).starts_with("failed to build the model with "), "{}", reason(1));
        assert!(reason(1).contains("network.mtu = many"), "{}", reason(1));
        assert!(results.of(&jobs[2]).is_ok());
    }

    #[test]
    fn it_ends_when_it_is_told_to() {
        let jobs = [Job::Curve(run("gigabit"))];
        assert!(carry_out(&jobs, TWO, || true, |_, _| {}).is_none());
        // Told to in the middle of a curve, it has none.
        let asked = AtomicUsize::new(0);
        let stop = || asked.fetch_add(1, Ordering::Relaxed) > 0;
        assert_eq!(
            curve(&plan(&run("gigabit")).expect("a plan"), &stop).map(drop),
            Err("it was interrupted".to_owned())
        );
    }
}
