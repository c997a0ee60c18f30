//! The tight-binding model of carbon of Xu, Wang, Chan and Ho, J. Phys.: Condens. Matter 4, 6047 (1992): orthogonal s and
//! three p orbitals at each atom, four electrons, and a repulsion that depends on all neighbours together.
//!
//! Units: eV, angstrom.

use crate::atoms::Vector;

/// Orbitals of an atom: s, p along x, y and z.
pub const ORBITALS: usize = 4;

/// Elements of the Hamiltonian between the orbitals of two atoms.
pub type Block = [[f64; ORBITALS]; ORBITALS];

/// Energy of an electron in each orbital of an atom alone. Unit: eV.
pub const ON_SITE: [f64; ORBITALS] = [-2.99, 3.71, 3.71, 3.71];

/// Atoms further apart than this do not know of each other. Unit: angstrom.
pub const CUTOFF: f64 = 2.6;

/// Atoms closer than this are outside of what the model was made for. Unit: angstrom.
pub const CLOSEST: f64 = 0.8;

/// Hopping at the distance of diamond: s to s, s to p, p to p along the bond and beside it. Unit: eV.
const HOPPING: [f64; 4] = [-5.0, 4.7, 5.5, -1.55];

/// A function of the distance: (unit / r)^power exp(power (-(r / range)^sharpness + (unit / range)^sharpness)) up to `last`,
/// then a cubic up to the cutoff.
struct Falloff {
    height: f64,
    unit: f64,
    power: f64,
    range: f64,
    sharpness: f64,
    /// (unit / range)^sharpness, which every distance needs.
    at_unit: f64,
    last: f64,
    tail: [f64; 4],
}

/// How hopping falls off.
const HOPPING_FALLOFF: Falloff = Falloff {
    height: 1.0,
    unit: 1.536_329,
    power: 2.0,
    range: 2.18,
    sharpness: 6.5,
    at_unit: 0.10284431182335907,
    last: 2.45,
    tail: [6.739_262_007_431_4e-3, -8.188_535_951_789_8e-2, 0.193_236_525_914_4, 0.354_287_433_238_0],
};

/// How repulsion falls off.
const REPULSION_FALLOFF: Falloff = Falloff {
    height: 8.185_55,
    unit: 1.64,
    power: 3.303_04,
    range: 2.1052,
    sharpness: 8.6655,
    at_unit: 0.11487638025199103,
    last: 2.57,
    tail: [2.250_429_010_9e-8, -1.440_864_056_1e-6, 2.104_330_337_4e-5, 6.602_439_022_6e-5],
};

/// Coefficients of the quartic that turns the repulsion of all neighbours into an energy.
const EMBEDDING: [f64; 5] = [
    -2.590_976_511_819_1,
    0.572_115_149_861_9,
    -1.789_634_990_399_6e-3,
    2.353_922_151_675_7e-5,
    -1.242_511_695_515_87e-7,
];

/// A polynomial and its slope.
fn polynomial(coefficients: &[f64], x: f64) -> [f64; 2] {
    coefficients.iter().rev().fold([0.0; 2], |[value, slope], more| [value * x + more, slope * x + value])
}

impl Falloff {
    /// The value and the slope.
    fn at(&self, distance: f64) -> [f64; 2] {
        if distance >= CUTOFF {
            return [0.0; 2];
        }
        if distance > self.last {
            return polynomial(&self.tail, distance - self.last);
        }
        let near = libm::pow(distance / self.range, self.sharpness);
        let exponent = self.power * (self.at_unit - near);
        let value = self.height * libm::pow(self.unit / distance, self.power) * libm::exp(exponent);
        [value, -value * self.power / distance * (1.0 + self.sharpness * near)]
    }
}

/// s(r), by which all hopping falls off, and its slope.
#[must_use]
pub fn hopping_falloff(distance: f64) -> [f64; 2] {
    HOPPING_FALLOFF.at(distance)
}

/// phi(r), the repulsion of two atoms before [`embedding`], and its slope.
#[must_use]
pub fn repulsion(distance: f64) -> [f64; 2] {
    REPULSION_FALLOFF.at(distance)
}

/// f(x), the repulsive energy of an atom whose neighbours' repulsions add up to x, and its slope. Unit: eV.
#[must_use]
pub fn embedding(sum: f64) -> [f64; 2] {
    polynomial(&EMBEDDING, sum)
}

/// Elements between the orbitals of an atom (rows) and those of another one (columns) that is `apart` from it.
#[must_use]
pub fn hopping(apart: Vector) -> Block {
    let distance = length(apart);
    hopping_block(apart, distance, hopping_falloff(distance)[0])
}

/// The same if its length and s(r) are known.
#[must_use]
pub fn hopping_block(apart: Vector, distance: f64, falloff: f64) -> Block {
    angular(apart.map(|axis| axis / distance), falloff)
}

/// The slopes of [`hopping`] along each axis of `apart`, whose length, s(r) and the slope of that are known.
#[must_use]
pub fn block_slopes(apart: Vector, distance: f64, [value, slope]: [f64; 2]) -> [Block; 3] {
    let [_, sp, pp, pi] = HOPPING;
    let e = apart.map(|axis| axis / distance);
    [0, 1, 2].map(|axis| {
        // The falloff changes, and the direction.
        let mut block = angular(e, slope * e[axis]);
        let turned = [0, 1, 2].map(|a| (f64::from(u8::from(a == axis)) - e[a] * e[axis]) / distance * value);
        for a in 0..3 {
            block[0][a + 1] += sp * turned[a];
            block[a + 1][0] -= sp * turned[a];
            for b in 0..3 {
                block[a + 1][b + 1] += (pp - pi) * (turned[a] * e[b] + e[a] * turned[b]);
            }
        }
        block
    })
}

/// Slater and Koster 1954, for the direction `e` from one atom to the other.
fn angular(e: Vector, scale: f64) -> Block {
    let [ss, sp, pp, pi] = HOPPING;
    let mut block = [[0.0; ORBITALS]; ORBITALS];
    block[0][0] = ss * scale;
    for a in 0..3 {
        block[0][a + 1] = sp * e[a] * scale;
        block[a + 1][0] = -sp * e[a] * scale;
        for b in 0..3 {
            let beside = if a == b { pi } else { 0.0 };
            block[a + 1][b + 1] = (beside + (pp - pi) * e[a] * e[b]) * scale;
        }
    }
    block
}

/// How long a vector is.
#[must_use]
pub fn length(vector: Vector) -> f64 {
    vector.iter().map(|axis| axis * axis).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// To the last bit: energies of before stay as they were.
    #[test]
    fn what_every_distance_needs_is_that_of_the_formula() {
        for falloff in [&HOPPING_FALLOFF, &REPULSION_FALLOFF] {
            let power = libm::pow(falloff.unit / falloff.range, falloff.sharpness);
            assert_eq!(falloff.at_unit.to_bits(), power.to_bits(), "{power:?}");
        }
    }
}
