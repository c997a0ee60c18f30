//! `--time` is a bound, also over a path that is at first faster than it is.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use linerate_core::caution::Caution;
use linerate_core::run::State;
use rstest::rstest;

use super::ALONE;
use crate::support::Desk;
use crate::support::lab::{Lab, Limit};

/// What the page promises, 1.1 x the time and 2 s, and as much again as a crowded machine may take to
/// start and end processes.
fn promised(seconds: u64) -> Duration {
    Duration::from_millis(seconds * 1_100 + 2_000) + Duration::from_millis(1_500)
}

#[rstest]
fn a_run_over_a_shaper_with_a_large_burst_ends_in_time_and_has_the_small_sizes(
    #[values("one-way", "ping-pong")] pattern: &str,
) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (desk, Some(lab)) = (Desk::new(), Lab::new(Some(Limit { mbps: 10, burst: "256KiB" }))) else {
        return;
    };
    let server = lab.serve(&desk);
    let began = Instant::now();
    let said = lab
        .linerate(
            &desk,
            &["measure", &server.address, "--pattern", pattern, "--time", "3s", "--out", "x.run.json"],
        )
        .done();
    let took = began.elapsed();
    println!("{took:?}\n{}", said.stdout);
    assert!(took <= promised(3), "{took:?}");
    let run = desk.run_file("x.run.json");
    assert_eq!(run.state, State::Complete);
    // One way, a large size is measured before all others, as the reference.
    let mut timed: Vec<bool> = run.series[0].points.iter().map(|point| !point.rounds.is_empty()).collect();
    let reference = timed.iter().rposition(|timed| *timed).expect("something was timed");
    timed[reference] &= pattern != "one-way";
    let small = timed.iter().take_while(|timed| **timed).count();
    assert!(timed[small..].iter().all(|timed| !timed), "the large end is missing, and nothing else");
    assert!(small > 0 && run.series[0].points[small - 1].size >= 64, "{small} sizes");
    let said =
        run.cautions.iter().any(|caution| matches!(caution, Caution::NotTimed { needed: Some(_), .. }));
    assert!(said, "{:?}", run.cautions);
}
