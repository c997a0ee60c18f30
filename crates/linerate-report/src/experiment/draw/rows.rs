//! Charts of rows: a name, marks with their interval on a common axis, and the numbers in words.

use super::{Anchor, CHARACTER, Drawing, Head, Kind, LINE, Pen, WIDTH, lines, width_of};
use crate::plot::Axis;

/// Most room of the names and of the words, and the least of both.
const NAMES: f64 = 270.0;
const WORDS: f64 = 400.0;
const LEAST: f64 = 70.0;
/// Most room of both together.
const BOTH: f64 = 610.0;
/// Blank around them.
const GAP: f64 = 14.0;
/// Over the first row: the words at both sides.
const TOP: f64 = 30.0;
/// Below the last row: labels and title of the axis.
const BOTTOM: f64 = 48.0;
/// Half the height of an interval's end.
const CAP: f64 = 4.0;
/// Most lines of a name.
const MOST: usize = 3;

/// A chart of rows.
pub(in super::super) struct Rows<'a> {
    pub(in super::super) axis: &'a Axis,
    /// Where a line stands for no change.
    pub(in super::super) zero: Option<f64>,
    /// What lies to the left of it, and to the right.
    pub(in super::super) sides: [&'static str; 2],
    pub(in super::super) rows: Vec<Row>,
}

/// A row.
pub(in super::super) struct Row {
    pub(in super::super) name: String,
    /// The values that are marked.
    pub(in super::super) values: Vec<f64>,
    pub(in super::super) interval: Option<[f64; 2]>,
    pub(in super::super) kind: Kind,
    /// Numbers and verdict.
    pub(in super::super) words: String,
    /// Whether it is the one that counts.
    pub(in super::super) stands_out: bool,
}

impl Rows<'_> {
    /// The chart.
    pub(in super::super) fn drawing(&self, head: Head) -> Drawing {
        let names = self.widest(|row| &row.name).min(NAMES);
        let words = self.widest(|row| &row.words).min(WORDS).min(BOTH - names);
        let [left, right] = [names + GAP, WIDTH - words - GAP];
        let mut pen = Pen::default();
        let mut y = TOP;
        let texts: Vec<[Vec<String>; 2]> = self
            .rows
            .iter()
            .map(|row| [lines(&row.name, names, MOST), lines(&row.words, words, MOST)])
            .collect();
        let height =
            |[names, words]: &[Vec<String>; 2]| names.len().max(words.len()).max(1) as f64 * LINE + 11.0;
        let bottom = y + texts.iter().map(height).sum::<f64>();
        self.frame(&mut pen, [left, right], [TOP, bottom]);
        for (row, texts) in self.rows.iter().zip(&texts) {
            let height = height(texts);
            self.row(&mut pen, (row, texts), [left, right], [y, y + height]);
            y += height;
        }
        head.over(pen, [WIDTH, bottom + BOTTOM])
    }

    fn widest(&self, text: impl Fn(&Row) -> &String) -> f64 {
        let widest = self.rows.iter().map(|row| width_of(text(row))).fold(0.0, f64::max);
        (widest + CHARACTER).max(LEAST)
    }

    /// The axis below the rows, the line of no change, and what its sides mean.
    fn frame(&self, pen: &mut Pen, [left, right]: [f64; 2], [top, bottom]: [f64; 2]) {
        let x = |value: f64| left + self.axis.share(value).clamp(0.0, 1.0) * (right - left);
        for tick in &self.axis.ticks {
            let x = x(tick.value);
            pen.line("grid", (x, top), (x, bottom));
            pen.text((x, bottom + LINE), Anchor::Middle, "soft", &tick.label);
        }
        pen.line("grid", (left, bottom), (right, bottom));
        pen.text(((left + right) / 2.0, bottom + 2.0 * LINE + 6.0), Anchor::Middle, "soft", &self.axis.title);
        let Some(zero) = self.zero else { return };
        let zero = x(zero);
        pen.line("zero", (zero, top - 4.0), (zero, bottom));
        let [before, after] = self.sides;
        if zero - left > width_of(before) + GAP {
            pen.text((zero - 8.0, top - 10.0), Anchor::End, "soft", before);
        }
        if right - zero > width_of(after) + GAP {
            pen.text((zero + 8.0, top - 10.0), Anchor::Start, "soft", after);
        }
    }

    fn row(
        &self,
        pen: &mut Pen,
        (row, [names, words]): (&Row, &[Vec<String>; 2]),
        [left, right]: [f64; 2],
        [top, bottom]: [f64; 2],
    ) {
        let x = |value: f64| left + self.axis.share(value).clamp(0.0, 1.0) * (right - left);
        let middle = f64::midpoint(top, bottom);
        let tip = format!("{}: {}", row.name, row.words);
        pen.tipped(&tip, |pen| {
            if row.stands_out {
                pen.field("accent solid", (0.0, top), (WIDTH, bottom - top), 0.13);
            }
            let class = if row.kind == Kind::Pale { "soft" } else { "strong" };
            stack(pen, names, (left - GAP, middle), (Anchor::End, class));
            stack(pen, words, (right + GAP, middle), (Anchor::Start, "soft"));
            if let Some([low, high]) = row.interval {
                let class = format!("bar {}", row.kind.class());
                pen.line(&class, (x(low), middle), (x(high), middle));
                // An end that leaves the chart has no cap.
                for end in [low, high].into_iter().filter(|end| (0.0..=1.0).contains(&self.axis.share(*end)))
                {
                    pen.line(&class, (x(end), middle - CAP), (x(end), middle + CAP));
                }
            }
            for value in row.values.iter().filter(|value| value.is_finite()) {
                pen.mark(row.kind, (x(*value), middle));
            }
        });
    }
}

/// Lines of text around a height.
fn stack(pen: &mut Pen, lines: &[String], (x, middle): (f64, f64), (anchor, class): (Anchor, &str)) {
    let first = middle + 4.5 - (lines.len() as f64 - 1.0) * LINE / 2.0;
    for (nth, line) in lines.iter().enumerate() {
        pen.text((x, first + nth as f64 * LINE), anchor, class, line);
    }
}
