//! `linerate measure` and `linerate serve` as a user runs them.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use linerate_analysis::netpipe_file;
use linerate_core::caution::Caution;
use linerate_core::pattern::Pattern;
use linerate_core::plan::Plan;
use linerate_core::run::{Run, Source, State};
use linerate_core::trial::Tally;
use linerate_core::units::Size;
use rstest::rstest;
use rustix::process::Signal;

use crate::support::process::{ends, marked, wait_for};
use crate::support::server::Server;
use crate::support::{self, Desk, PATIENCE, unfolded};

/// A measurement of a few sizes, with its files where the tests look for them.
const SHORT: [&str; 8] =
    ["--schedule", "list:1,1000,65536", "--time", "1s", "--out", "x.run.json", "--report", "x.html"];
/// One that goes on until somebody ends it, within the patience of a test.
const LONG: [&str; 4] = ["--schedule", "list:1,1000", "--time", "80s"];
/// A server asks for its key within 5 s; ending must not wait for that.
const AT_ONCE: Duration = Duration::from_secs(4);

const fn mirrored(tally: Tally) -> Tally {
    Tally {
        sent_bytes: tally.received_bytes,
        received_bytes: tally.sent_bytes,
        sent: tally.received,
        received: tally.sent,
    }
}

/// Asserts that a run is whole: every size timed and verified, and both ends of one mind.
#[track_caller]
fn assert_whole(run: &Run) {
    assert_eq!(run.state, State::Complete);
    let [series] = &run.series[..] else { panic!("one series, not {}", run.series.len()) };
    assert_eq!(series.pattern, run.plan.curve().expect("a curve").pattern);
    let sizes: Vec<u64> = series.points.iter().map(|point| point.size).collect();
    assert_eq!(sizes, run.plan.sizes().expect("the plan was carried out"));
    assert!(series.points.iter().all(|point| point.verified && !point.rounds.is_empty()));
    let (local, remote) = (run.local().observation.tally, run.remote().observation.tally);
    assert_eq!(local, mirrored(remote));
    assert!(local.sent > 0);
}

#[test]
fn alone_it_measures_the_loopback_and_leaves_nothing_running() {
    let desk = Desk::new();
    let mark = format!("LINERATE_TEST={}", desk.folder().display());
    let mut command = desk.command(
        support::PROGRAM,
        &["measure", "--time", "1s", "--max-size", "1KiB", "--rows", "all", "--out", "x.run.json"],
    );
    command.env("LINERATE_TEST", desk.folder());
    let said = desk.finish(command).done();
    assert_eq!(marked(&mark), [], "the peer outlived the measurement");

    assert!(said.stdout.lines().all(|line| line.chars().count() <= 80), "{}", said.stdout);
    assert!(unfolded(&said.stdout).contains("both ends run on one host"), "{}", said.stdout);
    assert_eq!(said.stderr, "run file: x.run.json\nreport:   x.html\n");
    let run = desk.run_file("x.run.json");
    assert_whole(&run);
    assert_eq!(run.source, Source::Loopback);
    assert!(run.cautions.contains(&Caution::SameHost { apart: false }), "{:?}", run.cautions);
    assert!(run.local().environment.interface.known().is_some_and(|interface| interface.loopback));
    assert!(run.local().observation.first_sample_after.is_some());
    // Every size is a line of the table, as asked.
    for point in &run.series[0].points {
        let size = Size(point.size).to_string();
        let line = |line: &&str| line.trim_start().starts_with(&format!("{size} "));
        assert!(said.stdout.lines().any(|text| line(&text)), "{} in\n{}", point.size, said.stdout);
    }
    assert!(desk.read("x.html").contains("</html>"));
    let mut files: Vec<_> =
        desk.folder().read_dir().expect("ours").flatten().map(|f| f.file_name()).collect();
    files.sort();
    assert_eq!(files, ["x.html", "x.run.json"], "nothing is left over");
}

