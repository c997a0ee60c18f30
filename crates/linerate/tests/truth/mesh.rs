//! Meshes of laboratories with planted faults, drawn at random: what is wrong is named, and nothing else is.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

use linerate_core::mesh::suspects::{Place, Suspect, Verdict, suspects};
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use rstest::rstest;

use super::ALONE;
use crate::support::{Desk, is_root, unfolded};

/// What is planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// Another program keeps a processor busy.
    Busy,
    SlowPort,
    LateHost,
    /// Percent, both ways.
    LossyHost(u32),
    LossyOneWay,
    /// Between two switches.
    LossyTrunk,
    ShortQueue,
    /// A lossy host and a slow port.
    Two,
}

/// A network of `fewest` to `most` hosts: its plan, and the places at fault, by the hosts that they touch.
fn drawn(fault: Fault, seed: u64, [fewest, most]: [usize; 2]) -> (String, Vec<Vec<usize>>) {
    let mut random = Pcg64::seed_from_u64(seed);
    let size = random.random_range(fewest..=most);
    let rate = [50, 100, 200][random.random_range(0..3)];
    let mut order: Vec<usize> = (0..size).collect();
    order.shuffle(&mut random);
    let (bad, other) = (order[0], order[1]);
    let mut keys = vec![String::new(); size];
    let slow = format!("rate-mbps = {}\n", rate / [2, 4, 10][random.random_range(0..3)]);
    let share = [0.01, 0.05][random.random_range(0..2)];
    keys[bad] = match fault {
        Fault::SlowPort => slow.clone(),
        Fault::LateHost => format!("delay = '{}us'\n", random.random_range(200..2_000)),
        Fault::LossyHost(percent) => format!("loss = 0.0{percent}\n"),
        Fault::LossyOneWay => {
            format!("{} = {{ loss = 0.03 }}\n", ["forward", "reverse"][random.random_range(0..2)])
        }
        Fault::ShortQueue => format!("queue = '{}KiB'\nburst = '4KiB'\n", random.random_range(6..10)),
        Fault::Two => format!("loss = {share}\n"),
        Fault::None | Fault::Busy | Fault::LossyTrunk => String::new(),
    };
    let mut places = vec![vec![bad]];
    if fault == Fault::Two {
        keys[other] = slow;
        places.push(vec![other]);
    }
    let names: Vec<String> = (0..size).map(|host| format!("'h{host}'")).collect();
    let mut plan = format!(
        "hosts = [{}]\nswitches = ['s', 't']\nseed = {seed}\nrate-mbps = {rate}\n\
         [[link]]\nbetween = ['s', 't']\nrate-mbps = 1000\n",
        names.join(", ")
    );
    let mut far = Vec::new();
    if fault == Fault::LossyTrunk {
        plan += "loss = 0.05\n";
        far = order[..size / 2].to_vec();
        far.sort_unstable();
        places = vec![far.clone()];
    }
    for (host, keys) in keys.iter().enumerate() {
        let switch = if far.contains(&host) { "t" } else { "s" };
        plan += &format!("[[link]]\nbetween = ['h{host}', '{switch}']\n{keys}");
    }
    if matches!(fault, Fault::None | Fault::Busy) {
        places.clear();
    }
    (plan, places)
}

/// The hosts that a place names: one, the two of a link, or the smaller side of a way.
fn hosts(place: &Place) -> Vec<usize> {
    match place {
        Place::Rank(rank) | Place::Sends(rank) | Place::Receives(rank) => vec![*rank],
        Place::Link(from, to) | Place::OneWay { from, to } => vec![*from, *to],
        Place::Between(groups) => groups.iter().min_by_key(|group| group.len()).cloned().unwrap_or_default(),
    }
}

/// What was found of the places at fault, and what of innocent ones.
#[derive(Debug)]
struct Outcome {
    missed: usize,
    innocent: Vec<(Place, Verdict)>,
}

