//! What photons fly through: flat patches that emit, reflect and absorb.

mod check;
mod shipped;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::shipped::ShippedScene;
use super::vector::{cross, length};

/// A scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scene {
    /// What it shows.
    pub name: String,
    /// Whether the patches leave no way out: then nothing may escape.
    #[serde(default)]
    pub closed: bool,
    /// After what distance along x, y and z the scene repeats, 0 for never. Its patches lie between 0 and that. Unit: metres.
    #[serde(default, skip_serializing_if = "never_repeats")]
    pub repeat: [f64; 3],
    /// From where it is looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camera: Option<Camera>,
    /// Its patches. They are numbered from 0.
    #[serde(rename = "patch")]
    pub patches: Vec<Patch>,
}

/// A parallelogram. It reflects on both sides and emits on the front, from where `u` turns to `v` counterclockwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Patch {
    /// What it is.
    pub name: String,
    /// One corner. Unit: metres.
    pub corner: [f64; 3],
    /// One edge from there. Unit: metres.
    pub u: [f64; 3],
    /// The other edge. Unit: metres.
    pub v: [f64; 3],
    /// What it emits, by the cosine law. Unit: watts.
    #[serde(default)]
    pub power: f64,
    /// The share of light that it reflects in all directions, by the cosine law.
    #[serde(default)]
    pub diffuse: f64,
    /// The share that it reflects like a mirror. The rest is absorbed.
    #[serde(default)]
    pub mirror: f64,
}

/// An eye, and where it looks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Camera {
    /// Where it is. Unit: metres.
    pub eye: [f64; 3],
    /// A point in the middle of the picture. Unit: metres.
    pub target: [f64; 3],
    /// The direction that is up.
    #[serde(default = "upright")]
    pub up: [f64; 3],
    /// The angle from the lower edge to the upper one. Unit: degrees.
    pub degrees: f64,
}

const fn upright() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}

fn never_repeats(repeat: &[f64; 3]) -> bool {
    repeat.iter().all(|period| *period == 0.0)
}

impl Patch {
    /// Its area. Unit: square metres.
    #[must_use]
    pub fn area(&self) -> f64 {
        length(&cross(&self.u, &self.v))
    }

    /// The share of light that it does not absorb.
    #[must_use]
    pub fn albedo(&self) -> f64 {
        self.diffuse + self.mirror
    }
}

impl Scene {
    /// What all patches emit. Unit: watts.
    #[must_use]
    pub fn power(&self) -> f64 {
        self.patches.iter().map(|patch| patch.power).sum()
    }

    /// The albedo of all patches, if they have the same.
    #[must_use]
    pub fn one_albedo(&self) -> Option<f64> {
        let albedo = self.patches.first()?.albedo();
        self.patches.iter().all(|patch| (patch.albedo() - albedo).abs() < 1e-12).then_some(albedo)
    }

    /// What all patches emit on a square metre, if they emit the same. Unit: watts per square metre.
    #[must_use]
    pub fn one_exitance(&self) -> Option<f64> {
        let of = |patch: &Patch| patch.power / patch.area();
        let first = of(self.patches.first()?);
        self.patches.iter().all(|patch| (of(patch) - first).abs() < 1e-9 * first).then_some(first)
    }
}
