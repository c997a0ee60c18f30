//! A QUIC stream (RFC 9000): one connection a flow, one stream in both directions on it.
//!
//! quinn speaks QUIC, on threads of its own: acknowledgements, losses and timers go on while the
//! measuring thread is elsewhere, as they do in a kernel for TCP. The measuring thread copies bytes
//! into and out of quinn's buffers. A runtime that only runs while the measuring thread is in a
//! call answers a small message sooner and carries less in bulk, and leaves the peer without an
//! acknowledgement in between. quinn's threads run on the processor of the thread that makes them,
//! if that is pinned.

mod arrival;
mod error;
mod flow;
mod settings;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use linerate_core::endpoint::LinkError;
use linerate_core::environment::Fact;
use linerate_core::observation::Connection as Observed;
use linerate_core::options::Granted;
use linerate_core::units::Span;
use quinn::{Connection, ReadError, RecvStream, SendStream, VarInt};
use socket2::{Protocol, Type};
use tokio::runtime::Runtime;
use tokio::time::{sleep, timeout};

use self::error::{unconnected, unreceived, unsent};
use self::flow::Flow;
use self::settings::{Settings, wide_enough};
use super::dial::bound;
use super::tls::own_calls_only;
use super::{LineResult, Preface, Setup, TransportError, certificate};
use crate::channel::{Channel, ChannelHandle};
use crate::control::Rendezvous;
use crate::wait::{Interest, Wait};

pub(super) use arrival::QuicListener;

/// How long an end that is dropped waits until the peer has what it sent.
const LINGER: Duration = Duration::from_secs(1);
/// How long it may take to send the last packet of a connection, and how often that is looked at.
const FAREWELL: Duration = Duration::from_millis(100);
const LOOK: Duration = Duration::from_millis(1);
/// An orderly end.
const DONE: VarInt = VarInt::from_u32(0);
/// A connection that was broken off, or that nobody expects.
const CUT: VarInt = VarInt::from_u32(1);
/// One end of a QUIC connection under test.
#[derive(Debug)]
pub(super) struct QuicChannel {
    out: SendStream,
    into: RecvStream,
    /// What [`Channel::ready`] found, for the next pull: quinn does not tell without giving.
    found: Option<Result<u8, ReadError>>,
    flow: Flow,
    patience: Span,
    // Last, so that what stands above it ends before it does.
    runtime: Arc<Runtime>,
}

impl QuicChannel {
    fn new(
        (connection, out, into): (Connection, SendStream, RecvStream),
        settings: Settings,
        patience: Span,
        runtime: Arc<Runtime>,
    ) -> Self {
        Self { out, into, found: None, flow: Flow { connection, settings }, patience, runtime }
    }
}

impl Channel for QuicChannel {
    /// Handed over is what quinn has copied into the window of the sender.
    fn push(&mut self, data: &[u8], wait: Wait) -> Result<usize, LinkError> {
        let first = poll_once(self.out.write(data));
        let pushed = match (first, wait) {
            (Poll::Ready(pushed), _) => pushed,
            (Poll::Pending, Wait::Never) => return Ok(0),
            (Poll::Pending, Wait::Patiently) => {
                let patience = self.patience.to_duration();
                let write = async { timeout(patience, self.out.write(data)).await };
                self.runtime.block_on(write).map_err(|_| LinkError::Stalled(self.patience))?
            }
        };
        pushed.map_err(unsent)
    }

    fn pull(&mut self, into: &mut [u8], wait: Wait) -> Result<usize, LinkError> {
        if into.is_empty() {
            return Ok(0);
        }
        if let Some(found) = self.found.take() {
            into[0] = found.map_err(unreceived)?;
            return match poll_once(self.into.read(&mut into[1..])) {
                Poll::Ready(Ok(Some(more))) => Ok(1 + more),
                Poll::Ready(Err(error)) => Err(unreceived(error)),
                // The end is given again.
                Poll::Ready(Ok(None)) | Poll::Pending => Ok(1),
            };
        }
        let first = poll_once(self.into.read(into));
        let pulled = match (first, wait) {
            (Poll::Ready(pulled), _) => pulled,
            (Poll::Pending, Wait::Never) => return Ok(0),
            (Poll::Pending, Wait::Patiently) => {
                let patience = self.patience.to_duration();
                let read = async { timeout(patience, self.into.read(into)).await };
                self.runtime.block_on(read).map_err(|_| LinkError::Stalled(self.patience))?
            }
        };
        pulled.map_err(unreceived)?.ok_or(LinkError::Closed)
    }

    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError> {
        let Self { out, into, found, runtime, .. } = self;
        let either = std::future::poll_fn(|context| {
            let writable = interest != Interest::Receive && could_write(out, context);
            let readable = interest != Interest::Send && could_read(into, found, context);
            if writable || readable { Poll::Ready(()) } else { Poll::Pending }
        });
        Ok(runtime.block_on(async { timeout(within.to_duration(), either).await }).is_ok())
    }

