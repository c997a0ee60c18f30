//! A comparison as sections.

use linerate_analysis::compare::{Change, Comparison, CurveChange, FigureChange, SizeChange};
use linerate_analysis::figures::Unit;
use linerate_analysis::identity::{Difference, Role};

use super::super::section::{
    self, Cell, Document, Item, Part, Section, TableView, Warning, entries, thinned,
};
use super::super::text::plain;
use super::{chart, forest, verdict, words};

/// How the tables are read.
const READ: &str = "A ratio is that of the candidate to the base. The unit of repetition is the run, or the pass of one run. \"The same\" and the first sentence go by the 95 % interval of the figure alone; those of the tables hold for all together. Key figures and bands share 5 % of false alarms, and so do all sizes of a curve: p is corrected for that. \"Detects\" is the smallest change that would have been found in four of five cases.";
/// At most this many sizes and differences are shown in the short form.
const SHORT: usize = 12;

/// `comparison` in every form: the verdict, the ratio of every key figure, both sides over each other, the ratio against
/// size, what differs, doubts, every number, and dips.
pub fn document(comparison: &Comparison) -> Document {
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
    let curves = comparison.curves.iter().filter(|curve| !curve.sizes.is_empty());
    let sizes = curves
        .map(|curve| ("sizes", format!("{}: {}", curve.pattern, words::sizes(curve, comparison.threshold))));
    let outcome = [("verdict", verdict::outcome(comparison))];
    let facts = outcome.into_iter().chain(sizes).chain([
        ("base", words::runs(base)),
        ("candidate", words::runs(candidate)),
        ("judged by", words::method(comparison.method)),
    ]);
    let dips = comparison
        .curves
        .iter()
        .flat_map(|curve| curve.dips.iter().map(|dip| format!("{}: {}", curve.pattern, words::dip(dip))));
    let doubts: Vec<Warning> =
        comparison.doubts.iter().map(|doubt| Warning::new(plain(&doubt.finding()), doubt.advice())).collect();
    let cautions = (!doubts.is_empty()).then_some(Item::Cautions(doubts));
    let result = vec![Item::Lead(verdict::sentence(comparison)), Item::Facts(entries(facts))];
    let numbers = section::tables(tables(comparison)).chain([Item::Note(READ.to_owned())]);
    vec![
        Section::new(Part::Result, "verdict", of.trim_start_matches(": "), result),
        Section::new(Part::Charts, "charts", heading("Charts"), section::charts(drawn).collect()),
        Section::new(Part::Doubts, "differences", heading("What differs"), differences(comparison)),
        Section::new(Part::Doubts, "cautions", heading("Cautions"), cautions.into_iter().collect()),
        Section::new(Part::Tables, "numbers", heading("Numbers"), numbers.collect()),
        Section::new(Part::Tables, "dips", heading("Dips"), dips.map(Item::Note).collect()),
    ]
}

/// What differs between the sides; a short text has what differs in every run.
fn differences(comparison: &Comparison) -> Vec<Item> {
    let row = |difference: &Difference| {
        let [base, candidate] = words::difference(difference);
        let role = match difference.role {
            Role::Task => "what was asked",
            Role::Hardware => "hardware",
            Role::Setting => "setting",
        };
        let runs = if words::in_every_run(difference) { "all" } else { "some" };
        [plain(&difference.name), base, candidate, role.to_owned(), runs.to_owned()].map(Cell::from).to_vec()
    };
    let all = &comparison.differences;
    if all.is_empty() {
        return section::note("No configuration differences recorded.").into_iter().collect();
    }
    let columns = [("what", 0), ("base", 0), ("candidate", 0), ("kind", 2), ("in which runs", 1)];
    let table = TableView::of("", &columns, all.iter().map(row).collect());
    let mut clear: Vec<usize> = (0..all.len()).filter(|nth| words::in_every_run(&all[*nth])).collect();
    clear.truncate(SHORT);
    let shown = format!("{} of {} differences", clear.len(), all.len());
    vec![Item::Table(if clear.len() < all.len() { table.brief(clear, shown) } else { table })]
}

/// Key figures and bands of each subject, then every size of each curve.
fn tables(comparison: &Comparison) -> Vec<TableView> {
    let threshold = comparison.threshold;
    let row = |figure: &FigureChange| cells(words::name(figure), &figure.change, figure.unit, threshold);
    let subjects = comparison.figures.chunk_by(|one, other| one.key.subject == other.key.subject);
    let key = subjects.map(|figures| {
        let title = plain(&figures[0].key.subject);
        TableView::of(title, &columns("figure"), figures.iter().map(row).collect())
    });
    let sizes = |curve: &CurveChange| {
        let row =
            |size: &SizeChange| cells(size.size.to_string(), &size.change, Unit::Microseconds, threshold);
        let changed: Vec<usize> =
            (0..curve.sizes.len()).filter(|nth| words::changed(curve.sizes[*nth].change.verdict)).collect();
        let shown = thinned(&changed, SHORT);
        let chosen = format!("{} of {} sizes that changed", shown.len(), changed.len());
        let title = format!("{}: one-way time of every size, us", curve.pattern);
        TableView::of(title, &columns("size B"), curve.sizes.iter().map(row).collect())
            .brief(shown, chosen)
            .closed()
    };
    let curves = comparison.curves.iter().filter(|curve| !curve.sizes.is_empty()).map(sizes);
    key.chain(curves).collect()
}

/// The columns of a table whose first is `first`.
const fn columns(first: &str) -> [(&str, u8); 7] {
    [(first, 0), ("base", 0), ("candidate", 0), ("ratio", 0), ("95 % interval", 1), ("p", 2), ("verdict", 0)]
}

/// A row: in small letters from where to where the runs of a side go.
fn cells(first: String, change: &Change, unit: Unit, threshold: f64) -> Vec<Cell> {
    let side = |side: usize| {
        let [least, most] = change.ranges[side].map(|end| words::value(end, unit));
        let middle = words::value(change.middle[side], unit);
        if least == most { middle } else { format!("{middle}\n{least} to {most}") }
    };
    let p = match change.p {
        None => "-".to_owned(),
        Some(p) if p < 0.0005 => "< 0.001".to_owned(),
        Some(p) => format!("{p:.3}"),
    };
    let [estimate, interval] = [words::estimate(change, unit), words::interval(change, unit)];
    let verdict = words::verdict(change, unit, threshold);
    [first, side(0), side(1), estimate, interval, p, verdict].map(Cell::from).to_vec()
}
