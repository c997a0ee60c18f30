//! The program on ranks of this host: what it measures, writes and refuses. About 15 s.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::Output;

use linerate_apps::catalogue::App;
use linerate_apps::run::{Asked, Case, RunWatch, begun, cases, conduct, follow};
use linerate_apps::work::UnitCost;
use linerate_core::app::{AppCase, AppRun};
use linerate_core::comm::Comm as _;
use linerate_core::comm::ideal::{self, Network};
use linerate_core::mesh::LIBRARY;
use linerate_core::pattern::Pattern;
use linerate_core::plan::Format;
use linerate_core::run::{Run, State};
use linerate_core::transport::Transport;
use linerate_core::units::Span;

use crate::support::{on_ranks, sentences};

/// Six rounds have an interval, and any is good enough.
const ENOUGH: &str = "--rounds 6 --ci 1 --time 5s";
/// The same where all memory is first touched: twice a cache of 300 MiB takes some ten seconds.
const ENOUGH_COLD: &str = "--rounds 6 --ci 1 --time 30s";

fn linerate_mpi(ranks: usize, arguments: &str, out: Option<&Path>) -> Output {
    let mut words: Vec<&str> = arguments.split_whitespace().collect();
    let out = out.map(|path| path.to_str().expect("text").to_owned());
    if let Some(out) = &out {
        words.extend(["--out", out, "--no-report", "--quiet"]);
    }
    on_ranks(ranks, env!("CARGO_BIN_EXE_linerate-mpi"), &words)
}

/// The run that the command writes.
fn run(ranks: usize, arguments: &str) -> Run {
    ended(ranks, arguments, &[0])
}

/// The same for a command that may end with one of `codes`.
fn ended(ranks: usize, arguments: &str, codes: &[i32]) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.run.json");
    let output = linerate_mpi(ranks, arguments, Some(&path));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|code| codes.contains(&code)), "{arguments}: {said}");
    let text = std::fs::read_to_string(path).expect("it wrote a run");
    Run::from_json(&text).expect("linerate reads it")
}

fn refused(ranks: usize, arguments: &str, why: &str) {
    let output = linerate_mpi(ranks, arguments, None);
    let said = sentences(&output);
    assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
    assert!(said.contains(why), "{arguments}: {said}");
    // Once, and not by every rank.
    assert_eq!(said.matches(why).count(), 1, "{said}");
}

#[test]
fn a_curve_over_an_mpi_is_a_run_like_any_other() {
    for (flags, pattern) in [
        ("", Pattern::PingPong),
        ("--receive posted", Pattern::PingPong),
        ("--receive unexpected --cache cold", Pattern::PingPong),
        ("--pattern one-way", Pattern::OneWay),
        ("--pattern one-way --window 64", Pattern::OneWay),
        ("--pattern exchange", Pattern::Exchange),
        ("--pattern exchange --receive posted", Pattern::Exchange),
    ] {
        let enough = if flags.contains("cold") { ENOUGH_COLD } else { ENOUGH };
        let run = run(2, &format!("measure {flags} --schedule list:1,1000,100KiB {enough}"));
        assert_eq!(run.state, State::Complete, "{flags}");
        assert_eq!(run.plan.common.transport, Transport::Mpi);
        assert_eq!((run.path().transport.as_str(), run.nodes.len()), ("mpi", 2));
        let library = run.path().library.as_deref().expect("it has a version");
        assert!(library.chars().any(|c| c.is_ascii_digit()) && !library.contains('\n'), "{library}");
        let [series] = &run.series[..] else { panic!("one curve") };
        assert_eq!(series.pattern, pattern);
        for point in &series.points {
            assert!(point.verified, "{flags}: {} B", point.size);
        }
        // Both ends counted the same.
        let [here, there] = [&run.nodes[0], &run.nodes[1]].map(|node| node.observation.tally);
        assert_eq!((here.sent_bytes, here.received), (there.received_bytes, there.sent), "{flags}");
        assert!(run.cautions.iter().any(|caution| caution.finding().contains("share a host")));
    }
}

#[test]
fn a_window_is_measured_one_way_and_both_ways_by_all_pairs() {
    let run = run(2, &format!("bandwidth --schedule list:8,1MiB --window 16 {ENOUGH}"));
    let patterns: Vec<Pattern> = run.series.iter().map(|series| series.pattern).collect();
    assert_eq!(patterns, [Pattern::OneWay, Pattern::Exchange]);
    assert_eq!(run.plan.common.mpi.window, Some(16));
    let pairs = run_of_pairs();
    assert_eq!(pairs.paths.iter().map(|path| (path.from, path.to)).collect::<Vec<_>>(), [(0, 2), (1, 3)]);
    assert_eq!(pairs.nodes.len(), 4);
}

/// Two pairs take turns on the processors here, so only that they are measured is looked at.
fn run_of_pairs() -> Run {
    run(4, &format!("bandwidth --schedule list:8 --window 4 {ENOUGH}"))
}

