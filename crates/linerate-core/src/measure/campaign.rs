//! A measurement under way: the verification pass, the common rounds, the refining rounds.

use std::ops::ControlFlow;

use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use super::allot::{Demand, Slice, allot};
use super::bucket::TokenBucket;
use super::cost::{Cost, LUMP, Slope, least_messages};
use super::settle::Settling;

use super::{Exact, Method, Phase, Progress, Watch, refine};
use crate::bench::{Bench, RunError};
use crate::payload::Check;
use crate::series::{Late, Point, Series, Stop};
use crate::trial::{Sample, Trial};
use crate::units::Span;

/// The verification pass may take at most this share of the time; the sizes after that are left
/// out.
pub(super) const VERIFY_PART: u64 = 3;
/// A size is left out when one message takes more than this share of the time.
const MESSAGE_PART: u64 = 4;
/// A size is tried only after one of at least a quarter of it, so that no message takes
/// unexpectedly long.
const LARGEST_STEP: u64 = 4;
/// A trial moves at most this part of all that moved before it: what a path holds in its buffers,
/// and passes at once, says nothing about how long more than that takes. Unless that is less than
/// this many bytes.
const GROWTH_PART: u64 = 2;
const LEAST_GROWTH: u64 = 16 << 10;
/// Where fewer round trips fit the time there is none for so many steps: a trial moves up to this many times as much as moved
/// before it.
const FEW_TRIPS: u64 = 100;
const GROWTH: u64 = 2;
/// One-way messages are timed for at least this long, or this part of the time, if they fit: arrivals
/// come in groups.
const LEAST_ONE_WAY: Span = Span::from_ms(10);
const LEAST_PART: u64 = 2_000;
/// And for so many round trips, if no more than this part of the time that is a size's: a window of them passes at once,
/// and says nothing about how long more takes.
const LEAST_TRIPS: u64 = 8;
const TRIPS_PART: u64 = 4;
/// A size is visited at most this many times in a round, until a trial of it has timed the path, as
/// long as there is as much time for each size of which none has.
const MOST_VISITS: u32 = 6;
/// A trial in which the receiver did not keep up is followed by one this many times as long.
const LONGER: u64 = 4;
/// As much of a trial may lead as is timed.
const LEAD_AND_TIMED: u64 = 2;
/// A reference is measured first, with large messages, for this part of the time: what the path
/// carries for long.
const FIRST_PART: u64 = 10;
const FIRST_MESSAGES: u64 = 10;
/// From when on a lack of time is looked for.
const SHORT_AFTER_PART: u64 = 40;
/// Why a campaign cannot go on.
pub(super) enum Halt {
    Interrupted,
    /// The time was over before a trial was.
    Late,
    Failed(RunError),
}

/// A measurement under way.
pub(super) struct Campaign<'a, B> {
    bench: &'a mut B,
    /// What had elapsed on the bench before: another measurement may have gone before.
    began: Span,
    /// No message and its answer, and no agreement on a trial, takes less.
    round_trip: Span,
    method: &'a Method,
    watch: &'a mut dyn Watch,
    series: Series,
    cost: Vec<Cost>,
    slope: Slope,
    bucket: TokenBucket,
    settling: Settling,
    /// What all of it would have taken, where there was no time to settle a size.
    unsettled_needs: Span,
    /// What passed so far. Unit: bytes.
    moved: u64,
    spent: Span,
    trials: u64,
    random: Pcg64,
}

impl<'a, B: Bench> Campaign<'a, B> {
    pub(super) fn new(bench: &'a mut B, method: &'a Method, watch: &'a mut dyn Watch) -> Self {
        Self {
            began: bench.elapsed().unwrap_or_default(),
            round_trip: bench.round_trip(),
            bench,
            method,
            watch,
            series: Series::new(method.pattern, &method.sizes),
            cost: vec![Cost::default(); method.sizes.len()],
            slope: Slope::default(),
            bucket: TokenBucket::default(),
            settling: Settling::new(method.sizes.len()),
            unsettled_needs: Span::ZERO,
            moved: 0,
            spent: Span::ZERO,
            trials: 0,
            random: Pcg64::new(u128::from(method.seed), 0),
        }
    }

