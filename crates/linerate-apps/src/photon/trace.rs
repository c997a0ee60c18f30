//! The way of one photon, from a patch that emits until it is absorbed or gone.

use libm::{atan2f, sincos};

use super::geometry::{Geometry, GivenUp, Hit};
use super::record::{Fate, Record};
use super::scene::Scene;
use super::stream::Stream;
use super::vector::Vector;

/// The largest coordinate: just below 1.
const BELOW_ONE: f32 = 1.0 - f32::EPSILON / 2.0;

/// What has become of a photon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// A patch absorbed it.
    Absorbed,
    /// It left the scene, from this patch.
    Escaped(usize),
    /// It was given up: it was reflected too often, or flies along the patches for ever.
    Lost,
}

/// What photons need.
#[derive(Clone, Debug)]
pub(crate) struct Tracer {
    geometry: Geometry,
    /// Up to which random number each patch emits.
    emits_below: Vec<f64>,
    /// After so many reflections a photon is given up.
    bounces: u32,
}

impl Tracer {
    /// The scene was checked.
    pub(crate) fn new(scene: &Scene, bounces: u32) -> Self {
        let all = scene.power();
        let mut sum = 0.0;
        let mut emits_below: Vec<f64> = scene
            .patches
            .iter()
            .map(|patch| {
                sum += patch.power;
                sum / all
            })
            .collect();
        // Rounded sums may stay below 1: the last patch that emits takes the rest, and those after it are never reached.
        if let Some(last) = scene.patches.iter().rposition(|patch| patch.power > 0.0) {
            emits_below.truncate(last + 1);
            emits_below[last] = 1.0;
        }
        Self { geometry: Geometry::new(scene), emits_below, bounces }
    }

    /// Traces one photon. Every hit is told.
    #[inline]
    pub(crate) fn trace(&self, random: &mut Stream, mut told: impl FnMut(&Record)) -> End {
        let chosen = random.uniform();
        let mut patch = self.emits_below.partition_point(|below| *below <= chosen);
        let mut at = [random.uniform(), random.uniform()];
        let mut direction = self.scattered(patch, 1.0, random);
        let mut origin = self.geometry.faces[patch].place(&at);
        for bounce in 0..=self.bounces {
            let hit = match self.geometry.hit(patch, origin, &direction) {
                Ok(Some(hit)) => hit,
                Ok(None) => return End::Escaped(patch),
                Err(GivenUp) => return End::Lost,
            };
            let face = &self.geometry.faces[hit.patch];
            let drawn = random.uniform();
            let fate = if drawn < face.diffuse {
                Fate::Scattered
            } else if drawn < face.albedo {
                Fate::Mirrored
            } else {
                Fate::Absorbed
            };
            told(&self.record(&hit, &direction, bounce, fate));
            (patch, at) = (hit.patch, hit.at);
            match fate {
                Fate::Absorbed => return End::Absorbed,
                Fate::Scattered => direction = self.scattered(patch, hit.side, random),
                Fate::Mirrored => direction = face.mirrored(&direction),
            }
            origin = face.place(&at);
        }
        End::Lost
    }

    /// A direction by the cosine law.
    #[inline]
    fn scattered(&self, patch: usize, side: f64, random: &mut Stream) -> Vector {
        let square = random.uniform();
        let (sine, cosine) = sincos(std::f64::consts::TAU * random.uniform());
        let radius = square.sqrt();
        self.geometry.faces[patch].direction(&[radius * cosine, radius * sine], side * (1.0 - square).sqrt())
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a record has 32 bits for a coordinate, and a patch's number"
    )]
    fn record(&self, hit: &Hit, direction: &Vector, bounce: u32, fate: Fate) -> Record {
        let [x, y] = self.geometry.faces[hit.patch].back(direction);
        let turns = atan2f(y as f32, x as f32) / std::f32::consts::TAU;
        let turns = if turns < 0.0 { turns + 1.0 } else { turns };
        let coordinates = [hit.at[0] as f32, hit.at[1] as f32, (x * x + y * y) as f32, turns];
        Record {
            patch: hit.patch as u32,
            at: coordinates.map(|coordinate| coordinate.clamp(0.0, BELOW_ONE)),
            bounce,
            fate,
        }
    }
}
