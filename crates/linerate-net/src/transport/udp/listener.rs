//! The responder: one socket for the greetings of a load, and one for each of its flows.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd as _;

use hmac::{Hmac, KeyInit, Mac};
use linerate_core::units::{Span, Time};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::RecvFlags;
use sha2::Sha256;
use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use super::greeting::{Greeting, REQUEST_LEN, Reply, Request};
use super::{DONTWAIT, carrier, connect, drain, refuse_io, refuse_tcp};
use crate::control::{ChannelAddress, ChannelToken, Deadline, Rendezvous, random};
use crate::transport::datagram::{CONTROL_LEN, Cookie, DatagramChannel};
use crate::transport::{Arrived, Listen, Setup, TransportError};

/// The most flows that are remembered; those with a finished channel make room for others.
const FLOWS: usize = 4096;
/// How often ACCEPT is sent before the flow is taken as ready without a word.
const ACCEPTS: u32 = 12;
/// Greetings that are taken before the flows are looked at again.
const GREETINGS: usize = 256;
/// How long READY is waited for before ACCEPT is sent again.
const PAUSE: Span = Span::from_ms(20);

/// Where the flows of a load arrive over UDP.
#[derive(Debug)]
pub(in crate::transport) struct UdpListener {
    setup: Setup,
    token: ChannelToken,
    socket: Socket,
    port: u16,
    secret: [u8; 32],
    /// By the number and the client's cookie: a flow that is begun again has another.
    flows: BTreeMap<(u32, [u8; 16]), Flow>,
}

/// A flow whose address is proven.
#[derive(Debug)]
struct Flow {
    address: SocketAddr,
    reply: Reply,
    /// Its socket, until READY came and the channel was returned.
    socket: Option<Socket>,
    accepts: u32,
    next: Time,
}

impl UdpListener {
    pub(in crate::transport) fn open(setup: &Setup, token: &ChannelToken) -> Result<Self, TransportError> {
        refuse_io(setup)?;
        refuse_tcp(setup)?;
        let failed = TransportError::system;
        let socket = own_socket(setup)?;
        socket.set_nonblocking(true).map_err(failed("make a socket non-blocking"))?;
        let port = port_of(&socket)?;
        let secret = random().map_err(failed("get random bytes"))?;
        Ok(Self { setup: setup.clone(), token: *token, socket, port, secret, flows: BTreeMap::new() })
    }

    /// The cookie that only who receives at `address` can know.
    fn cookie(&self, address: SocketAddr, request: &Request) -> Hmac<Sha256> {
        let mut hmac = Hmac::new_from_slice(&self.secret).expect("a key of any length will do");
        match address.ip() {
            IpAddr::V4(ip) => hmac.update(&ip.octets()),
            IpAddr::V6(ip) => hmac.update(&ip.octets()),
        }
        hmac.update(&address.port().to_be_bytes());
        hmac.update(&request.flow.to_be_bytes());
        hmac.update(&request.client.0);
        hmac
    }

    /// Takes the greetings that have come; not for ever, however many come.
    fn take_greetings(&mut self) -> Result<(), TransportError> {
        for _ in 0..GREETINGS {
            let mut datagram = [0; REQUEST_LEN];
            match rustix::net::recvfrom(&self.socket, &mut datagram[..], DONTWAIT) {
                Ok((_, len, Some(address))) => {
                    let request = datagram.get(..len).and_then(Greeting::decode);
                    let address = SocketAddr::try_from(address);
                    if let (Some(Greeting::Request(request)), Ok(address)) = (request, address) {
                        self.answer(&request, address)?;
                    }
                }
                Ok((_, _, None)) | Err(Errno::INTR | Errno::CONNREFUSED) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(errno) => {
                    return Err(TransportError::system("receive a greeting over UDP")(errno.into()));
                }
            }
        }
        Ok(())
    }

    /// Answers a request that has the token and, if it is a proof, the cookie; nothing else.
    fn answer(&mut self, request: &Request, address: SocketAddr) -> Result<(), TransportError> {
        if request.token != self.token {
            return Ok(());
        }
        let hmac = self.cookie(address, request);
        let Some(proof) = request.proof else {
            let whole: [u8; 32] = hmac.finalize().into_bytes().into();
            let server = Cookie(*whole.first_chunk().expect("half of 32 bytes"));
            let echo = Reply { flow: request.flow, client: request.client, server, port: None };
            self.send(&echo, address);
            return Ok(());
        };
        if hmac.verify_truncated_left(&proof.0).is_err() {
            return Ok(());
        }
        let key = (request.flow, request.client.0);
        if self.flows.len() >= FLOWS {
            self.flows.retain(|_, flow| flow.socket.is_some());
        }
        if !self.flows.contains_key(&key) && self.flows.len() < FLOWS {
            let flow = self.begin(request, proof, address)?;
            self.flows.insert(key, flow);
        }
        // The same proof again: its acceptance was lost.
        if let Some(flow) = self.flows.get(&key)
            && flow.address == address
        {
            self.send(&flow.reply, address);
        }
        Ok(())
    }

