//! What people are told of photons, and shown.

use linerate_core::app::{AppFigure, Axis, Course};
use linerate_core::generator::GENERATOR;

use super::{LightFrom, Photon, PhotonOutcome, picture};
use crate::application::{AppError, Told};

/// The picture. Unit: pixels.
const SIZE: [usize; 2] = [640, 480];

/// Photons per second, how many hits a photon has, and how much of the light is where.
pub(super) fn told(outcome: &PhotonOutcome) -> Told {
    let photons = outcome.photons as f64;
    let share = |count: u64| if photons > 0.0 { count as f64 / photons } else { 0.0 };
    let mut figures = vec![
        AppFigure::new("photons", photons, ""),
        AppFigure::new("rounds", outcome.rounds as f64, ""),
        AppFigure::new("hits of a photon", share(outcome.hits), ""),
        AppFigure::new("absorbed", share(outcome.absorbed), "of all"),
        AppFigure::new("escaped", share(outcome.escaped), "of all"),
        AppFigure::new("given up", share(outcome.lost), "of all"),
    ];
    figures.extend(
        outcome
            .patches
            .iter()
            .map(|patch| AppFigure::new(format!("light on {}", patch.name), outcome.incident(patch), "W/m2")),
    );
    let points = outcome.running.iter().map(|(seconds, rate)| [*seconds, *rate]).collect();
    let running = Course {
        name: "photons per second until then".to_owned(),
        x: Axis::linear("time", "s"),
        y: Axis::linear("photons per second", "1/s"),
        points,
    };
    Told {
        merit: outcome.photons_per_second,
        interrupted: outcome.interrupted,
        figures,
        courses: vec![running],
        checks: outcome.verified.clone(),
    }
}

/// What the scene's camera sees, as PNG. Nothing if the scene has none.
pub(super) fn shown(plan: &Photon, outcome: &PhotonOutcome) -> Result<Vec<u8>, AppError> {
    let scene = plan.lit();
    let Some(camera) = &scene.camera else { return Ok(Vec::new()) };
    let from = if plan.adaptive { LightFrom::Trees } else { LightFrom::FixedBins };
    let seen = picture(&scene, outcome, camera, SIZE, from)?;
    let failed = |error: png::EncodingError| AppError::Calculation(format!("write the picture: {error}"));
    let mut file = Vec::new();
    let (width, height) = (SIZE[0] as u32, SIZE[1] as u32);
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.add_text_chunk("Software".to_owned(), GENERATOR.to_owned()).map_err(failed)?;
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(seen.rgb(None).as_flattened()).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(file)
}
