//! Messages over TCP between the laboratory's two ends: what the costs are fitted to.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use linerate_core::grid::{Axis, Grid};
use linerate_core::kernel::Effort;
use linerate_core::measure::{Ended, Method, Progress, Watch, measure};
use linerate_core::pattern::Pattern;
use linerate_core::plan::{Common, CurvePlan, Plan, Task};
use linerate_core::schedule::Schedule;
use linerate_core::series::{Point, Series};
use linerate_core::stats::{Estimate, median_interval};
use linerate_core::units::{Size, Span};
use linerate_net::lab::TwoHosts;
use linerate_net::observe::HostClock;
use linerate_net::pair::{Pair, Target};
use linerate_sim::calibrate::{Conditions, Measured};

use crate::peer::LoopbackPeer;
use crate::progress::Line;
use crate::signals::Interrupt;
use crate::trouble::{Trouble, run_help};

/// The wire's MTUs, so that equal bytes pass in 1, 2, 3 and 6 times as many packets. Unit: bytes.
const MTUS: [u32; 4] = [1500, 3000, 4500, 9000];
/// How often a kind with a point that has no round is measured again, twice as long each time.
const LONGER: u32 = 4;
/// How often each MTU has a connection.
const PASSES: u32 = 3;
/// A message of the same size at every MTU: what differs is the packets. Unit: bytes.
const COMMON: u64 = 32 << 10;
/// Two points of a curve, at the first MTU: its latency and its rate. Unit: bytes.
const CURVE: [u64; 2] = [64, 256 << 10];
/// Messages of a one-way stream at the first MTU: less than a segment, one, a dozen, many. Unit: bytes.
const STREAM: [u64; 4] = [64, 1448, 16 << 10, 256 << 10];
/// Messages that two ends on one processor answer, at the first MTU. Unit: bytes.
const ANSWERED: [u64; 2] = [64, 16 << 10];
/// IPv4 and TCP headers with timestamps. Unit: bytes. Source: RFC 791, RFC 9293, RFC 7323.
const HEADERS: u32 = 52;
/// What a median's error is taken for where there are too few rounds for an interval.
const ROUGHLY: f64 = 0.05;
/// No median is believed to be better than this: rounds of one connection hang together.
const LEAST_SIGMA: f64 = 0.003;
/// How well the threads' clocks tell what a message costs. By judgement: they count the start and the end too.
const WORKED_SIGMA: f64 = 0.05;
/// Half an interval of 95 %. Unit: standard deviations.
const REACH: f64 = 1.96;

/// A point of the observations.
pub(super) struct Observed {
    pub(super) conditions: Conditions,
    /// One-way time. Unit: picoseconds.
    estimate: Estimate,
    /// What both ends spent on it.
    effort: [Effort; 2],
}

impl Observed {
    pub(super) fn time(&self) -> Span {
        span(self.estimate.median)
    }

    pub(super) fn interval(&self) -> [Span; 2] {
        self.estimate.interval.map_or([self.time(); 2], |ends| ends.map(span))
    }

    /// How long the sending thread worked for each time that the receiving one was given the processor
    /// which they share. Absent where the host does not say, and for an answer.
    pub(super) fn turn(&self) -> Option<Span> {
        let [sender, receiver] = &self.effort;
        let turns = receiver.turns.filter(|turns| *turns > 0)?;
        (self.conditions.one_processor && self.conditions.pattern == Pattern::OneWay)
            .then(|| sender.cpu / turns)
    }

    /// What both threads of a stream worked for a message. A thread that waits for an answer also worked at its
    /// end of the trial, and a host that is not asked says nothing.
    fn worked(&self) -> Option<([Span; 2], f64)> {
        let known = self.effort.iter().all(|end| end.messages > 0 && end.cpu > Span::ZERO);
        (known && self.conditions.pattern == Pattern::OneWay)
            .then(|| ([0, 1].map(|end| self.effort[end].cpu / self.effort[end].messages), WORKED_SIGMA))
    }

