//! A run of molecular dynamics, from the crystal to its outcome.

use linerate_core::comm::Comm;

use super::Md;
use super::fault::Fault;
use super::observe::Verdict;
use super::outcome::{MdOutcome, Observation, Parts};
use super::share::Share;
use crate::application::{AppError, AppWatch};
use crate::atoms::frame::Frame;
use crate::work::{Work, per_second};

/// What has been seen of a run.
#[derive(Default)]
struct Course {
    observations: Vec<Observation>,
    frames: Vec<Frame>,
    /// Rank 0 wishes to end.
    ends: bool,
    steps: u64,
}

pub(super) async fn run<C: Comm>(
    plan: &Md,
    work: &mut Work<'_, C>,
    watch: &mut dyn AppWatch,
) -> Result<MdOutcome, AppError> {
    let (rank, ranks) = (work.rank(), work.size());
    let mut share = work.compute("crystal", 0, || Share::new(plan, rank, ranks)).await;
    share.rebuild(work).await?;
    let sums = share.forces(work, true).await?;
    let mut course = Course::default();
    course.observe(&share, work, sums).await?;
    let began = work.elapsed();
    for step in 1..=plan.steps {
        if step == plan.steps / 2 + 1 {
            work.record_step();
        }
        let is_observed = step.is_multiple_of(plan.every) || step == plan.steps;
        let Ok(sums) = share.step(work, is_observed).await? else {
            return Err(Fault::told(work, share.fault).await);
        };
        work.end_step();
        course.steps = step;
        if is_observed {
            if !course.observe(&share, work, sums).await? {
                break;
            }
            let seconds = (work.elapsed().saturating_sub(began)).as_seconds();
            let merit = per_second((plan.atoms() * step) as f64, seconds);
            if rank == 0 {
                course.ends |= work.progress(watch, (step, plan.steps), merit).await?.is_break();
            }
        }
        if plan.frame_every.is_some_and(|every| step.is_multiple_of(every)) {
            course.frames.extend(share.frame(work, step).await?);
        }
    }
    let seconds = (work.elapsed().saturating_sub(began)).as_seconds();
    conclude(&share, work, course, seconds).await
}

impl Course {
    /// Observes; gives whether the run goes on. It ends at the observation after the one at which rank 0 wished it.
    async fn observe<C: Comm>(
        &mut self,
        share: &Share<'_>,
        work: &mut Work<'_, C>,
        sums: super::force::Sums,
    ) -> Result<bool, AppError> {
        let (observation, verdict) = share.observe(work, (self.steps, sums), self.ends).await?;
        match verdict {
            Verdict::Fault => return Err(Fault::told(work, share.fault).await),
            Verdict::Continue | Verdict::End => self.observations.push(observation),
        }
        Ok(matches!(verdict, Verdict::Continue))
    }
}

/// What all ranks tell rank 0, and what comes of it.
async fn conclude<C: Comm>(
    share: &Share<'_>,
    work: &mut Work<'_, C>,
    course: Course,
    seconds: f64,
) -> Result<MdOutcome, AppError> {
    let plan = share.plan;
    let (momentum, count) = share.momentum(work).await?;
    let told = share.tell(work).await?;
    let drifts = || course.observations.iter().map(|at| at.energy - course.observations[0].energy);
    let entries: f64 = told.iter().map(|told| told[2]).sum();
    let furthest = told.iter().map(|told| told[3]).fold(0.0, f64::max);
    let mut outcome = MdOutcome {
        atoms: plan.atoms(),
        side: share.sides[0],
        steps: course.steps,
        complete: course.steps == plan.steps,
        seconds,
        steps_per_second: per_second(course.steps as f64, seconds),
        atom_steps_per_second: per_second((plan.atoms() * course.steps) as f64, seconds),
        largest_drift: drifts().map(f64::abs).fold(0.0, f64::max),
        drift: drifts().next_back().unwrap_or(0.0),
        parts: Parts {
            grid: plan.parts(work.size()),
            atoms: told.iter().map(|told| told[0] as u64).collect(),
            ghosts: told.iter().map(|told| told[1] as u64).collect(),
            neighbours: entries / plan.atoms() as f64,
            rebuilds: share.rebuilds,
        },
        observations: course.observations,
        frames: course.frames,
        verified: Vec::new(),
    };
    outcome.verified = share.verified(&outcome, momentum, count, furthest);
    Ok(outcome)
}
