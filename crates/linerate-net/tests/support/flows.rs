//! Flows between two ends of a transport that has a place of its own, in one process.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use linerate_core::endpoint::LinkError;
use linerate_core::traffic::{Bound, HalfAccount};
use linerate_core::transport::Transport;
use linerate_core::units::{Rate, Time};
use linerate_net::channel::Line;
use linerate_net::control::{Deadline, Pass};
use linerate_net::observe::HostClock;
use linerate_net::traffic::{Counter, Incoming, Outgoing, Pace};
use linerate_net::transport::{Host, Hosting, Meeting, Setup, TransportError, host, join};

pub(crate) const PASS: Pass = [9; 16];
/// Longer than any transport takes to come together on one host.
const PATIENCE: Duration = Duration::from_secs(20);

/// What one end of a flow came to.
pub(crate) type End = (HalfAccount, Result<(), LinkError>);

/// What both ends of a flow came to.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) sender: End,
    pub(crate) receiver: End,
}

/// A set-up between two ends of this address.
pub(crate) fn setup(transport: Transport, address: IpAddr) -> Setup {
    Setup::plain(transport, HostClock::start(), address, SocketAddr::new(address, 0))
}

pub(crate) fn meet(hosting: &Hosting) -> Meeting {
    match hosting {
        Hosting::AtTheDoor(adopt) => adopt.meeting(),
        Hosting::Apart(host) => host.meeting(),
    }
}

/// Both ends of a channel.
pub(crate) fn lines(setup: &Setup) -> [Box<dyn Line>; 2] {
    let mut hosting = host(setup, &PASS).expect("it waits");
    let meeting = meet(&hosting);
    std::thread::scope(|scope| {
        let begun = scope.spawn(move || join(setup, &meeting, &PASS, 0));
        let answered = channel(&mut hosting);
        [begun.join().expect("it does not panic").expect("it is accepted"), answered]
    })
}

/// The channel of flow 0 that arrives.
pub(crate) fn channel(hosting: &mut Hosting) -> Box<dyn Line> {
    let Hosting::Apart(host) = hosting else { panic!("a place of its own") };
    let (number, line) = accept(host.as_mut()).expect("it comes");
    assert_eq!(number, 0);
    line
}

/// The next channel that arrives.
pub(crate) fn accept(host: &mut dyn Host) -> Result<(u32, Box<dyn Line>), TransportError> {
    let deadline = Deadline::after(PATIENCE);
    while deadline.left().is_ok() {
        match host.accept(Deadline::after(Duration::from_millis(50))) {
            Err(TransportError::Late) => {}
            arrived => return arrived,
        }
    }
    Err(TransportError::Late)
}

/// A flow from the first end to the second.
pub(crate) fn flow(ends: [Box<dyn Line>; 2], message: usize, bound: Bound) -> Flow {
    run(ends, message, bound, None, false)
}

/// A flow whose receiver begins only when everything was sent.
pub(crate) fn paused(ends: [Box<dyn Line>; 2], message: usize, bound: Bound) -> Flow {
    run(ends, message, bound, None, true)
}

/// A flow that keeps a rate.
pub(crate) fn paced(ends: [Box<dyn Line>; 2], message: usize, bound: Bound, rate: Rate) -> Flow {
    run(ends, message, bound, Some(rate), false)
}

fn run(ends: [Box<dyn Line>; 2], message: usize, bound: Bound, rate: Option<Rate>, paused: bool) -> Flow {
    let [here, there] = ends;
    let counter = Counter::default();
    std::thread::scope(|scope| {
        let sending = scope.spawn(|| send_counted(here, message, bound, rate, &counter));
        if paused {
            let Bound::Count(count) = bound else { panic!("a count") };
            while counter.load() < count * message as u64 {
                std::thread::yield_now();
            }
        }
        let receiver = receive(there, message);
        Flow { sender: sending.join().expect("it does not panic"), receiver }
    })
}

/// The sending end of a flow.
pub(crate) fn send(line: Box<dyn Line>, message: usize, bound: Bound) -> End {
    send_counted(line, message, bound, None, &Counter::default())
}

fn send_counted(
    mut line: Box<dyn Line>,
    message: usize,
    bound: Bound,
    rate: Option<Rate>,
    counter: &Counter,
) -> End {
    let bytes = vec![7; message];
    let pace = rate.map(|rate| Pace::new(message as u64, rate));
    let mut out = Outgoing::new(HostClock::start(), Time::ZERO, &bytes, bound, counter).paced(pace);
    let said = line.send_flow(&mut out);
    (out.account(), said)
}

/// The receiving end of a flow.
pub(crate) fn receive(mut line: Box<dyn Line>, message: usize) -> End {
    let (mut buffer, counter) = (vec![0; message], Counter::default());
    let mut into = Incoming::new(HostClock::start(), Time::ZERO, &mut buffer, &counter).touched(true);
    let said = line.receive_flow(&mut into);
    (into.account(), said)
}
