//! `linerate stream --model` and `linerate rr --model`: loads on a modelled network, with the plan, the
//! file and the text of a real one.

use linerate_core::run::{Source, State};
use linerate_core::traffic::{Class, Phase};
use linerate_core::units::Span;

use crate::support::{Desk, unfolded};

/// What framing leaves of 100 Mb/s at MTU 1500 with timestamps: 1448 of 1538 bytes. Unit: Mb/s.
const CEILING: f64 = 100.0 * 1448.0 / 1538.0;
/// What a whole window of 208 KiB waits for at the slow port: 147 frames of 1538 B on the wire at
/// 100 Mb/s. Unit: ms.
const QUEUE_MS: f64 = 147.0 * 1538.0 * 8.0 / 100e6 * 1e3;

#[test]
fn bulk_on_a_model_is_a_run_like_any_other() {
    let desk = Desk::new();
    let said = desk.linerate(&["stream", "--model", "bufferbloat", "--out", "x.run.json"]).done();
    assert!(unfolded(&said.stdout).contains("stream over model, one flow from here"), "{}", said.stdout);
    assert!(said.stdout.contains("modelled: bufferbloat"), "{}", said.stdout);
    for unknown in ["unknown", "processor"] {
        assert!(!said.stdout.contains(unknown), "a model has no such thing: {}", said.stdout);
    }
    desk.linerate(&["report", "x.run.json", "--report", "x.csv"]).done();
    let csv = desk.read("x.csv");
    let (header, lines) = csv.split_once('\n').expect("a header");
    let place = header.split(',').position(|name| name == "load").expect("a column");
    assert!(!lines.is_empty());
    for line in lines.lines() {
        assert_eq!(line.split(',').nth(place), Some(""), "it is the only load: {line}");
    }
    let run = desk.run_file("x.run.json");
    assert_eq!((&run.source, &run.state), (&Source::Modelled("bufferbloat".to_owned()), &State::Complete));
    assert_eq!(run.plan.task.verb(), "stream");
    let [transfer] = &run.transfers[..] else { panic!("one load") };
    assert_eq!(transfer.load.stream.as_ref(), run.plan.stream().map(|task| &task.bulk));
    let [flow] = &transfer.flows[..] else { panic!("one flow") };
    assert_eq!(transfer.class(flow), Class::Complete);
    assert_eq!(flow.sender.bytes, flow.receiver.bytes);
    let rate = transfer.slowest().expect("it moved").as_mbps();
    assert!((rate / CEILING - 1.0).abs() < 2e-3, "{rate} of {CEILING} Mb/s");
    let again = desk.linerate(&["stream", "--model", "bufferbloat", "--out", "y.run.json"]).done();
    // But for the moment at which it began.
    let results = |text: &str| text.split("Recorded by").next().unwrap_or_default().to_owned();
    assert_eq!(results(&again.stdout), results(&said.stdout), "a model does the same twice");
    assert_eq!(desk.run_file("y.run.json").transfers, run.transfers);
    assert_ne!(desk.run_file("y.run.json").id, run.id, "each run has an id of its own");
}

#[test]
fn a_page_has_charts_of_many_looks_and_their_intervals_are_as_asked() {
    let desk = Desk::new();
    let options = ["--time", "3s", "--interval", "1s", "--out", "x.run.json", "--report", "x.html"];
    let said = desk.linerate(&[&["stream", "--model", "bufferbloat"], &options[..]].concat()).done();
    assert_eq!(said.stdout.lines().filter(|line| line.contains(" s  send ")).count(), 3, "{}", said.stdout);
    let flow = &desk.run_file("x.run.json").transfers[0].flows[0];
    assert!(flow.receiver.looks.len() >= 50 && flow.sender.tcp.len() >= 50);
    let page = desk.read("x.html");
    for chart in ["throughput", "rtt", "cwnd"] {
        assert!(page.contains(&format!("id=\"{chart}\"")), "{chart}");
    }
    desk.linerate(&["report", "x.run.json", "--report", "x.csv", "--level", "interval"]).done();
    let csv = desk.read("x.csv");
    assert!((4..=5).contains(&csv.lines().count()), "a row for each interval: {csv}");
    desk.linerate(&["rr", "--model", "bufferbloat", "--report", "y.html"]).done();
    let page = desk.read("y.html");
    for chart in ["transactions", "latency-time", "latency"] {
        assert!(page.contains(&format!("id=\"{chart}\"")), "{chart}");
    }
}

#[test]
fn requests_beside_bulk_wait_in_the_modelled_queue() {
    let desk = Desk::new();
    let arguments =
        ["rr", "--model", "bufferbloat", "--rate", "200", "--under-load", "1", "--out", "x.run.json"];
    desk.linerate(&arguments).done();
    let run = desk.run_file("x.run.json");
    let medians: Vec<_> = run
        .transfers
        .iter()
        .map(|transfer| {
            let median = transfer.latencies[0].service.quantile(0.5).expect("it was asked");
            (transfer.load.phase(), median.as_us() / 1e3)
        })
        .collect();
    let [(Phase::Idle, idle), (Phase::Loaded(_), there), (Phase::Loaded(_), back)] = medians[..] else {
        panic!("three phases: {medians:?}")
    };
    assert!(idle < 0.1, "{idle} ms of an empty network");
    for loaded in [there, back] {
        assert!((loaded / QUEUE_MS - 1.0).abs() < 0.05, "{loaded} ms of {QUEUE_MS} ms");
    }
}

#[test]
fn hosts_of_a_model_are_stations_by_number() {
    let desk = Desk::new();
    let tcp = ["--set", "tcp.personality=linux-modern", "--bytes", "1MB"];
    let many = ["stream", "--model", "n-to-1-lossless", "1", "2", "3", "4", "--direction", "receive"];
    desk.linerate(&[&many[..], &tcp, &["--out", "x.run.json"]].concat()).done();
    let run = desk.run_file("x.run.json");
    let addresses: Vec<_> = run.paths.iter().map(|path| path.to_address.as_str()).collect();
    assert_eq!(addresses, ["station 1", "station 2", "station 3", "station 4"]);
    assert_eq!((run.nodes.len(), run.transfers[0].flows.len()), (5, 4));
    assert!(run.transfers[0].flows.iter().all(|flow| flow.receiver.bytes == 1_000_000));
    for (host, reason) in [("beta", "stations have numbers"), ("9", "station")] {
        let said = desk.linerate(&["stream", "--model", "n-to-1", host, "--time", "10ms"]);
        assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""), "{}", said.stderr);
        assert!(said.stderr.contains(reason), "{}", said.stderr);
    }
}

#[test]
fn what_no_model_has_is_refused_and_the_plan_says_what_was_asked() {
    let desk = Desk::new();
    for options in [&["--io", "sendfile"][..], &["--transport", "udp"], &["--touch"], &["--pin", "0,1"]] {
        let said = desk.linerate(&[&["stream", "--model", "gigabit"], options].concat());
        assert_eq!(said.code, Some(2), "{options:?}: {}", said.stderr);
        assert!(said.stderr.contains("its hosts have no"), "{}", said.stderr);
    }
    let plan = desk.linerate(&["rr", "--model", "bufferbloat", "--depth", "4", "--print-plan"]).done().stdout;
    let plan = linerate_core::plan::Plan::from_toml(&plan).expect("a plan");
    assert_eq!((plan.requests().map(|rr| rr.depth), plan.common.time), (Some(4), Span::from_ms(1_000)));
}
