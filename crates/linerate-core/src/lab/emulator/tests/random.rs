//! Links drawn by seed over wide ranges, against closed forms that know nothing of how the emulator keeps its state.

use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt as _};

use super::*;

/// A frame that an oracle has accepted: when it came, and the bytes until its end.
#[derive(Clone, Copy)]
struct Accepted {
    came: Time,
    end_bytes: i128,
    leaves_ps: i128,
}

/// When frames leave a token bucket, from all that came before and no other state.
///
/// A greedy shaper puts out the most that its arrivals and its curve `burst + rate t` allow: frame k leaves at the
/// latest of its arrival and, over all earlier j, of `came(j) + (bytes from j to k - burst) / rate`.  Source: J.-Y. Le
/// Boudec and P. Thiran, "Network Calculus", 2001, theorem 1.5.1.
struct Shaper {
    rate_bps: i128,
    burst: i128,
    queue: i128,
    accepted: Vec<Accepted>,
}

impl Shaper {
    /// When a frame that comes now would leave. Unit: ps.
    fn leaves_ps(&self, now: Time, bytes: i128) -> i128 {
        let end = self.accepted.last().map_or(0, |last| last.end_bytes) + bytes;
        let mut begin = 0;
        let mut latest = i128::from(now.as_ps());
        let own = Accepted { came: now, end_bytes: end, leaves_ps: 0 };
        for frame in self.accepted.iter().chain([&own]) {
            let owed_bits = 8 * (end - begin - self.burst);
            let wait = (owed_bits * 1_000_000_000_000).div_euclid(self.rate_bps);
            latest = latest.max(i128::from(frame.came.as_ps()) + wait);
            begin = frame.end_bytes;
        }
        latest
    }

    /// Bytes that wait at `now_ps`.
    fn waiting(&self, now_ps: i128) -> i128 {
        let mut begin = 0;
        let mut waiting = 0;
        for frame in &self.accepted {
            if frame.leaves_ps > now_ps {
                waiting += frame.end_bytes - begin;
            }
            begin = frame.end_bytes;
        }
        waiting
    }

    /// Whether what the emulator did with a frame is right, to `slack_ps`; it is remembered.
    fn check(&mut self, now: Time, bytes: u32, left: Option<Time>, slack_ps: i128) -> Result<(), String> {
        let (bytes, now_ps) = (i128::from(bytes), i128::from(now.as_ps()));
        let leaves_ps = self.leaves_ps(now, bytes);
        match left {
            Some(left) => {
                let off = i128::from(left.as_ps()) - leaves_ps;
                if off.abs() > slack_ps {
                    return Err(format!("it leaves {off} ps off"));
                }
                let waits = leaves_ps > now_ps + slack_ps;
                if waits && self.waiting(now_ps + slack_ps) + bytes > self.queue {
                    return Err("there is no room for it".to_owned());
                }
                let end_bytes = self.accepted.last().map_or(0, |last| last.end_bytes) + bytes;
                self.accepted.push(Accepted { came: now, end_bytes, leaves_ps });
            }
            None if leaves_ps <= now_ps - slack_ps => return Err("it need not wait".to_owned()),
            None if self.waiting(now_ps - slack_ps) + bytes <= self.queue => {
                return Err("there is room for it".to_owned());
            }
            None => {}
        }
        Ok(())
    }
}

/// A number whose logarithm is uniform.
fn spread(random: &mut impl Rng, from: f64, to: f64) -> f64 {
    (from.ln() + random.random::<f64>() * (to / from).ln()).exp()
}

/// A bucket from 1 kb/s to 10 Gb/s, with a queue of two frames to 16 MB.
fn bucket(random: &mut impl Rng, largest: u32) -> Bucket {
    let rate = Rate::from_bits_per_second(spread(random, 1e3, 1e10).round());
    let burst = if random.random() { 0 } else { spread(random, f64::from(largest), 1e6) as u64 };
    let queue = spread(random, 2.0 * f64::from(largest), 16e6) as u64;
    Bucket { rate, burst: Size(burst), queue: Size(queue) }
}

#[test]
fn every_frame_leaves_a_drawn_bucket_when_the_closed_form_says() {
    for seed in 0..300 {
        let mut random = Pcg64::new(seed, 37);
        let largest = *[60, 576, 1514, 9014].choose(&mut random).expect("there are some");
        let bucket = bucket(&mut random, largest);
        let delay = Span::from_us(random.random_range(0..=2_000_000));
        let direction =
            Direction { bucket: Some(bucket), impairment: Impairment { delay, ..Impairment::default() } };
        let rate_bps = bucket.rate.bits_per_second() as i128;
        let [burst, queue] = [bucket.burst, bucket.queue].map(|size| i128::from(size.bytes()));
        let mut shaper = Shaper { rate_bps, burst, queue, accepted: Vec::new() };
        // From a tenth of the rate to ten times it.
        let load = spread(&mut random, 0.1, 10.0);
        let mut emulator = Emulator::new(direction, 1, 0);
        let mut now = Time::ZERO;
        for frame in 0..250_u32 {
            let bytes = random.random_range(60..=largest);
            let mean_ps = f64::from(bytes) * 8e12 / bucket.rate.bits_per_second() / load;
            // Several at once, and then none for a while.
            let gap = if random.random_bool(0.3) { 0.0 } else { 2.0 * mean_ps * random.random::<f64>() };
            now = now + Span::from_ps(gap as u64);
            let [fate, None] = emulator.arrive(now, bytes) else { panic!("there are no copies") };
            let left = fate.map(|departure| Time::ZERO + (departure.at.since(Time::ZERO) - delay));
            // A frame's time is rounded up to a ps, and known to 53 bits.
            let slack_ps = i128::from(frame + 2) * 32;
            let checked = shaper.check(now, bytes, left, slack_ps);
            assert_eq!(checked, Ok(()), "seed {seed}, frame {frame} of {bytes} B: {bucket:?}");
        }
        let counts = emulator.counts();
        assert_eq!(counts.arrived, counts.passed + counts.dropped_by_queue, "seed {seed}");
    }
}