#[test]
fn without_names_the_files_are_named_after_host_and_time() {
    let desk = Desk::new();
    let said = desk.linerate(&["measure", "--time", "300ms", "--schedule", "list:8"]).done();
    let files: Vec<&str> = said.stderr.lines().filter_map(|line| line.split_whitespace().last()).collect();
    let [run, report] = files[..] else { panic!("two files, not {files:?}") };
    assert!(run.starts_with("linerate-loopback-2"), "{run}");
    assert_eq!(run.strip_suffix(".run.json"), report.strip_suffix(".html"));
    assert_whole(&desk.run_file(run));
}

/// How a client comes by the key.
#[derive(Clone, Copy, Debug)]
enum By {
    Flag,
    SpokenFlag,
    File,
    Variable,
    BothFiles,
    Nothing,
}

#[rstest]
fn a_server_measures_with_who_has_its_key(
    #[values(By::Flag, By::SpokenFlag, By::File, By::Variable, By::BothFiles, By::Nothing)] by: By,
) {
    let desk = Desk::new();
    desk.write("ours.key", "correct-horse-battery\n");
    let options: &[&str] = match by {
        By::BothFiles => &["--key-file", "ours.key"],
        By::Nothing => &["--open"],
        _ => &[],
    };
    let server = Server::start(&desk, options);
    let key = server.key.clone().unwrap_or_default();
    desk.write("printed.key", &key);
    let spoken = key.to_uppercase().replace('-', " ");
    let given: &[&str] = match by {
        By::Flag => &["--key", &key],
        By::SpokenFlag => &["--key", &spoken],
        By::File => &["--key-file", "printed.key"],
        By::BothFiles => &["--key-file", "ours.key"],
        By::Variable | By::Nothing => &[],
    };
    let mut command =
        desk.command(support::PROGRAM, &[&["measure", &server.address], given, &SHORT].concat());
    if matches!(by, By::Variable) {
        command.env("LINERATE_KEY", &key);
    }
    desk.finish(command).done();
    let run = desk.run_file("x.run.json");
    assert_whole(&run);
    assert_eq!(run.source, Source::Measured);
    assert_eq!(run.path().to_address, server.address);
    assert!(!desk.read("x.run.json").contains(&key) || key.is_empty(), "the key is a secret");
}

#[rstest]
fn every_pattern_and_every_kind_of_call(
    #[values("ping-pong", "one-way", "exchange")] pattern: &str,
    #[values("read-write", "send-recv", "sendmsg")] io: &str,
) {
    let desk = Desk::new();
    let options = ["--pattern", pattern, "--io", io, "--schedule", "list:1,1448,300000,8MiB", "--time", "1s"];
    desk.linerate(&[&["measure", "--out", "x.run.json"], &options[..]].concat()).done();
    let run = desk.run_file("x.run.json");
    assert_whole(&run);
    assert_eq!(
        (run.plan.curve().expect("a curve").pattern.name(), run.plan.common.socket.io.name()),
        (pattern, io)
    );
    let tally = run.series[0].tally();
    match run.plan.curve().expect("a curve").pattern {
        Pattern::OneWay => assert_eq!(tally.received, 0),
        Pattern::PingPong | Pattern::Exchange => assert_eq!(tally.sent_bytes, tally.received_bytes),
    }
}

