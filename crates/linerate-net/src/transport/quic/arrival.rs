//! The port where QUIC connections arrive.
//!
//! Only the address of the conversation's peer is answered at all. A client must show that it hears
//! what is sent to its address before anything of the handshake is sent there (a Retry packet,
//! RFC 9000, section 8.1.2), so the port multiplies nobody's traffic. Then it has a few seconds to
//! begin its stream with the token.

use std::net::IpAddr;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use quinn::{Connection, Endpoint, Incoming, RecvStream, SendStream, VarInt};
use socket2::{Domain, Protocol, Socket, Type};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::super::certificate::Identity;
use super::super::tls::own_calls_only;
use super::super::{Arrived, Listen, PREFACE_LEN, Preface, Setup, TransportError};
use super::settings::{MOST_UNIDENTIFIED, Settings, runtime};
use super::{CUT, QuicChannel};
use crate::control::{ChannelAddress, ChannelToken, Deadline, Rendezvous};

/// Threads that the flows of one load share.
const MOST_THREADS: usize = 4;

/// A connection that has sent its preface: its flow's number, and its stream.
type Stream = (u32, (Connection, SendStream, RecvStream));

/// A UDP port where the channels of one load arrive.
#[derive(Debug)]
pub(in super::super) struct QuicListener {
    setup: Setup,
    settings: Settings,
    rendezvous: Rendezvous,
    arrivals: Receiver<Stream>,
    runtime: Arc<Runtime>,
}

impl QuicListener {
    /// Opens a port of the conversation's address for channels that have `token`.
    pub(in super::super) fn new(setup: &Setup, token: &ChannelToken) -> Result<Self, TransportError> {
        own_calls_only(setup)?;
        let settings = Settings::of(setup)?;
        let identity = Identity::fresh()?;
        let failed = TransportError::system;
        let address = setup.own_address();
        let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))
            .map_err(failed("make a socket"))?;
        setup.bind(&socket).map_err(failed("bind the socket"))?;
        // A client's flow has a thread of its own; here all flows of a load share them.
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let runtime = runtime(processors.min(MOST_THREADS))?;
        let endpoint = settings.endpoint(&runtime, socket, Some(settings.server(identity.server()?)?))?;
        let port = endpoint.local_addr().map_err(failed("read the port"))?.port();
        let rendezvous =
            Rendezvous { address: ChannelAddress::Port(port), certificate: Some(identity.certificate()) };
        let (sender, arrivals) = channel();
        let expected = Expected {
            peer: setup.peer.ip().to_canonical(),
            token: *token,
            window: settings.window,
            within: setup.step(),
        };
        runtime.spawn(receive(endpoint, expected, sender));
        Ok(Self { setup: setup.clone(), settings, rendezvous, arrivals, runtime: Arc::new(runtime) })
    }
}

impl Listen for QuicListener {
    fn rendezvous(&self) -> Rendezvous {
        self.rendezvous.clone()
    }

    fn accept(&mut self, deadline: Deadline) -> Result<Arrived, TransportError> {
        let left = deadline.left().unwrap_or_default();
        let (flow, stream) = self.arrivals.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => TransportError::Late,
            RecvTimeoutError::Disconnected => {
                TransportError::Secure("the port takes no connections any more".to_owned())
            }
        })?;
        let channel = QuicChannel::new(stream, self.settings, self.setup.patience, Arc::clone(&self.runtime));
        Ok((flow, Box::new(self.setup.wire(channel))))
    }
}

/// Whose connections are taken.
#[derive(Clone, Copy)]
struct Expected {
    peer: IpAddr,
    token: ChannelToken,
    /// Of those that have the token. Unit: bytes.
    window: u64,
    /// How long an unknown peer may take for the handshake and its preface.
    within: Duration,
}

/// Sends clients away to prove their address, and hears those who did.
async fn receive(endpoint: Endpoint, expected: Expected, arrivals: Sender<Stream>) {
    let places = Arc::new(Semaphore::new(MOST_UNIDENTIFIED));
    while let Some(incoming) = endpoint.accept().await {
        if incoming.remote_address().ip().to_canonical() != expected.peer {
            incoming.ignore();
            continue;
        }
        // A token of Retry does not hold the link of such an address, and would never be accepted; whoever has one is on
        // this link.
        let is_of_one_link =
            matches!(incoming.remote_address().ip(), IpAddr::V6(ip) if ip.is_unicast_link_local());
        if !incoming.remote_address_validated() && !is_of_one_link {
            // It may always be sent to an address that is not validated.
            drop(incoming.retry());
            continue;
        }
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            incoming.ignore();
            continue;
        };
        let arrivals = arrivals.clone();
        tokio::spawn(async move {
            let _place = place;
            if let Ok(Some(arrival)) = timeout(expected.within, read_preface(incoming, expected)).await {
                // Nobody takes it when the load is over.
                arrivals.send(arrival).unwrap_or(());
            }
        });
    }
}

/// Hears who a client is; nothing if it is an unknown peer, whose connection is closed.
async fn read_preface(incoming: Incoming, expected: Expected) -> Option<Stream> {
    let connection = incoming.accept().ok()?.await.ok()?;
    let (out, mut into) = connection.accept_bi().await.ok()?;
    let mut bytes = [0; PREFACE_LEN];
    into.read_exact(&mut bytes).await.ok()?;
    let preface = Preface::decode(&bytes);
    if preface.token != expected.token {
        connection.close(CUT, b"");
        return None;
    }
    connection.set_receive_window(VarInt::from_u64(expected.window).unwrap_or(VarInt::MAX));
    Some((preface.flow, (connection, out, into)))
}
