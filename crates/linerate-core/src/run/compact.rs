//! A run without what only its own report needs.

use super::Run;
use crate::series::{Point, Round, Series};
use crate::stats::Histogram;
use crate::trial::Tally;
use crate::units::Span;

impl Run {
    /// The same run with the median of each round and no more of its curves: everything that its key
    /// figures, a comparison and a curve are made of, in about a tenth of the room.
    #[must_use]
    pub fn compact(&self) -> Self {
        Self {
            series: self.series.iter().map(series).collect(),
            stages: Vec::new(),
            trace: None,
            ..self.clone()
        }
    }
}

fn series(series: &Series) -> Series {
    Series { points: series.points.iter().map(point).collect(), ..series.clone() }
}

fn point(point: &Point) -> Point {
    let rounds = point.rounds.iter().map(round).collect();
    Point { rounds, histogram: Histogram::default(), ..point.clone() }
}

fn round(round: &Round) -> Round {
    Round::compact(round.pass, round.round, (round.samples, round.batch), round.median, round.sustained)
}

impl Round {
    /// A round of which the median is known, of so many samples of so many messages each.
    #[must_use]
    pub fn compact(
        pass: u32,
        round: u32,
        (samples, batch): (u32, u32),
        median: Span,
        sustained: bool,
    ) -> Self {
        Self {
            pass,
            round,
            samples,
            batch,
            median,
            mean: median,
            min: median,
            max: median,
            warmup: 0,
            warmup_span: Span::ZERO,
            tally: Tally::default(),
            sustained,
        }
    }
}
