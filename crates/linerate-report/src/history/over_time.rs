//! Figures over time: a point for each run, the stable levels, and the changes with what is not the same
//! beside them.

mod notes;
mod range;

use std::fmt::Write as _;

use linerate_analysis::changes::{FigureHistory, Verdict};

use super::super::figure::{Aim, Figure, Layer, Title};
use super::super::plot::{Axis, Mark, Spot, UP, spot};
use super::super::text::count;
use super::level::{Level, corners};
use super::shown::Shown;
use super::{Course, PathHistory, dates, median, run_axis, words};
use notes::Note;

/// At most this many figures have a chart although nothing changed in them.
const QUIET: usize = 30;
/// With more runs than this, intervals would be a grey field and tooltips too many: both are left out but
/// for every so many runs.
const MANY: usize = 800;
/// With at most this many runs points are larger.
const SPARSE: usize = 80;
/// Diameters of points. Unit: quarter pixels.
const LARGE: u32 = 28;
const SMALL: u32 = 17;

/// A chart for each key figure, and for each band of sizes in which something changed.
pub(super) fn figures(path: &PathHistory, shown: &Shown<'_>) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut quiet = 0;
    for (nth, (course, history)) in path.figures.iter().zip(&path.changes.figures).enumerate() {
        let known = course.values.iter().flatten().any(|value| value.is_finite());
        let is_quiet = is_quiet(shown, nth, history);
        let is_band = course.key.figure.band().is_some();
        if !known || (is_quiet && (is_band || quiet == QUIET)) {
            continue;
        }
        quiet += usize::from(is_quiet);
        figures.push(Plot { path, course, history, notes: notes::of(path, shown, nth) }.figure(nth));
    }
    figures
}

/// Whether nothing happened to figure `nth`.
fn is_quiet(shown: &Shown<'_>, nth: usize, history: &FigureHistory) -> bool {
    let changed = shown.events.iter().flat_map(|event| &event.members).any(|it| it.member.figure == nth);
    !changed && matches!(history.verdict, Verdict::TooFew | Verdict::Steady)
}

/// What is drawn in a chart.
struct Plot<'a> {
    path: &'a PathHistory,
    course: &'a Course,
    history: &'a FigureHistory,
    notes: Vec<Note>,
}

