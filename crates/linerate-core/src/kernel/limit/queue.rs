//! Whether bytes that are under way stand in a queue of the path.

use super::super::TcpSample;
use super::{MOSTLY, WAIT};
use crate::units::{Rate, Span};

/// Rates this close to each other are one.
const SAME_RATE: f64 = 0.9;
/// Windows this far from each other at one rate do not make it.
const WINDOWS: f64 = 1.25;
/// Where a rate is known to be the path's, a round trip this much longer than the least one is one through a queue.
const STANDING: f64 = 1.1;

/// Whether most of a round trip, whose `least` is known, is waiting for a queue: more is under way than the path holds
/// without one. Hosts take up to 1 ms of it, or what is known `of_hosts` if that is less.
///
/// Source: Little's law; Cardwell and others, "BBR: congestion-based congestion control", ACM Queue 14 (5),
/// 2016, figure 1: beyond the product of bandwidth and delay more bytes under way cost time and gain no rate.
#[must_use]
pub fn is_through_a_queue(round_trip: Span, least: Span, of_hosts: Option<Span>) -> bool {
    let waiting = round_trip.saturating_sub(least);
    let of_hosts = of_hosts.map_or(WAIT, |late| late.min(WAIT));
    least > Span::ZERO && waiting > of_hosts && waiting.as_seconds() > round_trip.as_seconds() * MOSTLY
}

/// Of the looks with bytes under way, the share of those that found them standing in a queue: most of the round trip was
/// waiting, or the rate was the highest of the flow, which larger and smaller windows had too.
pub(super) fn share_through_a_queue(looks: &[TcpSample], of_hosts: Option<Span>) -> f64 {
    let plateau = plateau(looks);
    super::found(looks, |look| {
        let on_plateau = plateau.is_some_and(|least| rate(look).bits_per_second() >= least) && stands(look);
        on_plateau || is_through_a_queue(look.rtt, look.min_rtt, of_hosts)
    })
}

/// The rate from which on the window does not make the rate, if there is one. Unit: bits per second.
fn plateau(looks: &[TcpSample]) -> Option<f64> {
    let mut rates: Vec<f64> =
        looks.iter().map(|look| rate(look).bits_per_second()).filter(|rate| *rate > 0.0).collect();
    rates.sort_by(f64::total_cmp);
    // A single look may find any rate.
    let top = rates.iter().rev().nth(rates.len() / 10)?;
    let least = top * SAME_RATE;
    let on_top = || {
        let found = looks.iter().filter(|look| look.unacked > 0 && stands(look));
        found.filter(|look| rate(look).bits_per_second() >= least)
    };
    // Hosts that are late make any window look larger that is computed from a round trip, and few segments come and go one by one.
    let segment = looks.iter().map(|look| look.mss).max()? as f64;
    (differ(on_top().map(window), 0.0) && differ(on_top().map(counted), segment)).then_some(least)
}

/// Whether windows are of different sizes, and by more than `few` bytes. A tenth of the looks, or one, may have caught any moment.
fn differ(windows: impl Iterator<Item = f64>, few: f64) -> bool {
    let mut windows: Vec<f64> = windows.collect();
    windows.sort_by(f64::total_cmp);
    let (Some(low), Some(high)) = (windows.get(windows.len().div_ceil(10)), windows.last()) else {
        return false;
    };
    *high >= low * WINDOWS && high - low > few
}

/// Whether a part of the round trip is waiting.
pub(super) fn stands(look: &TcpSample) -> bool {
    look.min_rtt > Span::ZERO && look.rtt.as_seconds() >= look.min_rtt.as_seconds() * STANDING
}

/// What was under way, less what was lost: by the rate that the kernel saw delivered (Little's law), because a count at one
/// moment is one of a few segments that come and go; that count where no such rate is known. Unit: bytes.
fn window(look: &TcpSample) -> f64 {
    look.delivery_rate
        .map_or_else(|| counted(look), |rate| rate.bits_per_second() / 8.0 * look.rtt.as_seconds())
}

/// As counted at one moment. Unit: bytes.
fn counted(look: &TcpSample) -> f64 {
    look.unacked.min(look.cwnd) as f64 * look.mss as f64
}

