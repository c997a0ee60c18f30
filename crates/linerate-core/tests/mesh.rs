//! A mesh on the ideal network, where what every pair takes is known: about 2 s.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use linerate_core::comm::call::Call;
use linerate_core::comm::ideal::{self, IdealComm, Network};
use linerate_core::comm::{Comm, CommError};
use linerate_core::mesh::matrix::Matrix;
use linerate_core::mesh::suspects::{Place, Verdict, suspects};
use linerate_core::mesh::{self, Asked, Mesh, MeshWatch, Rank, Step, rounds};
use linerate_core::plan::{MeshPlan, MeshSchedule};
use linerate_core::units::{Size, Span, Time};

const NETWORK: Network = Network { latency: Span::from_us(50), per_byte: Span::from_ns(8) };

/// A rank of the ideal network with faults.
struct Faulty<'a> {
    inner: IdealComm,
    faults: &'a Faults,
    /// How many messages of 4 KiB or more this rank has sent.
    large: u64,
    /// What a shaper owes this rank: the time for which it may send at once. And when that was known.
    saved: (Span, Time),
}

/// What is wrong with a network.
#[derive(Default)]
struct Faults {
    /// What messages of so many bytes or more from one rank to another take longer.
    late: Vec<((usize, usize), usize, Span)>,
    /// Who never came.
    absent: Option<usize>,
    /// Between whom nothing passes, the lower rank first.
    apart: Option<(usize, usize)>,
    /// A shaper before every rank: what a byte takes, and how many bytes it lets through at once.
    shaper: Option<(Span, u64)>,
    /// After how many large messages every rank stands still once, and for how long.
    stall: Option<(u64, Span)>,
}

impl Faulty<'_> {
    fn refused(&self, peer: usize) -> Result<(), CommError> {
        let rank = self.inner.rank();
        if self.faults.apart == Some((rank.min(peer), rank.max(peer))) {
            return Err(CommError::Lost { peer, reason: "the cable is cut".to_owned() });
        }
        Ok(())
    }

    async fn delayed(&mut self, to: usize, length: usize) {
        let from = self.inner.rank();
        let late = self.faults.late.iter().filter(|(pair, least, _)| *pair == (from, to) && length >= *least);
        let late: Span = late.map(|(_, _, late)| *late).sum();
        self.inner.compute(late).await;
        self.large += u64::from(length >= 4096);
        if let Some((_, span)) = self.faults.stall.filter(|(after, _)| length >= 4096 && *after == self.large)
        {
            self.inner.compute(span).await;
        }
        let Some((per_byte, burst)) = self.faults.shaper else { return };
        let (saved, at) = self.saved;
        let now = self.inner.now();
        let saved = (saved + now.since(at)).min(per_byte * burst);
        let needed = per_byte * length as u64;
        self.inner.compute(needed.saturating_sub(saved)).await;
        self.saved = (saved.saturating_sub(needed), self.inner.now());
    }
}

impl Comm for Faulty<'_> {
    fn rank(&self) -> usize {
        self.inner.rank()
    }

    fn size(&self) -> usize {
        self.inner.size()
    }

    fn now(&self) -> Time {
        self.inner.now()
    }

    async fn send_to(&mut self, to: usize, data: &[u8]) -> Result<(), CommError> {
        self.refused(to)?;
        self.delayed(to, data.len()).await;
        self.inner.send_to(to, data).await
    }

    async fn recv_from(&mut self, from: usize, data: &mut [u8]) -> Result<(), CommError> {
        self.refused(from)?;
        self.inner.recv_from(from, data).await
    }

    async fn sendrecv(
        &mut self,
        to: usize,
        out: &[u8],
        from: usize,
        into: &mut [u8],
    ) -> Result<(), CommError> {
        self.refused(to)?;
        self.refused(from)?;
        self.delayed(to, out.len()).await;
        self.inner.sendrecv(to, out, from, into).await
    }

    async fn compute(&mut self, span: Span) {
        self.inner.compute(span).await;
    }

    fn absence(&self, peer: usize) -> Option<&str> {
        (self.faults.absent == Some(peer)).then_some("it did not come within 10s")
    }
}

/// Ends a mesh before this step.
#[derive(Default)]
struct Watch {
    steps: Vec<Step>,
    most: Option<usize>,
    phases: usize,
}

