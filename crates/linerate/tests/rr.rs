//! `linerate rr` as a user runs it.

use linerate_core::run::{Run, State};
use linerate_core::traffic::{Direction, Ended, Phase};

use crate::support::{Desk, unfolded};

const FILES: [&str; 5] = ["--force", "--out", "x.run.json", "--report", "x.html"];

fn rr(desk: &Desk, options: &[&str]) -> (Run, String) {
    let said = desk.linerate(&[&["rr"], options, &FILES].concat()).done();
    (desk.run_file("x.run.json"), said.stdout)
}

#[test]
fn a_count_is_exact_and_what_it_resolves_is_shown_and_no_more() {
    let desk = Desk::new();
    let (run, said) = rr(&desk, &["--count", "500", "--request", "64", "--response", "4KiB"]);
    assert_eq!(run.state, State::Complete);
    let [latency] = &run.transfers[0].latencies[..] else { panic!("one flow") };
    assert_eq!((latency.transactions, &latency.ended), (500, &Ended::Complete));
    assert_eq!(latency.service.count(), 500);
    for part in ["rr over tcp, one flow", "requests of 64 B and responses of 4 KiB", "not known with"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(run.transfers[0].hosts.iter().all(|samples| !samples.is_empty()), "both hosts say what they did");
    let again = desk.linerate(&["report", "x.run.json"]).done();
    assert!(said.ends_with(&again.stdout), "the report of the file is the report of the run");
}

#[test]
fn beside_bulk_each_direction_has_its_phase_and_the_log_has_all() {
    let desk = Desk::new();
    let (run, said) = rr(&desk, &["--time", "400ms", "--under-load", "1", "--hdr", "x.hlog"]);
    let phases: Vec<_> = run.transfers.iter().map(|transfer| transfer.load.phase()).collect();
    let expected = [Phase::Idle, Phase::Loaded(Direction::Send), Phase::Loaded(Direction::Receive)];
    assert_eq!(phases, expected);
    for transfer in &run.transfers {
        assert!(transfer.latencies[0].transactions > 0, "{said}");
        assert_eq!(transfer.flows.len(), usize::from(transfer.load.phase() != Phase::Idle));
    }
    for part in ["idle", "bulk from here", "bulk to here"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    let log = desk.read("x.hlog");
    assert!(log.starts_with('#') && log.lines().filter(|line| line.contains("HIST")).count() >= 3, "{log}");
    assert!(desk.read("x.html").contains("<svg"), "the page has a chart");
}

#[test]
fn every_kind_of_loop_ends_well_over_the_loopback() {
    let desk = Desk::new();
    for (options, kind) in [
        (["--depth", "8"].as_slice(), "8 under way"),
        (&["--rate", "500"], "an open loop of 500 a second"),
        (&["--connect"], "a connection for each"),
        (&["--transport", "udp"], "rr over udp"),
        (&["--transport", "unix"], "rr over unix"),
    ] {
        let (run, said) = rr(&desk, &[&["--time", "200ms", "--flows", "2"], options].concat());
        // Lines end where the terminal does.
        let words = unfolded(&said);
        assert!(words.contains(kind), "{kind} in {said}");
        let latencies = &run.transfers[0].latencies;
        assert_eq!(latencies.len(), 2);
        for latency in latencies {
            assert_eq!(latency.ended, Ended::Complete, "{kind}");
            assert!(latency.transactions > 0, "{kind}");
        }
    }
}

#[test]
fn the_plan_in_a_file_is_the_plan_of_the_flags() {
    let desk = Desk::new();
    let printed =
        desk.linerate(&["rr", "--count", "7", "--depth", "3", "--request", "9", "--print-plan"]).done();
    desk.write("plan.toml", &printed.stdout);
    let (run, _) = rr(&desk, &["--plan", "plan.toml"]);
    let plan = run.plan.requests().expect("it was asked for");
    assert_eq!((plan.count, plan.depth, plan.request.0), (Some(7), 3, 9));
    assert_eq!(run.transfers[0].latencies[0].transactions, 7);
}

#[test]
fn ctrl_c_keeps_what_was_asked() {
    let desk = Desk::new();
    let run = desk.interrupted("rr");
    assert_eq!(run.state, State::Interrupted);
    assert!(run.transfers[0].latencies[0].transactions > 0);
}
