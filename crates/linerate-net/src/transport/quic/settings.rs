//! What both ends of a QUIC connection set.

use std::net::UdpSocket;
use std::sync::Arc;
use std::time::Duration;

use linerate_core::units::Span;
use quinn::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{
    ClientConfig, Endpoint, EndpointConfig, IdleTimeout, MtuDiscoveryConfig, ServerConfig, TokioRuntime,
    TransportConfig, VarInt,
};
use socket2::Socket;
use tokio::runtime::{Builder, Runtime};

use super::super::{OptionError, Setup, TransportError};
use crate::sys::socket_option;

/// The windows of both directions, unless told otherwise: a window and a round trip allow no more
/// than their quotient, so 16 MiB carry 10 Gb/s over 13 ms, and 1 Gb/s over 134 ms. Unit: bytes.
const WINDOW: u64 = 16 << 20;
/// No window is larger, whatever is asked: quinn keeps what is in a window in memory. Unit: bytes.
const MOST: u64 = 256 << 20;
/// What a client may send before it has sent its preface. Unit: bytes.
pub(super) const UNIDENTIFIED_BYTES: u32 = 64 << 10;
/// What the kernel is asked to hold in each direction of the UDP socket; it gives no more than
/// `rmem_max` and `wmem_max` allow. Unit: bytes.
const SOCKET_BUFFER: usize = 4 << 20;
/// Without a packet from the peer for this time, the connection is lost.
pub(super) const IDLE: Span = Span::from_ms(30_000);
/// Keep-alive: an end that is silent for this time sends a packet.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// Clients that the port bears at once before they have sent their preface.
pub(super) const MOST_UNIDENTIFIED: usize = 64;
/// The largest UDP payload that is tried. quinn hands the kernel up to ten datagrams as one (GSO),
/// which together may not be longer than one IP packet; it takes the refusal for a lost probe of
/// the path, and all ten are lost. Unit: bytes.
const LARGEST_PAYLOAD: u16 = (u16::MAX - 28) / 10;
/// What every path carries. Source: RFC 9000, section 14.
const LEAST_PAYLOAD: u16 = 1_200;
/// The IP packet that Ethernet carries, where the kernel does not say what the route does.
const ETHERNET: u32 = 1_500;

/// What a connection was set to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// What the sender keeps until it is acknowledged. Unit: bytes.
    pub(super) sending: u64,
    /// What the peer may send before this end has read it. Unit: bytes.
    pub(super) window: u64,
    /// The congestion controller.
    pub(super) congestion: &'static str,
    /// `SO_BUSY_POLL` of the UDP socket. Unit: microseconds.
    pub(super) busy_poll: u32,
    /// IP and UDP headers. Unit: bytes.
    pub(super) headers: u16,
    /// The largest UDP payload that is tried. Unit: bytes.
    largest: u16,
}

impl Settings {
    /// What `setup` asks for. Buffers become windows; what quinn cannot do is refused.
    pub(super) fn of(setup: &Setup) -> Result<Self, TransportError> {
        let lacking = |option| {
            let reason = format!("the library that speaks it has no way to set `--{option}`; leave it out");
            Err(TransportError::lacking(setup.transport, reason))
        };
        let asked = &setup.socket;
        if asked.dscp.is_some() {
            return lacking("dscp");
        }
        if asked.mss.is_some() {
            return lacking("mss");
        }
        let congestion = match asked.congestion.as_deref() {
            None | Some("cubic") => "cubic",
            Some("reno") => "reno",
            Some("bbr") => "bbr",
            Some(other) => {
                let reason = format!("it has the congestion controls cubic, reno and bbr, not `{other}`");
                return Err(TransportError::lacking(setup.transport, reason));
            }
        };
        let headers = if setup.ipv6() { 40 + 8 } else { 20 + 8 };
        wide_enough(setup, headers)?;
        let mtu = route_mtu(setup).unwrap_or(ETHERNET);
        let payload = u16::try_from(mtu).unwrap_or(u16::MAX).saturating_sub(headers);
        let largest = payload.clamp(LEAST_PAYLOAD, LARGEST_PAYLOAD);
        Ok(Self {
            sending: asked.sndbuf.map_or(WINDOW, |size| size.0).min(MOST),
            window: asked.rcvbuf.map_or(WINDOW, |size| size.0).min(MOST),
            congestion,
            busy_poll: asked.busy_poll.unwrap_or(0),
            headers,
            largest,
        })
    }