impl MeshWatch for Watch {
    fn step(&mut self, step: &Step) -> ControlFlow<()> {
        if self.most == Some(self.steps.len()) {
            return ControlFlow::Break(());
        }
        self.steps.push(*step);
        ControlFlow::Continue(())
    }

    fn phase_done(&mut self, mesh: &Mesh) {
        self.phases += 1;
        assert!(mesh.phases.len() <= self.phases);
    }
}

fn measured(size: usize, plan: &MeshPlan, faults: &Faults, most: Option<usize>) -> (Mesh, Watch, bool) {
    measured_from(0, size, plan, faults, most)
}

/// The same with `first` ranks before those that are measured.
fn measured_from(
    first: usize,
    size: usize,
    plan: &MeshPlan,
    faults: &Faults,
    most: Option<usize>,
) -> (Mesh, Watch, bool) {
    let asked = Asked { plan, seed: 1, patience: Span::from_ms(60_000), first };
    let all = ideal::run(NETWORK, size + first, async |inner| {
        let full = faults.shaper.map_or(Span::ZERO, |(per_byte, burst)| per_byte * burst);
        let mut comm = Faulty { large: 0, saved: (full, inner.now()), inner, faults };
        if faults.absent == Some(comm.rank()) {
            return Ok(None);
        }
        if comm.rank() > 0 {
            mesh::follow(&mut comm, asked).await?;
            let text = format!("this is {}", comm.rank());
            mesh::tell(&mut comm, &text).await?;
            return Ok(None);
        }
        let mut watch = Watch { most, ..Watch::default() };
        let ranks = (0..size)
            .map(|rank| Rank { name: format!("n{rank}"), node: rank as u32, ..Rank::default() })
            .collect();
        let (mut mesh, ended) = mesh::conduct(&mut comm, asked, ranks, &mut watch).await;
        let told = mesh::collect(&mut comm, &mut mesh, first, Span::from_ms(1_000)).await;
        let is_there = |rank: usize| rank > 0 && faults.absent != Some(rank);
        let expected = (first..size + first).map(|rank| is_there(rank).then(|| format!("this is {rank}")));
        assert!(told.into_iter().eq(expected));
        Ok(Some((mesh, watch, ended.is_continue())))
    });
    all.expect("nobody waits for ever").swap_remove(0).expect("rank 0 conducts")
}

fn of(schedules: &[MeshSchedule]) -> MeshPlan {
    MeshPlan {
        schedules: schedules.to_vec(),
        visit: Span::from_ms(5),
        repeat: 2,
        recheck: 0,
        ..MeshPlan::default()
    }
}

/// Latency, and a byte or 2^20 of them: by the network's numbers, not by its code.
const BYTE: f64 = 50e-6 + 8e-9;
const MEBIBYTE: f64 = 50e-6 + 8e-9 * 1_048_576.0;

#[track_caller]
fn assert_near(found: f64, expected: f64, within: f64, what: &str) {
    assert!((found / expected - 1.0).abs() <= within, "{what}: {found} s where {expected} s are expected");
}

/// It is the first that is named, nobody waits for it, and every pair of the others is measured.
#[test]
fn a_rank_that_never_came_costs_its_own_pairs() {
    for (first, size, absent) in [(0, 4, 2), (1, 4, 1), (1, 5, 5)] {
        let faults = Faults { absent: Some(absent), ..Faults::default() };
        let schedules =
            [MeshSchedule::Pairs, MeshSchedule::Shifts, MeshSchedule::FanIn, MeshSchedule::FanOut];
        let (mesh, _, whole) = measured_from(first, size, &of(&schedules), &faults, None);
        let gone = (absent - first) as u32;
        let [lost] = &mesh.lost[..] else { panic!("{:?}", mesh.lost) };
        assert_eq!((lost.rank, lost.with, lost.absent), (gone, None, true));
        assert_eq!(lost.reason, "it did not come within 10s");
        assert!(whole && mesh.phases.len() == 8 && mesh.has_lost(gone as usize));
        for phase in &mesh.phases {
            let passes = || phase.rounds.iter().flat_map(|round| &round.passes);
            let pairs: BTreeSet<(u32, u32)> = passes().map(|pass| (pass.from, pass.to)).collect();
            assert_eq!(pairs.len(), (size - 1) * (size - 2), "{:?}", phase.schedule);
            assert!(pairs.iter().all(|(from, to)| *from != gone && *to != gone));
            assert!(passes().all(|pass| pass.times.iter().any(Option::is_some)));
        }
    }
}

