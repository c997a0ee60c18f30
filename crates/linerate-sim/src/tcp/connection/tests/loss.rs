//! What a connection does when segments are lost.

use super::*;

/// The first end's data segments of a transfer of which some are lost: number, time, and whether it
/// repeats something; and how often its timer ran out.
fn lossy(settings: &Settings, drop: &[u64]) -> (Vec<(u64, Time, bool)>, u64) {
    let mut pair = Pair::open(settings, MS * 50);
    // Opens the window.
    pair.transfer(4_000_000);
    let begin =
        pair.log.iter().filter(|(_, index, segment)| *index == 0 && segment.length > 0).count() as u64;
    pair.drop = drop.iter().map(|number| begin + number).collect();
    let from = pair.log.len();
    pair.transfer(2_000_000);
    let mut highest = 0;
    let data = pair.log[from..].iter().filter(|(_, index, segment)| *index == 0 && segment.length > 0);
    let sent = data.zip(0..).map(|((when, _, segment), number)| {
        let repeats = segment.end() <= highest;
        highest = highest.max(segment.end());
        (number, *when, repeats)
    });
    (sent.collect(), pair.ends[0].counters().timeouts)
}

/// The times of the segments that repeat something, in round trips since the first of those, and how
/// often the timer ran out.
fn repeats(settings: &Settings, drop: &[u64]) -> (Vec<u64>, u64) {
    let (sent, timeouts) = lossy(settings, drop);
    let times: Vec<Time> = sent.iter().filter(|(_, _, repeats)| *repeats).map(|(_, when, _)| *when).collect();
    let begin = times.first().copied().unwrap_or(Time::ZERO);
    let trips = times.iter().map(|when| when.since(begin).as_ps() / (MS * 100).as_ps()).collect();
    (trips, timeouts)
}

fn reno(name: &str, recovery: Recovery, sack: bool) -> Settings {
    let mut settings = settings(name, 1500);
    settings.rules.congestion.algorithm = Algorithm::RENO;
    settings.rules.congestion.recovery = recovery;
    settings.rules.congestion.restarts_after_idle = false;
    settings.rules.options.sack = sack;
    settings
}

#[test]
fn sack_repairs_three_losses_of_a_window_in_one_round_trip_rfc_6675() {
    let (trips, timeouts) = repeats(&reno("linux-modern", Recovery::Sack, true), &[20, 25, 30]);
    assert_eq!((trips, timeouts), (vec![0, 0, 0], 0));
}

#[test]
fn new_reno_repairs_one_loss_a_round_trip_rfc_6582() {
    let (trips, timeouts) = repeats(&reno("linux-modern", Recovery::NewReno, false), &[20, 25, 30]);
    assert_eq!((trips, timeouts), (vec![0, 1, 2], 0));
}

#[test]
fn reno_without_sack_does_not_repair_three_losses_in_one_round_trip_rfc_5681() {
    let (trips, _) = repeats(&reno("linux-modern", Recovery::Reno, false), &[20, 25, 30]);
    assert!(trips.last().is_some_and(|&last| last >= 2), "{trips:?}");
}

#[test]
fn after_a_timeout_reno_goes_back_and_sack_sends_the_holes() {
    // Of seven segments only three arrive, the last but two last: too little to tell of a loss.
    for sack in [false, true] {
        let mut settings = settings("linux-modern", 1500);
        settings.rules.options.sack = sack;
        settings.rules.congestion.detection = Detection::Duplicates;
        let mut pair = Pair::open(&settings, MS * 50);
        pair.drop = [2, 3, 5, 6].into();
        pair.to_write[0] = 1448 * 7;
        pair.run(|pair| pair.ends[0].in_flight() == 0 && pair.to_write[0] == 0);
        assert_eq!(pair.ends[0].counters().timeouts, 1);
        let sent = pair.ends[0].counters().retransmitted;
        let twice = pair.ends[1].counters().duplicate_bytes;
        // One of them had arrived; without SACK its sender cannot know.
        assert_eq!((sent, twice), if sack { (4, 0) } else { (5, 1448) }, "SACK {sack}");
    }
}

/// Of seven segments the last two are lost, and nothing follows them.
#[test]
fn a_lost_tail_is_probed_after_two_round_trips_rfc_8985_7() {
    let mut settings = settings("linux-modern", 1500);
    for (detection, timeouts) in [(Detection::Duplicates, 1), (Detection::Rack, 0)] {
        settings.rules.congestion.detection = detection;
        let mut pair = Pair::open(&settings, MS * 50);
        let begin = pair.now;
        pair.drop = [5, 6].into();
        pair.to_write[0] = 1448 * 7;
        pair.run(|pair| pair.ends[0].in_flight() == 0 && pair.to_write[0] == 0);
        let counters = *pair.ends[0].counters();
        assert_eq!((counters.timeouts, counters.retransmitted), (timeouts, 2), "{detection:?}");
        let took = pair.now.since(begin);
        // The last acknowledgement after one round trip, the probe two later, its answer tells of the other loss.
        let bound = if detection == Detection::Rack { MS * 520 } else { MS * 1000 };
        assert!(took < bound, "{detection:?}: {took}");
        // It was a loss, and the window says so.
        assert_eq!(counters.fast_retransmits, u64::from(detection == Detection::Rack));
    }
}

/// A needless probe changes nothing: what answers the last segments was only late.
#[test]
fn a_probe_of_what_arrived_does_not_reduce_the_window_rfc_8985_7_4() {
    let settings = settings("linux-modern", 1500);
    let mut pair = Pair::open(&settings, MS * 10);
    pair.transfer(10 * 1448);
    let window = pair.ends[0].congestion_window();
    let first = pair.log.len() as u64;
    // Two segments, and two acknowledgements that come after the probe's.
    for late in [2, 3] {
        pair.ill.insert(first + late, Ill::Late(MS * 50));
    }
    pair.transfer(2 * 1448);
    pair.run(|pair| pair.ends[0].in_flight() == 0);
    assert_eq!(pair.ends[0].counters().retransmitted, 1, "it was probed");
    pair.transfer(20 * 1448);
    pair.run(|pair| pair.ends[0].in_flight() == 0);
    let counters = pair.ends[0].counters();
    assert_eq!((counters.timeouts, counters.fast_retransmits), (0, 0));
    assert!(pair.ends[0].congestion_window() >= window);
}

/// A segment is lost, and its repeat too. By duplicates alone only the timer finds that.
#[test]
fn a_repeat_that_is_lost_is_found_by_what_was_sent_after_it_rfc_8985_6() {
    let mut settings = reno("linux-modern", Recovery::Sack, true);
    // A window that is less than the transfer, so that something is sent after the repeat.
    settings.rules.congestion.initial_threshold = Some(Size(64 * 1448));
    for (detection, timeouts) in [(Detection::Duplicates, 1), (Detection::Rack, 0)] {
        settings.rules.congestion.detection = detection;
        let (sent, _) = lossy(&settings, &[30]);
        let (repeat, _, _) = sent.into_iter().find(|(_, _, repeats)| *repeats).expect("it is repaired");
        let (trips, found) = repeats(&settings, &[30, repeat]);
        assert_eq!(found, timeouts, "{detection:?}: {trips:?}");
        // What was sent after the repeat tells of it a round trip later.
        assert!(trips[1] == 1 || detection == Detection::Duplicates, "{trips:?}");
    }
}
