//! Energies, forces and pressures at a moment. Under 2 s.

use linerate_apps::atoms::lattice::{FCC, crystal};
use linerate_apps::md::pair::{Pair, Truncation};
use linerate_apps::md::{Md, Start};

use super::fixture;
use crate::ranks::{near, outcome};

/// Values that two programs of others give to ten digits or more.
#[test]
fn a_pair_has_the_values_of_the_formula() {
    let pair = Pair::new(Truncation::Cut, 3.0);
    let values = [
        (1.0, 0.0, 24.0),
        (1.5, -0.320_336_594_278_57, -1.158_028_831_046_15),
        (2.0, -0.061_523_437_5, -0.181_640_625),
        (2.5, -0.016_316_891_136, -0.038_999_477_452_8),
    ];
    for (distance, energy, force) in values {
        near("energy", pair.at(distance).energy, energy, 1e-13);
        near("force", pair.at(distance).force, force, 1e-12);
    }
    assert_eq!(pair.at(3.0).energy, 0.0);
}

#[test]
fn a_truncated_pair_ends_as_it_should() {
    let last = 2.5 * (1.0 - 1e-12);
    let [cut, shift, force_shift] =
        [Truncation::Cut, Truncation::Shift, Truncation::ForceShift].map(|how| Pair::new(how, 2.5));
    near("cut", cut.at(last).energy, -0.016_316_891_136, 1e-12);
    near("shift", shift.at(last).energy, 0.0, 1e-12);
    near("shift, force", shift.at(last).force, -0.038_999_477_452_8, 1e-12);
    near("force-shift", force_shift.at(last).energy, 0.0, 1e-12);
    near("force-shift, force", force_shift.at(last).force, 0.0, 1e-12);
    // The force is the slope of the energy.
    for pair in [cut, shift, force_shift] {
        let slope = (pair.at(1.2 + 1e-6).energy - pair.at(1.2 - 1e-6).energy) / 2e-6;
        near("slope", -slope, pair.at(1.2).force, 1e-8);
    }
}

/// Thirteen atoms, one of them in the middle of an icosahedron: the best cluster, known from the literature.
#[test]
fn the_cluster_of_thirteen_has_its_published_energy() {
    let golden = f64::midpoint(1.0, 5.0_f64.sqrt());
    let pair = Pair::new(Truncation::Cut, 10.0);
    let energy = |bond: f64| {
        let mut atoms = vec![[0.0; 3]];
        for (one, two) in [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)] {
            atoms.extend([[0.0, one, two], [one, two, 0.0], [two, 0.0, one]]);
        }
        // The edge of this icosahedron is 2.
        atoms.iter_mut().flatten().for_each(|place| *place *= bond / 2.0);
        sum(&atoms, |distance| pair.at(distance).energy)
    };
    near("energy", energy(1.13751), -44.326_801, 1e-6);
    assert!(energy(1.137_51 * 1.001) > energy(1.137_51) && energy(1.137_51 * 0.999) > energy(1.137_51));
}

fn sum(atoms: &[[f64; 3]], of: impl Fn(f64) -> f64) -> f64 {
    let mut sum = 0.0;
    for (number, one) in atoms.iter().enumerate() {
        for two in &atoms[..number] {
            sum += of((0..3).map(|axis| (one[axis] - two[axis]).powi(2)).sum::<f64>().sqrt());
        }
    }
    sum
}

/// Sums over a crystal of 61^3 cells, and what is beyond as an integral.
#[test]
fn sums_over_the_crystal_are_the_published_ones() {
    let reach = 30.0;
    let cells = crystal([61; 3], [2.0_f64.sqrt(); 3], &FCC);
    let centre = 30.0 * 2.0_f64.sqrt();
    let (mut twelfth, mut sixth, mut count) = (0.0, 0.0, 0.0);
    for place in cells {
        let squared = place.into_iter().map(|place| (place - centre).powi(2)).sum::<f64>();
        if squared > 0.5 && squared < reach * reach {
            twelfth += squared.powi(-6);
            sixth += squared.powi(-3);
            count += 1.0;
        }
    }
    // The density is sqrt(2) for a nearest distance of 1. The sphere that holds as many atoms as were counted is where the
    // integral begins.
    let density = 2.0_f64.sqrt();
    let radius = ((count + 1.0) * 3.0 / (4.0 * std::f64::consts::PI * density)).cbrt();
    sixth += 4.0 * std::f64::consts::PI * density / (3.0 * radius.powi(3));
    twelfth += 4.0 * std::f64::consts::PI * density / (9.0 * radius.powi(9));
    near("S12", twelfth, 12.131_880_20, 1e-8);
    near("S6", sixth, 14.453_921_04, 1e-6);
    near("E_min", -sixth * sixth / (2.0 * twelfth), -8.610_200_16, 1e-6);
    let nearest = (2.0 * twelfth / sixth).powf(1.0 / 6.0);
    near("nearest distance", nearest, 1.090_172_96, 1e-8);
    near("a", nearest * 2.0_f64.sqrt(), 1.541_737_38, 1e-8);
    near("density", density / nearest.powi(3), 1.091_512_67, 1e-7);
}