#[test]
fn collectives_of_the_library_stand_beside_those_by_name() {
    let run = run(2, "collectives --calls allreduce,alltoall:pairwise,barrier --sizes 8,4KiB --visit 1ms");
    let found = run.mesh.expect("a mesh").collectives;
    let count = |collective: &str, algorithm: &str| {
        found.iter().filter(|one| (&*one.collective, &*one.algorithm) == (collective, algorithm)).count()
    };
    assert_eq!((count("allreduce", "ring"), count("allreduce", LIBRARY)), (2, 2));
    assert_eq!(
        (count("alltoall", "pairwise"), count("alltoall", "bruck"), count("alltoall", LIBRARY)),
        (2, 0, 2)
    );
    assert_eq!((count("barrier", "dissemination"), count("barrier", LIBRARY)), (1, 1));
    for one in &found {
        let [mean, least, greatest] = one.over_ranks().expect("two ranks");
        assert!(least <= mean && mean <= greatest && greatest <= one.slowest.mean, "{one:?}");
        assert_eq!(one.sent.is_none(), one.algorithm == LIBRARY);
    }
    // As counted over TCP and in the closed forms: 2 (P - 1) messages of every rank, and 2 (P - 1) / P of the vector.
    let ring = found.iter().find(|one| one.algorithm == "ring" && one.bytes == 4096).expect("it was called");
    let sent = ring.sent.expect("counted");
    assert_eq!((sent.messages, sent.bytes), (4, 8192));
}

#[test]
fn every_pair_of_ranks_is_measured() {
    // Ranks that share processors may be slow, which is a finding.
    let run = ended(3, "mesh --visit 1ms --repeat 1", &[0, 1]);
    let mesh = run.mesh.expect("a mesh");
    assert_eq!((mesh.ranks.len(), mesh.lost.len()), (3, 0), "{:?}", mesh.lost);
    let passes = mesh.phases[0].rounds.iter().map(|round| round.passes.len()).sum::<usize>();
    assert_eq!(passes, 6, "each pair both ways");
}

#[test]
fn what_it_cannot_do_is_said_once_with_what_to_do() {
    refused(1, "measure", "mpirun -n 2 linerate-mpi measure");
    refused(3, "measure", "two ends");
    refused(3, "bandwidth", "an even number of ranks");
    refused(2, "measure --wait block", "ranks of an MPI poll");
    refused(2, "measure --out /no/such/folder/x.run.json", "failed to write /no/such/folder/x.run.json");
    refused(2, "measure --nonsense", "linerate-mpi measure has no --nonsense");
}

#[test]
fn a_plan_is_printed_once_and_is_the_one_that_linerate_reads() {
    let output =
        linerate_mpi(2, "measure --pattern exchange --receive posted --format csv --print-plan", None);
    let text = String::from_utf8(output.stdout).expect("text");
    let plan = linerate_core::plan::Plan::from_toml(&text).expect("it is TOML, and one plan");
    assert_eq!(plan.common.output.format, Format::Csv);
    assert_eq!(plan.curve().map(|curve| curve.pattern), Some(Pattern::Exchange));
}

/// What comes of the application of `run` where nothing contends.
fn on_the_ideal_network(run: &Run) -> AppRun {
    let plan = run.plan.app().expect("its plan");
    let app = App::read(&plan.name, &plan.options).expect("it was run");
    let cases = cases(&plan.cases(2).expect("two ranks"), plan.repeat);
    let asked = Asked { app: &app, cost: Some(UnitCost(1.0)), first: 0, patience: Span::MAX };
    let network = Network { latency: Span::from_us(50), per_byte: Span::from_ns(8) };
    let all = ideal::run(network, 2, async |mut comm| {
        if comm.rank() > 0 {
            follow(&mut comm, asked).await?;
            return Ok(None);
        }
        let mut found = begun(&app, None, Vec::new());
        conduct(&mut comm, asked, &mut found, &cases, false, &mut Unseen).await;
        Ok(Some(found))
    });
    all.expect("nobody waits for ever").swap_remove(0).expect("rank 0 conducts")
}

/// Sees nothing and ends nothing.
struct Unseen;

impl RunWatch for Unseen {
    fn begins(&mut self, _: Case, _: usize, _: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _: u64, _: u64, _: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn case_done(&mut self, _: &AppRun) {}
}

/// The same bytes between the same ranks as on any other carrier: 6 steps of 500 atoms. 2 s.
#[test]
fn an_application_runs_on_each_number_of_ranks_and_says_what_it_sent() {
    let run = run(2, "app md cells=5,5,5 steps=6 every=2 --repeat 2");
    assert_eq!(run.state, State::Complete);
    let app = run.app.as_ref().expect("it is an application");
    assert_eq!((app.name.as_str(), app.ranks.len(), app.cost), ("md", 2, None));
    let ranks: Vec<u32> = app.cases.iter().map(|case| case.ranks).collect();
    assert_eq!(ranks, [1, 2, 1, 2]);
    for case in &app.cases {
        assert!(case.merit > 0.0 && case.failed_checks().next().is_none(), "{case:?}");
    }
    for (here, ideal) in app.cases.iter().zip(&on_the_ideal_network(&run).cases) {
        let sent = |case: &AppCase| -> Vec<_> {
            case.accounts.iter().map(|account| (account.messages.clone(), account.bytes.clone())).collect()
        };
        assert_eq!(sent(here), sent(ideal), "on {} ranks", here.ranks);
    }
    assert!(app.cases[1].bytes() > 0 && app.cases[0].bytes() == 0);
    refused(2, "app md steps=6 --speed-up 1,4", "at most the number of ranks that there are");
    refused(2, "app mud", "there are hint, photon, md, tbmd");
    refused(1, "app md stepz=6", "unknown field `stepz`");
}
