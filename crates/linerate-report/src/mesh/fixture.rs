//! Meshes made by arithmetic, with what a renderer must handle.

use linerate_analysis::report::{NamedRun, Report};
use linerate_core::comm::Segments;
use linerate_core::mesh::{CollectiveTimes, Lost, Mesh, Pass, Phase, Rank, Round, SentInAll, Tail, Victim};
use linerate_core::pattern::Pattern;
use linerate_core::plan::{MeshPlan, MeshSchedule, Plan, Probe, Task};
use linerate_core::units::Span;

/// The rank that is slow in [`small`], and the two between which a link is.
const SLOW_RANK: u32 = 5;
const SLOW_LINK: [u32; 2] = [1, 2];

/// Eight ranks of which one is slow and one link is slow one way, with all schedules and collectives.
pub(crate) fn small() -> Report {
    let mut mesh = mesh(8);
    mesh.phases = vec![pairs(&mesh, MeshSchedule::Pairs, 1.0), at_once(&mesh, MeshSchedule::Bisection)];
    mesh.phases.push(pairs(&mesh, MeshSchedule::Shifts, 1.4));
    mesh.phases.push(at_once(&mesh, MeshSchedule::RandomRing));
    mesh.phases.push(pairs(&mesh, MeshSchedule::Recheck, 0.9));
    mesh.victims = vec![victim(0, 3, 1), victim(4, 7, 9)];
    mesh.collectives = collectives(8);
    report(mesh, vec![MeshSchedule::Pairs, MeshSchedule::Bisection, MeshSchedule::Shifts])
}

/// So many ranks.
pub(crate) fn of(ranks: u32) -> Report {
    let mut mesh = mesh(ranks);
    mesh.phases = vec![pairs(&mesh, MeshSchedule::Pairs, 1.0)];
    report(mesh, vec![MeshSchedule::Pairs])
}

/// Seven ranks of which one was absent and one was lost, and one pair.
pub(crate) fn lossy() -> Report {
    let mut mesh = mesh(7);
    let mut phase = pairs(&mesh, MeshSchedule::Pairs, 1.0);
    let is_gone = |pass: &Pass| {
        [4, 6].iter().any(|gone| [pass.from, pass.to].contains(gone))
            || (pass.from.min(pass.to), pass.from.max(pass.to)) == (0, 3)
    };
    phase.rounds.iter_mut().for_each(|round| round.passes.retain(|pass| !is_gone(pass)));
    mesh.phases = vec![phase];
    mesh.lost = vec![
        Lost::absent(6, "the rank on n6 ended (exit status: 255): No route to host".to_owned()),
        Lost::new(4, "reach rank 4: the peer closed the connection".to_owned()),
        Lost { with: Some(3), ..Lost::new(0, "trust what rank 3 sent: byte 17 is wrong".to_owned()) },
    ];
    for (rank, it) in mesh.ranks.iter_mut().enumerate().filter(|(rank, _)| ![4, 6].contains(rank)) {
        it.segments = Some(Segments { sent: 5_000 + rank as u64, retransmitted: 3 * (rank as u64 % 2) });
    }
    report(mesh, vec![MeshSchedule::Pairs])
}

/// The same ranks, all of which were lost before anything was measured.
pub(crate) fn gone() -> Report {
    let mut mesh = mesh(3);
    mesh.lost = (0..3).map(|rank| Lost::new(rank, "connect".to_owned())).collect();
    report(mesh, vec![MeshSchedule::Pairs])
}

/// A report of this mesh.
pub(crate) fn report(mesh: Mesh, schedules: Vec<MeshSchedule>) -> Report {
    let mut named = crate::fixture::GIGABIT.run();
    named.name = "mesh.run.json".to_owned();
    let plan = MeshPlan { schedules, ..MeshPlan::default() };
    let run = &mut named.run;
    run.plan = Plan { task: Task::Mesh(plan), ..Plan::default() };
    (run.series, run.cautions) = (Vec::new(), Vec::new());
    run.mesh = Some(mesh);
    Report::new(vec![NamedRun { name: named.name, run: named.run }])
}

