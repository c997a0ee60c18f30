//! The Hamiltonian, at the centre of the zone: every atom and its images are in phase.

use super::links::Links;
use super::model::{ON_SITE, ORBITALS, hopping_block};
use super::share::Share;

/// The elements of the Hamiltonian that are of a share. Unit: eV.
#[must_use]
pub fn hamiltonian(links: &Links, share: &Share) -> Vec<f64> {
    let mut elements = vec![0.0; share.len()];
    let rows = share.rows();
    for atom in rows.start / ORBITALS..rows.end.div_ceil(ORBITALS) {
        row_elements(links, atom, |orbital, column, value| {
            if let Some(place) = share.place(ORBITALS * atom + orbital, column) {
                elements[place] += value;
            }
        });
    }
    elements
}

/// Calls `put(orbital, column, value)` for all contributions to the rows of an atom.
fn row_elements(links: &Links, atom: usize, mut put: impl FnMut(usize, usize, f64)) {
    for (orbital, energy) in ON_SITE.into_iter().enumerate() {
        put(orbital, ORBITALS * atom + orbital, energy);
    }
    for link in links.of_atom(atom) {
        for (orbital, row) in
            hopping_block(link.apart, link.distance, link.hopping[0]).into_iter().enumerate()
        {
            for (other, value) in row.into_iter().enumerate() {
                put(orbital, ORBITALS * link.to + other, value);
            }
        }
    }
}

/// Bounds of all levels, by Gershgorin's circles: of all rows, which every rank works out for itself. Unit: eV.
#[must_use]
pub fn bounds(links: &Links) -> [f64; 2] {
    // Of the rows of one atom, by column; 0 but for its neighbours' columns and its own.
    let mut rows = vec![[0.0; ORBITALS]; ORBITALS * links.atoms()];
    let mut found = [f64::INFINITY, f64::NEG_INFINITY];
    let mut near: Vec<usize> = Vec::new();
    for atom in 0..links.atoms() {
        row_elements(links, atom, |orbital, column, value| rows[column][orbital] += value);
        near.clear();
        near.extend(links.of_atom(atom).iter().map(|link| link.to).chain([atom]));
        near.sort_unstable();
        near.dedup();
        let centres = [0, 1, 2, 3].map(|orbital| rows[ORBITALS * atom + orbital][orbital]);
        let mut sums = [0.0; ORBITALS];
        for near in &near {
            for column in &mut rows[ORBITALS * near..][..ORBITALS] {
                for (sum, element) in sums.iter_mut().zip(std::mem::take(column)) {
                    *sum += element.abs();
                }
            }
        }
        for (centre, sum) in centres.into_iter().zip(sums) {
            let radius = sum - centre.abs();
            found = [found[0].min(centre - radius), found[1].max(centre + radius)];
        }
    }
    found
}
