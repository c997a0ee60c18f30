//! A mesh as it is shown: matrices of what was measured of pairs, what all did at once, and what is slow.

use serde::Serialize;

use super::NamedRun;
use crate::mesh::matrix::Matrix;
use crate::mesh::suspects::{Place, Suspect, Verdict, suspects};
use crate::mesh::{Mesh, Phase, Victim};
use crate::pattern::Pattern;
use crate::plan::{MeshPlan, MeshSchedule, Probe};
use crate::units::Size;

/// The half-width of a 95 % interval in standard errors (normal).
const INTERVAL: f64 = 1.96;

/// A mesh.
#[derive(Clone, Debug, Serialize)]
pub struct MeshResult {
    /// Its run, by its index in the report.
    pub run: usize,
    /// The names of the ranks.
    pub ranks: Vec<String>,
    /// A matrix for each probe and each schedule that has one.
    pub views: Vec<MeshView>,
    /// What all did at once.
    pub together: Vec<Together>,
    /// What a load does to those who ask beside it. Absent if that was not measured.
    pub victims: Option<Victims>,
    /// What is slow, slowest first.
    pub suspects: Vec<SuspectRow>,
    /// Ranks and pairs that were not measured to the end, and why.
    pub lost: Vec<String>,
}

/// What values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeshUnit {
    /// Microseconds one way; less is better.
    #[serde(rename = "us")]
    Microseconds,
    /// 10^6 bit/s of payload; more is better.
    Mbps,
}

impl MeshUnit {
    /// As it is shown.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Microseconds => "us",
            Self::Mbps => "Mb/s",
        }
    }

    /// Whether `one` is worse than `other`.
    #[must_use]
    pub fn is_worse(self, one: f64, other: f64) -> bool {
        match self {
            Self::Microseconds => one > other,
            Self::Mbps => one < other,
        }
    }
}

/// The pairs of all ranks at one size.
#[derive(Clone, Debug, Serialize)]
pub struct MeshView {
    /// When the pairs were measured.
    pub schedule: MeshSchedule,
    /// What was sent.
    pub probe: Probe,
    /// Such as `latency of 1 B`.
    pub title: String,
    /// What the values are.
    pub unit: MeshUnit,
    /// The rows send and the columns receive: the median over all repetitions.
    #[serde(serialize_with = "rows")]
    pub values: Matrix,
    /// The median of all pairs.
    pub median: f64,
    /// The pair with the worst value.
    pub worst: PairValue,
    /// The pair with the best value.
    pub best: PairValue,
}

/// A value of a pair.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PairValue {
    /// Who sends.
    pub from: usize,
    /// Who receives.
    pub to: usize,
    /// In the unit of its view.
    pub value: f64,
}

/// What all ranks did at once.
#[derive(Clone, Debug, Serialize)]
pub struct Together {
    /// What.
    pub schedule: MeshSchedule,
    /// Message size. Unit: bytes.
    pub size: u64,
    /// Rounds in which they did it.
    pub rounds: usize,
    /// Mean rate of a message's way over all ways and rounds. Unit: Mb/s.
    pub mean_mbps: f64,
    /// Its 95 % interval over the rounds. Absent if there are fewer than three.
    pub interval_mbps: Option<[f64; 2]>,
    /// The slowest way of all. Unit: Mb/s.
    pub slowest_mbps: f64,
    /// The mean of the round with the least. Unit: Mb/s.
    pub worst_round_mbps: f64,
}

/// How much later answers come beside a load.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Victims {
    /// How many pairs asked.
    pub pairs: usize,
    /// The median over the pairs of how many times as long the mean takes beside the load.
    pub mean_slowdown: f64,
    /// The same for the 99th percentile.
    pub p99_slowdown: f64,
    /// The pair whose 99th percentile grew most, by how many times.
    pub worst_p99_slowdown: f64,
}

/// Something slow, in words.
#[derive(Clone, Debug, Serialize)]
pub struct SuspectRow {
    /// Where, such as `n3, all it sends and receives`.
    pub place: String,
    /// Of what it was found, such as `throughput of 1 MiB`.
    pub probe: String,
    /// How many times as long as usual.
    pub times_slower: f64,
    /// The same alone, if that was measured.
    pub alone: Option<f64>,
    /// `bad`, `congested` or `unconfirmed`.
    pub verdict: &'static str,
    /// Whether it is slow alone as well.
    #[serde(skip)]
    pub is_bad: bool,
}

