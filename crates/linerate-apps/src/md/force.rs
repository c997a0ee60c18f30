//! The forces on atoms: the loop in which nearly all the time goes.
//!
//! Neighbours are calculated [`LANES`] at a time, each in a lane of its own, and the lanes are added up at the end: the
//! compiler makes vector instructions of it, and the order of the sums is fixed.

use std::ops::Range;

use super::neighbours::{LANES, Neighbours};
use super::pair::Pair;
use super::particles::Particles;

type Lanes = [f64; LANES];

/// Operations on two numbers for each entry of a full list: 3 differences, 5 for the square of the distance, 1 inverse,
/// 6 for the force over distance, 6 for the sums, 1 comparison.
pub const FLOPS_PER_ENTRY: u64 = 22;

/// What the pairs of some atoms come to; each pair counts half for each of its atoms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    /// Potential energy.
    pub energy: f64,
    /// Sum of r F over pairs.
    pub virial: f64,
    /// Pairs within the cutoff.
    pub pairs: f64,
}

/// A place, as the kernel reads it: in one piece, with one check of the bounds.
pub(super) type Packed = [f64; 4];

/// Copies all places, so that one atom's lies in one piece.
pub(super) fn pack(packed: &mut Vec<Packed>, atoms: &Particles) {
    packed.clear();
    let [x, y, z] = &atoms.place;
    packed.extend(x.iter().zip(y).zip(z).map(|((x, y), z)| [*x, *y, *z, 0.0]));
}

/// Distances of an atom to some neighbours.
struct Apart {
    x: Lanes,
    y: Lanes,
    z: Lanes,
    squared: Lanes,
}

impl Apart {
    #[inline(always)]
    fn of(place: Packed, piece: [u32; LANES], packed: &[Packed]) -> Self {
        let [mut x, mut y, mut z, mut squared] = [[0.0; LANES]; 4];
        for lane in 0..LANES {
            let [other_x, other_y, other_z, _] = packed[piece[lane] as usize];
            x[lane] = place[0] - other_x;
            y[lane] = place[1] - other_y;
            z[lane] = place[2] - other_z;
        }
        for lane in 0..LANES {
            squared[lane] = x[lane] * x[lane] + y[lane] * y[lane] + z[lane] * z[lane];
        }
        Self { x, y, z, squared }
    }

    /// Force over distance in every lane; 0 from the cutoff on.
    #[inline(always)]
    fn pull<const FORCE_SHIFT: bool>(&self, pair: &Pair) -> Lanes {
        let mut pull = [0.0; LANES];
        for (pull, squared) in pull.iter_mut().zip(self.squared) {
            let inverse = 1.0 / squared;
            let sixth = inverse * inverse * inverse;
            let mut force = 48.0 * sixth * (sixth - 0.5) * inverse;
            if FORCE_SHIFT {
                force -= pair.force_shift * inverse.sqrt();
            }
            *pull = if squared < pair.cutoff_squared { force } else { 0.0 };
        }
        pull
    }

    /// Adds energies, virials and counts to lanes.
    #[inline(always)]
    fn measure(&self, pair: &Pair, pull: &Lanes, sums: &mut [Lanes; 3]) {
        for lane in 0..LANES {
            let squared = self.squared[lane];
            let (energy, _) = super::pair::bare(1.0 / squared);
            let shifted = energy - pair.energy_shift + (squared.sqrt() - pair.cutoff()) * pair.force_shift;
            let within = squared < pair.cutoff_squared;
            sums[0][lane] += if within { shifted } else { 0.0 };
            sums[1][lane] += pull[lane] * squared;
            sums[2][lane] += if within { 1.0 } else { 0.0 };
        }
    }
}

/// The sum of all lanes, in one order.
#[inline(always)]
fn total(lanes: Lanes) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// The forces on the atoms of `own` from full lists. Sums are taken only if `measured`.
pub(super) fn full(
    atoms: &mut Particles,
    own: Range<usize>,
    lists: &Neighbours,
    pair: &Pair,
    packed: (&[Packed], bool),
) -> Sums {
    let (packed, measured) = packed;
    match (pair.force_shift == 0.0, measured) {
        (true, false) => full_of::<false, false>(atoms, own, lists, pair, packed),
        (true, true) => full_of::<false, true>(atoms, own, lists, pair, packed),
        (false, false) => full_of::<true, false>(atoms, own, lists, pair, packed),
        (false, true) => full_of::<true, true>(atoms, own, lists, pair, packed),
    }
}

