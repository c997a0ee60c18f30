//! Two atoms: the Lennard-Jones potential u(r) = 4 (r^-12 - r^-6), and what becomes of it at the cutoff.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What becomes of the potential at the cutoff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Truncation {
    /// It ends with a step, so energy is not conserved by much better than 1e-2 per atom, whatever the time step.
    Cut,
    /// It is moved up until it ends at 0. The force is that of `cut`.
    #[default]
    Shift,
    /// The force is moved too until it ends at 0.
    ForceShift,
}

/// The potential with its cutoff.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Square of the cutoff.
    pub(super) cutoff_squared: f64,
    /// What is taken from the energy of every pair.
    pub(super) energy_shift: f64,
    /// What is taken from the force of every pair.
    pub(super) force_shift: f64,
    cutoff: f64,
}

/// The factors of a force and an energy at a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct At {
    /// The energy of the pair.
    pub energy: f64,
    /// The force along the line between the two; positive if they repel each other.
    pub force: f64,
}

/// Energy, and force over distance, of two atoms without a cutoff, by the inverse of the distance squared.
#[inline(always)]
pub(super) const fn bare(inverse: f64) -> (f64, f64) {
    let sixth = inverse * inverse * inverse;
    (4.0 * sixth * (sixth - 1.0), 48.0 * sixth * (sixth - 0.5) * inverse)
}

impl Pair {
    /// The potential that ends at `cutoff`.
    #[must_use]
    pub fn new(truncation: Truncation, cutoff: f64) -> Self {
        let (energy, force_over_distance) = bare(1.0 / (cutoff * cutoff));
        let [energy_shift, force_shift] = match truncation {
            Truncation::Cut => [0.0, 0.0],
            Truncation::Shift => [energy, 0.0],
            Truncation::ForceShift => [energy, force_over_distance * cutoff],
        };
        Self { cutoff_squared: cutoff * cutoff, energy_shift, force_shift, cutoff }
    }

    /// The pair at `distance`; nothing from the cutoff on.
    #[must_use]
    pub fn at(&self, distance: f64) -> At {
        if distance * distance >= self.cutoff_squared {
            return At { energy: 0.0, force: 0.0 };
        }
        let (energy, force_over_distance) = bare(1.0 / (distance * distance));
        At {
            energy: energy - self.energy_shift + (distance - self.cutoff) * self.force_shift,
            force: force_over_distance * distance - self.force_shift,
        }
    }

    /// What the pairs beyond the cutoff add in a liquid whose atoms do not know of each other there: energy per atom, and
    /// pressure.
    #[must_use]
    pub fn tail(cutoff: f64, density: f64) -> [f64; 2] {
        let third = 1.0 / (cutoff * cutoff * cutoff);
        let ninth = third * third * third;
        let pi = std::f64::consts::PI;
        [
            8.0 / 3.0 * pi * density * (ninth / 3.0 - third),
            16.0 / 3.0 * pi * density * density * (2.0 / 3.0 * ninth - third),
        ]
    }

    /// The cutoff.
    #[must_use]
    pub const fn cutoff(&self) -> f64 {
        self.cutoff
    }
}
