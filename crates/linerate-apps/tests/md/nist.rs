//! The fourth sample configuration of the NIST Standard Reference Simulation Website: 30 atoms in a box with sides of 8. No
//! time.

use linerate_apps::md::pair::{Pair, Truncation};

use crate::ranks::near;

const SIDE: f64 = 8.0;

/// Energy and virial, of all pairs at their shortest distance, to one in the last digit that the NIST gives.
#[rstest::rstest]
#[case(Truncation::Cut, 3.0, -16.790, -46.249)]
#[case(Truncation::Cut, 4.0, -17.060, -47.869)]
#[case(Truncation::ForceShift, 3.0, -15.001, -43.096)]
fn a_sample_has_the_energy_and_virial_of_the_nist(
    #[case] truncation: Truncation,
    #[case] cutoff: f64,
    #[case] energy: f64,
    #[case] virial: f64,
) {
    let numbers: Vec<f64> =
        include_str!("nist-4.txt").split_whitespace().map(|word| word.parse().expect("a number")).collect();
    let atoms = numbers.as_chunks::<3>().0;
    assert_eq!(atoms.len(), 30);
    let pair = Pair::new(truncation, cutoff);
    let (mut energies, mut virials) = (0.0, 0.0);
    for (number, one) in atoms.iter().enumerate() {
        for two in &atoms[..number] {
            let apart = [0, 1, 2].map(|axis| {
                let direct = one[axis] - two[axis];
                direct - SIDE * (direct / SIDE).round()
            });
            let distance = apart.iter().map(|axis| axis * axis).sum::<f64>().sqrt();
            let at = pair.at(distance);
            energies += at.energy;
            virials += at.force * distance;
        }
    }
    near("energy", energies, energy, 1e-3);
    near("virial", virials, virial, 1e-3);
}
