//! One, two and three atoms. Under 1 s.

use linerate_apps::tbmd::model::{ON_SITE, embedding};
use linerate_apps::tbmd::{Structure, Tbmd};

use super::bloch::{assert_levels, chain, least};
use crate::ranks::{near, outcome};

#[test]
fn a_free_atom_has_its_energy() {
    let energy = 2.0 * ON_SITE[0] + 2.0 * ON_SITE[1] + embedding(0.0)[0];
    near("atom", energy, -1.150_976_51, 1e-8);
    near("atom", chain(&[0.0]).energy([1; 3]), -1.150_976_51, 1e-8);
}

#[rstest::rstest]
#[case(1.2, -3.304_260_24)]
#[case(1.3, -3.847_078_13)]
#[case(1.4, -3.999_159_86)]
fn two_atoms_have_their_energy(#[case] distance: f64, #[case] energy: f64) {
    near("C2", chain(&[0.0, distance]).energy([1; 3]), energy, 1e-8);
}

#[test]
fn two_atoms_have_their_levels() {
    let found = chain(&[0.0, 1.4]).levels([0.0; 3]);
    let expected =
        [(-13.488_199, 1), (0.078_775, 1), (0.327_800, 1), (1.660_989, 2), (5.759_011, 2), (14.521_624, 1)];
    // From low to high; the second and third are what they are named.
    assert_levels(&found, &expected, 1e-6);
}

#[test]
fn two_atoms_have_their_bond() {
    let bond = least(1.3, 1.5, |bond| chain(&[0.0, bond]).energy([1; 3]));
    near("bond", bond, 1.413_38, 1e-5);
    near("energy", chain(&[0.0, bond]).energy([1; 3]), -4.000_857_49, 1e-8);
}

#[test]
fn three_atoms_on_a_line_have_their_bond() {
    let line = |bond: f64| chain(&[-bond, 0.0, bond]);
    let bond = least(1.2, 1.4, |bond| line(bond).energy([1; 3]));
    near("bond", bond, 1.309_88, 1e-5);
    near("energy", line(bond).energy([1; 3]), -5.881_030_03, 1e-8);
}

/// Three atoms in the open have a gap, so products find their electrons too.
#[test]
fn products_find_the_energy_of_three_atoms() {
    let bond = 1.309_88;
    let plan = Tbmd {
        structure: Structure::Given,
        atoms: vec![[-bond, 0.0, 0.0], [0.0; 3], [bond, 0.0, 0.0]],
        temperature: 0.0,
        steps: 0,
        ..Tbmd::default()
    };
    near("energy", outcome(&plan, 1).observations[0].potential, -5.881_030_03, 1e-8);
}
