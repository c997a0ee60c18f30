//! Events as the programs write them, made from messages of which every point is known.

use super::*;

/// Where the numbers of the two directions begin: one wraps within the messages.
const SENT_FROM: u32 = u32::MAX - 1_500;
const CAME_FROM: u32 = 77;

/// The packets of a message. Unit: bytes.
fn packets(size: u64) -> Vec<(u64, u32)> {
    let starts = (0..size).step_by(1_000);
    starts.map(|start| (start, (size - start).min(1_000) as u32)).collect()
}

/// An initiator's rounds of `count` messages of `size`, with all their events: round n begins at 10,000 n, and the
/// last packet passes each point at a time that the test knows.
fn rounds(count: usize, size: u64) -> (Vec<Marks>, Vec<Event>) {
    let mut events = Vec::new();
    let mut marks = Vec::new();
    for nth in 0..count {
        let begin = 1_000_000 + 10_000 * nth as u64;
        let first = (nth as u64 * size) as u32;
        let mut at = |ns: u64, kind: Kind, sequence: u32, length: u32| {
            events.push(Event { ns: begin + ns, sequence, length, kind });
        };
        let (sent, came) = (SENT_FROM.wrapping_add(first), CAME_FROM.wrapping_add(first));
        at(10, Kind::At(Point::Accepted), sent, 0);
        let last = packets(size).len() as u64 - 1;
        for (place, (start, length)) in packets(size).into_iter().enumerate() {
            // The last packet passes at the same time whatever the number of packets.
            let before = last - place as u64;
            let (sent, came) = (sent.wrapping_add(start as u32), came.wrapping_add(start as u32));
            at(100 - before, Kind::At(Point::Queued), sent, length);
            at(200 - before, Kind::At(Point::Driven), sent, length);
            at(1_000 - before, Kind::At(Point::Handed), came, length);
            at(1_100 - before, Kind::At(Point::Arrived), came, length);
            at(1_200 - before, Kind::At(Point::Segment), came, length);
            at(1_300 - before, Kind::At(Point::Ready), came.wrapping_add(length), 0);
        }
        at(250, Kind::Returned, sent.wrapping_add(size as u32), 0);
        at(1_400, Kind::At(Point::Woken), 0, 0);
        at(1_500, Kind::At(Point::Running), 0, 0);
        marks.push(Marks { sent: begin, taken: begin + 2_000, ..Marks::default() });
    }
    events.sort_by_key(|event| event.ns);
    (marks, events)
}

fn seen<'a>(events: &'a [Event], rounds: &'a [Marks], size: u64) -> Seen<'a> {
    Seen { events, rounds, role: Role::Initiator, size }
}

#[test]
fn a_message_is_where_its_last_byte_is() {
    for size in [1, 999, 1_000, 1_001, 7_500] {
        let (rounds, events) = rounds(4, size);
        for (round, marks) in rounds.iter().zip(seen(&events, &rounds, size).marks()) {
            let since = |at: Option<u64>| at.map(|at| at - round.sent);
            let sent = marks.sent;
            let told = [sent.accepted, sent.queued, sent.driven, sent.returned].map(since);
            assert_eq!(told, [10, 100, 200, 250].map(Some), "{size} B");
            let came = marks.came;
            let told =
                [came.handed, came.arrived, came.segment, came.ready, came.woken, came.running].map(since);
            assert_eq!(told, [1_000, 1_100, 1_200, 1_300, 1_400, 1_500].map(Some), "{size} B");
            assert!(!sent.retransmitted);
        }
    }
}

#[test]
fn a_lost_event_costs_its_point_and_no_other() {
    let (rounds, all) = rounds(5, 500);
    // The first events of all: what the numbers begin with must still be found.
    let lost = |event: &Event| {
        event.ns < rounds[1].sent
            && matches!(
                event.kind,
                Kind::At(Point::Accepted) | Kind::At(Point::Queued) | Kind::At(Point::Handed)
            )
    };
    let events: Vec<Event> = all.iter().copied().filter(|event| !lost(event)).collect();
    let seen = seen(&events, &rounds, 500);
    assert_eq!(seen.bases(), [Some(SENT_FROM), Some(CAME_FROM)]);
    let marks = seen.marks();
    let first = &marks[0];
    assert_eq!((first.sent.accepted, first.sent.queued, first.came.handed), (None, None, None));
    assert!(first.sent.driven.is_some() && first.came.arrived.is_some() && first.came.running.is_some());
    assert!(marks[1..].iter().all(|marks| marks.sent.accepted.is_some() && marks.came.handed.is_some()));
}