/// The mean and the deviation of what a chain of two states loses of `frames` that begin in the good one.
///
/// With `begin` and `end` the chances to change, `share = begin / (begin + end)` and `memory = 1 - begin - end`, frame i
/// is lost with the chance `share (1 - memory^i)`, and two that are k apart covary by `share (1 - share) memory^k`.
fn lost(share: f64, burst: Option<f64>, frames: f64) -> (f64, f64) {
    let end = burst.map_or(1.0 - share, |burst| 1.0 / burst);
    let begin = share * end / (1.0 - share);
    let memory = 1.0 - begin - end;
    let missing = memory * (1.0 - memory.powf(frames)) / (1.0 - memory);
    let variance = frames * share * (1.0 - share) * (1.0 + memory) / (1.0 - memory);
    (share * (frames - missing), variance.sqrt())
}

#[test]
fn drawn_losses_are_those_of_the_chain() {
    let (mut sum, mut variance) = (0.0, 0.0);
    for seed in 0..200 {
        let mut random = Pcg64::new(seed, 38);
        let share = random.random_range(0.0..0.2);
        let loss_burst = random.random_bool(0.5).then(|| spread(&mut random, 1.0, 50.0));
        let impairment = Impairment { loss: share, loss_burst, ..Impairment::default() };
        let frames = 20_000;
        let (fates, counts) = fates(ruled(impairment), seed as u32, 3, frames);
        assert_eq!(fates.iter().filter(|fate| fate[0].is_none()).count() as u64, counts.dropped_by_rule);
        let (mean, deviation) = lost(share, loss_burst, frames as f64);
        let off = counts.dropped_by_rule as f64 - mean;
        assert!(off.abs() <= 5.0 * deviation + 1.0, "seed {seed}: {off} of {deviation} in {impairment:?}");
        sum += off;
        variance += deviation * deviation;
    }
    // All together lose neither more nor less.
    assert!(sum.abs() <= 4.0 * f64::sqrt(variance), "{sum} of {}", f64::sqrt(variance));
}

/// Whatever the rules are, no frame is lost from the account, none comes early, and none is held longer than the rules
/// together allow.
#[test]
fn drawn_rules_together_keep_the_account_and_their_bounds() {
    for seed in 0..200 {
        let mut random = Pcg64::new(seed, 39);
        let bucket = random.random_bool(0.5).then(|| bucket(&mut random, 1514));
        let us = |random: &mut Pcg64, most| Span::from_us(random.random_range(0..=most));
        let impairment = Impairment {
            delay: us(&mut random, 2_000_000),
            jitter: us(&mut random, 10_000),
            loss: random.random_range(0.0..0.2),
            loss_burst: None,
            reorder: random.random_range(0.0..0.2),
            reorder_by: us(&mut random, 10_000),
            duplicate: random.random_range(0.0..0.2),
            corrupt: random.random_range(0.0..0.2),
            ecn_mark: random.random_range(0.0..0.2),
            ecn_bleach: random.random_range(0.0..0.2),
        };
        let (fates, counts) = fates(Direction { bucket, impairment }, seed as u32, 0, 1000);
        let Counts { arrived, passed, dropped_by_rule, dropped_by_queue, duplicated, .. } = counts;
        assert_eq!(arrived + duplicated, passed + dropped_by_rule + dropped_by_queue, "seed {seed}");
        assert_eq!(fates.iter().flatten().flatten().count() as u64, passed, "seed {seed}");
        let queued = bucket.map_or(0.0, |bucket| {
            (bucket.queue.bytes() + u64::from(FRAME)) as f64 * 8.0 / bucket.rate.bits_per_second()
        });
        let most =
            queued + (impairment.delay + impairment.jitter + impairment.reorder_by).as_seconds() + 1e-9;
        for (frame, fate) in (0..).zip(fates) {
            for departure in fate.into_iter().flatten() {
                let took = departure.at.since(super::us(10 * frame));
                assert!(
                    took >= impairment.delay && took.as_seconds() <= most,
                    "seed {seed}: {took} of {most} s"
                );
            }
        }
    }
}
