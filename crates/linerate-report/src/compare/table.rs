//! A comparison as text for people.

use linerate_analysis::compare::{Comparison, CurveChange, FigureChange, SizeChange};
use linerate_analysis::figures::Unit;
use linerate_analysis::identity::Difference;
use linerate_core::plan::Rows;

use super::super::columns::{Column, fit};
use super::super::text::{item, plain, wrap};
use super::words;

/// At most this many sizes and differences of settings are shown in the short form.
const SHORT: usize = 12;

/// What differs, how it was judged, the verdict, every figure, the sizes that changed, dips and doubts.
pub fn table(comparison: &Comparison, width: u16, rows: Rows) -> String {
    let width = usize::from(width);
    let mut blocks = vec![head(comparison, width, rows)];
    let mut rest: &[FigureChange] = &comparison.figures;
    while let Some(first) = rest.first() {
        let same = rest.iter().take_while(|figure| figure.key.subject == first.key.subject).count();
        let (subject, others) = rest.split_at(same);
        blocks.push(figures(subject, comparison.threshold, width));
        rest = others;
    }
    blocks
        .extend(comparison.curves.iter().map(|curve| self::curve(curve, comparison.threshold, width, rows)));
    let doubts = comparison.doubts.iter();
    let doubts: Vec<String> = doubts
        .map(|doubt| wrap(&plain(&format!("! {}; {}", doubt.finding(), doubt.advice())), width, 2))
        .collect();
    blocks.push(doubts.join("\n"));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

fn head(comparison: &Comparison, width: usize, rows: Rows) -> String {
    let [base, candidate] = &comparison.sides;
    let mut lines =
        vec![item("base", &words::runs(base), width), item("candidate", &words::runs(candidate), width)];
    let all = comparison.differences.iter();
    let in_every_run = all.clone().filter(|difference| words::in_every_run(difference));
    let clear = in_every_run.clone().count();
    let shown: Vec<&Difference> = match rows {
        Rows::Short => in_every_run.take(SHORT).collect(),
        Rows::All => all.collect(),
    };
    for (nth, difference) in shown.iter().enumerate() {
        let [before, after] = words::difference(difference);
        let in_some = if words::in_every_run(difference) { "" } else { " (in some runs)" };
        let label = if nth == 0 { "differs" } else { "" };
        let text = format!("{}: {before} -> {after}{in_some}", plain(&difference.name));
        lines.push(item(label, &text, width));
    }
    if comparison.differences.is_empty() {
        lines.push(item("differs", "nothing that the runs know of", width));
    } else if shown.len() < comparison.differences.len() {
        let label = if shown.is_empty() { "differs" } else { "" };
        let more = comparison.differences.len() - shown.len();
        let what = if clear > shown.len() { "more" } else { "more in some runs only" };
        lines.push(item(label, &format!("{more} {what} (--rows all)"), width));
    }
    lines.push(item("judged by", &words::method(comparison.method), width));
    lines.push(item("verdict", &words::outcome(comparison), width));
    lines.join("\n")
}

fn figures(subject: &[FigureChange], threshold: f64, width: usize) -> String {
    let cells = |of: &dyn Fn(&FigureChange) -> String| subject.iter().map(of).collect::<Vec<String>>();
    let table = columns(Cells {
        names: (plain(&subject[0].key.subject), cells(&words::name)),
        middles: [0, 1].map(|side| cells(&|figure| words::value(figure.change.middle[side], figure.unit))),
        estimate: cells(&|figure| words::estimate(&figure.change, figure.unit)),
        interval: cells(&|figure| words::interval(&figure.change, figure.unit)),
        p: cells(&|figure| p(figure.change.p)),
        verdict: cells(&|figure| words::verdict(&figure.change, figure.unit, threshold)),
    });
    fit(table, width).0
}

fn curve(curve: &CurveChange, threshold: f64, width: usize, rows: Rows) -> String {
    let mut parts =
        vec![item("sizes", &format!("{}: {}", curve.pattern, words::sizes(curve, threshold)), width)];
    let shown = chosen(curve, rows);
    if !shown.is_empty() {
        let cells =
            |of: &dyn Fn(&SizeChange) -> String| shown.iter().map(|size| of(size)).collect::<Vec<String>>();
        let unit = Unit::Microseconds;
        let table = columns(Cells {
            names: ("size B".to_owned(), cells(&|size| size.size.to_string())),
            middles: [0, 1].map(|side| cells(&|size| words::value(size.change.middle[side], unit))),
            estimate: cells(&|size| words::estimate(&size.change, unit)),
            interval: cells(&|size| words::interval(&size.change, unit)),
            p: cells(&|size| p(size.change.p)),
            verdict: cells(&|size| words::verdict(&size.change, unit, threshold)),
        });
        parts.push(fit(table, width).0);
        let changed = curve.sizes.iter().filter(|size| words::changed(size.change.verdict)).count();
        if shown.len() < changed {
            parts.push(format!("  {} of {changed} sizes that changed; --rows all shows all", shown.len()));
        }
    }
    parts.extend(curve.dips.iter().map(|dip| item("dip", &words::dip(dip), width)));
    parts.join("\n")
}

/// The sizes to show: in the short form of those that changed as many as there is room for, evenly.
fn chosen(curve: &CurveChange, rows: Rows) -> Vec<&SizeChange> {
    if rows == Rows::All {
        return curve.sizes.iter().collect();
    }
    let changed: Vec<&SizeChange> =
        curve.sizes.iter().filter(|size| words::changed(size.change.verdict)).collect();
    let most = changed.len().min(SHORT);
    (0..most).map(|nth| changed[nth * (changed.len() - 1) / (most - 1).max(1)]).collect()
}

/// The columns of a table: each has a cell for each row.
struct Cells {
    /// Heading and cells.
    names: (String, Vec<String>),
    middles: [Vec<String>; 2],
    estimate: Vec<String>,
    interval: Vec<String>,
    p: Vec<String>,
    verdict: Vec<String>,
}

fn columns(cells: Cells) -> Vec<Column> {
    let [base, candidate] = cells.middles;
    vec![
        Column::new(cells.names.0, 0, cells.names.1),
        Column::new("base", 0, base),
        Column::new("candidate", 0, candidate),
        Column::new("ratio", 0, cells.estimate),
        Column::new("95 % interval", 1, cells.interval),
        Column::new("p", 2, cells.p),
        Column::new("verdict", 0, cells.verdict),
    ]
}

fn p(p: Option<f64>) -> String {
    match p {
        None => "-".to_owned(),
        Some(p) if p < 0.0005 => "< 0.001".to_owned(),
        Some(p) => format!("{p:.3}"),
    }
}
