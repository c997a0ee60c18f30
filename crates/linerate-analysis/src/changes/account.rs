//! From what a search found to what is reported of a figure.

use std::ops::Range;

use super::figure_history::{
    Drift, FigureHistory, Outlier, Shift, SpreadChange, Standing, Step, Stretch, Verdict,
};
use super::path::FigureValues;
use super::pieces::{LEAST, Piece, SHORTEST, jump, welch_variance};
use super::scale::Scale;
use super::search::Found;
use super::significance::{Search, over_search, t_95};
use crate::inference::Prior;

/// An unconfirmed step has one to four runs after it, which are as many tests.
const LOOKS: f64 = (LEAST - 1) as f64;
/// An unconfirmed step has at most this p.
const UNCONFIRMED: f64 = 0.05;

impl FigureHistory {
    /// Searches one figure alone. `limit` bounds the p of every change over the whole search.
    pub(super) fn search(figure: &FigureValues, limit: f64) -> Self {
        let scale = Scale::of(figure.key.figure);
        let (mut runs, mut x, mut unusable) = (Vec::new(), Vec::new(), Vec::new());
        for (run, value) in figure.values.iter().enumerate() {
            let Some(value) = value else { continue };
            match scale.place(*value) {
                Some(place) => {
                    runs.push(run);
                    x.push(place);
                }
                None => unusable.push(run),
            }
        }
        let mut history = Self {
            key: figure.key.clone(),
            runs: runs.len(),
            unusable,
            steps: Vec::new(),
            drifts: Vec::new(),
            spread_changes: Vec::new(),
            outliers: Vec::new(),
            stretches: Vec::new(),
            verdict: if x.len() < SHORTEST { Verdict::TooFew } else { Verdict::Steady },
        };
        match Found::search(&x, scale.least_noise(&x), limit) {
            Some(found) => history.report(&Account { found: &found, scale, x: &x, runs: &runs }),
            None => history.stretches.extend(whole(scale, &x, &runs)),
        }
        history
    }

    fn report(&mut self, account: &Account) {
        self.steps.extend(account.steps());
        self.drifts.extend(account.drifts());
        self.spread_changes.extend(account.spread_changes());
        self.outliers.extend(account.outliers());
        self.stretches.extend(account.stretches());
        let unconfirmed = account.unconfirmed();
        self.steps.extend(unconfirmed);
        if unconfirmed.is_some() {
            self.verdict = Verdict::Unconfirmed;
        } else if self.drifts.last().is_some_and(|drift| drift.ongoing) {
            self.verdict = Verdict::Drifting;
        }
    }
}

/// The only stretch of a series that cannot be searched.
fn whole(scale: Scale, x: &[f64], runs: &[usize]) -> Option<Stretch> {
    let (first, last) = (*runs.first()?, *runs.last()?);
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let squares: f64 = x.iter().map(|value| (value - mean).powi(2)).sum();
    let level = scale.value(mean);
    let spread = spread_of(scale, squares, x.len() - 1);
    Some(Stretch { first, last, runs: x.len(), level, level_at_end: level, spread })
}

/// The spread from run to run, from the squares around levels.
fn spread_of(scale: Scale, squares: f64, free: usize) -> Option<Prior> {
    let freedom = free as f64;
    let known = scale == Scale::Logarithm && free > 0;
    known.then(|| Prior { deviation: (squares / freedom).sqrt(), freedom })
}

/// What was found, the places on its scale that it was found in, and the run of the path of each.
#[derive(Clone, Copy)]
struct Account<'a> {
    found: &'a Found,
    scale: Scale,
    x: &'a [f64],
    runs: &'a [usize],
}

