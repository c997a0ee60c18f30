//! Applications on numbers of ranks, their cases, and who sent how much to whom in each.

use linerate_core::app::{AppCase, AppRun};
use linerate_core::foreign::plain;
use linerate_core::plan::Level;
use linerate_core::run::{Run, Source};
use serde_json::Value;

use super::Unit::{Bytes, Count, Merit, Seconds, Share, Word};
use super::{Fact, Followed, Kind, When};
use crate::report::{AppResult, AppRow, NamedRun, Report};

const APP: &str = "name of the application, such as `md`";
const NETWORK: &str = "name of the model; empty if it ran on hosts, which `source` and `from_host` say";
const RANKS: &str = "ranks that it ran on";
const SPEED_UP: &str = "figure of merit over the median on one rank; empty if it was not run on one";
const SENT: &str = "payload of all ranks, without what carries it";
const COMPLETE: &str = "complete";
const REPETITION: &str = "how often the same was run before";

/// An application on some ranks, once.
#[derive(Clone, Copy, Debug)]
pub struct Case<'r> {
    app: &'r AppResult,
    run: &'r Run,
    of: &'r AppRun,
    case: &'r AppCase,
}

/// What one rank sent another.
#[derive(Clone, Copy, Debug)]
pub struct RankPair<'r> {
    of: Case<'r>,
    from: usize,
    to: usize,
    messages: u64,
    bytes: u64,
}

impl Case<'_> {
    /// As in the report's rows: against the median on one rank.
    fn speed_up(&self) -> Option<f64> {
        let alone = self.app.rows.iter().find(|row| row.ranks == 1).map(|row| row.merit);
        alone.filter(|merit| *merit > 0.0).map(|alone| self.case.merit / alone)
    }
}

/// The name of the modelled network; null if the hosts are real.
fn network(case: &Case<'_>) -> Value {
    match &case.run.source {
        Source::Modelled(name) => plain(name).into(),
        _ => Value::Null,
    }
}

impl RankPair<'_> {
    fn rank(&self, rank: usize) -> Value {
        self.of.app.ranks.get(rank).map(|name| plain(name)).into()
    }
}

/// An application on a number of ranks: the medians of its repetitions.
#[derive(Clone, Copy, Debug)]
pub struct RankCount<'r> {
    /// The application.
    pub app: &'r AppResult,
    /// What came of it.
    pub row: &'r AppRow,
}

/// Applications by number of ranks.
#[derive(Debug)]
pub struct RankCounts;

type RankCountFact = Fact<RankCounts>;

impl Kind for RankCounts {
    const NAME: &'static str = "ranks";
    const LEVELS: &'static [Level] = &[Level::Run];
    const OF: fn(&NamedRun) -> bool = NamedRun::has_app;
    type Row<'r> = RankCount<'r>;
    const FACTS: &'static [Fact<Self>] = &[
        RankCountFact::new("app", Word, APP, |row| plain(&row.app.app).into()),
        RankCountFact::new("ranks", Count, RANKS, |row| row.row.ranks.into()).column("ranks", 0),
        RankCountFact::new("repetitions", Count, "how often it was run", |row| row.row.repetitions.into())
            .column_when("runs", 7, When::Differs),
        RankCountFact::new("merit", Merit, "figure of merit, in the unit of its row", |row| {
            row.row.merit.into()
        })
        .more()
        .followed(Followed::new("merit", "merit", "application_merit")),
        RankCountFact::new("merit_unit", Word, "unit of the figure of merit", |row| {
            plain(&row.app.merit).into()
        }),
        RankCountFact::new("elapsed_s", Seconds, "time that an application took", |row| {
            row.row.seconds.into()
        })
        .less()
        .followed(Followed::new("took", "time", "application_time"))
        .column("time", 1),
        RankCountFact::new("speed_up", Count, SPEED_UP, |row| row.row.speed_up.into())
            .more()
            .column("speed-up", 0),
        RankCountFact::new("efficiency", Share, "speed-up for each rank", |row| row.row.efficiency.into())
            .more()
            .column("of ideal", 2),
        RankCountFact::new(
            "communication_share",
            Share,
            "part of the ranks' time that was communication, and waiting",
            |row| row.row.communication_share.into(),
        )
        .less()
        .followed(
            Followed::new("communication-share", "communication", "application_communication")
                .by_difference(None),
        )
        .column("comm.", 0),
        RankCountFact::new("sent_messages", Count, "messages of all ranks", |row| row.row.messages.into())
            .column("messages", 3),
        RankCountFact::new("sent_bytes", Bytes, SENT, |row| row.row.bytes.into()).column("sent", 4),
        RankCountFact::new(
            "state",
            Word,
            "`complete`, or `ended early`: of what was done until then",
            |row| if row.row.interrupted { "ended early" } else { COMPLETE }.into(),
        )
        .column_when("state", 0, When::Unless(COMPLETE)),
    ];

    fn subject(row: &RankCount<'_>) -> String {
        let ranks = row.row.ranks;
        format!("{} on {ranks} {}", row.app.app, if ranks == 1 { "rank" } else { "ranks" })
    }

    fn rows(report: &Report) -> impl Iterator<Item = (usize, RankCount<'_>)> {
        report.apps.iter().flat_map(|app| app.rows.iter().map(move |row| (app.run, RankCount { app, row })))
    }
}

