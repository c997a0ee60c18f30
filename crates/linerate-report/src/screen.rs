//! The report as text for a terminal.

use linerate_analysis::report::{NamedRun, Report};
use linerate_core::plan::Rows;

use super::chart::chart;
use super::table::table;
use super::text::is_of_curves;
use super::{app, mesh, stages, trace, traffic};

/// Rows of the chart of curves.
const CHART_ROWS: u16 = 18;

/// `report` as plain text of about `width` columns: of curves a table, a chart and the stages of
/// messages; then each mesh, each application, each trace, and each run of loads. Tables have these `rows`. No colours, no control codes.
pub fn text(report: &Report, width: u16, rows: Rows) -> String {
    let [loads, meshes, apps] =
        [NamedRun::has_loads, NamedRun::has_mesh, NamedRun::has_app].map(|has| report.runs.iter().any(has));
    let curves_too = report.runs.iter().any(is_of_curves);
    let mut parts = Vec::new();
    if curves_too || report.runs.is_empty() {
        parts.push(curves(report, width, rows));
    }
    if meshes {
        parts.push(mesh::text(report, width, rows));
    }
    if apps {
        parts.push(app::text(report, width, rows));
    }
    if report.runs.iter().any(NamedRun::has_trace) {
        parts.push(trace::text(report, width, rows));
    }
    if loads {
        parts.push(traffic::text(report, width, rows));
    }
    parts.join("\n")
}

fn curves(report: &Report, width: u16, rows: Rows) -> String {
    let mut text = format!("{}\n{}", table(report, width, rows), chart(report, width, CHART_ROWS));
    let staged = |named: &NamedRun| stages::text(named, width);
    for stages in report.runs.iter().filter_map(staged) {
        text = format!("{text}\n{stages}\n");
    }
    text
}

#[cfg(test)]
mod tests {
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
}
