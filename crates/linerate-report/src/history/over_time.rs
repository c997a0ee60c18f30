//! Figures over time: a point for each run, the stable levels, and the changes with what is not the same
//! beside them.

mod notes;
mod range;

use linerate_analysis::changes::{FigureHistory, Verdict};

use super::super::figure::{Aim, Figure, Layer, Title};
use super::super::plot::{Axis, Mark, Shape, Sign, UNIT, look_of};
use super::super::text::count;
use super::level::{Level, corners};
use super::shown::Shown;
use super::{Course, PathHistory, dates, median, run_axis, words};
use notes::{Note, Placed};

/// At most this many figures have a chart although nothing changed in them.
const QUIET: usize = 30;
/// With more runs than this, intervals would be a grey field and tooltips too many: both are left out but
/// for every so many runs.
const MANY: usize = 800;
/// With at most this many runs points are larger.
const SPARSE: usize = 80;
/// Radii of points. Unit: quarter pixels.
const LARGE: u32 = 14;
const SMALL: u32 = 8;

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
        Figure::new(title, axes, self.layers(axes, &notes)).explained(&[
            (Sign::Bar, "Bars: 95 % interval within a run."),
            (Sign::Shape(Shape::Ring), "Hollow: outliers; what is beyond the frame is at its edge."),
        ])
    }

    fn layers(&self, axes: [&Axis; 2], notes: &[Placed<'_>]) -> Vec<Layer> {
        let mut layers = vec![self.runs(axes)];
        if !self.history.stretches.is_empty() && self.history.verdict != Verdict::TooFew {
            let level = |it| Mark::line(corners(&self.course.key, self.history, it), 5 * UNIT / 2);
            let levels = self.history.stretches.iter().map(level).collect();
            layers.push(Layer::new((1, "levels"), axes, levels, Vec::new()));
        }
        if let Some(baseline) = self.baseline() {
            let ends = [-0.5, self.path.runs.len() as f64 - 0.5].map(|x| (x, baseline));
            let line = Mark::line(ends, 3 * UNIT / 2);
            let layer = Layer::new((2, "baseline"), axes, vec![line], Vec::new());
            layers.push(Layer { look: look_of(2, 1), ..layer });
        }
        layers.extend(notes::layers(axes, notes));
        layers
    }

    /// Points with their intervals; outliers hollow. What lies beyond the frame is drawn at its edge.
    fn runs(&self, axes: [&Axis; 2]) -> Layer {
        let runs = self.path.runs.len();
        let every = runs.div_ceil(MANY);
        let radius = if runs <= SPARSE { LARGE } else { SMALL };
        let [low, high] = axes[1].range();
        let (mut points, mut rings, mut bars, mut aims) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (run, value) in self.values() {
            let at = (run as f64, value.clamp(low, high));
            let off = self.is_outlier(run);
            match off {
                true => rings.push(Mark::ring(at, radius * 4 / 3, 5 * UNIT / 4)),
                false => points.push(at),
            }
            let interval = self.interval(run).filter(|_| every == 1);
            bars.extend(interval.map(|ends| [at.0, ends[0].max(low), ends[1].min(high)]));
            if off || run.is_multiple_of(every) || run + 1 == runs {
                aims.push(Aim::at(axes, at, self.lines(run, value)));
            }
        }
        let marks = [Mark::Bars { ends: bars, dark: 0.4 }, Mark::Points { at: points, radius }];
        Layer::new((0, "runs"), axes, marks.into_iter().chain(rings).collect(), aims)
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

    /// The middle of the runs of the baseline.
    fn baseline(&self) -> Option<f64> {
        let of_baseline = self.values().filter(|(run, _)| self.path.runs[*run].baseline);
        median(of_baseline.map(|(_, value)| value))
    }

    fn caption(&self) -> String {
        match Level::of(self.course, self.history) {
            Some(level) => {
                let since = self.path.runs.get(level.since).map_or(0, |run| run.started_us);
                let spread = level.spread.map(|it| format!(", {it} from run to run")).unwrap_or_default();
                let runs = count(level.runs as u64, "run");
                format!("Level {} since {}: {runs}{spread}.", level.text, dates::day(since))
            }
            None if self.history.verdict == Verdict::TooFew => "Too few runs to tell a level.".to_owned(),
            None => "No stable level yet.".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
