//! Ranks that a launcher started: here the tests are the launcher, with the variables of Open MPI, of Slurm and of PMI.

use rustix::process::Signal;

use crate::mesh::{SHORT, ranks};
use crate::support::process::{Process, wait_for};
use crate::support::{Desk, PROGRAM, Said, unfolded};
use linerate_core::run::Run;

/// The variables of a rank.
type Variables = fn(usize, usize) -> Vec<(&'static str, String)>;

const OPEN_MPI: Variables = |rank, size| {
    vec![
        ("OMPI_COMM_WORLD_RANK", rank.to_string()),
        ("OMPI_COMM_WORLD_SIZE", size.to_string()),
        ("OMPI_COMM_WORLD_LOCAL_SIZE", "1".to_owned()),
        ("PMIX_NAMESPACE", "12@1".to_owned()),
    ]
};
const SLURM: Variables = |rank, size| {
    vec![
        ("SLURM_JOB_ID", "7".to_owned()),
        ("SLURM_STEP_ID", "0".to_owned()),
        ("SLURM_NNODES", size.to_string()),
        ("SLURM_PROCID", rank.to_string()),
        ("SLURM_NTASKS", size.to_string()),
    ]
};
const PMI: Variables = |rank, size| vec![("PMI_RANK", rank.to_string()), ("PMI_SIZE", size.to_string())];

/// Starts rank `rank` of `size`, with these options.
fn start(desk: &Desk, variables: Variables, [rank, size]: [usize; 2], options: &[&str]) -> Process {
    let mut command = desk.command(PROGRAM, &[&["mesh"], options].concat());
    for name in ["OMPI_COMM_WORLD_RANK", "SLURM_JOB_ID", "SLURM_PROCID", "PMI_RANK", "PMIX_NAMESPACE"] {
        command.env_remove(name);
    }
    command.envs(variables(rank, size));
    Process::start(command)
}

/// All ranks to their end, by rank.
fn all(desk: &Desk, variables: Variables, size: usize, options: &[&str]) -> Vec<Said> {
    let ranks: Vec<_> = (0..size).map(|rank| start(desk, variables, [rank, size], options)).collect();
    ranks.into_iter().map(Process::finish).collect()
}

#[test]
fn ranks_meet_in_a_file_that_is_gone_afterwards() {
    for (variables, options) in [(OPEN_MPI, &[][..]), (SLURM, &[]), (PMI, &["--rendezvous", "./meet"])] {
        let desk = Desk::new();
        for (rank, said) in all(&desk, variables, 3, &[&SHORT, options].concat()).into_iter().enumerate() {
            let said = said.done();
            assert_eq!(said.stdout.is_empty(), rank > 0, "rank 0 has the result: {}", said.stdout);
        }
        assert_eq!(ranks(&desk.run_file("x.run.json")).len(), 3);
        let left = std::fs::read_dir(desk.folder()).expect("ours").flatten().filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.contains("rendezvous") || name == "meet"
        });
        assert_eq!(left.count(), 0);
    }
}

#[test]
fn ranks_that_were_asked_otherwise_are_told_so() {
    let desk = Desk::new();
    let others = start(&desk, SLURM, [1, 2], &[&SHORT[..], &["--latency", "8"]].concat());
    let first = start(&desk, SLURM, [0, 2], &SHORT);
    for said in [first.finish(), others.finish()] {
        let said = said.fails(2).stderr;
        assert!(said.contains("was started with another plan than rank 0"), "{said}");
    }
}

#[test]
fn a_rank_that_never_comes_is_named() {
    let desk = Desk::new();
    let options = [&SHORT[..], &["--within", "1s", "--require-all"]].concat();
    let (first, second) = (start(&desk, SLURM, [0, 3], &options), start(&desk, SLURM, [1, 3], &options));
    let said = first.finish().complaint();
    assert!(said.starts_with("failed to find all 3 ranks: rank 2 did not come within 1s"), "{said}");
    let said = second.finish().complaint();
    assert!(said.contains("rank 2 did not come within 1s"), "{said}");
}

#[test]
fn a_rank_that_never_comes_costs_its_own_pairs() {
    let desk = Desk::new();
    let options = [&SHORT[..], &["--patience", "2s"]].concat();
    let present = [0, 1, 3].map(|rank| start(&desk, SLURM, [rank, 4], &options));
    let said = present.map(Process::finish);
    assert_eq!(said.each_ref().map(|said| said.code), [Some(1), Some(0), Some(0)], "{}", said[0].stderr);
    let line = unfolded(&said[0].stdout);
    assert!(line.starts_with("rank 2 was absent; "), "{line}");
    assert!(line.contains("4 ranks, 6 of 12 pairs measured; "), "{line}");
    let mesh = desk.run_file("x.run.json").mesh.expect("a mesh");
    let [lost] = &mesh.lost[..] else { panic!("{:?}", mesh.lost) };
    assert!(lost.absent && lost.rank == 2 && lost.reason == "it did not come within 2s", "{lost:?}");
}

#[test]
fn what_makes_no_rank_is_refused() {
    let desk = Desk::new();
    let single = start(&desk, SLURM, [0, 1], &SHORT).finish().complaint();
    assert!(single.starts_with("failed to measure pairs: srun started a single rank"), "{single}");
    let nameless = start(&desk, PMI, [0, 2], &SHORT).finish().complaint();
    assert!(nameless.starts_with("failed to agree on where ranks meet"), "{nameless}");
    let options = [&SHORT[..], &["--rendezvous", "127.0.0.1:0"]].concat();
    let keyless = start(&desk, PMI, [0, 2], &options).finish().complaint();
    assert!(keyless.starts_with("failed to let ranks meet at an address without a key"), "{keyless}");
}

/// The rest is measured, the pairs of the lost rank are lost, and that is a finding.
#[test]
fn a_rank_that_is_killed_costs_its_own_pairs() {
    let desk = Desk::new();
    let options =
        ["--repeat", "60", "--visit", "10ms", "--recheck", "0", "--out", "x.run.json", "--no-report"];
    let mut started: Vec<_> = (0..4).map(|rank| start(&desk, SLURM, [rank, 4], &options)).collect();
    let phases = |least: usize| {
        wait_for("repetitions in the run file", || {
            let run = Run::from_json(&std::fs::read_to_string(desk.path("x.run.json")).ok()?).ok()?;
            run.mesh.filter(|mesh| mesh.phases.len() >= least)
        })
    };
    phases(1);
    started[2].signal(Signal::KILL);
    drop(started.remove(2));
    let mut codes = started.into_iter().map(|rank| rank.finish().code);
    assert_eq!(codes.next(), Some(Some(1)), "a finding at rank 0");
    assert!(codes.all(|code| code == Some(0)));
    let run = desk.run_file("x.run.json");
    let mesh = run.mesh.as_ref().expect("a mesh");
    assert_eq!(mesh.phases.len(), 60, "the others were measured to the end");
    assert!(mesh.has_lost(2) && mesh.lost.len() == 1, "{:?}", mesh.lost);
    let last = mesh.phases.last().expect("there are 60").rounds.iter().flat_map(|round| &round.passes);
    let measured = last.filter(|pass| pass.times.iter().all(Option::is_some)).count();
    assert_eq!(measured, 6, "three ranks, both ways");
}
