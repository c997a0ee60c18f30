//! Atoms that have left a rank's part of the box go to the rank that has them now.

use linerate_core::comm::{Comm, CommError};

use super::borders::exchange;
use super::grid::Part;
use super::particles::Particles;
use crate::atoms::{Vector, doubles};

/// Numbers of an atom in a message: its number, its place and its velocity.
const ATOM: usize = 7;

/// Brings every atom back into the box and to its rank, axis by axis, one part further at most. `atoms` has this rank's own
/// only. Messages for each axis that is cut: a count and the atoms, in both directions, or in one if there are two parts.
pub(super) async fn migrate(
    comm: &mut impl Comm,
    atoms: &mut Particles,
    part: &Part,
    sides: Vector,
) -> Result<(), CommError> {
    atoms.wrap(sides);
    let mut into = Vec::new();
    for axis in (0..3).filter(|axis| part.grid[*axis] > 1) {
        let parts = part.grid[axis];
        // With two parts both directions lead to the same rank.
        for up in if parts == 2 { &[true][..] } else { &[false, true] } {
            let out = leaving(atoms, part, sides, (axis, *up));
            exchange(comm, [part.beside(axis, *up), part.beside(axis, !*up)], &out, &mut into).await?;
            for atom in doubles::all(&into).as_chunks::<ATOM>().0 {
                let [id, x, y, z, vx, vy, vz] = *atom;
                atoms.put(id as u32, [x, y, z], [vx, vy, vz]);
            }
        }
    }
    Ok(())
}

/// Takes out what has to go in one direction.
fn leaving(atoms: &mut Particles, part: &Part, sides: Vector, (axis, up): (usize, bool)) -> Vec<u8> {
    let parts = part.grid[axis];
    let mut out = Vec::new();
    for index in (0..atoms.len()).rev() {
        let distance = (part.owner(axis, atoms.place[axis][index], sides) + parts - part.at[axis]) % parts;
        let is_up = distance <= parts / 2;
        if distance > 0 && is_up == up {
            let (id, [x, y, z], [vx, vy, vz]) = atoms.take(index);
            doubles::append(&mut out, &[f64::from(id), x, y, z, vx, vy, vz]);
        }
    }
    out
}
