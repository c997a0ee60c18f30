//! All to one, and one to all.

use std::ops::ControlFlow;

use super::super::order::Order;
use super::super::{Pass, Round, rounds};
use super::schedules::{Came, MOST, TRIES};
use super::{Conductor, MeshWatch, Step};
use crate::comm::Comm;
use crate::units::Span;

/// Messages of a fan are joined up to this. Unit: bytes.
const LONGEST_TURN: u64 = 64 << 10;

/// Which way a fan carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fan {
    /// All others send to one.
    In,
    /// One sends to all others.
    Out,
}

impl<C: Comm, W: MeshWatch> Conductor<'_, C, W> {
    /// A round for each rank, in random order.
    pub(super) async fn fans(
        &mut self,
        fan: Fan,
        repetition: u32,
        step: &impl Fn(usize, usize) -> Step,
    ) -> Came {
        let order = rounds::shuffled(self.size(), self.asked.seed, repetition);
        let mut done = Vec::with_capacity(order.len());
        for (number, root) in order.iter().enumerate() {
            if self.watch.step(&step(number, order.len())).is_break() {
                return (done, ControlFlow::Break(()));
            }
            done.push(self.fan(fan, *root).await);
        }
        (done, ControlFlow::Continue(()))
    }

    /// One round, again with more messages while it takes less than half of its time.
    async fn fan(&mut self, fan: Fan, root: usize) -> Round {
        for _ in 1..TRIES {
            let (round, taken) = self.fan_once(fan, root).await;
            let Some(taken) = taken.filter(|taken| *taken > Span::ZERO) else { return round };
            // The time of a visit is for each pair, and the pairs share the way.
            let visit = self.asked.plan.visit * round.passes.len().max(1) as u64;
            let each = (taken / self.fan_share).max(Span::from_ps(1));
            let fits = (visit.as_ps() / each.as_ps()).clamp(1, MOST);
            let enough = self.fan_share * 2 >= fits;
            self.fan_share = fits.min(self.fan_share * 16);
            if enough {
                return round;
            }
        }
        self.fan_once(fan, root).await.0
    }

    /// What each pair measured, and how long all of it took.
    async fn fan_once(&mut self, fan: Fan, root: usize) -> (Round, Option<Span>) {
        let loading = self.asked.plan.loading();
        let size = self.mesh.probes[loading].size;
        // Short, so that all take turns.
        let joined = (LONGEST_TURN / size).clamp(1, self.fan_share);
        let (bytes, times) = (size * joined, self.fan_share.div_ceil(joined));
        self.fan_share = joined * times;
        let others = (0..self.size()).filter(|other| *other != root);
        let peers: Vec<usize> = others.filter(|other| self.together(root, *other)).collect();
        if peers.is_empty() {
            return (Round::default(), None);
        }
        let count = peers.len();
        let (one, each): (Order, fn(usize, u64, u64) -> Order) = match fan {
            Fan::In => {
                (Order::FanIn { count, bytes, times }, |to, bytes, times| Order::Feed { to, bytes, times })
            }
            Fan::Out => (Order::FanOut { count, bytes, times }, |from, bytes, times| Order::Drain {
                from,
                bytes,
                times,
            }),
        };
        let of_others = peers.iter().map(|peer| (*peer, each(root, bytes, times)));
        let orders: Vec<(usize, Order)> = std::iter::once((root, one)).chain(of_others).collect();
        let mut answers = self.round_with(&orders, &peers).await.into_iter();
        let taken = answers.next().flatten().and_then(|answer| answer.times()[0]);
        let passes = peers.iter().zip(answers).map(|(peer, answer)| {
            let taken = answer.and_then(|answer| answer.times()[0]);
            let mut times_of = vec![None; self.mesh.probes.len()];
            times_of[loading] = taken.map(|taken| taken.scaled(size, bytes * times));
            let (from, to) = if fan == Fan::In { (*peer, root) } else { (root, *peer) };
            Pass { from: from as u32, to: to as u32, times: times_of, visits: Vec::new() }
        });
        (Round { passes: passes.collect() }, taken)
    }
}
