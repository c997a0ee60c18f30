//! Diamond and graphene. About 5 s.

use linerate_apps::tbmd::links::Links;
use linerate_apps::tbmd::model::{CUTOFF, hopping_falloff, length, repulsion};
use linerate_apps::tbmd::{Structure, Tbmd};

use super::bloch::{assert_levels, diamond, graphene, least};
use crate::ranks::{near, outcome};

/// Second neighbours at 2.522 are within the cutoff: four neighbours alone give other levels.
#[test]
fn diamond_has_its_levels() {
    let expected = [(-22.752_169, 1), (0.585_788, 3), (6.871_947, 3), (16.536_323, 1)];
    assert_levels(&diamond(3.567).levels([0.0; 3]), &expected, 1e-6);
    near("repulsive", diamond(3.567).repulsive(), 21.952_742_87, 1e-8);
}

#[test]
fn diamond_has_its_energy() {
    near("4 points", diamond(3.567).energy([4; 3]), -8.391_426_34, 1e-8);
    near("8 points", diamond(3.567).energy([8; 3]), -8.391_317_68, 1e-8);
}

/// By all images of all atoms, in the order of atoms and then of images; to the last bit.
#[rstest::rstest]
#[case(Structure::Diamond, 1)]
#[case(Structure::Diamond, 2)]
#[case(Structure::Graphene, 1)]
fn links_are_those_to_all_images_within_the_cutoff(#[case] structure: Structure, #[case] cells: u32) {
    let plan = Tbmd { structure, cells: [cells, cells, 1], disturbed: true, ..Tbmd::default() };
    let (places, sides) = plan.start();
    let links = Links::of(&places, sides).expect("atoms are apart");
    let images = |axis: usize| if sides[axis] > 0.0 { -2..=2 } else { 0..=0 };
    for (one, from) in places.iter().enumerate() {
        let mut found = links.of_atom(one).iter();
        for (two, to) in places.iter().enumerate() {
            for (i, j, k) in every_image(images(0), images(1), images(2)) {
                let image = [i, j, k].map(f64::from);
                let apart = [0, 1, 2].map(|axis| (to[axis] - from[axis]) + image[axis] * sides[axis]);
                let distance = length(apart);
                if distance >= CUTOFF || distance == 0.0 {
                    continue;
                }
                let link = found.next().expect("there is one more");
                assert_eq!((link.to, link.apart, link.distance), (two, apart, distance), "from {one}");
                let falloffs = [hopping_falloff(distance), repulsion(distance)];
                assert_eq!([link.hopping, link.repulsion], falloffs, "from {one} to {two}");
            }
        }
        assert_eq!(found.next(), None, "from {one}");
    }
}

/// Every combination, the last fastest.
fn every_image(
    x: std::ops::RangeInclusive<i32>,
    y: std::ops::RangeInclusive<i32>,
    z: std::ops::RangeInclusive<i32>,
) -> impl Iterator<Item = (i32, i32, i32)> {
    x.flat_map(move |i| {
        let z = z.clone();
        y.clone().flat_map(move |j| z.clone().map(move |k| (i, j, k)))
    })
}

/// With 23 products in a cell of 64 atoms, and an error of 2e-12 eV.
#[rstest::rstest]
#[case(1, -7.768_949_45)]
#[case(2, -8.374_186_33)]
#[case(3, -8.390_205_15)]
fn products_find_the_energy_of_diamond(#[case] cells: u32, #[case] energy: f64) {
    let plan = Tbmd { cells: [cells; 3], temperature: 0.0, steps: 0, ..Tbmd::default() };
    let found = outcome(&plan, 1);
    near("energy", found.observations[0].potential, energy, 1e-8);
    near("repulsive", found.observations[0].repulsive, 21.952_742_87, 1e-8);
    assert!(found.verified.iter().all(|check| check.held), "{:?}", found.verified);
    if cells == 2 {
        assert_eq!(found.observations[0].products, 23);
        near("trace", found.observations[0].trace_error, 0.0, 3.5e-12);
    }
}

#[test]
fn diamond_has_its_bond_and_stiffness() {
    let energy = |side: f64| diamond(side).energy([6; 3]);
    let side = least(3.5, 3.6, energy);
    near("a", side, 3.5541, 1e-4);
    near("bond", side * 3.0_f64.sqrt() / 4.0, 1.5390, 1e-4);
    near("energy", energy(side), -8.392_28, 1e-5);
    near("cohesive", energy(side) + 1.150_976_51, -7.2413, 1e-4);
    // B = V d2E/dV2, from E(a) of an atom with the volume a^3 / 8; at the minimum the first slope is 0.
    let step = 0.01;
    let curvature = (energy(side + step) - 2.0 * energy(side) + energy(side - step)) / (step * step);
    let slope_of_volume = 3.0 * side * side / 8.0;
    let modulus = side.powi(3) / 8.0 * curvature / (slope_of_volume * slope_of_volume);
    // 1 eV/angstrom^3 is 160.2 GPa. "About".
    near("B", modulus * 160.217_66, 468.0, 5.0);
}

#[test]
fn graphene_has_its_levels_and_energy() {
    let expected =
        [(-22.235_677, 1), (-3.750_36, 2), (-2.256_16, 1), (9.564_966, 1), (11.312_042, 2), (15.896_988, 1)];
    assert_levels(&graphene(1.42).levels([0.0; 3]), &expected, 5e-6);
    near("energy", graphene(1.42).energy([12, 12, 1]), -8.407_641_13, 1e-8);
    let energy = |bond: f64| graphene(bond).energy([12, 12, 1]);
    let bond = least(1.40, 1.44, energy);
    near("bond", bond, 1.4176, 1e-4);
    near("energy", energy(bond), -8.407_84, 1e-5);
}

/// A rectangular sheet of the application has the levels of the small cell at the points that fold onto its centre.
#[test]
fn a_sheet_of_graphene_has_the_energy_of_its_points() {
    let plan = Tbmd {
        structure: Structure::Graphene,
        cells: [2, 2, 1],
        temperature: 0.0,
        steps: 0,
        ..Tbmd::default()
    };
    let found = outcome(&plan, 1);
    assert_eq!(found.atoms, 16);
    // Cell vectors of the sheet are 2 (2 b - a) = (0, 6 b) and 2 a, in those of the small cell; eight points fold.
    let sheet = graphene(1.42);
    let mut sum = 0.0;
    for number in 0..4 {
        for other in 0..2 {
            // k . 2 a and k . 2 (2 b - a) are whole numbers.
            let along_a = f64::from(other) / 2.0;
            let along_b = (f64::from(number) / 2.0 + along_a) / 2.0;
            let levels = sheet.levels([along_a, along_b, 0.0]);
            sum += 2.0 * levels[..4].iter().sum::<f64>();
        }
    }
    near("energy", found.observations[0].potential, sum / 16.0 + sheet.repulsive(), 1e-8);
}
