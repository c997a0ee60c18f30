//! The responder: lets in who has the token and has proved to be where it says.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::os::fd::AsFd as _;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use socket2::Socket;

use super::channel::EthernetChannel;
use super::filter::Wanted;
use super::frame::{ETHERTYPE, Header, Kind, Mac};
use super::link::{Flow, Heard, Link, bind, fixed, hear, post, socket};
use super::plane::Plane;
use super::station::{Station, check_options};
use crate::control::{ChannelAddress, ChannelToken, Deadline, Rendezvous, Side, random};
use crate::line::Line;
use crate::transport::{Arrived, Listen, Setup, TransportError};
use crate::wait::timespec;

/// More flows than this do not begin at once.
const MOST_CALLERS: usize = 4_096;

/// Where flows of one load arrive.
#[derive(Debug)]
pub(super) struct StationListener<P> {
    setup: Setup,
    station: Station,
    token: ChannelToken,
    socket: Socket,
    /// Who said hello, by the number of the flow.
    callers: BTreeMap<u32, Caller>,
    /// What the flows that arrive are made of.
    plane: PhantomData<P>,
}

/// A station that said hello and has not proved yet that it is there.
#[derive(Clone, Copy, Debug)]
struct Caller {
    mac: Mac,
    /// What it said of itself.
    nonce: [u8; 16],
    /// What it must say again.
    proof: [u8; 16],
    /// Whether it did, and has its channel.
    inside: bool,
}

impl<P: Plane> StationListener<P> {
    pub(super) fn open(setup: &Setup, token: &ChannelToken) -> Result<Self, TransportError> {
        check_options(setup)?;
        let station = Station::of(setup)?;
        let wanted = Wanted { token: fixed(token), side: Side::Beginning, data: false, only: None };
        let socket = socket(setup.transport, wanted)?;
        bind(&socket, &station)?;
        Ok(Self {
            setup: setup.clone(),
            station,
            token: *token,
            socket,
            callers: BTreeMap::new(),
            plane: PhantomData,
        })
    }

    /// What a frame means: a flow that begins, or nothing yet.
    fn hear(&mut self, heard: &Heard) -> Result<Option<Box<dyn Line>>, TransportError> {
        match heard.kind {
            Kind::Hello => {
                self.greet(heard)?;
                Ok(None)
            }
            Kind::Proof => self.admit(heard),
            // What belongs to a channel that stands, or to none.
            _ => Ok(None),
        }
    }

    /// Answers a hello that has the token. The answer is as long as the question.
    fn greet(&mut self, heard: &Heard) -> Result<(), TransportError> {
        let (token, nonce) = heard.payload.split_at(self.token.len());
        let known = self.callers.get(&heard.flow);
        if token != self.token
            || known.is_some_and(|caller| caller.inside)
            || (known.is_none() && self.callers.len() >= MOST_CALLERS)
        {
            return Ok(());
        }
        let nonce = fixed(nonce);
        let proof = match known {
            Some(caller) if caller.mac == heard.from && caller.nonce == nonce => caller.proof,
            _ => random().map_err(TransportError::system("make a proof"))?,
        };
        let caller = Caller { mac: heard.from, nonce, proof, inside: false };
        self.callers.insert(heard.flow, caller);
        self.say(heard, Kind::Echo, &[nonce, proof].concat())
    }

    /// Accepts a station that returns its proof. Its sockets are open before it hears so.
    fn admit(&mut self, heard: &Heard) -> Result<Option<Box<dyn Line>>, TransportError> {
        let Some(caller) = self.callers.get_mut(&heard.flow) else { return Ok(None) };
        // A channel that stands answers a proof itself.
        if caller.inside || caller.mac != heard.from || !heard.payload.starts_with(&caller.proof) {
            return Ok(None);
        }
        caller.inside = true;
        let (peer, proof) = (caller.mac, caller.proof);
        let flow = Flow { token: fixed(&self.token), number: heard.flow, side: Side::Answering, peer };
        let link = Link::<P>::open(&self.setup, &self.station, flow)?;
        let channel = EthernetChannel::new(link, &self.setup, Some(proof));
        let channel = channel.map_err(TransportError::system("prepare a flow of frames"))?;
        self.say(heard, Kind::Accept, &proof)?;
        Ok(Some(Box::new(self.setup.wire(channel))))
    }

    fn say(&self, to: &Heard, kind: Kind, payload: &[u8]) -> Result<(), TransportError> {
        let header = Header {
            token: fixed(&self.token),
            flow: to.flow,
            kind,
            side: Side::Answering,
            length: payload.len() as u16,
            sequence: 0,
            sent_ns: 0,
        };
        let head = header.encode(to.from, self.station.mac);
        match post(self.socket.as_fd(), &head, payload) {
            // It will ask again.
            Ok(()) | Err(Errno::AGAIN | Errno::NOBUFS) => Ok(()),
            Err(errno) => Err(TransportError::system("answer a station")(errno.into())),
        }
    }
}

impl<P: Plane> Listen for StationListener<P> {
    fn rendezvous(&self) -> Rendezvous {
        ChannelAddress::Station { mac: self.station.mac, ethertype: ETHERTYPE }.into()
    }

