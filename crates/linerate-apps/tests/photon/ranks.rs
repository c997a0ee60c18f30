//! Many ranks: the same result, messages and times by formulas.

use std::cell::RefCell;

use linerate_apps::photon::{Owners, Photon, PhotonOutcome, Scene, ShippedScene, Tree};
use linerate_core::app::Account;
use linerate_core::comm::ideal::Network;
use linerate_core::units::Span;
use rstest::rstest;

use super::{all_held, furnace, plan, trace};
use crate::support::{FREE, Seen, on_ideal, watched};

/// Fast Ethernet: 140 us and 85 ns for a byte.
const NETWORK: Network = Network { latency: Span::from_us(140), per_byte: Span::from_ns(85) };
const LATENCY: f64 = 140e-6;
const PER_BYTE: f64 = 85e-9;
/// 100 us for a photon.
const COST: f64 = 1e8;

fn run(plan: &Photon, ranks: usize) -> (PhotonOutcome, Vec<Account>) {
    let mut all = on_ideal(plan, NETWORK, ranks, COST);
    let accounts = all.iter().map(|one| one.1.clone()).collect();
    (all.swap_remove(0).0, accounts)
}

/// What must not depend on the ranks.
fn physics(outcome: PhotonOutcome) -> PhotonOutcome {
    PhotonOutcome {
        seconds: 0.0,
        photons_per_second: 0.0,
        running: Vec::new(),
        rounds: 0,
        owners: Vec::new(),
        ..outcome
    }
}

#[rstest]
fn no_result_depends_on_the_ranks(#[values(Owners::InTurn, Owners::Packed)] owners: Owners) {
    let plan = Photon {
        scene: ShippedScene::SmallRoom,
        photons: 25_000,
        split_every: 3_000,
        bins: [4, 4, 2, 2],
        owners,
        ..Photon::default()
    };
    let alone = run(&plan, 1).0;
    all_held(&alone);
    let split = alone.patches.iter().filter_map(|patch| patch.tree.as_ref()).map(Tree::leaves).sum::<usize>();
    assert!(split > 2 * alone.patches.len(), "{split} leaves: the trees grew");
    let alone = physics(alone);
    for ranks in [2, 3, 4, 7] {
        let batch = 100 * ranks as u32 + 17;
        let (outcome, accounts) = run(&Photon { per_round: batch, ..plan.clone() }, ranks);
        let pilot = if owners == Owners::Packed { 1_000 * ranks as u64 } else { 0 };
        assert_eq!(accounts.iter().map(|account| account.units).sum::<u64>(), 25_000 + pilot);
        assert_eq!(physics(outcome), alone, "{ranks} ranks");
    }
}

/// Endless plates with a black one: every photon hits patch 1 once, which is rank 1's.
fn to_one() -> Scene {
    let mut scene = ShippedScene::TwoPlates.scene();
    scene.patches[1].diffuse = 0.0;
    scene
}

#[test]
fn messages_are_those_of_the_formulas() {
    let ranks = 4;
    let (outcome, accounts) = run(&Photon { per_round: 250, ..plan(to_one(), 10_000) }, ranks);
    assert_eq!(outcome.rounds, 10);
    for (from, account) in accounts.iter().enumerate() {
        for to in 0..ranks {
            let is = (account.messages[to], account.bytes[to]);
            let records = if to == 1 { 24 * 2_500 } else { 0 };
            match to {
                _ if to == from => assert_eq!(is, (0, 0)),
                // And the result, in two messages, of a length that is written in decimals.
                0 => assert!(is.0 == 22 && is.1 > 80 + records + 8, "{is:?}"),
                _ => assert_eq!(is, (20, 80 + records), "{from} to {to}"),
            }
        }
    }
}

#[rstest]
#[case(0.5, 2, 24.0)]
#[case(0.5, 4, 36.0)]
#[case(0.5, 8, 42.0)]
#[case(0.8, 8, 105.0)]
fn bytes_per_photon(#[case] albedo: f64, #[case] ranks: usize, #[case] expected: f64) {
    let photons = 40_000;
    let (outcome, accounts) = run(&plan(furnace(albedo), photons), ranks);
    let others = |(rank, account): (usize, &Account)| {
        let bytes = account.bytes.iter().enumerate().filter(|(to, _)| *to != 0 && *to != rank);
        bytes.map(|(_, bytes)| bytes).sum::<u64>()
    };
    // Without those to rank 0, which get the results too: a share of what is owned there.
    let sent: u64 = accounts.iter().enumerate().map(others).sum();
    let counts = 8 * outcome.rounds * (ranks as u64 - 1) * (ranks as u64 - 1);
    let owned = |rank: usize| outcome.owners.iter().filter(|owner| **owner == rank).count() as f64 / 6.0;
    let of_all = expected * (1.0 - owned(0));
    let found = (sent - counts) as f64 / photons as f64;
    assert!((found / of_all - 1.0).abs() < 0.02, "{found}, expected {of_all}");
}

