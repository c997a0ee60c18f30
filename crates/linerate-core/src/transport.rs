//! What carries the bytes between the two ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::named::named;

/// What carries the bytes between the two ends. `docs/transports.md` says what each one measures,
/// what it needs and where its limits are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// TCP.
    #[default]
    Tcp,
    /// Multipath TCP (RFC 8684).
    Mptcp,
    /// TLS 1.3 over TCP.
    Tls,
    /// A QUIC stream (RFC 9000).
    Quic,
    /// UDP datagrams.
    Udp,
    /// A Unix stream socket; both ends on one host, like everything down to `Memory`.
    Unix,
    /// A Unix datagram socket.
    UnixDatagram,
    /// A VM socket, between a virtual machine and its host or within either.
    Vsock,
    /// A pipe each way between two processes.
    Pipe,
    /// A ring each way in memory that two processes share.
    SharedMemory,
    /// Copies in one process, from one buffer to another: no peer, no system call.
    Memory,
    /// Ethernet frames of a packet socket (`AF_PACKET`).
    Ethernet,
    /// Ethernet frames of an `AF_XDP` socket.
    Xdp,
    /// Messages between ranks of an MPI, which carries them as it likes. Only `linerate-mpi` has it.
    Mpi,
}

impl Transport {
    /// Every transport, for help texts, documentation and tests.
    pub const ALL: [Self; 14] = [
        Self::Tcp,
        Self::Mptcp,
        Self::Tls,
        Self::Quic,
        Self::Udp,
        Self::Unix,
        Self::UnixDatagram,
        Self::Vsock,
        Self::Pipe,
        Self::SharedMemory,
        Self::Memory,
        Self::Ethernet,
        Self::Xdp,
        Self::Mpi,
    ];

    /// The name on the command line and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Mptcp => "mptcp",
            Self::Tls => "tls",
            Self::Quic => "quic",
            Self::Udp => "udp",
            Self::Unix => "unix",
            Self::UnixDatagram => "unix-datagram",
            Self::Vsock => "vsock",
            Self::Pipe => "pipe",
            Self::SharedMemory => "shared-memory",
            Self::Memory => "memory",
            Self::Ethernet => "ethernet",
            Self::Xdp => "xdp",
            Self::Mpi => "mpi",
        }
    }

    /// Whether it carries datagrams: messages keep their boundaries, have a largest size, and may
    /// be lost.
    #[must_use]
    pub const fn is_datagram(self) -> bool {
        matches!(self, Self::Udp | Self::UnixDatagram | Self::Ethernet | Self::Xdp)
    }

    /// The longest message of a curve unless the user says otherwise, where one datagram carries it.
    /// Unit: bytes. Source: the largest payload of UDP over IPv4 (RFC 768) less room for a
    /// perturbation; a frame of the usual MTU less linerate's header.
    #[must_use]
    pub const fn longest_message(self) -> Option<u64> {
        match self {
            Self::Udp | Self::UnixDatagram => Some(65_507 - 128),
            Self::Ethernet | Self::Xdp => Some(1500 - 32 - 3),
            _ => None,
        }
    }

    /// The longest message that one datagram carries on any path. Absent where the path or a buffer
    /// decides. Unit: bytes. Source: RFC 768, a length of 16 bits with the header of 8 in it.
    #[must_use]
    pub const fn longest_datagram(self) -> Option<u64> {
        match self {
            Self::Udp => Some(65_535 - 8),
            _ => None,
        }
    }

    /// Whether both ends must be on one host.
    #[must_use]
    pub const fn is_local(self) -> bool {
        matches!(self, Self::Unix | Self::UnixDatagram | Self::Pipe | Self::SharedMemory | Self::Memory)
    }

    /// Whether `linerate` itself has it. The others are programs of their own.
    #[must_use]
    pub const fn is_built_in(self) -> bool {
        !matches!(self, Self::Mpi)
    }

    /// Whether the kernel's TCP carries the bytes, so that TCP's options and `TCP_INFO` apply.
    #[must_use]
    pub const fn is_tcp(self) -> bool {
        matches!(self, Self::Tcp | Self::Mptcp | Self::Tls)
    }
}

named!(Transport, "`{}` is no transport; there are {}");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_transport_is_read_by_its_name_and_kept_in_files_by_it() {
        for transport in Transport::ALL {
            assert_eq!(transport.name().parse(), Ok(transport));
            let json = serde_json::to_string(&transport).expect("a name");
            assert_eq!(json, format!("\"{}\"", transport.name()));
        }
        assert!("sctp".parse::<Transport>().expect_err("no such").contains("quic"));
    }
}
