//! What ranks say to each other: introductions, the table of all, and the orders of rank 0.

use linerate_core::comm::{Comm, CommError};
use linerate_core::endpoint::run_ready;
use linerate_core::mesh::{self, Asked, MOST_RANKS};
use linerate_core::plan::MeshPlan;
use linerate_core::units::{Size, Span, Time};
use linerate_net::control::{Ask, decode};
use linerate_net::ranks::{Introduction, Reception, Told};

use crate::control::message;

/// The most messages that ranks of a fuzzed mesh exchange before the connections end.
const MOST: u32 = 10_000;

/// Takes `data` for everything that another rank or rank 0 could say.
pub fn ranks(data: &[u8]) {
    message::<Introduction>(data);
    message::<Reception>(data);
    message::<Told>(data);
    if let Ok(ask @ Ask::Rank { .. }) = decode(data)
        && ask.check().is_ok()
        && let Ask::Rank { port, order } = ask
    {
        assert!(port > 0 && (1..order.size).contains(&order.rank) && order.size <= MOST_RANKS);
        assert!(order.first <= order.rank && order.plan.check().is_ok());
    }
    orders(data);
}

/// Does what the orders say until they end: at the latest when nobody answers any more.
fn orders(data: &[u8]) {
    let Some((size, data)) = data.split_first() else { return };
    let plan = MeshPlan {
        latency: vec![Size(1)],
        throughput: vec![Size(64)],
        visit: Span::from_us(10),
        ..MeshPlan::default()
    };
    let asked = Asked { plan: &plan, seed: 1, patience: Span::from_ms(1), first: 1 };
    let mut others = Others { data, size: usize::from(size % 8) + 2, now: 0, left: MOST };
    // The end, or rank 0 is lost.
    let _ = run_ready(mesh::follow(&mut others, asked));
}

/// Rank 1 of a mesh whose others say what is in `data`.
struct Others<'d> {
    data: &'d [u8],
    size: usize,
    now: u64,
    left: u32,
}

impl Others<'_> {
    fn step(&mut self, peer: usize) -> Result<(), CommError> {
        let over = || CommError::Lost { peer, reason: "it is over".to_owned() };
        self.left = self.left.checked_sub(1).ok_or_else(over)?;
        self.now += 1_000_000;
        if peer < self.size && peer != 1 {
            Ok(())
        } else {
            Err(CommError::NoSuchRank { peer, size: self.size })
        }
    }
}

impl Comm for Others<'_> {
    fn rank(&self) -> usize {
        1
    }

    fn size(&self) -> usize {
        self.size
    }

    fn now(&self) -> Time {
        Time::from_ps(self.now)
    }

    async fn send_to(&mut self, to: usize, _data: &[u8]) -> Result<(), CommError> {
        self.step(to)
    }

    async fn recv_from(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        self.step(from)?;
        let Some((came, rest)) = self.data.split_at_checked(data.len()) else {
            return Err(CommError::Lost { peer: from, reason: "it has gone".to_owned() });
        };
        data.copy_from_slice(came);
        self.data = rest;
        Ok(())
    }

    async fn sendrecv(
        &mut self,
        to: usize,
        out: &[u8],
        from: usize,
        into: &mut [u8],
    ) -> Result<(), CommError> {
        self.send_to(to, out).await?;
        self.recv_from(from, into).await
    }

    async fn compute(&mut self, span: Span) {
        self.now = self.now.saturating_add(span.as_ps());
    }
}
