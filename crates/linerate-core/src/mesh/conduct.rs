//! Rank 0: it goes through the schedules, gives the orders, and collects what was measured.

mod collectives;
mod fans;
mod schedules;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::hand::Hand;
use super::order::{Answer, Order, encoded};
use super::suspects::{self, Recheck};
use super::{Asked, Lost, Mesh, Phase, Rank, rounds};
use crate::comm::call::Call;
use crate::comm::group::Group;
use crate::comm::{Comm, CommError};
use crate::plan::MeshSchedule;
use crate::units::Span;

pub(super) use schedules::{LOADED_VISITS, MOST};

/// How many times its own patience a rank whose host answers may use for one round with others: a lossy path is slow. A
/// host that does not answer is lost after a single one.
const PATIENCE: u64 = 12;
/// How many times its planned time a visit may take on a path that becomes slower.
const STRETCH: u64 = 8;

/// The most slow pairs that are measured alone.
const MOST_RECHECKED: usize = 64;

/// What rank 0 is told while a mesh is measured.
pub trait MeshWatch {
    /// Before each round: what comes. It may end the mesh.
    fn step(&mut self, step: &Step) -> ControlFlow<()>;

    /// After each repetition of a schedule: everything so far.
    fn phase_done(&mut self, mesh: &Mesh);
}

/// What a round is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A schedule of pairs.
    Schedule(MeshSchedule),
    /// A collective, with its size in bytes.
    Collective(Call, u64),
}

/// A round that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Of what.
    pub stage: Stage,
    /// In which repetition, from 0.
    pub repetition: u32,
    /// Which round, from 0.
    pub round: usize,
    /// Of how many.
    pub rounds: usize,
}

/// Measures the mesh of the ranks of `comm` from [`Asked::first`] on; this is rank 0 and the others
/// [follow](super::follow()). `ranks` are the names of those that are measured. Whether it was measured to its planned end, or ended by `watch`.
pub async fn conduct<C: Comm, W: MeshWatch>(
    comm: &mut C,
    asked: Asked<'_>,
    ranks: Vec<Rank>,
    watch: &mut W,
) -> (Mesh, ControlFlow<()>) {
    let absent: Vec<Option<String>> =
        (asked.first..comm.size()).map(|rank| comm.absence(rank).map(str::to_owned)).collect();
    let alive = absent.iter().map(Option::is_none).collect();
    let lost = |(rank, reason): (usize, Option<String>)| Some(Lost::absent(rank, reason?));
    let lost = absent.into_iter().enumerate().filter_map(lost).collect();
    let mesh = Mesh { ranks, probes: asked.plan.probes(), lost, ..Mesh::default() };
    let mut conductor = Conductor {
        comm,
        hand: Hand::new(asked),
        asked,
        watch,
        mesh,
        alive,
        apart: BTreeSet::new(),
        visited: BTreeMap::new(),
        share: 1,
        fan_share: 1,
    };
    let ended = conductor.all().await;
    conductor.end().await;
    (conductor.mesh, ended)
}

/// Who conducts, with everything known so far.
struct Conductor<'a, C, W> {
    comm: &'a mut C,
    hand: Hand<'a>,
    asked: Asked<'a>,
    watch: &'a mut W,
    mesh: Mesh,
    /// Which ranks are still there.
    alive: Vec<bool>,
    /// Pairs whose way to each other is gone, the lower rank first.
    apart: BTreeSet<(usize, usize)>,
    /// What both ends answered of a visit of two ranks that are [alike](Comm::kind_of) others, by the kinds of the two, that
    /// of the one that began first, and whether they were alone.
    visited: BTreeMap<(bool, [u32; 2]), [Answer; 2]>,
    /// How many messages of a probe one pass has: what the last passes took says how many fill a visit.
    share: u64,
    /// The same for all to one and one to all.
    fan_share: u64,
}

