//! What one flow answers: the responder.

use linerate_core::endpoint::LinkError;
use linerate_core::kernel::Effort;
use linerate_core::traffic::RrPlan;

use super::REQUEST_SEED;
use super::tag::TAG;

/// What one flow answers.
#[derive(Debug)]
pub struct Answering {
    request: Vec<u8>,
    response: Vec<u8>,
    tagged: bool,
    transactions: u64,
}

/// What one flow has answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Answered {
    /// Its number.
    pub(crate) flow: u32,
    /// Requests that were answered.
    pub(crate) transactions: u64,
    /// Their payload and that of the responses together.
    pub(crate) bytes: u64,
    /// What this end spent on them. Absent of a connection for each.
    pub(crate) effort: Option<Effort>,
}

impl Answering {
    /// A flow of requests and responses of `plan`'s sizes.
    #[must_use]
    pub fn new(plan: &RrPlan) -> Self {
        let size = |size: u64| usize::try_from(size).unwrap_or(usize::MAX);
        let mut response = vec![0; size(plan.response.0)];
        linerate_core::payload::fill(&mut response, !REQUEST_SEED);
        Self { request: vec![0; size(plan.request.0)], response, tagged: false, transactions: 0 }
    }

    /// Repeats the requests' numbers. Both sizes must be 16 bytes or more.
    #[must_use]
    pub const fn on_datagrams(mut self, datagrams: bool) -> Self {
        self.tagged = datagrams;
        self
    }

    /// How many requests were answered.
    #[must_use]
    pub const fn transactions(&self) -> u64 {
        self.transactions
    }

    /// The account of flow number `flow`, and what was spent on it.
    pub(crate) fn answered(&self, flow: u32, effort: Option<Effort>) -> Answered {
        let each = (self.request.len() + self.response.len()) as u64;
        Answered {
            flow,
            transactions: self.transactions,
            bytes: self.transactions.saturating_mul(each),
            effort,
        }
    }

    /// Receives a request by `pull`; false when there are no more.
    #[inline]
    pub(crate) fn take(
        &mut self,
        mut pull: impl FnMut(&mut [u8]) -> Result<usize, LinkError>,
    ) -> Result<bool, LinkError> {
        let mut got = 0;
        while got < self.request.len() {
            match pull(&mut self.request[got..]) {
                Ok(moved) => got += moved,
                Err(LinkError::Closed) if got == 0 => return Ok(false),
                // An open loop may send rarely; the watchdog ends it.
                Err(LinkError::Stalled(_)) if got == 0 => {}
                Err(error) => return Err(error),
            }
        }
        if self.tagged {
            self.response[..TAG].copy_from_slice(&self.request[..TAG]);
        }
        Ok(true)
    }

    /// Sends the response by `push`.
    #[inline]
    pub(crate) fn give(
        &mut self,
        mut push: impl FnMut(&[u8]) -> Result<usize, LinkError>,
    ) -> Result<(), LinkError> {
        let mut given = 0;
        while given < self.response.len() {
            given += push(&self.response[given..])?;
        }
        self.transactions += 1;
        Ok(())
    }
}
