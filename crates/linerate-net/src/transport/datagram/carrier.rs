//! What differs between the sockets that carry datagrams.

use std::io;

use linerate_core::environment::Fact;
use linerate_core::options::{Granted, SocketOptions};
use socket2::Socket;

use super::LONGEST;
use crate::observe::UdpCounters;
use crate::sys::socket_option;
use crate::transport::TransportError;
use crate::transport::options::{
    ECN_BITS, OptionError, apply_class, apply_to_socket, refused, widen_receive_buffer,
};

/// Longest header of IPv4 without options, and of UDP. Unit: bytes.  Source: RFC 791 and RFC 768.
const V4_HEADERS: u64 = 20 + 8;
/// Header of IPv6, and of UDP. Unit: bytes.  Source: RFC 8200 and RFC 768.
const V6_HEADERS: u64 = 40 + 8;
/// The largest payload of an IPv6 packet, which its own header is no part of. Unit: bytes.  Source:
/// RFC 8200, section 3.
const V6_LONGEST: u64 = 65_535;
/// What a Unix datagram is charged beside its bytes. Unit: bytes.  Source: unix(7); the kernel
/// refuses one that is longer than the send buffer less this.
const UNIX_CHARGE: u64 = 32;

/// What carries the datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::transport) enum Carrier {
    /// UDP over IPv4 or IPv6.
    Udp {
        /// Which of them.
        ipv6: bool,
        /// Whether no datagram may be cut into fragments.
        dont_fragment: bool,
    },
    /// A Unix socket: nothing is lost, and a full queue makes the sender wait.
    Unix,
}

impl Carrier {
    /// Sets what is asked of a socket that is not connected yet.
    pub(in crate::transport) fn apply(
        self,
        socket: &Socket,
        asked: &SocketOptions,
    ) -> Result<(), OptionError> {
        apply_to_socket(socket, asked)?;
        if let Self::Udp { ipv6, dont_fragment } = self {
            widen_receive_buffer(socket, asked)?;
            apply_class(socket, asked, ipv6)?;
            if let Some(ecn) = asked.ecn {
                socket_option::tell_class(socket, ipv6).map_err(refused("ecn", ecn.to_string()))?;
            }
            if dont_fragment {
                let set = socket_option::dont_fragment(socket, ipv6);
                set.map_err(refused("dont-fragment", "true".to_owned()))?;
            }
        }
        Ok(())
    }

    /// Sets what the channel needs of a connected socket.
    pub(super) fn prepare(self, socket: &Socket) -> Result<(), TransportError> {
        if self.has_segments() {
            let counted = socket_option::count_drops(socket);
            counted.map_err(TransportError::system("have the socket count its drops"))?;
        }
        Ok(())
    }

    /// Whether the kernel can cut and join datagrams here.
    pub(super) const fn has_segments(self) -> bool {
        matches!(self, Self::Udp { .. })
    }

    /// Has the kernel cut what is sent into datagrams of `size`; 0 leaves it whole.
    pub(super) fn set_segment(self, socket: &Socket, size: usize) -> io::Result<()> {
        if !self.has_segments() {
            return Ok(());
        }
        let size = i32::try_from(size).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        socket_option::set_segment(socket, size)
    }

    /// Has the kernel join datagrams that follow each other.
    pub(super) fn set_joined(self, socket: &Socket, joined: bool) -> io::Result<()> {
        if self.has_segments() { socket_option::set_joined(socket, joined) } else { Ok(()) }
    }

    /// The path MTU as the kernel knows it. Unit: bytes of IP packet.
    fn path_mtu(self, socket: &Socket) -> io::Result<u64> {
        let mtu = match self {
            Self::Udp { ipv6, .. } => socket_option::path_mtu(socket, ipv6)?,
            Self::Unix => return Err(io::Error::other("there is no path on one host")),
        };
        Ok(mtu.into())
    }

    /// The largest message that needs no fragments. Unit: bytes.
    pub(super) fn unfragmented(self, socket: &Socket) -> io::Result<u64> {
        let headers = match self {
            Self::Udp { ipv6: true, .. } => V6_HEADERS,
            Self::Udp { ipv6: false, .. } => V4_HEADERS,
            Self::Unix => return self.largest(socket),
        };
        Ok(self.path_mtu(socket)?.saturating_sub(headers).min(self.longest(LONGEST) as u64))
    }

    /// The largest message that one datagram carries here. Unit: bytes.
    pub(super) fn largest(self, socket: &Socket) -> io::Result<u64> {
        match self {
            Self::Udp { dont_fragment: true, .. } => self.unfragmented(socket),
            Self::Udp { .. } => Ok(self.longest(LONGEST) as u64),
            Self::Unix => Ok((socket.send_buffer_size()? as u64).saturating_sub(UNIX_CHARGE)),
        }
    }

    /// The largest message whatever the path is, or `otherwise` where only the buffer limits it.
    /// Unit: bytes.
    pub(super) const fn longest(self, otherwise: usize) -> usize {
        match self {
            Self::Udp { ipv6: true, .. } => (V6_LONGEST - 8) as usize,
            Self::Udp { ipv6: false, .. } => LONGEST - V4_HEADERS as usize,
            Self::Unix => otherwise,
        }
    }

    /// Datagrams that this host's sockets of the same kind had no room for.
    pub(super) fn buffer_errors(self) -> Option<u64> {
        match self {
            Self::Udp { .. } => UdpCounters::read().ok().map(|counted| counted.receive_buffer_errors),
            Self::Unix => None,
        }
    }

    /// Reads back what the socket has. Its "segment" is the largest message that needs no fragments.
    pub(super) fn granted(self, socket: &Socket) -> Granted {
        let no = "datagrams have none";
        let class = match self {
            Self::Udp { ipv6: true, .. } => socket.tclass_v6().into(),
            Self::Udp { ipv6: false, .. } => socket.tos_v4().into(),
            Self::Unix => Fact::unknown(no),
        };
        Granted {
            sndbuf: socket.send_buffer_size().map(|bytes| bytes as u64).into(),
            rcvbuf: socket.recv_buffer_size().map(|bytes| bytes as u64).into(),
            usable_window: Fact::unknown(no),
            nodelay: Fact::unknown("datagrams are never held back"),
            congestion: Fact::unknown("datagrams have no congestion control"),
            mss: self.unfragmented(socket).into(),
            path_mtu: self.path_mtu(socket).into(),
            dscp: match class {
                Fact::Known(class) => Fact::Known(u8::try_from(class >> ECN_BITS).unwrap_or(u8::MAX)),
                Fact::Unknown { unknown } => Fact::unknown(unknown),
            },
            busy_poll: socket_option::busy_poll(socket).into(),
            timestamps: Fact::unknown("datagrams have no timestamps"),
            ..Granted::default()
        }
    }
}
