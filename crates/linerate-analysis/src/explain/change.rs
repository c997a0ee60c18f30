//! What can be changed to settle which bound binds.

use std::fmt;

use super::bound::{Bound, Cost, Which};
use linerate_core::grid::Grid;
use linerate_core::options::{Io, Waiting};
use linerate_core::plan::{Plan, RrPlan, StreamPlan, Task};
use linerate_core::run::{Run, Turns};
use linerate_core::schedule::Schedule;
use linerate_core::series::Series;
use linerate_core::traffic::{Direction, Transfer};
use linerate_core::units::{Rate, Size, Span};

/// A buffer that is to hold nothing back is this many times as large,
const LARGER: u64 = 16;
/// and at least so large.
const LARGE: Size = Size(4 << 20);
/// What the path does is confirmed by flows that are paced at these parts of it.
const BELOW: f64 = 0.9;
const ABOVE: f64 = 1.1;
/// An application that holds itself back does so at this many times its rate,
const FASTER: f64 = 2.0;
/// A load is changed for at least this long, and for this many of its round trips.
const LEAST_LOAD: Span = Span::from_ms(1_000);
const LOAD_TRIPS: u64 = 40;

/// One thing to change, and what it is to settle.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The bound that is on trial.
    pub bound: Bound,
    /// What is measured again.
    pub of: Part,
    what: What,
}

/// A part of a run that is measured again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Message sizes of its curve, one for each band. Unit: bytes.
    Sizes(Vec<u64>),
    /// One of its loads, by its place.
    Load(usize),
}

impl Part {
    /// Adds the sizes of another part.
    pub(super) fn add(&mut self, other: &Self) {
        if let (Self::Sizes(all), Self::Sizes(sizes)) = (self, other) {
            for size in sizes {
                if !all.contains(size) {
                    all.push(*size);
                }
            }
        }
    }
}

/// What a change makes of what was measured, if the bound on trial binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// It takes less time, or more passes.
    Faster,
    /// The queue goes, and round trips are shorter.
    NoQueue,
    /// It says nothing for the bound; what would speak against it is a higher throughput.
    NoFaster,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Spin,
    Apart([u32; 2]),
    Nodelay,
    ReceiveBuffer(Size),
    SendBuffer(Size),
    Congestion(&'static str),
    Sendfile,
    /// To a lower or a higher pace than what passes.
    Pace(Rate, Expected),
    ReadRate(Rate),
}

impl Change {
    /// What would settle `bound` on `run` for this part of it. Empty if nothing that a plan says would.
    pub(super) fn all(bound: Bound, run: &Run, of: &Part) -> Vec<Self> {
        let change = |what| Self { bound, of: of.clone(), what };
        if let (Part::Load(place), Bound::PathRate | Bound::Link | Bound::Application | Bound::Reader) =
            (of, bound)
        {
            return run
                .transfers
                .get(*place)
                .map_or_else(Vec::new, |load| paces(bound, load).map(change).collect());
        }
        Self::what(bound, run).map(change).into_iter().collect()
    }

    fn what(bound: Bound, run: &Run) -> Option<What> {
        let socket = &run.plan.common.socket;
        let larger =
            |asked: Option<Size>| Size(asked.map_or(0, |asked| asked.0.saturating_mul(LARGER))).max(LARGE);
        Some(match bound {
            Bound::WakeUp if socket.wait == Waiting::Block => What::Spin,
            Bound::Processor(Which::Sender | Which::Receiver | Which::Both, Cost::Byte) | Bound::Memory
                if socket.io == Io::default() =>
            {
                What::Sendfile
            }
            Bound::Others | Bound::Processor(..) => What::Apart(two_processors(run)?),
            Bound::Nagle => What::Nodelay,
            Bound::ReceiverWindow => What::ReceiveBuffer(larger(socket.rcvbuf)),
            Bound::SendBuffer => What::SendBuffer(larger(socket.sndbuf)),
            Bound::CongestionWindow => {
                let cubic = run.local().granted.congestion.known().is_some_and(|name| name == "cubic");
                What::Congestion(if cubic { "bbr" } else { "cubic" })
            }
            _ => return None,
        })
    }