impl Account<'_> {
    /// The first index after a cut.
    fn start(&self, piece: &Piece) -> usize {
        self.found.sums.run[piece.from]
    }

    /// The level at an index.
    fn level(&self, index: usize) -> f64 {
        let place = self.found.sums.run.partition_point(|run| *run <= index).saturating_sub(1);
        let piece = self.found.pieces.partition_point(|piece| piece.to <= place);
        self.found.origin + self.found.pieces[piece].fit.value(index)
    }

    /// A change from the level at the index `before`.
    fn shift(&self, before: usize, difference: f64, half_width: f64) -> Shift {
        self.scale.shift(self.level(before), difference, half_width)
    }

    /// Half the width of the interval of what has this variance for residuals of variance 1.
    fn half_width(&self, variance: f64) -> f64 {
        let noise = &self.found.noise;
        t_95(noise.degrees_of_freedom) * (noise.variance * noise.inflation * variance).sqrt()
    }

    fn steps(&self) -> impl Iterator<Item = Step> {
        let Found { sums, noise, pieces, .. } = self.found;
        pieces.windows(2).map(|pair| {
            let (difference, variance) = jump(sums, &pair[0], &pair[1]);
            let half_width = if pair.iter().any(|piece| piece.fit.is_ramp()) {
                self.half_width(variance)
            } else {
                let (variance, degrees_of_freedom) = welch_variance(pair, noise.inflation);
                t_95(degrees_of_freedom) * variance.sqrt()
            };
            Step {
                at: self.runs[self.start(&pair[1])],
                change: self.shift(sums.run[pair[0].to - 1], difference, half_width),
                p: over_search(Search::Step, noise.p_between(sums, pair), sums.len()),
                standing: Standing::Confirmed,
            }
        })
    }

    fn drifts(&self) -> impl Iterator<Item = Drift> {
        let Found { sums, noise, pieces, .. } = self.found;
        pieces.iter().filter(|piece| piece.fit.is_ramp()).map(|piece| {
            let [from, to] = piece.fit.knees;
            let length = (to - from) as f64;
            let half_width = self.half_width(piece.fit.variance[1]) * length;
            Drift {
                from: self.runs[from],
                to: self.runs[to],
                change: self.shift(from, piece.fit.slope * length, half_width),
                p: over_search(Search::Drift, noise.p_of_slope(&piece.fit), sums.len()),
                ongoing: to == sums.run[sums.len() - 1],
            }
        })
    }

    fn spread_changes(&self) -> impl Iterator<Item = SpreadChange> {
        let changes = &self.found.spread.changes;
        changes.iter().enumerate().map(|(index, change)| {
            let from = index.checked_sub(1).map_or(0, |before| changes[before].at);
            let to = changes.get(index + 1).map_or(self.x.len(), |after| after.at);
            let (before, after) = (self.spread(from..change.at), self.spread(change.at..to));
            let ratio = (before > 0.0).then(|| after / before);
            SpreadChange { at: self.runs[change.at], ratio, p: change.p }
        })
    }

    /// Standard deviation of the runs of a stretch that are not off.
    fn spread(&self, stretch: Range<usize>) -> f64 {
        let run = &self.found.sums.run;
        let [from, to] = [stretch.start, stretch.end].map(|end| run.partition_point(|index| *index < end));
        (self.squares(from, to) / (to - from) as f64).sqrt()
    }

    /// Squares around the level, of the kept runs `from` to before `to`.
    fn squares(&self, from: usize, to: usize) -> f64 {
        let kept = self.found.sums.run[from..to].iter();
        kept.map(|index| (self.x[*index] - self.level(*index)).powi(2)).sum()
    }

    /// The index from which all runs are off to one side, if the last is.
    fn end_is_off_from(&self) -> usize {
        let count = self.x.len();
        self.groups_off().pop().filter(|last| last.end == count).map_or(count, |last| last.start)
    }

    /// Runs off to one side that follow each other, as many as no level has.
    fn groups_off(&self) -> Vec<Range<usize>> {
        let above = |index: usize| self.x[index] > self.level(index);
        let mut groups: Vec<Range<usize>> = Vec::new();
        for excursion in &self.found.off {
            let group = excursion.first..excursion.first + excursion.runs;
            match groups.last_mut() {
                Some(before)
                    if before.end == group.start
                        && above(before.start) == above(group.start)
                        && before.len() + group.len() < LEAST =>
                {
                    before.end = group.end;
                }
                _ => groups.push(group),
            }
        }
        groups
    }

    fn outliers(&self) -> impl Iterator<Item = Outlier> {
        let end = self.end_is_off_from();
        let outlier = move |group: Range<usize>| {
            let count = group.len() as f64;
            let off: f64 = group.clone().map(|index| self.x[index] - self.level(index)).sum();
            Outlier {
                first: self.runs[group.start],
                last: self.runs[group.end - 1],
                change: self.scale.change(self.level(group.start), off / count),
            }
        };
        self.groups_off().into_iter().filter(move |group| group.start < end).map(outlier)
    }

    /// A step of the last one to four runs.
    fn unconfirmed(&self) -> Option<Step> {
        let Found { sums, noise, pieces, spread, .. } = self.found;
        let from = self.end_is_off_from();
        let group = &self.x[from..];
        if group.is_empty() {
            return None;
        }
        let before = sums.run[sums.len() - 1];
        let count = group.len() as f64;
        let difference = group.iter().sum::<f64>() / count - self.level(before);
        let own = spread.sigma[from].powi(2) / count;
        let variance = own + pieces.last()?.fit.variance_at(before);
        let p = (noise.p_of(difference, variance) * LOOKS).min(1.0);
        (p <= UNCONFIRMED).then(|| Step {
            at: self.runs[from],
            change: self.shift(before, difference, self.half_width(variance)),
            p,
            standing: Standing::Unconfirmed,
        })
    }

    fn stretches(&self) -> Vec<Stretch> {
        let sums = &self.found.sums;
        let mut cuts: Vec<usize> = self.found.pieces.iter().skip(1).map(|piece| piece.from).collect();
        for change in &self.found.spread.changes {
            let cut = sums.run.partition_point(|run| *run < change.at);
            let near = cuts.iter().chain(&[0, sums.len()]).any(|other| other.abs_diff(cut) < LEAST);
            if !near {
                cuts.push(cut);
            }
        }
        cuts.sort_unstable();
        let starts = [0].into_iter().chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain([sums.len()]);
        starts.zip(ends).map(|(from, to)| self.stretch(from, to)).collect()
    }

    /// The stretch of the kept runs `from` to before `to`. It owns the outliers that follow it.
    fn stretch(&self, from: usize, to: usize) -> Stretch {
        let run = &self.found.sums.run;
        let kept = &run[from..to];
        let squares = self.squares(from, to);
        let piece = self.found.pieces.partition_point(|piece| piece.to <= from);
        let parameters = if self.found.pieces[piece].fit.is_ramp() { 2 } else { 1 };
        let free = kept.len().saturating_sub(parameters);
        let first = if from == 0 { 0 } else { kept[0] };
        let last = if to == run.len() { self.end_is_off_from() } else { run[to] } - 1;
        Stretch {
            first: self.runs[first],
            last: self.runs[last],
            runs: kept.len(),
            level: self.scale.value(self.level(kept[0])),
            level_at_end: self.scale.value(self.level(kept[kept.len() - 1])),
            spread: spread_of(self.scale, squares, free),
        }
    }
}