impl<C: Comm, W: MeshWatch> Conductor<'_, C, W> {
    /// All repetitions of all schedules.
    async fn all(&mut self) -> ControlFlow<()> {
        for repetition in 0..self.asked.plan.repeat {
            for schedule in self.asked.plan.schedules.clone() {
                let (rounds, flow) = self.schedule(schedule, repetition).await;
                if !rounds.is_empty() {
                    self.mesh.phases.push(Phase { schedule, rounds });
                }
                self.watch.phase_done(&self.mesh);
                flow?;
            }
        }
        self.recheck().await?;
        self.collectives().await
    }

    /// The pairs that were slow, and as many that were not, one at a time.
    async fn recheck(&mut self) -> ControlFlow<()> {
        let plan = self.asked.plan;
        if plan.recheck == 0 {
            return ControlFlow::Continue(());
        }
        let Recheck { slow, controls } =
            suspects::to_recheck(&self.mesh, plan.tolerance, MOST_RECHECKED, self.asked.seed);
        let pairs = [slow, controls].concat();
        for repetition in 0..plan.recheck {
            let order = rounds::shuffled(pairs.len(), self.asked.seed, repetition);
            let rounds = order.into_iter().map(|place| vec![pairs[place]]).collect();
            let schedule = MeshSchedule::Recheck;
            let stage = Stage::Schedule(schedule);
            let step = |round, rounds| Step { stage, repetition, round, rounds };
            let (rounds, flow) = self.pairs(rounds, &step).await;
            if !rounds.is_empty() {
                self.mesh.phases.push(Phase { schedule, rounds });
            }
            self.watch.phase_done(&self.mesh);
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Whether the two can be measured.
    fn together(&self, one: usize, other: usize) -> bool {
        self.alive[one] && self.alive[other] && !self.apart.contains(&(one.min(other), one.max(other)))
    }

    /// How many ranks are measured.
    const fn size(&self) -> usize {
        self.alive.len()
    }

    /// Has every rank that has an order carry it out, all at the same time. The answers, by the place of the order; none
    /// of a rank that is lost.
    async fn round(&mut self, orders: &[(usize, Order)]) -> Vec<Option<Answer>> {
        self.round_with(orders, &[]).await
    }

    /// The same with the ranks that an order with many is about.
    async fn round_with(&mut self, orders: &[(usize, Order)], peers: &[usize]) -> Vec<Option<Answer>> {
        let here = |rank: usize| rank + self.asked.first == 0;
        let own = orders.iter().position(|(rank, _)| here(*rank));
        let mut given = vec![false; orders.len()];
        for (place, (rank, order)) in orders.iter().enumerate().filter(|(place, _)| Some(*place) != own) {
            given[place] = self.alive[*rank] && self.give(*rank, *order, peers).await;
        }
        let mut answers: Vec<Option<Answer>> = vec![None; orders.len()];
        if let Some(place) = own {
            let mut group = Group::new(&mut *self.comm, 0);
            answers[place] = Some(self.hand.perform(&mut group, orders[place].1, peers).await);
        }
        // Whoever waits in vain for another says so before it is itself thought lost.
        let planned = self.asked.plan.visit * (STRETCH * 2 * self.mesh.probes.len() as u64);
        self.comm.patience(self.asked.patience * PATIENCE + planned);
        for (place, (rank, order)) in orders.iter().enumerate().filter(|(place, _)| given[*place]) {
            match self.answer_of(*rank, *order).await {
                Ok(answer) => answers[place] = Some(answer),
                Err(error) => self.lose(*rank, &error),
            }
        }
        for ((rank, order), answer) in orders.iter().zip(&answers) {
            if let Some(reason) = answer.as_ref().and_then(|answer| answer.trouble.clone()) {
                self.pair_failed(*rank, *order, reason);
            }
        }
        answers
    }

    /// Whether the rank took the order.
    async fn give(&mut self, rank: usize, order: Order, peers: &[usize]) -> bool {
        self.comm.patience(self.asked.patience);
        let to = rank + self.asked.first;
        let mut given = self.comm.tell(to, &order.encoded()).await;
        if given.is_ok() && order.peers() > 0 {
            given = self.comm.tell(to, &encoded(peers)).await;
        }
        given.map_err(|error| self.lose(rank, &error)).is_ok()
    }

    async fn answer_of(&mut self, rank: usize, order: Order) -> Result<Answer, CommError> {
        let mut numbers = vec![0; Answer::length(order.values(self.mesh.probes.len()))];
        self.comm.hear(rank + self.asked.first, &mut numbers).await?;
        let (values, length) = Answer::decoded(&numbers);
        if length == 0 {
            return Ok(Answer { values, trouble: None });
        }
        let mut reason = vec![0; length];
        self.comm.hear(rank + self.asked.first, &mut reason).await?;
        Ok(Answer { values, trouble: Some(String::from_utf8_lossy(&reason).into_owned()) })
    }

    /// The rank is gone.
    fn lose(&mut self, rank: usize, error: &CommError) {
        self.alive[rank] = false;
        self.mesh.lose(rank, error);
    }

    /// A rank could not do its part with another: neither is asked to again, unless one of them is gone anyway.
    fn pair_failed(&mut self, rank: usize, order: Order, reason: String) {
        let with = match order {
            Order::Pair { with, .. } | Order::Ask { with, .. } => with,
            Order::Pass { to: Some(other), .. } | Order::Pass { from: Some(other), .. } => other,
            Order::Feed { to: other, .. } | Order::Drain { from: other, .. } => other,
            Order::Pass { .. }
            | Order::FanIn { .. }
            | Order::FanOut { .. }
            | Order::Call { .. }
            | Order::End => return,
        };
        let pair = (rank.min(with), rank.max(with));
        if self.together(pair.0, pair.1) && self.apart.insert(pair) {
            self.mesh.lost.push(Lost { with: Some(with as u32), ..Lost::new(rank, reason) });
        }
    }

    /// Lets every rank go.
    async fn end(&mut self) {
        self.comm.patience(Span::from_ms(1_000));
        for rank in 0..self.size() {
            if self.alive[rank] && rank + self.asked.first > 0 {
                let _ = self.give(rank, Order::End, &[]).await;
            }
        }
    }
}