    /// Whether it changes the same thing as `other`.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.what == other.what
    }

    /// What it makes of what is measured, if the bound binds.
    pub(super) const fn expected(&self) -> Expected {
        if let What::Pace(_, expected) = self.what { expected } else { Expected::Faster }
    }

    /// The plan of its part as that of `run` is, in its part of `time`.
    #[must_use]
    pub fn usual(&self, run: &Run, time: Span) -> Plan {
        let mut plan = run.plan.clone();
        (plan.common.time, plan.common.explain) = (time, false);
        match (&self.of, &mut plan.task) {
            (Part::Sizes(sizes), Task::Curve(curve)) => {
                curve.schedule = Schedule::List(sizes.iter().copied().map(Size).collect());
                (curve.from, curve.to, curve.perturb) = (None, None, None);
                (curve.repeat, curve.stages) = (1, None);
            }
            (Part::Load(place), task) => {
                let Some(transfer) = run.transfers.get(*place) else { return plan };
                plan.common.socket = transfer.load.socket.clone();
                plan.common.time = time.max(LEAST_LOAD).max(least_round_trip(transfer) * LOAD_TRIPS);
                match (task, transfer.load.stream.clone(), transfer.load.rr.clone()) {
                    (Task::Stream(stream), Some(bulk), _) => {
                        stream.bulk = StreamPlan { bytes: None, count: None, ..bulk };
                        stream.table = Grid::default();
                    }
                    (Task::Requests(requests), _, Some(rr)) => {
                        *requests = RrPlan { count: None, under_load: 0, ..rr };
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        plan
    }

    /// What turns of its part begin with: nothing yet.
    #[must_use]
    pub fn no_turns(&self, run: &Run) -> Turns {
        let pattern = run.plan.curve().map(|curve| curve.pattern).unwrap_or_default();
        match &self.of {
            Part::Sizes(sizes) => Turns::Sizes(Series::new(pattern, sizes)),
            Part::Load(_) => Turns::Loads(Vec::new()),
        }
    }

    /// The same with the change.
    #[must_use]
    pub fn changed(&self, run: &Run, time: Span) -> Plan {
        let mut plan = self.usual(run, time);
        let socket = &mut plan.common.socket;
        let bulk = if let Task::Stream(stream) = &mut plan.task { Some(&mut stream.bulk) } else { None };
        match self.what {
            What::Spin => socket.wait = Waiting::Spin,
            What::Nodelay => socket.nodelay = true,
            What::ReceiveBuffer(bytes) => socket.rcvbuf = Some(bytes),
            What::SendBuffer(bytes) => socket.sndbuf = Some(bytes),
            What::Congestion(name) => socket.congestion = Some(name.to_owned()),
            What::Sendfile => socket.io = Io::Sendfile,
            What::Pace(rate, _) => bulk.into_iter().for_each(|bulk| bulk.rate = Some(rate)),
            What::ReadRate(rate) => bulk.into_iter().for_each(|bulk| bulk.read_rate = Some(rate)),
            What::Apart([ours, theirs]) => {
                plan.common.local.pin = Some(ours);
                plan.common.remote.pin = Some(theirs);
            }
        }
        plan
    }
}

/// The paces that settle a bound of a load: beside what the path carries, or above what an application does.
fn paces(bound: Bound, transfer: &Transfer) -> impl Iterator<Item = What> + use<> {
    let stream = transfer.load.stream.as_ref().filter(|stream| stream.direction != Direction::Both);
    // As a flag says it.
    let times = |rate: Rate, by: f64| {
        let rate = Rate::from_bits_per_second(rate.bits_per_second() * by);
        flag(rate).parse().unwrap_or(rate)
    };
    let carried = transfer.summaries().first().and_then(|sum| sum.rate);
    let paces = match (bound, stream) {
        (Bound::PathRate | Bound::Link, Some(StreamPlan { rate: None, .. })) => carried.map(|rate| {
            vec![
                What::Pace(times(rate, BELOW), Expected::NoQueue),
                What::Pace(times(rate, ABOVE), Expected::NoFaster),
            ]
        }),
        (Bound::Application, Some(stream)) => {
            stream.rate.map(|rate| vec![What::Pace(times(rate, FASTER), Expected::Faster)])
        }
        (Bound::Reader, Some(stream)) => {
            stream.read_rate.map(|rate| vec![What::ReadRate(times(rate, FASTER))])
        }
        _ => None,
    };
    paces.unwrap_or_default().into_iter()
}

/// `908M`, as flags take it.
fn flag(rate: Rate) -> String {
    rate.to_string().replace(" ", "").replace("b/s", "")
}

/// The least round trip that TCP saw of a load's flows.
fn least_round_trip(transfer: &Transfer) -> Span {
    let looks =
        transfer.flows.iter().flat_map(|flow| [&flow.sender, &flow.receiver]).flat_map(|half| &half.tcp);
    let of_requests = transfer.latencies.iter().filter_map(|latency| latency.service.quantile(0.5));
    looks
        .map(|look| look.min_rtt)
        .filter(|least| *least > Span::ZERO)
        .chain(of_requests)
        .min()
        .unwrap_or_default()
}

/// Two processors for ends that are on one host and were not pinned. Absent if it has only one for them.
fn two_processors(run: &Run) -> Option<[u32; 2]> {
    let (local, remote) = (run.local(), run.remote());
    let pinned = run.plan.common.local.pin.is_some() || run.plan.common.remote.pin.is_some();
    if pinned || local.environment.same_host(remote.environment) != Some(true) {
        return None;
    }
    let cpus = local.environment.cpus.known()?;
    Some([*cpus.first()?, *cpus.get(1)?])
}

impl fmt::Display for Change {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what {
            What::Spin => out.write_str("--wait spin"),
            What::Apart([ours, theirs]) => write!(out, "--pin {ours},{theirs}"),
            What::Nodelay => out.write_str("--nodelay on"),
            What::ReceiveBuffer(bytes) => write!(out, "--rcvbuf {bytes}"),
            What::SendBuffer(bytes) => write!(out, "--sndbuf {bytes}"),
            What::Congestion(name) => write!(out, "--congestion {name}"),
            What::Sendfile => out.write_str("--io sendfile"),
            What::Pace(rate, _) => write!(out, "--rate {}", flag(rate)),
            What::ReadRate(rate) => write!(out, "--read-rate {}", flag(rate)),
        }
    }
}
