//! Molecular dynamics of a Lennard-Jones liquid, in reduced units: sigma, epsilon and the mass of an atom are 1.
//!
//! The atoms are shared among ranks by parts of the box, so that a rank talks to its neighbours only (Plimpton 1995), or by
//! number, so that everybody is told every place, or every force, at every step. Velocity Verlet, neighbour lists, periodic
//! box. The order of every sum of forces is the same for any number of ranks, so trajectories are the same to the last bit,
//! except with half lists (docs/applications/md.md).

mod borders;
mod cells;
mod fault;
mod force;
pub mod grid;
mod lists;
mod migrate;
mod neighbours;
mod observe;
pub mod outcome;
pub mod pair;
mod particles;
mod plan;
mod run;
mod share;
mod step;
mod told;

use linerate_core::comm::Comm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::force::FLOPS_PER_ENTRY;
use self::outcome::MdOutcome;
use self::pair::Truncation;
use crate::application::{AppError, AppWatch, Application, Told};
use crate::atoms::told::trajectory;
use crate::work::Work;

/// Which atoms are whose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decomposition {
    /// Each rank has a part of the box: six messages a step with what is near its faces.
    #[default]
    Spatial,
    /// Each rank moves some atoms and is told the places of all: an allgather (ring) of 24 B for each atom.
    Replicated,
    /// Each rank calculates some pairs once and is told the forces on all atoms: an allreduce (ring) of 24 B for each atom.
    ReplicatedHalf,
}

/// How the atoms are at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// A crystal; velocities are drawn.
    #[default]
    Crystal,
    /// A crystal disturbed by waves over the numbers of the atoms, and velocities by waves: nothing is drawn.
    Waves,
}

/// Molecular dynamics as it is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Md {
    /// Cells of the face-centred cubic crystal along each axis, four atoms each.
    pub cells: [u32; 3],
    /// Atoms in a unit of volume.
    pub density: f64,
    /// Temperature at first; about half of it becomes potential energy as the crystal melts.
    pub temperature: f64,
    /// How the atoms are at first.
    pub start: Start,
    /// Seed of the velocities.
    pub seed: u64,
    /// Time step.
    pub time_step: f64,
    /// Steps.
    pub steps: u64,
    /// Steps from one observation to the next.
    pub every: u64,
    /// Distance from which two atoms do not know of each other.
    pub cutoff: f64,
    /// What becomes of the potential there.
    pub truncation: Truncation,
    /// How much further than the cutoff lists of neighbours reach.
    pub skin: f64,
    /// The most steps for which lists are used.
    pub rebuild: u32,
    /// Make lists sooner when an atom has moved half the skin. With `spatial` it costs an allreduce of 8 B a step. Without,
    /// a pair may be missed for some steps, and the result says so.
    pub check_moved: bool,
    /// Which atoms are whose.
    pub decomposition: Decomposition,
    /// Of `spatial`: parts along each axis. If absent, those with the least surface.
    pub grid: Option<[usize; 3]>,
    /// Steps from one frame of the trajectory to the next. If absent, no frame is kept.
    pub frame_every: Option<u64>,
}

impl Default for Md {
    /// The liquid of the LAMMPS benchmark, smaller: 4000 atoms.
    fn default() -> Self {
        Self {
            cells: [10; 3],
            density: 0.8442,
            temperature: 1.44,
            start: Start::default(),
            seed: 1,
            time_step: 0.005,
            steps: 100,
            every: 10,
            cutoff: 2.5,
            truncation: Truncation::default(),
            skin: 0.3,
            rebuild: 20,
            check_moved: true,
            decomposition: Decomposition::default(),
            grid: None,
            frame_every: None,
        }
    }
}

impl Application for Md {
    type Outcome = MdOutcome;

    const NAME: &'static str = "md";
    const UNIT: &'static str = "step of an atom";
    const MERIT: &'static str = "atom-steps/s";
    const TITLE: &'static str = "Lennard-Jones MD";

    fn check(&self, ranks: usize) -> Result<(), AppError> {
        plan::check(self, ranks)
    }

    fn memory(&self, ranks: usize) -> u64 {
        // Places, velocities, forces and a list of neighbours; beside its own atoms a part has the images near its faces.
        let neighbours = 4.0 / 3.0 * std::f64::consts::PI * self.reach().powi(3) * self.density;
        let each = 160 + 4 * (neighbours.max(0.0) as u64 + 1);
        let own = if self.decomposition == Decomposition::Spatial {
            let reach = 2.0 * self.reach();
            let sides = self.sides();
            let parts = self.parts(ranks.max(1));
            let with_images: f64 = (0..3).map(|axis| sides[axis] / parts[axis] as f64 + reach).product();
            (with_images * self.density) as u64
        } else {
            self.atoms()
        };
        own.saturating_mul(each)
    }

    fn told(&self, outcome: &MdOutcome) -> Told {
        told::told(outcome)
    }

    fn shown(&self, outcome: &MdOutcome) -> Result<Vec<u8>, AppError> {
        Ok(trajectory(&outcome.frames))
    }

    async fn run<C: Comm>(
        &self,
        work: &mut Work<'_, C>,
        watch: &mut dyn AppWatch,
    ) -> Result<MdOutcome, AppError> {
        run::run(self, work, watch).await
    }
}
