//! The cases of applications, and who sent how much to whom in each.

use linerate_analysis::report::{AppResult, Report};
use linerate_core::app::{AppCase, AppRun};
use linerate_core::run::{Run, Source};
use serde_json::Value;

use super::Rows;
use super::fact::{Fact, fact, less, more};
use crate::text::plain;

pub(super) const CASE: &str = "app";
pub(super) const TRAFFIC: &str = "traffic";

const APP: &str = "name of the application, such as `md`";
const NETWORK: &str = "name of the model; empty if it ran on hosts, which `source` and `from_host` say";
const RANKS: &str = "ranks that it ran on";
const REPETITION: &str = "how often the same was run before";

/// An application on some ranks, once.
#[derive(Clone, Copy)]
pub(super) struct Case<'r> {
    app: &'r AppResult,
    run: &'r Run,
    of: &'r AppRun,
    case: &'r AppCase,
}

/// What one rank sent another.
pub(super) struct Traffic<'r> {
    of: Case<'r>,
    from: usize,
    to: usize,
    messages: u64,
    bytes: u64,
}

impl Case<'_> {
    /// The name of the modelled network; empty if the hosts are real.
    fn network(&self) -> Value {
        match &self.run.source {
            Source::Modelled(name) => plain(name).into(),
            _ => Value::Null,
        }
    }

    /// As in the report's rows: against the median on one rank.
    fn speed_up(&self) -> Option<f64> {
        let alone = self.app.rows.iter().find(|row| row.ranks == 1).map(|row| row.merit);
        alone.filter(|merit| *merit > 0.0).map(|alone| self.case.merit / alone)
    }
}

impl Traffic<'_> {
    fn rank(&self, rank: usize) -> Value {
        self.of.app.ranks.get(rank).map(|name| plain(name)).into()
    }
}

pub(super) fn case_facts<'r>() -> [Fact<Case<'r>>; 15] {
    [
        fact("app", "", APP, |row: &Case<'r>| plain(&row.of.name).into()),
        fact("network", "", NETWORK, Case::network),
        fact("ranks", "", RANKS, |row| row.case.ranks.into()),
        fact("repetition", "", REPETITION, |row| row.case.repetition.into()),
        more("merit", "", "what the application is measured by, in the unit of its row", |row| {
            row.case.merit.into()
        }),
        fact("merit_unit", "", "unit of the merit", |row| plain(&row.of.merit).into()),
        more("speed_up", "", "merit over the median on one rank; empty if it was not run on one", |row| {
            row.speed_up().into()
        }),
        more("efficiency", "share", "speed-up for each rank", |row| {
            row.speed_up().map(|speed_up| speed_up / f64::from(row.case.ranks)).into()
        }),
        less("elapsed_s", "s", "time until the last rank had ended", |row| row.case.seconds().into()),
        less(
            "communication_share",
            "share",
            "part of the ranks' time in calls that send and receive, 0 to 1",
            |row| row.case.communication_share().into(),
        ),
        fact("sent_messages", "", "messages of all ranks", |row| row.case.messages().into()),
        fact("sent_bytes", "bytes", "payload of all ranks, without what carries it", |row| {
            row.case.bytes().into()
        }),
        fact("checks", "", "results that were checked", |row| row.case.checks.len().into()),
        less("failed_checks", "", "results that were wrong", |row| row.case.failed_checks().count().into()),
        fact("interrupted", "", "`true` if it was ended early", |row| row.case.interrupted.into()),
    ]
}

pub(super) fn traffic_facts<'r>() -> [Fact<Traffic<'r>>; 8] {
    [
        fact("app", "", APP, |row: &Traffic<'r>| plain(&row.of.of.name).into()),
        fact("network", "", NETWORK, |row| row.of.network()),
        fact("ranks", "", RANKS, |row| row.of.case.ranks.into()),
        fact("repetition", "", REPETITION, |row| row.of.case.repetition.into()),
        fact("from", "", "name of the rank that sent", |row| row.rank(row.from)),
        fact("to", "", "name of the rank that received", |row| row.rank(row.to)),
        fact("sent_messages", "", "messages of the one to the other", |row| row.messages.into()),
        fact("sent_bytes", "bytes", "payload of the one to the other", |row| row.bytes.into()),
    ]
}

/// A row for each run of an application on some ranks, in the order in which they were run.
pub(super) fn cases(report: &Report) -> Rows {
    Rows::of(CASE, &case_facts(), each(report).map(|case| (case.app.run, case)))
}

/// A row for each ordered pair of ranks of which the one sent the other a message.
pub(super) fn traffic(report: &Report) -> Rows {
    let accounts = each(report)
        .flat_map(|of| of.case.accounts.iter().enumerate().map(move |(from, account)| (of, from, account)));
    let rows = accounts.flat_map(|(of, from, account)| {
        let sent = account.messages.iter().zip(&account.bytes).enumerate();
        let pair = move |(to, (messages, bytes)): (usize, (&u64, &u64))| Traffic {
            of,
            from,
            to,
            messages: *messages,
            bytes: *bytes,
        };
        sent.map(pair).filter(|pair| pair.messages > 0).map(move |pair| (of.app.run, pair))
    });
    Rows::of(TRAFFIC, &traffic_facts(), rows)
}

fn each(report: &Report) -> impl Iterator<Item = Case<'_>> {
    report.apps.iter().flat_map(|app| {
        let run = report.runs.get(app.run).map(|named| &named.run);
        let found = run.and_then(|run| Some((run, run.app.as_ref()?)));
        found
            .into_iter()
            .flat_map(move |(run, of)| of.cases.iter().map(move |case| Case { app, run, of, case }))
    })
}
