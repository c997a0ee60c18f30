//! The same trajectory whoever moves which atoms, and what ranks tell each other for it. About 5 s.

use linerate_apps::atoms::frame::Frame;
use linerate_apps::md::outcome::MdOutcome;
use linerate_apps::md::{Decomposition, Md, Start, grid};
use linerate_core::app::Account;

use super::{fixture, sent_at_rest};
use crate::ranks::{FREE, near, outcome, run};

/// A box that three ranks can cut along x. Atoms cross all faces, and lists are made several times.
fn long_box(decomposition: Decomposition) -> Md {
    Md { cells: [6, 4, 4], steps: 40, every: 10, frame_every: Some(40), decomposition, ..fixture() }
}

fn last(outcome: &MdOutcome) -> &Frame {
    outcome.frames.last().expect("a frame")
}

/// To the last bit: the order of every sum of forces is fixed.
#[test]
fn trajectories_are_the_same_for_any_number_of_ranks() {
    let alone = outcome(&long_box(Decomposition::Spatial), 1);
    assert!(alone.parts.rebuilds > 3, "{:?}", alone.parts);
    for decomposition in [Decomposition::Spatial, Decomposition::Replicated] {
        for ranks in [1, 2, 3, 4, 6, 8, 12] {
            let found = outcome(&long_box(decomposition), ranks);
            assert_eq!(last(&found), last(&alone), "{decomposition:?}, {ranks} ranks");
            assert_eq!(found.parts.atoms.iter().sum::<u64>(), 384);
            assert!(found.verified.iter().all(|check| check.held), "{:?}", found.verified);
            for (one, two) in found.observations.iter().zip(&alone.observations) {
                near("energy", one.energy, two.energy, 1e-12);
                near("pressure", one.pressure, two.pressure, 1e-11);
                assert_eq!(one.pairs, two.pairs);
            }
        }
    }
}

/// Half lists add forces up in another order for every number of ranks: to 1e-8 at step 10.
#[test]
fn half_lists_give_the_same_trajectory_to_rounding() {
    let alone = outcome(&long_box(Decomposition::Spatial), 1);
    for ranks in [1, 2, 3, 4, 8] {
        let found = outcome(&long_box(Decomposition::ReplicatedHalf), ranks);
        let (one, two) = (found.observations[1], alone.observations[1]);
        near("energy", one.energy, two.energy, 1e-8);
        near("virial", one.virial, two.virial, 1e-8);
        near("temperature", one.temperature, two.temperature, 1e-8);
        assert_eq!(one.pairs, two.pairs);
        assert!(found.verified.iter().all(|check| check.held), "{:?}", found.verified);
    }
}

/// Lists that are made at fixed steps, without a look at how far atoms have moved.
#[test]
fn lists_of_fixed_age_give_the_same_for_any_number_of_ranks() {
    let plan = Md { check_moved: false, rebuild: 7, ..long_box(Decomposition::Spatial) };
    let alone = outcome(&plan, 1);
    assert_eq!(alone.parts.rebuilds, 1 + 40 / 7);
    for ranks in [2, 3, 8] {
        assert_eq!(last(&outcome(&plan, ranks)), last(&alone), "{ranks} ranks");
    }
}

/// Atoms around a part, and what their places take in a step, within 5 % of the volume of the shell once the crystal has
/// melted: LAMMPS counts 19,657 where the formula says 18,820. A rank has an image of its own without a message.
#[rstest::rstest]
#[case(1, 18_820.0, 0.0)]
#[case(8, 5_483.0, 131.6e3)]
#[case(64, 1_815.0, 43.6e3)]
fn ghosts_are_those_of_the_shell(#[case] ranks: usize, #[case] expected: f64, #[case] bytes: f64) {
    let plan = Md { cells: [20; 3], temperature: 4.0, steps: 60, every: 60, ..Md::default() };
    let found = outcome(&plan, ranks);
    let mean = found.parts.ghosts.iter().sum::<u64>() as f64 / ranks as f64;
    near("ghosts", mean, expected, 0.05 * expected);
    if ranks > 1 {
        near("bytes", 24.0 * mean, bytes, 0.05 * bytes);
    }
    let neighbours = 0.8442 * 4.0 / 3.0 * std::f64::consts::PI * 2.8_f64.powi(3);
    near("neighbours", found.parts.neighbours, neighbours, 0.05 * neighbours);
}