/// When each rank has a round behind it: photons, then counts and records in P - 1 steps, in each of which a rank waits for
/// both whom it sends to and whom it receives from.
fn replay(clocks: &mut [f64], photons: f64, records: impl Fn(usize, usize) -> f64) {
    let ranks = clocks.len();
    clocks.iter_mut().for_each(|clock| *clock += photons * 1e-4);
    for counts in [true, false] {
        for distance in 1..ranks {
            let message = |from: usize| {
                let to = (from + distance) % ranks;
                let bytes = if counts { 8.0 } else { 24.0 * records(from, to) };
                clocks[from].max(clocks[to]) + LATENCY + bytes * PER_BYTE
            };
            let done: Vec<f64> = (0..ranks).map(message).collect();
            for (rank, clock) in clocks.iter_mut().enumerate() {
                *clock = done[rank].max(done[(rank + ranks - distance) % ranks]);
            }
        }
    }
}

#[rstest]
fn a_time_is_tracing_and_two_exchanges(#[values(2, 3, 4, 8)] ranks: usize, #[values(50, 1_000)] batch: u32) {
    let photons = u64::from(batch) * ranks as u64 * 3;
    let (outcome, _) = run(&Photon { per_round: batch, ..plan(to_one(), photons) }, ranks);
    let mut clocks = vec![0.0; ranks];
    let batch = f64::from(batch);
    for _ in 0..3 {
        replay(&mut clocks, batch, |_, to| if to == 1 { batch } else { 0.0 });
    }
    assert!((outcome.seconds / clocks[0] - 1.0).abs() < 1e-9, "{} and {} s", outcome.seconds, clocks[0]);
    assert!((outcome.photons_per_second * clocks[0] / photons as f64 - 1.0).abs() < 1e-9);
    if ranks == 2 {
        let round = batch * 1e-4 + 2.0 * LATENCY + (8.0 + 24.0 * batch) * PER_BYTE;
        assert!((outcome.seconds / (3.0 * round) - 1.0).abs() < 1e-9, "the closed form");
    }
}

#[test]
fn the_rate_is_that_of_the_model() {
    // Two hits a photon: B t1 + (P - 1)(2 alpha + 8 beta + 24 h B beta/P), the first alpha for the counts. A little more,
    // because in each step the larger of two random numbers of records counts.
    for (ranks, batch, above) in [(2, 1_000, 1.01), (2, 50, 1.02), (3, 1_000, 1.03), (6, 1_000, 1.05)] {
        let photons = u64::from(batch) * ranks as u64 * 4;
        let found =
            run(&Photon { per_round: batch, ..plan(furnace(0.5), photons) }, ranks).0.photons_per_second;
        let (batch, size) = (f64::from(batch), ranks as f64);
        let others = (size - 1.0) * (2.0 * LATENCY + 8.0 * PER_BYTE + 48.0 * batch * PER_BYTE / size);
        let modelled = size * batch / (batch * 1e-4 + others);
        assert!(found <= modelled * 1.005 && found * above >= modelled, "{ranks}: {found}, {modelled}");
    }
    let alone = run(&plan(furnace(0.5), 5_000), 1).0;
    assert!((alone.photons_per_second - 1e4).abs() < 1e-5, "100 us each");
}

#[test]
fn a_step_is_a_round() {
    let (outcome, accounts) = run(&Photon { per_round: 250, ..plan(furnace(0.5), 10_000) }, 4);
    for account in &accounts {
        let phases: Vec<&str> = account.phases.iter().map(|phase| phase.what.as_str()).collect();
        assert_eq!(phases, ["trace", "count"]);
        let step = account.step_ps.expect("a step was recorded") as f64 / 1e12;
        assert!((step / (outcome.seconds / outcome.rounds as f64) - 1.0).abs() < 0.05, "{step} s");
    }
}

#[test]
fn an_interruption_ends_all_ranks_after_one_more_round() {
    for ranks in [1, 2, 5] {
        let seen = RefCell::new(Seen { steps: Vec::new(), most: 3 });
        let plan = Photon { per_round: 100, ..plan(furnace(0.5), 1_000_000) };
        let outcome = watched(&plan, FREE, ranks, COST, &seen).swap_remove(0).0;
        let photons = 400 * ranks as u64;
        assert!(outcome.interrupted);
        assert_eq!((outcome.photons, outcome.rounds), (photons, 4));
        all_held(&outcome);
        let expected = trace(&Photon { photons, ..plan.clone() });
        assert_eq!(outcome.patches, expected.patches, "the photons that were traced");
        let steps = seen.into_inner().steps;
        assert_eq!(
            steps.iter().map(|step| step.0).collect::<Vec<_>>(),
            [1, 2, 3, 4].map(|n| n * photons / 4)
        );
    }
}