#[test]
fn every_pair_takes_what_the_network_takes() {
    for (size, schedule) in [(2, MeshSchedule::Pairs), (5, MeshSchedule::Pairs), (6, MeshSchedule::Serial)] {
        let (mesh, watch, whole) = measured(size, &of(&[schedule]), &Faults::default(), None);
        assert!(whole && mesh.is_whole() && mesh.phases.len() == 2, "{size} ranks: {:?}", mesh.lost);
        let rounds =
            if schedule == MeshSchedule::Serial { size * (size - 1) / 2 } else { size - 1 + size % 2 };
        assert_eq!(watch.steps.len(), rounds * 2);
        for phase in &mesh.phases {
            let pairs: BTreeSet<(u32, u32)> = phase
                .rounds
                .iter()
                .flat_map(|round| &round.passes)
                .map(|pass| (pass.from, pass.to))
                .collect();
            assert_eq!(pairs.len(), size * (size - 1), "both ways");
        }
        for (from, to, time) in Matrix::of(&mesh, 0, &mesh.phases).iter() {
            assert_near(time, BYTE, 1e-9, &format!("latency from {from} to {to}"));
        }
        // The empty answer at the end takes 50 us beside at most 5 ms of messages.
        for (from, to, time) in Matrix::of(&mesh, 1, &mesh.phases).iter() {
            assert!(time >= MEBIBYTE, "{time} s");
            assert_near(time, MEBIBYTE, 0.02, &format!("throughput from {from} to {to}"));
        }
    }
}

/// A shaper of 10 Mb/s that lets 1 MB through at once, which is all that a visit of 100 ms would send without it.
#[test]
fn a_pair_behind_a_shaper_has_the_rate_that_lasts() {
    let per_byte = Span::from_ns(800);
    let faults = Faults { shaper: Some((per_byte, 1_000_000)), ..Faults::default() };
    // A rank that stands still before the burst is used up has used nothing up.
    let busy = Faults { stall: Some((10, Span::from_ms(40))), shaper: faults.shaper, ..Faults::default() };
    for (size, faults) in [(1 << 10, &faults), (1 << 16, &faults), (1 << 20, &faults), (1 << 12, &busy)] {
        let plan = MeshPlan {
            latency: Vec::new(),
            throughput: vec![Size(size)],
            visit: Span::from_ms(100),
            repeat: 1,
            ..of(&[MeshSchedule::Pairs])
        };
        let (mesh, ..) = measured(4, &plan, faults, None);
        for (from, to, time) in Matrix::of(&mesh, 0, &mesh.phases).iter() {
            let expected = (per_byte * size).as_seconds();
            assert_near(time, expected, 0.02, &format!("{size} B from {from} to {to}"));
        }
    }
}

/// Who is slow in one direction is slow in its cell of messages one way, and in both cells of round trips.
#[test]
fn a_slow_direction_is_seen_where_it_is() {
    let faults = Faults { late: vec![((2, 4), 1, Span::from_ms(1))], ..Faults::default() };
    let (mesh, ..) = measured(6, &of(&[MeshSchedule::Pairs]), &faults, None);
    let (latency, throughput) = (Matrix::of(&mesh, 0, &mesh.phases), Matrix::of(&mesh, 1, &mesh.phases));
    for (from, to, time) in latency.iter() {
        let half = if [(2, 4), (4, 2)].contains(&(from, to)) { 0.5e-3 } else { 0.0 };
        assert_near(time, BYTE + half, 1e-9, &format!("latency from {from} to {to}"));
    }
    for (from, to, time) in throughput.iter() {
        let late = if (from, to) == (2, 4) { 1e-3 } else { 0.0 };
        assert_near(time, MEBIBYTE + late, 0.02, &format!("throughput from {from} to {to}"));
    }
}

