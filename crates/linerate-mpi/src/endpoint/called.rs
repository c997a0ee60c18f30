//! Messages that are received when they are wanted: `MPI_Send`, `MPI_Recv`, `MPI_Sendrecv`.

use std::hint::spin_loop;

use linerate_core::endpoint::{Endpoint, LinkError};
use linerate_core::units::{Span, Time};
use linerate_net::observe::HostClock;

use super::{TAG, failed, whole};
use crate::sys::Group;

/// One end, whose every call is one of the MPI.
#[derive(Debug)]
pub struct CalledEnd<'a> {
    /// The ranks.
    pub group: &'a Group,
    /// The other end.
    pub peer: usize,
    /// What times.
    pub clock: HostClock,
    /// Wait until a message has arrived before it is received, so that it comes unexpected. An exchange receives while it
    /// sends all the same.
    pub unexpected: bool,
}

impl Endpoint for CalledEnd<'_> {
    #[inline]
    fn now(&self) -> Time {
        self.clock.now()
    }

    async fn send(&mut self, data: &[u8]) -> Result<(), LinkError> {
        self.group.send(self.peer, TAG, data).map_err(failed)
    }

    async fn recv(&mut self, data: &mut [u8]) -> Result<(), LinkError> {
        if self.unexpected {
            self.group.probe(self.peer, TAG).map_err(failed)?;
        }
        whole(data.len(), self.group.recv(self.peer, TAG, data).map_err(failed)?)
    }

    async fn exchange(&mut self, out: &[u8], into: &mut [u8]) -> Result<(), LinkError> {
        let arrived = self.group.sendrecv([self.peer; 2], TAG, out, into).map_err(failed)?;
        whole(into.len(), arrived)
    }

    async fn wait(&mut self, span: Span) {
        let start = self.clock.now();
        while self.clock.now().since(start) < span {
            spin_loop();
        }
    }
}
