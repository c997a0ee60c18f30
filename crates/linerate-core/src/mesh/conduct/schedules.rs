//! The rounds of every schedule as orders, and what comes of them.

use std::ops::ControlFlow;

use super::super::hand::TAIL_VISITS;
use super::super::order::{Answer, Order};
use super::super::rounds::{self, Pair};
use super::super::{Pass, Round, Tail, Victim, VisitStats};
use super::fans::Fan;
use super::{Conductor, MeshWatch, Stage, Step};
use crate::comm::Comm;
use crate::plan::LONGEST_PASS;
use crate::plan::MeshSchedule;
use crate::units::Span;

/// The most messages of one pass.
pub(in crate::mesh) const MOST: u64 = 1 << 20;
/// How many times the time of the tail's visits the load beside them lasts.
pub(in crate::mesh) const LOADED_VISITS: u64 = 3;
/// How often the first passes are tried until their number of messages fits the time.
pub(super) const TRIES: u32 = 8;
/// The fewest ranks of which some can be victims: two, and two that load the network.
const FEWEST_WITH_VICTIMS: usize = 4;

/// What came of a schedule so far, and whether it is to go on.
pub(super) type Came = (Vec<Round>, ControlFlow<()>);

impl<C: Comm, W: MeshWatch> Conductor<'_, C, W> {
    /// One repetition of `schedule`.
    pub(super) async fn schedule(&mut self, schedule: MeshSchedule, repetition: u32) -> Came {
        let (size, seed) = (self.size(), self.asked.seed);
        let stage = Stage::Schedule(schedule);
        let step = |round, rounds| Step { stage, repetition, round, rounds };
        match schedule {
            MeshSchedule::Pairs => {
                self.pairs(rounds::every_pair_shuffled(size, seed, repetition), &step).await
            }
            MeshSchedule::Serial => {
                let all = rounds::every_pair_shuffled(size, seed, repetition);
                self.pairs(all.into_iter().flatten().map(|pair| vec![pair]).collect(), &step).await
            }
            MeshSchedule::Shifts => {
                let order = rounds::shuffled(size.saturating_sub(1), seed, repetition);
                let shifts = order.into_iter().map(|distance| rounds::shift(size, distance + 1));
                self.passes(shifts.collect(), &step).await
            }
            MeshSchedule::Ring => self.passes(vec![rounds::shift(size, 1)], &step).await,
            MeshSchedule::RandomRing => {
                self.passes(vec![rounds::random_ring(size, seed, repetition)], &step).await
            }
            MeshSchedule::Bisection => {
                let number = |matching| repetition * self.asked.plan.matchings + matching;
                let matchings = (0..self.asked.plan.matchings)
                    .map(|matching| both_ways(size, &rounds::matching(size, seed, number(matching))));
                self.passes(matchings.collect(), &step).await
            }
            MeshSchedule::Victim => self.victims(repetition, &step).await,
            MeshSchedule::FanIn => self.fans(Fan::In, repetition, &step).await,
            MeshSchedule::FanOut => self.fans(Fan::Out, repetition, &step).await,
            MeshSchedule::Recheck => (Vec::new(), ControlFlow::Continue(())),
        }
    }

    /// Rounds of pairs that are measured by themselves.
    pub(super) async fn pairs(
        &mut self,
        rounds: Vec<Vec<Pair>>,
        step: &impl Fn(usize, usize) -> Step,
    ) -> Came {
        let mut done = Vec::with_capacity(rounds.len());
        for (number, round) in rounds.iter().enumerate() {
            if self.watch.step(&step(number, rounds.len())).is_break() {
                return (done, ControlFlow::Break(()));
            }
            done.push(self.visits(round).await);
        }
        (done, ControlFlow::Continue(()))
    }

    /// One such round. Of two that are alike two others that were visited nothing else could come.
    async fn visits(&mut self, round: &[Pair]) -> Round {
        let key = |pair: &Pair| {
            let kinds = [pair.0, pair.1].map(|rank| self.comm.kind_of(rank + self.asked.first));
            Some((round.len() == 1, [kinds[0]?, kinds[1]?]))
        };
        let there = round.iter().filter(|(one, other)| self.together(*one, *other));
        let keyed: Vec<_> = there.map(|pair| (*pair, key(pair))).collect();
        let known = |key: &Option<_>| key.and_then(|key| self.visited.get(&key).cloned());
        let (mut passes, mut orders, mut keys) = (Vec::new(), Vec::new(), Vec::new());
        for ((one, other), key) in keyed {
            if let Some(answers) = known(&key) {
                self.mesh.copied += 2;
                passes.extend(
                    [(one, other), (other, one)].iter().zip(&answers).map(|(pair, it)| pass(*pair, it)),
                );
                continue;
            }
            let order = |with, first| Order::Pair { with, first };
            orders.extend([(one, order(other, true)), (other, order(one, false))]);
            keys.push(((one, other), key));
        }
        let answers = self.round(&orders).await;
        for (((one, other), key), both) in keys.into_iter().zip(answers.as_chunks::<2>().0) {
            let ways = [(one, other), (other, one)];
            passes.extend(
                ways.iter().zip(both).filter_map(|(pair, answer)| Some(pass(*pair, answer.as_ref()?))),
            );
            if let (Some(key), [Some(first), Some(second)]) = (key, both)
                && first.trouble.is_none()
                && second.trouble.is_none()
            {
                self.visited.insert(key, [first.clone(), second.clone()]);
            }
        }
        Round { passes }
    }

    /// Rounds in which every rank sends to the one given for it, or to nobody if that is itself, and receives at the
    /// same time.
    async fn passes(&mut self, rounds: Vec<Vec<usize>>, step: &impl Fn(usize, usize) -> Step) -> Came {
        let mut done = Vec::with_capacity(rounds.len());
        for (number, next) in rounds.iter().enumerate() {
            if self.watch.step(&step(number, rounds.len())).is_break() {
                return (done, ControlFlow::Break(()));
            }
            done.push(self.pass(next).await);
        }
        (done, ControlFlow::Continue(()))
    }

    /// One such round, again with more messages while it takes less than half of its time.
    async fn pass(&mut self, next: &[usize]) -> Round {
        for _ in 1..TRIES {
            let round = self.pass_once(next).await;
            let loading = self.asked.plan.loading();
            let mut times: Vec<Span> = round.passes.iter().filter_map(|pass| pass.times[loading]).collect();
            times.sort_unstable();
            let Some(usual) = times.get(times.len() / 2) else { return round };
            let fits = (self.asked.plan.visit.as_ps() / usual.as_ps().max(1)).clamp(1, MOST);
            let enough = self.share * 2 >= fits;
            self.share = fits.min(self.share * 16);
            if enough {
                break;
            }
        }
        // The passes before this one have used up what a shaper lets through at once, as far as they could.
        self.pass_once(next).await
    }

    async fn pass_once(&mut self, next: &[usize]) -> Round {
        let orders = self.passing(next, 1);
        let answers = self.round(&orders).await;
        let loading = self.asked.plan.loading();
        let passes = orders.iter().zip(answers).filter_map(|((rank, order), answer)| {
            let Order::Pass { from: Some(from), bytes, times, .. } = order else { return None };
            let size = self.mesh.probes[loading].size;
            let taken = answer.and_then(|answer| answer.times()[0]);
            let mut of_probes = vec![None; self.mesh.probes.len()];
            of_probes[loading] = taken.map(|taken| taken.scaled(size, bytes * times));
            Some(Pass { from: *from as u32, to: *rank as u32, times: of_probes, visits: Vec::new() })
        });
        Round { passes: passes.collect() }
    }

    /// The orders of a round in which each rank sends to the one given for it, `often` times as long as one pass is.
    fn passing(&self, next: &[usize], often: u64) -> Vec<(usize, Order)> {
        let size = self.mesh.probes[self.asked.plan.loading()].size;
        // In messages as long as memory allows, so that nobody waits for the others between them.
        let joined = (LONGEST_PASS / size).clamp(1, self.share);
        let (bytes, times) = (size * joined, self.share.div_ceil(joined).saturating_mul(often));
        let meets = |one: usize, other: usize| one != other && self.together(one, other);
        let mut sender = vec![None; next.len()];
        for (rank, to) in next.iter().enumerate().filter(|(rank, to)| meets(*rank, **to)) {
            sender[*to] = Some(rank);
        }
        let order = |(rank, to): (usize, &usize)| {
            let to = meets(rank, *to).then_some(*to);
            let from = sender[rank];
            (to.is_some() || from.is_some()).then_some((rank, Order::Pass { to, from, bytes, times }))
        };
        next.iter().enumerate().filter_map(order).collect()
    }

    /// A fifth of the ranks ask each other, first alone and then while the others send in a ring.
    async fn victims(&mut self, repetition: u32, step: &impl Fn(usize, usize) -> Step) -> Came {
        let size = self.size();
        let mut order = rounds::shuffled(size, self.asked.seed, repetition);
        order.retain(|rank| self.alive[*rank]);
        if order.len() < FEWEST_WITH_VICTIMS {
            return (Vec::new(), ControlFlow::Continue(()));
        }
        let (victims, others) = order.split_at((order.len() / 10 * 2).max(2));
        let pairs: Vec<Pair> = victims.as_chunks::<2>().0.iter().map(|[one, other]| (*one, *other)).collect();
        let mut next: Vec<usize> = (0..size).collect();
        for (place, rank) in others.iter().enumerate() {
            next[*rank] = others[(place + 1) % others.len()];
        }
        if self.watch.step(&step(0, 2)).is_break() {
            return (Vec::new(), ControlFlow::Break(()));
        }
        // What a pass of the others takes is learned before it is needed.
        let round = self.pass(&next).await;
        let alone = self.tails(&pairs, Vec::new()).await;
        if self.watch.step(&step(1, 2)).is_break() {
            return (vec![round], ControlFlow::Break(()));
        }
        // They send for longer than the victims ask, so that the last answers are beside the load as well.
        let load = self.passing(&next, TAIL_VISITS * LOADED_VISITS);
        let loaded = self.tails(&pairs, load).await;
        for ((pair, alone), loaded) in pairs.iter().zip(alone).zip(loaded) {
            if let (Some(alone), Some(loaded)) = (alone, loaded) {
                let (from, to) = (pair.0 as u32, pair.1 as u32);
                self.mesh.victims.push(Victim { from, to, alone, loaded });
            }
        }
        (vec![round], ControlFlow::Continue(()))
    }

    /// What `pairs` measure beside those that carry out `load`.
    async fn tails(&mut self, pairs: &[Pair], load: Vec<(usize, Order)>) -> Vec<Option<Tail>> {
        let mut orders = load;
        let first = orders.len();
        for (one, other) in pairs {
            if self.together(*one, *other) {
                let order = |with, first| Order::Ask { with, first };
                orders.extend([(*one, order(*other, true)), (*other, order(*one, false))]);
            }
        }
        let answers = self.round(&orders).await;
        let of = |pair: &Pair| {
            let place = orders[first..].iter().position(|(rank, _)| *rank == pair.0)?;
            tail(answers[first + place].as_ref()?)
        };
        pairs.iter().map(of).collect()
    }
}

fn pass((from, to): Pair, answer: &Answer) -> Pass {
    let (times, visits) = VisitStats::decoded(&answer.values);
    Pass { from: from as u32, to: to as u32, times, visits }
}

fn tail(answer: &Answer) -> Option<Tail> {
    let [messages, mean, median, p99] = answer.values[..] else { return None };
    let span = |value: Option<u64>| value.map(Span::from_ps);
    Some(Tail { messages: messages?, mean: span(mean)?, median: span(median)?, p99: span(p99)? })
}

/// To whom each of `size` ranks sends if the two of each pair send to each other. Who is in no pair sends to itself.
fn both_ways(size: usize, pairs: &[Pair]) -> Vec<usize> {
    let mut next: Vec<usize> = (0..size).collect();
    for (one, other) in pairs {
        (next[*one], next[*other]) = (*other, *one);
    }
    next
}
