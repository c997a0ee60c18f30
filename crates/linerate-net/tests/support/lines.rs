//! Two connected ends of any transport, made as the two processes make them, but in one.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::BorrowedFd;
use std::time::Duration;

use linerate_core::endpoint::{LinkError, run_ready};
use linerate_core::environment::Fact;
use linerate_core::observation::Connection;
use linerate_core::options::Granted;
use linerate_core::traffic::IoReport;
use linerate_core::transport::Transport;
use linerate_core::units::Span;
use linerate_net::channel::{Channel, Interest, Line, Remote, Wait, Wire};
use linerate_net::control::{Deadline, GREETING_LEN, Pass};
use linerate_net::observe::HostClock;
use linerate_net::traffic::{Incoming, Outgoing};
use linerate_net::transport::{Hosting, Setup, TransportError, host, join};

use crate::conformance::Pair;

const PASS: Pass = [9; 16];
/// Longer than any transport takes to come together on one host.
const PATIENCE: Duration = Duration::from_secs(20);

/// A line of any transport, as a channel again, so that it can be an endpoint.
#[derive(Debug)]
pub(crate) struct Any(Box<dyn Line>);

/// Two connected ends; each program runs on a thread of its own.
#[derive(Debug)]
pub(crate) struct Lines([Wire<Any>; 2]);

impl Lines {
    /// Both ends of a channel of `transport`, as `change` alters their set-up.
    pub(crate) fn connect(transport: Transport, change: impl Fn(&mut Setup)) -> Result<Self, TransportError> {
        over(Ipv4Addr::LOCALHOST.into(), transport, change)
    }
}

/// Both ends of a channel of `transport` on this address of the host.
pub(crate) fn over(
    address: IpAddr,
    transport: Transport,
    change: impl Fn(&mut Setup),
) -> Result<Lines, TransportError> {
    let clock = HostClock::start();
    Ok(Lines(lines(address, transport, change)?.map(|line| Wire::new(Any(line), clock))))
}

/// Whether this host has the transport. If it has not, what it says names what to do.
pub(crate) fn there_is(transport: Transport) -> bool {
    match Lines::connect(transport, |_| {}) {
        Ok(_) => true,
        Err(error @ TransportError::Lacking { .. }) => {
            let error = error.to_string();
            let advice = ["sysctl", "modprobe", "CONFIG_", "/dev/"];
            assert!(advice.iter().any(|word| error.contains(word)), "{error}");
            eprintln!("skipped: this kernel has it not: failed to {error}");
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// Both ends of a channel of `transport`: the beginning one and the answering one.
pub(crate) fn lines(
    address: IpAddr,
    transport: Transport,
    change: impl Fn(&mut Setup),
) -> Result<[Box<dyn Line>; 2], TransportError> {
    // What stands for the server's own port.
    let door = TcpListener::bind((address, 0)).expect("a free port");
    let address = door.local_addr().expect("it listens");
    let mut setup = Setup::plain(transport, HostClock::start(), address.ip(), address);
    setup.largest = 8 << 20;
    change(&mut setup);
    let mut hosting = host(&setup, &PASS)?;
    let meeting = match &hosting {
        Hosting::AtTheDoor(adopt) => adopt.meeting(),
        Hosting::Apart(host) => host.meeting(),
    };
    std::thread::scope(|scope| {
        let setup = &setup;
        let begun = scope.spawn(move || join(setup, &meeting, &PASS, 0));
        let answered = match &mut hosting {
            Hosting::AtTheDoor(adopt) => adopt.adopt(through_the_door(&door)),
            Hosting::Apart(host) => arrival(host.as_mut()),
        };
        Ok([begun.join().expect("it does not panic")?, answered?])
    })
}

/// Takes a data connection as the server does: it greets and introduces itself.
fn through_the_door(door: &TcpListener) -> TcpStream {
    let (mut stream, _) = door.accept().expect("the other end connects");
    let mut opening = [0; GREETING_LEN + PASS.len() + 4];
    stream.read_exact(&mut opening).expect("a greeting, a pass and a number");
    assert_eq!(opening[GREETING_LEN..][..PASS.len()], PASS);
    stream.write_all(&[6]).expect("the other end listens");
    stream
}

fn arrival(host: &mut dyn linerate_net::transport::Host) -> Result<Box<dyn Line>, TransportError> {
    let deadline = Deadline::after(PATIENCE);
    while deadline.left().is_ok() {
        match host.accept(Deadline::after(Duration::from_millis(50))) {
            Ok((flow, line)) => {
                assert_eq!(flow, 0);
                return Ok(line);
            }
            Err(TransportError::Late) => {}
            Err(error) => return Err(error),
        }
    }
    Err(TransportError::Late)
}

impl Channel for Any {
    fn push(&mut self, data: &[u8], wait: Wait) -> Result<usize, LinkError> {
        self.0.push(data, wait)
    }

    fn pull(&mut self, into: &mut [u8], wait: Wait) -> Result<usize, LinkError> {
        self.0.pull(into, wait)
    }

    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError> {
        self.0.ready(interest, within)
    }

    fn finish_sending(&mut self) -> Result<(), LinkError> {
        self.0.finish_sending()
    }

    fn granted(&self) -> Granted {
        self.0.granted()
    }

    fn connection(&self) -> Fact<Connection> {
        self.0.connection()
    }

    fn remote(&self) -> io::Result<Box<dyn Remote>> {
        self.0.remote()
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.0.descriptor()
    }

    fn io_report(&self) -> Option<IoReport> {
        self.0.io_report()
    }

    fn send_bulk(&mut self, out: &mut Outgoing<'_>) -> Result<(), LinkError> {
        self.0.send_flow(out)
    }

    fn receive_bulk(&mut self, into: &mut Incoming<'_>) -> Result<(), LinkError> {
        self.0.receive_flow(into)
    }
}

impl Pair for Lines {
    type End = Wire<Any>;

    fn run<A: Send, B: Send>(
        self,
        one: impl AsyncFnOnce(Wire<Any>) -> A + Send,
        other: impl AsyncFnOnce(Wire<Any>) -> B + Send,
    ) -> (A, B) {
        let [here, there] = self.0;
        std::thread::scope(|scope| {
            let other = scope.spawn(move || run_ready(other(there)));
            let one = run_ready(one(here));
            (one, other.join().expect("the other program ends"))
        })
    }
}
