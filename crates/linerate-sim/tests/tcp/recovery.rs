//! Losses of one window: what each way of recovery needs to repair them.

use linerate_core::units::{Span, Time};
use linerate_sim::tcp::{Segment, Settings};

use super::path::Way;
use super::settings::{self, Recovery};
use super::task::{Step, reader, writer};
use super::trace::What;
use super::world::{CLIENT, SERVER, World};

const DELAY: Span = Span::from_ms(20);
const RATE: u64 = 1_000_000_000;
const BYTES: u64 = 600_000;

/// When data segments were sent again, with what they were.
fn repeats(world: &World) -> Vec<(Time, Segment)> {
    let mut reached = 0;
    let mut repeats = Vec::new();
    for row in world.trace.as_ref().expect("it is traced") {
        if let What::Sent { segment, .. } = &row.what
            && row.end == CLIENT
            && segment.length > 0
        {
            if segment.sequence < reached {
                repeats.push((row.at, *segment));
            }
            reached = reached.max(segment.end());
        }
    }
    repeats
}

fn transfer(settings: &Settings, drop: &[u64]) -> World {
    let ways = [Way::new(RATE, DELAY).drop(drop), Way::new(RATE, DELAY)];
    let mut world = World::pair([settings, settings], ways);
    world.traced().task(CLIENT, writer(1, BYTES)).task(SERVER, reader(BYTES));
    world.run(Span::from_ms(60_000));
    world
}

/// 40 ms of round trip and what a segment takes of the wire.
fn round_trip() -> Span {
    Span::from_ps(2 * DELAY.as_ps()) + Span::from_us(15)
}

const THREE: [u64; 3] = [60, 64, 68];

/// RFC 6675: each hole that SACK shows is filled while the acknowledgements of the same window come.
#[test]
fn sack_repairs_three_losses_of_a_window_within_one_round_trip() {
    let world = transfer(&settings::textbook(Recovery::Sack), &THREE);
    let repeats = repeats(&world);
    assert_eq!(repeats.len(), 3, "each once: {repeats:?}");
    let took = repeats[2].0.since(repeats[0].0);
    assert!(took < round_trip(), "{took}");
    assert_eq!(world.client().counters().timeouts, 0);
    assert_eq!(world.server().counters().duplicate_bytes, 0, "nothing arrived twice");
}

/// RFC 6582, 3.2: a partial acknowledgement tells of one hole, a round trip after the one before.
#[test]
fn new_reno_repairs_one_loss_a_round_trip() {
    let world = transfer(&settings::textbook(Recovery::NewReno), &THREE);
    let repeats = repeats(&world);
    let holes: Vec<_> = THREE.iter().map(|number| 1 + (number - 1) * 1460).collect();
    let of_holes: Vec<_> = repeats.iter().filter(|(_, segment)| holes.contains(&segment.sequence)).collect();
    assert!(of_holes.len() >= 3, "{repeats:?}");
    for pair in of_holes[..3].windows(2) {
        let took = pair[1].0.since(pair[0].0);
        assert!(took >= Span::from_ps(2 * DELAY.as_ps()) && took < Span::from_ms(42), "{took}: {repeats:?}");
    }
    assert_eq!(world.client().counters().timeouts, 0);
}

/// RFC 5681, 3.2: the first new acknowledgement ends fast recovery, so that of three losses at least one
/// waits for other duplicates or for the timer.
#[test]
fn reno_needs_more_than_a_round_trip_for_three_losses() {
    let world = transfer(&settings::textbook(Recovery::Reno), &THREE);
    let repeats = repeats(&world);
    let third = 1 + (THREE[2] - 1) * 1460;
    let (at, _) = repeats.iter().find(|(_, segment)| segment.sequence == third).expect("it is repaired");
    let took = at.since(repeats[0].0);
    assert!(took >= Span::from_ps(4 * DELAY.as_ps()), "{took}: {repeats:?}");
}