#[test]
fn all_at_once_takes_what_the_network_takes() {
    let schedules =
        [MeshSchedule::Shifts, MeshSchedule::Ring, MeshSchedule::RandomRing, MeshSchedule::Bisection];
    for size in [2, 5, 8] {
        let plan = MeshPlan { matchings: 4, ..of(&schedules) };
        let (mesh, _, whole) = measured(size, &plan, &Faults::default(), None);
        assert!(whole && mesh.is_whole());
        assert_eq!(mesh.phases.len(), schedules.len() * 2);
        for phase in &mesh.phases {
            let passes = phase.rounds.iter().flat_map(|round| &round.passes);
            let expected = match phase.schedule {
                MeshSchedule::Shifts => size * (size - 1),
                MeshSchedule::Bisection => 4 * (size / 2 * 2),
                _ => size,
            };
            assert_eq!(passes.clone().count(), expected, "{} of {size} ranks", phase.schedule);
            for pass in passes {
                let time = pass.times[1].expect("the largest message is what loads").as_seconds();
                // Messages are joined, so the latency is paid less often; ranks begin as far apart as the
                // orders of 40 B reach them.
                let possible = 8e-9 * 1_048_576.0..=MEBIBYTE + 51e-6 * size as f64;
                assert!(possible.contains(&time), "{time} s");
                assert_eq!(pass.times[0], None);
            }
        }
    }
}

/// A rank has one port to receive and one to send, so each of the others has its share of it.
#[test]
fn all_to_one_and_one_to_all_share_the_port_of_the_one() {
    for size in [2, 3, 6] {
        let visit = Span::from_ms(200);
        let plan = MeshPlan { visit, ..of(&[MeshSchedule::FanIn, MeshSchedule::FanOut]) };
        let (mesh, _, whole) = measured(size, &plan, &Faults::default(), None);
        assert!(whole && mesh.is_whole() && mesh.phases.len() == 4);
        for phase in &mesh.phases {
            let passes: Vec<_> = phase.rounds.iter().flat_map(|round| &round.passes).collect();
            assert_eq!((phase.rounds.len(), passes.len()), (size, size * (size - 1)));
            let ends: BTreeSet<(u32, u32)> = passes.iter().map(|pass| (pass.from, pass.to)).collect();
            assert_eq!(ends.len(), passes.len(), "every pair once");
            for round in &phase.rounds {
                let roots: BTreeSet<u32> = round
                    .passes
                    .iter()
                    .map(|pass| if phase.schedule == MeshSchedule::FanIn { pass.to } else { pass.from })
                    .collect();
                assert_eq!(roots.len(), 1, "one end is the same for all");
            }
            for pass in passes {
                let time = pass.times[1].expect("it was measured").as_seconds();
                let shared = (size - 1) as f64 * 8e-9 * 1_048_576.0;
                // The last to begin waits less than the first.
                assert!(
                    (0.6 * shared..1.1 * shared).contains(&time),
                    "{time} s, {shared} s: {:?}",
                    phase.schedule
                );
            }
        }
    }
}