    /// Opens the socket of a flow to an address that is proven.
    fn begin(&self, request: &Request, server: Cookie, address: SocketAddr) -> Result<Flow, TransportError> {
        let socket = own_socket(&self.setup)?;
        carrier(&self.setup).apply(&socket, &self.setup.socket)?;
        connect(&socket, address)?;
        drain(&socket);
        let port = Some(port_of(&socket)?);
        let reply = Reply { flow: request.flow, client: request.client, server, port };
        let next = self.setup.clock.now() + self.setup.pause(PAUSE);
        Ok(Flow { address, reply, socket: Some(socket), accepts: 1, next })
    }

    /// A reply that is lost, or that the kernel has no room for, is asked for again.
    fn send(&self, reply: &Reply, address: SocketAddr) {
        self.socket.send_to(&reply.encode(), &SockAddr::from(address)).map(drop).unwrap_or(());
    }

    /// The next flow that is ready, or was accepted often enough.
    fn ready(&mut self) -> Result<Option<Arrived>, TransportError> {
        let (now, pause) = (self.setup.clock.now(), self.setup.pause(PAUSE));
        let mut again = Vec::new();
        let mut found = None;
        for ((number, _), flow) in &mut self.flows {
            let Some(socket) = &flow.socket else { continue };
            if has_word(socket) || (flow.accepts >= ACCEPTS && now >= flow.next) {
                found = flow.socket.take().map(|socket| (*number, socket, flow.reply.server));
                break;
            }
            if now >= flow.next {
                (flow.accepts, flow.next) = (flow.accepts + 1, now + pause);
                again.push((flow.reply, flow.address));
            }
        }
        for (reply, address) in again {
            self.send(&reply, address);
        }
        let Some((number, socket, cookie)) = found else { return Ok(None) };
        let channel = DatagramChannel::new(socket, carrier(&self.setup), cookie, &self.setup)?;
        Ok(Some((number, Box::new(self.setup.wire(channel)))))
    }

    /// Waits for a greeting, for the word of a flow, or until ACCEPT is to be sent again.
    fn wait(&self, left: Span) -> Result<(), Errno> {
        let pending = || self.flows.values().filter_map(|flow| Some((flow.socket.as_ref()?, flow.next)));
        let mut fds = vec![PollFd::from_borrowed_fd(self.socket.as_fd(), PollFlags::IN)];
        fds.extend(pending().map(|(socket, _)| PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::IN)));
        let now = self.setup.clock.now();
        let next = pending().map(|(_, next)| next.since(now)).min().unwrap_or(left);
        let whole = next.min(left).to_duration();
        let within =
            Timespec { tv_sec: whole.as_secs().cast_signed(), tv_nsec: i64::from(whole.subsec_nanos()) };
        match rustix::event::poll(&mut fds, Some(&within)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno),
        }
    }
}

impl Listen for UdpListener {
    fn rendezvous(&self) -> Rendezvous {
        ChannelAddress::Port(self.port).into()
    }

    fn accept(&mut self, deadline: Deadline) -> Result<Arrived, TransportError> {
        loop {
            self.take_greetings()?;
            if let Some(flow) = self.ready()? {
                return Ok(flow);
            }
            let Ok(left) = deadline.left() else { return Err(TransportError::Late) };
            let left = Span::from_ns(u64::try_from(left.as_nanos()).unwrap_or(u64::MAX / 1000));
            self.wait(left)
                .map_err(|errno| TransportError::system("wait for a flow over UDP")(errno.into()))?;
        }
    }
}

/// Whether the flow's peer has sent something: READY, which is taken, or already a message.
fn has_word(socket: &Socket) -> bool {
    let mut datagram = [0; CONTROL_LEN];
    rustix::net::recv(socket, &mut datagram[..], DONTWAIT | RecvFlags::PEEK).is_ok()
}

/// A socket of this end's address in the conversation.
fn own_socket(setup: &Setup) -> Result<Socket, TransportError> {
    let failed = TransportError::system;
    let address = setup.own_address();
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP));
    let socket = socket.map_err(failed("make a UDP socket"))?;
    setup.bind(&socket).map_err(failed("bind a UDP socket"))?;
    Ok(socket)
}

fn port_of(socket: &Socket) -> Result<u16, TransportError> {
    let address = socket.local_addr().map_err(TransportError::system("name a UDP port"))?;
    let port = address.as_socket().map(|address| address.port());
    port.ok_or_else(|| TransportError::system("name a UDP port")(io::ErrorKind::Unsupported.into()))
}
