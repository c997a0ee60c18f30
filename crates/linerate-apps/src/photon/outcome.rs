//! What the photons did.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scene::Scene;
use super::tree::Tree;
use linerate_core::app::Check;

/// The result at rank 0. Other ranks have only the photons that they traced themselves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhotonOutcome {
    /// How many photons were traced to their end, by all ranks.
    pub photons: u64,
    /// Until the last round was over, on rank 0's clock. Unit: seconds.
    pub seconds: f64,
    /// Photons traced in a second.
    pub photons_per_second: f64,
    /// The same until the end of each round, as (seconds, photons per second). Of many rounds only some are kept, at even steps.
    pub running: Vec<(f64, f64)>,
    /// Rounds.
    pub rounds: u64,
    /// What all photons together carry. Unit: watts.
    pub power: f64,
    /// Hits of all patches.
    pub hits: u64,
    /// Photons that patches absorbed.
    pub absorbed: u64,
    /// Photons that left the scene.
    pub escaped: u64,
    /// Photons that were given up, because they were reflected too often.
    pub lost: u64,
    /// Photons that were absorbed at their first hit, their second, and so on; the last number is of all longer paths.
    pub paths: Vec<u64>,
    /// How each patch's coordinates are divided into fixed bins: u, v, sine squared, turns.
    pub divisions: [u32; 4],
    /// By number.
    pub patches: Vec<PatchOutcome>,
    /// Which rank has the bins of each patch.
    pub owners: Vec<usize>,
    /// Whether the run was interrupted before all photons were traced.
    pub interrupted: bool,
    /// What was checked.
    pub verified: Vec<Check>,
}

/// What one patch saw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PatchOutcome {
    /// Its name in the scene.
    pub name: String,
    /// Its area. Unit: square metres.
    pub area: f64,
    /// How many photons hit it.
    pub hits: u64,
    /// How many it absorbed.
    pub absorbed: u64,
    /// How many left the scene from it.
    pub escaped: u64,
    /// Hits in each fixed bin: by u, then v, then sine squared, then turns.
    pub bins: Vec<u64>,
    /// Bins that divided where light is uneven. Absent if that was not asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tree: Option<Tree>,
}

impl PhotonOutcome {
    /// What one photon carries. Unit: watts.
    #[must_use]
    pub fn watts_each(&self) -> f64 {
        if self.photons == 0 { 0.0 } else { self.power / self.photons as f64 }
    }

    /// The light that arrives at a patch, in the mean. Unit: watts per square metre.
    #[must_use]
    pub fn incident(&self, patch: &PatchOutcome) -> f64 {
        patch.hits as f64 * self.watts_each() / patch.area
    }

    /// The light that arrives at each part of a patch, from all directions: as many rows as u has parts, each as long as v has.
    /// Unit: watts per square metre.
    #[must_use]
    pub fn flux(&self, patch: &PatchOutcome) -> Vec<Vec<f64>> {
        let [rows, columns, directions] = [
            self.divisions[0] as usize,
            self.divisions[1] as usize,
            self.divisions[2] as usize * self.divisions[3] as usize,
        ];
        let part = patch.area / (rows * columns).max(1) as f64;
        let counts = patch.bins.chunks(directions.max(1)).map(|bin| bin.iter().sum::<u64>());
        let flux: Vec<f64> = counts.map(|hits| hits as f64 * self.watts_each() / part).collect();
        flux.chunks(columns.max(1)).map(<[f64]>::to_vec).collect()
    }

    /// The light that leaves each patch by reflection and emission, in the mean. Unit: watts per square metre.
    #[must_use]
    pub fn leaving(&self, scene: &Scene) -> Vec<f64> {
        let of = |(patch, seen): (&super::scene::Patch, &PatchOutcome)| {
            let reflected = seen.hits.saturating_sub(seen.absorbed) as f64 * self.watts_each();
            (patch.power + reflected) / seen.area
        };
        scene.patches.iter().zip(&self.patches).map(of).collect()
    }
}
