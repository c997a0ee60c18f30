//! What the photons must obey.

use super::outcome::{PatchOutcome, PhotonOutcome};
use super::scene::Scene;
use linerate_core::app::Check;

/// Standard errors by which a mean may differ: once in 16 000 runs by chance.
const ERRORS: f64 = 4.0;

/// `sent` is how many hits the ranks that traced them told.
pub(crate) fn verify(scene: &Scene, found: &PhotonOutcome, sent: u64) -> Vec<Check> {
    let PhotonOutcome { photons, absorbed, escaped, lost, hits, .. } = found;
    let mut checks = vec![
        Check::new(
            "every photon was absorbed, escaped or given up",
            *photons == absorbed + escaped + lost,
            format!("{photons} = {absorbed} + {escaped} + {lost}"),
        ),
        Check::new(
            "every hit came to the owner of its patch",
            *hits == sent,
            format!("{sent} sent, {hits} arrived"),
        ),
        Check::new("no photon was given up", *lost == 0, format!("{lost} were")),
    ];
    if scene.closed {
        let found = format!("{escaped} did");
        checks.push(Check::new("nothing escapes from a closed scene", *escaped == 0, found));
    }
    if scene.closed && *lost == 0 && *photons > 0 {
        checks.extend(mean_hits(scene, found));
        checks.extend(furnace(scene, found));
    }
    checks
}

/// In a closed scene of one albedo a photon hits 1/(1 - rho) times, with a standard deviation of sqrt(rho)/(1 - rho).
fn mean_hits(scene: &Scene, found: &PhotonOutcome) -> Option<Check> {
    let albedo = scene.one_albedo()?;
    let mean = found.hits as f64 / found.photons as f64;
    let expected = 1.0 / (1.0 - albedo);
    let error = albedo.sqrt() * expected / (found.photons as f64).sqrt();
    let held = (mean - expected).abs() <= ERRORS * error + f64::EPSILON;
    let found = format!("{mean:.4}, expected {expected:.4} within {:.4}", ERRORS * error);
    Some(Check::new("hits per photon are 1/(1 - albedo)", held, found))
}

/// If besides all patches emit the same, E, the light that arrives is E/(1 - rho) everywhere.
fn furnace(scene: &Scene, found: &PhotonOutcome) -> Option<Check> {
    // Mirrors and repetition change nothing, but then a part of the space may be shut off.
    let (albedo, exitance) = (scene.one_albedo()?, scene.one_exitance()?);
    let expected = exitance / (1.0 - albedo);
    // Hits of one photon on one patch are not independent: at most this much more uncertain.
    let spread = ((1.0 + albedo) / (1.0 - albedo)).sqrt();
    let deviation = |patch: &PatchOutcome| {
        let hits = expected * patch.area / found.watts_each();
        (patch.hits as f64 - hits).abs() / (spread * hits.sqrt())
    };
    let worst = found.patches.iter().map(deviation).fold(0.0, f64::max);
    let found = format!("at worst {worst:.1} standard errors from {expected} W/m2");
    Some(Check::new("the light is the same everywhere, E/(1 - albedo)", worst <= ERRORS, found))
}
