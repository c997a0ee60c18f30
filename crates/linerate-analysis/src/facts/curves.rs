//! What curves come to, their bands, their sizes, and their rounds. Times are of one message one way, rates of payload in
//! one direction (10^6 bit/s).

use linerate_core::foreign::plain;
use linerate_core::pattern::Pattern;
use linerate_core::plan::Level;
use linerate_core::run::PathMtu;
use linerate_core::units::Rate;
use serde_json::Value;

use super::Unit::{Bytes, Count, Mbps, Microseconds, Share, Size as MessageSize, Word};
use super::{Band, Fact, Followed, Heading, Kind, Part, When};
use crate::derive::Derived;
use crate::report::{Curve, NamedRun, Report, RoundResult, Timed};

const CURVE: &str = "name of the curve, distinct among the runs";
const PATTERN: &str = "`ping-pong`, `one-way` or `exchange`";

/// What a curve comes to.
#[derive(Clone, Copy, Debug)]
pub struct Whole<'r> {
    /// Its name; empty if it is not one of a report.
    pub name: &'r str,
    /// Who sent when.
    pub pattern: Pattern,
    /// What it says.
    pub derived: &'r Derived,
    /// The largest packets that arrive there and back, if that was tried.
    pub path_mtu: Option<PathMtu>,
}

/// A band of sizes.
#[derive(Clone, Copy, Debug)]
pub struct OfBand<'r> {
    /// The curve's name; empty if it is not one of a report.
    pub name: &'r str,
    /// Who sent when.
    pub pattern: Pattern,
    /// The band.
    pub band: Band,
    /// Unit: us.
    pub mean_us: f64,
}

/// A size of a curve.
#[derive(Clone, Copy, Debug)]
pub struct Size<'r> {
    /// The curve.
    pub curve: &'r Curve,
    /// Unit: bytes.
    pub size: u64,
    /// What was measured; absent if it was not timed.
    pub timed: Option<Timed>,
}

impl Size<'_> {
    fn timed<T: Into<Value>>(&self, of: impl Fn(&Timed) -> T) -> Value {
        self.timed.as_ref().map(of).into()
    }
}

/// A round of a size.
#[derive(Clone, Copy, Debug)]
pub struct SizeRound<'r> {
    curve: &'r Curve,
    size: u64,
    round: &'r RoundResult,
}

/// Key numbers of curves.
#[derive(Debug)]
pub struct Keys;

type KeyFact = Fact<Keys>;

impl Kind for Keys {
    const NAME: &'static str = "curve";
    const LEVELS: &'static [Level] = &[Level::Run];
    const OF: fn(&NamedRun) -> bool = NamedRun::is_of_curves;
    type Row<'r> = Whole<'r>;
    const FACTS: &'static [Fact<Self>] = &[
        KeyFact::new("curve", Word, CURVE, |row| plain(row.name).into()),
        KeyFact::new("pattern", Word, PATTERN, |row| row.pattern.name().into()),
        KeyFact::new("latency_us", Microseconds, "one-way time of the smallest message below 64 B", |row| {
            row.derived.latency.as_ref().map(|latency| latency.time.median / 1e6).into()
        })
        .less()
        .within(|row| row.derived.latency.as_ref()?.time.interval.map(|ends| ends.map(|ps| ps / 1e6)))
        .followed(Followed::new("latency", "latency", "latency").headline()),
        KeyFact::new(
            "peak_mbps",
            Mbps,
            "what the path sustains one way, where that was looked at, or the highest throughput of any size",
            |row| row.derived.bandwidth.map(|it| it.peak.throughput.as_mbps()).into(),
        )
        .more()
        .within(|row| row.derived.bandwidth?.peak.interval.map(|ends| ends.map(Rate::as_mbps)))
        .followed(Followed::new("peak", "peak", "peak").headline()),
        KeyFact::new("burst_mbps", Mbps, "highest throughput of any size, where above the peak", |row| {
            row.derived.bandwidth.and_then(|it| it.burst).map(|burst| burst.throughput.as_mbps()).into()
        })
        .more()
        .within(|row| row.derived.bandwidth?.burst?.interval.map(|ends| ends.map(Rate::as_mbps))),
        KeyFact::new("half_performance_bytes", Bytes, "size from which throughput is half the peak", |row| {
            row.derived.bandwidth.and_then(|it| it.half_performance_bytes).into()
        })
        .within(|row| row.derived.bandwidth?.half_performance_interval_bytes)
        .followed(Followed::new("half-performance", "N1/2", "half_performance")),
        KeyFact::new("saturation_bytes", Bytes, "size from which time grows with size", |row| {
            row.derived.saturation.as_ref().map(|knee| knee.size).into()
        })
        .within(|row| row.derived.saturation.as_ref().map(|knee| knee.interval))
        .followed(Followed::new("saturation", "saturation", "saturation")),
        KeyFact::new(
            "path_mtu_bytes",
            Bytes,
            "largest IP packet that arrives at the peer; absent if that was not tried",
            |row| row.path_mtu.map(|mtu| mtu.there.largest_bytes).into(),
        ),
        KeyFact::new("path_mtu_back_bytes", Bytes, "the same from the peer", |row| {
            row.path_mtu.map(|mtu| mtu.back.largest_bytes).into()
        }),
    ];

    fn subject(row: &Whole<'_>) -> String {
        row.pattern.name().to_owned()
    }

    fn rows(report: &Report) -> impl Iterator<Item = (usize, Whole<'_>)> {
        report.curves.iter().map(|curve| {
            let path_mtu = report.runs[curve.run].run.path().mtu.known().copied();
            (
                curve.run,
                Whole { name: &curve.name, pattern: curve.pattern, derived: &curve.derived, path_mtu },
            )
        })
    }
}

