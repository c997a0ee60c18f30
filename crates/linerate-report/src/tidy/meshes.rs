//! The pairs of meshes, what all ranks did at once, and their collectives. Latencies are one way, rates of payload in one
//! direction (10^6 bit/s).

use linerate_analysis::report::{CollectiveRow, MeshResult, MeshUnit, MeshView, Report, Together};
use serde_json::Value;

use super::Rows;
use super::fact::{Fact, fact, less, more};
use crate::text::plain;

pub(super) const PAIR: &str = "pair";
pub(super) const TOGETHER: &str = "together";
pub(super) const COLLECTIVE: &str = "collective";

const SCHEDULE: &str = "who talked at the same time, such as `pairs`, `serial`, `shifts` or `bisection`";

/// What one rank sent to another.
pub(super) struct Pair<'r> {
    mesh: &'r MeshResult,
    view: &'r MeshView,
    from: usize,
    to: usize,
    value: f64,
}

impl Pair<'_> {
    fn rank(&self, rank: usize) -> Value {
        self.mesh.ranks.get(rank).map(|name| plain(name)).into()
    }

    /// The value, if it is in this unit.
    fn of(&self, unit: MeshUnit) -> Value {
        (self.view.unit == unit).then_some(self.value).into()
    }
}

pub(super) fn pair_facts<'r>() -> [Fact<Pair<'r>>; 8] {
    [
        fact("schedule", "", SCHEDULE, |row: &Pair<'r>| row.view.schedule.name().into()),
        fact("probe", "", "what was sent, such as `latency of 1 B`", |row| row.view.title.clone().into()),
        fact("pattern", "", "`ping-pong` or `one-way`", |row| row.view.probe.pattern.to_string().into()),
        fact("size_bytes", "bytes", "message size", |row| row.view.probe.size.into()),
        fact("from", "", "name of the rank that sent", |row| row.rank(row.from)),
        fact("to", "", "name of the rank that received", |row| row.rank(row.to)),
        less(
            "latency_us",
            "us",
            "median over the repetitions, one way; empty if the probe measures throughput",
            |row| row.of(MeshUnit::Microseconds),
        ),
        more(
            "throughput_mbps",
            "Mb/s",
            "median over the repetitions; empty if the probe measures latency",
            |row| row.of(MeshUnit::Mbps),
        ),
    ]
}

pub(super) fn together_facts<'r>() -> [Fact<&'r Together>; 8] {
    fn end(row: &Together, nth: usize) -> Value {
        row.interval_mbps.map(|ends| ends[nth]).into()
    }
    [
        fact("schedule", "", SCHEDULE, |row: &&'r Together| row.schedule.name().into()),
        fact("size_bytes", "bytes", "message size", |row| row.size.into()),
        fact("rounds", "", "rounds in which all ranks did it", |row| row.rounds.into()),
        more(
            "throughput_mbps",
            "Mb/s",
            "mean rate of a way over all ways and rounds; of `bisection` the effective bisection bandwidth",
            |row| row.mean_mbps.into(),
        ),
        more(
            "throughput_low_mbps",
            "Mb/s",
            "lower end of its 95 % interval over the rounds; empty with fewer than three",
            |row| end(row, 0),
        ),
        more("throughput_high_mbps", "Mb/s", "upper end of that interval", |row| end(row, 1)),
        more("worst_round_mbps", "Mb/s", "mean rate of the slowest round", |row| row.worst_round_mbps.into()),
        more("slowest_mbps", "Mb/s", "rate of the slowest way of all", |row| row.slowest_mbps.into()),
    ]
}

pub(super) fn collective_facts<'r>() -> [Fact<&'r CollectiveRow>; 13] {
    [
        fact("collective", "", "such as `allreduce`", |row: &&'r CollectiveRow| {
            plain(&row.collective).into()
        }),
        fact("algorithm", "", "such as `ring`; `library` is the choice of an MPI library", |row| {
            plain(&row.algorithm).into()
        }),
        fact(
            "size_bytes",
            "bytes",
            "the whole vector, or the block of one rank (`allgather`) or of one pair (`alltoall`)",
            |row| row.bytes.into(),
        ),
        fact("ranks", "", "ranks that took part", |row| row.ranks.into()),
        fact("calls", "", "how often they called it", |row| row.calls.into()),
        less("mean_us", "us", "mean of the ranks' mean times", |row| row.mean_us.into()),
        less("min_us", "us", "least of the ranks' mean times", |row| row.min_us.into()),
        less("max_us", "us", "greatest of the ranks' mean times", |row| row.max_us.into()),
        less("slowest_mean_us", "us", "time until the slowest rank was done, mean over the calls", |row| {
            row.slowest_mean_us.into()
        }),
        less(
            "slowest_p99_us",
            "us",
            "time until the slowest rank was done, 99th percentile over the calls",
            |row| row.slowest_p99_us.into(),
        ),
        more(
            "bus_mbps",
            "Mb/s",
            "what the wire of a rank must carry, to be held against a link's rate; empty if it carries nothing",
            |row| row.bus_mbps.into(),
        ),
        fact(
            "sent_messages",
            "",
            "messages of all ranks for one call; empty if a library sent them",
            |row| row.sent_messages.into(),
        ),
        fact(
            "sent_bytes",
            "bytes",
            "payload of all ranks for one call; empty if a library sent them",
            |row| row.sent_bytes.into(),
        ),
    ]
}

/// A row for each ordered pair of each view that was measured.
pub(super) fn pairs(report: &Report) -> Rows {
    let views = report.meshes.iter().flat_map(|mesh| mesh.views.iter().map(move |view| (mesh, view)));
    let rows = views.flat_map(|(mesh, view)| {
        view.values.iter().map(move |(from, to, value)| (mesh.run, Pair { mesh, view, from, to, value }))
    });
    Rows::of(PAIR, &pair_facts(), rows)
}

/// A row for each schedule in which all ranks did something at once.
pub(super) fn together(report: &Report) -> Rows {
    let rows = report.meshes.iter().flat_map(|mesh| mesh.together.iter().map(move |it| (mesh.run, it)));
    Rows::of(TOGETHER, &together_facts(), rows)
}

/// A row for each collective by each algorithm at each size.
pub(super) fn collectives(report: &Report) -> Rows {
    let rows = report.meshes.iter().flat_map(|mesh| mesh.collectives.iter().map(move |it| (mesh.run, it)));
    Rows::of(COLLECTIVE, &collective_facts(), rows)
}
