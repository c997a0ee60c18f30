use super::*;
use crate::tcp::{ReducedFrom, Reduction, Rules};

const MSS: u32 = 1000;

fn rules(name: &str) -> CongestionRules {
    Rules::find(name).expect("it is shipped").congestion
}

fn progress(bytes: u64, pipe: u64, position: u64) -> Progress {
    let outstanding = pipe - bytes.min(pipe);
    let rtt = RoundTrip { smoothed: Span::from_ms(100), ..RoundTrip::default() };
    Progress { bytes, pipe, outstanding, position, next: position, now: Time::ZERO, rtt }
}

fn flight(outstanding: u64, next: u64) -> Flight {
    Flight { outstanding, next, selected: 0, pipe: outstanding, delivered: 0, total: 0, is_reduced: false }
}

fn congestion(rules: &CongestionRules) -> Congestion {
    Congestion::new(rules, rules.recovery, MSS)
}

/// Without what a modern kernel does in slow start and in recovery.
fn plain(rules: &CongestionRules) -> CongestionRules {
    CongestionRules {
        reduction: Reduction::AtOnce,
        reduced_from: ReducedFrom::Flight,
        hystart: false,
        ..rules.clone()
    }
}

/// Acknowledges a full window, segment by segment.
fn round(congestion: &mut Congestion, now: Time) {
    let window = congestion.window.bytes;
    for _ in 0..window / 1000 {
        let progress = Progress { now, ..progress(1000, congestion.window.bytes, u64::MAX) };
        congestion.acknowledged(&progress);
    }
}

#[test]
fn slow_start_doubles_and_avoidance_adds_a_segment_rfc_5681_3_1() {
    let rules = CongestionRules {
        algorithm: Algorithm::RENO,
        initial_threshold: Some(linerate_core::units::Size(16_000)),
        ..plain(&rules("linux-modern"))
    };
    let mut congestion = congestion(&CongestionRules { initial_window: 2, ..rules.clone() });
    let mut windows = Vec::new();
    for _ in 0..6 {
        windows.push(congestion.window.bytes / 1000);
        round(&mut congestion, Time::ZERO);
    }
    assert_eq!(windows, [2, 4, 8, 16, 17, 18]);
}

#[test]
fn a_window_that_does_not_limit_does_not_grow_rfc_7661() {
    let rules = rules("linux-modern");
    let mut congestion = congestion(&rules);
    congestion.acknowledged(&progress(1000, 2000, 1));
    assert_eq!(congestion.window.bytes, 10_000);
    congestion.acknowledged(&progress(1000, 10_000, 1));
    assert_eq!(congestion.window.bytes, 11_000);
}

#[test]
fn a_loss_halves_reno_and_leaves_cubic_seven_tenths() {
    for (algorithm, left) in [(Algorithm::RENO, 50_000), (Algorithm::CUBIC, 70_000)] {
        let rules = CongestionRules { algorithm, ..plain(&rules("linux-modern")) };
        let mut congestion = congestion(&rules);
        congestion.window.bytes = 100_000;
        congestion.recover(&flight(100_000, 100_001));
        assert_eq!((congestion.window.bytes, congestion.window.threshold), (left, left), "{algorithm:?}");
        congestion.window.bytes = 100_000;
        congestion.timeout(100_000, 100_001, false);
        assert_eq!((congestion.window.bytes, congestion.window.threshold), (1000, left), "{algorithm:?}");
    }
}

/// While the peer selects what comes after a gap, more and more is outstanding: the window says what the
/// path held.
#[test]
fn what_was_selected_is_not_in_flight_when_the_timer_runs_out() {
    for reduced_from in [ReducedFrom::Flight, ReducedFrom::Window] {
        let rules = CongestionRules { algorithm: Algorithm::RENO, reduced_from, ..rules("linux-modern") };
        let mut congestion = congestion(&rules);
        congestion.window.bytes = 34_000;
        congestion.timeout(1_200_000, 1_200_001, false);
        let threshold = congestion.window.threshold;
        assert!((17_000..=18_500).contains(&threshold), "{reduced_from:?}: {threshold}");
    }
}

#[test]
fn the_losses_of_one_flight_reduce_the_window_once() {
    let rules = CongestionRules { algorithm: Algorithm::RENO, ..rules("linux-modern") };
    let mut congestion = congestion(&rules);
    congestion.window.bytes = 40_000;
    congestion.recover(&flight(40_000, 40_001));
    congestion.timeout(60_000, 60_001, false);
    assert_eq!((congestion.window.bytes, congestion.window.threshold), (1000, 20_000));
}

#[test]
fn new_reno_inflates_deflates_and_leaves_rfc_6582_3_2() {
    let rules = CongestionRules { recovery: Recovery::NewReno, ..rules("linux-2.0.35") };
    let mut congestion = congestion(&rules);
    congestion.window.bytes = 10_000;
    assert!(congestion.window.may_recover(1));
    congestion.recover(&flight(10_000, 10_001));
    assert_eq!(congestion.window.bytes, 8000);
    congestion.window.inflate();
    assert_eq!(congestion.window.bytes, 9000);
    assert!(congestion.acknowledged(&progress(3000, 9000, 3001)));
    assert_eq!((congestion.window.bytes, congestion.window.phase()), (7000, Phase::Recovery));
    assert!(!congestion.acknowledged(&progress(7000, 7000, 10_001)));
    assert_eq!((congestion.window.bytes, congestion.window.phase()), (2000, Phase::Open));
    assert!(!congestion.window.may_recover(10_001));
    assert!(congestion.window.may_recover(10_002));
}

#[test]
fn cubic_is_flat_where_the_loss_was_and_takes_k_seconds_to_it_rfc_9438_4_2() {
    let rules = plain(&rules("linux-modern"));
    let mut congestion = congestion(&rules);
    congestion.window.bytes = 1_000_000;
    congestion.recover(&flight(1_000_000, 1));
    congestion.acknowledged(&progress(1000, 1000, 1));
    assert_eq!(congestion.window.bytes, 700_000);
    // K = cbrt(1000 * 0.3 / 0.4) = 9.086 s.
    let mut now = Time::ZERO;
    let mut at_k = 0;
    for step in 0..120 {
        round(&mut congestion, now);
        now = now + Span::from_ms(100);
        if step == 91 {
            at_k = congestion.window.bytes;
        }
    }
    assert!((990_000..=1_001_000).contains(&at_k), "{at_k}");
    assert!(congestion.window.bytes > 1_005_000, "{}", congestion.window.bytes);
}