    fn finish_sending(&mut self) -> Result<(), LinkError> {
        // It fails only when it was done before, or when the peer reads no more.
        self.out.finish().unwrap_or(());
        Ok(())
    }

    fn granted(&self) -> Granted {
        self.flow.granted()
    }

    fn connection(&self) -> Fact<Observed> {
        Fact::Known(self.flow.observed())
    }

    fn handle(&self) -> io::Result<Box<dyn ChannelHandle>> {
        Ok(Box::new(self.flow.clone()))
    }
}

impl Drop for QuicChannel {
    /// Ends as a TCP socket that is closed: what was sent still arrives, and then the end.
    fn drop(&mut self) {
        self.into.stop(DONE).unwrap_or(());
        self.out.finish().unwrap_or(());
        let (delivered, connection) = (self.out.stopped(), &self.flow.connection);
        self.runtime.block_on(async {
            // A peer that is gone acknowledges nothing, and nobody would read the end.
            drop(timeout(LINGER, delivered).await);
            if connection.close_reason().is_none() {
                let before = connection.stats().udp_tx.datagrams;
                connection.close(DONE, b"");
                // What would send it may end with this channel.
                let sent = async {
                    while connection.stats().udp_tx.datagrams == before {
                        sleep(LOOK).await;
                    }
                };
                drop(timeout(FAREWELL, sent).await);
            }
        });
    }
}

/// Connects to the port that the peer named, believes its certificate, and opens the stream.
pub(super) fn join(setup: &Setup, rendezvous: &Rendezvous, preface: Preface) -> LineResult {
    let address = setup.peer_at(rendezvous)?;
    own_calls_only(setup)?;
    let settings = Settings::of(setup)?;
    let crypto = certificate::client(rendezvous)?;
    let socket = bound(address, Type::DGRAM, Protocol::UDP, &setup.own)?;
    if setup.own.bind.is_none() {
        let any: SocketAddr = if address.is_ipv6() { ([0_u16; 8], 0).into() } else { ([0; 4], 0).into() };
        socket.bind(&any.into()).map_err(TransportError::system("bind the socket"))?;
    }
    let runtime = settings::runtime(1)?;
    let endpoint = settings.endpoint(&runtime, socket, None)?;
    let config = settings.client(crypto)?;
    let begun = runtime.block_on(async {
        let connecting = endpoint.connect_with(config, address, certificate::NAME);
        let connecting = connecting.map_err(|error| TransportError::Secure(error.to_string()))?;
        let connection = match timeout(setup.step(), connecting).await {
            Ok(connection) => connection.map_err(unconnected)?,
            // By now the kernel may have heard how narrow the path is.
            Err(_) => return Err(wide_enough(setup, settings.headers).err().unwrap_or(TransportError::Late)),
        };
        // The peer allows the stream by its transport parameters, so neither of these waits.
        let (mut out, into) = connection.open_bi().await.map_err(unconnected)?;
        out.write_all(&preface.encode()).await.map_err(unsent)?;
        Ok((connection, out, into))
    })?;
    let channel = QuicChannel::new(begun, settings, setup.patience, Arc::new(runtime));
    Ok(Box::new(setup.wire(channel)))
}

/// What an operation gives without a wait.
fn poll_once<T>(operation: impl Future<Output = T>) -> Poll<T> {
    std::pin::pin!(operation).poll(&mut Context::from_waker(Waker::noop()))
}

/// Whether a write would go on, or fail: quinn takes an empty one as soon as it could take more.
fn could_write(out: &mut SendStream, context: &mut Context<'_>) -> bool {
    std::pin::pin!(out.write(&[])).poll(context).is_ready()
}

/// Whether a read would give a byte, the end, or fail; a byte or a failure is kept.
fn could_read(
    into: &mut RecvStream,
    found: &mut Option<Result<u8, ReadError>>,
    context: &mut Context<'_>,
) -> bool {
    if found.is_some() {
        return true;
    }
    let mut byte = [0];
    match into.poll_read(context, &mut byte) {
        Poll::Pending => return false,
        Poll::Ready(Ok(0)) => {}
        Poll::Ready(Ok(_)) => *found = Some(Ok(byte[0])),
        Poll::Ready(Err(error)) => *found = Some(Err(error)),
    }
    true
}
