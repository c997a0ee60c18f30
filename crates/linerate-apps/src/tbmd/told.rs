//! What people are told of tight-binding molecular dynamics.

use linerate_core::app::AppFigure;

use super::outcome::{Observation, TbmdOutcome};
use crate::application::Told;
use crate::atoms::told::course;

pub(super) fn told(outcome: &TbmdOutcome) -> Told {
    let mut figures = vec![
        AppFigure::new("atoms", outcome.atoms as f64, ""),
        AppFigure::new("rows of the Hamiltonian", outcome.order as f64, ""),
        AppFigure::new("steps", outcome.steps as f64, ""),
        AppFigure::new("products of matrices", outcome.products as f64, ""),
        AppFigure::new("operations of products", outcome.gflops, "10^9/s"),
        AppFigure::new("drift of energy per atom", outcome.drift, "eV"),
        AppFigure::new("largest drift of energy per atom", outcome.largest_drift, "eV"),
    ];
    if let Some(last) = outcome.observations.last() {
        figures.extend([
            AppFigure::new("energy per atom at the end", last.energy, "eV"),
            AppFigure::new("temperature at the end", last.temperature, "K"),
        ]);
    }
    let of = |name: &str, unit: &str, value: fn(&Observation) -> f64| {
        course(name, unit, &outcome.observations, |seen| (seen.step, value(seen)))
    };
    Told {
        // Without steps it is one evaluation of energy and forces.
        merit: if outcome.steps == 0 && outcome.seconds > 0.0 {
            1.0 / outcome.seconds
        } else {
            outcome.steps_per_second
        },
        interrupted: !outcome.complete,
        figures,
        courses: vec![
            of("energy per atom", "eV", |seen| seen.energy),
            of("temperature", "K", |seen| seen.temperature),
        ],
        checks: outcome.verified.clone(),
    }
}
