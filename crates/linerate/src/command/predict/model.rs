//! The modelled hosts and wire of a prediction.

use linerate_core::bench::Bench as _;
use linerate_core::measure::Exact;
use linerate_core::payload::Check;
use linerate_core::series::Point;
use linerate_core::trial::Trial;
use linerate_core::units::{Size, Span};
use linerate_sim::calibrate::{Band, Conditions, HostFile, Predicted};
use linerate_sim::ethernet::phy::Phy;
use linerate_sim::machine::Profile;
use linerate_sim::model;
use linerate_sim::plan::{EthernetPlan, HostPlan, ModelPlan, Network, TcpPlan};
use linerate_study::parallel;

/// Why the model gives no time. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
pub(in crate::command) enum Failure {
    /// It cannot be built.
    #[error("build the model: {0}")]
    Build(#[from] linerate_sim::plan::ModelError),
    /// It was built, and a message did not pass.
    #[error("{0}")]
    Run(#[from] linerate_core::bench::RunError),
    /// The user ended it.
    #[error("go on: interrupted")]
    Interrupted,
    /// A message passed and was not timed.
    #[error("time {0} B on the model")]
    Untimed(u64),
}

/// The wire between the hosts, by its physical layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::command) struct Wire(&'static str);

/// A wire that takes next to no time, as memory does: the fastest there is.
pub(in crate::command) const MEMORY: Wire = Wire("100GBASE-R");

impl Wire {
    /// The wire of a link with this rate, if one is modelled. Unit: Mb/s.
    pub(in crate::command) fn of(mbps: u64) -> Option<Self> {
        let at_rate = |phy: &&Phy| phy.pace.bits_per_second().round() as u64 == mbps * 1_000_000;
        Phy::ALL.into_iter().find(at_rate).map(|phy| Self(phy.name))
    }
}

/// The model of a calibrated host beside another like it, with nothing but memory between them, or with both
/// ends on the processors that the file says.
pub(in crate::command) fn of_host(host: &HostFile) -> ModelPlan {
    let usual = Conditions::usual(USUAL_MTU, 1);
    let mut plan = plan(MEMORY, &host.host, &usual);
    plan.host = Some(HostPlan(host.host.clone()));
    plan
}

/// Ethernet's. Unit: bytes.
const USUAL_MTU: u32 = 1500;

/// The one-way time of a message under each of the conditions, between two such hosts with nothing
/// but memory between them. Connections are run side by side.
pub(in crate::command) fn times(
    profile: &Profile,
    conditions: &[Conditions],
) -> Result<Vec<Predicted>, Failure> {
    let chunks: Vec<&[Conditions]> = conditions.chunk_by(same_connection).collect();
    let times = parallel::map(&chunks, parallel::processors(), |alike| {
        over_a_connection(MEMORY, Effort::LITTLE, profile, alike)
    })?;
    Ok(times.concat())
}

/// The same over a wire, with every message that a measurement has.
fn times_over(wire: Wire, profile: &Profile, conditions: &[Conditions]) -> Result<Vec<Span>, Failure> {
    let mut times = Vec::with_capacity(conditions.len());
    for alike in conditions.chunk_by(same_connection) {
        let predicted = over_a_connection(wire, Effort::of(wire, profile), profile, alike)?;
        times.extend(predicted.iter().map(|it| it.time));
    }
    Ok(times)
}

/// Neighbours that differ only in size share a connection, as in a run.
fn same_connection(one: &Conditions, other: &Conditions) -> bool {
    *one == Conditions { size: one.size, ..other.clone() }
}

fn over_a_connection(
    wire: Wire,
    effort: Effort,
    profile: &Profile,
    alike: &[Conditions],
) -> Result<Vec<Predicted>, Failure> {
    let mut curve = model::curve(&plan(wire, profile, &alike[0]), None)?;
    let exact = curve.exact.expect("neither a full-duplex wire nor a connection draws lots");
    let mut times = Vec::with_capacity(alike.len());
    for it in alike {
        let trial = effort.trial(exact, it);
        let sample = curve.bench.run(&trial)?;
        let mut point = Point::new(it.size);
        point.add(0, &trial, &sample, Span::ZERO);
        let time = point.time().ok_or(Failure::Untimed(it.size))?;
        // Over a wire a host is one end: what it works.
        let worked = sample.effort.unwrap_or_default().map(|end| end.cpu / end.messages.max(1));
        times.push(Predicted { time: Span::from_seconds(time.median / 1e12), worked });
    }
    Ok(times)
}

fn plan(wire: Wire, profile: &Profile, conditions: &Conditions) -> ModelPlan {
    let ethernet = EthernetPlan {
        phy: wire.0.to_owned(),
        length_m: 0.0,
        mtu: conditions.mtu,
        ..EthernetPlan::default()
    };
    let mut tcp = TcpPlan {
        receive_buffer: conditions.receive_buffer,
        send_buffer: conditions.send_buffer,
        nodelay: conditions.nodelay,
        mss: conditions.mss.map(|mss| Size(mss.into())),
        ..TcpPlan::default()
    };
    let mut profile = profile.clone();
    // A host file says by its ends that it was fitted to a kernel which lets acknowledgements wait for the
    // read, and to ends on one host.
    if profile.processor.ends.is_some() {
        tcp.rules.acknowledgement.waits_for_read = true;
        let together = wire == MEMORY;
        let last = if conditions.one_processor || profile.processor.count == 1 { 0 } else { 1 };
        profile.processor.ends = together.then_some([0, last]);
    }
    ModelPlan {
        network: Network::Ethernet(Box::new(ethernet)),
        tcp: Some(tcp),
        host: Some(HostPlan(profile)),
        ..ModelPlan::default()
    }
}

/// How much of a stream is modelled.
#[derive(Clone, Copy, Debug)]
struct Effort {
    /// A sample has at most this many messages,
    messages: u32,
    /// and of more than one at most this many bytes.
    bytes: u64,
}

impl Effort {
    /// A window of 3 MB holds 1.5 million messages of 1 B, and to fill it at every size and for every draw takes
    /// minutes; nor does a measurement fill it, whose trial of the smallest messages has fewer.
    const WINDOW: Self = Self { messages: 4096, bytes: u64::MAX };
    /// Between ends on one host nothing is on its way: a stream flows steadily after a few dozen segments.
    const LITTLE: Self = Self { messages: 96, bytes: 128 << 10 };

    fn of(wire: Wire, profile: &Profile) -> Self {
        if wire == MEMORY && profile.processor.ends.is_some() { Self::LITTLE } else { Self::WINDOW }
    }

    /// As a modelled run times its sizes, but for that.
    fn trial(self, exact: Exact, it: &Conditions) -> Trial {
        let (samples, batch) = exact.trial(it.pattern, it.size);
        let most = u32::try_from(self.bytes / it.size.max(1)).unwrap_or(u32::MAX);
        let batch = batch.min(self.messages).min(most).max(1);
        Trial { pattern: it.pattern, size: it.size, samples, batch, lead: 0, seed: 1, check: Check::Marks }
    }
}

/// At how many sizes the spread of the parameters is looked at; between them it changes little.
const KNOTS: usize = 12;

/// What is predicted under each of the conditions, which differ only in size.
pub(in crate::command) fn bands(
    wire: Wire,
    host: &HostFile,
    conditions: &[Conditions],
) -> Result<Vec<Band>, Failure> {
    let centres = times_over(wire, &host.host, conditions)?;
    let knots = knots(conditions);
    let at: Vec<Conditions> = knots.iter().map(|nth| conditions[*nth].clone()).collect();
    let drawn =
        parallel::map(&host.draws(), parallel::processors(), |profile| times_over(wire, profile, &at))?;
    let variance = |knot: usize| {
        let times: Vec<Span> = drawn.iter().map(|times| times[knot]).collect();
        Band::variance(centres[knots[knot]], &times)
    };
    let spread: Vec<(f64, f64)> =
        (0..knots.len()).map(|knot| (log_size(&at[knot]), variance(knot))).collect();
    let bands = conditions.iter().zip(centres);
    Ok(bands
        .map(|(it, centre)| Band::new(centre, between(&spread, log_size(it)), &host.calibration))
        .collect())
}

fn log_size(conditions: &Conditions) -> f64 {
    (conditions.size.max(1) as f64).ln()
}

/// Up to [`KNOTS`] of the conditions, evenly through their sizes, in the order of size.
fn knots(conditions: &[Conditions]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..conditions.len()).collect();
    order.sort_by_key(|nth| conditions[*nth].size);
    let last = order.len().saturating_sub(1);
    let mut knots: Vec<usize> =
        (0..KNOTS).filter_map(|knot| order.get(knot * last / (KNOTS - 1))).copied().collect();
    knots.dedup();
    knots
}

/// The value at `x` on the line through `knots`, whose x grow.
fn between(knots: &[(f64, f64)], x: f64) -> f64 {
    let after = knots.iter().position(|knot| knot.0 >= x);
    match after {
        None => knots.last().map_or(0.0, |knot| knot.1),
        Some(0) => knots[0].1,
        Some(after) => {
            let [from, to] = [knots[after - 1], knots[after]];
            let share = if to.0 > from.0 { (x - from.0) / (to.0 - from.0) } else { 1.0 };
            from.1 + share * (to.1 - from.1)
        }
    }
}

#[cfg(test)]
mod tests {
    use linerate_sim::ethernet::phy::Duplex;

    use super::*;

    #[test]
    fn between_knots_is_a_line_and_outside_it_is_level() {
        let knots = [(0.0, 1.0), (2.0, 3.0), (4.0, 3.0)];
        for (x, expected) in [(-1.0, 1.0), (0.0, 1.0), (1.0, 2.0), (2.0, 3.0), (3.0, 3.0), (9.0, 3.0)] {
            assert!((between(&knots, x) - expected).abs() < 1e-12, "{x}");
        }
        assert!(between(&[], 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_wire_is_found_by_its_rate() {
        for (mbps, name) in
            [(10, "10BASE-T"), (100, "100BASE-TX"), (1_000, "1000BASE-T"), (10_000, "10GBASE-R")]
        {
            assert_eq!(Wire::of(mbps), Some(Wire(name)));
            let phy = Phy::find(name).expect("it is in the catalogue");
            assert!(phy.allows(Duplex::Full), "a wire without chance");
        }
        assert_eq!(Wire::of(100_000), Some(MEMORY));
        assert_eq!(Wire::of(7), None);
    }
}
