//! Ranks of an MPI that send each other messages: one message of the MPI for each, without a header.

use std::hint::spin_loop;

use linerate_core::comm::{Comm, CommError};
use linerate_core::units::{Span, Time};
use linerate_net::observe::HostClock;

use crate::sys::{Group, MpiError};

/// The tag of every message of ranks: between two of them order says which is which.
const TAG: i32 = 1;

/// One rank among those of a group.
#[derive(Debug)]
pub struct MpiComm {
    group: Group,
    clock: HostClock,
    lengths: Lengths,
}

/// What is done about a message of another length than the receiver asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// `MPI_Probe` says how long each message is before it is received. So every message arrives before its receive,
    /// and a short one is copied once more.
    Probed,
    /// Each is received at once, as an application would. One that is too short is still seen; of one that is too long
    /// only that it is.
    Trusted,
}

impl MpiComm {
    /// The ranks of `group`.
    #[must_use]
    pub const fn new(group: Group, clock: HostClock, lengths: Lengths) -> Self {
        Self { group, clock, lengths }
    }

    /// The group that carries the messages.
    #[must_use]
    pub const fn group(&self) -> &Group {
        &self.group
    }

    /// From now on lengths are looked at so.
    pub const fn look(&mut self, lengths: Lengths) {
        self.lengths = lengths;
    }

    fn there(&self, peer: usize) -> Result<(), CommError> {
        let size = self.group.size();
        if peer < size { Ok(()) } else { Err(CommError::NoSuchRank { peer, size }) }
    }

    fn receive(&self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        if self.lengths == Lengths::Probed {
            let sent = self.group.probe(from, TAG).map_err(|error| lost(from, &error))?;
            if sent != data.len() {
                // Taken away, so that the next receive finds the next message.
                let _ = self.group.recv(from, TAG, &mut vec![0; sent]);
                return Err(CommError::Length { peer: from, asked: data.len(), sent });
            }
        }
        let sent = self.group.recv(from, TAG, data).map_err(|error| lost(from, &error))?;
        same(from, data.len(), sent)
    }
}

fn lost(peer: usize, error: &MpiError) -> CommError {
    CommError::Lost { peer, reason: error.to_string() }
}

const fn same(peer: usize, asked: usize, sent: usize) -> Result<(), CommError> {
    if sent == asked { Ok(()) } else { Err(CommError::Length { peer, asked, sent }) }
}

impl Comm for MpiComm {
    fn rank(&self) -> usize {
        self.group.rank()
    }

    fn size(&self) -> usize {
        self.group.size()
    }

    fn now(&self) -> Time {
        self.clock.now()
    }

    async fn send_to(&mut self, to: usize, data: &[u8]) -> Result<(), CommError> {
        self.there(to)?;
        self.group.send(to, TAG, data).map_err(|error| lost(to, &error))
    }

    async fn recv_from(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        self.there(from)?;
        self.receive(from, data)
    }

    async fn sendrecv(
        &mut self,
        to: usize,
        out: &[u8],
        from: usize,
        into: &mut [u8],
    ) -> Result<(), CommError> {
        self.there(to)?;
        self.there(from)?;
        let sent = self.group.sendrecv([to, from], TAG, out, into).map_err(|error| lost(from, &error))?;
        same(from, into.len(), sent)
    }

    async fn compute(&mut self, span: Span) {
        let start = self.clock.now();
        while self.clock.now().since(start) < span {
            spin_loop();
        }
    }
}
