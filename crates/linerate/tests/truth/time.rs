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
    let (desk, Some(lab)) = (Desk::new(), Lab::new(Some(Limit { mbps: 10, burst: "256kb" }))) else { return };
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
    let points = &run.series[0].points;
    let timed = points.iter().take_while(|point| !point.rounds.is_empty()).count();
    assert!(points[timed..].iter().all(|point| point.rounds.is_empty()), "the large end is missing");
    assert!(points[timed - 1].size >= 1_500, "{} B", points[timed - 1].size);
    let said =
        run.cautions.iter().any(|caution| matches!(caution, Caution::NotTimed { needed: Some(_), .. }));
    assert!(said, "{:?}", run.cautions);
}
