//! What a rank does when it is told to.

mod together;

use super::Asked;
use super::order::{Answer, Order};
use super::visit::{Visit, VisitError};
use super::visit_stats::VisitStats;
use crate::comm::{Comm, CommError};
use crate::pattern::Pattern;
use crate::payload::{Buffers, Check};
use crate::plan::{LONGEST_PASS, Probe};
use crate::units::Span;

/// How many visits long the times are taken whose tail is looked at.
pub(super) const TAIL_VISITS: u64 = 5;

/// The memory of a rank, and what it knows of the plan.
pub(super) struct Hand<'a> {
    asked: Asked<'a>,
    probes: Vec<Probe>,
    buffers: Buffers,
    room: u64,
}

impl<'a> Hand<'a> {
    pub(super) fn new(asked: Asked<'a>) -> Self {
        Self { asked, probes: asked.plan.probes(), buffers: Buffers::new(0), room: 0 }
    }

    /// Carries `order` out, with `peers` if it is one with many. `comm` has the ranks of the mesh.
    pub(super) async fn perform<C: Comm>(&mut self, comm: &mut C, order: Order, peers: &[usize]) -> Answer {
        let values = order.values(self.probes.len());
        let largest = self.probes.iter().map(|probe| probe.size).max().unwrap_or(1);
        let (needed, most) = match order {
            Order::Pass { bytes, .. }
            | Order::FanIn { bytes, .. }
            | Order::FanOut { bytes, .. }
            | Order::Feed { bytes, .. }
            | Order::Drain { bytes, .. } => (bytes, largest.max(LONGEST_PASS)),
            Order::Call { call, bytes, .. } => {
                // It has memory of its own, which the plan's collectives were counted with.
                if !self.asked.plan.calls(comm.size()).contains(&(call, bytes)) {
                    return Answer::failed(values, format!("call {call} of {bytes} B: the plan has none"));
                }
                (largest, largest)
            }
            _ => (largest, largest),
        };
        if let Err(reason) = self.make_room(needed, most) {
            return Answer::failed(values, reason);
        }
        comm.patience(self.asked.patience);
        let mut found = Vec::with_capacity(values);
        let done = self.carry_out(comm, order, peers, &mut found).await;
        match order {
            // Its connections serve the next one.
            Order::End | Order::Call { .. } => {}
            Order::Pair { with, .. } | Order::Ask { with, .. } => comm.part(with),
            Order::Pass { to, from, .. } => {
                to.into_iter().chain(from.filter(|from| Some(*from) != to)).for_each(|peer| comm.part(peer));
            }
            Order::FanIn { .. } | Order::FanOut { .. } => peers.iter().for_each(|peer| comm.part(*peer)),
            Order::Feed { to: peer, .. } | Order::Drain { from: peer, .. } => comm.part(peer),
        }
        found.resize(values, None);
        Answer { values: found, trouble: done.err().map(|error| error.to_string()) }
    }

    async fn carry_out<C: Comm>(
        &mut self,
        comm: &mut C,
        order: Order,
        peers: &[usize],
        found: &mut Vec<Option<u64>>,
    ) -> Result<(), VisitError> {
        let taken = match order {
            Order::End => return Ok(()),
            Order::Pair { with, first } => return self.pair(comm, with, first, found).await,
            Order::Ask { with, first } => return self.ask(comm, with, first, found).await,
            Order::Call { call, bytes, times } => {
                let length = usize::try_from(bytes).expect("there is room for it");
                let called = together::call(comm, call, length, times).await?;
                found.extend(called.times.iter().map(|time| Some(time.as_ps())));
                found.extend([called.sent.messages, called.sent.bytes].map(Some));
                return if called.right { Ok(()) } else { Err(VisitError::Wrong(call)) };
            }
            Order::Pass { to, from, bytes, times } => self.pass(comm, [to, from], bytes, times).await?,
            Order::FanIn { bytes, times, .. } => {
                let (_, into) = self.message(bytes);
                together::fan_in(comm, peers, into, times).await?
            }
            Order::FanOut { bytes, times, .. } => {
                let (out, _) = self.message(bytes);
                together::fan_out(comm, peers, out, times).await?
            }
            Order::Feed { to, bytes, times } => {
                let (out, _) = self.message(bytes);
                together::feed(comm, to, out, times).await?
            }
            Order::Drain { from, bytes, times } => {
                let (_, into) = self.message(bytes);
                together::drain(comm, from, into, times).await?
            }
        };
        found.push(Some(taken.as_ps()));
        Ok(())
    }

