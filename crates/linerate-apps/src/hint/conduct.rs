//! Rank 0 of HINT: which sizes, how many laps, how many trials, and when to stop.

use std::ops::ControlFlow;

use linerate_core::comm::Comm;
use linerate_core::units::Span;

use super::decomposition::Cut;
use super::number::Number;
use super::outcome::{HintOutcome, HintPoint, HintStop};
use super::quality::{net_quips, quality};
use super::share::Share;
use super::trial::{Asked, Order, Trial, trial};
use super::{Hint, verify};
use crate::application::{AppError, AppWatch};
use crate::work::{Work, per_second};

/// The most laps of a trial.
const MOST_LAPS: u64 = 1 << 30;
/// A trial may be shorter than the run time by this factor before its laps are counted anew.
const SHORT: f64 = 0.5;
/// How often the clock is read to see how it moves.
const READINGS: u32 = 2_000;
/// A run time has at least so many steps of the clock, so that a time is right to 1 %.
const TICKS: u64 = 100;

/// Rank 0, with what it needs at every size.
pub(crate) struct Conductor<'r, 'c, C, D> {
    pub(crate) plan: &'r Hint,
    pub(crate) cut: Cut,
    pub(crate) work: &'r mut Work<'c, C>,
    pub(crate) share: Share<D>,
}

impl<C: Comm, D: Number> Conductor<'_, '_, C, D> {
    /// The whole curve. The other ranks follow.
    pub(crate) async fn run(mut self, watch: &mut dyn AppWatch) -> Result<HintOutcome, AppError> {
        let tick = if self.work.is_modelled() { None } else { clock_tick(self.work) };
        if let Some(tick) = tick.filter(|tick| tick.as_ps() * TICKS > self.plan.run_time.as_ps()) {
            Order::End.shared(self.work).await?;
            let least = Span::from_ps(tick.as_ps() * TICKS);
            return Err(AppError::Calculation(format!(
                "time laps of {} on a clock with steps of {tick}; ask for a run time of {least} or more",
                self.plan.run_time
            )));
        }
        let mut points = Vec::new();
        let mut steady = true;
        let stop = self.curve(&mut points, &mut steady, watch).await?;
        Order::End.shared(self.work).await?;
        let of = |point: &HintPoint| (point.seconds, point.quips);
        let curve: Vec<_> = points.iter().map(of).collect();
        Ok(HintOutcome {
            first_seconds: curve.first().map_or(0.0, |first| first.0),
            peak_quips: peak(&points),
            net_quips: net_quips(&curve),
            stop: Some(stop),
            chunks: self.cut.chunks,
            tick_ps: tick.map(Span::as_ps),
            verified: verify::verify(self.plan, &self.cut, &points, steady),
            points,
        })
    }

    async fn curve(
        &mut self,
        points: &mut Vec<HintPoint>,
        steady: &mut bool,
        watch: &mut dyn AppWatch,
    ) -> Result<HintStop, AppError> {
        let (most, limit) = self.plan.most(&self.cut);
        let first = self.plan.smallest.unwrap_or(0).max(self.cut.fewest());
        let all = sizes(first, most, self.plan.growth);
        let mut wanted = first as f64;
        let mut subintervals = self.cut.nearest(wanted);
        loop {
            let recorded = points.is_empty() || points.len() as u64 == all / 2;
            let (point, whole) =
                self.point(points, Asked { subintervals, laps: 1, recorded }, steady).await?;
            let (seconds, quips) = (point.seconds, point.quips);
            points.push(point);
            let done = points.len() as u64;
            let broken = self.work.progress(watch, (done, all.max(done)), quips).await?;
            while self.cut.nearest(wanted) <= subintervals {
                wanted *= self.plan.growth;
            }
            subintervals = self.cut.nearest(wanted);
            let stops = [
                (broken == ControlFlow::Break(()), HintStop::Interrupted),
                (!whole, HintStop::Precision),
                (quips < self.plan.stop_ratio * peak(points), HintStop::Ratio),
                (seconds > self.plan.stop_time.as_seconds(), HintStop::Time),
                (subintervals > most, limit),
            ];
            if let Some((_, stop)) = stops.into_iter().find(|stop| stop.0) {
                return Ok(stop);
            }
        }
    }

