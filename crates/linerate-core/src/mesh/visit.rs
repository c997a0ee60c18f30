//! One rank sends to another at one size for some time, and both know when it ends.
//!
//! The one that leads says how many messages follow, and 0 in the end, so neither needs the other's clock.

use crate::comm::call::Call;
use crate::comm::{Comm, CommError};
use crate::pattern::Pattern;
use crate::payload::{Buffers, Check, Corruption};
use crate::plan::Probe;
use crate::trial::reply_seed;
use crate::units::Span;

/// The most messages of a visit: the times of all of them are held.
const MOST: u64 = 1 << 16;
/// How many times as many messages may follow at once as before: the first ones are slower than those that follow.
const GROWTH: u64 = 16;
/// The same of messages one way: the first ones may be faster, where a shaper has saved tokens. What is sent last before
/// it has none left is then hardly more than what it had.
const ONE_WAY_GROWTH: u64 = 2;
/// As many messages one way as take this part of the time, twice in a row, have used the tokens up.
const LEAD_PART: u64 = 3;

/// What a visit needs to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    /// What is sent.
    pub(super) probe: Probe,
    /// For how long.
    pub(super) span: Span,
    /// Seed of the messages' bytes.
    pub(super) seed: u64,
}

/// Why a visit did not give what it should.
#[derive(Debug, thiserror::Error)]
pub(super) enum VisitError {
    /// The carrier's error.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// A collective gave another result than it should.
    #[error("trust {0}: it gave a wrong result")]
    Wrong(Call),
    /// A message arrived with wrong bytes. The visit went to its end, so what follows can be trusted again.
    #[error("trust what rank {peer} sent: {corruption}")]
    Corruption {
        /// Who sent it.
        peer: usize,
        /// What was wrong.
        corruption: Corruption,
    },
}

impl Visit {
    /// The length of a message in memory.
    pub(super) fn length(&self) -> usize {
        usize::try_from(self.probe.size).expect("no plan has a message that memory cannot hold")
    }

    /// Leads a visit at rank `to`: the times of messages one way. One-way messages have one time, the mean.
    pub(super) async fn lead<C: Comm>(
        &self,
        comm: &mut C,
        to: usize,
        buffers: &mut Buffers,
    ) -> Result<Vec<Span>, VisitError> {
        buffers.prepare(self.length(), self.seed, Check::Marks);
        let times = match self.probe.pattern {
            Pattern::OneWay => vec![self.one_way(comm, to, buffers).await?],
            Pattern::PingPong | Pattern::Exchange => self.ping_pong(comm, to, buffers).await?,
        };
        comm.send_to(to, &0_u64.to_le_bytes()).await?;
        let answered = self.probe.pattern != Pattern::OneWay;
        if answered
            && let Err(corruption) = buffers.inspect(self.length(), reply_seed(self.seed), Check::Marks)
        {
            return Err(VisitError::Corruption { peer: to, corruption });
        }
        Ok(times)
    }

    /// Messages there and back until the time is over. The first one makes the connection and is not counted.
    async fn ping_pong<C: Comm>(
        &self,
        comm: &mut C,
        to: usize,
        buffers: &mut Buffers,
    ) -> Result<Vec<Span>, CommError> {
        let (out, into) = buffers.message(self.length());
        let mut times = Vec::new();
        let (mut count, mut spent, mut first) = (1_u64, Span::ZERO, true);
        loop {
            comm.send_to(to, &count.to_le_bytes()).await?;
            let mut last = comm.now();
            for _ in 0..count {
                comm.send_to(to, out).await?;
                comm.recv_from(to, into).await?;
                let now = comm.now();
                if !first {
                    times.push(now.since(last) / 2);
                    spent += now.since(last);
                }
                last = now;
            }
            let done = times.len() as u64;
            if done >= MOST || (!first && spent >= self.span) {
                return Ok(times);
            }
            // A quarter of what is left at once, so that it is hardly exceeded where messages become slower.
            let left = self.span.saturating_sub(spent).as_ps() / 4;
            let affordable = left.saturating_mul(done) / spent.as_ps().max(1);
            count = affordable.clamp(1, count * GROWTH).min(MOST - done);
            first = false;
        }
    }

    /// Messages one way, answered by an empty one when the last has arrived: so the sender's clock counts what was
    /// delivered, and what lies in a buffer on the way is not counted. Their number grows until they take a part of the
    /// time. As many again are timed: those before have made the connection, opened its window, and used up what a shaper
    /// lets through at once.
    async fn one_way<C: Comm>(
        &self,
        comm: &mut C,
        to: usize,
        buffers: &mut Buffers,
    ) -> Result<Span, CommError> {
        let (out, _) = buffers.message(self.length());
        let (mut count, mut led) = (1_u64, false);
        loop {
            comm.send_to(to, &count.to_le_bytes()).await?;
            let start = comm.now();
            for _ in 0..count {
                comm.send_to(to, out).await?;
            }
            comm.recv_from(to, &mut []).await?;
            let taken = comm.now().since(start);
            // A host that is busy may stand still in the first of two, which then have used nothing up.
            let enough = taken >= self.span / LEAD_PART || count == MOST;
            if enough && led {
                return Ok(taken / count);
            }
            led = enough;
            if !enough {
                let affordable = self.span.as_ps().saturating_mul(count) / taken.as_ps().max(1);
                count = affordable.clamp(1, count * ONE_WAY_GROWTH).min(MOST);
            }
        }
    }

    /// Answers a visit that rank `from` leads.
    pub(super) async fn answer<C: Comm>(
        &self,
        comm: &mut C,
        from: usize,
        buffers: &mut Buffers,
    ) -> Result<(), VisitError> {
        let length = self.length();
        buffers.prepare(length, reply_seed(self.seed), Check::Marks);
        let mut wrong = None;
        loop {
            let mut count = [0; 8];
            comm.recv_from(from, &mut count).await?;
            let count = u64::from_le_bytes(count);
            if count == 0 {
                break;
            }
            let (out, into) = buffers.message(length);
            for _ in 0..count {
                comm.recv_from(from, into).await?;
                if self.probe.pattern != Pattern::OneWay {
                    comm.send_to(from, out).await?;
                }
            }
            if self.probe.pattern == Pattern::OneWay {
                comm.send_to(from, &[]).await?;
            }
            wrong = wrong.or(buffers.inspect(length, self.seed, Check::Marks).err());
        }
        wrong.map_or(Ok(()), |corruption| Err(VisitError::Corruption { peer: from, corruption }))
    }
}