impl MeshResult {
    /// The mesh of a run, if it has one.
    pub(super) fn of(index: usize, named: &NamedRun) -> Option<Self> {
        let mesh = named.run.mesh.as_ref()?;
        let usual = MeshPlan::default();
        let plan = named.run.plan.mesh().unwrap_or(&usual);
        let name =
            |rank: usize| mesh.ranks.get(rank).map_or_else(|| rank.to_string(), |rank| rank.name.clone());
        let found = suspects(mesh, plan.tolerance);
        Some(Self {
            run: index,
            ranks: mesh.ranks.iter().map(|rank| rank.name.clone()).collect(),
            views: views(mesh),
            together: MeshSchedule::ALL.into_iter().filter_map(|schedule| together(mesh, schedule)).collect(),
            victims: victims(&mesh.victims),
            suspects: found.iter().map(|one| row(mesh, one, &name)).collect(),
            lost: mesh
                .lost
                .iter()
                .map(|lost| match lost.with {
                    None => format!("{}: failed to {}", name(lost.rank as usize), lost.reason),
                    Some(with) => {
                        let pair = [lost.rank, with].map(|rank| name(rank as usize));
                        format!("{} and {}: failed to {}", pair[0], pair[1], lost.reason)
                    }
                })
                .collect(),
        })
    }

    /// Whether something is lost or bad.
    #[must_use]
    pub fn has_finding(&self) -> bool {
        !self.lost.is_empty() || self.suspects.iter().any(|one| one.is_bad)
    }
}

fn rows<S: serde::Serializer>(values: &Matrix, to: S) -> Result<S::Ok, S::Error> {
    let row = |from| (0..values.size()).map(move |to| values.get(from, to)).collect::<Vec<_>>();
    to.collect_seq((0..values.size()).map(row))
}

/// `latency of 1 B`, `throughput of 1 MiB`.
#[must_use]
pub fn probe_name(probe: &Probe) -> String {
    let what = if unit_of(probe) == MeshUnit::Mbps { "throughput" } else { "latency" };
    format!("{what} of {}", Size(probe.size))
}

fn unit_of(probe: &Probe) -> MeshUnit {
    if probe.pattern == Pattern::OneWay { MeshUnit::Mbps } else { MeshUnit::Microseconds }
}

/// A time as the unit of its probe.
fn in_unit(probe: &Probe, seconds: f64) -> f64 {
    match unit_of(probe) {
        MeshUnit::Microseconds => seconds * 1e6,
        MeshUnit::Mbps => probe.size as f64 * 8.0 / 1e6 / seconds,
    }
}

fn views(mesh: &Mesh) -> Vec<MeshView> {
    let schedules = [
        MeshSchedule::Pairs,
        MeshSchedule::Serial,
        MeshSchedule::Shifts,
        MeshSchedule::FanIn,
        MeshSchedule::FanOut,
    ];
    let there = schedules.into_iter().filter(|schedule| mesh.phases_of(&[*schedule]).next().is_some());
    there
        .flat_map(|schedule| {
            let probes = mesh.probes.iter().enumerate();
            probes.filter_map(move |(place, probe)| view(mesh, schedule, place, probe))
        })
        .collect()
}

fn view(mesh: &Mesh, schedule: MeshSchedule, place: usize, probe: &Probe) -> Option<MeshView> {
    let times = Matrix::of(mesh, place, mesh.phases_of(&[schedule]));
    let values = times.map(|seconds| in_unit(probe, seconds));
    let unit = unit_of(probe);
    let pair = |(from, to, value)| PairValue { from, to, value };
    let worse =
        |one: PairValue, other: PairValue| if unit.is_worse(other.value, one.value) { other } else { one };
    let better =
        |one: PairValue, other: PairValue| if unit.is_worse(one.value, other.value) { other } else { one };
    Some(MeshView {
        schedule,
        probe: *probe,
        title: probe_name(probe),
        unit,
        median: values.median()?,
        worst: values.iter().map(pair).reduce(worse)?,
        best: values.iter().map(pair).reduce(better)?,
        values,
    })
}

