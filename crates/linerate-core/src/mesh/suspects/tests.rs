//! Meshes with planted faults, and meshes with none.

use rand::RngExt as _;

use super::super::{Pass, Phase, Rank, Round, VisitStats, rounds};
use super::*;
use crate::comm::Segments;
use crate::pattern::Pattern;
use crate::plan::Probe;
use crate::units::Span;

const TOLERANCE: f64 = 0.1;

/// The shape of the noise of visits, as a factor of their time.
#[derive(Clone, Copy, Debug)]
enum Noise {
    /// Normal in the logarithm, with this standard deviation.
    LogNormal(f64),
    /// Student's t with 3 degrees of freedom, times this.
    HeavyTailed(f64),
    /// One visit of twenty takes three times as long.
    Spikes,
}

fn normal(random: &mut Pcg64) -> f64 {
    // Box and Muller, 1958.
    let (radius, angle): (f64, f64) = (random.random(), random.random());
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

impl Noise {
    fn drawn(self, random: &mut Pcg64) -> f64 {
        match self {
            Self::LogNormal(deviation) => deviation * normal(random),
            Self::HeavyTailed(scale) => {
                let squares: f64 = (0..3).map(|_| normal(random).powi(2)).sum();
                scale * normal(random) / (squares / 3.0).sqrt()
            }
            Self::Spikes => {
                let base = 0.01 * normal(random);
                if random.random_bool(0.05) { base + 3_f64.ln() } else { base }
            }
        }
    }
}

/// A network with its faults, as factors of times and shares of packets: while all talk, and alone.
struct Situation<'a> {
    size: usize,
    repeat: u32,
    noise: Noise,
    seed: u64,
    slower: &'a dyn Fn(usize, usize) -> [f64; 2],
    /// If absent, the ranks do not say what they lost.
    lossy: Option<&'a dyn Fn(usize, usize) -> [f64; 2]>,
}

/// Packets of a visit, by probe.
const PACKETS: [u64; 2] = [300, 3000];

impl Situation<'_> {
    fn visit(&self, from: usize, to: usize, case: usize, random: &mut Pcg64) -> Pass {
        let slower = |from, to| (self.slower)(from, to)[case];
        let trip = f64::midpoint(slower(from, to), slower(to, from));
        let times = [20e-6 * trip, 8e-3 * slower(from, to)];
        let times = times.map(|time| Span::from_seconds(time * self.noise.drawn(random).exp()));
        let visits = self.lossy.map_or_else(Vec::new, |lossy| {
            let share = lossy(from, to)[case];
            let of = |(time, sent): (&Span, u64)| {
                let retransmitted = (0..sent).filter(|_| random.random_bool(share)).count() as u64;
                let segments = Some(Segments { sent, retransmitted });
                let (mean, p99, longest) = (*time, *time, *time);
                Some(VisitStats { times: 100, mean, p99, longest, segments })
            };
            times.iter().zip(PACKETS).map(of).collect()
        });
        Pass { from: from as u32, to: to as u32, times: times.map(Some).into(), visits }
    }

    /// Both ways between each of these pairs, at the same time.
    fn round(&self, pairs: &[(usize, usize)], case: usize, random: &mut Pcg64) -> Round {
        let both = pairs.iter().flat_map(|(one, other)| [(*one, *other), (*other, *one)]);
        Round { passes: both.map(|(from, to)| self.visit(from, to, case, random)).collect() }
    }

    fn mesh(&self) -> Mesh {
        let mut random = Pcg64::new(u128::from(self.seed), 7);
        let probes = vec![
            Probe { pattern: Pattern::PingPong, size: 1 },
            Probe { pattern: Pattern::OneWay, size: 1 << 20 },
        ];
        let rank = |rank| Rank { name: format!("n{rank}"), node: rank as u32, ..Rank::default() };
        let mut mesh = Mesh { ranks: (0..self.size).map(rank).collect(), probes, ..Mesh::default() };
        for repetition in 0..self.repeat {
            let all = rounds::every_pair_shuffled(self.size, self.seed, repetition);
            let rounds = all.iter().map(|pairs| self.round(pairs, 0, &mut random)).collect();
            mesh.phases.push(Phase { schedule: MeshSchedule::Pairs, rounds });
        }
        let Recheck { slow, controls } = to_recheck(&mesh, TOLERANCE, 4 * self.size, self.seed);
        for _ in 0..5 {
            let pairs = slow.iter().chain(&controls);
            let rounds: Vec<Round> = pairs.map(|pair| self.round(&[*pair], 1, &mut random)).collect();
            if !rounds.is_empty() {
                mesh.phases.push(Phase { schedule: MeshSchedule::Recheck, rounds });
            }
        }
        mesh
    }
}

