//! Where a figure stands: its last stable level, and how levels go on within a drift.

use linerate_analysis::changes::{Drift, FigureHistory, Stretch, Verdict};
use linerate_analysis::figures::Key;

use super::{Course, words};

/// The last stable level of a figure.
pub(super) struct Level {
    /// The level with its unit; of a drift that goes on both ends.
    pub(super) text: String,
    /// The first run that has it; of a drift that goes on the one at which it began.
    pub(super) since: usize,
    /// How many runs from there on count: those with a value that is no outlier.
    pub(super) runs: usize,
    /// How much runs differ.
    pub(super) spread: Option<String>,
}

impl Level {
    /// That of a figure. Absent if there are too few runs to tell one.
    pub(super) fn of(course: &Course, history: &FigureHistory) -> Option<Self> {
        let stretch = history.last_stable().filter(|_| history.verdict != Verdict::TooFew)?;
        let (key, end) = (&course.key, words::quantity(&course.key, stretch.level_at_end));
        let (text, since) = match drifts(history, stretch).last() {
            Some(drift) if drift.ongoing => {
                let from = before(key, stretch.level_at_end, drift.change.value);
                (format!("{} to {end}, drifting", words::quantity(key, from)), drift.from)
            }
            Some(drift) => (end, drift.to),
            None => (end, stretch.first),
        };
        let is_off = |run: &usize| history.outliers.iter().any(|it| (it.first..=it.last).contains(run));
        let counts = |run: &usize| course.values.get(*run).is_some_and(Option::is_some) && !is_off(run);
        let runs = (since..=stretch.last).filter(counts).count();
        Some(Self { text, since, runs, spread: words::spread(stretch) })
    }
}

/// The corners of the level of a stretch: flat but for its drifts.
pub(super) fn corners(key: &Key, history: &FigureHistory, stretch: &Stretch) -> Vec<(f64, f64)> {
    let mut level = stretch.level;
    let mut corners = vec![(stretch.first as f64 - 0.5, level)];
    for drift in drifts(history, stretch) {
        corners.push((drift.from as f64, level));
        level = after(key, level, drift.change.value);
        corners.push((drift.to as f64, level));
    }
    corners.push((stretch.last as f64 + 0.5, stretch.level_at_end));
    corners
}

/// The drifts within a stretch, in order.
pub(super) fn drifts<'a>(
    history: &'a FigureHistory,
    stretch: &Stretch,
) -> impl Iterator<Item = &'a Drift> + use<'a> {
    let [first, last] = [stretch.first, stretch.last];
    history.drifts.iter().filter(move |drift| drift.from >= first && drift.to <= last)
}

/// A level after a change.
fn after(key: &Key, level: f64, change: f64) -> f64 {
    if key.figure.is_ratio() { level * change } else { level + change }
}

/// A level before a change.
fn before(key: &Key, level: f64, change: f64) -> f64 {
    if key.figure.is_ratio() { level / change } else { level - change }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::history;
    use super::*;

    #[test]
    fn after_a_drift_the_level_is_that_of_its_end() {
        let path = history(365, 12);
        let (course, found) = (&path.figures[7], &path.changes.figures[7]);
        let [drift] = &found.drifts[..] else { panic!("one drift: {found:?}") };
        let level = Level::of(course, found).expect("it is stable");
        assert_eq!(level.since, drift.to);
        // 9350 Mb/s by 0.92 is what the figure was made with.
        let mbps: f64 = level.text.strip_suffix(" Mb/s").and_then(|it| it.parse().ok()).expect("a rate");
        assert!((mbps / (9_350.0 * 0.92) - 1.0).abs() < 0.002, "{mbps}");
        let corners = corners(&course.key, found, &found.stretches[0]);
        assert_eq!(corners.len(), 4);
        assert!((corners[1].1 / 9_350.0 - 1.0).abs() < 0.005, "flat until it begins: {corners:?}");
        assert!((corners[2].1 / (9_350.0 * 0.92) - 1.0).abs() < 0.005, "flat from its end: {corners:?}");
    }

    #[test]
    fn without_a_drift_it_is_that_of_the_last_stretch() {
        let path = history(60, 12);
        let (course, found) = (&path.figures[0], &path.changes.figures[0]);
        let (level, stretch) = (Level::of(course, found).expect("it is stable"), &found.stretches[1]);
        assert_eq!((level.since, level.runs), (stretch.first, stretch.runs));
        assert_eq!(corners(&course.key, found, stretch).len(), 2);
        let few = history(6, 12);
        assert!(Level::of(&few.figures[0], &few.changes.figures[0]).is_none(), "too few runs");
    }
}