    pub(super) fn run(&mut self) -> Result<(), Halt> {
        if let Some(exact) = self.method.exact {
            return self.once(exact);
        }
        let reached = self.verify()?;
        self.watch.round_done(&mut self.series);
        self.first_round(&reached)?;
        // The first round has shown what the messages cost.
        let slices = self.allot(&reached, self.method.rounds.saturating_sub(1).max(1));
        let rounds = 1 + slices.iter().map(|slice| slice.rounds).max().unwrap_or(0);
        for round in 1..rounds {
            let settled = |index: usize| self.series.points[index].stop == Some(Stop::Target);
            let due = |slice: &&Slice| {
                round <= slice.rounds && (round < self.method.rounds || !settled(slice.index))
            };
            let due: Vec<_> = slices.iter().filter(due).map(|slice| (slice.index, slice.each)).collect();
            if due.is_empty() || self.remaining() == Span::ZERO {
                break;
            }
            self.shuffled(Phase::Round(round), round, due)?;
        }
        let slice =
            |index: usize| slices.iter().find(|slice| slice.index == index).map_or(Span::ZERO, |s| s.each);
        for round in rounds.. {
            let due = self.least_certain(slice);
            if due.is_empty() {
                break;
            }
            let before = self.spent;
            self.shuffled(Phase::Refine(round), round, due)?;
            if self.spent == before {
                // No clock moves, so no time will ever be spent.
                break;
            }
        }
        Ok(())
    }

    /// Visits every size once and compares every byte: on an exact bench that costs no time, and a
    /// second trial would add nothing.
    fn once(&mut self, exact: Exact) -> Result<(), Halt> {
        for index in 0..self.method.sizes.len() {
            let (samples, batch) = exact.trial(self.method.pattern, self.method.sizes[index]);
            let trial = self.trial(index, samples, batch, Check::Full);
            let sample = self.visit(&trial, index)?;
            let point = &mut self.series.points[index];
            point.verified = true;
            point.add(0, &trial, &sample, Span::ZERO);
            point.stop = Some(Stop::Target);
            self.report(index, Phase::Round(0))?;
        }
        self.watch.round_done(&mut self.series);
        Ok(())
    }

    /// Passes one message of every size with every byte compared; says which sizes can be timed.
    fn verify(&mut self) -> Result<Vec<usize>, Halt> {
        let mut order: Vec<usize> = (0..self.method.sizes.len()).collect();
        order.sort_by_key(|index| self.method.sizes[*index]);
        let mut reached = Vec::new();
        let mut largest = 1_u64;
        for index in order {
            let size = self.method.sizes[index];
            for smaller in steps(largest, size) {
                let step = Trial { size: smaller, ..self.trial(index, 1, 1, Check::Full) };
                self.visit(&step, index)?;
                self.report(index, Phase::Verify)?;
                if !self.in_time(index) {
                    return Ok(reached);
                }
            }
            largest = largest.max(size);
            let trial = self.trial(index, 1, 1, Check::Full);
            self.visit(&trial, index)?;
            self.series.points[index].verified = true;
            self.report(index, Phase::Verify)?;
            self.slope.learn(size, self.cost[index].message);
            let far = self.round_trip * self.method.sizes.len() as u64 > self.method.time;
            if far || (self.spent > self.method.time / SHORT_AFTER_PART && self.slope.is_clear()) {
                self.warn_if_short();
            }
            if self.cost[index].message > self.method.time / MESSAGE_PART {
                break;
            }
            reached.push(index);
            if !self.in_time(index) {
                break;
            }
        }
        self.bucket.begin(&self.slope, self.spent);
        // Small messages may have passed as what the path holds, and the large ones after them as
        // what it carries.
        for index in &reached {
            self.cost[*index].is_at_least(self.slope.message(self.method.sizes[*index]));
        }
        Ok(reached)
    }

