//! Flows between two ends of a transport that has a place of its own, in one process.

use std::net::{IpAddr, SocketAddr};

use linerate_core::endpoint::LinkError;
use linerate_core::traffic::{Bound, HalfAccount};
use linerate_core::transport::Transport;
use linerate_core::units::{Rate, Span, Time};
use linerate_net::flow::{Counter, Incoming, Outgoing, Pace, Progress, SendProgress};
use linerate_net::line::Line;
use linerate_net::observe::HostClock;
use linerate_net::transport::Setup;

use super::rendezvous::{Answering, Ends};

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

/// Both ends of a channel.
pub(crate) fn lines(setup: &Setup) -> Ends {
    Answering::of(setup.clone()).expect("it waits").ends().expect("they meet")
}

/// A flow from the first end to the second.
pub(crate) fn flow(ends: Ends, message: usize, bound: Bound) -> Flow {
    run(ends, message, bound, None, false)
}

/// A flow whose receiver begins only when everything was sent.
pub(crate) fn paused(ends: Ends, message: usize, bound: Bound) -> Flow {
    run(ends, message, bound, None, true)
}

/// A flow that keeps a rate.
pub(crate) fn paced(ends: Ends, message: usize, bound: Bound, rate: Rate) -> Flow {
    run(ends, message, bound, Some(rate), false)
}

fn run(ends: Ends, message: usize, bound: Bound, rate: Option<Rate>, paused: bool) -> Flow {
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
    let sent = SendProgress::new(Progress::new(Time::ZERO, Span::ZERO), bound, pace);
    let mut out = Outgoing::new(HostClock::start(), sent, &bytes, counter);
    let said = line.send_flow(&mut out);
    (out.account(), said)
}

/// The receiving end of a flow.
pub(crate) fn receive(mut line: Box<dyn Line>, message: usize) -> End {
    let (mut buffer, counter) = (vec![0; message], Counter::default());
    let progress = Progress::new(Time::ZERO, Span::ZERO);
    let mut into = Incoming::new(HostClock::start(), progress, &mut buffer, &counter).touched(true);
    let said = line.receive_flow(&mut into);
    (into.account(true), said)
}
