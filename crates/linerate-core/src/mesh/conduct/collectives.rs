//! Collectives of all ranks.

use std::ops::ControlFlow;

use super::super::order::{Answer, MOST_CALLS, Order};
use super::super::{CollectiveTimes, Lost, SentInAll, Tail};
use super::{Conductor, MeshWatch, Stage, Step};
use crate::comm::Comm;
use crate::comm::call::Call;
use crate::stats;
use crate::units::Span;

/// Calls from which it is learned how many fit the time.
const FIRST: u64 = 2;
/// The fewest calls of a size.
const FEWEST: u64 = 5;
/// How many visits long a collective is called at one size.
const VISITS: u64 = 10;

impl<C: Comm, W: MeshWatch> Conductor<'_, C, W> {
    /// Every collective of the plan at every size. They need all ranks: none is called once one is lost.
    pub(super) async fn collectives(&mut self) -> ControlFlow<()> {
        let calls = self.asked.plan.calls(self.size());
        for (number, (call, bytes)) in calls.iter().enumerate() {
            let stage = Stage::Collective(*call, *bytes);
            let step = Step { stage, repetition: 0, round: number, rounds: calls.len() };
            self.watch.step(&step)?;
            if !self.mesh.is_whole() || !self.collective(*call, *bytes).await {
                return ControlFlow::Continue(());
            }
            self.watch.phase_done(&self.mesh);
        }
        ControlFlow::Continue(())
    }

    /// Whether it was measured.
    async fn collective(&mut self, call: Call, bytes: u64) -> bool {
        let Some(first) = self.called(call, bytes, FIRST).await else { return false };
        let each = first.slowest.mean.max(Span::from_ps(1));
        let affordable = (self.asked.plan.visit * VISITS).as_ps() / each.as_ps();
        let Some(times) = self.called(call, bytes, affordable.clamp(FEWEST, MOST_CALLS)).await else {
            return false;
        };
        self.mesh.collectives.push(times);
        true
    }

    async fn called(&mut self, call: Call, bytes: u64, times: u64) -> Option<CollectiveTimes> {
        let orders: Vec<(usize, Order)> =
            (0..self.size()).map(|rank| (rank, Order::Call { call, bytes, times })).collect();
        let answers = self.round(&orders).await;
        let mut whole = true;
        for (rank, answer) in answers.iter().enumerate() {
            if let Some(reason) = answer.as_ref().and_then(|answer| answer.trouble.clone()) {
                let reason = format!("finish {call} of {bytes} B: failed to {reason}");
                self.mesh.lost.push(Lost::new(rank, reason));
                whole = false;
            }
            whole &= answer.is_some();
        }
        whole.then(|| gathered(call, bytes, times, &answers.into_iter().flatten().collect::<Vec<_>>()))
    }
}

/// The answers of all ranks, in the order of the ranks.
fn gathered(call: Call, bytes: u64, times: u64, answers: &[Answer]) -> CollectiveTimes {
    let (collective, algorithm) = call.parts();
    let calls = times as usize;
    let time = |answer: &Answer, number: usize| answer.times().get(number).copied().flatten();
    let mean = |answer: &Answer| {
        let sum: Span = answer.times().into_iter().take(calls).flatten().sum();
        Some(sum / times.max(1))
    };
    let slowest = (0..calls).filter_map(|number| answers.iter().filter_map(|one| time(one, number)).max());
    let mut slowest: Vec<Span> = slowest.collect();
    slowest.sort_unstable();
    let sent = |word: usize| {
        let words = answers.iter().filter_map(|answer| answer.values.get(calls + word).copied().flatten());
        words.sum::<u64>() / times.max(1)
    };
    CollectiveTimes {
        collective: collective.to_owned(),
        algorithm: algorithm.to_owned(),
        bytes,
        means: answers.iter().map(mean).collect(),
        slowest: tail(&slowest),
        sent: Some(SentInAll { messages: sent(0), bytes: sent(1) }),
    }
}

/// Of sorted times.
fn tail(times: &[Span]) -> Tail {
    let count = times.len() as u64;
    let median =
        stats::median(times.iter().map(|time| time.as_ps() as f64)).map_or(Span::ZERO, Span::from_ps_rounded);
    // The smallest time that 99 of 100 do not exceed.
    let p99 = times.get((times.len() * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default();
    Tail { messages: count, mean: times.iter().copied().sum::<Span>() / count.max(1), median, p99 }
}
