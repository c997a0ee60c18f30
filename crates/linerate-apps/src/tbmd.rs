//! Molecular dynamics of carbon with electrons: tight binding after Xu, Wang, Chan and Ho 1992, without eigenvalues.
//!
//! The projector on the occupied levels comes of products of dense matrices, 20 to 30 a step, which ranks share by block rows
//! that go round a ring, or by square blocks (SUMMA). So the network carries megabytes in every step. Every rank moves all
//! atoms.
//!
//! Units: eV, angstrom, fs (docs/applications/tbmd.md).

pub mod force;
pub mod hamiltonian;
mod line;
pub mod links;
pub mod model;
pub mod outcome;
mod plan;
pub mod product;
pub mod purify;
mod run;
pub mod share;
mod square;
mod told;

use linerate_core::comm::Comm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::outcome::TbmdOutcome;
use self::share::Distribution;
use crate::application::{AppError, AppWatch, Application, Told};
use crate::atoms::Vector;
use crate::atoms::told::trajectory;
use crate::work::Work;

/// How the atoms are at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Structure {
    /// Cubic cells of diamond, eight atoms each.
    #[default]
    Diamond,
    /// Rectangular cells of graphene in the plane of x and y, four atoms each.
    Graphene,
    /// `atoms`, in a box with `sides`.
    Given,
}

/// Tight-binding molecular dynamics as it is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tbmd {
    /// How the atoms are at first.
    pub structure: Structure,
    /// Of `diamond` and `graphene`: cells along each axis. Graphene has one along z.
    pub cells: [u32; 3],
    /// Of `diamond`: the side of a cell. Of `graphene`: the bond. If absent, 3.567 and 1.42. Unit: angstrom.
    pub lattice: Option<f64>,
    /// Move every atom a little, by waves over its number.
    pub disturbed: bool,
    /// Of `given`: where the atoms are. Unit: angstrom.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub atoms: Vec<Vector>,
    /// Of `given`: sides of the periodic box, 0 along an axis where nothing repeats. Unit: angstrom.
    pub sides: Vector,
    /// Electrons that are missing.
    pub charge: i32,
    /// Temperature at first. Unit: K.
    pub temperature: f64,
    /// Seed of the velocities.
    pub seed: u64,
    /// Time step. Unit: fs.
    pub time_step: f64,
    /// Steps. 0 asks for the energy and the forces at first.
    pub steps: u64,
    /// Steps from one observation to the next.
    pub every: u64,
    /// How matrices are cut.
    pub distribution: Distribution,
    /// Steps from one frame of the trajectory to the next. If absent, no frame is kept.
    pub frame_every: Option<u64>,
}

impl Default for Tbmd {
    /// 64 atoms of diamond at 300 K, 20 steps.
    fn default() -> Self {
        Self {
            structure: Structure::default(),
            cells: [2; 3],
            lattice: None,
            disturbed: false,
            atoms: Vec::new(),
            sides: [0.0; 3],
            charge: 0,
            temperature: 300.0,
            seed: 1,
            time_step: 1.0,
            steps: 20,
            every: 1,
            distribution: Distribution::default(),
            frame_every: None,
        }
    }
}

impl Application for Tbmd {
    type Outcome = TbmdOutcome;

    const NAME: &'static str = "tbmd";
    const UNIT: &'static str = "operation on two numbers in a product of matrices";
    const MERIT: &'static str = "steps/s";
    const TITLE: &'static str = "carbon TBMD";

    fn check(&self, ranks: usize) -> Result<(), AppError> {
        plan::check(self, ranks)
    }

    fn memory(&self, ranks: usize) -> u64 {
        let order = model::ORBITALS as u64 * self.count();
        // The Hamiltonian of all rows, and a share of three matrices with what comes from others.
        8 * order * order + 4 * 8 * order * order.div_ceil(ranks.max(1) as u64)
    }

    fn told(&self, outcome: &TbmdOutcome) -> Told {
        told::told(outcome)
    }

    fn shown(&self, outcome: &TbmdOutcome) -> Result<Vec<u8>, AppError> {
        Ok(trajectory(&outcome.frames))
    }

    async fn run<C: Comm>(
        &self,
        work: &mut Work<'_, C>,
        watch: &mut dyn AppWatch,
    ) -> Result<TbmdOutcome, AppError> {
        run::run(self, work, watch).await
    }
}
