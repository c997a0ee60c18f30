//! The times of modelled runs against closed forms, and what ranks send.

use linerate_apps::application::{Application, Unwatched};
use linerate_apps::hint::{Decomposition, GlobalSum, Hint, HintOutcome};
use linerate_apps::work::Work;
use linerate_core::app::Account;
use linerate_core::comm::ideal::{self, Network};
use linerate_core::units::Span;
use rstest::rstest;

use super::one;
use crate::support::on_ideal;

/// Picoseconds of a subinterval.
const COST: f64 = 500_000.0;

fn network(per_byte_ns: u64) -> Network {
    Network { latency: Span::from_us(140), per_byte: Span::from_ns(per_byte_ns) }
}

fn curve(plan: &Hint, network: Network, ranks: usize) -> (HintOutcome, Vec<Account>) {
    let mut all = on_ideal(plan, network, ranks, COST);
    let accounts = all.iter().map(|one| one.1.clone()).collect();
    (all.swap_remove(0).0, accounts)
}

fn seconds(subintervals: u64, ranks: usize, network: Network) -> f64 {
    let plan = Hint { sum: GlobalSum::ReduceBroadcast, ..one(Decomposition::Interleaved, subintervals) };
    curve(&plan, network, ranks).0.points[0].seconds
}

/// Steps of the sum by their closed form, and bytes of a message.
#[rstest]
#[case(GlobalSum::RecursiveDoubling, 2, 1.0, 16)]
#[case(GlobalSum::RecursiveDoubling, 4, 2.0, 16)]
#[case(GlobalSum::RecursiveDoubling, 8, 3.0, 16)]
#[case(GlobalSum::ReduceBroadcast, 2, 2.0, 16)]
#[case(GlobalSum::ReduceBroadcast, 4, 4.0, 16)]
#[case(GlobalSum::ReduceBroadcast, 8, 6.0, 16)]
// Two numbers are one part each for two ranks: n/P bytes.
#[case(GlobalSum::Ring, 2, 2.0, 8)]
#[case(GlobalSum::Rabenseifner, 2, 2.0, 8)]
fn a_time_is_work_and_a_global_sum(
    #[case] sum: GlobalSum,
    #[case] ranks: usize,
    #[case] steps: f64,
    #[case] bytes: u64,
) {
    for decomposition in [Decomposition::Interleaved, Decomposition::Fixed] {
        let plan = Hint { sum, largest: Some(10_000), stop_ratio: 0.0, decomposition, ..Hint::default() };
        let (outcome, _) = curve(&plan, network(85), ranks);
        let message = 140e-6 + bytes as f64 * 85e-9;
        let mut compared = 0;
        for at in &outcome.points {
            if at.subintervals.is_multiple_of(ranks as u64) {
                let expected = at.subintervals as f64 / ranks as f64 * 0.5e-6 + steps * message;
                assert!((at.seconds / expected - 1.0).abs() < 1e-9, "{at:?}: {expected} s");
                assert!((at.quips * expected / at.quality - 1.0).abs() < 1e-9);
                compared += 1;
            }
        }
        assert!(compared >= 3, "{compared} sizes are multiples of {ranks}");
    }
}

#[test]
fn one_rank_needs_the_time_of_its_work() {
    let (outcome, accounts) = curve(&Hint { largest: Some(1_000), ..Hint::default() }, network(85), 1);
    for at in &outcome.points {
        assert!((at.seconds / (at.subintervals as f64 * 0.5e-6) - 1.0).abs() < 1e-9, "{at:?}");
    }
    assert_eq!(accounts[0].messages, [0]);
    assert_eq!(accounts[0].total_ps, accounts[0].computed_ps);
}

#[test]
fn parallel_breaks_even_where_the_model_says() {
    // n* = 2 ceil(log2 P) alpha / (c (1 - 1/P)) = 1120, 1493.3 and 1920.
    let free = network(0);
    for (ranks, exactly) in [(2, 1_120), (8, 1_920)] {
        let [serial, parallel] = [1, ranks].map(|ranks| seconds(exactly, ranks, free));
        assert!((parallel / serial - 1.0).abs() < 1e-9, "{ranks} ranks: {parallel} against {serial} s");
        assert!(seconds(exactly - 16, ranks, free) > seconds(exactly - 16, 1, free));
        assert!(seconds(exactly + 16, ranks, free) < seconds(exactly + 16, 1, free));
    }
    assert!(seconds(1_492, 4, free) > seconds(1_492, 1, free));
    assert!(seconds(1_496, 4, free) < seconds(1_496, 1, free));
}

