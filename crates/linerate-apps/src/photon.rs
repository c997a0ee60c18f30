//! Photons through a scene until they are absorbed: how many in a second, and where they arrived.
//!
//! Every rank has the whole scene and traces its share of the photons. The patches are dealt to the ranks; what hits a patch is
//! told to its owner, in rounds: counts first, then records of 24 B. So a network carries 24 h (1 - 1/P) bytes for each photon,
//! where h is how often a photon hits a patch. The merit is photons per second.  Source: the idea is that of Snell and
//! Gustafson, "Parallel hierarchical global illumination", 1997; the program is ours (docs/applications/photon.md).

mod bins;
mod exchange;
mod geometry;
mod outcome;
mod owners;
mod picture;
mod record;
mod rounds;
mod running;
mod scene;
mod stream;
mod told;
mod trace;
mod tree;
mod vector;
mod verify;

use linerate_core::comm::Comm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::outcome::{PatchOutcome, PhotonOutcome};
pub use self::owners::Owners;
pub use self::picture::{LightFrom, Picture, picture};
pub use self::scene::{Camera, Patch, Scene, ShippedScene};
pub use self::tree::{Axis, Bin, Tree};

use self::rounds::Rounds;
use self::trace::Tracer;
use crate::application::{AppError, AppWatch, Application, Told};
use crate::work::Work;

/// The most photons.
const MOST_PHOTONS: u64 = 1 << 31;
/// The most photons of one rank in a round.
const MOST_PER_ROUND: u32 = 1 << 20;
/// The most reflections: each takes three of the random numbers that a photon has.
const MOST_BOUNCES: u32 = 20_000;
/// The most fixed bins of a patch.
const MOST_BINS: u64 = 1 << 20;
/// The most fixed bins of a scene.
const MOST_BINS_IN_ALL: u64 = 1 << 24;
/// The most bins that a patch's tree may have.
const MOST_LEAVES: u32 = 1 << 20;

/// Everything that can be asked of the photons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Photon {
    /// Which scene.
    pub scene: ShippedScene,
    /// Another scene, instead of that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_scene: Option<Scene>,
    /// How many photons all ranks together trace.
    pub photons: u64,
    /// How many a rank traces in a round, between two exchanges.
    pub per_round: u32,
    /// Into how many parts the fixed bins divide u, v, the sine squared and the turns of a hit.
    pub bins: [u32; 4],
    /// Whether patches have trees too, that divide where light is uneven.
    pub adaptive: bool,
    /// After how many photons of all ranks bins are split. A round ends there.
    pub split_every: u64,
    /// How many bins a patch's tree may have that are not split.
    pub leaves: u32,
    /// After so many reflections a photon is given up.
    pub bounces: u32,
    /// How patches are dealt to ranks.
    pub owners: Owners,
    /// Which random numbers.
    pub seed: u64,
}

impl Default for Photon {
    fn default() -> Self {
        Self {
            scene: ShippedScene::Furnace,
            own_scene: None,
            photons: 1_000_000,
            per_round: 1_000,
            bins: [16, 16, 1, 1],
            adaptive: true,
            split_every: 50_000,
            leaves: 4_096,
            bounces: 10_000,
            owners: Owners::InTurn,
            seed: 1,
        }
    }
}

impl Photon {
    /// The scene that is lit.
    #[must_use]
    pub fn lit(&self) -> Scene {
        self.own_scene.clone().unwrap_or_else(|| self.scene.scene())
    }

    /// How many photons all ranks together trace in the round that begins after `done`.
    pub(crate) fn round(&self, done: u64, ranks: usize) -> u64 {
        let of_all = u64::from(self.per_round) * ranks as u64;
        let until_split = if self.adaptive { self.split_every - done % self.split_every } else { u64::MAX };
        of_all.min(until_split).min(self.photons - done)
    }

    fn check_all(&self, ranks: usize) -> Result<(), String> {
        if ranks == 0 {
            return Err("trace photons on no ranks; ask for at least one".to_owned());
        }
        let scene = self.lit();
        scene.check()?;
        let asked = [
            ("photons", self.photons, MOST_PHOTONS),
            ("photons of a rank in a round", self.per_round.into(), MOST_PER_ROUND.into()),
            ("photons between splits", self.split_every, MOST_PHOTONS),
            ("reflections of a photon", self.bounces.into(), MOST_BOUNCES.into()),
            ("bins in a patch's tree", self.leaves.into(), MOST_LEAVES.into()),
        ];
        if let Some((what, asked, most)) =
            asked.into_iter().find(|(_, asked, most)| !(1..=*most).contains(asked))
        {
            return Err(format!("trace photons with {asked} {what}; ask for 1 to {most}"));
        }
        let bins = self.bins.iter().try_fold(1_u64, |all, parts| all.checked_mul(u64::from(*parts)));
        let bins = bins.filter(|bins| (1..=MOST_BINS).contains(bins));
        let all = bins.map(|bins| bins * scene.patches.len() as u64);
        if all.is_none_or(|all| all > MOST_BINS_IN_ALL) {
            return Err(format!(
                "divide each patch into {:?} bins; ask for 1 to {MOST_BINS}, and for at most {MOST_BINS_IN_ALL} on all patches",
                self.bins
            ));
        }
        Ok(())
    }
}

impl Application for Photon {
    type Outcome = PhotonOutcome;
    const NAME: &'static str = "photon";
    const UNIT: &'static str = "photon";
    const MERIT: &'static str = "photons/s";
    const TITLE: &'static str = "Photon-like";

    fn check(&self, ranks: usize) -> Result<(), AppError> {
        self.check_all(ranks).map_err(AppError::Plan)
    }

    fn memory(&self, ranks: usize) -> u64 {
        let bins = self.bins.iter().map(|parts| u64::from(*parts)).product::<u64>();
        let patches = self.lit().patches.len() as u64;
        // Bins of a patch, its tree, and records of a round on their way to their owners and there; a photon hits a few times.
        let trees = if self.adaptive { u64::from(self.leaves) * 96 } else { 0 };
        patches * (bins * 8 + trees) + 2 * 24 * 8 * self.round(0, ranks.max(1))
    }

    fn told(&self, outcome: &PhotonOutcome) -> Told {
        told::told(outcome)
    }

    fn shown(&self, outcome: &PhotonOutcome) -> Result<Vec<u8>, AppError> {
        told::shown(self, outcome)
    }

    async fn run<C: Comm>(
        &self,
        work: &mut Work<'_, C>,
        watch: &mut dyn AppWatch,
    ) -> Result<PhotonOutcome, AppError> {
        let scene = self.lit();
        let tracer = Tracer::new(&scene, self.bounces);
        let owners = match self.owners {
            Owners::InTurn => owners::in_turn(scene.patches.len(), work.size()),
            Owners::Packed => {
                let ranks = work.size();
                let pilot = || owners::packed(&scene, &tracer, self.seed, ranks);
                work.compute("pilot", owners::PILOT, pilot).await
            }
        };
        Rounds::new(self, &scene, &tracer, &owners, work).run(work, watch).await
    }
}
