//! Two stations of a laboratory that speak raw Ethernet.

use std::fmt::Display;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::AsRawFd as _;
use std::process::Command;
use std::time::Duration;

use linerate_core::traffic::{Bound, Datagrams, HalfAccount};
use linerate_core::transport::Transport;
use linerate_core::units::{Rate, Size, Span, Time};
use linerate_net::control::{ChannelAddress, ChannelToken, Deadline, Rendezvous};
use linerate_net::flow::{Counter, Incoming, Outgoing, Pace, Progress, SendProgress};
use linerate_net::lab::{HERE, THERE, TwoHosts, shape};
use linerate_net::line::Line;
use linerate_net::observe::HostClock;
use linerate_net::transport::{Listen, Listener, Setup, TransportError, join, listen};
use nix::ifaddrs::getifaddrs;
use nix::sys::socket::{LinkAddr, MsgFlags, sendto};
use socket2::{Domain, Socket, Type};

use super::rendezvous::{Ends, TOKEN, accept};
use super::{lab, missing};

/// What every frame carries besides its message. Unit: bytes.
pub(crate) const HEADER: usize = 32;
/// Where the slow queue leads to.
const BEHIND: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 3);

/// Two hosts and a wire.
pub(crate) struct Stations(TwoHosts);

/// A station that is reached through a bridge and a slow queue.
pub(crate) struct Slow<'a>(&'a Stations);

/// What one end knows.
pub(crate) fn setup(local: Ipv4Addr, peer: Ipv4Addr) -> Setup {
    let peer = SocketAddr::from((peer, 5_470));
    Setup::plain(Transport::Ethernet, HostClock::start(), IpAddr::from(local), peer)
}

impl Stations {
    pub(crate) fn new(mtu: u32) -> Option<Self> {
        lab(mtu).map(Self)
    }

    /// The same on a kernel that has `AF_XDP`, or none, with a word.
    #[cfg(feature = "xdp")]
    pub(crate) fn with_xdp(mtu: u32) -> Option<Self> {
        let stations = Self::new(mtu)?;
        match Socket::new(Domain::from(libc::AF_XDP), Type::RAW, None) {
            Err(error) if error.raw_os_error() == Some(libc::EAFNOSUPPORT) => {
                missing("AF_XDP (CONFIG_XDP_SOCKETS)");
                None
            }
            opened => opened.map(|_| Some(stations)).expect("root may make one"),
        }
    }

    /// Both ends of a flow: the initiator and the responder, as `change` alters their set-up.
    pub(crate) fn ends(&self, change: impl Fn(&mut Setup)) -> Ends {
        self.flows(1, change).remove(0)
    }

    /// The same of several flows, which begin at once.
    pub(crate) fn flows(&self, count: u32, change: impl Fn(&mut Setup)) -> Vec<Ends> {
        self.between(
            count,
            [setup(HERE, THERE), setup(THERE, HERE)].map(|mut setup| {
                change(&mut setup);
                setup
            }),
        )
    }

    pub(crate) fn between(&self, count: u32, [here, there]: [Setup; 2]) -> Vec<Ends> {
        let mut host = self.listen(&there);
        let rendezvous = host.rendezvous();
        std::thread::scope(|scope| {
            let (here, rendezvous) = (&here, &rendezvous);
            let begun: Vec<_> = (0..count)
                .map(|flow| scope.spawn(move || self.0.here(|| join(here, rendezvous, &TOKEN, flow))))
                .collect();
            let host = &mut host;
            let mut answered = self.0.there(move || {
                (0..count).map(|_| accept(host.as_mut()).expect("a flow arrives")).collect::<Vec<_>>()
            });
            let answered = answered.as_mut().expect("entered");
            answered.sort_by_key(|(flow, _)| *flow);
            let begun = begun.into_iter().map(|end| end.join().expect("no panic").expect("entered"));
            begun
                .zip(answered.drain(..))
                .map(|(begun, (_, answered))| [begun.expect("it stands"), answered])
                .collect()
        })
    }

