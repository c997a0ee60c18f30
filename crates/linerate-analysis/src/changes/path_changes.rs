//! All figures of all paths at once: the share of those with a false change is bounded.

use serde::Serialize;

use super::event::{Event, events};
use super::figure_history::{FigureHistory, Verdict};
use super::path::Path;
use crate::inference::{ALPHA, benjamini_hochberg};

/// One path, each of its figures searched alone.
#[derive(Clone, Debug)]
pub struct Searched<'a> {
    path: &'a Path,
    figures: Vec<FigureHistory>,
}

impl<'a> Searched<'a> {
    /// Searches every figure of a path. Paths do not know of each other yet, so a caller may search
    /// them in parallel.
    #[must_use]
    pub fn new(path: &'a Path) -> Self {
        Self {
            path,
            figures: path.figures().iter().map(|figure| FigureHistory::search(figure, ALPHA)).collect(),
        }
    }
}

/// What changed on one path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathChanges {
    /// The path.
    pub path: String,
    /// What its end says: the last in the order of [`Verdict`] of those of its figures.
    pub verdict: Verdict,
    /// What was found in each of its figures, in the order given.
    pub figures: Vec<FigureHistory>,
    /// The same by run: changes of several figures at one time, with what changed beside them.
    pub events: Vec<Event>,
}

/// Keeps of all changes so many that, of the figures that have any, at most 5 % should have a false one.
///
/// The p of a change is that of the whole search of its series already; that of a series is the least
/// of its changes, 1 without any. Series too short to be searched do not count. Of m series the procedure of Benjamini and Hochberg selects R, and
/// each of these is searched again at R/m of 5 %. It holds for independent series and for those that
/// move together, as the figures of a path do.
/// Source: Benjamini and Bogomolov, Selective inference on multiple families of hypotheses, J. Royal
/// Statistical Society B 76 (2014), theorem 1.
#[must_use]
pub fn conclude(searched: Vec<Searched>) -> Vec<PathChanges> {
    let least = |figure: &FigureHistory| figure.alarms().fold(1.0, f64::min);
    let figures = searched.iter().flat_map(|path| &path.figures);
    let p: Vec<f64> = figures.filter(|figure| figure.verdict != Verdict::TooFew).map(least).collect();
    let selected = benjamini_hochberg(&p).into_iter().filter(|adjusted| *adjusted <= ALPHA).count();
    let limit = ALPHA * selected as f64 / p.len().max(1) as f64;
    searched.into_iter().map(|searched| searched.at(limit)).collect()
}

impl Searched<'_> {
    /// What is left at a limit of the p of a change over the search of its series.
    fn at(self, limit: f64) -> PathChanges {
        let Self { path, mut figures } = self;
        for (history, values) in figures.iter_mut().zip(path.figures()) {
            if history.alarms().any(|p| p > limit) {
                *history = FigureHistory::search(values, limit);
            }
        }
        PathChanges {
            path: path.id().to_owned(),
            verdict: figures.iter().map(|figure| figure.verdict).max().unwrap_or(Verdict::TooFew),
            events: events(path, &figures),
            figures,
        }
    }
}

/// The changes of all figures of all paths.
#[must_use]
pub fn changes(paths: &[Path]) -> Vec<PathChanges> {
    conclude(paths.iter().map(Searched::new).collect())
}