/// The closed forms of applications.md: Thakur, Rabenseifner and Gropp 2005, Hockney's model.
#[test]
fn collectives_take_what_the_closed_forms_say() {
    let plan = MeshPlan { collectives: Call::ALL.to_vec(), collective_sizes: vec![Size(1 << 14)], ..of(&[]) };
    let (mesh, watch, whole) = measured(8, &plan, &Faults::default(), None);
    assert!(whole && mesh.is_whole() && mesh.phases.is_empty());
    assert_eq!((mesh.collectives.len(), watch.phases), (13, 13));
    let (alpha, beta, n) = (50e-6, 8e-9, 16_384.0);
    for times in &mesh.collectives {
        let expected = match (times.collective.as_str(), times.algorithm.as_str()) {
            ("barrier", _) => 3.0 * alpha,
            ("broadcast", "binomial") => 3.0 * (alpha + n * beta),
            ("allreduce", "ring") => 14.0 * (alpha + n / 8.0 * beta),
            ("allreduce", "recursive-doubling") => 3.0 * (alpha + n * beta),
            ("allreduce", "rabenseifner") => 6.0 * alpha + 2.0 * 7.0 / 8.0 * n * beta,
            ("allgather", "ring") => 7.0 * (alpha + n * beta),
            ("allgather", _) => 3.0 * alpha + 7.0 * n * beta,
            ("alltoall", "pairwise") => 7.0 * (alpha + n * beta),
            ("alltoall", "bruck") => 3.0 * (alpha + 4.0 * n * beta),
            ("reduce-scatter", "ring") => 7.0 * (alpha + n / 8.0 * beta),
            ("reduce-scatter", "recursive-halving") => 3.0 * alpha + 7.0 / 8.0 * n * beta,
            ("broadcast", "scatter-allgather") => 10.0 * alpha + 2.0 * 7.0 / 8.0 * n * beta,
            other => panic!("{other:?}"),
        };
        let what = format!("{}:{}", times.collective, times.algorithm);
        assert_near(times.slowest.mean.as_seconds(), expected, 1e-6, &what);
        assert_eq!(times.slowest.mean, times.slowest.p99, "nothing is random: {what}");
        assert_eq!(times.means.iter().flatten().count(), 8);
    }
    let sent = |name: &str, algorithm: &str| {
        let found = mesh.collectives.iter().find(|one| one.collective == name && one.algorithm == algorithm);
        found.and_then(|one| one.sent).map(|sent| (sent.messages, sent.bytes))
    };
    assert_eq!(sent("allreduce", "ring"), Some((8 * 14, 8 * 14 * 2_048)));
    assert_eq!(sent("alltoall", "pairwise"), Some((8 * 7, 8 * 7 * 16_384)));
    assert_eq!(sent("broadcast", "binomial"), Some((7, 7 * 16_384)));
    assert_eq!(sent("barrier", "dissemination"), Some((8 * 3, 0)));
}

#[test]
fn algorithms_for_powers_of_two_are_left_out_elsewhere() {
    let plan = MeshPlan { collectives: Call::ALL.to_vec(), collective_sizes: vec![Size(80)], ..of(&[]) };
    for (ranks, expected) in [(1, 13), (2, 13), (3, 11), (7, 11)] {
        let (mesh, ..) = measured(ranks, &plan, &Faults::default(), None);
        assert!(mesh.is_whole(), "{:?}", mesh.lost);
        assert_eq!(mesh.collectives.len(), expected, "{ranks} ranks");
    }
    let large = MeshPlan { collective_sizes: vec![Size(1 << 20)], ..plan };
    large.check_for(256).expect("768 MiB");
    assert!(large.check_for(1024).is_err(), "an alltoall of 1 MiB among 1024 takes 3 GiB");
}

/// Rank 0 may conduct without being measured: the same numbers.
#[test]
fn who_only_conducts_is_no_rank_of_the_mesh() {
    let schedules = [
        MeshSchedule::Pairs,
        MeshSchedule::Shifts,
        MeshSchedule::FanIn,
        MeshSchedule::FanOut,
        MeshSchedule::Victim,
    ];
    let plan = MeshPlan { collectives: vec![Call::ALL[1]], ..of(&schedules) };
    let (outside, ..) = measured_from(1, 5, &plan, &Faults::default(), None);
    let (inside, ..) = measured(5, &plan, &Faults::default(), None);
    assert!(outside.is_whole(), "{:?}", outside.lost);
    let pairs = |mesh: &Mesh| {
        let all: Vec<_> = mesh.phases_of(&[MeshSchedule::Pairs]).cloned().collect();
        Matrix::of(mesh, 0, &all)
    };
    assert_eq!(pairs(&outside), pairs(&inside));
    assert_eq!(outside.collectives, inside.collectives);
    assert_eq!(outside.victims.len(), inside.victims.len());
    let faults = Faults { apart: Some((2, 4)), ..Faults::default() };
    let (apart, ..) = measured_from(1, 5, &plan, &faults, None);
    let lost = &apart.lost[0];
    let with = lost.with.expect("both are there");
    assert_eq!((lost.rank.min(with), lost.rank.max(with)), (1, 3), "counted without the conductor");
    assert_eq!(lost.reason, format!("reach rank {with}: the cable is cut"));
}

