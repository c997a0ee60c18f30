//! The cases of applications.

use linerate_core::app::{AppCase, AppRun};
use linerate_core::report::{AppResult, Report};
use serde_json::Value;

use super::Rows;
use crate::text::plain;

/// The merit is in the unit that its row names: more is better.
static CASES: [&str; 12] = [
    "app",
    "ranks",
    "repetition",
    "merit",
    "merit_unit",
    "elapsed_s",
    "communication_share",
    "sent_messages",
    "sent_bytes",
    "checks",
    "failed_checks",
    "interrupted",
];

/// A row for each run of an application on some ranks, in the order in which they were run.
pub(super) fn cases(report: &Report) -> Rows {
    let of = |app: &AppResult| {
        let run = report.runs.get(app.run).and_then(|named| named.run.app.as_ref());
        let cases = run.into_iter().flat_map(|run| run.cases.iter().map(move |case| (run, case)));
        cases.map(|(run, it)| (app.run, case(run, it))).collect::<Vec<_>>()
    };
    Rows::new("app", &CASES, report.apps.iter().flat_map(of))
}

fn case(run: &AppRun, case: &AppCase) -> [Value; CASES.len()] {
    [
        plain(&run.name).into(),
        case.ranks.into(),
        case.repetition.into(),
        case.merit.into(),
        plain(&run.merit).into(),
        case.seconds().into(),
        case.communication_share().into(),
        case.messages().into(),
        case.bytes().into(),
        case.checks.len().into(),
        case.failed_checks().count().into(),
        case.interrupted.into(),
    ]
}
