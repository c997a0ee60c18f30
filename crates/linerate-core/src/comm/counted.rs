//! What a rank sends, counted: the same numbers over every carrier.

use serde::{Deserialize, Serialize};

use super::{Comm, CommError};
use crate::units::{Span, Time};

/// What one rank sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// Messages, empty ones too.
    pub messages: u64,
    /// Payload. Unit: bytes.
    pub bytes: u64,
}

/// A rank that counts what it sends.
#[derive(Debug)]
pub struct Counted<C> {
    inner: C,
    sent: Sent,
}

impl<C> Counted<C> {
    /// From nothing sent.
    pub const fn new(inner: C) -> Self {
        Self { inner, sent: Sent { messages: 0, bytes: 0 } }
    }

    /// What was sent until now.
    #[must_use]
    pub const fn sent(&self) -> Sent {
        self.sent
    }

    const fn count(&mut self, data: &[u8]) {
        self.sent.messages += 1;
        self.sent.bytes += data.len() as u64;
    }
}

impl<C: Comm> Comm for Counted<C> {
    fn rank(&self) -> usize {
        self.inner.rank()
    }

    fn size(&self) -> usize {
        self.inner.size()
    }

    fn now(&self) -> Time {
        self.inner.now()
    }

    async fn send_to(&mut self, to: usize, data: &[u8]) -> Result<(), CommError> {
        self.inner.send_to(to, data).await?;
        self.count(data);
        Ok(())
    }

    async fn recv_from(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        self.inner.recv_from(from, data).await
    }

    async fn sendrecv(
        &mut self,
        to: usize,
        out: &[u8],
        from: usize,
        into: &mut [u8],
    ) -> Result<(), CommError> {
        self.inner.sendrecv(to, out, from, into).await?;
        self.count(out);
        Ok(())
    }

    async fn compute(&mut self, span: Span) {
        self.inner.compute(span).await;
    }

    fn part(&mut self, peer: usize) {
        self.inner.part(peer);
    }

    fn patience(&mut self, span: Span) {
        self.inner.patience(span);
    }
}