    fn listen(&self, setup: &Setup) -> Box<dyn Listen> {
        match self.0.there(|| listen(setup, &TOKEN)).expect("entered").expect("it hosts") {
            Listener::Separate(host) => host,
            Listener::ServerPort(_) => panic!("frames come through no server"),
        }
    }

    /// Calls the host with another token, while it listens.
    pub(crate) fn call(&self, token: &ChannelToken) -> Result<Box<dyn Line>, TransportError> {
        let mut host = self.listen(&setup(THERE, HERE));
        let rendezvous = host.rendezvous();
        std::thread::scope(|scope| {
            let calling = scope.spawn(|| self.0.here(|| join(&setup(HERE, THERE), &rendezvous, token, 0)));
            let host = &mut host;
            let heard = self.0.there(move || {
                // Longer than anybody asks.
                let accepted = host.accept(Deadline::after(Duration::from_millis(5_500)));
                accepted.map(|(flow, _)| flow)
            });
            assert!(matches!(heard.expect("entered"), Err(TransportError::Late)));
            calling.join().expect("no panic").expect("entered")
        })
    }

    /// Keeps the other host from sending frames of IPv6's own accord.
    pub(crate) fn quiet(&self) {
        let switch = || std::fs::write("/proc/sys/net/ipv6/conf/wire/disable_ipv6", "1");
        match self.0.there(switch).expect("entered") {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("{error}"),
            _ => {}
        }
    }

    /// Sends messages with these numbers to the responder of flow 0, as if the initiator had.
    pub(crate) fn forge(&self, numbers: &[u64]) {
        let to = self.0.there(wire).expect("entered");
        let sent = self.0.here(|| {
            let from = wire();
            let socket = Socket::new(Domain::PACKET, Type::RAW, None).expect("root may make one");
            let addresses = [to, from].map(|end| end.addr().expect("an Ethernet address"));
            for number in numbers {
                let (flow, kind_side_length) = ([0; 4], [0; 4]);
                let frame = [
                    addresses.as_flattened(),
                    &[0x88, 0xB5],
                    &TOKEN[..8],
                    &flow,
                    &kind_side_length,
                    &number.to_be_bytes(),
                    &[0; 8],
                ];
                let frame = frame.concat();
                let sent = sendto(socket.as_raw_fd(), &frame, &from, MsgFlags::empty());
                assert_eq!(sent, Ok(frame.len()));
            }
        });
        sent.expect("entered");
    }

    /// Calls a station by another transport.
    pub(crate) fn call_by(&self, transport: Transport) -> Result<Box<dyn Line>, TransportError> {
        let mut setup = setup(HERE, THERE);
        setup.transport = transport;
        self.call_as(&setup)
    }

    /// Calls a station that may not be, with this set-up.
    pub(crate) fn call_as(&self, setup: &Setup) -> Result<Box<dyn Line>, TransportError> {
        let rendezvous =
            Rendezvous::from(ChannelAddress::Station { mac: [2, 0, 0, 9, 9, 9], ethertype: 0x88B5 });
        self.0.here(|| join(setup, &rendezvous, &TOKEN, 0)).expect("entered")
    }

    /// Frames that the other host has sent.
    pub(crate) fn sent_by_there(&self) -> u64 {
        let text = self.there("cat", "/proc/thread-self/net/dev").expect("the kernel counts");
        let line = text.lines().find_map(|line| line.trim().strip_prefix("wire:")).expect("there is a wire");
        line.split_whitespace().nth(9).and_then(|count| count.parse().ok()).expect("a count")
    }