#[test]
fn a_reader_that_did_not_sleep_is_not_woken() {
    let (rounds, mut events) = rounds(2, 64);
    // Awake for other reasons, before the bytes were there.
    for event in &mut events {
        if matches!(event.kind, Kind::At(Point::Woken) | Kind::At(Point::Running)) {
            event.ns -= 1_000;
        }
    }
    events.sort_by_key(|event| event.ns);
    for marks in seen(&events, &rounds, 64).marks() {
        assert_eq!((marks.came.woken, marks.came.running), (None, None));
        assert!(marks.came.ready.is_some());
    }
}

#[test]
fn what_is_sent_again_is_noted_and_the_first_time_counts() {
    let (rounds, mut events) = rounds(3, 64);
    let again = rounds[1].sent + 500;
    let sequence = SENT_FROM.wrapping_add(64);
    events.push(Event { ns: again, sequence: 0, length: 0, kind: Kind::Retransmitted });
    events.push(Event { ns: again + 1, sequence, length: 64, kind: Kind::At(Point::Queued) });
    events.sort_by_key(|event| event.ns);
    let marks = seen(&events, &rounds, 64).marks();
    assert_eq!(marks.iter().map(|marks| marks.sent.retransmitted).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(marks[1].sent.queued, Some(rounds[1].sent + 100));
}

#[test]
fn the_responder_receives_first() {
    let (asked, events) = rounds(3, 64);
    // The same events, seen from the other end: what it took first it answers after.
    let flipped: Vec<Event> = events
        .iter()
        .map(|event| {
            let is_sent = matches!(
                event.kind,
                Kind::At(Point::Accepted)
                    | Kind::At(Point::Queued)
                    | Kind::At(Point::Driven)
                    | Kind::Returned
            );
            Event { ns: if is_sent { event.ns + 3_000 } else { event.ns }, ..*event }
        })
        .collect();
    let mut flipped = flipped;
    flipped.sort_by_key(|event| event.ns);
    let rounds: Vec<Marks> =
        asked.iter().map(|round| Marks { sent: round.taken + 900, taken: round.taken, ..*round }).collect();
    let seen = Seen { events: &flipped, rounds: &rounds, role: Role::Responder, size: 64 };
    for (round, marks) in asked.iter().zip(seen.marks()) {
        assert_eq!(marks.came.handed, Some(round.sent + 1_000));
        assert_eq!(marks.sent.queued, Some(round.sent + 3_100));
    }
}

#[test]
fn without_events_there_are_the_calls() {
    let (rounds, _) = rounds(2, 64);
    let marks = seen(&[], &rounds, 64).marks();
    assert_eq!(marks[1].sent, Sending { call: rounds[1].sent, ..Sending::default() });
    assert_eq!(marks[1].came, Receiving { taken: rounds[1].taken, ..Receiving::default() });
}

#[test]
fn packets_are_counted_from_the_messages_that_are_kept() {
    let (rounds, events) = rounds(4, 2_500);
    let packets = seen(&events, &rounds, 2_500).packets(1, rounds[1].sent);
    let sent: Vec<_> = packets
        .iter()
        .filter(|packet| packet.sent)
        .map(|packet| (packet.message, packet.offset_bytes, packet.length_bytes))
        .collect();
    let expected = |message: u32| {
        let from = u64::from(message) * 2_500;
        [(message, from, 1_000), (message, from + 1_000, 1_000), (message, from + 2_000, 500)]
    };
    assert_eq!(sent, [expected(0), expected(1), expected(2)].concat());
    let last =
        packets.iter().find(|packet| packet.sent && packet.offset_bytes == 2_000).expect("it was sent");
    assert_eq!((last.seen_ns, last.left_ns), (100, Some(200)));
    let came = packets.iter().filter(|packet| !packet.sent);
    assert!(came.clone().count() == 9 && came.clone().all(|packet| packet.left_ns.is_some()), "{packets:?}");
}
