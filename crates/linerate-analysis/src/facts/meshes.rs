//! The pairs of meshes, what all ranks did at once, and their collectives. Latencies are one way, rates of payload in one
//! direction (10^6 bit/s).

use linerate_core::foreign::plain;
use linerate_core::plan::Level;
use linerate_core::units::Size;
use serde_json::Value;

use super::Unit::{Bytes, Count, Mbps, Microseconds, Share, Size as MessageSize, Word};
use super::{Fact, Followed, Kind};
use crate::report::{
    CollectiveRow, MeshNode, MeshResult, MeshUnit, MeshView, NamedRun, PairStats, PairValue, Report, Together,
};

const SCHEDULE: &str = "who talked at the same time, such as `pairs`, `serial`, `shifts` or `bisection`";
const PROBE: &str = "what was sent, such as `latency of 1 B`";

/// What one rank sent to another.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'r> {
    mesh: &'r MeshResult,
    view: &'r MeshView,
    from: usize,
    to: usize,
    value: f64,
    stats: PairStats,
}

impl Pair<'_> {
    fn rank(&self, rank: usize) -> Value {
        self.mesh.ranks.get(rank).map(|name| plain(name)).into()
    }
}

/// `value` of a view, if it is in `unit`.
fn of(view: &MeshView, unit: MeshUnit, value: f64) -> Value {
    (view.unit == unit).then_some(value).into()
}

/// Less loss than this is not compared. Unit: share of the packets.
const LOSS: f64 = 1e-3;

/// Ordered pairs of ranks.
#[derive(Debug)]
pub struct Pairs;

type PairFact = Fact<Pairs>;

impl Kind for Pairs {
    const NAME: &'static str = "pair";
    const LEVELS: &'static [Level] = &[Level::Point, Level::Pair];
    const OF: fn(&NamedRun) -> bool = NamedRun::has_mesh;
    type Row<'r> = Pair<'r>;
    const FACTS: &'static [Fact<Self>] = &[
        PairFact::new("schedule", Word, SCHEDULE, |row| row.view.schedule.name().into()),
        PairFact::new("probe", Word, PROBE, |row| row.view.title.clone().into()),
        PairFact::new("pattern", Word, "`ping-pong` or `one-way`", |row| {
            row.view.probe.pattern.to_string().into()
        }),
        PairFact::new("size_bytes", MessageSize, "message size", |row| row.view.probe.size.into()),
        PairFact::new("from", Word, "name of the rank that sent", |row| row.rank(row.from)),
        PairFact::new("to", Word, "name of the rank that received", |row| row.rank(row.to)),
        PairFact::new(
            "latency_us",
            Microseconds,
            "median over the repetitions, one way; empty if the probe measures throughput",
            |row| of(row.view, MeshUnit::Microseconds, row.value),
        )
        .less(),
        PairFact::new(
            "throughput_mbps",
            Mbps,
            "median over the repetitions; empty if the probe measures latency",
            |row| of(row.view, MeshUnit::Mbps, row.value),
        )
        .more(),
        PairFact::new("mean_us", Microseconds, "mean of all round trips, one way", |row| {
            row.stats.mean_us.into()
        })
        .less(),
        PairFact::new(
            "p99_us",
            Microseconds,
            "99th percentile of a visit's round trips, one way; median over the visits",
            |row| row.stats.p99_us.into(),
        )
        .less(),
        PairFact::new("longest_us", Microseconds, "longest of all round trips, one way", |row| {
            row.stats.longest_us.into()
        })
        .less(),
        PairFact::new("sent_packets", Count, "packets with payload that `from` sent to `to`", |row| {
            row.stats.sent.into()
        }),
        PairFact::new("lost_packets", Count, "those that were sent again because one was lost", |row| {
            row.stats.retransmitted.into()
        })
        .less(),
    ];

    fn rows(report: &Report) -> impl Iterator<Item = (usize, Pair<'_>)> {
        let views = report.meshes.iter().flat_map(|mesh| mesh.views.iter().map(move |view| (mesh, view)));
        views.flat_map(|(mesh, view)| {
            let mut pairs: Vec<&PairValue> = view.sorted.iter().collect();
            pairs.sort_by_key(|pair| (pair.from, pair.to));
            pairs.into_iter().map(move |pair| {
                let PairValue { from, to, value, stats } = *pair;
                (mesh.run, Pair { mesh, view, from, to, value, stats })
            })
        })
    }
}

/// The pairs of a probe, measured by a schedule.
#[derive(Debug)]
pub struct Views;

type ViewFact = Fact<Views>;

