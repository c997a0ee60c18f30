//! Crystals, and a disturbance of them that needs no random numbers.

use super::Vector;

/// The sites of a face-centred cubic cell. Unit: its side.
pub const FCC: [Vector; 4] = [[0.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]];

/// The sites of a cubic cell of diamond: face-centred twice, the second time a quarter of the diagonal away. Unit: its
/// side.
pub const DIAMOND: [Vector; 8] = [
    [0.0, 0.0, 0.0],
    [0.0, 0.5, 0.5],
    [0.5, 0.0, 0.5],
    [0.5, 0.5, 0.0],
    [0.25, 0.25, 0.25],
    [0.25, 0.75, 0.75],
    [0.75, 0.25, 0.75],
    [0.75, 0.75, 0.25],
];

/// The sites of a rectangular cell of graphene with sides 3 b and sqrt(3) b, where b is the bond. Unit: its sides.
pub const GRAPHENE: [Vector; 4] =
    [[0.0, 0.0, 0.0], [1.0 / 3.0, 0.0, 0.0], [0.5, 0.5, 0.0], [5.0 / 6.0, 0.5, 0.0]];

/// How far [`disturb`] moves an atom at most along an axis. Unit: that of the places.
pub const DISTURBANCE: f64 = 0.05;

/// Repeats a cell: along x slowest, along z fastest, its sites in their order.
#[must_use]
pub fn crystal(cells: [u32; 3], sides: Vector, sites: &[Vector]) -> Vec<Vector> {
    let mut places =
        Vec::with_capacity(cells.iter().map(|count| *count as usize).product::<usize>() * sites.len());
    for i in 0..cells[0] {
        for j in 0..cells[1] {
            for k in 0..cells[2] {
                let corner = [i, j, k].map(f64::from);
                places.extend(
                    sites.iter().map(|site| [0, 1, 2].map(|axis| (corner[axis] + site[axis]) * sides[axis])),
                );
            }
        }
    }
    places
}

/// Moves every atom by waves over its number: the same on every host, without a generator.
pub fn disturb(places: &mut [Vector]) {
    for (number, place) in places.iter_mut().enumerate() {
        let number = number as f64;
        for (axis, (factor, phase)) in [(1.3, 0.1), (2.1, 0.7), (3.7, 1.9)].into_iter().enumerate() {
            place[axis] += DISTURBANCE * libm::sin(factor * number + phase);
        }
    }
}