/// A mesh of `size` ranks, whose pairs take `slower` times as long as usual while all talk and alone.
fn mesh(
    size: usize,
    repeat: u32,
    noise: Noise,
    seed: u64,
    slower: &dyn Fn(usize, usize) -> [f64; 2],
) -> Mesh {
    Situation { size, repeat, noise, seed, slower, lossy: None }.mesh()
}

const QUIET: Noise = Noise::LogNormal(0.02);

fn places(mesh: &Mesh) -> Vec<(Place, Verdict)> {
    suspects(mesh, TOLERANCE).into_iter().map(|one| (one.place, one.verdict)).collect()
}

fn planted(size: usize, slower: &dyn Fn(usize, usize) -> [f64; 2]) -> Vec<(Place, Verdict)> {
    places(&mesh(size, 3, QUIET, 1, slower))
}

#[test]
fn a_slow_rank_is_a_stripe() {
    for size in [4, 6, 12, 40] {
        let slower = |from, to| [if from == 2 || to == 2 { 1.5 } else { 1.0 }; 2];
        assert_eq!(planted(size, &slower), [(Place::Rank(2), Verdict::Slow)], "{size} ranks");
    }
}

#[test]
fn a_slow_direction_of_a_rank_is_a_row_or_a_column() {
    let sends = |from, _| [if from == 3 { 1.5 } else { 1.0 }; 2];
    assert_eq!(planted(8, &sends), [(Place::Sends(3), Verdict::Slow)]);
    let receives = |_, to| [if to == 3 { 1.5 } else { 1.0 }; 2];
    assert_eq!(planted(8, &receives), [(Place::Receives(3), Verdict::Slow)]);
}

#[test]
fn a_slow_link_is_a_cell() {
    for size in [3, 4, 8, 40] {
        let link =
            |from: usize, to: usize| [if (from.min(to), from.max(to)) == (0, 2) { 1.5 } else { 1.0 }; 2];
        let found = planted(size, &link);
        // Of three ranks two ordinary pairs are left: they are measured as often.
        assert_eq!(found, [(Place::Link(0, 2), Verdict::Slow)], "{size} ranks");
        let one_way = |from: usize, to: usize| [if (from, to) == (2, 1) { 1.5 } else { 1.0 }; 2];
        assert_eq!(
            planted(size, &one_way),
            [(Place::OneWay { from: 2, to: 1 }, Verdict::Slow)],
            "{size} ranks"
        );
    }
}

#[test]
fn a_rank_and_a_link_elsewhere_are_both_found() {
    let slower = |from: usize, to: usize| {
        let link = (from.min(to), from.max(to)) == (5, 7);
        [if from == 2 || to == 2 {
            1.4
        } else if link {
            2.0
        } else {
            1.0
        }; 2]
    };
    assert_eq!(planted(12, &slower), [(Place::Link(5, 7), Verdict::Slow), (Place::Rank(2), Verdict::Slow)]);
}