fn full_of<const FORCE_SHIFT: bool, const MEASURE: bool>(
    atoms: &mut Particles,
    own: Range<usize>,
    lists: &Neighbours,
    pair: &Pair,
    packed: &[Packed],
) -> Sums {
    let mut sums = Sums::default();
    let [force_x, force_y, force_z] = atoms.force.each_mut().map(|axis| &mut axis[own.clone()]);
    let forces = force_x.iter_mut().zip(force_y).zip(force_z);
    for (number, (place, ((force_x, force_y), force_z))) in packed[own].iter().zip(forces).enumerate() {
        let [mut x, mut y, mut z] = [[0.0; LANES]; 3];
        let mut measures = [[0.0; LANES]; 3];
        for piece in lists.of(number) {
            let apart = Apart::of(*place, *piece, packed);
            let pull = apart.pull::<FORCE_SHIFT>(pair);
            for lane in 0..LANES {
                x[lane] += pull[lane] * apart.x[lane];
                y[lane] += pull[lane] * apart.y[lane];
                z[lane] += pull[lane] * apart.z[lane];
            }
            if MEASURE {
                apart.measure(pair, &pull, &mut measures);
            }
        }
        [*force_x, *force_y, *force_z] = [total(x), total(y), total(z)];
        if MEASURE {
            let [energy, virial, pairs] = measures.map(total);
            sums.energy += 0.5 * energy;
            sums.virial += 0.5 * virial;
            sums.pairs += 0.5 * pairs;
        }
    }
    sums
}

/// The part of the forces on all atoms that comes from the half lists of those in `own`, added up by number. The images'
/// forces are those of their atoms. Sums are taken only if `measured`.
pub(super) fn half(
    atoms: &mut Particles,
    own: Range<usize>,
    lists: &Neighbours,
    pair: &Pair,
    packed: (&[Packed], bool),
) -> Sums {
    let (packed, measured) = packed;
    match (pair.force_shift == 0.0, measured) {
        (true, false) => half_of::<false, false>(atoms, own, lists, pair, packed),
        (true, true) => half_of::<false, true>(atoms, own, lists, pair, packed),
        (false, false) => half_of::<true, false>(atoms, own, lists, pair, packed),
        (false, true) => half_of::<true, true>(atoms, own, lists, pair, packed),
    }
}

fn half_of<const FORCE_SHIFT: bool, const MEASURE: bool>(
    atoms: &mut Particles,
    own: Range<usize>,
    lists: &Neighbours,
    pair: &Pair,
    packed: &[Packed],
) -> Sums {
    let mut sums = Sums::default();
    // In one piece for each atom, as the places are. What is nowhere has the last one.
    let mut forces = vec![[0.0; 4]; atoms.force[0].len() + 1];
    for (number, one) in own.enumerate() {
        let [mut x, mut y, mut z] = [[0.0; LANES]; 3];
        let mut measures = [[0.0; LANES]; 3];
        for piece in lists.of(number) {
            let apart = Apart::of(packed[one], *piece, packed);
            let pull = apart.pull::<FORCE_SHIFT>(pair);
            for lane in 0..LANES {
                let pulls = [apart.x, apart.y, apart.z].map(|axis| pull[lane] * axis[lane]);
                x[lane] += pulls[0];
                y[lane] += pulls[1];
                z[lane] += pulls[2];
                let two = (atoms.id[piece[lane] as usize] as usize).min(forces.len() - 1);
                forces[two] =
                    [0, 1, 2, 3].map(|axis| forces[two][axis] - if axis < 3 { pulls[axis] } else { 0.0 });
            }
            if MEASURE {
                apart.measure(pair, &pull, &mut measures);
            }
        }
        for (force, total) in forces[one].iter_mut().zip([x, y, z].map(total)) {
            *force += total;
        }
        if MEASURE {
            let [energy, virial, pairs] = measures.map(total);
            sums.energy += energy;
            sums.virial += virial;
            sums.pairs += pairs;
        }
    }
    for (axis, sums) in atoms.force.iter_mut().enumerate() {
        sums.iter_mut().zip(&forces).for_each(|(sum, force)| *sum = force[axis]);
    }
    sums
}
