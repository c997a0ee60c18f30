//! What one rank does together with many others: all to one, one to all, and collectives.

use crate::comm::call::{Call, CallData};
use crate::comm::collective::barrier;
use crate::comm::counted::{Counted, Sent};
use crate::comm::{Comm, CommError};
use crate::units::Span;

/// Calls of a collective that make its connections and are not counted.
const WARM_UP: u64 = 1;

/// Receives `times` messages from each of `peers`, in turn, once it has told all of them to begin. The time of all.
pub(super) async fn fan_in<C: Comm>(
    comm: &mut C,
    peers: &[usize],
    into: &mut [u8],
    times: u64,
) -> Result<Span, CommError> {
    for peer in peers {
        comm.send_to(*peer, &[]).await?;
    }
    let start = comm.now();
    for _ in 0..times {
        for peer in peers {
            comm.recv_from(*peer, into).await?;
        }
    }
    let taken = comm.now().since(start);
    for peer in peers {
        comm.send_to(*peer, &[]).await?;
    }
    Ok(taken)
}

/// Sends `times` messages to each of `peers`, in turn, until the last has arrived. The time of all.
pub(super) async fn fan_out<C: Comm>(
    comm: &mut C,
    peers: &[usize],
    out: &[u8],
    times: u64,
) -> Result<Span, CommError> {
    for peer in peers {
        comm.send_to(*peer, &[]).await?;
    }
    let start = comm.now();
    for _ in 0..times {
        for peer in peers {
            comm.send_to(*peer, out).await?;
        }
    }
    for peer in peers {
        comm.recv_from(*peer, &mut []).await?;
    }
    let taken = comm.now().since(start);
    for peer in peers {
        comm.send_to(*peer, &[]).await?;
    }
    Ok(taken)
}

/// Sends `times` messages to `to` once it says so. The time until it has all that everybody sends.
pub(super) async fn feed<C: Comm>(
    comm: &mut C,
    to: usize,
    out: &[u8],
    times: u64,
) -> Result<Span, CommError> {
    comm.recv_from(to, &mut []).await?;
    let start = comm.now();
    for _ in 0..times {
        comm.send_to(to, out).await?;
    }
    comm.recv_from(to, &mut []).await?;
    Ok(comm.now().since(start))
}

/// Receives `times` messages from `from`, which says when it begins. The time until everybody has all: who is served first
/// has no better share.
pub(super) async fn drain<C: Comm>(
    comm: &mut C,
    from: usize,
    into: &mut [u8],
    times: u64,
) -> Result<Span, CommError> {
    comm.recv_from(from, &mut []).await?;
    let start = comm.now();
    for _ in 0..times {
        comm.recv_from(from, into).await?;
    }
    comm.send_to(from, &[]).await?;
    comm.recv_from(from, &mut []).await?;
    Ok(comm.now().since(start))
}

/// What came of a collective at one rank.
pub(super) struct Called {
    /// The time of each call.
    pub(super) times: Vec<Span>,
    /// What this rank sent in all of them.
    pub(super) sent: Sent,
    /// Whether every call gave what it should.
    pub(super) right: bool,
}

/// Calls a collective `times` times, each after a barrier, and once before that.
pub(super) async fn call<C: Comm>(
    comm: &mut C,
    call: Call,
    bytes: usize,
    times: u64,
) -> Result<Called, CommError> {
    let mut data = CallData::new(call, comm.rank(), comm.size(), bytes);
    let mut called = Called { times: Vec::new(), sent: Sent::default(), right: true };
    for number in 0..WARM_UP + times {
        data.reset();
        barrier(comm).await?;
        let mut counted = Counted::new(&mut *comm);
        let start = counted.now();
        data.call(&mut counted).await?;
        let taken = counted.now().since(start);
        let sent = counted.sent();
        called.right &= data.is_right();
        if number >= WARM_UP {
            called.times.push(taken);
            called.sent.messages += sent.messages;
            called.sent.bytes += sent.bytes;
        }
    }
    Ok(called)
}
