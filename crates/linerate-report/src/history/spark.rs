//! The last values of a figure as blocks of a terminal.

/// From low to high.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Where a value is missing.
const GAP: char = '·';
/// From the lowest to the highest block there is at least this share of the values' middle, so that noise
/// looks like noise and not like mountains.
const LEAST: f64 = 0.2;

/// A block for each of the last `most` values; what is not finite is a gap.
pub(super) fn sparkline(values: &[f64], most: usize) -> String {
    let shown = &values[values.len().saturating_sub(most)..];
    let sound = shown.iter().filter(|value| value.is_finite());
    let [low, high] =
        sound.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], it| [low.min(*it), high.max(*it)]);
    let middle = f64::midpoint(low, high);
    let range = (high - low).max(middle.abs() * LEAST);
    let block = |value: &f64| match (value.is_finite(), range > 0.0) {
        (false, _) => GAP,
        (true, false) => BLOCKS[BLOCKS.len() / 2 - 1],
        (true, true) => {
            let place = 0.5 + (value - middle) / range;
            BLOCKS[((place * BLOCKS.len() as f64 - 1e-9).max(0.0) as usize).min(BLOCKS.len() - 1)]
        }
    };
    shown.iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_series_is_flat_and_so_is_a_little_noise() {
        assert_eq!(sparkline(&[7.0; 4], 20), "▄▄▄▄");
        assert_eq!(sparkline(&[0.0; 3], 20), "▄▄▄");
        let noisy = sparkline(&[100.0, 101.0, 99.5, 100.5], 20);
        assert!(noisy.chars().all(|c| "▄▅".contains(c)), "{noisy}");
    }

    #[test]
    fn a_doubling_goes_from_the_lowest_block_to_the_highest() {
        assert_eq!(sparkline(&[1.0, 1.0, 2.0, 2.0], 20), "▁▁██");
        assert_eq!(sparkline(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], 20), "▁▂▃▄▅▆▇█");
    }

    #[test]
    fn gaps_are_shown_and_of_many_values_the_last() {
        assert_eq!(sparkline(&[1.0, f64::NAN, 2.0], 20), "▁·█");
        assert_eq!(sparkline(&[9.0, 1.0, 2.0], 2), "▁█");
        assert_eq!(sparkline(&[f64::NAN, f64::INFINITY], 20), "··");
        assert_eq!(sparkline(&[], 20), "");
    }
}
