//! What people are told of HINT.

use linerate_core::app::{AppFigure, Axis, Course};

use super::{HintOutcome, HintPoint, HintStop};
use crate::application::Told;

/// Net QUIPS, and QUIPS against time and memory.
pub(super) fn told(outcome: &HintOutcome) -> Told {
    let quips = |name: &str, x: Axis, of: &dyn Fn(&HintPoint) -> f64| Course {
        name: name.to_owned(),
        x,
        y: Axis::linear("quality per second", "QUIPS"),
        points: outcome.points.iter().map(|point| [of(point), point.quips]).collect(),
    };
    let last = outcome.points.last();
    let mut figures = vec![
        AppFigure::new("peak", outcome.peak_quips, "QUIPS"),
        AppFigure::new("first point", outcome.first_seconds, "s"),
        AppFigure::new("sizes", outcome.points.len() as f64, ""),
        AppFigure::new("sizes that took less than the one before", outcome.out_of_order() as f64, ""),
        AppFigure::new("chunks of the range of x", f64::from(outcome.chunks), ""),
    ];
    if let Some(last) = last {
        figures.push(AppFigure::new("largest memory", last.memory_bytes as f64, "B"));
        figures.push(AppFigure::new("best quality", last.quality, ""));
    }
    Told {
        merit: outcome.net_quips,
        interrupted: outcome.stop == Some(HintStop::Interrupted),
        figures,
        courses: vec![
            quips("QUIPS against time", Axis::log("time", "s"), &|point| point.seconds),
            quips("QUIPS against memory", Axis::log("memory", "B"), &|point| point.memory_bytes as f64),
        ],
        checks: outcome.verified.clone(),
    }
}