#[test]
fn a_faster_link_with_the_same_latency_changes_nothing() {
    // Fast Ethernet and Gigabit Ethernet: 85 and 8 ns for a byte.
    for ranks in [2, 4, 8] {
        for subintervals in [32, 1_000, 30_000] {
            let [fast, gigabit] = [85, 8].map(|ns| seconds(subintervals, ranks, network(ns)));
            assert!((fast / gigabit - 1.0).abs() < 0.01, "{subintervals} on {ranks}: {fast}, {gigabit}");
        }
    }
}

#[test]
fn messages_are_those_of_the_formulas() {
    // Of each size an order of 24 B along the binomial tree, a barrier, a sum of 16 B and one of 8 B; an order to end.
    let plan = Hint { largest: Some(1_000), ..Hint::default() };
    let (outcome, accounts) = curve(&plan, network(85), 4);
    let sizes = outcome.points.len() as u64;
    let orders = sizes + 1;
    // Rank 0 tells 2 and 1, and 2 tells 3.
    let told = |from, to| u64::from(matches!((from, to), (0, 2 | 1) | (2, 3)));
    for (from, account) in accounts.iter().enumerate() {
        for to in 0..4 {
            let barrier = u64::from(to == (from + 1) % 4) + u64::from(to == (from + 2) % 4);
            let sums = u64::from(to == from ^ 1 || to == from ^ 2);
            let messages = orders * told(from, to) + sizes * (barrier + 2 * sums);
            let bytes = 24 * orders * told(from, to) + sizes * sums * (16 + 8);
            assert_eq!((account.messages[to], account.bytes[to]), (messages, bytes), "{from} to {to}");
        }
    }
    let units: u64 = accounts.iter().map(|account| account.units).sum();
    assert_eq!(units, outcome.points.iter().map(|at| at.subintervals).sum::<u64>());
}

#[test]
fn a_step_is_an_evaluation_with_its_sum() {
    let (outcome, accounts) = curve(&Hint { largest: Some(1_000), ..Hint::default() }, network(85), 4);
    for account in &accounts {
        assert_eq!(account.phases.len(), 1);
        assert_eq!(account.phases[0].what, "refine");
        let step = account.step_ps.expect("a step was recorded") as f64 / 1e12;
        let is = |seconds: f64| (step / seconds - 1.0).abs() < 1e-9;
        assert!(outcome.points.iter().any(|at| is(at.seconds)), "{step} s");
        assert!(!is(outcome.points[0].seconds), "not the first size");
    }
}

#[test]
fn over_a_real_clock_laps_fill_the_run_time_and_the_network_alone_takes_time() {
    // The ideal network's clock knows nothing of this processor: an evaluation costs its sum and nothing else.
    for (ranks, steps) in [(2, 1.0), (3, 3.0), (4, 2.0)] {
        let plan = Hint { largest: Some(60), trials: 3, ..Hint::default() };
        let all = ideal::run(network(85), ranks, async |mut comm| {
            let mut work = Work::new(&mut comm, None);
            Ok(plan.run(&mut work, &mut Unwatched).await.expect("nothing goes wrong"))
        });
        let outcome = all.expect("nobody waits for ever").swap_remove(0);
        let lap = steps * (140e-6 + 16.0 * 85e-9);
        assert!(outcome.points.len() > 5 && outcome.tick_ps.is_none());
        for at in &outcome.points {
            assert!((at.seconds / lap - 1.0).abs() < 1e-2, "{ranks} ranks: {at:?}, {lap} s");
            let filled = at.laps as f64 * lap / 0.01;
            assert!(filled > 0.5 && filled < 1.5, "{at:?}");
            assert!(at.trials >= 3);
        }
        let steady = outcome.verified.iter().find(|check| check.what.starts_with("every evaluation"));
        assert!(steady.is_some_and(|check| check.held));
    }
}
