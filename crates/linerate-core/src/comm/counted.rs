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

/// A rank that counts what it sends to each.
#[derive(Debug)]
pub struct Counted<C> {
    inner: C,
    sent: Vec<Sent>,
}

impl<C: Comm> Counted<C> {
    /// From nothing sent.
    pub fn new(inner: C) -> Self {
        let sent = vec![Sent::default(); inner.size()];
        Self { inner, sent }
    }

    /// What was sent until now.
    #[must_use]
    pub fn sent(&self) -> Sent {
        self.sent.iter().fold(Sent::default(), |sum, sent| Sent {
            messages: sum.messages + sent.messages,
            bytes: sum.bytes + sent.bytes,
        })
    }

    /// What was sent to each rank until now, by number.
    #[must_use]
    pub fn sent_to(&self) -> &[Sent] {
        &self.sent
    }

    /// The ranks themselves: what passes there is not counted.
    pub const fn uncounted(&mut self) -> &mut C {
        &mut self.inner
    }

    fn count(&mut self, to: usize, data: &[u8]) {
        // The carrier refused a rank that does not exist.
        self.sent[to].messages += 1;
        self.sent[to].bytes += data.len() as u64;
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
        self.count(to, data);
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
        self.count(to, out);
        Ok(())
    }

    async fn sendrecv_owned(
        &mut self,
        to: usize,
        out: &mut Vec<u8>,
        from: usize,
        into: &mut Vec<u8>,
    ) -> Result<(), CommError> {
        self.inner.sendrecv_owned(to, out, from, into).await?;
        // Its bytes are of no use any more, but there are as many.
        self.count(to, out);
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
