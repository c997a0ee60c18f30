//! System calls that no safe crate wraps. All `unsafe` of the workspace is under this folder.

pub(crate) mod ethtool;
pub(crate) mod idle_class;
pub(crate) mod mmsg;
pub(crate) mod mptcp;
pub(crate) mod netns;
pub(crate) mod outq;
pub(crate) mod packet;
pub(crate) mod pages;
pub(crate) mod shared_ring;
pub(crate) mod tcp_info;
pub(crate) mod uring;
pub(crate) mod vmsplice;
pub(crate) mod vsock;
#[cfg(feature = "xdp")]
pub(crate) mod xdp;
pub(crate) mod zerocopy;