/// RFC 5681, 3.2: the third duplicate, not the second, repeats what is missing, a round trip after it
/// was lost and long before the timer; half the window is left.
#[test]
fn one_loss_is_repaired_at_the_third_duplicate() {
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        let world = transfer(&settings::textbook(recovery), &[60]);
        let repeats = repeats(&world);
        assert_eq!(repeats.len(), 1, "{recovery:?}: {repeats:?}");
        assert_eq!(repeats[0].1.sequence, 1 + 59 * 1460);
        let counters = world.client().counters();
        assert_eq!((counters.fast_retransmits, counters.timeouts, counters.retransmitted), (1, 0, 1));
        assert_eq!(duplicates_before(&world, repeats[0].0), 3, "{recovery:?}");
    }
}

/// How many duplicate acknowledgements had reached the client by `at`.
fn duplicates_before(world: &World, at: Time) -> usize {
    let trace = world.trace.as_ref().expect("it is traced");
    let acknowledged = trace.iter().filter_map(|row| match &row.what {
        What::Sent { segment, fate, .. } if row.end == SERVER && segment.is_bare() => {
            fate.arrivals().next().filter(|arrival| *arrival <= at).map(|_| segment.acknowledgement)
        }
        _ => None,
    });
    let all: Vec<u64> = acknowledged.collect();
    all.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

/// RFC 6298, 5: what no duplicate tells of waits for the timer; each time it runs out without success it is
/// doubled.
#[test]
fn the_timer_doubles_until_the_last_segment_is_repaired() {
    let segments = BYTES.div_ceil(1460);
    // The last one, and the first two times that it is repeated.
    let world = transfer(&settings::textbook(Recovery::Reno), &[segments, segments + 1, segments + 2]);
    let repeats = repeats(&world);
    let times: Vec<Time> = repeats.iter().map(|(at, _)| *at).collect();
    assert_eq!(times.len(), 3, "{repeats:?}");
    let [first, second] = [times[1].since(times[0]), times[2].since(times[1])];
    assert_eq!(second.as_ps(), 2 * first.as_ps(), "{first} then {second}");
    assert_eq!(world.client().counters().timeouts, 3);
}

/// RFC 6298, 3 (Karn): an acknowledgement of what was sent twice may be of the first time, late, and so
/// gives no round-trip time.
#[test]
fn what_was_repeated_gives_no_round_trip_time() {
    let mut world = World::even(&settings::textbook(Recovery::Reno), &Way::new(RATE, DELAY));
    world.traced().task(CLIENT, vec![Step::Write(1460)]).task(SERVER, vec![Step::Read(1460)]);
    world.run_while(Span::from_ms(1_000), |_| true);
    let sent = world.trace.as_ref().expect("it is traced").iter().filter(|row| row.end == SERVER);
    let mut bare = sent.filter_map(|row| match &row.what {
        What::Sent { segment, .. } if segment.is_bare() => Some(*segment),
        _ => None,
    });
    let acknowledgement = bare.next_back().expect("the server acknowledged");
    let mut client = world.ends.swap_remove(CLIENT).connection;
    let before = client.smoothed_rtt();
    assert!(before.is_some(), "there were samples");

    client.write(1460, false, world.now);
    assert!(client.next_segment(world.now).is_some_and(|segment| segment.length == 1460));
    let timeout = client.next_timer().expect("it waits for an acknowledgement");
    client.expire(timeout);
    assert!(client.next_segment(timeout).is_some_and(|segment| segment.sequence == 1461));
    let late = Segment { acknowledgement: 2921, ..acknowledgement };
    client.arrived(&late, 0, timeout + Span::from_us(100));
    assert_eq!((client.in_flight(), client.smoothed_rtt()), (0, before));
}

/// RFC 5681, 3.1: after the timer has run out the window is one segment, whatever it was.
#[test]
fn after_a_timeout_the_window_is_one_segment() {
    // A whole window is lost, but for the first few of it.
    let lost: Vec<u64> = (60..=400).collect();
    let settings = settings::textbook(Recovery::Reno);
    let ways = [Way::new(RATE, DELAY).drop(&lost), Way::new(RATE, DELAY)];
    let mut world = World::pair([&settings, &settings], ways);
    world.task(CLIENT, writer(1, BYTES)).task(SERVER, reader(BYTES));
    world.run_while(Span::from_ms(60_000), |world| world.client().counters().timeouts == 0);
    assert_eq!(world.client().congestion_window(), 1460);
}
