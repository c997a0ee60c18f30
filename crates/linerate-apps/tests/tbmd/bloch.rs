//! Levels of crystals of any shape, by an eigensolver: the other way to the energies.

use std::f64::consts::TAU;

use linerate_apps::atoms::Vector;
use linerate_apps::tbmd::model::{CUTOFF, ON_SITE, ORBITALS, embedding, hopping, length, repulsion};
use nalgebra::DMatrix;

/// A crystal: the vectors of its cell, and the atoms in it.
pub(crate) struct Crystal {
    pub(crate) cell: [Vector; 3],
    pub(crate) atoms: Vec<Vector>,
}

impl Crystal {
    /// From an atom to another one or to an image of one, with the image's cell.
    fn links(&self) -> Vec<(usize, usize, Vector, [i32; 3])> {
        let mut links = Vec::new();
        for (one, from) in self.atoms.iter().enumerate() {
            for (two, to) in self.atoms.iter().enumerate() {
                for number in 0..343 {
                    let image = [number / 49 - 3, number / 7 % 7 - 3, number % 7 - 3];
                    let apart = [0, 1, 2].map(|axis| {
                        let cells: f64 = (0..3).map(|of| f64::from(image[of]) * self.cell[of][axis]).sum();
                        to[axis] - from[axis] + cells
                    });
                    if length(apart) < CUTOFF && length(apart) > 0.0 {
                        links.push((one, two, apart, image));
                    }
                }
            }
        }
        links
    }

    /// All levels at a point of the zone, given in parts of the cell's reciprocal vectors, from low to high.
    pub(crate) fn levels(&self, point: Vector) -> Vec<f64> {
        // A Hermitian matrix as a symmetric one twice as large, which has every level twice.
        let order = ORBITALS * self.atoms.len();
        let mut matrix = DMatrix::<f64>::zeros(2 * order, 2 * order);
        for row in 0..2 * order {
            matrix[(row, row)] = ON_SITE[row % ORBITALS];
        }
        for (one, two, apart, image) in self.links() {
            let phase = TAU * (0..3).map(|axis| point[axis] * f64::from(image[axis])).sum::<f64>();
            for (orbital, row) in hopping(apart).into_iter().enumerate() {
                for (other, value) in row.into_iter().enumerate() {
                    let (row, column) = (ORBITALS * one + orbital, ORBITALS * two + other);
                    matrix[(row, column)] += value * phase.cos();
                    matrix[(row + order, column + order)] += value * phase.cos();
                    matrix[(row, column + order)] -= value * phase.sin();
                    matrix[(row + order, column)] += value * phase.sin();
                }
            }
        }
        let mut levels: Vec<f64> = matrix.symmetric_eigenvalues().iter().copied().collect();
        levels.sort_by(f64::total_cmp);
        levels.into_iter().step_by(2).collect()
    }

    /// Repulsive energy of an atom.
    pub(crate) fn repulsive(&self) -> f64 {
        let mut sums = vec![0.0; self.atoms.len()];
        self.links().iter().for_each(|(one, _, apart, _)| sums[*one] += repulsion(length(*apart))[0]);
        sums.iter().map(|sum| embedding(*sum)[0]).sum::<f64>() / self.atoms.len() as f64
    }

    /// Energy of an atom with this many points along each vector of the zone (Monkhorst and Pack 1976).
    pub(crate) fn energy(&self, points: [u32; 3]) -> f64 {
        let place =
            |number: u32, of: u32| (2.0 * f64::from(number) - f64::from(of) + 1.0) / (2.0 * f64::from(of));
        let mut sum = 0.0;
        let all = points.iter().product::<u32>();
        for number in 0..all {
            let at = [number / (points[1] * points[2]), number / points[2] % points[1], number % points[2]];
            let levels = self.levels([0, 1, 2].map(|axis| place(at[axis], points[axis])));
            sum += 2.0 * levels[..2 * self.atoms.len()].iter().sum::<f64>();
        }
        sum / f64::from(all) / self.atoms.len() as f64 + self.repulsive()
    }
}

/// Diamond with two atoms in a cell.
pub(crate) fn diamond(side: f64) -> Crystal {
    let half = side / 2.0;
    Crystal {
        cell: [[0.0, half, half], [half, 0.0, half], [half, half, 0.0]],
        atoms: vec![[0.0; 3], [side / 4.0; 3]],
    }
}

/// Graphene with two atoms in a cell.
pub(crate) fn graphene(bond: f64) -> Crystal {
    let (long, high) = (3.0_f64.sqrt() * bond, 50.0);
    Crystal {
        cell: [[long, 0.0, 0.0], [long / 2.0, 1.5 * bond, 0.0], [0.0, 0.0, high]],
        atoms: vec![[0.0; 3], [0.0, bond, 0.0]],
    }
}

/// Atoms on a line, far from all others.
pub(crate) fn chain(places: &[f64]) -> Crystal {
    let far = 100.0;
    Crystal {
        cell: [[far, 0.0, 0.0], [0.0, far, 0.0], [0.0, 0.0, far]],
        atoms: places.iter().map(|place| [*place, 0.0, 0.0]).collect(),
    }
}

/// Where a function of one number is least, between two bounds.
pub(crate) fn least(mut low: f64, mut high: f64, of: impl Fn(f64) -> f64) -> f64 {
    // Golden section.
    let share = (5.0_f64.sqrt() - 1.0) / 2.0;
    while high - low > 1e-6 {
        let [one, two] = [high - share * (high - low), low + share * (high - low)];
        if of(one) < of(two) { high = two } else { low = one }
    }
    f64::midpoint(low, high)
}

/// Whether levels are these, each as often as it is named.
#[track_caller]
pub(crate) fn assert_levels(found: &[f64], expected: &[(f64, usize)], tolerance: f64) {
    let expected: Vec<f64> = expected.iter().flat_map(|(level, times)| vec![*level; *times]).collect();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        crate::ranks::near("level", *found, expected, tolerance);
    }
}