fn together(mesh: &Mesh, schedule: MeshSchedule) -> Option<Together> {
    if schedule.is_of_pairs() || schedule == MeshSchedule::Victim {
        return None;
    }
    let place = mesh.probes.len().checked_sub(1)?;
    let probe = &mesh.probes[place];
    let mbps = |seconds: f64| probe.size as f64 * 8.0 / 1e6 / seconds;
    let rates = |phase: &Phase| {
        let of_round = |round: &crate::mesh::Round| {
            let times = round.passes.iter().filter_map(|pass| pass.times.get(place).copied().flatten());
            times.map(|time| mbps(time.as_seconds())).collect::<Vec<f64>>()
        };
        phase.rounds.iter().map(of_round).filter(|round| !round.is_empty()).collect::<Vec<_>>()
    };
    let schedules = [schedule];
    let rounds: Vec<Vec<f64>> = mesh.phases_of(&schedules).flat_map(rates).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let means: Vec<f64> = rounds.iter().map(|round| mean(round)).collect();
    if means.is_empty() {
        return None;
    }
    let all = mean(&means);
    let interval = (means.len() >= 3).then(|| {
        let squares: f64 = means.iter().map(|one| (one - all).powi(2)).sum();
        let error = (squares / (means.len() - 1) as f64 / means.len() as f64).sqrt();
        [INTERVAL.mul_add(-error, all), INTERVAL.mul_add(error, all)]
    });
    Some(Together {
        schedule,
        size: probe.size,
        rounds: means.len(),
        mean_mbps: all,
        interval_mbps: interval,
        slowest_mbps: rounds.iter().flatten().copied().fold(f64::INFINITY, f64::min),
        worst_round_mbps: means.iter().copied().fold(f64::INFINITY, f64::min),
    })
}

fn victims(all: &[Victim]) -> Option<Victims> {
    let ratio = |of: fn(&crate::mesh::Tail) -> crate::units::Span| {
        let mut ratios: Vec<f64> = all
            .iter()
            .map(|one| of(&one.loaded).as_seconds() / of(&one.alone).as_seconds().max(f64::MIN_POSITIVE))
            .collect();
        ratios.sort_unstable_by(f64::total_cmp);
        ratios
    };
    let (means, tails) = (ratio(|tail| tail.mean), ratio(|tail| tail.p99));
    Some(Victims {
        pairs: all.len(),
        mean_slowdown: crate::stats::median(&means)?,
        p99_slowdown: crate::stats::median(&tails)?,
        worst_p99_slowdown: tails.last().copied()?,
    })
}

fn row(mesh: &Mesh, one: &Suspect, name: &dyn Fn(usize) -> String) -> SuspectRow {
    let place = match &one.place {
        Place::Between(groups) => {
            let named = |group: &Vec<usize>| format!("{{{}}}", members(group, name));
            let groups: Vec<String> = groups.iter().map(named).collect();
            format!("between {}", groups.join(" and "))
        }
        Place::Rank(rank) => format!("{}: all it sends and receives", name(*rank)),
        Place::Sends(rank) => format!("{}: all it sends", name(*rank)),
        Place::Receives(rank) => format!("{}: all it receives", name(*rank)),
        Place::Link(a, b) => format!("{} - {}: both ways", name(*a), name(*b)),
        Place::OneWay { from, to } => format!("{} to {}", name(*from), name(*to)),
    };
    let verdict = match one.verdict {
        Verdict::Bad => "bad",
        Verdict::Congested => "congested",
        Verdict::Unconfirmed => "unconfirmed",
    };
    SuspectRow {
        place,
        probe: mesh.probes.get(one.probe).map(probe_name).unwrap_or_default(),
        times_slower: one.times_slower,
        alone: one.alone,
        verdict,
        is_bad: one.verdict == Verdict::Bad,
    }
}

/// `n0, n1, n2` or, of many, `n0, n1, .. n9`.
fn members(group: &[usize], name: &dyn Fn(usize) -> String) -> String {
    const SHOWN: usize = 6;
    let names: Vec<String> = group.iter().map(|rank| name(*rank)).collect();
    match &names[..] {
        all if all.len() <= SHOWN => all.join(", "),
        [first, second, .., last] => format!("{first}, {second}, .. {last}"),
        all => all.join(", "),
    }
}
