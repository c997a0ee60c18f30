//! `linerate stream iperf3://..` against the iperf3 of this system: both count the same.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};

use linerate_core::caution::Caution;
use linerate_core::run::{Run, State};
use linerate_core::traffic::{Class, Direction, FlowAccount};
use rstest::rstest;
use serde_json::Value;

use crate::support::process::Process;
use crate::support::{Desk, PATIENCE, Said, has, missing};

/// A port that nobody listens on, outside of those that the system gives.
fn port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let mut ports = std::iter::repeat_with(|| {
        let number = std::process::id().wrapping_mul(61).wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        u16::try_from(10_000 + number % 20_000).expect("it is small")
    });
    ports.find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).expect("a free port")
}

/// A server of iperf3 for one test, which then writes what it counted.
struct Iperf3 {
    process: Process,
    address: String,
}

impl Iperf3 {
    /// None, with a word, where there is no iperf3.
    fn start(desk: &Desk, options: &[&str]) -> Option<Self> {
        if !has("iperf3") {
            missing("iperf3");
            return None;
        }
        let port = port();
        let command = desk.command(
            "iperf3",
            &[
                &["-s", "-1", "-J", "--forceflush", "-p", &port.to_string(), "--logfile", "server.json"],
                options,
            ]
            .concat(),
        );
        let process = Process::start(command);
        let address = format!("127.0.0.1:{port}");
        crate::support::process::wait_for("the server to listen", || {
            // Asked without a connection, which would be a client.
            let listening = std::fs::read_to_string("/proc/net/tcp").expect("it is there")
                + &std::fs::read_to_string("/proc/net/tcp6").unwrap_or_default();
            let place = format!(":{port:04X} ");
            listening.lines().any(|line| line.contains(&place) && line.contains(" 0A ")).then_some(())
        });
        Some(Self { process, address: format!("iperf3://{address}") })
    }

    fn host(&self) -> &str {
        self.address["iperf3://".len()..].rsplit_once(':').expect("a port").0
    }

    fn port(&self) -> &str {
        self.address.rsplit_once(':').expect("a port").1
    }

    /// What it counted.
    fn counted(mut self, desk: &Desk) -> Value {
        self.process.wait(PATIENCE);
        serde_json::from_str(&desk.read("server.json")).expect("its account is JSON")
    }
}

/// The rows of a page that say what a command of another tool is here.
fn recipes() -> Vec<(String, String)> {
    let page = include_str!("../../../docs/peers.md");
    let row = |line: &str| {
        let row = line.strip_prefix("| `iperf3 ")?.strip_suffix("` |")?;
        let (theirs, ours) = row.split_once("` | `linerate ")?;
        Some((theirs.to_owned(), ours.to_owned()))
    };
    page.lines().filter_map(row).collect()
}

/// What a server was asked for.
fn asked(counted: &Value) -> Vec<(&'static str, Value)> {
    let asked = &counted["start"]["test_start"];
    let keys = [
        "protocol",
        "num_streams",
        "blksize",
        "omit",
        "duration",
        "bytes",
        "blocks",
        "reverse",
        "tos",
        "target_bitrate",
        "bidir",
    ];
    let kept = keys.into_iter().map(|key| (key, asked[key].clone()));
    kept.chain([("mss", counted["start"]["tcp_mss"].clone())]).collect()
}

#[test]
fn every_recipe_asks_the_server_for_what_iperf3_does() {
    let recipes = recipes();
    assert!(recipes.len() >= 10, "{recipes:?}");
    for (theirs, ours) in recipes {
        let desk = Desk::new();
        let Some(server) = Iperf3::start(&desk, &[]) else { return };
        let (host, port) = (server.host(), server.port());
        let theirs = theirs.replace("HOST", &format!("{host} -p {port}"));
        let words: Vec<_> = theirs.split(' ').collect();
        desk.finish(desk.command("iperf3", &words)).done();
        let wanted = asked(&server.counted(&desk));
        let desk = Desk::new();
        let Some(server) = Iperf3::start(&desk, &[]) else { return };
        let ours = ours.replace("iperf3://HOST", &server.address);
        let words: Vec<_> = ours.split(' ').chain(["--out", "x.run.json"]).collect();
        desk.linerate(&words).done();
        assert_eq!(asked(&server.counted(&desk)), wanted, "{ours}");
        assert_eq!(desk.run_file("x.run.json").state, State::Complete);
    }
}

