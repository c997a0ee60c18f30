//! The points of messages and what is computed from them.

use proptest::prelude::*;

use super::*;
use crate::stages::{Clocks, Marks};

/// A message that was not held up, with these points.
fn message(points: &[(Point, i64)], taken_ns: i64) -> Message {
    let at = |wanted: Point| points.iter().find(|(point, _)| *point == wanted).map(|(_, ns)| *ns);
    Message {
        accepted_ns: at(Point::Accepted),
        queued_ns: at(Point::Queued),
        driven_ns: at(Point::Driven),
        handed_ns: at(Point::Handed),
        arrived_ns: at(Point::Arrived),
        segment_ns: at(Point::Segment),
        ready_ns: at(Point::Ready),
        woken_ns: at(Point::Woken),
        running_ns: at(Point::Running),
        taken_ns,
        ..Message::default()
    }
}

#[test]
fn a_stage_that_one_message_lacks_goes_to_the_stage_after_it() {
    let woken = message(&[(Point::Ready, 100), (Point::Woken, 150), (Point::Running, 400)], 500);
    let awake = message(&[(Point::Ready, 100)], 200);
    let all = [woken, awake];
    let points = common_points(&all);
    assert_eq!(points, [Point::Call, Point::Ready, Point::Woken, Point::Running, Point::Taken]);
    let stages = stages(&all, &points);
    let told: Vec<_> =
        stages.iter().map(|stage| (stage.from, stage.to, stage.messages, stage.max_ns)).collect();
    let expected = [
        (Point::Call, Point::Ready, 2, 100),
        (Point::Ready, Point::Woken, 1, 50),
        (Point::Woken, Point::Running, 1, 250),
        // 100 of each: from running in the one, from ready in the other.
        (Point::Running, Point::Taken, 2, 100),
    ];
    assert_eq!(told, expected);
    let shares: Vec<f64> = stages.iter().map(|stage| stage.share * 700.0).collect();
    for (share, expected) in shares.iter().zip([200.0, 50.0, 250.0, 200.0]) {
        assert!((share - expected).abs() < 1e-9, "{shares:?}");
    }
}

#[test]
fn points_that_few_messages_have_are_not_those_of_the_size() {
    let full = message(&[(Point::Queued, 10), (Point::Arrived, 30)], 50);
    let poor = message(&[(Point::Arrived, 30)], 50);
    let all = [full.clone(), poor.clone(), poor.clone()];
    assert_eq!(common_points(&all), [Point::Call, Point::Arrived, Point::Taken]);
    // And a message that lacks one of those that most have counts in no stage.
    let all = [full.clone(), full, poor];
    let points = common_points(&all);
    assert!(points.contains(&Point::Queued), "{points:?}");
    assert!(stages(&all, &points).iter().all(|stage| stage.messages == 2));
}

#[test]
fn shares_are_those_of_the_messages_in_the_middle() {
    let usual = message(&[(Point::Ready, 60)], 100);
    let held_up = message(&[(Point::Ready, 1_000_060)], 1_000_100);
    let mut all = vec![usual; 19];
    all.push(held_up);
    let stages = stages(&all, &[Point::Call, Point::Ready, Point::Taken]);
    assert_eq!(stages.iter().map(|stage| stage.max_ns).collect::<Vec<_>>(), [1_000_060, 40]);
    assert!((stages[0].share - 0.6).abs() < 1e-9 && (stages[1].share - 0.4).abs() < 1e-9, "{stages:?}");
    assert_eq!(middle(&all.iter().take(1).collect::<Vec<_>>()).len(), 1);
}

#[test]
fn a_stage_is_called_by_all_that_happens_in_it() {
    let named = |from: Point, to: Point| {
        let at = |point: Point| (point, 10 * (point as i64));
        let stages = stages(&[message(&[at(from), at(to)], 1_000)], &[Point::Call, from, to, Point::Taken]);
        stages.iter().find(|stage| stage.to == to && stage.from == from).map(Stage::work)
    };
    assert_eq!(named(Point::Queued, Point::Driven).as_deref(), Some("queueing discipline"));
    assert_eq!(named(Point::Driven, Point::Ready).as_deref(), Some("driver, wire, interrupt to TCP"));
    let last = stages(&[message(&[(Point::Ready, 5)], 9)], &[Point::Call, Point::Ready, Point::Taken]);
    assert_eq!(last.last().map(Stage::work).as_deref(), Some("wake-up, copy and return"));
}

#[test]
fn percentiles_are_times_that_were_measured() {
    let times: Vec<i64> = (1..=100).collect();
    assert_eq!([0.5, 0.9, 0.99, 1.0].map(|share| rank(&times, share)), [50, 90, 99, 100].map(Some));
    assert_eq!(rank(&[7], 0.5), Some(7));
    assert_eq!(rank(&[], 0.5), None);
}

