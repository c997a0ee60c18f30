//! Two stations of a laboratory that speak raw Ethernet.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::Command;
use std::time::Duration;

use linerate_core::traffic::{Bound, Datagrams, HalfAccount};
use linerate_core::transport::Transport;
use linerate_core::units::{Rate, Time};
use linerate_net::channel::Line;
use linerate_net::control::{Deadline, Pass};
use linerate_net::lab::{HERE, Lab, LabError, THERE};
use linerate_net::observe::HostClock;
use linerate_net::traffic::{Counter, Incoming, Outgoing, Pace};
use linerate_net::transport::{Host, Hosting, Meeting, Place, Setup, TransportError, host, join};

pub(crate) const PASS: Pass = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 9, 10, 11, 12, 13, 14, 15, 16];
/// Where the slow queue leads to.
const BEHIND: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 3);

/// Both ends of a flow.
pub(crate) type Ends = [Box<dyn Line>; 2];

/// Two hosts and a wire.
pub(crate) struct Stations(Lab);

/// A station that is reached through a bridge and a slow queue.
pub(crate) struct Slow<'a>(&'a Stations);

/// A laboratory, or none, with a word, where there can be none; under CI that is a failure.
pub(crate) fn lab(mtu: u32) -> Option<Lab> {
    match Lab::new(mtu) {
        Ok(lab) => Some(lab),
        Err(error @ (LabError::Privilege | LabError::Program { .. })) => {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "failed to {error}");
            eprintln!("skipped: failed to {error}");
            None
        }
        Err(error) => panic!("failed to {error}"),
    }
}

/// What one end knows.
pub(crate) fn setup(local: Ipv4Addr, peer: Ipv4Addr) -> Setup {
    let peer = SocketAddr::from((peer, 5_470));
    Setup::plain(Transport::Ethernet, HostClock::start(), IpAddr::from(local), peer)
}

impl Stations {
    pub(crate) fn new(mtu: u32) -> Option<Self> {
        lab(mtu).map(Self)
    }

    /// Both ends of a flow: the beginning and the answering one, as `change` alters their set-up.
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
        let mut host = self.host(&there);
        let meeting = host.meeting();
        std::thread::scope(|scope| {
            let (here, meeting) = (&here, &meeting);
            let begun: Vec<_> = (0..count)
                .map(|flow| scope.spawn(move || self.0.here(|| join(here, meeting, &PASS, flow))))
                .collect();
            let host = &mut host;
            let mut answered =
                self.0.there(move || (0..count).map(|_| next(host.as_mut())).collect::<Vec<_>>());
            let answered = answered.as_mut().expect("entered");
            answered.sort_by_key(|(flow, _)| *flow);
            let begun = begun.into_iter().map(|end| end.join().expect("no panic").expect("entered"));
            begun
                .zip(answered.drain(..))
                .map(|(begun, (_, answered))| [begun.expect("it stands"), answered])
                .collect()
        })
    }

    fn host(&self, setup: &Setup) -> Box<dyn Host> {
        match self.0.there(|| host(setup, &PASS)).expect("entered").expect("it hosts") {
            Hosting::Apart(host) => host,
            Hosting::AtTheDoor(_) => panic!("frames come through no door"),
        }
    }

    /// Calls the host with another pass, while it listens.
    pub(crate) fn call(&self, pass: &Pass) -> Result<Box<dyn Line>, TransportError> {
        let mut host = self.host(&setup(THERE, HERE));
        let meeting = host.meeting();
        std::thread::scope(|scope| {
            let calling = scope.spawn(|| self.0.here(|| join(&setup(HERE, THERE), &meeting, pass, 0)));
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

    /// Calls a station by another transport.
    pub(crate) fn call_by(&self, transport: Transport) -> Result<Box<dyn Line>, TransportError> {
        let mut setup = setup(HERE, THERE);
        setup.transport = transport;
        self.call_as(&setup)
    }

    /// Calls a station that may not be, with this set-up.
    pub(crate) fn call_as(&self, setup: &Setup) -> Result<Box<dyn Line>, TransportError> {
        let meeting = Meeting::from(Place::Station { mac: [2, 0, 0, 9, 9, 9], ethertype: 0x88B5 });
        self.0.here(|| join(setup, &meeting, &PASS, 0)).expect("entered")
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

    /// Puts a slow queue before this end of the wire; whether there are tools for it.
    pub(crate) fn slow_down_here(&self, rate: &str, limit: &str, burst: &str) -> bool {
        let queue = format!("qdisc add dev wire root tbf rate {rate} limit {limit} burst {burst}");
        let added = self.0.here(|| run("tc", &queue)).expect("entered");
        done(added, &queue)
    }

    fn there(&self, program: &str, arguments: &str) -> Result<String, String> {
        self.0.there(|| run(program, arguments)).expect("entered")
    }
}

/// What a program printed, or what it complained of.
fn run(program: &str, arguments: &str) -> Result<String, String> {
    let output = Command::new(program).args(arguments.split(' ')).output();
    let output = output.map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// Whether a command could be carried out; in CI it must.
fn done(outcome: Result<String, String>, command: &str) -> bool {
    let Err(why) = outcome else { return true };
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{command}: {why}");
    eprintln!("skipped: `{command}` said: {why}");
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

/// Both ends of a flow between a host and itself.
pub(crate) fn on_the_loopback() -> Ends {
    let setup = setup(Ipv4Addr::LOCALHOST, Ipv4Addr::LOCALHOST);
    let Hosting::Apart(mut host) = host(&setup, &PASS).expect("it hosts") else {
        panic!("frames come through no door");
    };
    let meeting = host.meeting();
    std::thread::scope(|scope| {
        let begun = scope.spawn(|| join(&setup, &meeting, &PASS, 0));
        let (_, answered) = next(host.as_mut());
        [begun.join().expect("no panic").expect("it stands"), answered]
    })
}

/// Sends and receives one flow; `hold` keeps the receiver back until so many bytes were sent.
pub(crate) fn flow(
    [mut from, mut to]: [Box<dyn Line>; 2],
    size: usize,
    bound: Bound,
    pace: Option<Rate>,
    hold: u64,
) -> [HalfAccount; 2] {
    let (clock, counters) = (HostClock::start(), [Counter::default(), Counter::default()]);
    let message = vec![3; size];
    std::thread::scope(|scope| {
        let (counters, clock) = (&counters, &clock);
        let sender = scope.spawn(move || {
            let pace = pace.map(|rate| Pace::new(size as u64, rate));
            let mut out = Outgoing::new(*clock, Time::ZERO, &message, bound, &counters[0]).paced(pace);
            from.send_flow(&mut out).expect("the flow is sent");
            out.account()
        });
        while counters[0].load() < hold {
            std::thread::yield_now();
        }
        let mut buffer = vec![0; 64 << 10];
        let mut into = Incoming::new(*clock, Time::ZERO, &mut buffer, &counters[1]).touched(true);
        to.receive_flow(&mut into).expect("the flow is received");
        [sender.join().expect("no panic"), into.account()]
    })
}

pub(crate) fn datagrams(account: &HalfAccount) -> &Datagrams {
    account.datagrams.as_ref().expect("frames are counted")
}

fn next(host: &mut dyn Host) -> (u32, Box<dyn Line>) {
    let deadline = Deadline::after(Duration::from_secs(20));
    while deadline.left().is_ok() {
        match host.accept(Deadline::after(Duration::from_millis(50))) {
            Err(TransportError::Late) => {}
            arrived => return arrived.expect("a flow arrives"),
        }
    }
    panic!("no flow arrived");
}
