//! Raw Ethernet: every message is a frame of its own, by packet sockets (`AF_PACKET`).
//!
//! Nothing between the application and the device but the queueing discipline: no IP, no fragments,
//! no acknowledgements, no retransmission. A message is as long as the interface's MTU less 32
//! bytes at most, and may be lost.
//!
//! What is sent goes through the queueing discipline like every other packet of the host.
//! `PACKET_QDISC_BYPASS` is not used: it would leave out the queue that is part of the path under
//! test, hide the frames from its counters, and drop frames silently where the device is busy. So
//! the host's own queue holds the sender back, and loses nothing.
//!
//! What arrives is read from a ring of memory shared with the kernel (`TPACKET_V2`).
//!
//! The transport `xdp` sends and receives the messages by an `AF_XDP` socket instead, and
//! everything else as here.
//!
//! # Consent
//!
//! A host sends messages only to a station that has returned the proof that was sent to its
//! address:
//!
//! | from | frame | with |
//! |---|---|---|
//! | beginning | `Hello` | the token of the load, a nonce |
//! | answering | `Echo` | that nonce, a proof |
//! | beginning | `Proof` | that proof |
//! | answering | `Accept` | that proof |
//!
//! No answer is longer than its question, each question has at most one answer, and a peer without
//! the token gets no answer. Questions are asked again for five seconds. The answering end opens
//! the flow's sockets before it accepts, the initiator before it says hello, so that no message
//! comes too early.
//!
//! The end of what one side sends is an `End` with the number of its messages, said again until the
//! other has seen it; a side that is gone says `Leave`.

mod bulk;
mod call;
mod channel;
mod filter;
mod frame;
mod link;
mod listener;
mod plane;
mod station;
#[cfg(feature = "xdp")]
mod xdp;

use linerate_core::transport::Transport;

use super::{LineResult, Listen, Preface, Setup, TransportError};
use crate::control::{ChannelToken, Rendezvous};

/// Prepares for the frames of a load.
pub(super) fn listen(setup: &Setup, token: &ChannelToken) -> Result<Box<dyn Listen>, TransportError> {
    match setup.transport {
        #[cfg(feature = "xdp")]
        Transport::Xdp => Ok(Box::new(listener::StationListener::<xdp::XdpPlane>::open(setup, token)?)),
        #[cfg(not(feature = "xdp"))]
        Transport::Xdp => Err(without_xdp()),
        _ => Ok(Box::new(listener::StationListener::<plane::PacketPlane>::open(setup, token)?)),
    }
}

/// Opens a flow to the station that the peer named.
pub(super) fn join(setup: &Setup, rendezvous: &Rendezvous, preface: Preface) -> LineResult {
    match setup.transport {
        #[cfg(feature = "xdp")]
        Transport::Xdp => call::join::<xdp::XdpPlane>(setup, rendezvous, preface),
        #[cfg(not(feature = "xdp"))]
        Transport::Xdp => Err(without_xdp()),
        _ => call::join::<plane::PacketPlane>(setup, rendezvous, preface),
    }
}

#[cfg(not(feature = "xdp"))]
fn without_xdp() -> TransportError {
    TransportError::lacking(
        Transport::Xdp,
        "this linerate was built without AF_XDP; build with `--features xdp`, or use `ethernet`",
    )
}
