//! How many of a trial's first samples belong to its warm-up.

use crate::units::Span;

use super::median;

/// Never more than this many samples, or this share of them, whichever is more.
const MOST: usize = 10;
const MOST_SHARE: usize = 10;
/// A first sample belongs to the steady state when it lies within this many scaled median absolute
/// deviations of the steady median (three sigma of a normal distribution) ...
const DEVIATIONS: f64 = 3.0;
const MAD_TO_SIGMA: f64 = 1.4826;
/// ... or within this share of it, so that a trial without any scatter has no warm-up.
const TOLERANCE: f64 = 0.02;
/// With fewer samples than this the scatter is not reliable, and only samples that are far off
/// count as warm-up.
const FEW: usize = 8;
const TOLERANCE_OF_FEW: f64 = 0.5;

/// How many of the first `times` are warm-up.
///
/// The second half of the samples is taken for the steady state. The warm-up is the run of first
/// samples that lie outside it, on either side: a cold cache is slow, a token bucket that filled
/// up while the link was idle is fast. It ends at the first sample that fits, is at most ten
/// samples or a tenth of them, and never more than half.
#[must_use]
pub fn warm_up(times: &[Span]) -> usize {
    let steady = &times[times.len() / 2..];
    let most = MOST.max(times.len() / MOST_SHARE).min(times.len() / 2);
    let Some(centre) = median(steady.iter().map(|time| time.as_ps() as f64)) else { return 0 };
    let spread = median(steady.iter().map(|time| (time.as_ps() as f64 - centre).abs()));
    let tolerance = if steady.len() < FEW { TOLERANCE_OF_FEW } else { TOLERANCE };
    let reach = (spread.unwrap_or(0.0) * MAD_TO_SIGMA * DEVIATIONS).max(centre * tolerance);
    times.iter().take(most).take_while(|time| (time.as_ps() as f64 - centre).abs() > reach).count()
}

/// The same of messages that follow each other over a path that delivers lumps which take `lump` to pass, none
/// where that is not known: how many of the first `times` are warm-up and not the unevenness of the path.
///
/// A sample that waits for a lump is long and the one that has its rest is short, so the first may look cold.
/// So may one that waited for a lost packet, or for a receiver that had no processor: what piled up meanwhile
/// follows at once. Slow samples are warm-up only where enough follow, and those of them that come first are
/// no faster than the others. And the first may look fast because one after them waited: fast samples are
/// warm-up only where those that follow are even, or many.
#[must_use]
pub fn warm_up_of_stream(lump: Span, times: &[Span]) -> usize {
    let first = warm_up(times);
    let as_ps = |time: &Span| time.as_ps() as f64;
    let Some(centre) = median(times[times.len() / 2..].iter().map(as_ps)) else { return 0 };
    let odd = times[..first].iter().map(as_ps).sum::<f64>() - first as f64 * centre;
    let rest = &times[first..];
    let uneven = odd.abs() <= as_ps(&lump) || if odd > 0.0 { catches_up(rest) } else { waited(rest) };
    if uneven { 0 } else { first }
}

/// Whether the first half of `times` may be what piled up before them.
fn catches_up(times: &[Span]) -> bool {
    let (first, later) = times.split_at(times.len() / 2);
    let mean = |times: &[Span]| times.iter().copied().sum::<Span>().as_ps() as f64 / times.len() as f64;
    times.len() < FEW || mean(first) < mean(later) * (1.0 - TOLERANCE)
}

/// Whether it may be that most of `times` are no steady state but waited for something: they are few, and one
/// of them is much faster.
fn waited(times: &[Span]) -> bool {
    let fastest = times.iter().min().map_or(0.0, |time| time.as_ps() as f64);
    let centre = median(times.iter().map(|time| time.as_ps() as f64)).unwrap_or(0.0);
    times.len() < FEW && fastest < centre * TOLERANCE_OF_FEW
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(us: &[u64]) -> Vec<Span> {
        us.iter().copied().map(Span::from_us).collect()
    }

    #[test]
    fn slow_and_fast_first_samples_are_warm_up() {
        assert_eq!(warm_up(&times(&[4368, 110, 50, 51, 49, 50, 51, 50, 49, 50])), 2);
        assert_eq!(warm_up(&times(&[1, 2, 67, 67, 67, 67, 67, 67])), 2);
    }

    #[test]
    fn what_one_lump_explains_is_not_warm_up() {
        // 98,307 B each at 10 Mb/s, in lumps of 64 KiB that take 55 ms.
        let seen = times(&[115_500, 57_900, 115_800, 57_900, 63_800]);
        let of = |lump_us, times: &[Span]| warm_up_of_stream(Span::from_us(lump_us), times);
        assert_eq!((warm_up(&seen), of(55_000, &seen)), (1, 0));
        let slow_start = times(&[400, 200, 50, 50, 50, 50, 50, 50, 50, 50]);
        assert_eq!((of(499, &slow_start), of(500, &slow_start)), (2, 0), "350 and 150 more than steady");
        let burst = times(&[1, 2, 67, 67, 67, 67, 67, 67]);
        assert_eq!((of(130, &burst), of(131, &burst)), (2, 0));
        assert_eq!(of(0, &[]), 0);
    }

    #[test]
    fn what_piles_up_behind_a_lost_packet_is_no_steady_state() {
        // Two samples that waited, and three of what came meanwhile: 26 ms each on the path.
        let seen = times(&[50_000, 50_000, 9_000, 10_000, 11_000]);
        assert_eq!((warm_up(&seen), warm_up_of_stream(Span::from_us(33), &seen)), (2, 0));
        let longer = times(&[104, 2, 2, 2, 26, 26, 26, 26, 26, 26, 26]);
        assert_eq!((warm_up(&longer), warm_up_of_stream(Span::from_us(33), &longer)), (4, 0));
        let cold = times(&[104, 26, 26, 26, 26, 26, 26, 26, 26, 26]);
        assert_eq!(warm_up_of_stream(Span::from_us(33), &cold), 1);
        assert_eq!(warm_up_of_stream(Span::ZERO, &seen), 0, "nor where nothing is known of lumps");
    }

    #[test]
    fn what_waits_later_makes_no_burst_of_what_came_before() {
        let seen = times(&[27_000, 27_100, 27_200, 400_000, 420_000]);
        assert_eq!((warm_up(&seen), warm_up_of_stream(Span::ZERO, &seen)), (2, 0));
        let burst = times(&[1_000, 2_000, 26_000, 27_000, 28_000]);
        assert_eq!(warm_up_of_stream(Span::ZERO, &burst), 2);
    }

    #[test]
    fn an_outlier_later_is_not_warm_up() {
        assert_eq!(warm_up(&times(&[50, 51, 900, 50, 51, 49, 50, 51, 50, 49])), 0);
    }

    #[test]
    fn at_most_half_and_at_most_a_tenth_or_ten() {
        assert_eq!(warm_up(&times(&[])), 0);
        assert_eq!(warm_up(&times(&[9])), 0);
        assert_eq!(warm_up(&times(&[90, 80, 70, 10, 10, 10])), 3);
        let mut slow_start = times(&[10; 300]);
        slow_start[..100].fill(Span::from_us(90));
        assert_eq!(warm_up(&slow_start), 30);
    }
}