/// Measures a network, and what came of it. Nothing without root.
fn measured(fault: Fault, seed: u64, sizes: [usize; 2], options: &[&str]) -> Option<Outcome> {
    if !is_root() {
        return None;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (plan, places) = drawn(fault, seed, sizes);
    let desk = Desk::new();
    desk.write("net.toml", &plan);
    let until = AtomicBool::new(fault != Fault::Busy);
    let said = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !until.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
        let what = ["mesh", "--lab", "./net.toml", "--out", "x.run.json", "--no-report"];
        let said = desk.linerate(&[&what[..], options].concat());
        until.store(true, Ordering::Relaxed);
        said
    });
    let run = desk.run_file("x.run.json");
    let mesh = run.mesh.as_ref().expect("a mesh");
    let found = suspects(mesh, 0.1);
    println!("{fault:?}, seed {seed}, {} hosts, at fault {places:?}: {found:#?}", mesh.ranks.len());
    let size = mesh.ranks.len();
    // Either side of a way in two halves.
    let is_of = |place: &Place, at: &Vec<usize>| {
        let named = hosts(place);
        let rest: Vec<usize> = (0..size).filter(|host| !at.contains(host)).collect();
        named == *at || matches!(place, Place::Between(_)) && named == rest
    };
    let is_named = |one: &Suspect| match fault {
        Fault::SlowPort | Fault::LateHost => one.verdict == Verdict::Slow,
        Fault::LossyHost(_) | Fault::LossyOneWay | Fault::LossyTrunk | Fault::ShortQueue => {
            one.verdict == Verdict::Lossy
        }
        Fault::Two | Fault::None | Fault::Busy => true,
    };
    let is_found = |at: &&Vec<usize>| found.iter().any(|one| is_named(one) && is_of(&one.place, at));
    let missed = places.iter().filter(|at| !is_found(at)).count();
    let innocent: Vec<_> = found
        .iter()
        .filter(|one| !places.iter().any(|at| is_of(&one.place, at)))
        .map(|one| (one.place.clone(), one.verdict))
        .collect();
    // A fault is a finding, and a network without one is none.
    let is_finding = found.iter().any(|one| one.verdict.is_fault()) || !mesh.is_whole();
    assert_eq!(said.code, Some(i32::from(is_finding)), "{}\n{}", said.stdout, said.stderr);
    let lost = mesh.phases.iter().flat_map(|phase| &phase.rounds).flat_map(|round| &round.passes);
    let lost = lost.flat_map(|pass| pass.visits.iter().flatten()).filter_map(|visit| visit.segments);
    let is_lossless = lost.map(|seen| seen.retransmitted).sum::<u64>() == 0;
    let claims = unfolded(&said.stdout).contains("none of ");
    assert!(is_lossless || !claims, "{}", said.stdout);
    Some(Outcome { missed, innocent })
}

/// What makes a mesh of a lossy network short: retransmissions take 0.2 s each.
const SHORT: [&str; 8] = ["--throughput", "16KiB", "--visit", "5ms", "--repeat", "2", "--recheck", "2"];

#[rstest]
#[case(Fault::LossyHost(5))]
#[case(Fault::SlowPort)]
fn a_fault_is_named(#[case] fault: Fault) {
    if let Some(outcome) = measured(fault, 1, [6, 6], &SHORT) {
        assert_eq!(outcome.missed, 0, "{outcome:?}");
    }
}

/// The table of docs/mesh.md. `LINERATE_SEEDS=1-5`, if set, says which seeds.
#[test]
#[ignore = "takes an hour; ./check full runs it"]
fn faults_are_named_and_innocent_places_are_not() {
    let seeds = std::env::var("LINERATE_SEEDS").unwrap_or_else(|_| "1-5".to_owned());
    let (from, to) = seeds.split_once('-').expect("FROM-TO");
    let (from, to): (u64, u64) = (from.parse().expect("a number"), to.parse().expect("a number"));
    let (mut missed, mut innocent) = (Vec::new(), Vec::new());
    for fault in [
        Fault::None,
        Fault::Busy,
        Fault::SlowPort,
        Fault::LateHost,
        Fault::LossyHost(1),
        Fault::LossyHost(5),
        Fault::LossyOneWay,
        Fault::LossyTrunk,
        Fault::ShortQueue,
        Fault::Two,
    ] {
        let outcomes: Vec<Outcome> = (from..=to)
            .filter_map(|seed| measured(fault, seed, [6, 12], &["--throughput", "256KiB"]))
            .collect();
        let named = outcomes.iter().filter(|outcome| outcome.missed == 0).count();
        let wrong: Vec<_> = outcomes.iter().flat_map(|outcome| &outcome.innocent).collect();
        println!("{fault:?}: named in {named} of {}, innocent {wrong:?}", outcomes.len());
        if named * 5 < outcomes.len() * 4 {
            missed.push(fault);
        }
        innocent.extend((!wrong.is_empty()).then_some(fault));
    }
    assert!(missed.is_empty() && innocent.is_empty(), "missed {missed:?}, innocent {innocent:?}");
}
