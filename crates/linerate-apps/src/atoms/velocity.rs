//! How atoms move at first.

use rand::RngExt as _;
use rand_pcg::Pcg64;

use super::Vector;

/// The stream of random numbers that velocities are drawn from.
const STREAM: u128 = 0x7665_6c6f;

/// Velocities by waves over the numbers of the atoms, before [`settle`].
#[must_use]
pub fn waves(atoms: usize) -> Vec<Vector> {
    let of = |number: usize| {
        let number = number as f64;
        [(0.9, 0.3), (1.7, 1.1), (2.3, 2.0)].map(|(factor, phase)| libm::sin(factor * number + phase))
    };
    (0..atoms).map(of).collect()
}

/// Velocities of a gas, each component normal with variance 1, before [`settle`]. The same on every host.
#[must_use]
pub fn random(atoms: usize, seed: u64) -> Vec<Vector> {
    let mut numbers = Pcg64::new(u128::from(seed), STREAM);
    // Box and Muller 1958. One minus a number below 1 is never 0.
    let mut normal = || {
        let (radius, turn): (f64, f64) = (1.0 - numbers.random::<f64>(), numbers.random());
        (-2.0 * libm::log(radius)).sqrt() * libm::cos(std::f64::consts::TAU * turn)
    };
    (0..atoms).map(|_| [normal(), normal(), normal()]).collect()
}

/// Takes the mean away, so that the whole rests, and scales so that the mean of v^2 over the 3 (N - 1) degrees of freedom is
/// `square`. One atom rests.
pub fn settle(velocities: &mut [Vector], square: f64) {
    let count = velocities.len() as f64;
    for axis in 0..3 {
        let mean = velocities.iter().map(|velocity| velocity[axis]).sum::<f64>() / count;
        velocities.iter_mut().for_each(|velocity| velocity[axis] -= mean);
    }
    let sum: f64 = velocities.iter().flatten().map(|component| component * component).sum();
    let scale = if sum > 0.0 && count > 1.0 { (square * 3.0 * (count - 1.0) / sum).sqrt() } else { 0.0 };
    velocities.iter_mut().flatten().for_each(|component| *component *= scale);
}