impl Plot<'_> {
    fn figure(&self, nth: usize) -> Figure {
        let key = &self.course.key;
        let title = Title { id: format!("figure-{nth}"), title: words::name(key), caption: self.caption() };
        let x = run_axis(self.path);
        let notes = notes::placed(&self.notes, &x);
        let y = range::axis(self.course, self.history, notes::lines(&notes));
        let axes = [&x, &y];
        Figure::new(title, axes, self.layers(axes, &notes))
    }

    fn layers(&self, axes: [&Axis; 2], notes: &[notes::Placed<'_>]) -> Vec<Layer> {
        let layer =
            |index, name: &str, svg, aims| Layer::new((index, name), axes, vec![Mark::Written(svg)], aims);
        let (runs, aims) = self.runs(axes);
        let mut layers = vec![layer(0, "runs", runs, aims)];
        if !self.history.stretches.is_empty() && self.history.verdict != Verdict::TooFew {
            layers.push(layer(1, "levels", self.levels(axes), Vec::new()));
        }
        if let Some(baseline) = self.baseline() {
            let [from, to] = [-0.5, self.path.runs.len() as f64 - 0.5].map(|x| place(axes, x, baseline));
            let line = format!(
                "<path class=\"line\" stroke-width=\"6\" stroke-dasharray=\"20 16\" d=\"M{} {}H{}\"/>",
                from.0, from.1, to.0
            );
            layers.push(layer(2, "baseline", line, Vec::new()));
        }
        if !notes.is_empty() {
            layers.push(layer(3, "changes", notes::drawn(axes, notes), Vec::new()));
        }
        layers
    }

    /// Points with their intervals; outliers hollow. What lies beyond the frame is drawn at its edge.
    fn runs(&self, axes: [&Axis; 2]) -> (String, Vec<Aim>) {
        let mut aims = Vec::new();
        let runs = self.path.runs.len();
        let every = runs.div_ceil(MANY);
        let (mut points, mut rings, mut bars) = (String::new(), String::new(), String::new());
        let size = if runs <= SPARSE { LARGE } else { SMALL };
        for (run, value) in self.values() {
            let at = place(axes, run as f64, value);
            let off = self.is_outlier(run);
            // Writing to a String cannot fail.
            let _ = match off {
                true => write!(
                    rings,
                    "<circle class=\"ring\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
                    at.0,
                    at.1,
                    size * 2 / 3
                ),
                false => write!(points, "M{} {}h0", at.0, at.1),
            };
            if every == 1
                && let Some(ends) = self.interval(run)
            {
                let [low, high] = ends.map(|end| place(axes, run as f64, end).1);
                let _ = write!(bars, "M{} {low}V{high}", at.0);
            }
            if off || run.is_multiple_of(every) || run + 1 == runs {
                let place = (run as f64, value);
                aims.push(Aim { at: place, x: at.0, y: at.1, lines: self.lines(run, value) });
            }
        }
        let svg = format!(
            "<path class=\"bars\" d=\"{bars}\"/><path class=\"line points\" stroke-width=\"{size}\" d=\"{points}\"/>{rings}"
        );
        (svg, aims)
    }

    /// The values that are numbers, by run.
    fn values(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let values = self.course.values.iter().enumerate().take(self.path.runs.len());
        values.filter_map(|(run, value)| Some((run, value.filter(|value| value.is_finite())?)))
    }

    fn interval(&self, run: usize) -> Option<[f64; 2]> {
        let ends = self.course.intervals.get(run).copied().flatten()?;
        ends.iter().all(|end| end.is_finite()).then_some(ends)
    }

    fn is_outlier(&self, run: usize) -> bool {
        self.history.outliers.iter().any(|outlier| (outlier.first..=outlier.last).contains(&run))
    }

    fn lines(&self, run: usize, value: f64) -> Vec<String> {
        let key = &self.course.key;
        let row = &self.path.runs[run];
        let interval = self.interval(run).map(|ends| ends.map(|end| words::quantity(key, end)));
        let interval = interval.map(|[low, high]| format!(" ({low} to {high})")).unwrap_or_default();
        let off = if self.is_outlier(run) { ", outlier" } else { "" };
        let baseline = if row.baseline { ", baseline" } else { "" };
        vec![
            format!("{}, {}{baseline}", dates::minute(row.started_us), words::short_run(&row.id)),
            format!("{}{interval}{off}", words::quantity(key, value)),
        ]
    }

    fn levels(&self, axes: [&Axis; 2]) -> String {
        let mut lines = String::new();
        for stretch in &self.history.stretches {
            for (nth, (run, level)) in
                corners(&self.course.key, self.history, stretch).into_iter().enumerate()
            {
                let at = place(axes, run, level);
                let _ = write!(lines, "{}{} {}", if nth == 0 { 'M' } else { 'L' }, at.0, at.1);
            }
        }
        format!("<path class=\"line\" stroke-width=\"10\" d=\"{lines}\"/>")
    }

    /// The middle of the runs of the baseline.
    fn baseline(&self) -> Option<f64> {
        let of_baseline = self.values().filter(|(run, _)| self.path.runs[*run].baseline);
        median(of_baseline.map(|(_, value)| value))
    }

    fn caption(&self) -> String {
        let mut text = match Level::of(self.course, self.history) {
            Some(level) => {
                let since = self.path.runs.get(level.since).map_or(0, |run| run.started_us);
                let spread = level.spread.map(|it| format!(", {it} from run to run")).unwrap_or_default();
                let runs = count(level.runs as u64, "run");
                format!("Level {} since {}: {runs}{spread}.", level.text, dates::day(since))
            }
            None if self.history.verdict == Verdict::TooFew => "Too few runs to tell a level.".to_owned(),
            None => "No stable level yet.".to_owned(),
        };
        if self.path.runs.len() <= MANY && self.course.intervals.iter().any(Option::is_some) {
            text.push_str(" Bars: 95 % interval within a run.");
        }
        if !self.history.outliers.is_empty() {
            text.push_str(" Hollow: outliers; what is beyond the frame is at its edge.");
        }
        text
    }
}

/// Where a value of a run is drawn, at the edge if it is beyond.
fn place(axes: [&Axis; 2], run: f64, value: f64) -> Spot {
    let (x, y) = spot(axes, (run, value));
    (x, y.clamp(UP[1], UP[0]))
}

#[cfg(test)]
mod tests;
