//! Datagrams that find out how large a packet may be on the way to a server and back.
//!
//! ```text
//! token (16 bytes)  sent (u16 BE)  wanted (u16 BE)  announced (u16 BE)  zeros
//! ```
//!
//! `sent` is the size of the IP packet that the client sends, `wanted` that of the answer, which is equal but for
//! `announced`: what the server's kernel knows of the way back.

use std::net::UdpSocket;

use serde::{Deserialize, Serialize};

use super::ChannelToken;

/// Where a server answers such datagrams until the first channels are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reflector {
    /// The port.
    pub port: u16,
    /// What they must begin with.
    pub token: ChannelToken,
}

/// The bytes that every such datagram has.
const LEAST: usize = 22;

/// What such a datagram says. Sizes are of IP packets. Unit: bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Probe {
    /// Of the client's packet.
    pub(crate) sent: u16,
    /// Of the answer.
    pub(crate) wanted: u16,
    /// What the server's kernel knows of the way back; 0 from the client.
    pub(crate) announced: u16,
}

impl Probe {
    /// Reads a datagram; absent without the token.
    pub(crate) fn decode(token: &ChannelToken, bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(token)?;
        let number = |at: usize| Some(u16::from_be_bytes([*rest.get(at)?, *rest.get(at + 1)?]));
        Some(Self { sent: number(0)?, wanted: number(2)?, announced: number(4)? })
    }

    /// Sends it as an IP packet of `size` bytes; a packet that the kernel refuses is as good as lost.
    pub(crate) fn send(self, socket: &UdpSocket, token: &ChannelToken, size: u16) {
        let length = usize::from(size).saturating_sub(headers(is_ipv6(socket))).max(LEAST);
        let mut bytes = vec![0; length];
        let fields = [self.sent, self.wanted, self.announced].map(u16::to_be_bytes).concat();
        bytes[..token.len()].copy_from_slice(token);
        bytes[token.len()..LEAST].copy_from_slice(&fields);
        // The first error may be the news of an earlier packet that was too large.
        let _ = socket.send(&bytes).or_else(|_| socket.send(&bytes));
    }
}

/// The IP and UDP headers. Unit: bytes.
const fn headers(ipv6: bool) -> usize {
    if ipv6 { 40 + 8 } else { 20 + 8 }
}

/// Whether a connected socket speaks IPv6 and not IPv4 in it.
pub(crate) fn is_ipv6(socket: &UdpSocket) -> bool {
    socket.peer_addr().is_ok_and(|peer| peer.ip().to_canonical().is_ipv6())
}
