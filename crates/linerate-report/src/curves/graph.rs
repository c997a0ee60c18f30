//! Which graphs there are, and where each puts a point.

use linerate_analysis::report::{Report, Timed};

use crate::plot::{Axis, Place, Shape, Sign};

/// Most labels on the axis of sizes and of rates, at the width and height of a picture.
const SIZE_LABELS: usize = 9;
const RATE_LABELS: usize = 7;

/// One of NetPIPE's three graphs.
/// Source: Snell, Mikler and Gustafson, NetPIPE: A Network Protocol Independent Performance
/// Evaluator (1996), figures 2 to 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Graph {
    /// Throughput against size.
    Throughput,
    /// Throughput against time: latency and peak in one picture.
    Signature,
    /// Time against size: its knee is the saturation point.
    Saturation,
}

impl Graph {
    /// Every graph, in the order in which they are shown.
    pub(crate) const ALL: [Self; 3] = [Self::Throughput, Self::Signature, Self::Saturation];

    /// Its name in text and in documents.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Signature => "signature",
            Self::Saturation => "saturation",
        }
    }

    /// Its title.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Throughput => "Throughput graph",
            Self::Signature => "Signature graph",
            Self::Saturation => "Saturation graph",
        }
    }

    /// How it is read.
    pub(crate) const fn caption(self) -> &'static str {
        match self {
            Self::Throughput => "Payload throughput at each message size.",
            Self::Signature => {
                "Throughput against time, joined in the order of sizes: it begins at the latency and ends at the peak. Where it turns back, a larger message took less time than a smaller one."
            }
            Self::Saturation => "Time against message size.",
        }
    }

    /// What its marks mean.
    pub(super) const SIGNS: [(Sign, &str); 4] = [
        (Sign::Pale, "Pale: 95 % intervals of the median."),
        (
            Sign::Shape(Shape::Ring),
            "Hollow points have not settled: their intervals are wider than the target.",
        ),
        (Sign::Shape(Shape::Down), "Triangles mark dips: sizes that do worse than those around them."),
        (
            Sign::Shape(Shape::Diamond),
            "The diamond is the saturation point, and the bar through it its interval: below it time hardly grows with size, above it in proportion.",
        ),
    ];

    /// The horizontal axis.
    pub(super) fn x(self, report: &Report) -> Axis {
        match self {
            Self::Throughput | Self::Saturation => Axis::size(report, SIZE_LABELS),
            Self::Signature => Axis::time(report),
        }
    }

    /// The vertical axis.
    pub(super) fn y(self, report: &Report) -> Axis {
        match self {
            Self::Throughput | Self::Signature => Axis::rate(report, RATE_LABELS),
            Self::Saturation => Axis::time(report),
        }
    }

    /// Whether ceilings are drawn: where the vertical axis is a rate.
    pub(super) const fn has_ceilings(self) -> bool {
        !matches!(self, Self::Saturation)
    }

    /// Where a point lies.
    pub(crate) fn place(self, size: u64, timed: &Timed) -> Place {
        match self {
            Self::Throughput => (size as f64, timed.mbps),
            Self::Signature => (timed.median_us, timed.mbps),
            Self::Saturation => (size as f64, timed.median_us),
        }
    }

    /// Where the ends of a point's interval lie. Time and throughput are one measurement, so in
    /// the signature graph the ends lie on a slant and not on a cross.
    pub(crate) fn interval(self, size: u64, timed: &Timed) -> Option<[Place; 2]> {
        let [quick, slow] = timed.interval_us?;
        let [low, high] = timed.mbps_interval?;
        Some(match self {
            Self::Throughput => [(size as f64, low), (size as f64, high)],
            Self::Signature => [(quick, high), (slow, low)],
            Self::Saturation => [(size as f64, quick), (size as f64, slow)],
        })
    }
}
