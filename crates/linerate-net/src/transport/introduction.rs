//! What every channel begins with.

use crate::control::Pass;

/// Length of an introduction. Unit: bytes.
pub(crate) const INTRODUCTION_LEN: usize = 20;

/// What the server says to a data connection at its door when a conversation waits for it, so that
/// a client with many flows does not crowd the door.
pub(crate) const TAKEN: u8 = 6;

/// Which conversation and which flow of it a channel belongs to: the pass, and the flow's number
/// in network byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Introduction {
    /// The pass that the answering end gave to this load.
    pub(crate) pass: Pass,
    /// The number of the flow.
    pub(crate) flow: u32,
}

impl Introduction {
    pub(crate) fn encode(self) -> [u8; INTRODUCTION_LEN] {
        let mut bytes = [0; INTRODUCTION_LEN];
        bytes[..16].copy_from_slice(&self.pass);
        bytes[16..].copy_from_slice(&self.flow.to_be_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: &[u8; INTRODUCTION_LEN]) -> Self {
        let (mut pass, mut flow) = ([0; 16], [0; 4]);
        pass.copy_from_slice(&bytes[..16]);
        flow.copy_from_slice(&bytes[16..]);
        Self { pass, flow: u32::from_be_bytes(flow) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_introduction_survives() {
        let introduction = Introduction { pass: [7; 16], flow: 0x0102_0304 };
        assert_eq!(Introduction::decode(&introduction.encode()), introduction);
    }
}
