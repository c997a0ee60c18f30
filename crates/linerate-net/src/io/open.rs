//! Opening engines: those that are everywhere here, the others below.

#[cfg(not(on_linux))]
#[path = "open/absent.rs"]
mod linux;
#[cfg(on_linux)]
mod linux;

use std::io;

use linerate_core::options::Io;
use linerate_core::units::Span;
use socket2::Socket;

use super::{Engine, EngineError, In, Out};
use crate::wait::PATIENCE;
use linux::Opening;

impl Engine {
    /// The engines `io` out and `receive` in, for a connected stream socket whose time-outs are
    /// its patience, and messages of up to `largest` bytes. One that concerns the other direction
    /// only is `send` or `recv`.
    ///
    /// # Errors
    ///
    /// What the kernel, or this kind of socket, has not.
    pub fn open(socket: &Socket, io: Io, receive: Io, largest: usize) -> Result<Self, EngineError> {
        let patience = |set: io::Result<Option<std::time::Duration>>| {
            let set = set.ok().flatten();
            set.map_or(PATIENCE, |set| {
                Span::from_ns(u64::try_from(set.as_nanos()).unwrap_or(u64::MAX / 1_000))
            })
        };
        let open = Opening::of(socket, largest);
        let out = outgoing(&open, io, patience(socket.write_timeout()));
        let into = incoming(&open, receive, patience(socket.read_timeout()));
        let refused = |io| move |reason| EngineError { io, reason };
        Ok(Self { out: out.map_err(refused(io))?, into: into.map_err(refused(receive))?, held: 0..0 })
    }
}

fn outgoing(open: &Opening<'_>, io: Io, patience: Span) -> Result<Out, String> {
    match io {
        Io::ReadWrite => Ok(Out::Write),
        Io::SendRecv => Ok(Out::Send),
        Io::Sendmsg => Ok(Out::Sendmsg),
        special => open.outgoing(special, patience),
    }
}

fn incoming(open: &Opening<'_>, io: Io, patience: Span) -> Result<In, String> {
    match io {
        Io::ReadWrite => Ok(In::Read),
        Io::SendRecv => Ok(In::Recv),
        Io::Sendmsg => Ok(In::Recvmsg),
        special => open.incoming(special, patience),
    }
}
