//! What every channel begins with, as a connection preface (RFC 9113, section 3.4) does HTTP/2.

use crate::control::ChannelToken;

/// Length of a preface. Unit: bytes.
pub(crate) const PREFACE_LEN: usize = 20;

/// What the server says to a data connection on its own port when a conversation waits for it, so that
/// a client with many flows does not take all the places of those that are not known yet.
pub(crate) const TAKEN: u8 = 6;

/// Which conversation and which flow of it a channel belongs to: the token, and the flow's number
/// in network byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Preface {
    /// The token that the responder gave to this load.
    pub(crate) token: ChannelToken,
    /// The number of the flow.
    pub(crate) flow: u32,
}

impl Preface {
    pub(crate) fn encode(self) -> [u8; PREFACE_LEN] {
        let mut bytes = [0; PREFACE_LEN];
        bytes[..16].copy_from_slice(&self.token);
        bytes[16..].copy_from_slice(&self.flow.to_be_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: &[u8; PREFACE_LEN]) -> Self {
        let (mut token, mut flow) = ([0; 16], [0; 4]);
        token.copy_from_slice(&bytes[..16]);
        flow.copy_from_slice(&bytes[16..]);
        Self { token, flow: u32::from_be_bytes(flow) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preface_survives() {
        let preface = Preface { token: [7; 16], flow: 0x0102_0304 };
        assert_eq!(Preface::decode(&preface.encode()), preface);
    }
}
