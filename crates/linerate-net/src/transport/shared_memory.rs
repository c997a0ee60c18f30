//! A ring of bytes each way in memory that two processes share. The responder makes it and passes
//! it to the initiator.
//!
//! An end that finds nothing to do looks again and again for 20 us, then sleeps on a futex that
//! the other end wakes. Where it may run on one processor only, as when it is pinned to one, it does
//! not spin: the peer could be waiting for that very processor.
//!
//! No count of the peer is believed: one that is out of range ends the channel.

mod bell;
mod channel;

use std::io;
use std::os::fd::AsFd;

use linerate_core::options::{Io, SocketOptions};
use linerate_core::transport::Transport;
use socket2::Socket;

use self::channel::RingChannel;
use super::arrivals::StreamListener;
use super::local_peer::LocalPeer;
use super::options::{refused, with_one_buffer};
use super::unix::listen_local;
use super::{LineResult, Preface, Setup, TransportError};
use crate::control::{ChannelToken, Rendezvous};
use crate::line::Line;
use crate::sys::shared_ring::{CAPACITIES, SharedRing};

/// Bytes of a ring unless `sndbuf` says otherwise.
const CAPACITY: usize = 1 << 20;

/// Listens for peers on this host, each of which gets two rings.
pub(super) fn listen(setup: &Setup, token: &ChannelToken) -> Result<StreamListener, TransportError> {
    capacity(&setup.socket)?;
    listen_local(setup, token, welcome)
}

/// Makes the rings and hands the peer their memory.
fn welcome(socket: Socket, setup: &Setup) -> LineResult {
    let made = SharedRing::create(capacity(&setup.socket)?);
    let (file, ring) = made.map_err(TransportError::system("make memory to share"))?;
    let local_peer = LocalPeer::new(socket)?;
    local_peer.hand_over(&[file.as_fd()])?;
    Ok(line(setup, ring, 0, local_peer))
}

/// Meets the peer and maps the memory that it made.
pub(super) fn join(setup: &Setup, rendezvous: &Rendezvous, preface: Preface) -> LineResult {
    capacity(&setup.socket)?;
    let (local_peer, [file]) = LocalPeer::meet(setup, rendezvous, preface)?;
    let ring = SharedRing::open(file.as_fd())
        .map_err(TransportError::system("map the memory that the peer shares"))?;
    Ok(line(setup, ring, 1, local_peer))
}

fn line(setup: &Setup, ring: SharedRing, seat: usize, local_peer: LocalPeer) -> Box<dyn Line> {
    Box::new(setup.wire(RingChannel::new(setup, ring, seat, local_peer)))
}

/// How large each ring is to be; refuses what a ring has not.
fn capacity(asked: &SocketOptions) -> Result<usize, TransportError> {
    let transport = Transport::SharedMemory;
    with_one_buffer(asked, transport)?;
    if let Some(io) = [asked.io, asked.receives()].into_iter().find(|io| *io != Io::SendRecv) {
        let why = format!("its bytes move by copies in memory, not by {io}; leave --io out");
        return Err(TransportError::lacking(transport, why));
    }
    let Some(size) = asked.sndbuf else { return Ok(CAPACITY) };
    let (least, most) = (*CAPACITIES.start(), *CAPACITIES.end());
    match usize::try_from(size.0) {
        Ok(bytes) if bytes <= most => Ok(bytes.next_power_of_two().max(least)),
        _ => {
            let why = format!("a ring has {least} to {most} B");
            let source = io::Error::new(io::ErrorKind::InvalidInput, why);
            Err(refused("sndbuf", size.to_string())(source).into())
        }
    }
}

#[cfg(test)]
mod tests;