/// Runs `options` against a server: the run, and what the server counted.
fn stream(options: &[&str]) -> Option<(Run, Value, Said)> {
    let desk = Desk::new();
    let server = Iperf3::start(&desk, &[])?;
    let files = ["--out", "x.run.json", "--report", "none"];
    let said = desk.linerate(&[&["stream", &server.address], options, &files].concat()).done();
    let run = desk.run_file("x.run.json");
    assert_eq!(run.state, State::Complete);
    Some((run, server.counted(&desk), said))
}

/// What the server says of its streams that send, or receive: bytes of each.
fn bytes(counted: &Value, sends: bool) -> Vec<u64> {
    assert_eq!(counted.get("error"), None, "the server has nothing to complain of");
    let streams = counted["end"]["streams"].as_array().expect("streams");
    let kind = if sends { "sender" } else { "receiver" };
    let number = |value: &Value| value.as_u64().expect("a count");
    let of = |stream: &Value| {
        let (datagrams, stream) = (stream.get("udp"), stream.get("udp").unwrap_or(&stream[kind]));
        // Of datagrams that it received this version says the bytes as none.
        let bytes = if datagrams.is_some() && !sends {
            let length = number(&counted["start"]["test_start"]["blksize"]);
            (number(&stream["packets"]) - number(&stream["lost_packets"])) * length
        } else {
            number(&stream["bytes"])
        };
        (stream["sender"] == Value::Bool(sends)).then_some(bytes)
    };
    streams.iter().filter_map(of).collect()
}

fn flows(run: &Run, direction: Direction) -> Vec<&FlowAccount> {
    let flows = &run.transfers[0].flows;
    flows.iter().filter(|flow| flow.direction == direction).collect()
}

#[rstest]
fn both_ends_count_the_same(
    #[values("send", "receive", "both")] direction: &str,
    #[values("1", "3")] count: &str,
    #[values(&[], &["-u", "--rate", "6M"], &["--sndbuf", "64KiB", "--rcvbuf", "64KiB", "--mss", "900", "--dscp", "10"])]
    more: &[&str],
) {
    let options = [&["--time", "700ms", "--direction", direction, "--flows", count], more].concat();
    let Some((run, counted, _)) = stream(&options) else { return };
    let (to, from) = (flows(&run, Direction::Send), flows(&run, Direction::Receive));
    let count: usize = count.parse().expect("a number");
    assert_eq!(
        (to.len(), from.len()),
        (if direction == "receive" { 0 } else { count }, if direction == "send" { 0 } else { count })
    );
    let datagrams = more.contains(&"-u");
    let received: Vec<_> = to.iter().map(|flow| flow.receiver.bytes).collect();
    assert_eq!(received, bytes(&counted, false), "it says what it received");
    let sent: Vec<_> = from.iter().map(|flow| flow.sender.bytes).collect();
    assert_eq!(sent, bytes(&counted, true), "and what it sent");
    for flow in &run.transfers[0].flows {
        assert_eq!(run.transfers[0].class(flow), Class::Complete, "{flow:?}");
        assert!(flow.receiver.bytes > 0 && flow.receiver.rate().is_some(), "{flow:?}");
        let there = if flow.direction == Direction::Send { &flow.receiver } else { &flow.sender };
        assert!(there.cpu.is_some(), "the server says what it worked: {there:?}");
        if !datagrams {
            // What this end sent is what arrived there, unless the server's program was late to read it.
            let whole = flow.sender.bytes == flow.receiver.bytes;
            assert!(whole || flow.receiver.cut_off && flow.sender.bytes > flow.receiver.bytes, "{flow:?}");
            continue;
        }
        let told = flow.receiver.datagrams.as_ref().expect("datagrams are counted");
        assert_eq!((told.sent, told.lost), (told.received, 0), "{told:?}");
    }
}

