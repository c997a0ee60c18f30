//! What people are told of molecular dynamics.

use linerate_core::app::AppFigure;

use super::outcome::{MdOutcome, Observation};
use crate::application::Told;
use crate::atoms::told::course;

pub(super) fn told(outcome: &MdOutcome) -> Told {
    let mut figures = vec![
        AppFigure::new("atoms", outcome.atoms as f64, ""),
        AppFigure::new("steps", outcome.steps as f64, ""),
        AppFigure::new("steps per second", outcome.steps_per_second, "1/s"),
        AppFigure::new("neighbours of an atom in its list", outcome.parts.neighbours, ""),
        AppFigure::new("lists made", outcome.parts.rebuilds as f64, ""),
        AppFigure::new("drift of energy per atom", outcome.drift, "epsilon"),
        AppFigure::new("largest drift of energy per atom", outcome.largest_drift, "epsilon"),
    ];
    if let Some(last) = outcome.observations.last() {
        figures.extend([
            AppFigure::new("temperature at the end", last.temperature, "epsilon/k"),
            AppFigure::new("energy per atom at the end", last.energy, "epsilon"),
            AppFigure::new("pressure at the end", last.pressure, "epsilon/sigma^3"),
        ]);
    }
    let of = |name: &str, unit: &str, value: fn(&Observation) -> f64| {
        course(name, unit, &outcome.observations, |seen| (seen.step, value(seen)))
    };
    Told {
        merit: outcome.atom_steps_per_second,
        interrupted: !outcome.complete,
        figures,
        courses: vec![
            of("energy per atom", "epsilon", |seen| seen.energy),
            of("temperature", "epsilon/k", |seen| seen.temperature),
            of("pressure", "epsilon/sigma^3", |seen| seen.pressure),
        ],
        checks: outcome.verified.clone(),
    }
}