    /// Says so, once, if the verification and one round of every size take longer than the time.
    fn warn_if_short(&mut self) {
        let needed = self.verification_and_one_round();
        if self.series.needed.is_none() && needed > self.method.time {
            self.needs(needed);
        }
    }

    fn needs(&mut self, time: Span) {
        let needed = time + self.method.reserved;
        self.series.needed = Some(needed);
        self.watch.short_of_time(needed, self.method.time + self.method.reserved);
    }

    /// What a message of every size takes together, as far as it is known, and the longest of them.
    fn messages(&self) -> (Span, Span) {
        let least = if self.method.pattern.overlaps() { Span::ZERO } else { self.round_trip };
        let message = |(cost, size): (&Cost, &u64)| cost.message.max(self.slope.message(*size)).max(least);
        let messages = self.cost.iter().zip(&self.method.sizes).map(message);
        messages
            .fold((Span::ZERO, Span::ZERO), |(sum, longest), message| (sum + message, longest.max(message)))
    }

    /// What the verification and one round of every size take, by what is known so far: no less than the time of which
    /// the verification may take its part.
    pub(super) fn verification_and_one_round(&self) -> Span {
        let (sum, longest) = self.messages();
        let verified = self.method.pattern.opening_messages() + 1;
        let messages = sum * verified;
        let whole = self.one_round().max(longest * MESSAGE_PART) + messages;
        whole.max((messages + self.agreements()) * VERIFY_PART)
    }

    /// What the trials of the verification take besides the messages of the sizes.
    fn agreements(&self) -> Span {
        let mut sizes: Vec<(u64, &Cost)> = self.method.sizes.iter().copied().zip(&self.cost).collect();
        sizes.sort_by_key(|(size, _)| *size);
        // The opening messages are acknowledged before any is timed.
        let least = self.round_trip * (1 + self.method.pattern.opening_messages());
        let (mut largest, mut sum) = (1, Span::ZERO);
        for (size, cost) in sizes {
            sum += cost.overhead.max(least) * (1 + steps(largest, size).count() as u64);
            largest = largest.max(size);
        }
        sum
    }

    /// What the shortest trial of every size takes together.
    fn one_round(&self) -> Span {
        let overhead: Span = self.cost.iter().map(|cost| cost.overhead.max(self.round_trip)).sum();
        self.messages().0 * least_messages(self.method.pattern) + overhead
    }

    /// Visits every size that was reached, from small to large, so that where the time is not enough
    /// for all of them, the largest are missing.
    fn first_round(&mut self, reached: &[usize]) -> Result<(), Halt> {
        let slices = self.allot(reached, self.method.rounds);
        // If no second round will fit, each size has its whole share at once.
        let only = self.one_round() * 2 > self.remaining();
        let share = |slice: &Slice| slice.each * u64::from(if only { slice.rounds } else { 1 });
        let mut due: Vec<_> = slices.iter().map(|slice| (slice.index, share(slice))).collect();
        due.sort_by_key(|(index, _)| self.method.sizes[*index]);
        if let Some(first) = self.reference(reached) {
            self.visits(Phase::Round(0), 0, first, self.method.time / FIRST_PART)?;
        }
        self.round(Phase::Round(0), 0, due)?;
        if self.series.points.iter().all(|point| !point.rounds.is_empty()) {
            self.series.needed = None;
        } else if self.series.needed.is_none() {
            self.needs(self.verification_and_one_round().max(self.method.time));
        }
        Ok(())
    }

    /// The largest size of which a few messages fit a small part of the time, where messages overlap:
    /// it shows what the path carries, beside its tokens.
    fn reference(&self, reached: &[usize]) -> Option<usize> {
        let fits =
            |index: &&usize| self.cost[**index].message * FIRST_MESSAGES <= self.method.time / FIRST_PART;
        let sizes = reached.iter().filter(|_| self.method.pattern.overlaps()).filter(fits);
        sizes.max_by_key(|index| self.method.sizes[**index]).copied()
    }

    /// Whether there is time to try a larger size than that of `index`.
    fn in_time(&self, index: usize) -> bool {
        self.cost[index].message <= self.method.time / MESSAGE_PART
            && self.spent <= self.method.time / VERIFY_PART
    }

