//! The initiator's flows of requests.

use std::sync::atomic::AtomicBool;
use std::thread::ScopedJoinHandle;

use linerate_core::kernel::{Effort, HostSample};
use linerate_core::traffic::{Ended, Latency, RrPlan};
use linerate_core::trial::Tally;
use linerate_core::units::{Span, Time};

use super::by_connection::ask_by_connection;
use super::places::start;
use super::{Beside, watched};
use crate::channel::Registration;
use crate::flow::{Asking, Schedule};
use crate::line::Line;
use crate::observe::{EffortWatch, HostClock, LinkWatch};
use crate::transport::TransportError;

/// What all flows of requests of the initiator share.
#[derive(Debug)]
pub(crate) struct Askers<'a> {
    pub(crate) clock: HostClock,
    /// When the load began at this end.
    pub(crate) origin: Time,
    /// When the first request may begin.
    pub(crate) begin: Time,
    pub(crate) plan: &'a RrPlan,
    /// How long the requests last after the warm-up. If absent, their count ends them.
    pub(crate) time: Option<Span>,
    /// Whether bulk runs beside them, which samples the host.
    pub(crate) beside_bulk: bool,
    /// Whether messages may be lost.
    pub(crate) datagrams: bool,
    /// The processors of the threads.
    pub(crate) cpus: Vec<u32>,
    /// Whether Nagle's algorithm may hold requests back, so that it is worth a look at the connections.
    pub(crate) nagle: bool,
    /// The link that the requests cross.
    pub(crate) link: LinkWatch,
    /// Set when the flows are to end early.
    pub(crate) stop: &'a AtomicBool,
}

/// A channel of a single transaction, which can be broken off while it is held.
pub(crate) type Held = (Box<dyn Line>, Registration);

/// Makes the channel of this number.
pub(crate) type Join<'a> = &'a (dyn Fn(u32) -> Result<Held, TransportError> + Sync);

impl Askers<'_> {
    /// The same over this link.
    pub(crate) fn on(self, link: LinkWatch) -> Self {
        Self { link, ..self }
    }

    /// Asks over all `lines` at the same time, each on a thread of its own, or over a channel of
    /// `join` for every transaction. A flow that fails does not affect the others. Returns the
    /// accounts and what the host did meanwhile, unless bulk beside them reports the host.
    pub(crate) fn run(&self, lines: Vec<Box<dyn Line>>, join: Join<'_>) -> (Vec<Latency>, Vec<HostSample>) {
        if self.beside_bulk {
            return (self.ask_all(lines, join), Vec::new());
        }
        let connections = if self.nagle { lines.iter().collect() } else { Vec::new() };
        // Without more descriptors there are no samples.
        let connections: Result<_, _> = connections.iter().map(|line| line.channel().handle()).collect();
        let beside = Beside { link: self.link.clone(), connections: connections.unwrap_or_default() };
        let asked = watched(self.clock, self.origin, beside, || self.ask_all(lines, join));
        let (mut latencies, host, samples) = asked;
        latencies.iter_mut().zip(samples).for_each(|(latency, tcp)| latency.tcp = tcp);
        (latencies, host)
    }

    fn ask_all(&self, lines: Vec<Box<dyn Line>>, join: Join<'_>) -> Vec<Latency> {
        std::thread::scope(|scope| {
            let running: Vec<_> = if self.plan.connect {
                (0..self.plan.flows)
                    .map(|flow| start(scope, &self.cpus, flow, move || self.by_connection(flow, join)))
                    .collect()
            } else {
                (0..)
                    .zip(lines)
                    .map(|(flow, line)| start(scope, &self.cpus, flow, move || self.over(flow, line)))
                    .collect()
            };
            (0..).zip(running).map(|(flow, running)| finish(flow, running)).collect()
        })
    }

    fn over(&self, flow: u32, mut line: Box<dyn Line>) -> Latency {
        let mut asking = self.asking(flow);
        let watch = EffortWatch::start(&self.clock, line.channel().tcp());
        let ended = line.ask(&mut asking);
        let latency = asking.account(ended);
        let effort = watch.finish(&self.clock, &asked(self.plan, &latency), || line.channel().tcp());
        // The other end's is not known yet.
        Latency { flow, effort: Some(Box::new([effort, Effort::default()])), ..latency }
    }

    fn by_connection(&self, flow: u32, join: Join<'_>) -> Latency {
        let mut asking = self.asking(flow);
        let mut number = flow;
        let ended = ask_by_connection(&mut asking, &mut || {
            let line = join(number);
            number = number.wrapping_add(self.plan.flows);
            line
        });
        let latency = asking.account(Ok(()));
        Latency { flow, ended, ..latency }
    }

    fn asking(&self, flow: u32) -> Asking<'_> {
        let schedule = Schedule::new(self.plan, self.begin, self.time, flow);
        Asking::new(self.clock, self.plan, schedule).on_datagrams(self.datagrams).stopped_by(self.stop)
    }
}

/// What passed at the end that asks, as far as whole transactions are concerned.
pub(crate) fn asked(plan: &RrPlan, latency: &Latency) -> Tally {
    let asked = latency.transactions + latency.lost;
    Tally {
        sent_bytes: asked.saturating_mul(plan.request.0),
        received_bytes: latency.transactions.saturating_mul(plan.response.0),
        sent: asked,
        received: latency.transactions,
    }
}

fn finish(flow: u32, running: Result<ScopedJoinHandle<'_, Latency>, String>) -> Latency {
    let failed = |reason| Latency { flow, ended: Ended::Failed(reason), ..Latency::default() };
    match running {
        Ok(handle) => handle.join().unwrap_or_else(|_| failed("its thread panicked".to_owned())),
        Err(reason) => failed(reason),
    }
}
