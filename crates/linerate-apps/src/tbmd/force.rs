//! Energies, and forces by the theorem of Hellmann and Feynman.

use super::links::Links;
use super::model::{ORBITALS, block_slopes, embedding};
use super::share::Share;
use crate::atoms::Vector;

/// The part of the electrons' energy that comes from the elements of a share: twice the trace of the projector times the
/// Hamiltonian. Unit: eV.
#[must_use]
pub fn band_energy(projector: &[f64], hamiltonian: &[f64]) -> f64 {
    2.0 * projector.iter().zip(hamiltonian).map(|(one, two)| one * two).sum::<f64>()
}

/// The energy of all atoms' repulsion. Unit: eV.
#[must_use]
pub fn repulsive_energy(repulsions: &[f64]) -> f64 {
    repulsions.iter().map(|sum| embedding(*sum)[0]).sum()
}

/// The part of the forces on all atoms that comes from the elements of a share; the repulsion of an atom is with its first
/// orbital. Unit: eV/angstrom.
#[must_use]
pub fn forces(links: &Links, repulsions: &[f64], share: &Share, projector: &[f64]) -> Vec<Vector> {
    let mut forces = vec![[0.0; 3]; links.atoms()];
    let slopes: Vec<f64> = repulsions.iter().map(|sum| embedding(*sum)[1]).collect();
    let rows = share.rows();
    for atom in rows.start / ORBITALS..rows.end.div_ceil(ORBITALS) {
        let has_repulsion = share.place(ORBITALS * atom, ORBITALS * atom).is_some();
        for link in links.of_atom(atom) {
            let pull = |axis: usize, value: f64, forces: &mut Vec<Vector>| forces[atom][axis] += value;
            if has_repulsion {
                let strength = (slopes[atom] + slopes[link.to]) * link.repulsion[1];
                (0..3).for_each(|axis| pull(axis, strength * link.apart[axis] / link.distance, &mut forces));
            }
            // Two electrons in a level, and the pair of atoms is there twice.
            for (axis, slopes) in
                block_slopes(link.apart, link.distance, link.hopping).into_iter().enumerate()
            {
                let mut sum = 0.0;
                for (orbital, row) in slopes.into_iter().enumerate() {
                    for (other, slope) in row.into_iter().enumerate() {
                        let place = share.place(ORBITALS * atom + orbital, ORBITALS * link.to + other);
                        sum += place.map_or(0.0, |place| projector[place] * slope);
                    }
                }
                pull(axis, 4.0 * sum, &mut forces);
            }
        }
    }
    forces
}