fn mesh(ranks: u32) -> Mesh {
    let rank = |rank: u32| Rank { name: format!("n{rank}"), node: rank % 2, ..Rank::default() };
    let probe = |pattern, size| Probe { pattern, size };
    Mesh {
        ranks: (0..ranks).map(rank).collect(),
        probes: vec![probe(Pattern::PingPong, 1), probe(Pattern::OneWay, 1 << 20)],
        ..Mesh::default()
    }
}

/// How many thousandths a pair takes more than another: the same for every run of the tests.
fn scatter(from: u32, to: u32) -> u64 {
    u64::from((from * 37 + to * 101) % 23)
}

/// Every pair both ways, a round for each distance.
fn pairs(mesh: &Mesh, schedule: MeshSchedule, load: f64) -> Phase {
    let size = mesh.ranks.len() as u32;
    let pass = |from: u32, to: u32| {
        let slow = if from == SLOW_RANK || to == SLOW_RANK { 2.0 } else { 1.0 };
        let one_way = if [from, to] == SLOW_LINK { 8.0 } else { 1.0 };
        let scatter = 1.0 + scatter(from, to) as f64 / 1_000.0;
        let latency = 12e6 * load * scatter * slow;
        let block = 900e6 * load * scatter * slow * one_way;
        let times = [latency, block].map(|ps| Some(Span::from_ps(ps as u64)));
        Pass { from, to, times: times.into(), visits: Vec::new() }
    };
    let round =
        |distance| Round { passes: (0..size).map(|from| pass(from, (from + distance) % size)).collect() };
    Phase { schedule, rounds: (1..size).map(round).collect() }
}

/// Four rounds in which half of the ranks send to the others.
fn at_once(mesh: &Mesh, schedule: MeshSchedule) -> Phase {
    let half = mesh.ranks.len() as u32 / 2;
    let round = |nth: u32| {
        let pass = |from: u32| {
            let to = half + (from + nth) % half;
            let time = Span::from_ps(1_000_000_000 + scatter(from, to) * 20_000_000);
            Pass { from, to, times: vec![None, Some(time)], visits: Vec::new() }
        };
        Round { passes: (0..half).map(pass).collect() }
    };
    Phase { schedule, rounds: (0..4).map(round).collect() }
}

fn victim(from: u32, to: u32, slower: u64) -> Victim {
    let tail = |us: u64| Tail {
        messages: 1_000,
        mean: Span::from_us(us),
        median: Span::from_us(us),
        p99: Span::from_us(us * 2 * slower.min(us)),
    };
    Victim { from, to, alone: tail(12), loaded: tail(12 * slower + 6) }
}

fn collectives(ranks: u64) -> Vec<CollectiveTimes> {
    let mut all = Vec::new();
    for (collective, algorithm, fixed_us, per_kib_ns) in [
        ("allreduce", "ring", 170, 120),
        ("allreduce", "recursive-doubling", 40, 400),
        ("alltoall", "pairwise", 90, 900),
        ("barrier", "dissemination", 36, 0),
    ] {
        let sizes: &[u64] = if collective == "barrier" { &[0] } else { &[8, 1_024, 65_536, 1 << 20] };
        all.extend(sizes.iter().map(|bytes| {
            let mean = Span::from_ns(fixed_us * 1_000 + bytes * per_kib_ns / 1_024);
            CollectiveTimes {
                collective: collective.to_owned(),
                algorithm: algorithm.to_owned(),
                bytes: *bytes,
                means: (0..ranks).map(|rank| Some(mean - mean / (20 + rank))).collect(),
                slowest: Tail { messages: 500, mean, median: mean, p99: mean + mean / 3 },
                sent: Some(SentInAll { messages: ranks * 6, bytes: bytes * ranks * 2 }),
            }
        }));
    }
    all
}
