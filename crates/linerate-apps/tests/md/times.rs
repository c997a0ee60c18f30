//! Modelled times on the ideal network are the closed forms. Under 1 s.

use linerate_apps::md::{Decomposition, Md};
use linerate_core::comm::ideal::Network;
use linerate_core::units::Span;

use super::sent_at_rest;
use crate::ranks::{near, run};

/// 140 us, and 11.76 or 40 MB/s, to the picosecond.
const NETWORKS: [Network; 2] = [
    Network { latency: Span::from_us(140), per_byte: Span::from_ps(85_034) },
    Network { latency: Span::from_us(140), per_byte: Span::from_ps(25_000) },
];

/// What a step of an atom takes. Unit: seconds.
const ATOM_STEP: f64 = 20e-6;

/// A crystal at rest: all ranks have as many atoms, and nothing moves.
fn at_rest(decomposition: Decomposition) -> Md {
    Md {
        cells: [20; 3],
        temperature: 0.0,
        steps: 2,
        check_moved: false,
        rebuild: 1000,
        decomposition,
        ..Md::default()
    }
}

/// Time of the recorded step, which is not the observed one. Unit: seconds.
fn step(plan: &Md, ranks: usize, network: Network) -> f64 {
    let rank = run(plan, ranks, network, ATOM_STEP * 1e12).swap_remove(0).expect("it ends well");
    rank.1.step_ps.expect("a step was recorded") as f64 * 1e-12
}

/// T = c N / P + sum over the cut directions of 2 (alpha + 24 n beta), n the mean of down and up.
#[test]
fn a_step_of_parts_takes_what_the_closed_form_says() {
    for network in NETWORKS {
        let found = step(&Md { every: 3, ..at_rest(Decomposition::Spatial) }, 8, network);
        let [alpha, beta] = [network.latency, network.per_byte].map(Span::as_seconds);
        let face = |[down, up]: [u64; 2]| 2.0 * (alpha + 24.0 * (down + up) as f64 / 2.0 * beta);
        let expected = ATOM_STEP * 32_000.0 / 8.0 + sent_at_rest().map(face).iter().sum::<f64>();
        near("step", found, expected, 1e-9 * expected);
    }
}

/// 92.0 and 84.1 ms with the atoms of the formula for a liquid; a crystal at rest has a few per cent more near its faces.
#[test]
fn a_step_of_parts_takes_what_was_published() {
    for (network, published) in NETWORKS.into_iter().zip([92.0e-3, 84.1e-3]) {
        let found = step(&Md { every: 3, ..at_rest(Decomposition::Spatial) }, 8, network);
        near("step", found, published, 0.01 * published);
    }
}

/// T = c N / P + (P - 1) (alpha + 24 (N / P) beta): 138 and 97.8 ms.
#[test]
fn a_step_of_replicated_data_takes_what_the_closed_form_says() {
    for (network, published) in NETWORKS.into_iter().zip([138e-3, 97.8e-3]) {
        let found = step(&Md { every: 3, ..at_rest(Decomposition::Replicated) }, 8, network);
        let [alpha, beta] = [network.latency, network.per_byte].map(Span::as_seconds);
        let expected = ATOM_STEP * 4_000.0 + 7.0 * (alpha + 24.0 * 4_000.0 * beta);
        near("step", found, expected, 1e-9 * expected);
        near("step, rounded", found, published, 0.5e-3);
    }
}
