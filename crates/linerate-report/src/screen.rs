//! The report as text for a terminal.

use linerate_analysis::report::{NamedRun, Report};
use linerate_core::plan::Rows;

use super::chart::chart;
use super::section::merged;
use super::text::wrap;
use super::{app, mesh, stages, table, trace, traffic};

/// Rows of the chart of curves.
const CHART_ROWS: u16 = 18;

/// `report` as plain text of about `width` columns, in the order of a page: what came of it and what limits it, the
/// chart of curves, what is doubtful, then the tables of curves, with these `rows`, and how they were measured. No
/// colours, no control codes.
pub fn text(report: &Report, width: u16, rows: Rows) -> String {
    let has = |has: fn(&NamedRun) -> bool| report.runs.iter().any(has);
    let has_curves = has(NamedRun::is_of_curves) || report.runs.is_empty();
    let mut parts = Vec::new();
    if has_curves {
        parts.push(table::result(report, width));
        parts.push(chart(report, width, CHART_ROWS));
    }
    let mut add = |has: bool, text: fn(&Report, u16, Rows) -> String| {
        parts.extend(has.then(|| text(report, width, rows)));
    };
    add(has(NamedRun::has_mesh), mesh::text);
    add(has(NamedRun::has_app), app::text);
    add(has(NamedRun::has_trace), trace::text);
    add(has(NamedRun::has_loads), traffic::text);
    parts.push(cautions(report, usize::from(width)));
    if has_curves {
        parts.push(table::details(report, width, rows));
        let staged = report.runs.iter().filter_map(|named| stages::text(named, width));
        parts.extend(staged.map(|text| text + "\n"));
    }
    parts.retain(|part| !part.trim().is_empty());
    parts.join("\n")
}

/// What is doubtful: a line for each cause.
fn cautions(report: &Report, width: usize) -> String {
    let several = report.runs.len() > 1;
    let runs =
        report.runs.iter().map(|named| (several.then_some(named.name.as_str()), &named.run.cautions[..]));
    merged(runs).iter().map(|warning| wrap(&format!("! {warning}"), width, 2) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use linerate_core::caution::Caution;
    use linerate_core::traffic::Transfer;

    use super::*;
    use crate::fixture;

    /// Whether the text has a table and a chart of curves, stages, and a block of loads.
    fn parts(report: &Report) -> [bool; 4] {
        let text = text(report, 80, Rows::Short);
        ["median us", "Throughput (Mb/s)", "stages of a message", "stream over"]
            .map(|part| text.contains(part))
    }

    #[test]
    fn a_report_shows_what_its_runs_have() {
        assert_eq!(parts(&fixture::one()), [true, true, false, false]);
        assert_eq!(parts(&fixture::staged(true)), [true, true, true, false]);
        let loads = || {
            let mut loads = fixture::loads(vec![Transfer::default()]);
            loads.runs[0].run.plan.task = linerate_core::plan::Task::Stream(Default::default());
            loads
        };
        assert_eq!(parts(&loads()), [false, false, false, true]);
        let both = Report::new([fixture::one().runs, loads().runs].concat());
        assert_eq!(parts(&both), [true, true, false, true]);
        assert!(text(&Report::new(Vec::new()), 80, Rows::Short).contains("nothing was timed"));
    }

    #[test]
    fn a_caution_names_its_run_among_several() {
        let of = |mut report: Report| {
            report.runs.iter_mut().for_each(|named| named.run.cautions.clear());
            report.runs[0].run.cautions = vec![Caution::SameHost];
            cautions(&report, 1_000)
        };
        let caution = format!("{}; {}", Caution::SameHost.finding(), Caution::SameHost.advice());
        assert_eq!(of(fixture::one()), format!("! {caution}\n"));
        let two = fixture::two();
        let name = two.runs[0].name.clone();
        assert_eq!(of(two), format!("! {name}: {caution}\n"));
    }

    #[test]
    fn the_result_comes_first_then_the_chart_then_what_is_doubtful() {
        let text = text(&fixture::staged(true), 80, Rows::Short);
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what} in {text}"));
        let order = [
            "latency",
            "limited by",
            "Throughput (Mb/s)",
            "\n! ",
            "median us",
            "hosts",
            "stages of a message",
        ];
        assert!(order.map(at).is_sorted(), "{text}");
    }
}