    /// Shares the time that is left among the sizes that were reached, in this many rounds.
    fn allot(&self, reached: &[usize], rounds: u32) -> Vec<Slice> {
        let minimum = least_messages(self.method.pattern);
        let least_time = self.least_time();
        let demand = |index: &usize| Demand {
            index: *index,
            least: (self.cost[*index].message * minimum).max(least_time) + self.cost[*index].overhead,
        };
        let demands: Vec<Demand> = reached.iter().map(demand).collect();
        let slices = allot(&demands, rounds, self.remaining());
        let enough = |slice: &Slice| self.cost[slice.index].enough(self.method.pattern);
        slices.into_iter().map(|slice| slice.split(enough(&slice))).collect()
    }

    /// One visit to each due size, in shuffled order, while there is time.
    fn shuffled(&mut self, phase: Phase, round: u32, mut due: Vec<(usize, Span)>) -> Result<(), Halt> {
        due.shuffle(&mut self.random);
        self.round(phase, round, due)
    }

    /// One visit to each due size, in this order, while there is time.
    fn round(&mut self, phase: Phase, round: u32, due: Vec<(usize, Span)>) -> Result<(), Halt> {
        for (index, each) in due {
            if self.remaining() == Span::ZERO {
                break;
            }
            self.visits(phase, round, index, each)?;
        }
        self.watch.round_done(&mut self.series);
        Ok(())
    }

    /// Visits a size for `each`, and again for longer if that did not time the path.
    fn visits(&mut self, phase: Phase, round: u32, index: usize, mut each: Span) -> Result<(), Halt> {
        for _ in 0..MOST_VISITS {
            let Some(trial) = self.fill(index, each) else { return Ok(()) };
            let sample = self.visit(&trial, index)?;
            // A quarter more, for a reader that is woken a little later.
            let lump = self.slope.message(LUMP + LUMP / 4);
            self.series.points[index].add(round, &trial, &sample, lump);
            let mut steady = true;
            if trial.pattern.overlaps() {
                steady = self.settling.add(&self.series, index, self.least_time() / 2);
                self.settling.judge(&mut self.series);
            }
            let point = &mut self.series.points[index];
            let certain = point.relative_half_width().is_some_and(|width| width <= self.method.target);
            point.stop = certain.then_some(Stop::Target);
            let settled = point.rounds.last().is_none_or(|round| round.sustained);
            if let Some(round) = point.rounds.last().filter(|_| settled && trial.pattern.overlaps()) {
                self.bucket.learn(trial.size, round.mean);
            }
            self.report(index, phase)?;
            if settled {
                break;
            }
            let long = self.settling.long().div_ceil(trial.size.max(1));
            let long = self.cost[index].message * long * LEAD_AND_TIMED + self.cost[index].overhead;
            let enough = if steady { long } else { each * LONGER };
            if enough > self.remaining() / self.unsettled().max(1) {
                self.unsettled_needs = self.unsettled_needs.max(self.spent + enough * self.unsettled());
                break;
            }
            each = enough.max(each);
        }
        Ok(())
    }

    /// How many sizes were not timed yet, or only in bursts.
    fn unsettled(&self) -> u64 {
        self.series.points.iter().filter(|point| !point.sustained()).count() as u64
    }

    /// What a trial takes at least, if it fits.
    fn least_time(&self) -> Span {
        if self.method.pattern.overlaps() {
            let each = self.method.time / (self.method.sizes.len() as u64).max(1);
            let trips = (self.round_trip * LEAST_TRIPS).min(each / TRIPS_PART);
            LEAST_ONE_WAY.min(self.method.time / LEAST_PART).max(trips)
        } else {
            Span::ZERO
        }
    }