fn crystal_of(cells: u32, cutoff: f64, truncation: Truncation) -> Md {
    Md { cells: [cells; 3], cutoff, truncation, steps: 0, temperature: 0.0, ..Md::default() }
}

#[rstest::rstest]
#[case(2.5, -6.773_368_05, -6.332_811_99, 54)]
#[case(3.0, -6.936_163_10, -6.700_547_10, 86)]
#[case(4.0, -7.109_259_88, -6.999_911_58, 224)]
#[case(5.0, -7.161_692_78, -7.106_912_29, 428)]
fn the_crystal_has_the_energy_of_its_shells(
    #[case] cutoff: f64,
    #[case] cut: f64,
    #[case] shifted: f64,
    #[case] neighbours: u64,
) {
    for (truncation, expected) in [(Truncation::Cut, cut), (Truncation::Shift, shifted)] {
        let plan = crystal_of(6, cutoff, truncation);
        let found = outcome(&plan, 1).observations[0];
        near("U/N", found.potential, expected, 1e-8);
        assert_eq!(found.pairs, (plan.atoms() * neighbours / 2) as f64);
    }
}

/// What is beyond the largest cutoff, added as an integral, nears the infinite crystal.
#[test]
fn the_tail_of_the_crystal_nears_the_infinite_sum() {
    let found = outcome(&crystal_of(6, 5.0, Truncation::Cut), 1).observations[0].potential;
    near("U/N", found + Pair::tail(5.0, 0.8442)[0], -7.220_015_00, 3e-3);
}

/// The eight tails that the NIST gives with its configurations.
#[rstest::rstest]
#[case(800, 10.0, -198.49, -83.769)]
#[case(200, 8.0, -24.230, -10.226)]
#[case(400, 10.0, -49.622, -20.942)]
#[case(30, 8.0, -0.545_17, -0.230_08)]
fn tails_are_those_of_the_nist(#[case] atoms: u32, #[case] side: f64, #[case] three: f64, #[case] four: f64) {
    for (cutoff, expected) in [(3.0, three), (4.0, four)] {
        let found = f64::from(atoms) * Pair::tail(cutoff, f64::from(atoms) / side.powi(3))[0];
        // One in the last of five digits.
        let digit = 10_f64.powf(expected.abs().log10().floor() - 4.0);
        near("U_LRC", found, expected, digit);
    }
}

/// Step 0 of LAMMPS, as in its public logs: bench/in.lj and examples/melt.
#[rstest::rstest]
#[case(20, 1.44, -4.613_435_6, -5.019_707_3)]
#[case(10, 3.0, -2.274_493_1, -3.703_350_4)]
fn the_beginning_is_that_of_lammps(
    #[case] cells: u32,
    #[case] temperature: f64,
    #[case] energy: f64,
    #[case] pressure: f64,
) {
    let plan = Md { temperature, ..crystal_of(cells, 2.5, Truncation::Cut) };
    let found = outcome(&plan, 1).observations[0];
    near("temperature", found.temperature, temperature, 1e-12);
    near("E_pair", found.potential, -6.773_368_1, 1e-7);
    near("E_total", found.energy, energy, 1e-7);
    near("pressure", found.pressure, pressure, 1e-7);
}

/// Worked out by another program, in another language.
#[test]
fn the_fixture_has_its_energy_virial_and_pairs() {
    let plan = Md { steps: 0, truncation: Truncation::Cut, ..fixture() };
    let found = outcome(&plan, 1);
    near("side", found.side, 6.718_384_765_5, 1e-9);
    let first = found.observations[0];
    assert_eq!(first.pairs, 6904.0);
    near("U_cut/N", first.potential, -6.626_402_662_9, 1e-9);
    near("W/N", first.virial, -18.845_950_019_2, 1e-9);
    near("T", first.temperature, 1.44, 1e-12);
    let plan = Md { truncation: Truncation::Shift, ..plan };
    near("U_shift/N", outcome(&plan, 1).observations[0].potential, -6.186_356_505_1, 1e-9);
}

/// The first force, from the change of velocity in a step so short that nothing else changes.
#[test]
fn the_first_atom_is_pulled_as_it_should() {
    let time_step = 1e-9;
    let plan = Md { steps: 1, time_step, temperature: 0.0, frame_every: Some(1), ..fixture() };
    let found = outcome(&plan, 1).frames[0].velocities[0].map(|component| component / time_step);
    for (found, expected) in found.into_iter().zip([1.248_223, -1.501_034_9, -3.757_524_81]) {
        near("F_0", found, expected, 1e-6);
    }
    assert_eq!(plan.start, Start::Waves);
}