impl Kind for Views {
    const NAME: &'static str = "pairs";
    const LEVELS: &'static [Level] = &[Level::Run];
    const OF: fn(&NamedRun) -> bool = NamedRun::has_mesh;
    type Row<'r> = &'r MeshView;
    const FACTS: &'static [Fact<Self>] = &[
        ViewFact::new("schedule", Word, SCHEDULE, |row| row.schedule.name().into()),
        ViewFact::new("probe", Word, PROBE, |row| row.title.clone().into()),
        ViewFact::new("size_bytes", MessageSize, "message size", |row| row.probe.size.into()),
        ViewFact::new("pairs", Count, "ordered pairs that were measured", |row| row.sorted.len().into()),
        ViewFact::new("median_us", Microseconds, "one-way time of the median pair of ranks", |row| {
            of(row, MeshUnit::Microseconds, row.median)
        })
        .less()
        .followed(Followed::new("pair-time", "time, median pair", "pair_time")),
        ViewFact::new("worst_us", Microseconds, "one-way time of the slowest pair of ranks", |row| {
            of(row, MeshUnit::Microseconds, row.worst.value)
        })
        .less()
        .followed(Followed::new("worst-pair-time", "time, worst pair", "worst_pair_time")),
        ViewFact::new("median_mbps", Mbps, "rate of the median pair of ranks", |row| {
            of(row, MeshUnit::Mbps, row.median)
        })
        .more()
        .followed(Followed::new("pair-rate", "rate, median pair", "pair_rate")),
        ViewFact::new("worst_mbps", Mbps, "rate of the slowest pair of ranks", |row| {
            of(row, MeshUnit::Mbps, row.worst.value)
        })
        .more()
        .followed(Followed::new("worst-pair-rate", "rate, worst pair", "worst_pair_rate")),
    ];

    fn subject(row: &&MeshView) -> String {
        format!("{} {}", row.schedule, Size(row.probe.size))
    }

    fn rows(report: &Report) -> impl Iterator<Item = (usize, &MeshView)> {
        report.meshes.iter().flat_map(|mesh| mesh.views.iter().map(move |view| (mesh.run, view)))
    }
}

/// What each rank sent and received, by its name.
#[derive(Debug)]
pub struct MeshNodes;

type NodeFact = Fact<MeshNodes>;

impl Kind for MeshNodes {
    const NAME: &'static str = "node";
    const LEVELS: &'static [Level] = &[Level::Run, Level::Pair];
    const OF: fn(&NamedRun) -> bool = NamedRun::has_mesh;
    type Row<'r> = &'r MeshNode;
    const FACTS: &'static [Fact<Self>] = &[
        NodeFact::new("node", Word, "name of the rank", |row| plain(&row.name).into()).column("node", 0),
        NodeFact::new("schedule", Word, SCHEDULE, |row| row.schedule.name().into()).column("schedule", 3),
        NodeFact::new("probe", Word, PROBE, |row| row.title.clone().into()).column("measured", 0),
        NodeFact::new("size_bytes", MessageSize, "message size", |row| row.probe.size.into()),
        NodeFact::new(
            "node_us",
            Microseconds,
            "one-way time of a message, median of the node's visits",
            |row| (row.unit == MeshUnit::Microseconds).then_some(row.value).into(),
        )
        .less()
        .followed(Followed::new("node-time", "time, node", "node_time"))
        .column("median", 1),
        NodeFact::new("mean_us", Microseconds, "mean of all round trips, one way", |row| {
            row.stats.mean_us.into()
        })
        .less()
        .column("mean", 2),
        NodeFact::new(
            "p99_us",
            Microseconds,
            "99th percentile of a visit's round trips, one way; median over the visits",
            |row| row.stats.p99_us.into(),
        )
        .less()
        .followed(Followed::new("node-p99", "p99, node", "node_tail_time"))
        .column("p99", 1),
        NodeFact::new("longest_us", Microseconds, "longest of all round trips, one way", |row| {
            row.stats.longest_us.into()
        })
        .less()
        .column("longest", 2),
        NodeFact::new("node_mbps", Mbps, "rate of a message, median of the node's visits", |row| {
            (row.unit == MeshUnit::Mbps).then_some(row.value).into()
        })
        .more()
        .followed(Followed::new("node-rate", "rate, node", "node_rate"))
        .column("rate", 1),
        NodeFact::new(
            "sent_packets",
            Count,
            "packets with payload that the node and its peers sent each other",
            |row| row.stats.sent.into(),
        )
        .column("packets", 4),
        NodeFact::new("lost_packets", Count, "those that were sent again because one was lost", |row| {
            row.stats.retransmitted.into()
        })
        .less(),
        NodeFact::new("lost_share", Share, "the same, a share of the packets", |row| {
            row.stats.lost_share().into()
        })
        .less()
        .followed(Followed::new("node-loss", "loss, node", "node_loss").by_difference(Some(LOSS)))
        .column("lost", 0),
    ];

    fn subject(row: &&MeshNode) -> String {
        format!("{} {} {}", plain(&row.name), row.schedule, Size(row.probe.size))
    }

    fn rows(report: &Report) -> impl Iterator<Item = (usize, &MeshNode)> {
        report.meshes.iter().flat_map(|mesh| mesh.nodes.iter().map(move |node| (mesh.run, node)))
    }
}