    /// A trial that fits `each`, what is left of the time, and what moved before. `None` if not even
    /// the fewest messages fit what is left.
    fn fill(&mut self, index: usize, each: Span) -> Option<Trial> {
        let (cost, pattern) = (self.cost[index], self.method.pattern);
        let (size, left) = (self.method.sizes[index].max(1), self.remaining());
        if cost.message * least_messages(pattern) > left {
            return None;
        }
        let each = each.min(left);
        let few = self.round_trip * FEW_TRIPS > self.method.time;
        let growth = if few { self.moved.saturating_mul(GROWTH) } else { self.moved / GROWTH_PART };
        let most = growth.max(LEAST_GROWTH) / size;
        let lead = if pattern.overlaps() { self.bucket.lead(size, cost.message, each, most) } else { 0 };
        let (time, most) = (each.saturating_sub(cost.message * lead), most - lead);
        let (samples, batch) = cost.fill(time, most, pattern, self.method.clock_cost);
        let lead = u32::try_from(lead).unwrap_or(u32::MAX);
        Some(Trial { lead, ..self.trial(index, samples, batch, Check::Marks) })
    }

    fn trial(&mut self, index: usize, samples: u32, batch: u32, check: Check) -> Trial {
        self.trials += 1;
        let seed = self.method.seed.wrapping_mul(0x2545_F491_4F6C_DD1D).wrapping_add(self.trials);
        Trial {
            pattern: self.method.pattern,
            size: self.method.sizes[index],
            samples,
            batch,
            lead: 0,
            seed,
            check,
        }
    }

    /// Runs `trial` and updates the cost of its size.
    fn visit(&mut self, trial: &Trial, index: usize) -> Result<Sample, Halt> {
        let sample = match self.bench.run(trial) {
            Err(RunError::Late { size, after }) => {
                self.series.late = Some(Late { size, after });
                return Err(Halt::Late);
            }
            Err(RunError::Interrupted { .. }) => return Err(Halt::Interrupted),
            other => other.map_err(Halt::Failed)?,
        };
        let before = self.spent;
        self.spent = match self.bench.elapsed() {
            Some(elapsed) => elapsed.saturating_sub(self.began),
            None => self.spent + sample.spent,
        };
        let bytes = trial.messages().saturating_mul(trial.size);
        self.moved = self.moved.saturating_add(bytes);
        self.bucket.pass(bytes, self.spent - before);
        self.cost[index].learn(trial, &sample, self.method.clock_cost);
        Ok(sample)
    }

    /// Reports progress, once the point has the last trial's result.
    fn report(&mut self, index: usize, phase: Phase) -> Result<(), Halt> {
        let point = &self.series.points[index];
        let progress = Progress {
            phase,
            size: point.size,
            time: point.time(),
            spent: self.spent,
            allowed: self.method.time + self.method.reserved,
        };
        match self.watch.trial_done(&progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Halt::Interrupted),
        }
    }

    fn remaining(&self) -> Span {
        self.method.time - self.spent
    }

    fn least_certain(&self, slice: impl Fn(usize) -> Span) -> Vec<(usize, Span)> {
        let left = self.remaining();
        let affordable = |index: usize| {
            let one = self.cost[index].message + self.cost[index].overhead;
            slice(index) > Span::ZERO && one <= left && left > Span::ZERO
        };
        let due = refine::least_certain(&self.series, self.method.target, affordable);
        due.into_iter().map(|index| (index, slice(index))).collect()
    }

    /// Sets for every size why its measurement stopped.
    pub(super) fn close(mut self, reason: Stop) -> Series {
        for point in &mut self.series.points {
            point.stop = point.stop.or(Some(reason));
        }
        if self.series.timed().next().is_none() && self.unsettled_needs > Span::ZERO {
            let needed = self.unsettled_needs + self.method.reserved;
            self.series.needed = Some(self.series.needed.map_or(needed, |known| known.max(needed)));
        }
        self.series
    }
}

/// The sizes that are tried between one that was and `size`, so that no message takes unexpectedly long.
fn steps(tried: u64, size: u64) -> impl Iterator<Item = u64> {
    let next = |from: &u64| from.checked_mul(LARGEST_STEP);
    std::iter::successors(next(&tried), next).take_while(move |step| *step < size)
}

impl Point {
    fn relative_half_width(&self) -> Option<f64> {
        self.time()?.relative_half_width()
    }
}
