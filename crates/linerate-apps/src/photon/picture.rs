//! A scene as a camera sees it, from the light that the bins counted.

use super::geometry::{Geometry, NOWHERE};
use super::outcome::PhotonOutcome;
use super::scene::{Camera, Scene};
use super::vector::{Vector, along, cross, length, scaled, unit};
use crate::application::AppError;

/// The widest and the highest picture. Unit: pixels.
const MOST: usize = 16_384;
/// How many mirrors a ray follows.
const MIRRORS: u32 = 16;
/// What a screen makes of light: brightness to the power of this.  Source: IEC 61966-2-1 (sRGB), about.
const GAMMA: f64 = 1.0 / 2.2;

/// Which bins light is taken from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LightFrom {
    /// Fixed bins: smooth between their middles.
    #[default]
    FixedBins,
    /// The leaves of the trees, each of one brightness: shows how the trees grew. A patch without a tree has its fixed bins.
    Trees,
}

/// A picture without colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Pixels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The light that comes from each pixel, row by row from the top. Unit: watts per square metre and steradian.
    pub radiance: Vec<f64>,
}

impl Picture {
    /// Red, green and blue of every pixel, row by row from the top. `white` is the radiance that is shown white; if absent, what
    /// 98 of 100 lit pixels do not exceed.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 255")]
    pub fn rgb(&self, white: Option<f64>) -> Vec<[u8; 3]> {
        let white = white.unwrap_or_else(|| self.usual_white()).max(f64::MIN_POSITIVE);
        let shade = |radiance: &f64| {
            let share = (radiance / white).clamp(0.0, 1.0).powf(GAMMA);
            [(share * 255.0).round() as u8; 3]
        };
        self.radiance.iter().map(shade).collect()
    }

    fn usual_white(&self) -> f64 {
        let mut lit: Vec<f64> = self.radiance.iter().copied().filter(|radiance| *radiance > 0.0).collect();
        lit.sort_by(f64::total_cmp);
        lit.get(lit.len() * 98 / 100).copied().unwrap_or(1.0)
    }
}

/// What `camera` sees of a scene that was lit, in `pixels` of width and height. Patches send out what they emit, and diffusely
/// what arrives; mirrors are followed.
///
/// # Errors
///
/// [`AppError::Plan`] if the camera cannot see, the picture is too large, or the outcome is of another scene.
pub fn picture(
    scene: &Scene,
    outcome: &PhotonOutcome,
    camera: &Camera,
    pixels: [usize; 2],
    from: LightFrom,
) -> Result<Picture, AppError> {
    let [width, height] = pixels;
    if !(1..=MOST).contains(&width) || !(1..=MOST).contains(&height) {
        return Err(AppError::Plan(format!("draw {width} by {height} pixels; ask for 1 to {MOST} of each")));
    }
    if outcome.patches.len() != scene.patches.len() {
        return Err(AppError::Plan(
            "draw a scene with the light of another; give the result of this one".to_owned(),
        ));
    }
    let frame = Frame::new(camera).map_err(AppError::Plan)?;
    let light = Light::new(scene, outcome, from);
    let geometry = Geometry::new(scene);
    let ratio = width as f64 / height as f64;
    let mut radiance = Vec::with_capacity(width * height);
    for row in 0..height {
        let up = 1.0 - 2.0 * (row as f64 + 0.5) / height as f64;
        for column in 0..width {
            let right = ratio * (2.0 * (column as f64 + 0.5) / width as f64 - 1.0);
            radiance.push(light.along(&geometry, camera.eye, frame.direction(right, up)));
        }
    }
    Ok(Picture { width, height, radiance })
}

/// The camera's directions.
struct Frame {
    forward: Vector,
    right: Vector,
    up: Vector,
}

impl Frame {
    fn new(camera: &Camera) -> Result<Self, String> {
        let forward = along(&camera.target, -1.0, &camera.eye);
        let right = cross(&forward, &camera.up);
        let angle = camera.degrees > 0.0 && camera.degrees < 180.0;
        if !(angle && length(&forward) > 0.0 && length(&right) > 1e-9 * length(&forward) * length(&camera.up))
        {
            return Err(
                "look with this camera; give it a target in another direction than up, and 0 to 180 degrees"
                    .to_owned(),
            );
        }
        let (forward, right) = (unit(&forward), unit(&right));
        let half = (camera.degrees.to_radians() / 2.0).tan();
        let up = scaled(&cross(&right, &forward), half);
        Ok(Self { forward, right: scaled(&right, half), up })
    }

    fn direction(&self, right: f64, up: f64) -> Vector {
        unit(&along(&along(&self.forward, right, &self.right), up, &self.up))
    }
}

/// The light of every patch.
struct Light<'l> {
    scene: &'l Scene,
    outcome: &'l PhotonOutcome,
    from: LightFrom,
    /// What arrives at each bin of each patch. Unit: watts per square metre.
    flux: Vec<Vec<Vec<f64>>>,
}

impl<'l> Light<'l> {
    fn new(scene: &'l Scene, outcome: &'l PhotonOutcome, from: LightFrom) -> Self {
        let flux = outcome.patches.iter().map(|patch| outcome.flux(patch)).collect();
        Self { scene, outcome, from, flux }
    }

    /// The radiance that comes back along a ray.
    fn along(&self, geometry: &Geometry, eye: Vector, direction: Vector) -> f64 {
        let (mut origin, mut direction, mut start) = (eye, direction, NOWHERE);
        let (mut sum, mut share) = (0.0, 1.0);
        for _ in 0..=MIRRORS {
            let Ok(Some(hit)) = geometry.hit(start, origin, &direction) else { break };
            let (patch, face) = (&self.scene.patches[hit.patch], &geometry.faces[hit.patch]);
            let emitted = if hit.side > 0.0 { patch.power / patch.area() } else { 0.0 };
            let leaving = emitted + patch.diffuse * self.arriving(hit.patch, hit.at);
            sum += share * leaving / std::f64::consts::PI;
            share *= patch.mirror;
            if share <= 0.0 {
                break;
            }
            direction = face.mirrored(&direction);
            origin = face.place(&hit.at);
            start = hit.patch;
        }
        sum
    }

    /// What arrives at a place of a patch. Unit: watts per square metre.
    fn arriving(&self, patch: usize, at: [f64; 2]) -> f64 {
        let seen = &self.outcome.patches[patch];
        if let (LightFrom::Trees, Some(tree)) = (self.from, &seen.tree) {
            return tree.density(at[0], at[1]) * self.outcome.power / seen.area;
        }
        let flux = &self.flux[patch];
        let Some(first) = flux.first() else { return 0.0 };
        let [rows, columns] = [between(at[0], flux.len()), between(at[1], first.len())];
        let row = |row: usize| mixed(columns, |column| flux[row][column]);
        mixed(rows, row)
    }
}

/// The two of `number` cells between whose middles a coordinate from 0 to 1 is, and the share of the second.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below the number of cells")]
fn between(at: f64, number: usize) -> (usize, usize, f64) {
    let place = (at * number as f64 - 0.5).clamp(0.0, (number - 1) as f64);
    let low = place as usize;
    (low, (low + 1).min(number - 1), place - low as f64)
}

fn mixed((low, high, share): (usize, usize, f64), value: impl Fn(usize) -> f64) -> f64 {
    (1.0 - share) * value(low) + share * value(high)
}
