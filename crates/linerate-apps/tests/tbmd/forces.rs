//! Forces and motion. About 3 s.

use linerate_apps::atoms::Vector;
use linerate_apps::tbmd::Tbmd;
use linerate_apps::tbmd::force::repulsive_energy;
use linerate_apps::tbmd::hamiltonian::hamiltonian;
use linerate_apps::tbmd::links::Links;
use linerate_apps::tbmd::share::{Distribution, Share};
use nalgebra::DMatrix;

use crate::ranks::{near, outcome};

/// 64 atoms that need no random numbers.
fn disturbed() -> Tbmd {
    Tbmd { lattice: Some(3.6), disturbed: true, temperature: 0.0, steps: 0, ..Tbmd::default() }
}

/// Worked out by another program, with eigenvectors.
#[test]
fn the_disturbed_crystal_has_its_energy_and_forces() {
    let found = outcome(&disturbed(), 1);
    near("energy", found.observations[0].potential, -8.279_399_64, 1e-8);
    for (found, expected) in found.forces[0].into_iter().zip([-0.373_664_18, -1.830_548_66, -2.763_388_41]) {
        near("F_0", found, expected, 1e-7);
    }
    let largest = found.forces.as_flattened().iter().map(|force| force.abs()).fold(0.0, f64::max);
    near("largest", largest, 3.714_208, 1e-6);
    near("sum", found.observations[0].net_force, 0.0, 1e-12);
}

/// The energy of all atoms, by an eigensolver: it rounds less than products do.
fn energy(places: &[Vector], sides: Vector) -> f64 {
    let order = 4 * places.len();
    let links = Links::of(places, sides).expect("atoms are apart");
    let elements = hamiltonian(&links, &Share::of(Distribution::Ring, order, 0, 1));
    let mut levels =
        DMatrix::from_row_slice(order, order, &elements).symmetric_eigenvalues().as_slice().to_vec();
    levels.sort_by(f64::total_cmp);
    2.0 * levels[..order / 2].iter().sum::<f64>() + repulsive_energy(&links.repulsions())
}

#[test]
fn forces_are_the_slopes_of_the_energy() {
    let (places, sides) = disturbed().start();
    let found = outcome(&disturbed(), 1);
    let step = 1e-4;
    for axis in 0..3 {
        let at = |step: f64| {
            let mut places = places.clone();
            places[0][axis] += step;
            energy(&places, sides)
        };
        near("force", found.forces[0][axis], -(at(step) - at(-step)) / (2.0 * step), 2e-8);
    }
}

/// 8 atoms at 1000 K for 60 fs.
fn hot(time_step: f64) -> Tbmd {
    let steps = (60.0 / time_step).round() as u64;
    Tbmd { cells: [1; 3], lattice: Some(3.6), temperature: 1000.0, time_step, steps, ..Tbmd::default() }
}

/// Second order: half the step, a quarter of the error. The published values are those of other velocities.
#[test]
fn the_error_of_the_energy_falls_with_the_square_of_the_step() {
    let [long, short] = [1.0, 0.5].map(|time_step| outcome(&hot(time_step), 1).largest_drift);
    near("1 fs", long, 1.0e-3, 0.5e-3);
    near("0.5 fs", short, 2.6e-4, 1.3e-4);
    near("ratio", long / short, 4.0, 0.2);
}

#[test]
fn hot_atoms_begin_as_hot_as_asked_and_keep_their_momentum() {
    let found = outcome(&Tbmd { frame_every: Some(60), ..hot(1.0) }, 1);
    near("temperature", found.observations[0].temperature, 1000.0, 1e-9);
    let velocities = &found.frames[0].velocities;
    for axis in 0..3 {
        near("momentum", velocities.iter().map(|velocity| velocity[axis]).sum(), 0.0, 1e-12);
    }
    assert!(found.verified.iter().all(|check| check.held), "{:?}", found.verified);
    assert!(
        found.frames[0].to_extended_xyz().starts_with("8\nLattice=\"3.6 0 0 0 3.6 0 0 0 3.6\" generator=")
    );
}