    /// Puts a bridge and a queue behind the other end of the wire. None where the tools lack.
    pub(crate) fn behind_a_bridge(&self, rate: &str, limit: &str, burst: &str) -> Option<Slow<'_>> {
        for command in [
            "ip address flush dev wire".to_owned(),
            "ip link add name far type veth peer name near".to_owned(),
            "ip link add name bridge type bridge".to_owned(),
            "ip link set near master bridge".to_owned(),
            "ip link set wire master bridge".to_owned(),
            "ip link set near up".to_owned(),
            "ip link set far up".to_owned(),
            "ip link set bridge up".to_owned(),
            format!("ip address add {BEHIND}/24 dev far"),
            format!("tc qdisc add dev near root tbf rate {rate} limit {limit} burst {burst}"),
        ] {
            let (program, arguments) = command.split_once(' ').expect("a program and its arguments");
            if !done(self.there(program, arguments), &command) {
                return None;
            }
        }
        Some(Slow(self))
    }

    /// Puts a slow queue of 20 KiB before this end of the wire.
    pub(crate) fn slow_down_here(&self) {
        let slow = || shape(Rate::from_mbps(50.0), Size(10 << 10), Size(20 << 10));
        self.0.here(slow).expect("entered").expect("there is a wire");
    }

    fn there(&self, program: &str, arguments: &str) -> Result<String, String> {
        self.0.there(|| run(program, arguments)).expect("entered")
    }
}

/// This end of the wire.
fn wire() -> LinkAddr {
    let mut all = getifaddrs().expect("a list of interfaces");
    all.find_map(|entry| match entry.interface_name.as_str() {
        "wire" => entry.address?.as_link_addr().copied(),
        _ => None,
    })
    .expect("there is a wire")
}

/// What a program printed, or what it complained of.
fn run(program: &str, arguments: &str) -> Result<String, String> {
    let output = Command::new(program).args(arguments.split(' ')).output();
    let output = output.map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// Whether a command could be carried out; in CI it must.
fn done(outcome: Result<impl Sized, impl Display>, command: &str) -> bool {
    let Err(why) = outcome else { return true };
    missing(format_args!("`{command}` (it said: {why})"));
    false
}

impl Slow<'_> {
    pub(crate) fn ends(&self) -> Ends {
        self.0.between(1, [setup(HERE, BEHIND), setup(BEHIND, HERE)]).remove(0)
    }

    /// Packets that the slow queue has dropped.
    pub(crate) fn dropped(&self) -> u64 {
        let text = self.0.there("tc", "-s qdisc show dev near").expect("tc tells");
        let (_, after) = text.split_once("(dropped ").expect("a count");
        after.split(',').next().and_then(|count| count.parse().ok()).expect("a number")
    }
}

/// Sends and receives one flow; `hold` keeps the receiver back until this many bytes were sent.
pub(crate) fn flow(
    [mut from, mut to]: Ends,
    size: usize,
    bound: Bound,
    pace: Option<Rate>,
    hold: u64,
) -> [HalfAccount; 2] {
    let (clock, counters) = (HostClock::start(), [Counter::default(), Counter::default()]);
    let message = vec![3; size];
    std::thread::scope(|scope| {
        let (counters, clock) = (&counters, &clock);
        let progress = Progress::new(Time::ZERO, Span::ZERO);
        let sender = scope.spawn(move || {
            let pace = pace.map(|rate| Pace::new(size as u64, rate));
            let sent = SendProgress::new(progress, bound, pace);
            let mut out = Outgoing::new(*clock, sent, &message, &counters[0]);
            from.send_flow(&mut out).expect("the flow is sent");
            out.account()
        });
        while counters[0].load() < hold {
            std::thread::yield_now();
        }
        let mut buffer = vec![0; 64 << 10];
        let mut into = Incoming::new(*clock, progress, &mut buffer, &counters[1]).touched(true);
        to.receive_flow(&mut into).expect("the flow is received");
        [sender.join().expect("no panic"), into.account(true)]
    })
}

pub(crate) fn datagrams(account: &HalfAccount) -> &Datagrams {
    account.datagrams.as_ref().expect("frames are counted")
}
