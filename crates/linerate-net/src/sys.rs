//! System calls that no safe crate wraps. All `unsafe` of the workspace is under this folder.

use rustix::net::{RecvFlags, SendFlags};

/// A send to a peer that has gone is an error and no signal. On macOS the sockets have that as an option, which socket2
/// sets.
#[cfg(not(target_vendor = "apple"))]
pub(crate) const NO_SIGNAL: SendFlags = SendFlags::NOSIGNAL;
#[cfg(target_vendor = "apple")]
pub(crate) const NO_SIGNAL: SendFlags = SendFlags::empty();

/// The kernel says how long a datagram is, even if the slot is shorter; elsewhere it says the slot.
#[cfg(on_linux)]
pub(crate) const REAL_LENGTH: RecvFlags = RecvFlags::TRUNC;
#[cfg(not(on_linux))]
pub(crate) const REAL_LENGTH: RecvFlags = RecvFlags::empty();

/// Where something is that other systems have not, as it stands after "unknown" and "it is there".
#[cfg(not(on_linux))]
pub(crate) const ONLY_LINUX: &str = "only on Linux";

/// What was asked is [`ONLY_LINUX`].
#[cfg(not(on_linux))]
pub(crate) fn absent() -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::Unsupported, ONLY_LINUX)
}

#[cfg(on_linux)]
pub(crate) mod ethtool;
#[cfg(not(on_linux))]
#[path = "sys/ethtool/absent.rs"]
pub(crate) mod ethtool;
#[cfg(on_linux)]
pub(crate) mod foreign;
#[cfg(on_linux)]
pub(crate) mod mmsg;
#[cfg(not(on_linux))]
#[path = "sys/mmsg/absent.rs"]
pub(crate) mod mmsg;
#[cfg(on_linux)]
pub(crate) mod mptcp;
#[cfg(on_linux)]
pub(crate) mod netns;
pub(crate) mod outq;
#[cfg(on_linux)]
pub(crate) mod packet;
pub(crate) mod pages;
#[cfg(on_linux)]
pub(crate) mod scheduling_class;
#[cfg(on_linux)]
pub(crate) mod shared_ring;
#[cfg(on_linux)]
pub(crate) mod socket_option;
#[cfg(not(on_linux))]
#[path = "sys/socket_option/absent.rs"]
pub(crate) mod socket_option;
pub(crate) mod tcp_info;
#[cfg(on_linux)]
pub(crate) mod uring;
#[cfg(on_linux)]
pub(crate) mod vmsplice;
#[cfg(on_linux)]
pub(crate) mod vsock;
#[cfg(all(on_linux, feature = "xdp"))]
pub(crate) mod xdp;
#[cfg(on_linux)]
pub(crate) mod zerocopy;