    fn accept(&mut self, deadline: Deadline) -> Result<Arrived, TransportError> {
        let failed = |errno: Errno| TransportError::system("wait for a station")(errno.into());
        loop {
            while let Some(heard) = hear(&self.socket).map_err(failed)? {
                if let Some(line) = self.hear(&heard)? {
                    return Ok((heard.flow, line));
                }
            }
            let Ok(left) = deadline.left() else { return Err(TransportError::Late) };
            let mut one = [PollFd::new(&self.socket, PollFlags::IN)];
            match rustix::event::poll(&mut one, Some(&timespec(left))) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(failed(errno)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr};
    use std::time::Duration;

    use linerate_core::transport::Transport;

    use super::*;
    use crate::observe::HostClock;
    use crate::transport::ethernet::frame::HEAD_LEN;
    use crate::transport::ethernet::plane::PacketPlane;

    /// A station whose address is not proven.
    struct RawPeer {
        listener: StationListener<PacketPlane>,
        token: ChannelToken,
    }

    impl RawPeer {
        /// On the loopback, with a token of its own. Skipped with a message if the privilege is
        /// missing.
        fn new() -> Option<Self> {
            let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
            let setup = Setup::plain(Transport::Ethernet, HostClock::start(), peer.ip(), peer);
            let token = random().expect("random bytes");
            match StationListener::open(&setup, &token) {
                Ok(listener) => Some(Self { listener, token }),
                Err(error @ TransportError::Lacking { .. }) => {
                    assert!(std::env::var("CI").as_deref() != Ok("true"), "failed to {error}");
                    eprintln!("skipped: failed to {error}");
                    None
                }
                Err(error) => panic!("failed to {error}"),
            }
        }

        /// What a station says that claims to be `from`; whether it is let in.
        fn say(&mut self, from: Mac, kind: Kind, payload: &[u8]) -> bool {
            let header = Header {
                token: fixed(&self.token),
                flow: 3,
                kind,
                side: Side::Beginning,
                length: payload.len() as u16,
                sequence: 0,
                sent_ns: 0,
            };
            let head = header.encode(self.listener.station.mac, from);
            post(self.listener.socket.as_fd(), &head, payload).expect("the loopback takes it");
            match self.listener.accept(Deadline::after(Duration::from_millis(20))) {
                Ok((flow, _)) => flow == 3,
                Err(TransportError::Late) => false,
                Err(error) => panic!("failed to {error}"),
            }
        }

        fn proof(&self) -> Option<[u8; 16]> {
            self.listener.callers.get(&3).map(|caller| caller.proof)
        }
    }

    const HERE: Mac = [2, 0, 0, 0, 0, 1];
    const ELSEWHERE: Mac = [2, 0, 0, 0, 0, 2];
    const NONCE: [u8; 16] = [4; 16];

    #[test]
    fn only_who_says_the_proof_from_where_it_was_sent_is_let_in_and_only_once() {
        let Some(mut peer) = RawPeer::new() else { return };
        assert!(!peer.say(HERE, Kind::Proof, &[0; 16]), "before a hello");
        let hello = [peer.token, NONCE].concat();
        assert!(!peer.say(HERE, Kind::Hello, &hello));
        let proof = peer.proof().expect("it was answered");
        assert!(!peer.say(HERE, Kind::Proof, &[0; 16]), "a guess");
        assert!(!peer.say(HERE, Kind::Proof, &proof[..15]), "a part");
        assert!(!peer.say(ELSEWHERE, Kind::Proof, &proof), "from elsewhere");
        assert!(peer.say(HERE, Kind::Proof, &proof));
        assert!(!peer.say(HERE, Kind::Proof, &proof), "again");
        assert!(!peer.say(ELSEWHERE, Kind::Hello, &hello), "a flow that stands is not given away");
        assert_eq!(peer.proof(), Some(proof));
    }

    #[test]
    fn a_hello_without_the_whole_token_leaves_no_trace() {
        let Some(mut peer) = RawPeer::new() else { return };
        let mut wrong = peer.token;
        wrong[15] ^= 1;
        assert!(!peer.say(HERE, Kind::Hello, &[wrong, NONCE].concat()));
        assert!(!peer.say(HERE, Kind::Hello, &wrong));
        assert_eq!(peer.proof(), None);
    }

    #[test]
    fn no_answer_is_longer_than_its_question() {
        let Some(mut peer) = RawPeer::new() else { return };
        // What the listener sends to a host of a made-up address comes by here, to nobody.
        let ears =
            Socket::new(socket2::Domain::PACKET, socket2::Type::RAW, Some(0.into())).expect("privileged");
        crate::sys::packet::bind(&ears, ETHERTYPE, peer.listener.station.index).expect("a loopback");
        ears.set_nonblocking(true).expect("it does not wait");
        let lengths = |peer: &RawPeer| {
            let (mut asked, mut answered) = (0, 0);
            let mut frame = [0; 2_048];
            while let Ok((_, length)) = rustix::net::recv(&ears, &mut frame, rustix::net::RecvFlags::empty())
            {
                match Header::decode(&frame[..length]) {
                    Some((_, header, _)) if header.token != fixed::<8>(&peer.token) => {}
                    Some((_, Header { side: Side::Beginning, .. }, _)) => asked += length,
                    Some(_) => answered += length,
                    None => {}
                }
            }
            (asked, answered)
        };
        let hello = [peer.token, NONCE].concat();
        peer.say(HERE, Kind::Hello, &hello);
        assert_eq!(lengths(&peer), (HEAD_LEN + 32, HEAD_LEN + 32));
        let proof = peer.proof().expect("it was answered");
        peer.say(HERE, Kind::Proof, &proof);
        let (asked, answered) = lengths(&peer);
        assert_eq!(asked, HEAD_LEN + 16);
        // To be accepted; and the channel that the test discards says twice that it leaves.
        assert_eq!(answered, HEAD_LEN + 16 + 2 * HEAD_LEN);
    }
}
