//! Whether a scene can be lit.

use super::{Patch, Scene};
use crate::photon::vector::{Vector, cross, length};

/// The most patches: they are numbered in records, and every photon is tried against all.
const MOST: usize = 4096;
/// An area below this share of the longer edge's square is none.
const FLAT: f64 = 1e-9;
/// How much beyond 1 shares may add up to: they are written in decimals.
const ROUNDING: f64 = 1e-12;
/// How far outside of a repeating scene's cell a corner may lie, as a share of the period.
const OUTSIDE: f64 = 1e-9;

impl Scene {
    /// Whether light can be traced through it.
    ///
    /// # Errors
    ///
    /// A sentence, after "failed to", that names the patch and says what to do.
    pub fn check(&self) -> Result<(), String> {
        if self.patches.is_empty() || self.patches.len() > MOST {
            return Err(format!("light {} patches; give the scene 1 to {MOST}", self.patches.len()));
        }
        for (index, patch) in self.patches.iter().enumerate() {
            let on = |reason: String| format!("light patch {index} ({}): {reason}", patch.name);
            patch.check().map_err(on)?;
            self.check_place(patch).map_err(on)?;
        }
        if self.power() <= 0.0 {
            return Err("light a scene in which nothing emits; give a patch some power".to_owned());
        }
        if self.closed && self.patches.iter().all(|patch| patch.albedo() >= 1.0 - ROUNDING) {
            return Err(
                "trace photons that nothing absorbs and that cannot escape; let a patch of the closed scene \
                        reflect less than all"
                    .to_owned(),
            );
        }
        Ok(())
    }

    fn check_place(&self, patch: &Patch) -> Result<(), String> {
        for (axis, (name, period)) in ["x", "y", "z"].into_iter().zip(self.repeat).enumerate() {
            if !(period.is_finite() && period >= 0.0) {
                return Err(format!("the scene repeats after {period} m along {name}; give 0 or more"));
            }
            let inside = |place: f64| (-OUTSIDE * period..=period * (1.0 + OUTSIDE)).contains(&place);
            if period > 0.0 && !patch.corners().iter().all(|corner| inside(corner[axis])) {
                return Err(format!(
                    "it leaves the range of {name} from 0 to {period} m, in which the scene repeats"
                ));
            }
        }
        Ok(())
    }
}

impl Patch {
    fn corners(&self) -> [Vector; 4] {
        [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
            .map(|(u, v)| std::array::from_fn(|axis| self.corner[axis] + u * self.u[axis] + v * self.v[axis]))
    }

    fn check(&self) -> Result<(), String> {
        let places = [self.corner, self.u, self.v];
        if !places.as_flattened().iter().all(|number| number.is_finite() && number.abs() < 1e9) {
            return Err("its corner and edges need numbers below 1e9 m".to_owned());
        }
        let longest = length(&self.u).max(length(&self.v));
        if length(&cross(&self.u, &self.v)) <= FLAT * longest * longest {
            return Err("it has no area; give it two edges in different directions".to_owned());
        }
        if !(self.power.is_finite() && self.power >= 0.0) {
            return Err(format!("it emits {} W; give 0 or more", self.power));
        }
        let [diffuse, mirror] = [self.diffuse, self.mirror];
        if !(diffuse >= 0.0 && mirror >= 0.0 && diffuse + mirror <= 1.0 + ROUNDING) {
            return Err(format!(
                "it reflects the shares {diffuse} and {mirror}; give two of 0 or more, together at most 1"
            ));
        }
        Ok(())
    }
}