#[test]
fn victims_are_measured_alone_and_beside_the_load() {
    // Nothing contends on the ideal network, so the load costs nothing.
    let (mesh, _, whole) = measured(12, &of(&[MeshSchedule::Victim]), &Faults::default(), None);
    assert!(whole && mesh.is_whole());
    assert_eq!(mesh.victims.len(), 2, "one pair in each of two repetitions");
    for victim in &mesh.victims {
        for tail in [victim.alone, victim.loaded] {
            assert!(tail.messages >= 200, "25 ms of 100 us: {tail:?}");
            for time in [tail.mean, tail.median, tail.p99] {
                assert_near(time.as_seconds(), BYTE, 1e-9, "an answer");
            }
        }
    }
    let (mesh, ..) = measured(3, &of(&[MeshSchedule::Victim]), &Faults::default(), None);
    assert!(mesh.victims.is_empty(), "three ranks are too few");
}

#[test]
fn a_pair_that_is_apart_is_lost_and_the_others_are_measured() {
    let faults = Faults { apart: Some((2, 4)), ..Faults::default() };
    let plan = of(&[MeshSchedule::Pairs, MeshSchedule::Ring, MeshSchedule::Shifts]);
    let (mesh, _, whole) = measured(6, &plan, &faults, None);
    assert!(whole && !mesh.is_whole());
    let [lost] = &mesh.lost[..] else { panic!("{:?}", mesh.lost) };
    let with = lost.with.expect("both are there");
    assert_eq!((lost.rank.min(with), lost.rank.max(with)), (2, 4));
    assert_eq!(lost.reason, format!("reach rank {with}: the cable is cut"));
    let pairs: Vec<_> = mesh.phases_of(&[MeshSchedule::Pairs]).collect();
    let latency = Matrix::of(&mesh, 0, pairs);
    assert_eq!(latency.iter().count(), 28, "all but two of 30");
    assert_eq!([latency.get(2, 4), latency.get(4, 2)], [None; 2]);
}

#[test]
fn who_watches_may_end_it() {
    let (mesh, watch, whole) = measured(6, &of(&[MeshSchedule::Pairs]), &Faults::default(), Some(3));
    assert!(!whole);
    assert_eq!((mesh.phases.len(), mesh.phases[0].rounds.len(), watch.phases), (1, 3, 1));
}

#[test]
fn a_mesh_is_kept_as_it_was_measured() {
    let (mesh, ..) = measured(4, &of(&[MeshSchedule::Pairs, MeshSchedule::Victim]), &Faults::default(), None);
    let text = serde_json::to_string(&mesh).expect("it has a JSON form");
    assert_eq!(serde_json::from_str::<Mesh>(&text).expect(&text), mesh);
    let (from, to) = rounds::every_pair_shuffled(4, 1, 0)[0][0];
    assert!(text.contains(&format!("[[{from},{to},[50008000,")), "{text}");
}

#[test]
fn a_curve_for_every_pair_has_every_size() {
    let sizes: Vec<Size> = [1, 64, 4096, 65536].map(Size).into();
    let plan = MeshPlan { latency: sizes.clone(), throughput: sizes, ..of(&[MeshSchedule::Pairs]) };
    let (mesh, ..) = measured(3, &plan, &Faults::default(), None);
    assert_eq!(mesh.probes.len(), 8);
    for (place, probe) in mesh.probes.iter().enumerate().take(4) {
        let expected = 50e-6 + 8e-9 * probe.size as f64;
        assert_near(Matrix::of(&mesh, place, &mesh.phases).median().expect("all"), expected, 1e-9, "latency");
    }
}

#[test]
fn what_is_slow_is_measured_alone_and_named() {
    let faults = Faults { late: vec![((2, 4), 1 << 20, Span::from_ms(4))], ..Faults::default() };
    let plan = MeshPlan { recheck: 3, ..of(&[MeshSchedule::Pairs]) };
    let (mesh, ..) = measured(6, &plan, &faults, None);
    let [suspect] = &suspects(&mesh, plan.tolerance)[..] else { panic!("one is slow") };
    assert_eq!((&suspect.place, suspect.verdict), (&Place::OneWay { from: 2, to: 4 }, Verdict::Slow));
    let expected = (MEBIBYTE + 4e-3) / MEBIBYTE;
    assert_near(suspect.times_slower, expected, 0.02, "while others talk");
    assert_near(suspect.alone.expect("it was measured alone"), expected, 0.02, "alone");
    let (mesh, ..) = measured(6, &plan, &Faults::default(), None);
    assert_eq!(suspects(&mesh, plan.tolerance), []);
}