    /// An endpoint on a bound socket.
    pub(super) fn endpoint(
        &self,
        runtime: &Runtime,
        socket: Socket,
        server: Option<ServerConfig>,
    ) -> Result<Endpoint, TransportError> {
        // What the kernel does not grant is packets lost at a burst, which QUIC sees and says.
        for set in [Socket::set_recv_buffer_size, Socket::set_send_buffer_size] {
            set(&socket, SOCKET_BUFFER).map_err(TransportError::system("set the socket's buffers"))?;
        }
        if self.busy_poll > 0 {
            let refused =
                |source| OptionError { option: "busy-poll", value: self.busy_poll.to_string(), source };
            socket_option::set_busy_poll(&socket, self.busy_poll).map_err(refused)?;
        }
        let mut config = EndpointConfig::default();
        config.max_udp_payload_size(self.largest).expect("it is at least 1200");
        let _inside = runtime.enter();
        Endpoint::new(config, server, UdpSocket::from(socket), Arc::new(TokioRuntime))
            .map_err(TransportError::system("make a QUIC endpoint"))
    }

    /// What the initiator goes by.
    pub(super) fn client(&self, crypto: Arc<rustls::ClientConfig>) -> Result<ClientConfig, TransportError> {
        let crypto =
            QuicClientConfig::try_from(crypto).map_err(|error| TransportError::Secure(error.to_string()))?;
        let mut config = ClientConfig::new(Arc::new(crypto));
        config.transport_config(Arc::new(
            self.transport(0, VarInt::from_u64(self.window).unwrap_or(VarInt::MAX)),
        ));
        Ok(config)
    }

    /// What the responder goes by. A client has one stream, a small window until it has
    /// introduced itself, and the address that it began with.
    pub(super) fn server(&self, crypto: Arc<rustls::ServerConfig>) -> Result<ServerConfig, TransportError> {
        let crypto =
            QuicServerConfig::try_from(crypto).map_err(|error| TransportError::Secure(error.to_string()))?;
        let mut config = ServerConfig::with_crypto(Arc::new(crypto));
        config.transport_config(Arc::new(self.transport(1, UNIDENTIFIED_BYTES.into())));
        config.migration(false).max_incoming(MOST_UNIDENTIFIED);
        Ok(config)
    }

    fn transport(&self, streams: u32, window: VarInt) -> TransportConfig {
        let mut config = TransportConfig::default();
        let mut discovery = MtuDiscoveryConfig::default();
        discovery.upper_bound(self.largest);
        let controller: Arc<dyn ControllerFactory + Send + Sync> = match self.congestion {
            "reno" => Arc::new(NewRenoConfig::default()),
            "bbr" => Arc::new(BbrConfig::default()),
            _ => Arc::new(CubicConfig::default()),
        };
        config
            .max_concurrent_bidi_streams(streams.into())
            .max_concurrent_uni_streams(0_u32.into())
            .datagram_receive_buffer_size(None)
            .stream_receive_window(VarInt::from_u64(self.window).unwrap_or(VarInt::MAX))
            .receive_window(window)
            .send_window(self.sending)
            .max_idle_timeout(IdleTimeout::try_from(IDLE.to_duration()).ok())
            .keep_alive_interval(Some(KEEP_ALIVE))
            .mtu_discovery_config(Some(discovery))
            .congestion_controller_factory(controller);
        config
    }
}

/// The runtime that drives connections, on this many threads.
pub(super) fn runtime(threads: usize) -> Result<Runtime, TransportError> {
    Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_name("quic")
        .enable_all()
        .build()
        .map_err(TransportError::system("start a thread for QUIC"))
}

/// Refuses a path that the kernel knows to be too narrow for QUIC.
pub(super) fn wide_enough(setup: &Setup, headers: u16) -> Result<(), TransportError> {
    let least = u32::from(LEAST_PAYLOAD + headers);
    match route_mtu(setup).filter(|mtu| *mtu < least) {
        None => Ok(()),
        Some(mtu) => {
            let reason = format!(
                "it needs datagrams of {LEAST_PAYLOAD} B, IP packets of {least} B, and the path to {} has an MTU of {mtu} B; raise the MTU to {least} B or more",
                setup.peer.ip()
            );
            Err(TransportError::lacking(setup.transport, reason))
        }
    }
}

/// The largest IP packet of the route to the peer, as the kernel knows it. Unit: bytes.
fn route_mtu(setup: &Setup) -> Option<u32> {
    let probe = UdpSocket::bind(setup.own_address()).ok()?;
    probe.connect(setup.peer).ok()?;
    socket_option::path_mtu(&probe, setup.ipv6()).ok()
}
