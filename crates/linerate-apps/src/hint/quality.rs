//! What HINT's merit is: quality, quality per second, and that over all scales of time.

/// The area of the task relative to the whole grid: the integral of (1 - x)/(1 + x), 2 ln 2 - 1.
const AREA: f64 = 2.0 * std::f64::consts::LN_2 - 1.0;

/// How much better the bounds are than before the first halving: 2^`bits`/gamut - 1.
///
/// `gamut` is the distance of the bounds, in cells of the grid.
#[must_use]
pub fn quality(bits: u32, gamut: u64) -> f64 {
    2.0_f64.powi(bits.cast_signed()) / gamut.max(1) as f64 - 1.0
}

/// Net QUIPS: the area under QUIPS against the logarithm of time, the last point once.
///
/// `points` are seconds and QUIPS, in the order of work.  Source: HINT's driver.
#[must_use]
pub fn net_quips(points: &[(f64, f64)]) -> f64 {
    let last = points.last().map_or(0.0, |last| last.1);
    let steps = points.windows(2).map(|pair| pair[0].1 * (1.0 - pair[0].0 / pair[1].0));
    last + steps.sum::<f64>()
}

/// Whether the true area lies between the bounds on a grid of 2^`bits` cells.
pub(crate) fn bounds_hold(bits: u32, lower: u64, upper: u64) -> bool {
    let area = 2.0_f64.powi(bits.cast_signed()) * AREA;
    lower as f64 <= area && area <= upper as f64
}

/// How the gamut of the serial algorithm on 53 bits is published.  Source: HINT's kernel of 1994, compiled, and an
/// independent exact calculation.
pub(crate) const PUBLISHED: [(u64, u64); 13] = [
    (2, 4_503_599_660_924_928),
    (3, 3_002_399_790_727_168),
    (4, 2_251_799_864_016_896),
    (5, 1_801_439_902_957_568),
    (6, 1_501_199_928_918_016),
    (7, 1_286_742_808_199_168),
    (8, 1_125_899_965_562_880),
    (10, 900_719_985_033_216),
    (16, 562_950_016_335_872),
    (100, 90_072_058_691_584),
    (1_000, 9_007_266_267_136),
    (10_000, 900_787_027_968),
    (100_000, 90_139_100_672),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn net_quips_of_a_constant_curve() {
        let points: Vec<(f64, f64)> = (0..60).map(|index| (1.2589_f64.powi(index), 1e6)).collect();
        // 1e6 (1 + 59 (1 - 1/1.2589))
        assert!((net_quips(&points) - 13_133_688.14).abs() < 0.01, "{}", net_quips(&points));
        assert_eq!(net_quips(&[]).to_bits(), 0.0_f64.to_bits());
    }
}
