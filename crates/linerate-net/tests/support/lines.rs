//! Both ends of a channel of any transport as endpoints.

use std::io;
use std::os::fd::BorrowedFd;

use linerate_core::endpoint::{LinkError, run_ready};
use linerate_core::environment::Fact;
use linerate_core::observation::Connection;
use linerate_core::options::Granted;
use linerate_core::traffic::IoReport;
use linerate_core::units::Span;
use linerate_net::channel::{Channel, ChannelHandle, Wire};
use linerate_net::flow::{Incoming, Outgoing};
use linerate_net::line::Line;
use linerate_net::observe::HostClock;
use linerate_net::wait::{Interest, Wait};

use super::conformance::Pair;
use super::rendezvous::Ends;

/// A line of any transport, as a channel again, so that it can be an endpoint.
#[derive(Debug)]
pub(crate) struct Any(Box<dyn Line>);

/// Two connected ends; each program runs on a thread of its own.
#[derive(Debug)]
pub(crate) struct Lines([Wire<Any>; 2]);

impl Lines {
    /// Takes both ends of a channel.
    pub(crate) fn of(ends: Ends) -> Self {
        let clock = HostClock::start();
        Self(ends.map(|line| Wire::new(Any(line), clock)))
    }
}

impl Channel for Any {
    fn push(&mut self, data: &[u8], wait: Wait) -> Result<usize, LinkError> {
        self.0.channel_mut().push(data, wait)
    }

    fn pull(&mut self, into: &mut [u8], wait: Wait) -> Result<usize, LinkError> {
        self.0.channel_mut().pull(into, wait)
    }

    fn ready(&mut self, interest: Interest, within: Span) -> Result<bool, LinkError> {
        self.0.channel_mut().ready(interest, within)
    }

    fn finish_sending(&mut self) -> Result<(), LinkError> {
        self.0.channel_mut().finish_sending()
    }

    fn granted(&self) -> Granted {
        self.0.channel().granted()
    }

    fn connection(&self) -> Fact<Connection> {
        self.0.channel().connection()
    }

    fn handle(&self) -> io::Result<Box<dyn ChannelHandle>> {
        self.0.channel().handle()
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.0.channel().descriptor()
    }

    fn io_report(&self) -> Option<IoReport> {
        self.0.channel().io_report()
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