/// Runs of applications on some ranks.
#[derive(Debug)]
pub struct Cases;

type CaseFact = Fact<Cases>;

impl Kind for Cases {
    const NAME: &'static str = "app";
    const LEVELS: &'static [Level] = &[Level::Point];
    const OF: fn(&NamedRun) -> bool = NamedRun::has_app;
    type Row<'r> = Case<'r>;
    const FACTS: &'static [Fact<Self>] = &[
        CaseFact::new("app", Word, APP, |row| plain(&row.of.name).into()),
        CaseFact::new("network", Word, NETWORK, network),
        CaseFact::new("ranks", Count, RANKS, |row| row.case.ranks.into()),
        CaseFact::new("repetition", Count, REPETITION, |row| row.case.repetition.into()),
        CaseFact::new("merit", Merit, "figure of merit, in the unit of its row", |row| row.case.merit.into())
            .more(),
        CaseFact::new("merit_unit", Word, "unit of the figure of merit", |row| plain(&row.of.merit).into()),
        CaseFact::new("speed_up", Count, SPEED_UP, |row| row.speed_up().into()).more(),
        CaseFact::new("efficiency", Share, "speed-up for each rank", |row| {
            row.speed_up().map(|speed_up| speed_up / f64::from(row.case.ranks)).into()
        })
        .more(),
        CaseFact::new("elapsed_s", Seconds, "time until the last rank had ended", |row| {
            row.case.seconds().into()
        })
        .less(),
        CaseFact::new(
            "communication_share",
            Share,
            "part of the ranks' time in calls that send and receive, 0 to 1",
            |row| row.case.communication_share().into(),
        )
        .less(),
        CaseFact::new("sent_messages", Count, "messages of all ranks", |row| row.case.messages().into()),
        CaseFact::new("sent_bytes", Bytes, SENT, |row| row.case.bytes().into()),
        CaseFact::new("checks", Count, "results that were checked", |row| row.case.checks.len().into()),
        CaseFact::new("failed_checks", Count, "results that were wrong", |row| {
            row.case.failed_checks().count().into()
        })
        .less(),
        CaseFact::new("interrupted", Word, "`true` if it was ended early", |row| row.case.interrupted.into()),
    ];

    fn rows(report: &Report) -> impl Iterator<Item = (usize, Case<'_>)> {
        each(report).map(|case| (case.app.run, case))
    }
}

/// What ranks of applications sent each other.
#[derive(Debug)]
pub struct Traffic;

type TrafficFact = Fact<Traffic>;

impl Kind for Traffic {
    const NAME: &'static str = "traffic";
    const LEVELS: &'static [Level] = &[Level::Pair];
    const OF: fn(&NamedRun) -> bool = NamedRun::has_app;
    type Row<'r> = RankPair<'r>;
    const FACTS: &'static [Fact<Self>] = &[
        TrafficFact::new("app", Word, APP, |row| plain(&row.of.of.name).into()),
        TrafficFact::new("network", Word, NETWORK, |row| network(&row.of)),
        TrafficFact::new("ranks", Count, RANKS, |row| row.of.case.ranks.into()),
        TrafficFact::new("repetition", Count, REPETITION, |row| row.of.case.repetition.into()),
        TrafficFact::new("from", Word, "name of the rank that sent", |row| row.rank(row.from)),
        TrafficFact::new("to", Word, "name of the rank that received", |row| row.rank(row.to)),
        TrafficFact::new("sent_messages", Count, "messages of the one to the other", |row| {
            row.messages.into()
        }),
        TrafficFact::new("sent_bytes", Bytes, "payload of the one to the other", |row| row.bytes.into()),
    ];

    fn rows(report: &Report) -> impl Iterator<Item = (usize, RankPair<'_>)> {
        let accounts = each(report).flat_map(|of| {
            of.case.accounts.iter().enumerate().map(move |(from, account)| (of, from, account))
        });
        accounts.flat_map(|(of, from, account)| {
            let sent = account.messages.iter().zip(&account.bytes).enumerate();
            let pair = move |(to, (messages, bytes)): (usize, (&u64, &u64))| RankPair {
                of,
                from,
                to,
                messages: *messages,
                bytes: *bytes,
            };
            sent.map(pair).filter(|pair| pair.messages > 0).map(move |pair| (of.app.run, pair))
        })
    }
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
