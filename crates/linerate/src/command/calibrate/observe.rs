//! Messages over TCP between the laboratory's two ends: what the costs are fitted to.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use linerate_core::grid::{Axis, Grid};
use linerate_core::measure::{Ended, Method, Progress, Watch, measure};
use linerate_core::plan::{Common, CurvePlan, Plan, Task};
use linerate_core::schedule::Schedule;
use linerate_core::series::Series;
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
/// How often each MTU has a connection.
const PASSES: u32 = 3;
/// A message of the same size at every MTU: what differs is the packets. Unit: bytes.
const COMMON: u64 = 32 << 10;
/// Two points of a curve, at the first MTU: its latency and its rate. Unit: bytes.
const CURVE: [u64; 2] = [64, 256 << 10];
/// IPv4 and TCP headers with timestamps. Unit: bytes. Source: RFC 791, RFC 9293, RFC 7323.
const HEADERS: u32 = 52;
/// What a median's error is taken for where there are too few rounds for an interval.
const ROUGHLY: f64 = 0.05;
/// No median is believed to be better than this: rounds of one connection hang together.
const LEAST_SIGMA: f64 = 0.003;
/// Half an interval of 95 %. Unit: standard deviations.
const REACH: f64 = 1.96;

/// A point of the observations.
pub(super) struct Observed {
    pub(super) conditions: Conditions,
    /// One-way time. Unit: picoseconds.
    estimate: Estimate,
}

impl Observed {
    pub(super) fn time(&self) -> Span {
        span(self.estimate.median)
    }

    pub(super) fn interval(&self) -> [Span; 2] {
        self.estimate.interval.map_or([self.time(); 2], |ends| ends.map(span))
    }

    /// As the fit takes it.
    pub(super) fn measured(&self) -> Measured {
        let width = self.estimate.relative_half_width();
        let sigma = width.map_or(ROUGHLY, |width| width / REACH).max(LEAST_SIGMA);
        Measured { conditions: self.conditions.clone(), time: self.time(), sigma }
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

/// Measures every point, in about `time`. The wire's MTU is another one after.
pub(super) fn all(
    lab: &TwoHosts,
    peer: &LoopbackPeer,
    clock: HostClock,
    time: Span,
    watcher: &Watcher<'_>,
) -> Result<Observations, Trouble> {
    // Of each point, what each connection gave: the medians of its rounds.
    let mut medians: BTreeMap<(u32, u64), Vec<Vec<f64>>> = BTreeMap::new();
    let connections = connections();
    for mtu in &connections {
        lab.set_mtu(*mtu)?;
        let plan = plan(peer, sizes(*mtu), time / connections.len() as u64);
        let series = lab.here(|| curve(peer, &plan, clock, watcher))??;
        for point in &series.points {
            let rounds = point.rounds.iter().map(|round| round.median.as_ps() as f64);
            medians.entry((*mtu, point.size)).or_default().push(rounds.collect());
        }
    }
    let drift = drift(medians.values());
    let points = medians.into_iter().filter_map(|((mtu, size), medians)| {
        Some(Observed {
            conditions: Conditions::usual(mtu, size),
            estimate: median_interval(&medians.concat())?,
        })
    });
    Ok(Observations { points: points.collect(), drift })
}

/// The MTU of each connection, in their order: there and back, so that a host that slowly becomes
/// busier does not look like an MTU.
fn connections() -> Vec<u32> {
    let axis = |key: &str, values: Vec<u32>| Axis { key: key.to_owned(), values };
    let grid = Grid::new(vec![axis("pass", (0..PASSES).collect()), axis("mtu", MTUS.into())]);
    let cells = grid.expect("two different keys").there_and_back();
    cells.into_iter().filter_map(|cell| cell.last().copied()).collect()
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

/// The sizes at one MTU: one, two and four full segments, the common one, and the curve's points.
fn sizes(mtu: u32) -> Vec<u64> {
    let segment = u64::from(mtu - HEADERS);
    let mut sizes = vec![segment, 2 * segment, 4 * segment, COMMON];
    if mtu == MTUS[0] {
        sizes.extend(CURVE);
    }
    sizes.sort_unstable();
    sizes
}

fn plan(peer: &LoopbackPeer, sizes: Vec<u64>, time: Span) -> Plan {
    let schedule = Schedule::List(sizes.into_iter().map(Size).collect());
    let task = Task::Curve(CurvePlan { schedule, ..CurvePlan::default() });
    let common = Common { host: Some(peer.address().to_string()), time, ..Common::default() };
    let mut plan = Plan { common, task };
    plan.common.socket.congestion = Some(congestion().to_owned());
    // Two modelled hosts have a processor each; here they get one each where there are two.
    if processors() > 1 {
        (plan.common.local.pin, plan.common.remote.pin) = (Some(0), Some(1));
    }
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
        assert_eq!(sizes(1500), [64, 1448, 2896, 5792, 32_768, 262_144]);
        assert_eq!(sizes(9000), [8948, 17_896, 32_768, 35_792]);
    }

    #[test]
    fn every_pass_goes_the_other_way() {
        let [there, back] = [[1500, 3000, 4500, 9000], [9000, 4500, 3000, 1500]];
        assert_eq!(connections(), [there, back, there].concat());
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
        };
        assert!((observed(None).measured().sigma - 0.05).abs() < 1e-12);
        let measured = observed(Some([9.608e6, 10.392e6])).measured();
        assert!((measured.sigma - 0.02).abs() < 1e-6, "{measured:?}");
        assert_eq!((measured.time, observed(None).interval()), (Span::from_us(10), [Span::from_us(10); 2]));
        assert!((observed(Some([10e6; 2])).measured().sigma - 0.003).abs() < 1e-12, "nothing is certain");
    }
}