/// What all ranks did at once.
#[derive(Debug)]
pub struct Togethers;

type TogetherFact = Fact<Togethers>;

impl Kind for Togethers {
    const NAME: &'static str = "together";
    const LEVELS: &'static [Level] = &[Level::Run, Level::Point];
    const OF: fn(&NamedRun) -> bool = NamedRun::has_mesh;
    type Row<'r> = &'r Together;
    const FACTS: &'static [Fact<Self>] = &[
        TogetherFact::new("schedule", Word, SCHEDULE, |row| row.schedule.name().into())
            .column("all at once", 0),
        TogetherFact::new("size_bytes", MessageSize, "message size", |row| row.size.into()).column("size", 1),
        TogetherFact::new("rounds", Count, "rounds in which all ranks did it", |row| row.rounds.into())
            .column("rounds", 2),
        TogetherFact::new(
            "throughput_mbps",
            Mbps,
            "mean rate of a way over all ways and rounds; of `bisection` the effective bisection bandwidth",
            |row| row.mean_mbps.into(),
        )
        .more()
        .within(|row| row.interval_mbps)
        .followed(Followed::new("together-rate", "rate, all at once", "together_rate"))
        .column("mean", 0),
        TogetherFact::new("worst_round_mbps", Mbps, "mean rate of the slowest round", |row| {
            row.worst_round_mbps.into()
        })
        .more()
        .column("worst round", 1),
        TogetherFact::new("slowest_mbps", Mbps, "rate of the slowest way of all", |row| {
            row.slowest_mbps.into()
        })
        .more()
        .column("slowest way", 0),
    ];

    fn subject(row: &&Together) -> String {
        format!("{} {}", row.schedule, Size(row.size))
    }

    fn rows(report: &Report) -> impl Iterator<Item = (usize, &Together)> {
        report.meshes.iter().flat_map(|mesh| mesh.together.iter().map(move |it| (mesh.run, it)))
    }
}

/// Collectives, by algorithm and size.
#[derive(Debug)]
pub struct Collectives;

type CollectiveFact = Fact<Collectives>;

impl Kind for Collectives {
    const NAME: &'static str = "collective";
    const LEVELS: &'static [Level] = &[Level::Run, Level::Point];
    const OF: fn(&NamedRun) -> bool = NamedRun::has_mesh;
    type Row<'r> = &'r CollectiveRow;
    const FACTS: &'static [Fact<Self>] = &[
        CollectiveFact::new("collective", Word, "such as `allreduce`", |row| {
            plain(&row.collective).into()
        }).column("collective", 0),
        CollectiveFact::new("algorithm", Word, "such as `ring`; `library` is the choice of an MPI library", |row| {
            plain(&row.algorithm).into()
        }).column("algorithm", 0),
        CollectiveFact::new("size_bytes", MessageSize, "the whole vector, or the block of one rank (`allgather`) or of one pair (`alltoall`)",
            |row| row.bytes.into()).column("size", 0),
        CollectiveFact::new("ranks", Count, "ranks that took part", |row| row.ranks.into()),
        CollectiveFact::new("calls", Count, "how often they called it", |row| row.calls.into()).column("calls", 6),
        CollectiveFact::new("mean_us", Microseconds, "mean of the ranks' mean times", |row| row.mean_us.into()).less().column("mean rank", 3),
        CollectiveFact::new("min_us", Microseconds, "least of the ranks' mean times", |row| row.min_us.into()).less().column("fastest", 4),
        CollectiveFact::new("max_us", Microseconds, "greatest of the ranks' mean times", |row| row.max_us.into()).less().column("slowest", 4),
        CollectiveFact::new("slowest_mean_us", Microseconds, "time until the slowest rank was done, mean over the calls", |row| {
            row.slowest_mean_us.into()
        }).less().followed(Followed::new("call-time", "time of a call", "call_time")).column("all done", 0),
        CollectiveFact::new("slowest_p99_us", Microseconds, "time until the slowest rank was done, 99th percentile over the calls",
            |row| row.slowest_p99_us.into()).less().column("p99", 2),
        CollectiveFact::new("bus_mbps", Mbps, "what the wire of a rank must carry, to be held against a link's rate; empty if it carries nothing",
            |row| row.bus_mbps.into()).more().column("bus", 1),
        CollectiveFact::new("sent_messages", Count, "messages of all ranks for one call; empty if a library sent them",
            |row| row.sent_messages.into()).column("messages", 5),
        CollectiveFact::new("sent_bytes", Bytes, "payload of all ranks for one call; empty if a library sent them",
            |row| row.sent_bytes.into()).column("sent", 5),
    ];

    fn subject(row: &&CollectiveRow) -> String {
        format!("{}:{} {}", row.collective, row.algorithm, Size(row.bytes))
    }

    fn rows(report: &Report) -> impl Iterator<Item = (usize, &CollectiveRow)> {
        report.meshes.iter().flat_map(|mesh| mesh.collectives.iter().map(move |it| (mesh.run, it)))
    }
}
