//! What the marks of an experiment mean: of each kind a shape and a colour, and of all that say the same a layer.

use linerate_analysis::experiment::EffectVerdict;

use crate::figure::{Aim, Figure, Layer, Title};
use crate::plot::{self, Axis, Mark, Place, Shape, UNIT};

/// Half the size of a mark, and widths of lines. Unit: quarter pixels.
const RADIUS: u32 = 11 * UNIT / 2;
const THIN: u32 = 2 * UNIT;
/// How dark the field behind what counts is.
const SHADE: f64 = 0.13;

/// What a mark says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A green triangle that points up.
    Better,
    /// One that points down, vermilion.
    Worse,
    /// A diamond.
    Differs,
    /// A disc.
    Plain,
    /// A grey ring.
    Pale,
    /// A cross.
    Fails,
}

impl Kind {
    /// How an effect is marked.
    pub(super) const fn of(verdict: EffectVerdict) -> Self {
        match verdict {
            EffectVerdict::Better => Self::Better,
            EffectVerdict::Worse => Self::Worse,
            EffectVerdict::Differs => Self::Differs,
            EffectVerdict::Small => Self::Plain,
            EffectVerdict::Inconclusive | EffectVerdict::Untested => Self::Pale,
        }
    }

    const fn looks(self) -> (Shape, usize) {
        match self {
            Self::Better => (Shape::Up, 2),
            Self::Worse => (Shape::Down, 1),
            Self::Differs => (Shape::Diamond, 0),
            Self::Plain => (Shape::Disc, 0),
            Self::Pale => (Shape::Ring, plot::PALE),
            Self::Fails => (Shape::Cross, 1),
        }
    }

    /// Its mark at a place.
    pub(super) const fn mark(self, at: Place) -> Mark {
        Mark::Point { at, radius: RADIUS, shape: self.looks().0, width: THIN }
    }
}

/// Layers by what their marks say, in the order in which they are drawn.
pub(super) struct Layers<'a> {
    axes: [&'a Axis; 2],
    all: Vec<Layer>,
}

impl<'a> Layers<'a> {
    pub(super) const fn over(axes: [&'a Axis; 2]) -> Self {
        Self { axes, all: Vec::new() }
    }

    /// Adds marks that say `what`, and the values under the pointer.
    pub(super) fn add(&mut self, (kind, what): (Kind, &str), marks: Vec<Mark>, aims: Vec<Aim>) {
        let layer = Layer::new((kind.looks().1, what), self.axes, marks, aims);
        match self.all.iter_mut().find(|known| known.name == what) {
            Some(known) => known.merge(layer),
            None => self.all.push(layer),
        }
    }

    pub(super) fn figure(self, title: Title) -> Figure {
        Figure::new(title, self.axes, self.all)
    }
}

/// A row of a chart.
pub(super) struct Row {
    pub(super) name: String,
    /// The values that are marked.
    pub(super) values: Vec<f64>,
    pub(super) interval: Option<[f64; 2]>,
    pub(super) kind: Kind,
    /// What its marks say, in a word or two.
    pub(super) what: &'static str,
    /// Numbers and verdict.
    pub(super) words: String,
    /// Whether it is the one that counts.
    pub(super) stands_out: bool,
}

/// A chart of rows over one axis, with a line where nothing changes.
pub(super) fn rows(title: Title, x: &Axis, no_change: Option<f64>, rows: &[Row]) -> Figure {
    let names: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
    let y = plot::rows(&names, rows.iter().map(|row| row.words.clone()).collect());
    let mut layers = Layers::over([x, &y]);
    if let Some(at) = no_change {
        layers.add((Kind::Pale, "no change"), vec![Mark::Rule { at, width: UNIT }], Vec::new());
    }
    for (nth, row) in rows.iter().enumerate() {
        let at = |value: f64| (value, nth as f64);
        let [left, right] = x.range();
        let field = Mark::bar([(left, nth as f64 - 0.5), (right, nth as f64 + 0.5)], SHADE);
        let interval = row.interval.map(|ends| Mark::line(ends.map(at), THIN));
        let marks = row.stands_out.then_some(field).into_iter().chain(interval);
        let marks = marks.chain(row.values.iter().map(|value| row.kind.mark(at(*value)))).collect();
        let lines = || vec![row.name.clone(), row.words.clone()];
        let aims = row.values.iter().map(|value| Aim::at([x, &y], at(*value), lines())).collect();
        layers.add((row.kind, row.what), marks, aims);
    }
    layers.figure(title)
}
