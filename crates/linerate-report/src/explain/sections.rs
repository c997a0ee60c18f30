//! What limits runs, as sections of a report.

use linerate_analysis::explain::{
    Band, Bound, Candidate, Certainty, ExplainedCurve, ExplainedLoad, Explanation, Settled, explain, trouble,
};
use linerate_analysis::report::{NamedRun, Report};

use super::{figure, is_known, load_name, moved_says, percent, says, shows};
use crate::section::{Cell, Item, Part, Section, TableView};
use crate::text::{band_sizes, plain};

/// What limits each run, size by size; what moved when one thing was changed; and the account of it.
pub(crate) fn sections(report: &Report) -> Vec<Section> {
    let explained: Vec<(usize, &NamedRun, Explanation)> = report
        .runs
        .iter()
        .enumerate()
        .filter_map(|(index, named)| Some((index, named, explain(&named.run).ok()?)))
        .collect();
    let several = report.runs.len() > 1;
    let rows = |of: &dyn Fn(&NamedRun, &Explanation) -> Vec<Vec<Cell>>| {
        let (mut rows, mut runs) = (Vec::new(), Vec::new());
        for (index, named, explanation) in &explained {
            let mut own = of(named, explanation);
            if several {
                let name =
                    |row: &mut Vec<Cell>| row[0] = format!("{}: {}", plain(&named.name), row[0].text).into();
                own.iter_mut().for_each(name);
            }
            runs.extend((!own.is_empty()).then_some(*index));
            rows.append(&mut own);
        }
        (rows, runs)
    };
    let section = |(part, id, heading): (Part, &'static str, &str), table: TableView, runs: Vec<usize>| {
        (!table.rows.is_empty()).then(|| Section::new(part, id, heading, vec![Item::Table(table)]).of(runs))
    };
    let (limits, of_limits) = rows(&limit_rows);
    let (moved, of_moved) = rows(&|_, explanation| moved_rows(&explanation.settled));
    let (account, of_account) = rows(&|_, explanation| account_rows(explanation));
    let limits = TableView::of("", &[("", 0), ("limited by", 1)], limits);
    let columns = [("", 0), ("with", 1), ("what moved", 1)];
    let moved = TableView::of("The same with one thing changed", &columns, moved).at_length();
    let columns = [("", 0), ("bottleneck", 0), ("of the time", 0), ("evidence", 1)];
    let account =
        TableView::of("Shares of the time, with their evidence", &columns, account).closed().at_length();
    let all = [
        section((Part::Result, "limits", "What limits it"), limits, of_limits),
        section((Part::Result, "settled", "What moved"), moved, of_moved),
        section((Part::Tables, "account", "Where the time went"), account, of_account),
    ];
    all.into_iter().flatten().collect()
}

/// A row for each band of sizes, and for each load of which something is known.
fn limit_rows(named: &NamedRun, explanation: &Explanation) -> Vec<Vec<Cell>> {
    let bands =
        bands(explanation).map(|(what, band)| limit(what, (band.verdict, band.certainty), &band.candidates));
    let loads =
        explanation.loads.iter().zip(&named.run.transfers).filter(|(load, _)| !load.candidates.is_empty());
    let of_load = |(load, transfer): (&ExplainedLoad, _)| match trouble(transfer, load) {
        Some(why) => vec![load_name(load).into(), format!("not judged: {}", plain(&why)).into()],
        None => limit(load_name(load), (load.verdict, load.certainty), &load.candidates),
    };
    bands.chain(loads.map(of_load)).collect()
}

/// Every band, and what it is called.
fn bands(explanation: &Explanation) -> impl Iterator<Item = (String, &Band)> {
    let several = explanation.curves.len() > 1;
    let of_curve = move |curve: &ExplainedCurve| {
        if several { format!(", {}", curve.pattern) } else { String::new() }
    };
    explanation.curves.iter().flat_map(move |curve| {
        let pattern = of_curve(curve);
        curve.bands.iter().map(move |band| (format!("{}{pattern}", band_sizes(band)), band))
    })
}

/// A row: what, its verdict, and the evidence.
fn limit(
    what: String,
    (verdict, certainty): (Option<Bound>, Certainty),
    candidates: &[Candidate],
) -> Vec<Cell> {
    let (found, says) = says(verdict, certainty, candidates);
    let evidence = found.or_else(|| candidates.first()).map(|it| plain(&it.evidence)).unwrap_or_default();
    vec![what.into(), format!("{says}\n{evidence}").trim_end().to_owned().into()]
}

/// A row for each size at which something was changed.
fn moved_rows(settled: &[Settled]) -> Vec<Vec<Cell>> {
    let of = |settled: &Settled| {
        let change = plain(&settled.change);
        let figures = settled.moved.iter().map(|moved| (figure(moved.figure), moved_says(moved)));
        let shown = shows(settled).map(|shows| ("-".to_owned(), shows));
        let failed = settled.failed.iter().map(|why| ("-".to_owned(), format!("failed to {}", plain(why))));
        let row = |(size, says): (String, String)| vec![size.into(), change.clone().into(), says.into()];
        figures.chain(shown).chain(failed).map(row).collect::<Vec<Vec<Cell>>>()
    };
    settled.iter().flat_map(of).collect()
}

/// A row for each bound of each band and load: with its share of the time, or the reason why that is not known.
fn account_rows(explanation: &Explanation) -> Vec<Vec<Cell>> {
    let of = |what: String, candidates: &[Candidate]| {
        let row = |it: &Candidate| {
            let share = it.share.map_or_else(|| "not known".to_owned(), percent);
            vec![what.clone().into(), it.bound.to_string().into(), share.into(), plain(&it.evidence).into()]
        };
        let (known, unknown): (Vec<&Candidate>, Vec<&Candidate>) = candidates.iter().partition(is_known);
        known.into_iter().chain(unknown).map(row).collect::<Vec<Vec<Cell>>>()
    };
    let loads = explanation.loads.iter().flat_map(|load| of(load_name(load), &load.candidates));
    bands(explanation).flat_map(|(what, band)| of(what, &band.candidates)).chain(loads).collect()
}
