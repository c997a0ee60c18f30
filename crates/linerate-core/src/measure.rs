//! The method: verify every size once, measure all sizes in shuffled rounds, then spend what time
//! remains where the curve is least certain.

mod allot;
mod refine;

use std::ops::ControlFlow;

use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use crate::bench::{Bench, RunError};
use crate::pattern::Pattern;
use crate::payload::Check;
use crate::plan::Plan;
use crate::series::{Point, Series, Stop};
use crate::stats::Estimate;
use crate::trial::{MAX_SAMPLES, Sample, Trial};
use crate::units::Span;

use allot::{Demand, allot};

/// A sample lasts at least so many times as long as reading the clock.
const CLOCK_SHARE: u64 = 100;
/// A stream is timed in so many parts of each trial: single messages coalesce on the way, so
/// their arrivals say nothing.
const STREAM_PARTS: u64 = 10;
/// A stream trial has at least so many samples, so that a warm-up can be told from the rest.
const STREAM_SAMPLES: u64 = 4;
/// The verification pass may take so large a part of the time; the sizes after that are left out.
const VERIFY_PART: u64 = 3;
/// A size is left out when one message takes more than so large a part of the time.
const MESSAGE_PART: u64 = 4;

/// What is to be measured and for how long.
#[derive(Clone, Debug)]
pub struct Method {
    /// Who sends when.
    pub pattern: Pattern,
    /// Message sizes in the order of the schedule. Unit: bytes.
    pub sizes: Vec<u64>,
    /// Time to spend on the bench's clock.
    pub time: Span,
    /// Target half-width of the interval, as a share of the median.
    pub target: f64,
    /// Rounds that every size gets first.
    pub rounds: u32,
    /// Seed of the order and of the payload.
    pub seed: u64,
    /// What reading the clock of the end that times takes.
    pub clock_cost: Span,
}

impl Method {
    /// The method that `plan` asks for.
    ///
    /// # Errors
    ///
    /// When the plan's schedule has no sizes.
    pub fn of(plan: &Plan, clock_cost: Span) -> Result<Self, crate::plan::PlanError> {
        Ok(Self {
            pattern: plan.pattern,
            sizes: plan.sizes()?,
            time: plan.time,
            target: plan.ci,
            rounds: plan.rounds,
            seed: plan.seed,
            clock_cost,
        })
    }
}

/// Where a measurement stands.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// What it is doing.
    pub phase: Phase,
    /// The size just visited. Unit: bytes.
    pub size: u64,
    /// What is known of that size's one-way time so far. Unit: picoseconds.
    pub time: Option<Estimate>,
    /// Time spent.
    pub spent: Span,
    /// Time allowed.
    pub allowed: Span,
}

/// What a measurement is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Comparing every byte of every size, untimed.
    Verify,
    /// Measuring all sizes.
    Round(u32),
    /// Measuring the least certain sizes again.
    Refine(u32),
}

/// Who watches a measurement, and may end it.
pub trait Watch {
    /// After every trial. A break ends the measurement; what was measured is kept.
    fn trial_done(&mut self, progress: &Progress) -> ControlFlow<()>;

    /// After the verification pass and after every round: the moment to save. The series is lent,
    /// so that it can be saved as part of something larger without a copy of every sample.
    fn round_done(&mut self, series: &mut Series);
}

/// What a measurement gave.
#[derive(Debug)]
pub struct Outcome {
    /// Everything measured, also when it ended early.
    pub series: Series,
    /// Why it ended early.
    pub ended: Ended,
}

/// How a measurement ended.
#[derive(Debug)]
pub enum Ended {
    /// As planned.
    Complete,
    /// The watcher broke it off.
    Interrupted,
    /// A trial failed.
    Failed(RunError),
}

/// Measures `method` over `bench`.
pub fn measure<B: Bench>(bench: &mut B, method: &Method, watch: &mut dyn Watch) -> Outcome {
    let mut campaign = Campaign {
        bench,
        method,
        watch,
        series: Series::new(method.pattern, &method.sizes),
        cost: vec![Cost::default(); method.sizes.len()],
        spent: Span::ZERO,
        trials: 0,
        random: Pcg64::new(u128::from(method.seed), 0),
    };
    let ended = match campaign.run() {
        Ok(()) => Ended::Complete,
        Err(Halt::Interrupted) => Ended::Interrupted,
        Err(Halt::Failed(error)) => Ended::Failed(error),
    };
    campaign.close();
    Outcome { series: campaign.series, ended }
}

/// Why a campaign cannot go on.
enum Halt {
    Interrupted,
    Failed(RunError),
}

/// What one message of a size takes, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    /// One timed message, there and back for a ping-pong.
    message: Span,
    /// What a trial takes besides its messages.
    overhead: Span,
}

struct Campaign<'a, B> {
    bench: &'a mut B,
    method: &'a Method,
    watch: &'a mut dyn Watch,
    series: Series,
    cost: Vec<Cost>,
    spent: Span,
    trials: u64,
    random: Pcg64,
}