#[rstest]
fn a_number_of_bytes_is_exact(
    #[values(&["--bytes", "3000000", "--flows", "2"], &["--bytes", "1310720", "-R"], &["--count", "40", "--message", "1000", "-u"])]
    options: &[&str],
) {
    let Some((run, counted, _)) = stream(options) else { return };
    let asked = if options.contains(&"--count") { 40_000 } else { options[1].parse().expect("a number") };
    for flow in &run.transfers[0].flows {
        let read = flow.receiver.bytes == asked || flow.receiver.cut_off;
        assert!(flow.sender.bytes == asked && read, "{flow:?}");
    }
    let sends = options.contains(&"-R");
    let there = |flow: &FlowAccount| if sends { flow.sender.bytes } else { flow.receiver.bytes };
    let there: Vec<_> = run.transfers[0].flows.iter().map(there).collect();
    assert_eq!(bytes(&counted, sends), there);
}

#[rstest]
fn what_the_warm_up_moved_is_left_out_at_both_ends(#[values("send", "receive")] direction: &str) {
    let options = ["--time", "1s", "--warm-up", "1s", "--direction", direction, "--rate", "80M"];
    let Some((run, counted, _)) = stream(&options) else { return };
    let flow = &run.transfers[0].flows[0];
    let there = if direction == "send" { &flow.receiver } else { &flow.sender };
    assert_eq!(vec![there.counted()], bytes(&counted, direction == "receive"));
    let warm = |bytes: u64| (5_000_000..=15_000_000).contains(&bytes);
    assert!(warm(there.counted()) && warm(flow.receiver.warm_up) && warm(flow.sender.warm_up), "{flow:?}");
}

#[test]
fn the_report_says_what_the_server_cannot() {
    let Some((run, _, said)) = stream(&["--time", "500ms"]) else { return };
    assert!(said.stdout.contains("an iperf3 server"), "{}", said.stdout);
    assert!(
        !run.cautions.iter().any(|caution| matches!(caution, Caution::AccountLate { .. })),
        "{:?}",
        run.cautions
    );
    assert!(run.nodes[1].environment.kernel.known().is_none());
}

#[test]
fn several_tests_follow_each_other_on_one_server() {
    let desk = Desk::new();
    let Some(server) = Iperf3::start(&desk, &[]) else { return };
    let table = [
        "stream",
        &server.address,
        "--time",
        "200ms",
        "--table",
        "messages=1KiB,64KiB",
        "--out",
        "x.run.json",
    ];
    // It is for one test.
    let said = desk.linerate(&table).fails(2);
    assert!(said.stderr.contains("iperf3 -s"), "{}", said.stderr);
    assert_eq!(desk.run_file("x.run.json").transfers.len(), 1, "what was measured is kept");
}

#[rstest]
#[case("measure", &[], "iperf3 carries bulk and nothing else")]
#[case("rr", &[], "iperf3 carries bulk and nothing else")]
#[case("stream", &["other"], "the only host")]
#[case("stream", &["--transport", "quic"], "tcp or udp")]
#[case("stream", &["--flows", "129"], "at most 128")]
#[case("stream", &["--threads", "2"], "a thread here")]
#[case("stream", &["--message", "2MiB"], "at most 1 MiB")]
#[case("stream", &["--warm-up", "1500ms"], "whole seconds")]
#[case("stream", &["--read-rate", "1M"], "reads as fast as it can")]
#[case("stream", &["-R", "--bytes", "9", "--flows", "2"], "all its flows together")]
#[case("stream", &["-u", "--bytes", "1000", "--message", "300"], "a multiple of --message")]
#[case("stream", &["--sndbuf", "64KiB"], "one option for both")]
#[case("stream", &["--io", "splice"], "send-recv or sendfile")]
#[case("stream", &["--touch"], "in one place")]
#[case("stream", &["--busy-poll", "50"], "cannot be asked for it")]
#[case("stream", &["-u", "--gso"], "cannot be asked for it")]
#[case("stream", &["--cpu-latency", "5"], "keep its host awake")]
#[case("stream", &["--key", "0123456789abcdef"], "leave --key")]
fn what_iperf3_cannot_carry_is_refused_by_name(
    #[case] verb: &str,
    #[case] options: &[&str],
    #[case] says: &str,
) {
    let desk = Desk::new();
    let said = desk.linerate(&[&[verb, "iperf3://127.0.0.1:1"], options].concat()).fails(2);
    assert!(said.complaint().contains(says), "{}", said.stderr);
}

#[test]
fn another_tools_name_is_no_host() {
    let said = Desk::new().linerate(&["stream", "iperf9://127.0.0.1"]).fails(2);
    assert!(said.complaint().contains("iperf3://HOST"), "{}", said.stderr);
}