/// Bands of the sizes of curves.
#[derive(Debug)]
pub struct SizeBands;

type BandFact = Fact<SizeBands>;

impl Kind for SizeBands {
    const NAME: &'static str = "band";
    const LEVELS: &'static [Level] = &[Level::Run];
    const OF: fn(&NamedRun) -> bool = NamedRun::is_of_curves;
    const PARTS: fn() -> Vec<Part> = || Band::ALL.map(Part::Band).to_vec();
    type Row<'r> = OfBand<'r>;
    const FACTS: &'static [Fact<Self>] = &[
        BandFact::new("curve", Word, CURVE, |row| plain(row.name).into()),
        BandFact::new("pattern", Word, PATTERN, |row| row.pattern.name().into()),
        BandFact::new("from_bytes", MessageSize, "smallest size of the band", |row| {
            row.band.extent()[0].into()
        }),
        BandFact::new(
            "mean_us",
            Microseconds,
            "geometric mean of the one-way times of a band of sizes",
            |row| row.mean_us.into(),
        )
        .less()
        .followed(Followed::new("band", "band", "band_time")),
    ];

    fn subject(row: &OfBand<'_>) -> String {
        row.pattern.name().to_owned()
    }

    fn part(row: &OfBand<'_>) -> Part {
        Part::Band(row.band)
    }

    fn rows(report: &Report) -> impl Iterator<Item = (usize, OfBand<'_>)> {
        report.curves.iter().flat_map(|curve| {
            let times: Vec<_> = curve.timed().map(|(size, timed)| (size, timed.median_us)).collect();
            let sizes = curve.points.iter().map(|point| point.size);
            let (name, pattern) = (curve.name.as_str(), curve.pattern);
            let of = move |(band, mean_us)| (curve.run, OfBand { name, pattern, band, mean_us });
            Band::means(&times, sizes).into_iter().map(of)
        })
    }
}

/// Sizes of curves. Times are of one message one way, rates of payload in one direction.
#[derive(Debug)]
pub struct Sizes;

type SizeFact = Fact<Sizes>;