impl<B: Bench> Campaign<'_, B> {
    fn run(&mut self) -> Result<(), Halt> {
        let reached = self.verify()?;
        self.watch.round_done(&mut self.series);
        let slices = self.allot(reached);
        for round in 0..self.method.rounds {
            let due =
                slices.iter().filter(|slice| round < slice.rounds).map(|slice| (slice.index, slice.each));
            self.round(Phase::Round(round), round, due.collect())?;
        }
        let slice =
            |index: usize| slices.iter().find(|slice| slice.index == index).map_or(Span::ZERO, |s| s.each);
        for round in self.method.rounds.. {
            let due = self.least_certain(slice);
            if due.is_empty() {
                break;
            }
            self.round(Phase::Refine(round), round, due)?;
        }
        Ok(())
    }

    /// Passes one message of every size with every byte compared; says which sizes can be timed.
    fn verify(&mut self) -> Result<Vec<usize>, Halt> {
        let mut reached = Vec::new();
        for index in 0..self.series.points.len() {
            let trial = self.trial(index, 1, 1, Check::Full);
            let sample = self.visit(&trial, index, Phase::Verify)?;
            self.series.points[index].verified = true;
            let longest_message = self.cost[index].message;
            debug_assert!(!sample.times.is_empty());
            if longest_message > self.method.time / MESSAGE_PART {
                break;
            }
            reached.push(index);
            if self.spent > self.method.time / VERIFY_PART {
                break;
            }
        }
        Ok(reached)
    }

    fn allot(&self, reached: Vec<usize>) -> Vec<allot::Slice> {
        let minimum = match self.method.pattern {
            Pattern::Stream => self.method.pattern.opening_messages() + STREAM_SAMPLES,
            Pattern::PingPong | Pattern::Exchange => 1,
        };
        let demand = |index: usize| Demand {
            index,
            least: self.cost[index].message * minimum + self.cost[index].overhead,
        };
        let demands: Vec<Demand> = reached.into_iter().map(demand).collect();
        allot(&demands, self.method.rounds, self.remaining())
    }

    /// One visit to each due size, in shuffled order, while there is time.
    fn round(&mut self, phase: Phase, round: u32, mut due: Vec<(usize, Span)>) -> Result<(), Halt> {
        due.shuffle(&mut self.random);
        for (index, each) in due {
            if self.remaining() == Span::ZERO {
                break;
            }
            let (samples, batch) = self.plan_trial(index, each);
            let trial = self.trial(index, samples, batch, Check::Marks);
            let sample = self.visit(&trial, index, phase)?;
            let point = &mut self.series.points[index];
            point.add(round, &trial, &sample);
            if point.relative_half_width().is_some_and(|width| width <= self.method.target) {
                point.stop = Some(Stop::Target);
            } else {
                point.stop = None;
            }
        }
        self.watch.round_done(&mut self.series);
        Ok(())
    }

    /// How many samples of how many messages fill `each`.
    fn plan_trial(&self, index: usize, each: Span) -> (u32, u32) {
        let message = self.cost[index].message.as_ps().max(1);
        let budget = each.saturating_sub(self.cost[index].overhead).as_ps();
        let messages = (budget / message).max(1);
        let for_clock = (self.method.clock_cost * CLOCK_SHARE).as_ps().div_ceil(message);
        let (samples, batch) = match self.method.pattern {
            Pattern::Stream => {
                let batch = (messages / STREAM_PARTS).max(for_clock).max(1);
                ((messages / batch).max(STREAM_SAMPLES), batch)
            }
            Pattern::PingPong | Pattern::Exchange => {
                let batch = for_clock.max(messages.div_ceil(u64::from(MAX_SAMPLES))).max(1);
                ((messages / batch).max(1), batch)
            }
        };
        let samples = samples.min(u64::from(MAX_SAMPLES));
        (u32::try_from(samples).unwrap_or(MAX_SAMPLES), u32::try_from(batch).unwrap_or(u32::MAX))
    }

    fn trial(&mut self, index: usize, samples: u32, batch: u32, check: Check) -> Trial {
        self.trials += 1;
        let seed = self.method.seed.wrapping_mul(0x2545_F491_4F6C_DD1D).wrapping_add(self.trials);
        Trial { pattern: self.method.pattern, size: self.method.sizes[index], samples, batch, seed, check }
    }

    /// Runs `trial`, learns its cost and reports progress.
    fn visit(&mut self, trial: &Trial, index: usize, phase: Phase) -> Result<Sample, Halt> {
        let sample = self.bench.run(trial).map_err(Halt::Failed)?;
        self.spent += sample.spent;
        self.learn(trial, index, &sample);
        let point = &self.series.points[index];
        let progress = Progress {
            phase,
            size: point.size,
            time: point.time(),
            spent: self.spent,
            allowed: self.method.time,
        };
        match self.watch.trial_done(&progress) {
            ControlFlow::Continue(()) => Ok(sample),
            ControlFlow::Break(()) => Err(Halt::Interrupted),
        }
    }

    fn learn(&mut self, trial: &Trial, index: usize, sample: &Sample) {
        let legs = trial.pattern.legs();
        let timed: Span = sample.times.iter().map(|time| *time * legs * u64::from(trial.batch)).sum();
        let timed_messages = u64::from(trial.samples) * u64::from(trial.batch);
        let message = timed / timed_messages.max(1);
        let overhead = sample.spent - message * trial.messages();
        self.cost[index] = Cost { message, overhead };
    }

    fn remaining(&self) -> Span {
        self.method.time - self.spent
    }

    fn least_certain(&self, slice: impl Fn(usize) -> Span) -> Vec<(usize, Span)> {
        let left = self.remaining();
        let affordable = |index: usize| {
            let one = self.cost[index].message + self.cost[index].overhead;
            slice(index) > Span::ZERO && one <= left
        };
        let due = refine::least_certain(&self.series, self.method.target, affordable);
        due.into_iter().map(|index| (index, slice(index))).collect()
    }

    /// Says of every size why it was measured no longer.
    fn close(&mut self) {
        let left = self.remaining();
        for point in &mut self.series.points {
            let reason = if left == Span::ZERO { Stop::Time } else { Stop::Cut };
            point.stop = point.stop.or(Some(reason));
        }
    }
}

impl Point {
    fn relative_half_width(&self) -> Option<f64> {
        self.time()?.relative_half_width()
    }
}