    /// As the fit takes it.
    pub(super) fn measured(&self) -> Measured {
        let width = self.estimate.relative_half_width();
        let sigma = width.map_or(ROUGHLY, |width| width / REACH).max(LEAST_SIGMA);
        Measured { conditions: self.conditions.clone(), time: self.time(), sigma, worked: self.worked() }
    }
}

fn span(ps: f64) -> Span {
    Span::from_seconds(ps / 1e12)
}

/// Shows progress, and ends everything when the user asks.
pub(super) struct Watcher<'a> {
    pub(super) line: &'a Line,
    pub(super) interrupt: &'a Interrupt,
}

impl Watch for &Watcher<'_> {
    fn trial_done(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.line.trial_done(progress);
        if self.interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn round_done(&mut self, _: &mut Series) {}
}

/// Everything that was observed.
pub(super) struct Observations {
    pub(super) points: Vec<Observed>,
    /// Standard deviation of a time's logarithm from one connection to a later one.
    pub(super) drift: f64,
}

impl Observations {
    /// How long a thread runs before another on its processor gets its turn: of the shortest messages, between whose
    /// calls it may. A turn ends with a message, half of one late in the mean. Nothing where the host does not say.
    pub(super) fn slice(&self) -> Span {
        let streams = self.points.iter().filter(|it| it.turn().is_some());
        let shortest = streams.min_by_key(|it| it.conditions.size);
        shortest.map_or(Span::ZERO, |it| {
            let [sender, _] = &it.effort;
            let message = sender.cpu / sender.messages.max(1);
            it.turn().unwrap_or(Span::ZERO).saturating_sub(message / 2)
        })
    }
}

/// How many points there are to measure.
pub(super) fn wanted() -> usize {
    Kind::all().into_iter().map(|kind| kind.sizes().len()).sum()
}

/// Measures every point, in about `time`; longer on a host so busy that a point has no round by then. The wire's MTU is
/// another one after.
pub(super) fn all(
    lab: &TwoHosts,
    peer: &LoopbackPeer,
    clock: HostClock,
    time: Span,
    watcher: &Watcher<'_>,
) -> Result<Observations, Trouble> {
    let mut seen: BTreeMap<(Kind, u64), Seen> = BTreeMap::new();
    let connections = connections();
    let each = time / connections.len() as u64;
    let longer =
        (1..=LONGER).flat_map(|times| Kind::all().into_iter().map(move |kind| (kind, each * (1 << times))));
    for (kind, time) in connections.iter().map(|kind| (*kind, each)).chain(longer) {
        let lacks = |size| seen.get(&(kind, size)).is_none_or(|it| it.connections.iter().all(Vec::is_empty));
        if time > each && !kind.sizes().into_iter().any(lacks) {
            continue;
        }
        lab.set_mtu(kind.mtu)?;
        let plan = plan(peer, kind, time);
        let series = lab.here(|| curve(peer, &plan, clock, watcher))??;
        for point in &series.points {
            let Seen { connections, effort } = seen.entry((kind, point.size)).or_default();
            connections.push(kind.times(point));
            for (sum, spent) in effort.iter_mut().zip(point.effort.iter().flat_map(|both| both.iter())) {
                sum.absorb(spent);
            }
        }
    }
    let drift = drift(seen.values().map(|seen| &seen.connections));
    let points = seen.into_iter().filter_map(|((kind, size), Seen { connections, effort })| {
        let estimate = median_interval(&connections.concat())?;
        Some(Observed { conditions: kind.conditions(size), estimate, effort })
    });
    Ok(Observations { points: points.collect(), drift })
}

/// What was seen of a point.
#[derive(Default)]
struct Seen {
    /// The times of each connection. Unit: picoseconds.
    connections: Vec<Vec<f64>>,
    /// What both ends spent on all of them.
    effort: [Effort; 2],
}

