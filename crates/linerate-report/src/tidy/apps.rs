//! The cases of applications, and who sent how much to whom in each.

use linerate_analysis::report::{AppResult, Report};
use linerate_core::app::{AppCase, AppRun};
use linerate_core::run::{Run, Source};
use serde_json::Value;

use super::Rows;
use crate::text::plain;

/// The merit is in the unit that its row names: more is better.
static CASES: [&str; 15] = [
    "app",
    "network",
    "ranks",
    "repetition",
    "merit",
    "merit_unit",
    "speed_up",
    "efficiency",
    "elapsed_s",
    "communication_share",
    "sent_messages",
    "sent_bytes",
    "checks",
    "failed_checks",
    "interrupted",
];

static TRAFFIC: [&str; 8] =
    ["app", "network", "ranks", "repetition", "from", "to", "sent_messages", "sent_bytes"];

/// A row for each run of an application on some ranks, in the order in which they were run.
pub(super) fn cases(report: &Report) -> Rows {
    let rows = of_all(report)
        .flat_map(|(app, run, of)| of.cases.iter().map(move |it| (app.run, case(app, run, of, it))));
    Rows::new("app", &CASES, rows)
}

/// A row for each ordered pair of ranks of which the one sent the other a message.
pub(super) fn traffic(report: &Report) -> Rows {
    let rows = of_all(report).flat_map(|(app, run, of)| {
        of.cases.iter().flat_map(move |it| pairs(app, run, of, it)).map(|pair| (app.run, pair))
    });
    Rows::new("traffic", &TRAFFIC, rows)
}

/// Each application with its run.
fn of_all(report: &Report) -> impl Iterator<Item = (&AppResult, &Run, &AppRun)> {
    report.apps.iter().filter_map(|app| {
        let run = &report.runs.get(app.run)?.run;
        Some((app, run, run.app.as_ref()?))
    })
}

/// The name of the modelled network; empty if the hosts are real.
fn network(run: &Run) -> Value {
    match &run.source {
        Source::Modelled(name) => plain(name).into(),
        _ => Value::Null,
    }
}

fn case(app: &AppResult, run: &Run, of: &AppRun, case: &AppCase) -> [Value; CASES.len()] {
    // As in the report's rows: against the median on one rank.
    let alone = app.rows.iter().find(|row| row.ranks == 1).map(|row| row.merit).filter(|merit| *merit > 0.0);
    let speed_up = alone.map(|alone| case.merit / alone);
    [
        plain(&of.name).into(),
        network(run),
        case.ranks.into(),
        case.repetition.into(),
        case.merit.into(),
        plain(&of.merit).into(),
        speed_up.into(),
        speed_up.map(|speed_up| speed_up / f64::from(case.ranks)).into(),
        case.seconds().into(),
        case.communication_share().into(),
        case.messages().into(),
        case.bytes().into(),
        case.checks.len().into(),
        case.failed_checks().count().into(),
        case.interrupted.into(),
    ]
}

fn pairs<'r>(
    app: &'r AppResult,
    run: &'r Run,
    of: &'r AppRun,
    case: &'r AppCase,
) -> impl Iterator<Item = [Value; TRAFFIC.len()]> + 'r {
    let name = |rank: usize| app.ranks.get(rank).map(|name| plain(name));
    case.accounts.iter().enumerate().flat_map(move |(from, account)| {
        let sent = account.messages.iter().zip(&account.bytes).enumerate();
        sent.filter(|(_, (messages, _))| **messages > 0).map(move |(to, (messages, bytes))| {
            [
                plain(&of.name).into(),
                network(run),
                case.ranks.into(),
                case.repetition.into(),
                name(from).into(),
                name(to).into(),
                (*messages).into(),
                (*bytes).into(),
            ]
        })
    })
}