impl Kind for Sizes {
    const NAME: &'static str = "size";
    const LEVELS: &'static [Level] = &[Level::Point];
    const OF: fn(&NamedRun) -> bool = NamedRun::is_of_curves;
    type Row<'r> = Size<'r>;
    const FACTS: &'static [Fact<Self>] = &[
        SizeFact::new("curve", Word, CURVE, |row| plain(&row.curve.name).into()),
        SizeFact::new("pattern", Word, PATTERN, |row| row.curve.pattern.to_string().into()),
        SizeFact::new("size_bytes", MessageSize, "message size", |row| row.size.into()).column("size", 0),
        SizeFact::new(
            "median_us",
            Microseconds,
            "median of the rounds' medians; of several passes the median of these",
            |row| row.timed(|timed| timed.median_us),
        )
        .less()
        .within(|row| row.timed?.interval_us)
        .column("median", 0),
        SizeFact::new("min_us", Microseconds, "shortest sample", |row| row.timed(|timed| timed.min_us))
            .less()
            .column("min", 4),
        SizeFact::new(
            "least_mean_us",
            Microseconds,
            "least of the rounds' means (NetPIPE's statistic)",
            |row| row.timed(|timed| timed.least_mean_us),
        )
        .less()
        .column("least mean", 7),
        SizeFact::new("p99_us", Microseconds, "99th percentile of all samples after warm-up", |row| {
            row.timed(|timed| timed.p99_us)
        })
        .less()
        .column("p99", 2),
        SizeFact::new("max_us", Microseconds, "longest sample", |row| row.timed(|timed| timed.max_us))
            .less()
            .column("max", 4),
        SizeFact::new("throughput_mbps", Mbps, "throughput at the median", |row| {
            row.timed(|timed| timed.mbps)
        })
        .more()
        .within(|row| row.timed?.mbps_interval)
        .heading(Heading { title: "", expendable: 0, when: When::Known, interval: 6 }),
        SizeFact::new(
            "link_share",
            Share,
            "throughput over the link's rate, 0 to 1; empty if that is unknown",
            |row| row.timed.and_then(|timed| timed.link_share).into(),
        )
        .more()
        .column("of link", 3),
        SizeFact::new("samples", Count, "samples after warm-up", |row| row.timed(|timed| timed.samples))
            .column("samples", 5),
        SizeFact::new("batch", Count, "messages in a sample of the last round", |row| {
            row.timed(|timed| timed.batch)
        })
        .column("batch", 7),
        SizeFact::new("rounds", Count, "rounds", |row| row.timed(|timed| timed.rounds)).column("rounds", 5),
        SizeFact::new("warmup_samples", Count, "samples taken for warm-up", |row| {
            row.timed(|timed| timed.warmup)
        })
        .column("warm-up", 8),
        SizeFact::new(
            "settled",
            Word,
            "`false` if the measurement ended with an interval wider than the target",
            |row| row.timed(|timed| timed.settled),
        ),
    ];

    fn rows(report: &Report) -> impl Iterator<Item = (usize, Size<'_>)> {
        report.curves.iter().flat_map(|curve| {
            let sizes = curve.timed();
            sizes.map(move |(size, timed)| (curve.run, Size { curve, size, timed: Some(timed) }))
        })
    }
}

/// Rounds of sizes.
#[derive(Debug)]
pub struct Rounds;

type RoundFact = Fact<Rounds>;

impl Kind for Rounds {
    const NAME: &'static str = "round";
    const LEVELS: &'static [Level] = &[Level::Round];
    const OF: fn(&NamedRun) -> bool = NamedRun::is_of_curves;
    type Row<'r> = SizeRound<'r>;
    const FACTS: &'static [Fact<Self>] = &[
        RoundFact::new("curve", Word, CURVE, |row| plain(&row.curve.name).into()),
        RoundFact::new("pattern", Word, PATTERN, |row| row.curve.pattern.to_string().into()),
        RoundFact::new("size_bytes", MessageSize, "message size", |row| row.size.into()),
        RoundFact::new("pass", Count, "number of its pass, from 1", |row| row.round.pass.into()),
        RoundFact::new("round", Count, "its own number, from 1", |row| row.round.round.into()),
        RoundFact::new("median_us", Microseconds, "median of its samples", |row| row.round.median_us.into())
            .less(),
        RoundFact::new("mean_us", Microseconds, "mean of its samples", |row| row.round.mean_us.into()).less(),
        RoundFact::new("min_us", Microseconds, "shortest sample", |row| row.round.min_us.into()).less(),
        RoundFact::new("max_us", Microseconds, "longest sample", |row| row.round.max_us.into()).less(),
        RoundFact::new("throughput_mbps", Mbps, "throughput at the median", |row| row.round.mbps.into())
            .more(),
        RoundFact::new("samples", Count, "samples", |row| row.round.samples.into()),
        RoundFact::new("batch", Count, "messages in a sample", |row| row.round.batch.into()),
        RoundFact::new("warmup_samples", Count, "samples taken for warm-up", |row| row.round.warmup.into()),
    ];

    fn rows(report: &Report) -> impl Iterator<Item = (usize, SizeRound<'_>)> {
        report.curves.iter().flat_map(|curve| {
            let rounds =
                curve.points.iter().flat_map(|point| point.rounds.iter().map(|round| (point.size, round)));
            rounds.map(move |(size, round)| (curve.run, SizeRound { curve, size, round }))
        })
    }
}
