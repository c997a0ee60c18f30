//! What a run of tight-binding molecular dynamics gives.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::atoms::frame::Frame;
use linerate_core::app::Check;

/// What the atoms are like after a step. Energies are per atom. Unit: eV.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// After how many steps.
    pub step: u64,
    /// Unit: K.
    pub temperature: f64,
    /// Of the electrons.
    pub band: f64,
    /// Of the atoms' repulsion.
    pub repulsive: f64,
    /// Of both.
    pub potential: f64,
    /// Of both, and of motion.
    pub energy: f64,
    /// Products of matrices that the electrons took.
    pub products: u32,
    /// How far the trace of the projector is from the number of occupied levels.
    pub trace_error: f64,
    /// The largest component of the sum of all forces. Unit: eV/angstrom.
    pub net_force: f64,
}

/// What a run gives; the same at every rank but for the times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TbmdOutcome {
    /// Atoms.
    pub atoms: u64,
    /// Rows of the Hamiltonian.
    pub order: u64,
    /// Steps that were made.
    pub steps: u64,
    /// Whether they are as many as were asked for.
    pub complete: bool,
    /// Time that the steps took; of the one evaluation if no step was asked for. Unit: seconds.
    pub seconds: f64,
    /// Steps in a second; 0 if no step was asked for.
    pub steps_per_second: f64,
    /// Products of matrices in that time.
    pub products: u64,
    /// Their operations in a second, 2 n^3 for each, with all other work and communication in the time. Unit: 10^9/s.
    pub gflops: f64,
    /// From the beginning, one after each interval.
    pub observations: Vec<Observation>,
    /// The largest difference of the energy per atom from that of the beginning. Unit: eV.
    pub largest_drift: f64,
    /// The difference at the end. Unit: eV.
    pub drift: f64,
    /// Forces at the end, by atom. Unit: eV/angstrom.
    pub forces: Vec<[f64; 3]>,
    /// Moments of the trajectory, if any were asked for. Units: angstrom, fs.
    pub frames: Vec<Frame>,
    /// What was checked.
    pub verified: Vec<Check>,
}