/// Accounts of all ranks for a crystal at rest after `steps`, less those after none: what steps alone take. Nothing
/// is checked, observed or made again in between but the last observation, 40 B of which are taken away.
fn steps_alone(plan: &Md, ranks: usize, steps: u64) -> Vec<(u64, u64)> {
    let accounts = |steps| -> Vec<Account> {
        let plan = Md { steps, every: 1 << 20, ..plan.clone() };
        run(&plan, ranks, FREE, 0.0).into_iter().map(|rank| rank.expect("it ends well").1).collect()
    };
    let sums = |account: &Account| (account.messages.iter().sum::<u64>(), account.bytes.iter().sum::<u64>());
    let exchanges = u64::from(ranks.ilog2());
    let difference = |(one, none): (Account, Account)| {
        let ((one, bytes), (none, before)) = (sums(&one), sums(&none));
        (one - none - exchanges, bytes - before - 40 * exchanges)
    };
    accounts(steps).into_iter().zip(accounts(0)).map(difference).collect()
}

fn at_rest(cells: u32, decomposition: Decomposition) -> Md {
    Md {
        cells: [cells; 3],
        start: Start::Crystal,
        temperature: 0.0,
        check_moved: false,
        rebuild: 1000,
        decomposition,
        ..Md::default()
    }
}

#[test]
fn six_messages_a_step_go_over_the_faces() {
    let expected: u64 = 3 * 24 * sent_at_rest().as_flattened().iter().sum::<u64>();
    for found in steps_alone(&at_rest(20, Decomposition::Spatial), 8, 3) {
        assert_eq!(found, (3 * 6, expected));
    }
}

/// 672 kB at 8 ranks, 756 kB at 64, for 32,000 atoms.
#[rstest::rstest]
#[case(8, 672_000)]
#[case(64, 756_000)]
fn replicated_places_go_around_a_ring(#[case] ranks: usize, #[case] expected: u64) {
    for (messages, bytes) in steps_alone(&at_rest(20, Decomposition::Replicated), ranks, 1) {
        assert_eq!((messages, bytes), (ranks as u64 - 1, expected));
    }
}

/// An allreduce around a ring: 2 (P - 1) messages of 24 N / P.
#[test]
fn replicated_forces_go_around_a_ring_twice() {
    for (messages, bytes) in steps_alone(&at_rest(8, Decomposition::ReplicatedHalf), 8, 2) {
        assert_eq!((messages, bytes), (2 * 14, 2 * 14 * 24 * 2048 / 8));
    }
}

/// With two parts along an axis both messages go to the same rank; with one, none.
#[test]
fn messages_go_to_the_ranks_beside() {
    let plan = Md { grid: Some([1, 2, 4]), ..at_rest(10, Decomposition::Spatial) };
    let counts = |steps| {
        let plan = Md { steps, every: 1 << 20, ..plan.clone() };
        run(&plan, 8, FREE, 0.0).swap_remove(0).expect("it ends well").1.messages
    };
    let found: Vec<u64> = counts(2).iter().zip(counts(1)).map(|(two, one)| two - one).collect();
    // Rank 0 is beside rank 4 along y, and beside ranks 1 and 3 along z.
    assert_eq!(found, [0, 1, 0, 1, 2, 0, 0, 0]);
}

#[test]
fn the_best_grid_has_the_least_surface() {
    for (ranks, expected) in
        [(1, [1, 1, 1]), (2, [1, 1, 2]), (8, [2, 2, 2]), (12, [2, 2, 3]), (64, [4, 4, 4])]
    {
        assert_eq!(grid::best(ranks, [10.0; 3]), expected);
    }
    assert_eq!(grid::best(4, [40.0, 10.0, 10.0]), [4, 1, 1]);
}