/// By Little's law; zero where no round trip is known.
pub(super) fn rate(look: &TcpSample) -> Rate {
    let seconds = look.rtt.as_seconds();
    Rate::from_bits_per_second(if seconds > 0.0 { window(look) * 8.0 / seconds } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64;

    const MSS: u64 = 1_448;
    const LOOKS: u32 = 40;

    /// Looks at a flow whose window goes to and fro between `windows`, over a path that carries `rate` and takes
    /// `least` at least; hosts make every round trip up to 15 % longer.
    fn looks(random: &mut Pcg64, rate: f64, least: f64, windows: [f64; 2]) -> Vec<TcpSample> {
        let [low, high] = windows;
        let look = |nth: u32| {
            let bytes = low + (high - low) * f64::from(nth % 10) / 10.0;
            let segments = (bytes / MSS as f64).ceil();
            let queued = segments * MSS as f64 * 8.0 / rate;
            let rtt = Span::from_seconds(least.max(queued) * random.random_range(1.0..1.15));
            let unacked = segments as u64;
            TcpSample {
                unacked,
                cwnd: unacked,
                mss: MSS,
                rtt,
                min_rtt: Span::from_seconds(least),
                ..TcpSample::default()
            }
        };
        (0..LOOKS).map(look).collect()
    }

    #[test]
    fn a_window_that_changes_while_the_rate_does_not_stands_in_a_queue() {
        let mut random = Pcg64::seed_from_u64(1);
        for _ in 0..300 {
            let rate = 10_f64.powf(random.random_range(5.0..11.0));
            // At least some segments fit the path.
            let least = random.random_range(1.0..50.0) * 20.0 * MSS as f64 * 8.0 / rate;
            let held = rate * least / 8.0;
            let low = random.random_range(1.2..1.4);
            let sawtooth = looks(&mut random, rate, least, [held * low, held * low * 1.45]);
            assert!(share_through_a_queue(&sawtooth, None) > 0.5, "{rate} bit/s, {least} s, from {low}");
            let top = random.random_range(0.1..0.9);
            let short = looks(&mut random, rate, least, [held * top * 0.3, held * top]);
            assert_eq!(share_through_a_queue(&short, None), 0.0, "{rate} bit/s, {least} s, up to {top}");
            let even = looks(&mut random, rate, least, [held * 1.2; 2]);
            assert_eq!(share_through_a_queue(&even, None), 0.0, "a host may take that long, every time");
        }
    }

    /// Of the same kind, with the kernel's rate, and a count of what is under way that catches a moment of a round trip.
    fn caught(random: &mut Pcg64, rate: f64, trips: [f64; 2], least: f64) -> Vec<TcpSample> {
        let look = |_| {
            let trip = random.random_range(trips[0]..trips[1]);
            let rate = rate * random.random_range(0.96..1.0);
            let segments = (rate * trip / 8.0 / MSS as f64).ceil() as u64;
            TcpSample {
                unacked: random.random_range(segments * 2 / 3..=segments + 1).max(1),
                cwnd: segments * 4,
                mss: MSS,
                rtt: Span::from_seconds(trip),
                min_rtt: Span::from_seconds(least),
                delivery_rate: Some(Rate::from_bits_per_second(rate)),
                ..TcpSample::default()
            }
        };
        (0..LOOKS).map(look).collect()
    }

    #[test]
    fn what_comes_and_goes_within_a_round_trip_is_no_change_of_the_window() {
        let mut random = Pcg64::seed_from_u64(2);
        for _ in 0..300 {
            let least = 10_f64.powf(random.random_range(-2.5..0.0));
            let rate = random.random_range(3.0..200.0) * MSS as f64 * 8.0 / least;
            let few = caught(&mut random, rate, [least * 1.11, least * 1.2], least);
            assert_eq!(share_through_a_queue(&few, None), 0.0, "{rate} bit/s, {least} s");
            let deep = caught(&mut random, rate, [least * 1.2, least * 1.9], least);
            assert!(share_through_a_queue(&deep, None) > 0.5, "{rate} bit/s, {least} s");
        }
    }

    #[test]
    fn few_segments_over_a_path_whose_hosts_are_late_change_no_window() {
        let mut random = Pcg64::seed_from_u64(3);
        for _ in 0..300 {
            let least = 10_f64.powf(random.random_range(-5.0..-4.0));
            let most = random.random_range(2..5);
            // One look catches a moment at which next to nothing is under way.
            let look = |nth| {
                let unacked = if nth == 7 { 1 } else { most - random.random_range(0..2) };
                let trip = least * random.random_range(1.2..4.0);
                let rate = most as f64 * MSS as f64 * 8.0 / (2.0 * least) * random.random_range(0.5..1.0);
                TcpSample {
                    unacked,
                    cwnd: 144,
                    mss: MSS,
                    rtt: Span::from_seconds(trip),
                    min_rtt: Span::from_seconds(least),
                    delivery_rate: Some(Rate::from_bits_per_second(rate)),
                    ..TcpSample::default()
                }
            };
            let looks: Vec<TcpSample> = (0..LOOKS).map(look).collect();
            assert_eq!(share_through_a_queue(&looks, None), 0.0, "{most} segments, {least} s");
        }
    }
}