    /// Measures one size, and says whether all of its subintervals could be made.
    async fn point(
        &mut self,
        before: &mut [HintPoint],
        asked: Asked,
        steady: &mut bool,
    ) -> Result<(HintPoint, bool), AppError> {
        let mut asked = asked;
        if !self.work.is_modelled() {
            asked.laps = self.laps(before.last(), asked).await?;
        }
        // On a model all trials are the same.
        let trials = if self.work.is_modelled() { 1 } else { self.plan.trials };
        let mut best = self.trial(asked, steady).await?;
        let mut point_trials = 1;
        while point_trials < trials {
            let again = self.trial(Asked { recorded: false, ..asked }, steady).await?;
            best = if again.seconds < best.seconds { again } else { best };
            point_trials += 1;
        }
        self.have_patience(before, best.seconds, steady).await?;
        let bounds = best.bounds;
        let quality = quality(D::BITS, bounds.upper.saturating_sub(bounds.lower));
        let point = HintPoint {
            subintervals: asked.subintervals,
            memory_bytes: asked.subintervals * self.plan.data.bytes_each(),
            seconds: best.seconds,
            quality,
            quips: per_second(quality, best.seconds),
            upper: bounds.upper,
            lower: bounds.lower,
            laps: asked.laps,
            trials: point_trials,
        };
        Ok((point, bounds.subintervals == asked.subintervals))
    }

    /// More work never takes less time: if it seems so, the smaller sizes were disturbed, and are run again for a while, those
    /// before them too if what is found is below theirs.
    async fn have_patience(
        &mut self,
        before: &mut [HintPoint],
        seconds: f64,
        steady: &mut bool,
    ) -> Result<(), AppError> {
        let mut patience = if self.work.is_modelled() { 0 } else { self.plan.patience };
        let mut larger = seconds;
        for smaller in before.iter_mut().rev() {
            if larger >= smaller.seconds || patience == 0 {
                break;
            }
            let asked = Asked { subintervals: smaller.subintervals, laps: smaller.laps, recorded: false };
            while larger < smaller.seconds && patience > 0 {
                let again = self.trial(asked, steady).await?;
                smaller.seconds = smaller.seconds.min(again.seconds);
                smaller.trials += 1;
                patience -= 1;
            }
            smaller.quips = per_second(smaller.quality, smaller.seconds);
            larger = smaller.seconds;
        }
        Ok(())
    }

    /// How many laps fill the run time.
    async fn laps(&mut self, before: Option<&HintPoint>, asked: Asked) -> Result<u64, AppError> {
        let run_time = self.plan.run_time.as_seconds();
        let expected = |smaller: &HintPoint| {
            let growth = asked.subintervals as f64 / smaller.subintervals as f64;
            fill(run_time, smaller.seconds * growth, 1)
        };
        let mut laps = before.map_or(1, expected);
        loop {
            let found = self.trial(Asked { laps, recorded: false, ..asked }, &mut true).await?;
            let elapsed = found.elapsed.as_seconds();
            if elapsed >= SHORT * run_time || laps == MOST_LAPS {
                return Ok(laps);
            }
            laps = fill(run_time, elapsed / laps as f64, laps + 1);
        }
    }

    async fn trial(&mut self, asked: Asked, steady: &mut bool) -> Result<Trial, AppError> {
        Order::Trial(asked).shared(self.work).await?;
        let found = trial(self.work, &mut self.share, self.plan.sum, asked).await?;
        *steady &= found.steady;
        Ok(found)
    }
}

/// A rank other than 0: does what it is told.
pub(crate) async fn follow<D: Number, C: Comm>(
    plan: &Hint,
    work: &mut Work<'_, C>,
    share: &mut Share<D>,
) -> Result<(), AppError> {
    while let Order::Trial(asked) = Order::End.shared(work).await? {
        trial(work, share, plan.sum, asked).await?;
    }
    Ok(())
}

/// How many laps of `seconds` fill `run_time`, at least `least`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn fill(run_time: f64, seconds: f64, least: u64) -> u64 {
    ((run_time / seconds.max(1e-12)).ceil() as u64).clamp(least, MOST_LAPS.max(least)).min(MOST_LAPS)
}

fn peak(points: &[HintPoint]) -> f64 {
    points.iter().map(|point| point.quips).fold(0.0, f64::max)
}

/// How many sizes there are from `first` to `last`, about.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn sizes(first: u64, last: u64, growth: f64) -> u64 {
    ((last as f64 / first as f64).max(1.0).ln() / growth.ln()).floor() as u64 + 1
}

/// The smallest step that the clock is seen to make; none if it stands still.
fn clock_tick(comm: &impl Comm) -> Option<Span> {
    let mut before = comm.now();
    let steps = (0..READINGS).filter_map(|_| {
        let now = comm.now();
        let step = now.since(before);
        before = now;
        (step > Span::ZERO).then_some(step)
    });
    steps.min()
}