/// What a connection carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    /// Unit: bytes.
    mtu: u32,
    pattern: Pattern,
    one_processor: bool,
}

impl Kind {
    /// Every one: answered messages at each MTU, and at the first one-way ones too, and both between ends
    /// that share a processor.
    fn all() -> Vec<Self> {
        let kind = |mtu, pattern, one_processor| Self { mtu, pattern, one_processor };
        let answered = MTUS.map(|mtu| kind(mtu, Pattern::PingPong, false));
        let first = MTUS[0];
        let others = [
            kind(first, Pattern::OneWay, false),
            kind(first, Pattern::OneWay, true),
            kind(first, Pattern::PingPong, true),
        ];
        [&answered[..], &others[..]].concat()
    }

    fn conditions(self, size: u64) -> Conditions {
        let Self { mtu, pattern, one_processor } = self;
        Conditions { pattern, one_processor, ..Conditions::usual(mtu, size) }
    }

    /// The times of a connection at a size. Unit: picoseconds. On one processor a receiver that gets its turn
    /// finds what piled up in the sender's, and takes it quicker than messages come in the long run: there it
    /// is the time of whole trials, in which the two take turns.
    fn times(self, point: &Point) -> Vec<f64> {
        let trials = point.effort.as_ref().map(|ends| ends[1]).filter(|end| end.messages > 0);
        match trials {
            Some(end) if self.one_processor && self.pattern == Pattern::OneWay => {
                vec![end.span.as_ps() as f64 / end.messages as f64]
            }
            _ => point.rounds.iter().map(|round| round.median.as_ps() as f64).collect(),
        }
    }

    /// Its sizes. Of messages between two processors: one, two and four full segments, the common one, and
    /// the curve's points.
    fn sizes(self) -> Vec<u64> {
        let segment = u64::from(self.mtu - HEADERS);
        let mut sizes = match (self.pattern, self.one_processor) {
            (Pattern::OneWay, _) => STREAM.to_vec(),
            (_, true) => ANSWERED.to_vec(),
            (_, false) => vec![segment, 2 * segment, 4 * segment, COMMON],
        };
        if self == Self::all()[0] {
            sizes.extend(CURVE);
        }
        sizes.sort_unstable();
        sizes
    }
}

/// What each connection carries, in their order: there and back, so that a host that slowly becomes
/// busier does not look like an MTU.
fn connections() -> Vec<Kind> {
    let kinds = Kind::all();
    let axis = |key: &str, count: usize| Axis { key: key.to_owned(), values: (0..count).collect() };
    let grid = Grid::new(vec![axis("pass", PASSES as usize), axis("kind", kinds.len())]);
    let cells = grid.expect("two different keys").there_and_back();
    cells.into_iter().filter_map(|cell| Some(kinds[*cell.last()?])).collect()
}

/// The standard deviation of the logarithm of a connection's median round the point's own mean, over
/// all points.
fn drift<'a>(points: impl Iterator<Item = &'a Vec<Vec<f64>>>) -> f64 {
    let (mut squares, mut freedom) = (0.0, 0);
    for connections in points {
        let medians = connections.iter().filter_map(|rounds| Some(median_interval(rounds)?.median.ln()));
        let logs: Vec<f64> = medians.collect();
        let mean = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
        squares += logs.iter().map(|log| (log - mean) * (log - mean)).sum::<f64>();
        freedom += logs.len().saturating_sub(1);
    }
    (squares / freedom.max(1) as f64).sqrt()
}

fn plan(peer: &LoopbackPeer, kind: Kind, time: Span) -> Plan {
    let schedule = Schedule::List(kind.sizes().into_iter().map(Size).collect());
    let task = Task::Curve(CurvePlan { schedule, pattern: kind.pattern, ..CurvePlan::default() });
    let common = Common { host: Some(peer.address().to_string()), time, ..Common::default() };
    let mut plan = Plan { common, task };
    plan.common.socket.congestion = Some(congestion().to_owned());
    // The model has each end's thread on one processor.
    let there = if kind.one_processor || processors() == 1 { 0 } else { 1 };
    (plan.common.local.pin, plan.common.remote.pin) = (Some(0), Some(there));
    plan
}

