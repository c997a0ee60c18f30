//! Frames in virtual time.

mod random;

use proptest::prelude::*;

use super::*;
use crate::lab::{Bucket, Impairment};
use crate::units::{Rate, Size};

const FRAME: u32 = 1514;

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

fn ruled(impairment: Impairment) -> Direction {
    Direction { bucket: None, impairment }
}

/// What becomes of `frames` full frames, one every 10 us.
fn fates(direction: Direction, seed: u32, number: u32, frames: u64) -> (Vec<Fate>, Counts) {
    let mut emulator = Emulator::new(direction, seed, number);
    let fates = (0..frames).map(|frame| emulator.arrive(us(10 * frame), FRAME)).collect();
    (fates, emulator.counts())
}

/// Whether `count` of `frames` is within five standard deviations of `share`.
fn is_share(count: u64, frames: u64, share: f64) -> bool {
    let mean = frames as f64 * share;
    (count as f64 - mean).abs() <= 5.0 * (mean * (1.0 - share)).sqrt() + 1.0
}

#[test]
fn without_rules_every_frame_leaves_when_it_comes() {
    let (fates, counts) = fates(Direction::default(), 1, 0, 100);
    for (frame, fate) in (0..).zip(fates) {
        assert_eq!(fate, [Some(Departure { at: us(10 * frame), wrong_bit: None, ecn: None }), None]);
    }
    assert_eq!(counts, Counts { arrived: 100, passed: 100, ..Counts::default() });
}

