//! What a run of molecular dynamics gives.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::atoms::frame::Frame;
use linerate_core::app::Check;

/// What the atoms are like after a step. All in reduced units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// After how many steps.
    pub step: u64,
    /// Sum of v^2 over 3 (N - 1).
    pub temperature: f64,
    /// Potential energy per atom.
    pub potential: f64,
    /// Potential and kinetic energy per atom.
    pub energy: f64,
    /// rho T (N - 1) / N + W / (3 V).
    pub pressure: f64,
    /// Sum of r F over pairs, per atom.
    pub virial: f64,
    /// Pairs within the cutoff.
    pub pairs: f64,
}

/// What the parts of the box are like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Parts {
    /// How many along each axis.
    pub grid: [usize; 3],
    /// Atoms of each rank, by number, at the end.
    pub atoms: Vec<u64>,
    /// Images of atoms at each rank, by number, at the end.
    pub ghosts: Vec<u64>,
    /// Entries of neighbour lists per atom, at the end.
    pub neighbours: f64,
    /// How often the lists were made.
    pub rebuilds: u64,
}

/// What a run gives. That of rank 0 has all; the others lack `parts` and `frames`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MdOutcome {
    /// Atoms.
    pub atoms: u64,
    /// Side of the box. Unit: sigma.
    pub side: f64,
    /// Steps that were made.
    pub steps: u64,
    /// Whether they are as many as were asked for.
    pub complete: bool,
    /// Time that the steps took. Unit: seconds.
    pub seconds: f64,
    /// Steps in a second.
    pub steps_per_second: f64,
    /// Atoms times steps in a second.
    pub atom_steps_per_second: f64,
    /// From the beginning, one after each interval.
    pub observations: Vec<Observation>,
    /// The largest difference of the energy per atom from that of the beginning.
    pub largest_drift: f64,
    /// The difference at the end.
    pub drift: f64,
    /// How the work was shared.
    pub parts: Parts,
    /// Moments of the trajectory, if any were asked for.
    pub frames: Vec<Frame>,
    /// What was checked.
    pub verified: Vec<Check>,
}
