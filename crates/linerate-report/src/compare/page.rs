//! A comparison as one page that needs nothing else.

use linerate_analysis::compare::{Comparison, CurveChange, FigureChange, SizeChange};
use linerate_analysis::figures::Unit;
use linerate_analysis::identity::Role;

use super::super::page::html as page;
use super::super::section::{self, Cell, Document, Item, Part, Section, TableView, Warning, entries};
use super::super::text::plain;
use super::{chart, forest, words};
use crate::error::RenderError;
use crate::markdown::markdown as write;

/// How the tables are read.
const READ: &str = "The unit of repetition is the run. Key figures and bands share 5 % of false alarms, and so do all sizes of a curve: p is corrected for that. \"Sees\" is the smallest change that would have been found in four of five cases.";

/// `comparison` as one HTML page: what differs, the verdict, the ratio of every key figure, both sides over
/// each other, the ratio against size, dips, doubts, and every number.
///
/// # Errors
///
/// [`RenderError::Json`] or
/// [`RenderError::Page`] when the page cannot be filled.
pub fn html(comparison: &Comparison) -> Result<String, RenderError> {
    page(document(comparison), None)
}

/// `comparison` as Markdown, for a pull request.
pub fn markdown(comparison: &Comparison) -> String {
    write(&document(comparison))
}

fn document(comparison: &Comparison) -> Document {
    Document::new(title(comparison), sections(comparison, ""))
}

/// The candidate against the base.
pub(crate) fn title(comparison: &Comparison) -> String {
    let first = |side: &[linerate_analysis::compare::RunNote]| {
        side.first().map_or_else(String::new, |run| plain(&run.name))
    };
    let [base, candidate] = &comparison.sides;
    format!("{} against {}", first(candidate), first(base))
}

/// The sections of a comparison; beside others their headings end in `of`.
pub(crate) fn sections(comparison: &Comparison, of: &str) -> Vec<Section> {
    let heading = |what: &str| format!("{what}{of}");
    let mut drawn = forest::figures(comparison);
    for curve in comparison.curves.iter().filter(|curve| curve.sizes.len() > 1) {
        drawn.extend(chart::figures(curve, comparison.threshold));
    }
    let [base, candidate] = &comparison.sides;
    let facts = [
        ("base", words::runs(base)),
        ("candidate", words::runs(candidate)),
        ("judged by", words::method(comparison.method)),
    ];
    let dips = comparison
        .curves
        .iter()
        .flat_map(|curve| curve.dips.iter().map(|dip| format!("{}: {}", curve.pattern, words::dip(dip))));
    let doubts: Vec<Warning> =
        comparison.doubts.iter().map(|doubt| Warning::new(plain(&doubt.finding()), doubt.advice())).collect();
    let cautions = (!doubts.is_empty()).then_some(Item::Cautions(doubts));
    let verdict = vec![
        Item::Lead(words::outcome(comparison)),
        Item::Facts(entries(facts)),
        Item::Note("A ratio is that of the candidate to the base.".to_owned()),
    ];
    let numbers = section::tables(tables(comparison)).chain([Item::Note(READ.to_owned())]);
    vec![
        Section::new(Part::Result, "verdict", of.trim_start_matches(": "), verdict),
        Section::new(Part::Charts, "charts", heading("Charts"), section::charts(drawn).collect()),
        Section::new(Part::Charts, "dips", heading("Dips"), dips.map(Item::Note).collect()),
        Section::new(Part::Doubts, "differences", heading("What differs"), differences(comparison)),
        Section::new(Part::Doubts, "cautions", heading("Cautions"), cautions.into_iter().collect()),
        Section::new(Part::Tables, "numbers", heading("Numbers"), numbers.collect()),
    ]
}

fn differences(comparison: &Comparison) -> Vec<Item> {
    let row = |difference: &linerate_analysis::identity::Difference| {
        let [base, candidate] = words::difference(difference);
        let role = match difference.role {
            Role::Task => "what was asked",
            Role::Hardware => "hardware",
            Role::Setting => "setting",
        };
        let runs = if words::in_every_run(difference) { "all" } else { "some" };
        [plain(&difference.name), base, candidate, role.to_owned(), runs.to_owned()].map(Cell::from).to_vec()
    };
    let rows: Vec<Vec<Cell>> = comparison.differences.iter().map(row).collect();
    if rows.is_empty() {
        return section::note("Nothing that the runs know of.").into_iter().collect();
    }
    let headings = ["what", "base", "candidate", "kind", "in which runs"].map(str::to_owned).to_vec();
    vec![Item::Table(TableView { rows, ..TableView::of_rows("", headings) })]
}

/// Key figures and bands, then every size of each curve.
fn tables(comparison: &Comparison) -> Vec<TableView> {
    let threshold = comparison.threshold;
    let figure = |figure: &FigureChange| {
        let mut row = vec![Cell::from(format!("{} {}", plain(&figure.key.subject), words::name(figure)))];
        row.extend(cells(&figure.change, figure.unit, threshold));
        row
    };
    let headings = |first: &str| {
        let rest = [
            "base",
            "runs from",
            "to",
            "candidate",
            "runs from",
            "to",
            "ratio",
            "95 % interval",
            "p",
            "verdict",
        ];
        [first].into_iter().chain(rest).map(str::to_owned).collect::<Vec<String>>()
    };
    let table = TableView::of_rows("Key figures and bands of sizes", headings("figure"));
    let key = TableView { rows: comparison.figures.iter().map(figure).collect(), ..table };
    let sizes = |curve: &CurveChange| {
        let row = |size: &SizeChange| {
            let mut row = vec![Cell::from(size.size.to_string())];
            row.extend(cells(&size.change, Unit::Microseconds, threshold));
            row
        };
        let title = format!("{}: one-way time of every size, us", curve.pattern);
        let table = TableView::of_rows(title, headings("size B")).noted(vec![words::sizes(curve, threshold)]);
        TableView { rows: curve.sizes.iter().map(row).collect(), ..table }.closed()
    };
    let curves = comparison.curves.iter().filter(|curve| !curve.sizes.is_empty()).map(sizes);
    [key].into_iter().chain(curves).filter(|table| !table.rows.is_empty()).collect()
}

fn cells(change: &linerate_analysis::compare::Change, unit: Unit, threshold: f64) -> Vec<Cell> {
    let mut cells: Vec<String> = Vec::new();
    for side in [0, 1] {
        let [least, most] = change.ranges[side];
        cells.extend([change.middle[side], least, most].map(|value| words::value(value, unit)));
    }
    cells.push(words::estimate(change, unit));
    cells.push(words::interval(change, unit));
    cells.push(change.p.map_or_else(|| "-".to_owned(), |p| format!("{p:.4}")));
    cells.push(words::verdict(change, unit, threshold));
    cells.into_iter().map(Cell::from).collect()
}