#[test]
fn a_delay_is_exact() {
    let delay = Span::from_ms(1000);
    let (fates, _) = fates(ruled(Impairment { delay, ..Impairment::default() }), 1, 0, 100);
    for (frame, fate) in (0..).zip(fates) {
        assert_eq!(fate[0].expect("it passes").at, us(10 * frame) + delay);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn shares_are_kept(
        seed in any::<u32>(),
        loss in 0.0..0.5,
        duplicate in 0.0..0.5,
        corrupt in 0.0..1.0,
        reorder in 0.0..1.0,
    ) {
        let rules = Impairment { loss, duplicate, corrupt, reorder, ..Impairment::default() };
        let (fates, counts) = fates(ruled(rules), seed, 0, 20_000);
        prop_assert_eq!(counts.arrived, 20_000);
        prop_assert!(is_share(counts.duplicated, 20_000, duplicate));
        let copies = 20_000 + counts.duplicated;
        prop_assert!(is_share(counts.dropped_by_rule, copies, loss));
        prop_assert_eq!(counts.passed + counts.dropped_by_rule, copies);
        prop_assert!(is_share(counts.corrupted, counts.passed, corrupt));
        prop_assert!(is_share(counts.reordered, counts.passed, reorder));
        let departures: Vec<Departure> = fates.into_iter().flatten().flatten().collect();
        prop_assert_eq!(departures.len() as u64, counts.passed);
        let wrong: Vec<u32> = departures.iter().filter_map(|departure| departure.wrong_bit).collect();
        prop_assert_eq!(wrong.len() as u64, counts.corrupted);
        prop_assert!(wrong.iter().all(|bit| (14 * 8..FRAME * 8).contains(bit)));
    }

    #[test]
    fn bursts_are_as_long_as_asked_and_lose_as_much(seed in any::<u32>(), burst in 1.0..20.0, loss in 0.01..0.4) {
        let rules = Impairment { loss, loss_burst: Some(burst), ..Impairment::default() };
        let (fates, counts) = fates(ruled(rules), seed, 0, 200_000);
        let lost: Vec<bool> = fates.iter().map(|fate| fate[0].is_none()).collect();
        let bursts = lost.chunk_by(|one, other| one == other).filter(|run| run[0]).count() as f64;
        let mean = counts.dropped_by_rule as f64 / bursts;
        // Lengths are geometric: their deviation is at most their mean.
        prop_assert!((mean - burst).abs() <= 6.0 * burst / bursts.sqrt(), "{mean} for {burst}");
        // A burst counts for many frames that are not lost for themselves.
        let deviation = (200_000.0 * loss * 2.0 * burst).sqrt();
        let off = counts.dropped_by_rule as f64 - 200_000.0 * loss;
        prop_assert!(off.abs() <= 6.0 * deviation, "{off} of {deviation}");
    }

    /// In every window, not only from the begin on.
    #[test]
    fn no_more_leaves_than_the_bucket_gives(
        mbps in 1.0..1000.0,
        burst in prop_oneof![Just(0_u64), 1514_u64..100_000],
        queue in 1514_u64..100_000,
        gaps in prop::collection::vec((0_u64..300, 60_u32..=FRAME), 1..300),
    ) {
        let rate = Rate::from_mbps(mbps);
        let bucket = Bucket { rate, burst: Size(burst), queue: Size(queue) };
        let direction = Direction { bucket: Some(bucket), ..Direction::default() };
        let mut emulator = Emulator::new(direction, 1, 0);
        let (mut now, mut left) = (Time::ZERO, Vec::new());
        for (gap, bytes) in gaps {
            now = now + Span::from_us(gap);
            if let [Some(departure), None] = emulator.arrive(now, bytes) {
                prop_assert!(departure.at >= now);
                // What waits before it is at most the queue, and itself.
                let wait = departure.at.since(now).as_seconds();
                let most = (queue + u64::from(FRAME)) as f64 * 8.0 / rate.bits_per_second();
                prop_assert!(wait <= most + 1e-9, "{wait} of {most}");
                left.push((departure.at, bytes));
            }
        }
        for (first, (from, _)) in left.iter().enumerate() {
            let mut bytes = 0.0;
            for (at, frame) in &left[first..] {
                prop_assert!(at >= from, "the order is kept");
                bytes += f64::from(*frame);
                let given = burst.max(u64::from(left[first].1)) as f64
                    + rate.bits_per_second() / 8.0 * at.since(*from).as_seconds();
                prop_assert!(bytes <= given + 0.01, "{bytes} of {given}");
            }
        }
    }

    #[test]
    fn jitter_keeps_its_bounds_and_the_order(seed in any::<u32>(), delay_us in 0_u64..1000, jitter_us in 1_u64..1000) {
        let (delay, jitter) = (Span::from_us(delay_us), Span::from_us(jitter_us));
        let rules = Impairment { delay, jitter, ..Impairment::default() };
        let (fates, _) = fates(ruled(rules), seed, 0, 1000);
        let mut last = Time::ZERO;
        for (frame, fate) in (0..).zip(fates) {
            let at = fate[0].expect("it passes").at;
            let took = at.since(us(10 * frame));
            prop_assert!(took >= delay && took <= delay + jitter && at >= last);
            last = at;
        }
    }

    #[test]
    fn equal_seeds_give_equal_fates_and_other_directions_others(seed in any::<u32>()) {
        let rules = Impairment {
            jitter: Span::from_us(50), loss: 0.1, reorder: 0.1, reorder_by: Span::from_us(40),
            duplicate: 0.1, corrupt: 0.1, ..Impairment::default()
        };
        let first = fates(ruled(rules), seed, 0, 500);
        prop_assert_eq!(&first, &fates(ruled(rules), seed, 0, 500));
        prop_assert_ne!(&first, &fates(ruled(rules), seed, 1, 500));
        prop_assert_ne!(&first, &fates(ruled(rules), seed.wrapping_add(1), 0, 500));
        // The same frames are lost, whatever else happens.
        let alone = Impairment { loss: 0.1, ..Impairment::default() };
        let once = Impairment { duplicate: 0.0, ..rules };
        let lost = |rules| fates(ruled(rules), seed, 0, 500).0.iter().map(|fate| fate[0].is_none()).collect::<Vec<_>>();
        prop_assert_eq!(lost(alone), lost(once));
    }
}

/// Far apart, no frame waits for the one before it.
#[test]
fn jitter_is_uniform() {
    let jitter = Span::from_us(100);
    let mut emulator = Emulator::new(ruled(Impairment { jitter, ..Impairment::default() }), 1, 0);
    let (mut quarters, mut together) = ([0_u64; 4], Span::ZERO);
    for frame in 0..20_000 {
        let at = emulator.arrive(us(1000 * frame), FRAME)[0].expect("it passes").at;
        together += at.since(us(1000 * frame));
        quarters[(at.since(us(1000 * frame)).as_us() / 25.0).min(3.0) as usize] += 1;
    }
    assert!(quarters.iter().all(|quarter| is_share(*quarter, 20_000, 0.25)), "{quarters:?}");
    assert_eq!(emulator.counts().jitter, together);
}

#[test]
fn a_full_queue_drops_what_does_not_fit() {
    // A frame of 1500 B takes 12 ms; the queue has room for three.
    let bucket = Bucket { rate: Rate::from_mbps(1.0), burst: Size(0), queue: Size(4500) };
    let direction = Direction { bucket: Some(bucket), ..Direction::default() };
    let mut emulator = Emulator::new(direction, 1, 0);
    let mut leaves = |at| emulator.arrive(us(at), 1500)[0].map(|departure| departure.at);
    assert_eq!([leaves(0), leaves(0), leaves(0)], [Some(us(12_000)), Some(us(24_000)), Some(us(36_000))]);
    assert_eq!([leaves(0), leaves(11_999)], [None, None]);
    assert_eq!(leaves(12_000), Some(us(48_000)));
    let counts = emulator.counts();
    assert_eq!((counts.arrived, counts.passed, counts.dropped_by_queue), (6, 4, 2));
}

#[test]
fn what_is_reordered_comes_later_and_delays_nobody() {
    let rules = Impairment { reorder: 0.5, reorder_by: Span::from_us(35), ..Impairment::default() };
    let (fates, counts) = fates(ruled(rules), 1, 0, 1000);
    let late = |(frame, fate): (u64, &Fate)| fate[0].expect("it passes").at.since(us(10 * frame));
    let spans: Vec<Span> = (0..).zip(&fates).map(late).collect();
    assert!(spans.iter().all(|span| [Span::ZERO, Span::from_us(35)].contains(span)));
    assert_eq!(spans.iter().filter(|span| **span > Span::ZERO).count() as u64, counts.reordered);
}