    /// A message of so many bytes to send, and room for one. There is memory for it.
    fn message(&mut self, bytes: u64) -> (&[u8], &mut [u8]) {
        let length = usize::try_from(bytes).expect("there is room for it");
        self.buffers.prepare(length, self.asked.seed, Check::Marks);
        self.buffers.message(length)
    }

    fn make_room(&mut self, needed: u64, most: u64) -> Result<(), String> {
        if needed <= self.room {
            return Ok(());
        }
        let refused = |reason: &dyn std::fmt::Display| format!("hold messages of {needed} B: {reason}");
        if needed > most {
            return Err(refused(&format_args!("the plan has none above {most} B")));
        }
        let length = usize::try_from(needed).map_err(|error| refused(&error))?;
        // The old ones go first.
        self.buffers = Buffers::new(0);
        self.buffers = Buffers::try_new(length).map_err(|error| refused(&error))?;
        self.room = needed;
        Ok(())
    }

    /// Both lead in turn at every size, also after a wrong byte.
    async fn pair<C: Comm>(
        &mut self,
        comm: &mut C,
        with: usize,
        first: bool,
        found: &mut Vec<Option<u64>>,
    ) -> Result<(), VisitError> {
        let mut done = Ok(());
        for probe in self.probes.clone() {
            let visit = Visit { probe, span: self.asked.plan.visit, seed: self.asked.seed };
            let before = comm.segments(with).unwrap_or_default();
            let mut times = Vec::new();
            for leads in [first, !first] {
                let visited = if leads {
                    visit.lead(comm, with, &mut self.buffers).await.map(|led| times = led)
                } else {
                    visit.answer(comm, with, &mut self.buffers).await
                };
                match visited {
                    Err(lost @ VisitError::Comm(_)) => return Err(lost),
                    wrong => done = done.and(wrong),
                }
            }
            let segments = comm.segments(with).map(|now| now.since(before));
            found.extend(VisitStats::encoded(times, segments));
        }
        done
    }

    /// A message each way `times` times, after an empty one, so that neighbours begin together. The time of all.
    async fn pass<C: Comm>(
        &mut self,
        comm: &mut C,
        [to, from]: [Option<usize>; 2],
        bytes: u64,
        times: u64,
    ) -> Result<Span, CommError> {
        exchange(comm, [to, from], &[], &mut []).await?;
        let (out, into) = self.message(bytes);
        let start = comm.now();
        for _ in 0..times {
            exchange(comm, [to, from], out, into).await?;
        }
        Ok(comm.now().since(start))
    }

    /// Round trips of the smallest message, for the tail of their times.
    async fn ask<C: Comm>(
        &mut self,
        comm: &mut C,
        with: usize,
        first: bool,
        found: &mut Vec<Option<u64>>,
    ) -> Result<(), VisitError> {
        let size = self.probes.iter().map(|probe| probe.size).min().unwrap_or(1);
        let probe = Probe { pattern: Pattern::PingPong, size };
        let visit = Visit { probe, span: self.asked.plan.visit * TAIL_VISITS, seed: self.asked.seed };
        if !first {
            return visit.answer(comm, with, &mut self.buffers).await;
        }
        let times = visit.lead(comm, with, &mut self.buffers).await?;
        let [median, count, mean, p99, ..] = VisitStats::encoded(times, None);
        found.extend([count, mean, median, p99]);
        Ok(())
    }
}

/// Sends, receives, or both at once.
async fn exchange<C: Comm>(
    comm: &mut C,
    [to, from]: [Option<usize>; 2],
    out: &[u8],
    into: &mut [u8],
) -> Result<(), CommError> {
    match (to, from) {
        (Some(to), Some(from)) => comm.sendrecv(to, out, from, into).await,
        (Some(to), None) => comm.send_to(to, out).await,
        (None, Some(from)) => comm.recv_from(from, into).await,
        (None, None) => Ok(()),
    }
}
