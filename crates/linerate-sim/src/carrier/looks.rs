//! What is seen of a load.

use linerate_core::carrier::Look;
use linerate_core::kernel::{HostSample, TcpSample};
use linerate_core::traffic::{Cadence, FlowLooks, FlowRecord, HalfAccount, Interval, Kept};
use linerate_core::units::{Span, Time};

use crate::frame::Station;
use crate::machine::{Machine, Usage};
use crate::stack::Side;
use crate::stations::Stations;

/// What is seen of a load.
#[derive(Debug)]
pub(super) struct Looks {
    origin: Time,
    cadence: Cadence,
    /// The last look, and the end of the last interval.
    last: Time,
    ended: Time,
    /// By flow, what was seen at its initiator and its responder.
    flows: Vec<[Seen; 2]>,
    /// The stations that have costs.
    hosts: Vec<Option<Watched>>,
    /// What each did.
    samples: Vec<Kept<HostSample>>,
}

/// What was seen of a flow at one of its ends.
#[derive(Clone, Debug)]
struct Seen {
    /// At the last look, and at the end of the last interval.
    bytes: u64,
    told: u64,
    record: FlowRecord,
}

/// A station's machine at the last sample.
#[derive(Clone, Copy, Debug)]
struct Watched {
    station: Station,
    usage: Usage,
    busiest: Span,
}

impl Looks {
    /// Starts to look at this many flows and `hosts`, each of which has costs.
    pub(super) fn new(
        (origin, cadence): (Time, Cadence),
        flows: usize,
        stations: &[Option<Station>],
        model: &Stations,
    ) -> Self {
        let watched = |station: Station| {
            let machine = model.machine(station)?;
            Some(Watched { station, usage: machine.usage(), busiest: machine.busiest() })
        };
        let seen = |place| Seen { bytes: 0, told: 0, record: FlowRecord::new(place, flows) };
        Self {
            origin,
            cadence,
            last: origin,
            ended: origin,
            flows: (0..flows).map(|place| [seen(place), seen(place)]).collect(),
            hosts: stations.iter().map(|station| station.and_then(watched)).collect(),
            samples: vec![Kept::new(FlowRecord::most(flows)); stations.len()],
        }
    }

    /// When to look next.
    pub(super) fn next(&self, now: Time) -> Time {
        self.cadence.next(self.origin, now)
    }

    /// Looks at `now`: `bytes` passed at both ends of each flow since the load began. What passed in
    /// the interval if one has ended, as it has at the `last` look.
    pub(super) fn look(
        &mut self,
        (now, last): (Time, bool),
        bytes: &[[u64; 2]],
        model: &Stations,
    ) -> Option<Look> {
        let (until, before) = (now.since(self.origin), self.last.since(self.origin));
        let ends = last || self.cadence.ends_interval(before, until);
        let mut look = Look { until, span: now.since(self.ended), bytes: Vec::new(), tcp: Vec::new() };
        for (flow, (seen, bytes)) in self.flows.iter_mut().zip(bytes).enumerate() {
            for (place, (seen, bytes)) in seen.iter_mut().zip(bytes).enumerate() {
                let side = [Side::First, Side::Second][place];
                let wanted = seen.record.wants_tcp(ends);
                let asked = if wanted { model.connection(flow as u32, side) } else { None };
                let sample = asked.map(|connection| TcpSample { at: until, ..connection.sample(now) });
                let grown = bytes - std::mem::replace(&mut seen.bytes, *bytes);
                seen.record.look(Interval { until, bytes: grown }, sample.as_ref(), ends);
                if ends && place == 0 {
                    look.bytes.push(bytes - std::mem::replace(&mut seen.told, *bytes));
                    look.tcp.extend(wanted.then_some(sample));
                }
            }
        }
        for (watched, samples) in self.hosts.iter_mut().zip(&mut self.samples) {
            let Some(watched) = watched else { continue };
            if let Some(machine) = model.machine(watched.station) {
                samples.push(&watched.sample(machine, [until, until - before]));
            }
        }
        self.last = now;
        self.coarsen();
        ends.then(|| {
            self.ended = now;
            look
        })
    }

    /// Looks less often once there were enough looks.
    fn coarsen(&mut self) {
        let looks = self.flows.first().map_or(0, |[first, _]| first.record.looks());
        if self.cadence.coarsen(looks) {
            self.samples.iter_mut().for_each(Kept::pair);
            self.flows.iter_mut().flatten().for_each(|seen| seen.record.pair());
        }
    }

    /// The time since the last sample.
    pub(super) fn since(&self, now: Time) -> Span {
        now.since(self.last)
    }

    /// Adds the samples of one end of a flow to its account.
    pub(super) fn give(&self, flow: usize, side: Side, half: HalfAccount) -> HalfAccount {
        let Some(seen) = self.flows.get(flow) else { return half };
        let record = seen[side as usize].record.clone();
        let FlowLooks { intervals, looks, tcp } = record.into_looks(self.cadence.is_fine());
        HalfAccount { intervals, looks, tcp, ..half }
    }

    /// What the hosts did: the initiator first.
    pub(super) fn into_hosts(self) -> Vec<Vec<HostSample>> {
        self.samples.into_iter().map(Kept::into_entries).collect()
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
