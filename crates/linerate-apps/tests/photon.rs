//! Photons on the ideal network: where they arrive, what ranks send, what is refused. 4 s.

mod light;
mod picture;
mod ranks;
mod rules;
mod statistics;
mod trees;

use linerate_apps::photon::{Patch, Photon, PhotonOutcome, Scene, ShippedScene};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::support::{FREE, on_ideal};

/// A scene of these patches, alone.
pub(crate) fn scene(patches: Vec<Patch>) -> Scene {
    Scene { name: "test".to_owned(), closed: false, repeat: [0.0; 3], camera: None, patches }
}

/// A patch that absorbs everything.
pub(crate) fn black(corner: [f64; 3], u: [f64; 3], v: [f64; 3]) -> Patch {
    Patch { name: "black".to_owned(), corner, u, v, power: 0.0, diffuse: 0.0, mirror: 0.0 }
}

/// The unit cube of the furnace: floor, ceiling, west, east, south, north.
pub(crate) fn cube() -> Scene {
    ShippedScene::Furnace.scene()
}

pub(crate) fn furnace(albedo: f64) -> Scene {
    let mut scene = cube();
    scene.patches.iter_mut().for_each(|patch| patch.diffuse = albedo);
    scene
}

pub(crate) fn plan(scene: Scene, photons: u64) -> Photon {
    Photon { own_scene: Some(scene), photons, adaptive: false, bins: [1; 4], ..Photon::default() }
}

pub(crate) fn trace(plan: &Photon) -> PhotonOutcome {
    on_ideal(plan, FREE, 1, 1e6).swap_remove(0).0
}

/// All checks but those named held.
pub(crate) fn all_held(outcome: &PhotonOutcome) {
    let failed: Vec<_> = outcome.verified.iter().filter(|check| !check.held).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

/// A share of `photons` is `expected`, within four standard errors.
pub(crate) fn share_is(hits: u64, photons: u64, expected: f64) {
    let found = hits as f64 / photons as f64;
    let bound = 4.0 * (expected * (1.0 - expected) / photons as f64).sqrt();
    assert!((found - expected).abs() <= bound, "{found}, expected {expected} within {bound}");
}

/// How likely counts differ so much from what is expected, or more.
pub(crate) fn chi_square(found: &[u64], expected: &[f64]) -> f64 {
    let term = |(found, expected): (&u64, &f64)| (*found as f64 - expected).powi(2) / expected;
    let sum: f64 = found.iter().zip(expected).map(term).sum();
    ChiSquared::new((found.len() - 1) as f64).expect("there are some").sf(sum)
}
