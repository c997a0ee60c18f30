//! A channel that gives back what it is given, as a peer would, and notes where that lay.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;

use linerate_core::endpoint::LinkError;
use linerate_core::options::Granted;
use linerate_core::units::Span;
use linerate_net::channel::{Channel, ChannelHandle};
use linerate_net::wait::{Interest, Wait};

/// Messages on their way back, and the addresses of those that were sent and that arrived.
#[derive(Debug, Default)]
pub(crate) struct Mirror {
    pub(crate) on_their_way: VecDeque<Vec<u8>>,
    pub(crate) pushed: Vec<usize>,
    pub(crate) pulled: Vec<usize>,
    /// Memory that was said to lie still: what is sent, and what arrives.
    pub(crate) held: [Range<usize>; 2],
    /// The message whose first byte arrives wrong, by its number.
    pub(crate) damaged: Option<usize>,
}

impl Channel for Mirror {
    fn push(&mut self, data: &[u8], _: Wait) -> Result<usize, LinkError> {
        // The bytes of the two directions are complements.
        let mut answer: Vec<u8> = data.iter().map(|byte| !byte).collect();
        if self.damaged == Some(self.pushed.len()) {
            answer[0] ^= 1;
        }
        self.pushed.push(data.as_ptr().addr());
        self.on_their_way.push_back(answer);
        Ok(data.len())
    }

    fn pull(&mut self, into: &mut [u8], _: Wait) -> Result<usize, LinkError> {
        let Some(message) = self.on_their_way.pop_front() else { return Err(LinkError::Closed) };
        into.copy_from_slice(&message);
        self.pulled.push(into.as_ptr().addr());
        Ok(message.len())
    }

    fn ready(&mut self, _: Interest, _: Span) -> Result<bool, LinkError> {
        Ok(true)
    }

    fn finish_sending(&mut self) -> Result<(), LinkError> {
        Ok(())
    }

    fn granted(&self) -> Granted {
        Granted::default()
    }

    fn handle(&self) -> io::Result<Box<dyn ChannelHandle>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn hold(&mut self, out: &[u8], into: &mut [u8]) -> Result<(), LinkError> {
        self.held = [out, &*into].map(|bytes| {
            let range = bytes.as_ptr_range();
            range.start.addr()..range.end.addr()
        });
        Ok(())
    }
}
