//! `linerate stream` as a user runs it.

use linerate_core::caution::Caution;
use linerate_core::run::{Run, State};
use linerate_core::traffic::{Class, Direction};
use linerate_core::units::Span;
use rstest::rstest;

use crate::support::server::Server;
use crate::support::{Desk, unfolded};

const FILES: [&str; 4] = ["--out", "x.run.json", "--report", "x.html"];
const STALL: Span = Span::from_ms(1_000);

fn stream(desk: &Desk, options: &[&str]) -> (Run, String) {
    let said = desk.linerate(&[&["stream"], options, &FILES].concat()).done();
    (desk.run_file("x.run.json"), said.stdout)
}

#[test]
fn alone_it_moves_bulk_over_the_loopback_and_says_what_passed() {
    let desk = Desk::new();
    let (run, said) = stream(&desk, &["--time", "600ms", "--interval", "200ms"]);
    assert_eq!(run.state, State::Complete);
    let [transfer] = &run.transfers[..] else { panic!("one load") };
    let flow = &transfer.flows[0];
    assert_eq!(flow.class(STALL), Class::Complete);
    assert!(said.lines().filter(|line| line.contains(" s  send ")).count() >= 2, "{said}");
    for part in ["stream over tcp, one flow from here", "copied to the application", "held back", "receiver"]
    {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(!said.contains("no graph"), "its charts are none of curves: {said}");
    assert!(flow.sender.intervals.len() >= 3 && flow.receiver.tcp.len() >= 3);
    assert!(flow.receiver.looks.len() > flow.receiver.intervals.len(), "{:?}", flow.receiver.looks);
    let page = desk.read("x.html");
    for chart in ["id=\"throughput\"", "id=\"cwnd\"", "id=\"rtt\""] {
        assert!(page.contains(chart), "{chart}");
    }
    let again = desk.linerate(&["report", "x.run.json"]).done();
    assert!(said.ends_with(&again.stdout), "the report of the file is the report of the run");
}

#[rstest]
fn a_bound_in_bytes_is_exact_whatever_the_message(
    #[values("1000003", "65536", "1")] bytes: &str,
    #[values("send", "receive", "both")] direction: &str,
) {
    let desk = Desk::new();
    let options = ["--bytes", bytes, "--message", "4KiB", "--direction", direction, "--flows", "2"];
    let (run, _) = stream(&desk, &options);
    let flows = &run.transfers[0].flows;
    let parts = direction.parse::<Direction>().expect("a direction").parts().len();
    assert_eq!(flows.len(), 2 * parts);
    for flow in flows {
        assert_eq!(
            (flow.sender.bytes.to_string(), flow.receiver.bytes.to_string()),
            (bytes.to_owned(), bytes.to_owned())
        );
    }
}

#[test]
fn a_table_has_a_row_for_every_pair_of_values() {
    let desk = Desk::new();
    let (run, said) =
        stream(&desk, &["--time", "100ms", "--table", "buffers=auto,128KiB", "messages=1KiB,16KiB"]);
    let labels: Vec<_> = run.transfers.iter().map(|transfer| transfer.label.as_str()).collect();
    assert_eq!(
        labels,
        [
            "buffers=auto messages=1 KiB",
            "buffers=auto messages=16 KiB",
            "buffers=128 KiB messages=1 KiB",
            "buffers=128 KiB messages=16 KiB"
        ]
    );
    // Linux doubles what is asked (socket(7)).
    let granted = run.transfers[2].flows[0].receiver.granted.rcvbuf.known().copied();
    assert_eq!(granted, Some(262_144));
    assert!(said.contains("10^6 bit/s") && said.contains("262144"), "{said}");
}

#[test]
fn a_thousand_flows_run_from_one_process() {
    let desk = Desk::new();
    let (run, said) = stream(&desk, &["--flows", "1000", "--bytes", "10000", "--stall", "60s"]);
    let flows = &run.transfers[0].flows;
    assert_eq!(flows.len(), 1000);
    assert!(flows.iter().all(|flow| flow.receiver.bytes == 10_000), "{said}");
    assert!(said.contains("of 1000 flows"), "{said}");
}

#[test]
fn the_plan_in_a_file_is_the_plan_of_the_flags() {
    let desk = Desk::new();
    let flags = ["--bytes", "1MB", "--flows", "3", "--rate", "800M", "--direction", "receive"];
    let printed = desk.linerate(&[&["stream"], flags.as_slice(), &["--print-plan"]].concat()).done();
    desk.write("plan.toml", &printed.stdout);
    let (run, _) = stream(&desk, &["--plan", "plan.toml"]);
    assert_eq!(run.transfers[0].flows.len(), 3);
    assert!(run.transfers[0].flows.iter().all(|flow| flow.direction == Direction::Receive));
    assert!(run.transfers[0].flows[0].sender.departures.as_ref().is_some_and(|times| times.count() > 0));
    let said = desk.linerate(&["measure", "--plan", "plan.toml"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("linerate stream --plan"), "{}", said.stderr);
}

#[test]
fn several_hosts_send_to_one_and_are_told_apart() {
    let desk = Desk::new();
    let key = "0123456789abcdef0123456789abcdef";
    desk.write("key", key);
    let serve = || Server::start(&desk, &["--key-file", "key"]);
    let (one, other) = (serve(), serve());
    let hosts = [one.address.as_str(), other.address.as_str(), "--key-file", "key"];
    let (run, said) = stream(
        &desk,
        &[&hosts, ["--direction", "receive", "--bytes", "2MB", "--flows", "2"].as_slice()].concat(),
    );
    let told: Vec<_> = run.transfers[0].flows.iter().map(|flow| (flow.flow, flow.peer)).collect();
    assert_eq!(told, [(0, 0), (1, 0), (2, 1), (3, 1)]);
    assert_eq!(run.paths.len(), 2);
    assert_eq!(run.paths[1].to_address, other.address);
    for part in ["2 hosts: 2 flows to here from each", &one.address, &other.address] {
        assert!(said.contains(part), "{part} in {said}");
    }
    let page = desk.read("x.html");
    assert!(page.contains("Peer 2") && page.contains(&other.address), "the page has both peers");
    let again = desk.linerate(&["stream", &one.address, &one.address, "--key-file", "key"]);
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("another host than the others"), "{}", again.stderr);
}

#[test]
fn a_pace_that_is_kept_is_what_holds_a_flow_back() {
    let desk = Desk::new();
    let (run, said) = stream(&desk, &["--time", "500ms", "--rate", "40M", "--message", "10000"]);
    let missed = run.cautions.iter().any(|caution| matches!(caution, Caution::PaceMissed { .. }));
    assert_eq!(said.contains("by the pace that was asked, 40.0 Mb/s a direction"), !missed, "{said}");
    assert!(said.contains("departures  median "), "{said}");
}

#[test]
fn ctrl_c_keeps_what_passed() {
    let desk = Desk::new();
    let run = desk.interrupted("stream");
    assert_eq!(run.state, State::Interrupted);
    assert!(run.transfers[0].flows[0].sender.bytes > 0);
}

/// Whichever way the bytes went, its end is the news, and nothing else is said to have limited the flow.
#[rstest]
fn a_server_that_dies_leaves_an_account_of_what_passed_until_then(
    #[values("send", "receive", "both")] direction: &str,
) {
    let desk = Desk::new();
    let server = Server::start(&desk, &[]);
    let asked = ["--time", "80s", "--direction", direction, "--out", "x.run.json", "--report", "x.html"];
    let arguments = server.measure(&asked);
    let running = desk.start(&[&["stream"], &arguments[1..]].concat());
    desk.under_way(&running);
    server.process.signal(rustix::process::Signal::KILL);
    let said = running.finish();
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    let run = desk.run_file("x.run.json");
    assert!(matches!(run.state, State::Failed(_)), "{:?}", run.state);
    let flow = &run.transfers[0].flows[0];
    assert!(flow.sender.bytes.max(flow.receiver.bytes) > 0, "what this end counted is kept");
    let again = desk.linerate(&["report", "x.run.json", "--format", "markdown"]).done().stdout;
    let news = again.split("\n\n").skip(1).take(2).collect::<Vec<_>>().join(" ");
    assert!(news.starts_with("**FAILED: ") && news.contains("ot known what limits it: "), "{again}");
    assert!(said.stdout.contains("FAILED"), "{}", said.stdout);
    assert!(!unfolded(&said.stdout).contains("limited by the"), "{}", said.stdout);
}

#[rstest]
#[case::two_bounds(&["--bytes", "1", "--count", "1"], "cannot be used with")]
#[case::no_flow(&["--flows", "0"], "flows is 0; it must be from 1 to 4096")]
#[case::no_rate(&["--rate", "fast"], "write 100M or 2.5G")]
#[case::no_axis(&["--table", "colours=1"], "table is colours=1; it must be of buffers")]
#[case::a_curves_form(&["--format", "np"], "invalid value 'np' for '--format <FORMAT>'")]
#[case::no_peer(&["--transport", "memory"], "invalid value 'memory' for '--transport <NAME>'")]
#[case::a_short_interval(&["--interval", "1ms"], "interval is 1 ms")]
#[case::a_message_of_nothing(&["--message", "0"], "message")]
fn what_cannot_be_is_refused_in_a_sentence(#[case] options: &[&str], #[case] reason: &str) {
    let said = Desk::new().linerate(&[&["stream"], options].concat());
    assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""), "{}", said.stderr);
    let flat = unfolded(&said.stderr);
    assert!(flat.contains(reason), "{}", said.stderr);
}
