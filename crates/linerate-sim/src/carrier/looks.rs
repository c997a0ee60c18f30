//! What is seen of a load at every interval.

use linerate_core::carrier::Look;
use linerate_core::kernel::{HostSample, TcpSample};
use linerate_core::traffic::{HalfAccount, Interval};
use linerate_core::units::{Span, Time};

use crate::frame::Station;
use crate::machine::{Machine, Usage};
use crate::stack::Side;
use crate::stations::Stations;

/// The most flows whose TCP is sampled: the first ones. As between real hosts.
const MOST_TCP_FLOWS: usize = 64;

/// What is seen of a load at every interval.
#[derive(Debug)]
pub(super) struct Looks {
    origin: Time,
    last: Time,
    /// By flow, what was seen at its initiator and its responder.
    flows: Vec<[Seen; 2]>,
    /// The stations that have costs.
    hosts: Vec<Option<Watched>>,
    /// What each did.
    samples: Vec<Vec<HostSample>>,
}

/// What was seen of a flow at one of its ends.
#[derive(Clone, Debug, Default)]
struct Seen {
    bytes: u64,
    intervals: Vec<Interval>,
    tcp: Vec<TcpSample>,
}

/// A station's machine at the last sample.
#[derive(Clone, Copy, Debug)]
struct Watched {
    station: Station,
    usage: Usage,
    busiest: Span,
}

impl Looks {
    /// Starts to sample this many flows and `hosts`, each of which has costs.
    pub(super) fn new(origin: Time, flows: usize, stations: &[Option<Station>], model: &Stations) -> Self {
        let watched = |station: Station| {
            let machine = model.machine(station)?;
            Some(Watched { station, usage: machine.usage(), busiest: machine.busiest() })
        };
        Self {
            origin,
            last: origin,
            flows: vec![Default::default(); flows],
            hosts: stations.iter().map(|station| station.and_then(watched)).collect(),
            samples: vec![Vec::new(); stations.len()],
        }
    }

    /// Takes a sample at `now`: `bytes` passed at both ends of each flow since the load began.
    pub(super) fn look(&mut self, now: Time, bytes: &[[u64; 2]], model: &Stations) -> Look {
        let (until, span) = (now.since(self.origin), now.since(self.last));
        self.last = now;
        let mut look = Look { until, span, bytes: Vec::new(), tcp: Vec::new() };
        for (flow, (seen, bytes)) in self.flows.iter_mut().zip(bytes).enumerate() {
            for (place, (seen, bytes)) in seen.iter_mut().zip(bytes).enumerate() {
                let grown = bytes - std::mem::replace(&mut seen.bytes, *bytes);
                seen.intervals.push(Interval { until, bytes: grown });
                let side = [Side::First, Side::Second][place];
                let asked = if flow < MOST_TCP_FLOWS { model.connection(flow as u32, side) } else { None };
                let sample = asked.map(|connection| TcpSample { at: until, ..connection.sample() });
                seen.tcp.extend(sample.clone());
                if place == 0 {
                    look.bytes.push(grown);
                    look.tcp.extend((flow < MOST_TCP_FLOWS).then_some(sample));
                }
            }
        }
        for (watched, samples) in self.hosts.iter_mut().zip(&mut self.samples) {
            let Some(watched) = watched else { continue };
            if let Some(machine) = model.machine(watched.station) {
                samples.push(watched.sample(machine, [until, span]));
            }
        }
        look
    }

    /// The time since the last sample.
    pub(super) fn since(&self, now: Time) -> Span {
        now.since(self.last)
    }

    /// Adds the samples of one end of a flow to its account.
    pub(super) fn give(&mut self, flow: usize, side: Side, half: HalfAccount) -> HalfAccount {
        let Some(seen) = self.flows.get_mut(flow) else { return half };
        let Seen { intervals, tcp, .. } = std::mem::take(&mut seen[side as usize]);
        HalfAccount { intervals, tcp, ..half }
    }

    /// What the hosts did: the initiator first.
    pub(super) fn into_hosts(self) -> Vec<Vec<HostSample>> {
        self.samples
    }
}

impl Watched {
    /// What the machine did since the last sample. Work counts in full when it begins, even if it
    /// is not finished; shares are limited to 1.
    fn sample(&mut self, machine: &Machine, [until, span]: [Span; 2]) -> HostSample {
        let (usage, busiest) = (machine.usage(), machine.busiest());
        let before = std::mem::replace(self, Self { usage, busiest, ..*self });
        let spent = |now: Span, then: Span| now.saturating_sub(then);
        let [irq, softirq, system] = [
            spent(usage.interrupt, before.usage.interrupt),
            spent(usage.protocol, before.usage.protocol),
            spent(usage.process, before.usage.process),
        ];
        let processors = machine.processors();
        let share = busiest.saturating_sub(before.busiest).as_seconds() / span.as_seconds();
        let busiest = if span > Span::ZERO { share.min(1.0) } else { 0.0 };
        HostSample {
            until,
            span,
            processors,
            irq,
            softirq,
            system,
            idle: (span * u64::from(processors)).saturating_sub(irq + softirq + system),
            busiest,
            busiest_interrupts: busiest,
            process: system,
            ..HostSample::default()
        }
    }
}