#[test]
fn json_on_standard_output_has_the_rows_of_csv_and_who_measured_them() {
    let desk = Desk::new();
    let rounds = ["measure", "--format", "json", "--level", "round", "--label", "kernel=6.18"];
    let said = desk.linerate(&[&rounds, &SHORT[..]].concat()).done();
    let json: serde_json::Value = serde_json::from_str(&said.stdout).expect("it is JSON");
    let run = desk.run_file("x.run.json");
    let rows = json["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), run.series[0].points.iter().map(|point| point.rounds.len()).sum::<usize>());
    for row in rows {
        assert_eq!((&row["id"], &row["label_kernel"]), (&run.id.clone().into(), &"6.18".into()));
        assert!(row["median_us"].is_f64() && row["round"].is_u64(), "{row}");
    }
}

#[test]
fn a_level_that_curves_lack_is_refused_before_anything_is_measured() {
    let desk = Desk::new();
    desk.write("a.toml", "[output]\nformat = 'csv'\nlevel = 'interval'\n");
    let said = desk.linerate(&["measure", "--plan", "a.toml"]);
    let complaint = said.complaint();
    assert!(complaint.contains("point or round: only the flows of a load have intervals"), "{complaint}");
    let said = desk.linerate(&["measure", "--level", "round"]);
    assert!(said.complaint().contains("unless the format is csv or json"), "{}", said.stderr);
}

#[test]
fn csv_on_standard_output_has_a_line_for_each_size() {
    let desk = Desk::new();
    let said = desk.linerate(&[&["measure", "--format", "csv"], &SHORT[..]].concat()).done();
    let mut reader = csv::Reader::from_reader(said.stdout.as_bytes());
    let column = reader.headers().expect("a header").iter().position(|name| name == "size_bytes");
    let column = column.expect("a column of sizes");
    let sizes: Vec<String> = reader.records().map(|line| line.expect("a line")[column].to_owned()).collect();
    assert_eq!(sizes, ["1", "1000", "65536"]);
}

#[test]
fn np_on_standard_output_is_a_file_of_netpipe() {
    let desk = Desk::new();
    let said = desk.linerate(&[&["measure", "--format", "np"], &SHORT[..]].concat()).done();
    let run = netpipe_file::read(&said.stdout).expect("standard output is an np.out").remove(0);
    assert_eq!(run.source, Source::Imported("NetPIPE 3.x".to_owned()));
    assert_eq!(run.series[0].points.iter().map(|point| point.size).collect::<Vec<_>>(), [1, 1000, 65536]);
}

#[rstest]
#[case("-4", false)]
#[case("-6", true)]
fn the_family_is_chosen(#[case] flag: &str, #[case] ipv6: bool) {
    if ipv6 && TcpListener::bind("[::1]:0").is_err() {
        eprintln!("skipped: IPv6 on the loopback is missing");
        return;
    }
    let desk = Desk::new();
    desk.linerate(&[&["measure", flag], &SHORT[..]].concat()).done();
    let run = desk.run_file("x.run.json");
    assert_whole(&run);
    assert_eq!((run.path().ipv6, run.path().from_address.contains(':')), (ipv6, ipv6));
}

#[rstest]
// Less 12 bytes of timestamps in every segment.
#[case::mss(&["--mss", "1000"], "mss", "988")]
#[case::dscp(&["--dscp", "46"], "dscp", "46")]
// Linux doubles what is asked (socket(7)).
#[case::sndbuf(&["--sndbuf", "50000"], "sndbuf", "100000")]
#[case::rcvbuf(&["--rcvbuf", "50000"], "rcvbuf", "100000")]
#[case::reno(&["--congestion", "reno"], "congestion", "\"reno\"")]
#[case::cubic(&["--congestion", "cubic"], "congestion", "\"cubic\"")]
#[case::nodelay_on(&[], "nodelay", "true")]
#[case::nodelay_off(&["--nodelay", "off"], "nodelay", "false")]
#[case::pin(&["--pin", "0,0"], "pinned", "0")]
fn an_option_reaches_both_sockets(#[case] options: &[&str], #[case] field: &str, #[case] has: &str) {
    if let ["--congestion", name] = options
        && !available_congestion_controls().contains(*name)
    {
        eprintln!("skipped: the congestion control {name} is missing");
        return;
    }
    let desk = Desk::new();
    desk.linerate(&[&["measure"], options, &SHORT].concat()).done();
    let run = desk.run_file("x.run.json");
    assert_whole(&run);
    for end in [run.local(), run.remote()] {
        let granted = serde_json::to_value(end.granted).expect("it has a JSON form");
        assert_eq!(granted[field].to_string(), has, "{field} of {granted}");
    }
}

#[test]
fn the_source_address_is_chosen() {
    let desk = Desk::new();
    // Every address of 127/8 is this host's.
    desk.linerate(&[&["measure", "--bind", "127.0.0.3"], &SHORT[..]].concat()).done();
    let run = desk.run_file("x.run.json");
    assert_whole(&run);
    assert_eq!(run.path().from_address, "127.0.0.3");
}

fn available_congestion_controls() -> String {
    std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default()
}

#[test]
fn ends_on_one_processor_are_a_caution() {
    let desk = Desk::new();
    let said = desk.linerate(&[&["measure", "--pin", "0,0"], &SHORT[..]].concat()).done();
    let run = desk.run_file("x.run.json");
    assert!(run.cautions.contains(&Caution::SameCpu { cpu: 0 }), "{:?}", run.cautions);
    assert!(said.stdout.contains("--pin LOCAL,REMOTE"), "the advice is shown");
}

#[test]
fn a_printed_plan_is_the_same_plan_when_read_again() {
    let desk = Desk::new();
    let options = [
        "measure",
        "node7:99",
        "--pattern",
        "exchange",
        "--schedule",
        "octave:2",
        "--min-size",
        "2",
        "--max-size",
        "64KiB",
        "--perturb",
        "1",
        "--time",
        "1500ms",
        "--ci",
        "5%",
        "--seed",
        "9",
        "--sndbuf",
        "64KiB",
        "--nodelay",
        "off",
        "--mss",
        "1000",
        "--dscp",
        "8",
        "--io",
        "sendmsg",
        "--bind",
        "127.0.0.1",
        "--pin",
        ",0",
        "-4",
        "--format",
        "csv",
        "--print-plan",
    ];
    let printed = desk.linerate(&options).done().stdout;
    desk.write("a.toml", &printed);
    let again = desk.linerate(&["measure", "--plan", "a.toml", "--print-plan"]).done().stdout;
    let plan = |text: &str| Plan::from_toml(text).expect("a plan");
    assert_eq!(plan(&again), plan(&printed));
    assert!(printed.contains("host = \"node7:99\"  # flag"), "{printed}");
    assert!(again.contains("host = \"node7:99\"  # plan a.toml:1"), "{again}");
}

#[test]
fn flags_win_over_the_plan_and_leave_the_rest_of_it() {
    let desk = Desk::new();
    desk.write("a.toml", "pattern = 'stream'\nschedule = 'list:8,64'\ntime = '500ms'\nseed = 5\n");
    let arguments = ["measure", "--plan", "a.toml", "--pattern", "exchange", "--out", "x.run.json"];
    desk.linerate(&arguments).done();
    let run = desk.run_file("x.run.json");
    assert_whole(&run);
    assert_eq!((run.plan.curve().expect("a curve").pattern, run.plan.common.seed), (Pattern::Exchange, 5));
    assert_eq!(run.series[0].points.len(), 2);
}

#[test]
fn a_second_client_is_told_its_place_and_then_served() {
    let desk = Desk::new();
    let server = Server::start(&desk, &[]);
    let first = ["--key", server.key(), "--schedule", "list:1,1000", "--time", "3s"];
    let first = desk.start_and_measure(&[&[server.address.as_str()], &first[..]].concat());
    let second =
        desk.start(&server.measure(&["--schedule", "list:8", "--time", "300ms", "--out", "y.run.json"]));
    let said = second.stderr.until(|line| line.contains("queue"));
    assert!(
        said.starts_with("waiting for the server: place 1 in the queue; it has served 127.0.0.1 for "),
        "{said}"
    );
    first.finish().done();
    second.finish().done();
    assert_whole(&desk.run_file("x.run.json"));
    assert_whole(&desk.run_file("y.run.json"));
}

#[test]
fn two_slots_serve_two_clients_at_once() {
    let desk = Desk::new();
    let server = Server::start(&desk, &["--slots", "2", "--open"]);
    let first = desk.start_and_measure(&[&[server.address.as_str()], &LONG[..]].concat());
    let arguments = ["--schedule", "list:8", "--time", "300ms", "--out", "y.run.json"];
    let second = desk.linerate(&server.measure(&arguments)).done();
    assert!(!second.stderr.contains("queue"), "{}", second.stderr);
    drop(first);
}

#[test]
fn ctrl_c_keeps_and_shows_what_was_measured() {
    let desk = Desk::new();
    let process = desk.start_and_measure(&LONG);
    process.press_ctrl_c();
    let said = process.finish();
    assert_eq!(said.complaint(), "interrupted\nhelp: the results so far are shown and kept");
    assert!(said.stdout.contains("median us"), "{}", said.stdout);
    assert!(said.stderr.contains("run file: x.run.json"), "{}", said.stderr);
    let run = desk.run_file("x.run.json");
    assert_eq!(run.state, State::Interrupted);
    assert!(run.series[0].timed().next().is_some());
    assert!(run.cautions.iter().any(|caution| matches!(caution, Caution::Incomplete { .. })));
    assert!(run.remote().observation.tally.sent > 0, "the peer still said what it observed");
    desk.linerate(&["report", "x.run.json"]).done();
}

#[test]
fn a_killed_run_is_readable_and_takes_its_peer_along() {
    let desk = Desk::new();
    let mark = format!("LINERATE_TEST={}", desk.folder().display());
    let mut command =
        desk.command(support::PROGRAM, &[&["measure", "--out", "x.run.json"], &LONG[..]].concat());
    command.env("LINERATE_TEST", desk.folder());
    let mut process = support::process::Process::start(command);
    wait_for("a round in the run file", || {
        let run =
            Run::from_json(&std::fs::read_to_string(desk.path("x.run.json")).ok()?).expect("it is whole");
        run.series.first()?.timed().next().map(drop)
    });
    let family = marked(&mark);
    assert_eq!(family.len(), 2, "a client and its peer");
    process.signal(Signal::KILL);
    process.wait(PATIENCE);
    assert!(family.into_iter().all(|pid| ends(pid, PATIENCE)), "the peer outlived the client");
    let run = desk.run_file("x.run.json");
    assert_eq!(run.state, State::Running);
    assert!(run.series[0].timed().next().is_some());
    desk.linerate(&["report", "x.run.json"]).done();
}

#[rstest]
fn a_server_ends_at_ctrl_c_whoever_is_connected(#[values(false, true)] idle: bool) {
    let desk = Desk::new();
    let mut server = Server::start(&desk, &[]);
    let connection = idle.then(|| TcpStream::connect(&server.address).expect("it listens"));
    server.process.press_ctrl_c();
    let status = server.process.wait(AT_ONCE);
    assert_eq!(status.code(), Some(0), "{}", server.process.stderr.rest());
    drop(connection);
}

#[test]
fn a_servers_log_is_plain_and_says_what_happened() {
    let desk = Desk::new();
    let mut server = Server::start(&desk, &["--open"]);
    drop(TcpStream::connect(&server.address).expect("it listens"));
    let mut scanner = TcpStream::connect(&server.address).expect("it listens");
    scanner.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("it is taken");
    // It is told nothing.
    assert_eq!(scanner.read(&mut [0]).unwrap_or(0), 0);
    desk.linerate(&["measure", &server.address, "--schedule", "list:1", "--time", "50ms"]).done();
    server.process.press_ctrl_c();
    server.process.wait(AT_ONCE);
    let log = server.process.stderr.rest();
    assert!(log.contains("127.0.0.1: the client left"), "{log}");
    assert!(log.contains("GET / HTTP/1.1") && log.contains("127.0.0.1: done"), "{log}");
    assert!(!log.contains('\u{1b}') && !log.contains("fill whole buffer"), "{log}");
}

#[test]
fn a_server_that_ends_tells_its_client() {
    let desk = Desk::new();
    let mut server = Server::start(&desk, &["--open"]);
    let client = desk.start_and_measure(&[&[server.address.as_str()], &LONG[..]].concat());
    server.process.press_ctrl_c();
    assert_eq!(server.process.wait(AT_ONCE).code(), Some(0));
    let said = client.finish();
    let said = said.fails(1);
    assert!(unfolded(&said.stdout).contains("the results so far"), "{}", said.stdout);
    assert!(matches!(desk.run_file("x.run.json").state, State::Failed(_)));
}
