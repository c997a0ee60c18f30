//! Whether an effect matters: "not significant" is not "small".

/// What an effect's test and interval say, against the least effect that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relevance {
    /// It is there, and nothing shows that it is too small to matter.
    Effect,
    /// It is there, and too small to matter.
    SmallEffect,
    /// If it is there, it is too small to matter.
    Negligible,
    /// Neither is shown: the interval holds no effect, and one that matters.
    Inconclusive,
}

impl Relevance {
    /// Of an effect that is `seen` (its test rejects that there is none) and lies in the 95 % `interval`, where one
    /// below `margin`, either way, does not matter. That it is small is shown by the whole interval, never by a
    /// test that rejects nothing; so it is wrongly said of one time in twenty at most.
    #[must_use]
    pub fn of(seen: bool, interval: [f64; 2], margin: f64) -> Self {
        let inside = interval[0] > -margin && interval[1] < margin;
        match (seen, inside) {
            (true, false) => Self::Effect,
            (true, true) => Self::SmallEffect,
            (false, true) => Self::Negligible,
            (false, false) => Self::Inconclusive,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_is_shown_by_the_whole_interval_only() {
        for (seen, interval, expected) in [
            (false, [-0.02, 0.04], Relevance::Negligible),
            (true, [0.01, 0.04], Relevance::SmallEffect),
            (true, [0.01, 0.06], Relevance::Effect),
            (true, [-0.2, -0.1], Relevance::Effect),
            // Three times as much, p .075.
            (false, [-0.16, 2.5], Relevance::Inconclusive),
            (false, [-0.05, 0.01], Relevance::Inconclusive),
            (false, [f64::NEG_INFINITY, f64::INFINITY], Relevance::Inconclusive),
            (false, [f64::NAN, f64::NAN], Relevance::Inconclusive),
        ] {
            assert_eq!(Relevance::of(seen, interval, 0.05), expected, "{interval:?}");
        }
    }
}
