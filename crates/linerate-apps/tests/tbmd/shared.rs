//! The same run on any number of ranks, and what they tell each other for it. About 3 s.

use linerate_apps::tbmd::Tbmd;
use linerate_apps::tbmd::share::Distribution;

use crate::ranks::{FREE, near, run};

/// 8 atoms that move; 32 rows.
fn small(distribution: Distribution) -> Tbmd {
    Tbmd { cells: [1; 3], lattice: Some(3.6), temperature: 1000.0, distribution, ..Tbmd::default() }
}

#[test]
fn a_run_is_the_same_for_any_number_of_ranks() {
    let alone = run(&small(Distribution::Ring), 1, FREE, 0.0).swap_remove(0).expect("it ends well").0;
    let rings = [2, 3, 4, 5, 8, 32].map(|ranks| (Distribution::Ring, ranks));
    let squares = [1, 4, 9, 25].map(|ranks| (Distribution::Summa, ranks));
    for (distribution, ranks) in rings.into_iter().chain(squares) {
        for rank in run(&small(distribution), ranks, FREE, 0.0) {
            let found = rank.expect("it ends well").0;
            assert_eq!(found.steps, 20);
            assert!(found.verified.iter().all(|check| check.held), "{:?}", found.verified);
            for (one, two) in found.observations.iter().zip(&alone.observations) {
                near("energy", one.energy, two.energy, 1e-10);
                near("temperature", one.temperature, two.temperature, 1e-6);
            }
        }
    }
}

/// What one rank sends in one evaluation of 64 atoms: 23 products.
fn sent(distribution: Distribution, ranks: usize) -> Vec<(u64, u64)> {
    let plan = Tbmd { temperature: 0.0, steps: 0, distribution, ..Tbmd::default() };
    let accounts = run(&plan, ranks, FREE, 0.0).into_iter().map(|rank| rank.expect("it ends well").1);
    accounts.map(|account| (account.messages.iter().sum(), account.bytes.iter().sum())).collect()
}

/// Messages up and down a binomial tree that a rank sends for a sum over a power of two of ranks.
fn tree(rank: usize, ranks: usize) -> u64 {
    let below = if rank == 0 { ranks.ilog2() } else { rank.trailing_zeros() };
    u64::from(below) + u64::from(rank > 0)
}

/// 9.04 MB at 4 ranks, 10.55 MB at 8, around the ring; a sum of two numbers for each product, one of forces at the end.
#[rstest::rstest]
#[case(4, 9.04e6)]
#[case(8, 10.55e6)]
fn block_rows_go_around_the_ring(#[case] ranks: usize, #[case] published: f64) {
    let block = 8 * 256 * 256 / ranks as u64;
    let ring = 23 * (ranks as u64 - 1);
    near("bytes", (ring * block) as f64, published, 5e3);
    for (rank, found) in sent(Distribution::Ring, ranks).into_iter().enumerate() {
        let sums = tree(rank, ranks);
        let expected = (ring + 24 * sums, ring * block + 23 * 16 * sums + 8 * (3 * 64 + 2) * sums);
        assert_eq!(found, expected, "rank {rank} of {ranks}");
    }
}

/// 6.03 MB at 4 ranks: every block goes along its row and its column.
#[test]
fn blocks_go_along_rows_and_columns() {
    let block = 8 * 256 * 256 / 4;
    near("bytes", (23 * 2 * block) as f64, 6.03e6, 5e3);
    for (rank, found) in sent(Distribution::Summa, 4).into_iter().enumerate() {
        let sums = tree(rank, 4);
        let expected = (23 * 2 + 24 * sums, 23 * 2 * block + 23 * 16 * sums + 8 * (3 * 64 + 2) * sums);
        assert_eq!(found, expected, "rank {rank}");
    }
}
