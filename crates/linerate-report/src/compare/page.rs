//! A comparison as one page that needs nothing else.

use askama::Template;
use linerate_analysis::compare::{Comparison, CurveChange, FigureChange, SizeChange};
use linerate_analysis::figures::Unit;
use linerate_analysis::identity::Role;

use super::super::columns::TableView;
use super::super::figure::{Figure, hover};
use super::super::page::{Entry, Frame, entries};
use super::super::text::plain;
use super::{chart, forest, words};
use crate::error::RenderError;

#[derive(Template)]
#[template(path = "compare.html")]
struct Page {
    title: String,
    frame: Frame,
    facts: Vec<Entry>,
    differences: Vec<TableView>,
    figures: Vec<Figure>,
    tables: Vec<TableView>,
    dips: Vec<String>,
    cautions: Vec<[String; 2]>,
}

/// `comparison` as one HTML page: what differs, the verdict, the ratio of every key figure, both sides over
/// each other, the ratio against size, dips, doubts, and every number.
///
/// # Errors
///
/// [`RenderError::Draw`] when a chart cannot be drawn, [`RenderError::Json`] or
/// [`RenderError::Page`] when the page cannot be filled.
pub fn html(comparison: &Comparison) -> Result<String, RenderError> {
    let mut figures = forest::figures(comparison)?;
    for curve in comparison.curves.iter().filter(|curve| curve.sizes.len() > 1) {
        figures.extend(chart::figures(curve, comparison.threshold)?);
    }
    let [base, candidate] = &comparison.sides;
    let facts = [
        ("base", words::runs(base)),
        ("candidate", words::runs(candidate)),
        ("judged by", words::method(comparison.method)),
        ("verdict", words::outcome(comparison)),
    ];
    let first = |side: &[linerate_analysis::compare::RunNote]| {
        side.first().map_or_else(String::new, |run| plain(&run.name))
    };
    let page = Page {
        title: format!("{} against {}", first(candidate), first(base)),
        frame: Frame::new(&hover(&mut figures))?,
        facts: entries(facts),
        differences: differences(comparison),
        figures,
        tables: tables(comparison),
        dips: comparison
            .curves
            .iter()
            .flat_map(|curve| curve.dips.iter().map(|dip| format!("{}: {}", curve.pattern, words::dip(dip))))
            .collect(),
        cautions: comparison
            .doubts
            .iter()
            .map(|doubt| [plain(&doubt.finding()), doubt.advice().to_owned()])
            .collect(),
    };
    Ok(page.render()?)
}

fn differences(comparison: &Comparison) -> Vec<TableView> {
    let row = |difference: &linerate_analysis::identity::Difference| {
        let [base, candidate] = words::difference(difference);
        let role = match difference.role {
            Role::Task => "what was asked",
            Role::Hardware => "hardware",
            Role::Setting => "setting",
        };
        let runs = if words::in_every_run(difference) { "all" } else { "some" };
        vec![plain(&difference.name), base, candidate, role.to_owned(), runs.to_owned()]
    };
    let rows: Vec<Vec<String>> = comparison.differences.iter().map(row).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let headings = ["what", "base", "candidate", "kind", "in which runs"];
    vec![TableView {
        title: "What differs beside the numbers".to_owned(),
        headings: headings.map(str::to_owned).to_vec(),
        rows,
        notes: Vec::new(),
    }]
}

/// Key figures and bands, then every size of each curve.
fn tables(comparison: &Comparison) -> Vec<TableView> {
    let threshold = comparison.threshold;
    let figure = |figure: &FigureChange| {
        let mut row = vec![format!("{} {}", plain(&figure.key.subject), words::name(figure))];
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
    let key = TableView {
        title: "Key figures and bands of sizes".to_owned(),
        headings: headings("figure"),
        rows: comparison.figures.iter().map(figure).collect(),
        notes: Vec::new(),
    };
    let sizes = |curve: &CurveChange| {
        let row = |size: &SizeChange| {
            let mut row = vec![size.size.to_string()];
            row.extend(cells(&size.change, Unit::Microseconds, threshold));
            row
        };
        TableView {
            title: format!("{}: one-way time of every size, us", curve.pattern),
            headings: headings("size B"),
            rows: curve.sizes.iter().map(row).collect(),
            notes: vec![words::sizes(curve, threshold)],
        }
    };
    let curves = comparison.curves.iter().filter(|curve| !curve.sizes.is_empty()).map(sizes);
    [key].into_iter().chain(curves).filter(|table| !table.rows.is_empty()).collect()
}

fn cells(change: &linerate_analysis::compare::Change, unit: Unit, threshold: f64) -> Vec<String> {
    let mut cells = Vec::new();
    for side in [0, 1] {
        let [least, most] = change.ranges[side];
        cells.extend([change.middle[side], least, most].map(|value| words::value(value, unit)));
    }
    cells.push(words::estimate(change, unit));
    cells.push(words::interval(change, unit));
    cells.push(change.p.map_or_else(|| "-".to_owned(), |p| format!("{p:.4}")));
    cells.push(words::verdict(change, unit, threshold));
    cells
}