/// Both ends' marks of one round over clocks of which the responder's is `ahead` of the initiator's.
fn round(begin: u64, ahead: u64) -> [EndMarks; 2] {
    let at = |ns: u64| begin + ns;
    let there = |ns: u64| begin + ahead + ns;
    let ours = EndMarks {
        sent: Sending {
            call: at(0),
            queued: Some(at(10)),
            driven: Some(at(12)),
            returned: Some(at(15)),
            ..Sending::default()
        },
        came: Receiving {
            handed: Some(at(60)),
            arrived: Some(at(62)),
            ready: Some(at(65)),
            taken: at(70),
            ..Receiving::default()
        },
    };
    let theirs = EndMarks {
        sent: Sending {
            call: there(45),
            queued: Some(there(48)),
            driven: Some(there(50)),
            ..Sending::default()
        },
        came: Receiving {
            handed: Some(there(22)),
            arrived: Some(there(25)),
            ready: Some(there(30)),
            taken: there(40),
            ..Receiving::default()
        },
    };
    [ours, theirs]
}

#[test]
fn a_message_is_timed_by_both_clocks_and_their_distance() {
    for ahead in [0, 1_000_000] {
        let [ours, theirs] = round(5_000, ahead);
        let clocks = Clocks::of(false, &[ours.innermost()], &[theirs.innermost()]);
        // Ours left at 12 and came at 60, theirs came at 22 and left at 50: both ways take 10.
        let offset_ns = i64::try_from(ahead).expect("it is small");
        assert_eq!(clocks, Clocks::Two { offset_ns, uncertainty_ns: 10 });
        let traced = TracedSize::of(64, 1, clocks, [&[ours], &[theirs]]);
        let there = &traced.messages(Way::There)[0];
        assert_eq!((there.call_ns, there.queued_ns, there.returned_ns), (0, Some(10), Some(15)));
        assert_eq!((there.handed_ns, there.taken_ns), (Some(22), 40));
        let back = &traced.messages(Way::Back)[0];
        assert_eq!((back.call_ns, back.queued_ns), (45, Some(3)));
        assert_eq!((back.handed_ns, back.ready_ns, back.taken_ns), (Some(15), Some(20), 25));
    }
}

#[test]
fn timestamps_give_the_points_that_they_have() {
    let marks = Marks { sent: 1, queued: Some(2), driven: None, acked: Some(9), arrived: Some(5), taken: 7 };
    let told = EndMarks::from(marks);
    assert_eq!(told.innermost(), Marks { acked: None, ..marks });
    assert_eq!((told.sent.accepted, told.came.ready), (None, None));
}

#[test]
fn the_overhead_is_that_of_turns_and_not_of_single_round_trips() {
    let turn = |untraced: &[u64], traced: &[u64]| RoundTrips {
        untraced_ns: untraced.to_vec(),
        traced_ns: traced.to_vec(),
    };
    let turns = [
        turn(&[100, 100, 9_000], &[110, 110, 110]),
        turn(&[200], &[260]),
        turn(&[50], &[55]),
        turn(&[], &[1]),
    ];
    let overhead = Overhead::of(&turns).expect("three turns have both");
    assert_eq!(overhead.turns, 3);
    assert!((overhead.median - 0.1).abs() < 1e-9 && (overhead.range[1] - 0.3).abs() < 1e-9, "{overhead:?}");
    assert_eq!(Overhead::of(&turns[3..]), None);
}

proptest! {
    /// Whatever points messages have, nothing of their time is lost between the stages.
    #[test]
    fn the_stages_add_up_to_the_whole(
        waits in proptest::collection::vec(proptest::array::uniform10(0_i64..10_000), 1..20),
        told in proptest::array::uniform10(any::<bool>()),
    ) {
        let messages: Vec<Message> = waits.iter().map(|waits| {
            let mut now = 0;
            let mut points = Vec::new();
            for ((point, wait), told) in Point::ALL.into_iter().skip(1).zip(waits).zip(told) {
                now += wait;
                if told {
                    points.push((point, now));
                }
            }
            message(&points, now)
        }).collect();
        let stages = stages(&messages, &common_points(&messages));
        let whole: i64 = messages.iter().map(|message| message.taken_ns).sum();
        let share: f64 = stages.iter().map(|stage| stage.share).sum();
        prop_assert!(whole == 0 || (share - 1.0).abs() < 1e-9, "{share}: {stages:?}");
        for stage in &stages {
            prop_assert!(stage.median_ns <= stage.p90_ns && stage.p90_ns <= stage.p99_ns && stage.p99_ns <= stage.max_ns);
        }
    }
}