/// A congestion control that sends as soon as its window allows, as the modelled hosts do; one that
/// paces (bbr) would add its timer to every message of more than a few segments.
///
/// Source: tcp(7), `tcp_available_congestion_control`; Reno is always there.
pub(super) fn congestion() -> &'static str {
    let there = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    let cubic = there.is_ok_and(|names| names.split_whitespace().any(|name| name == "cubic"));
    if cubic { "cubic" } else { "reno" }
}

/// How many processors this process may use.
pub(super) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Measures a plan, in the calling thread's namespace.
fn curve(
    peer: &LoopbackPeer,
    plan: &Plan,
    clock: HostClock,
    watcher: &Watcher<'_>,
) -> Result<Series, Trouble> {
    let target = Target::parse(&peer.address().to_string())?;
    let mut pair = Pair::open(&target, Some(peer.key()), plan, clock, |_| ControlFlow::Continue(()))?;
    let asked = plan.curve().cloned().unwrap_or_default();
    let method = Method::of(&plan.common, &asked, pair.timing_clock().cost);
    let method = method.map_err(|error| Trouble::plan(error, None))?;
    let outcome = measure(&mut pair, &method, &mut &*watcher);
    match outcome.ended {
        Ended::Complete => {
            pair.finish()?;
            Ok(outcome.series)
        }
        Ended::Interrupted => Err(Trouble::new(
            "interrupted",
            "nothing was written, and the laboratory is gone; calibrate again",
        )),
        Ended::Failed(error) => Err(Trouble::new(format!("failed to {error}"), run_help(&error))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_lie_round_each_segment() {
        let all = Kind::all();
        assert_eq!(all[0].sizes(), [64, 1448, 2896, 5792, 32_768, 262_144]);
        assert_eq!(all[3].sizes(), [8948, 17_896, 32_768, 35_792]);
        assert_eq!(all[4].sizes(), [64, 1448, 16_384, 262_144]);
        assert_eq!(all[6].sizes(), [64, 16_384]);
    }

    #[test]
    fn every_pass_goes_the_other_way() {
        let [there, back] =
            [[1500, 3000, 4500, 9000, 1500, 1500, 1500], [1500, 1500, 1500, 9000, 4500, 3000, 1500]];
        let mtus: Vec<u32> = connections().into_iter().map(|kind| kind.mtu).collect();
        assert_eq!(mtus, [there, back, there].concat());
    }

    #[test]
    fn drift_is_what_connections_differ_by() {
        let same = vec![vec![10.0; 9], vec![10.0; 9]];
        assert!(drift([same].iter()).abs() < 1e-12);
        // Two connections a factor of e^0.2 apart: each 0.1 from the mean, one degree of freedom.
        let apart = vec![vec![10.0; 9], vec![10.0 * 0.2_f64.exp(); 9]];
        assert!((drift([apart].iter()) - 0.02_f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn a_median_without_an_interval_counts_roughly() {
        let observed = |interval| Observed {
            conditions: Conditions::usual(1500, 64),
            estimate: Estimate { median: 10e6, interval },
            effort: <[Effort; 2]>::default(),
        };
        assert!((observed(None).measured().sigma - 0.05).abs() < 1e-12);
        let measured = observed(Some([9.608e6, 10.392e6])).measured();
        assert!((measured.sigma - 0.02).abs() < 1e-6, "{measured:?}");
        assert_eq!((measured.time, observed(None).interval()), (Span::from_us(10), [Span::from_us(10); 2]));
        assert!((observed(Some([10e6; 2])).measured().sigma - 0.003).abs() < 1e-12, "nothing is certain");
    }
}