#[test]
fn a_shared_way_is_slow_between_groups_and_only_while_all_talk() {
    let side = |rank: usize| usize::from(rank >= 5);
    let shared = |from, to| [if side(from) == side(to) { 1.0 } else { 3.0 }, 1.0];
    let groups = vec![(0..5).collect(), (5..12).collect()];
    assert_eq!(planted(12, &shared), [(Place::Between(groups.clone()), Verdict::Congested)]);
    let slow = |from, to| [if side(from) == side(to) { 1.0 } else { 3.0 }; 2];
    assert_eq!(planted(12, &slow), [(Place::Between(groups), Verdict::Slow)]);
}

/// A pair that met more of the others than most is no finding beside the way that they share; one that is slow alone is.
#[test]
fn a_pair_on_a_shared_way_is_named_only_if_it_is_bad() {
    let side = |rank: usize| usize::from(rank >= 5);
    let pair = |from: usize, to: usize| (from.min(to), from.max(to));
    let crowded = |from, to| match pair(from, to) {
        (1, 7) => [6.0, 1.0],
        (2, 8) => [6.0, 2.0],
        _ => [if side(from) == side(to) { 1.0 } else { 3.0 }, 1.0],
    };
    let found = planted(12, &crowded);
    let groups = vec![(0..5).collect(), (5..12).collect()];
    assert!(found.contains(&(Place::Between(groups), Verdict::Congested)), "{found:?}");
    assert!(found.contains(&(Place::Link(2, 8), Verdict::Slow)), "{found:?}");
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn what_is_slow_only_while_others_talk_is_congested() {
    let slower = |from, to| [if from == 2 || to == 2 { 1.5 } else { 1.0 }, 1.0];
    assert_eq!(planted(8, &slower), [(Place::Rank(2), Verdict::Congested)]);
}

#[test]
fn two_kinds_of_ranks_are_no_slow_ranks() {
    let kind = |rank: usize| if rank < 4 { 1.3 } else { 1.0 };
    let found = planted(9, &|from, to| [kind(from) * kind(to); 2]);
    assert_eq!(found, []);
}

#[test]
fn cells_that_are_missing_are_no_trouble() {
    let slower = |from, to| [if from == 2 || to == 2 { 1.5 } else { 1.0 }; 2];
    let mut holed = mesh(8, 3, QUIET, 1, &slower);
    for pass in
        holed.phases.iter_mut().flat_map(|phase| &mut phase.rounds).flat_map(|round| &mut round.passes)
    {
        if pass.from == 5 || pass.to == 5 {
            pass.times = Vec::new();
        }
    }
    assert_eq!(places(&holed), [(Place::Rank(2), Verdict::Slow)]);
    assert_eq!(places(&Mesh::default()), []);
    assert_eq!(to_recheck(&Mesh::default(), TOLERANCE, 10, 1), Recheck::default());
}

/// Where nothing is slow, something is called bad in at most one mesh of a hundred, and with three repetitions anything
/// is named in at most one of seven: a pair that has a spike each time, of many pairs. About 10 s; it prints the table
/// of docs/method.md.
#[test]
fn where_nothing_is_slow_hardly_anything_is_named() {
    const MESHES: u64 = 100;
    let noises = [
        QUIET,
        Noise::LogNormal(0.1),
        Noise::LogNormal(0.3),
        Noise::HeavyTailed(0.02),
        Noise::HeavyTailed(0.1),
        Noise::Spikes,
    ];
    for noise in noises {
        for (size, repeat) in [(4, 3), (8, 1), (8, 3), (12, 3), (24, 3)] {
            let named = |seed| places(&mesh(size, repeat, noise, seed, &|_, _| [1.0; 2]));
            let all: Vec<_> = (0..MESHES).map(named).collect();
            let bad =
                all.iter().filter(|found| found.iter().any(|(_, verdict)| *verdict == Verdict::Slow)).count();
            let any = all.iter().filter(|found| !found.is_empty()).count();
            println!("{noise:?}, {size} ranks, {repeat} times: bad in {bad}, anything in {any} of {MESHES}");
            let what = format!("{noise:?}, {size} ranks, {repeat} times: {bad} bad, {any} named of {MESHES}");
            assert!(bad <= 1 && (any <= 15 || repeat < 3), "{what}");
        }
    }
}

/// Where packets are lost, that is named, and nothing else: at a rank, in one direction of it, on a link or one way of it,
/// beside what queues lose everywhere.
#[test]
fn where_packets_are_lost_is_named() {
    const MESHES: u64 = 60;
    let mut missed = Vec::new();
    for seed in 0..MESHES {
        let mut random = Pcg64::new(u128::from(seed), 8);
        let size = random.random_range(6..=12);
        let (one, other) = (random.random_range(0..size), random.random_range(1..size));
        let other = (one + other) % size;
        let place = match random.random_range(0..5) {
            0 => Place::Rank(one),
            1 => Place::Sends(one),
            2 => Place::Receives(one),
            3 => Place::Link(one.min(other), one.max(other)),
            _ => Place::OneWay { from: one, to: other },
        };
        let usual = [0.0, 1e-4, 1e-3][random.random_range(0..3)];
        let share: f64 = [0.01, 0.05][random.random_range(0..2)];
        let lossy = |from, to| [usual + if place.holds(from, to) { share } else { 0.0 }; 2];
        let noise = Noise::LogNormal(0.1);
        let mesh =
            Situation { size, repeat: 3, noise, seed, slower: &|_, _| [1.0; 2], lossy: Some(&lossy) }.mesh();
        let found = places(&mesh);
        if found != [(place.clone(), Verdict::Lossy)] {
            missed.push((seed, size, usual, share, place.clone(), found.clone()));
        }
        let innocent = |found: &Place| !found.explains(&place) && !place.explains(found);
        assert!(!found.iter().any(|(found, _)| innocent(found)), "seed {seed}: {found:?} for {place:?}");
    }
    assert!(missed.len() < MESHES as usize / 20, "{} of {MESHES}: {missed:#?}", missed.len());
}

/// An uplink that loses packets only while all talk is congested; a queue that loses as many everywhere is no place.
#[test]
fn loss_that_is_gone_alone_is_congested_and_loss_everywhere_is_nobodys() {
    for seed in 0..10 {
        let of = |lossy: &dyn Fn(usize, usize) -> [f64; 2]| {
            let (slower, noise) = (&|_, _| [1.0; 2], QUIET);
            places(&Situation { size: 9, repeat: 3, noise, seed, slower, lossy: Some(lossy) }.mesh())
        };
        let busy = of(&|from, to| [if from == 3 || to == 3 { 0.05 } else { 0.0 }, 0.0]);
        assert_eq!(busy, [(Place::Rank(3), Verdict::Congested)], "seed {seed}");
        assert_eq!(of(&|_, _| [0.04; 2]), [], "seed {seed}");
        assert_eq!(of(&|_, _| [0.0; 2]), [], "seed {seed}");
    }
}

/// A slow port fills the queue before it and is always as slow; a short queue loses far more and holds a flow up at times.
#[test]
fn a_short_queue_loses_packets_and_a_slow_port_is_slow() {
    let mut wrong = Vec::new();
    for seed in 0..80 {
        let mut random = Pcg64::new(u128::from(seed), 9);
        let size = random.random_range(6..=12);
        let bad = random.random_range(0..size);
        let is_short = random.random_bool(0.5);
        let usual = [0.0, 0.02, 0.1][random.random_range(0..3)];
        let slower = random.random_range(1.4..4.0);
        // A slow port may lose much, and a busy host may make its times uneven, but not both.
        let is_noisy = random.random_bool(0.5);
        let (more, deviation) = match (is_short, is_noisy) {
            (true, _) => (random.random_range(0.14..0.5), random.random_range(0.08..0.4)),
            (false, true) => (random.random_range(0.0..0.07), random.random_range(0.0..0.15)),
            (false, false) => (random.random_range(0.0..0.3), random.random_range(0.0..0.01)),
        };
        let is_bad = |from: usize, to: usize| from == bad || to == bad;
        let mut mesh = mesh(size, 3, Noise::LogNormal(0.01), seed, &|from, to| {
            [if is_bad(from, to) { slower } else { 1.0 }; 2]
        });
        let passes =
            mesh.phases.iter_mut().flat_map(|phase| &mut phase.rounds).flat_map(|round| &mut round.passes);
        for pass in passes {
            let is_bad = is_bad(pass.from as usize, pass.to as usize);
            let time = pass.times[1].expect("every visit has one");
            let uneven = if is_bad { (deviation * normal(&mut random)).exp() } else { 1.0 };
            pass.times = vec![Some(Span::from_us(20)), Some(Span::from_seconds(time.as_seconds() * uneven))];
            let share: f64 = usual + if is_bad { more } else { 0.0 };
            let visit = |probe: usize| {
                let sent = PACKETS[probe];
                let retransmitted = if probe == 1 { (sent as f64 * share) as u64 } else { 0 };
                let mean = pass.times[probe].expect("it was set");
                let segments = Some(Segments { sent, retransmitted });
                Some(VisitStats { times: 1, mean, p99: mean, longest: mean, segments })
            };
            pass.visits = vec![visit(0), visit(1)];
        }
        let expected = if is_short { Verdict::Lossy } else { Verdict::Slow };
        let found = places(&mesh);
        if found != [(Place::Rank(bad), expected)] {
            wrong.push(format!(
                "seed {seed}, {bad} of {size}, {usual} and {more}, {deviation}: {found:?}, {expected:?}"
            ));
        }
    }
    assert!(wrong.len() <= 4, "{} of 80: {wrong:#?}", wrong.len());
}

/// What is slow in some visits, alone too, is not congested.
#[test]
fn what_is_slow_at_times_alone_too_is_unsteady() {
    for seed in 0..10 {
        let mut slow =
            mesh(8, 3, QUIET, seed, &|from, to| [if from == 2 || to == 2 { 2.0 } else { 1.0 }, 1.0]);
        let mut nth = 0;
        for phase in slow.phases.iter_mut().filter(|phase| phase.schedule == MeshSchedule::Recheck) {
            for pass in phase.rounds.iter_mut().flat_map(|round| &mut round.passes) {
                nth += usize::from(pass.from == 2 || pass.to == 2);
                if (pass.from == 2 || pass.to == 2) && nth % 2 == 0 {
                    pass.times.iter_mut().flatten().for_each(|time| *time = *time * 3);
                }
            }
        }
        assert_eq!(places(&slow), [(Place::Rank(2), Verdict::Unsteady)], "seed {seed}");
    }
}

/// Pairs of a rank that break at a longer message than they had exchanged have a small MTU on their way; one that was cut
/// says nothing.
#[test]
fn long_messages_that_never_arrive_are_said_to_be_too_long() {
    let mut cut = mesh(6, 1, QUIET, 1, &|_, _| [1.0; 2]);
    assert_eq!(too_long(&cut), []);
    let mut lose = |one: u32, other: u32| {
        let passes = cut.phases[0].rounds.iter_mut().flat_map(|round| &mut round.passes);
        for pass in passes.filter(|pass| [(one, other), (other, one)].contains(&(pass.from, pass.to))) {
            pass.times[1] = None;
        }
        too_long(&cut)
    };
    assert_eq!(lose(4, 1), []);
    lose(0, 4);
    let found = lose(4, 5);
    let expected = TooLong { place: Place::Rank(4), passed_bytes: 1, lost_bytes: 1 << 20, pairs: 3 };
    assert_eq!(found, [expected]);
}
