//! Whatever cannot be done ends in one message that says what to do, with exit code 2, and what
//! was measured until then is kept.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::Stdio;
use std::thread::JoinHandle;

use insta::assert_snapshot;
use linerate_core::run::State;
use linerate_net::lab::WIRE;
use rustix::process::Signal;

use crate::support::lab::{Lab, NOBODY};
use crate::support::server::Server;
use crate::support::{Desk, PROGRAM, complaint, has, is_root, output_of, unfolded};

/// A measurement that goes on until something ends it, within the patience of a test.
const LONG: [&str; 4] = ["--schedule", "list:1,1000", "--time", "10s"];
/// A run file of the first version; the tests of linerate-core hold that it is read for ever.
const RUN: &str = include_str!("../../linerate-analysis/tests/runs/format-1.run.json");

/// What `linerate` with `arguments` complains of.
#[track_caller]
fn complaint_of(arguments: &[&str]) -> String {
    let said = Desk::new().linerate(arguments);
    assert_eq!(said.stdout, "", "nothing was measured");
    said.complaint()
}

/// What `linerate` with `arguments` complains of, with `address` out of the way.
#[track_caller]
fn complaint_at(address: &str, arguments: &[&str]) -> String {
    complaint_of(arguments).replace(address, "[ADDRESS]")
}

/// What clap says of `arguments`: its first line.
#[track_caller]
fn refusal_of(arguments: &[&str]) -> String {
    let said = Desk::new().linerate(arguments);
    assert_eq!((said.code, &*said.stdout), (Some(2), ""), "{}", said.stderr);
    assert!(said.stderr.contains("try '--help'"), "{}", said.stderr);
    assert_eq!(said.stderr.matches("error:").count(), 1, "{}", said.stderr);
    said.stderr.lines().next().unwrap_or_default().to_owned()
}

/// Something else that answers at a port, once: it hears the greeting and says `words`.
struct Stranger {
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl Stranger {
    fn saying(words: &'static [u8]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it listens");
        let thread = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("somebody comes");
            let mut greeting = [0; 16];
            stream.read_exact(&mut greeting).expect("it greets");
            stream.write_all(words).expect("it listens");
        });
        Self { address, thread: Some(thread) }
    }

    #[track_caller]
    fn complaint(mut self) -> String {
        let address = self.address.to_string();
        let said = complaint_at(&address, &["measure", &address, "--key", "abcd-efgh-jkmn"]);
        let thread = self.thread.take().expect("it is joined once");
        thread.join().expect("it was greeted");
        said
    }
}

#[test]
fn nobody_listens() {
    // An address of this host where no test listens, with a port that was free just now.
    let address = TcpListener::bind("127.0.0.2:0").and_then(|listener| listener.local_addr());
    let address = address.expect("a free port").to_string();
    assert_snapshot!(complaint_at(&address, &["measure", &address]), @"
    failed to connect to [ADDRESS]: Connection refused (os error 111)
    help: start `linerate serve` on that host, check the port, and that no firewall is in between
    ");
}

#[test]
fn a_host_that_does_not_answer() {
    let Some(lab) = Lab::new(None) else { return };
    let desk = Desk::new();
    // Its station seems to be known; else the kernel would say after 3 s that there is no such host.
    let nobody = NOBODY.to_string();
    let neighbour = ["neighbour", "add", &nobody, "lladdr", "02:00:00:00:00:09", "dev", WIRE];
    lab.0.here(|| output_of("ip", &neighbour)).expect("entered");
    let said = lab.linerate(&desk, &["measure", &nobody]);
    assert_snapshot!(said.complaint(), @"
    failed to connect to 198.18.0.9:5470: timed out
    help: start `linerate serve` on that host, check the port, and that no firewall is in between
    ");
}

#[test]
fn a_name_that_is_no_host() {
    assert_snapshot!(complaint_of(&["measure", "a:b:c"]), @"
    failed to parse the peer's address `a:b:c`
    help: write HOST or HOST:PORT, and an IPv6 address as [ADDR]:PORT
    ");
    let said = Desk::new().linerate(&["measure", "no-such-host.invalid"]).complaint();
    assert!(said.starts_with("failed to find the host `no-such-host.invalid`: "), "{said}");
}

#[test]
fn a_listener_that_says_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it listens").to_string();
    assert_snapshot!(complaint_at(&address, &["measure", &address]), @"
    failed to receive a greeting from the peer: the peer took too long
    help: something else listens there; start `linerate serve` or give its port
    ");
}

#[test]
fn a_web_server() {
    let stranger = Stranger::saying(b"HTTP/1.1 400 Bad Request\r\nServer: x\r\nConnection: close\r\n\r\n");
    assert_snapshot!(stranger.complaint(), @r#"
    failed to find linerate at the peer: it said `HTTP/1.1 400 Bad Request\r\nServer`
    help: that port is a web server's; give the port of `linerate serve`
    "#);
}

#[test]
fn a_receiver_of_netpipe() {
    assert_snapshot!(Stranger::saying(b"SyncMe").complaint(), @"
    failed to find linerate at the peer: it said `SyncMe`
    help: that port is a NetPIPE receiver's (NPtcp); stop it and start `linerate serve` there
    ");
}

#[test]
fn another_program_that_ends_without_a_word() {
    assert_snapshot!(Stranger::saying(b"").complaint(), @"
    failed to receive a greeting from the peer: it closed the connection
    help: something else listens there; start `linerate serve` or give its port
    ");
}

#[test]
fn another_version_of_linerate() {
    let stranger = Stranger::saying(b"linerate\x00\x63\x00\x00................................");
    assert_snapshot!(stranger.complaint(), @"
    failed to talk to the peer: it speaks version 99 of the protocol and this linerate speaks versions 4 to 12
    help: use the same version of linerate on both hosts
    ");
}

#[test]
fn a_wrong_key_and_no_key() {
    let desk = Desk::new();
    let server = Server::start(&desk, &[]);
    let wrong = complaint_at(&server.address, &["measure", &server.address, "--key", "abcd-efgh-jkmn"]);
    assert_snapshot!(wrong, @"
    failed to measure: the peer refused: the key is wrong; give --key as the server prints it
    help: give --key with the key that `linerate serve` printed
    ");
    assert_snapshot!(complaint_at(&server.address, &["measure", &server.address]), @"
    failed to prove the key: the server requires one, and no key was given
    help: give --key with the key that `linerate serve` printed
    ");
    let short = complaint_at(&server.address, &["measure", &server.address, "--key", "abc"]);
    assert_snapshot!(short, @"
    failed to read the key: a key has at least 12 letters and digits, or 19 digits alone (60 bits); this has 3
    help: give --key as `linerate serve` printed it
    ");
}

#[test]
fn a_key_for_an_open_server_and_a_key_file_that_is_missing() {
    let desk = Desk::new();
    let server = Server::start(&desk, &["--open"]);
    let unwanted = complaint_at(&server.address, &["measure", &server.address, "--key", "abcd-efgh-jkmn"]);
    assert_snapshot!(unwanted, @"
    failed to prove the key: the server is open, so it cannot prove that it has the key
    help: leave --key and --key-file out, or start the server without --open
    ");
    assert_snapshot!(complaint_at(&server.address, &["measure", &server.address, "--key-file", "no.key"]), @"
    failed to read the key from no.key: No such file or directory (os error 2)
    help: name a file that holds the key and that you may read
    ");
    assert_snapshot!(complaint_of(&["serve", "--key-file", "no.key"]), @"
    failed to read the key from no.key: No such file or directory (os error 2)
    help: name a file that holds the key and that you may read
    ");
}

#[test]
fn a_port_that_is_taken() {
    let desk = Desk::new();
    let server = Server::start(&desk, &[]);
    assert_snapshot!(complaint_at(&server.address, &["serve", "--listen", &server.address]), @"
    failed to listen on [ADDRESS]: Address already in use (os error 98)
    help: give --listen an address of this host and a free port; another `linerate serve` may be running
    ");
}

#[test]
fn a_peer_that_vanishes() {
    let desk = Desk::new();
    let server = Server::start(&desk, &["--open"]);
    let client = desk.start_and_measure(&[&[server.address.as_str()], &LONG[..]].concat());
    server.process.signal(Signal::KILL);
    let said = client.finish().fails(1);
    assert!(unfolded(&said.stdout).contains("the results so far"), "{}", said.stdout);
    assert!(said.stdout.contains("median us"), "{}", said.stdout);
    let run = desk.run_file("x.run.json");
    assert!(matches!(run.state, State::Failed(_)), "{:?}", run.state);
    assert!(run.series[0].timed().next().is_some());
    assert!(desk.read("x.html").contains("</html>"));
}

#[test]
fn ctrl_c_while_others_are_served() {
    let desk = Desk::new();
    let server = Server::start(&desk, &["--open"]);
    let first = desk.start_and_measure(&[&[server.address.as_str()], &LONG[..]].concat());
    let second = desk.start(&["measure", &server.address, "--out", "y.run.json"]);
    second.stderr.until(|line| line.contains("queue"));
    second.press_ctrl_c();
    let said = second.finish();
    assert_snapshot!(said.complaint(), @"
    failed to wait for the server: interrupted
    help: nothing was measured; measure again when the server is free
    ");
    drop(first);
}

#[test]
fn more_than_the_server_allows() {
    let desk = Desk::new();
    let server = Server::start(&desk, &["--open", "--max-size", "1KiB", "--max-time", "2s"]);
    let measure = |options: &[&str]| {
        let arguments = [&["measure", server.address.as_str(), "--time", "1s"], options].concat();
        complaint_at(&server.address, &arguments)
    };
    assert_snapshot!(measure(&["--max-size", "2KiB"]), @"
    failed to measure: the peer refused: messages of 2051 B are above this server's limit of 1 KiB; lower --max-size, or raise --max-size at the server
    help: change the plan as it says, or raise the server's limits
    ");
    let long =
        complaint_at(&server.address, &["measure", &server.address, "--max-size", "512", "--time", "3s"]);
    assert_snapshot!(long, @"
    failed to measure: the peer refused: 3 s are above this server's limit of 2 s; lower --time, or raise --max-time at the server
    help: change the plan as it says, or raise the server's limits
    ");
}

#[test]
fn more_than_the_memory() {
    let said = complaint_of(&["measure", "--schedule", "list:1024GiB"]);
    let free = said.split_once("messages: ").and_then(|(_, rest)| rest.split_once(" B are free"));
    let (free, _) = free.unwrap_or_else(|| panic!("it does not say how much is free: {said}"));
    assert_snapshot!(said.replace(free, "[FREE]"), @"
    failed to reserve 2199023255552 B for messages: [FREE] B are free
    help: lower --max-size or --working-set, or free memory on this host
    ");
}

#[test]
fn sizes_that_make_no_schedule() {
    assert_snapshot!(complaint_of(&["measure", "--min-size", "2KiB", "--max-size", "1KiB"]), @"
    failed to carry out the plan: from (2 KiB) is above to (1 KiB); give --min-size a size that is at most --max-size
    help: change the value on the command line, in the plan file or in the configuration
    ");
    assert_snapshot!(complaint_of(&["measure", "--min-size", "1GiB", "--schedule", "list:1,2"]), @"
    failed to carry out the plan: no size of the list lies between from and to; widen --min-size and --max-size
    help: change the value on the command line, in the plan file or in the configuration
    ");
    assert_snapshot!(refusal_of(&["measure", "--schedule", "fibonacci"]), @"error: invalid value 'fibonacci' for '--schedule <SCHEDULE>': `fibonacci` is not a schedule; write netpipe, octave:N with N from 1 to 64, or list:A,B,..");
    assert_snapshot!(refusal_of(&["measure", "--max-size", "1QiB"]), @"error: invalid value '1QiB' for '--max-size <SIZE>': `1QiB` is not a size; write whole bytes, or a number with KiB, MiB, GiB, TiB, kB, MB, GB or TB, such as 64KiB");
}

#[test]
fn values_out_of_range() {
    assert_snapshot!(complaint_of(&["measure", "--time", "0s"]), @"
    failed to carry out the plan: time is 0 ps; it must be from 10ms to 24h
    help: change the value on the command line, in the plan file or in the configuration
    ");
    assert_snapshot!(complaint_of(&["measure", "--ci", "0"]), @"
    failed to carry out the plan: ci is 0; it must be a share above 0 and up to 1, such as 0.02 for 2 %
    help: change the value on the command line, in the plan file or in the configuration
    ");
    assert_snapshot!(complaint_of(&["measure", "--dscp", "64"]), @"
    failed to carry out the plan: dscp is 64; it must be from 0 to 63
    help: change the value on the command line, in the plan file or in the configuration
    ");
    assert_snapshot!(refusal_of(&["measure", "--nodelay", "maybe"]), @"error: invalid value 'maybe' for '--nodelay <on|off>': `maybe` is neither on nor off");
    assert_snapshot!(refusal_of(&["measure", "--pin", "1"]), @"error: invalid value '1' for '--pin <LOCAL,REMOTE>': `1` is not LOCAL,REMOTE; write two processor numbers, such as 0,1");
}

#[test]
fn negative_values() {
    assert_snapshot!(refusal_of(&["stream", "--time", "-3s"]), @"error: invalid value '-3s' for '--time <TIME>': `-3s` is not a time; write a number with ns, us, ms, s, min or h, such as 20s or 250ms");
    assert_snapshot!(refusal_of(&["measure", "--max-size", "-1KiB"]), @"error: invalid value '-1KiB' for '--max-size <SIZE>': `-1KiB` is not a size; write whole bytes, or a number with KiB, MiB, GiB, TiB, kB, MB, GB or TB, such as 64KiB");
    assert_snapshot!(refusal_of(&["stream", "--flows", "-1"]), @"error: invalid value '-1' for '--flows <N>': -1 is not in 0..=4294967295");
    assert_snapshot!(refusal_of(&["measure", "--quiet", "-3"]), @"error: unexpected value '-3' for '--quiet' found; no more were expected");
}

#[test]
fn messages_that_no_datagram_carries() {
    assert_snapshot!(complaint_of(&["measure", "--transport", "udp", "--max-size", "1MiB"]), @"
    failed to carry out the plan: the largest size is 1048579 B; it must be at most 65507 B over IPv4 and 65527 B over IPv6: one datagram of UDP carries it
    help: change the value on the command line, in the plan file or in the configuration
    ");
    let long = complaint_of(&["stream", "--transport", "udp", "--message", "100KiB"]);
    assert!(long.contains("message is 100 KiB; it must be at most 65507 B"), "{long}");
    let short = complaint_of(&["stream", "--transport", "udp", "--message", "8"]);
    assert!(short.contains("message is 8 B; it must be at least 24 B on datagrams"), "{short}");
    let request = complaint_of(&["rr", "--transport", "udp", "--request", "1MiB"]);
    assert!(request.contains("request is 1 MiB; it must be at most 65507 B"), "{request}");
}

#[test]
fn options_that_contradict_each_other() {
    assert_snapshot!(complaint_of(&["measure", "--max-size", "64", "--out", "x.html"]), @"
    failed to write the results: x.html is both the run file and the report
    help: end the name of --out with .run.json, or choose another path with --report
    ");
    assert_snapshot!(complaint_of(&["stream", "--table", "messages=1", "messages=2"]), @"
    failed to make the table: `messages` is given twice; give all its values at once
    help: write buffers=8KiB,64KiB messages=1KiB,64KiB
    ");
    let row = complaint_of(&["stream", "--table", "buffers=auto,99GiB"]);
    assert!(row.contains("sndbuf is 106300440576; it must be from 1 byte to 1 GiB"), "{row}");
}

#[test]
fn options_that_the_host_refuses() {
    assert_snapshot!(complaint_of(&["measure", "--congestion", "nosuch"]), @"
    failed to set congestion to nosuch: No such file or directory (os error 2)
    help: leave the option out, or ask for a value that this host has (`sysctl net.ipv4`)
    ");
    assert_snapshot!(complaint_of(&["measure", "--pin", "4000,0"]), @"
    failed to pin the measurement to processor 4000: it is offline, or not one of those that this process may use
    help: give --pin processors that this host has and this process may use (`taskset -p $$`)
    ");
    assert_snapshot!(complaint_of(&["measure", "--pin", "0,4000"]), @"
    failed to measure: the peer refused: the server cannot pin its thread to processor 4000: it is offline, or not one of those that this process may use; change --pin
    help: change the plan as it says, or raise the server's limits
    ");
    assert_snapshot!(complaint_of(&["measure", "--bind", "192.0.2.1"]), @"
    failed to bind to the address 192.0.2.1: Cannot assign requested address (os error 99)
    help: give --bind an address of this host (`ip address` lists them)
    ");
    assert_snapshot!(complaint_of(&["measure", "--bind-dev", "nosuch0"]), @"
    failed to bind to the interface `nosuch0`: No such device (os error 19)
    help: give --bind-dev an interface of this host; it may need root
    ");
}

#[test]
fn plans_that_cannot_be_read() {
    let desk = Desk::new();
    desk.write("none.toml", "schedule = [\n");
    desk.write("unknown.toml", "pattern = 'one-way'\n\n[socket]\nbufer = 1\n");
    desk.write("kind.toml", "rounds = 'many'\n");
    desk.write("range.toml", "[socket]\ndscp = 99\n");
    desk.write("binary.toml", [0xff, 0xfe, 0x00]);
    let complaint = |plan: &str| desk.linerate(&["measure", "--plan", plan]).complaint();
    assert_snapshot!(complaint("missing.toml"), @"
    failed to read the plan missing.toml: No such file or directory (os error 2)
    help: name a TOML file; `--print-plan` writes one
    ");
    assert_snapshot!(complaint("."), @"
    failed to read the plan .: Is a directory (os error 21)
    help: name a TOML file; `--print-plan` writes one
    ");
    assert_snapshot!(complaint("binary.toml"), @"
    failed to read the plan binary.toml: invalid utf-8 sequence of 1 bytes from index 0
    help: name a TOML file; `--print-plan` writes one
    ");
    assert_snapshot!(complaint("none.toml"), @"
    failed to read the plan none.toml: unclosed array, expected `]` ╭─[none.toml:1:13] 1 schedule = [ · ▲ ╰────
    help: `linerate measure --print-plan` writes a plan with every field
    ");
    assert_snapshot!(complaint("unknown.toml"), @"
    failed to read the plan unknown.toml: unknown field `bufer`, expected one of `sndbuf`, `rcvbuf`, `nodelay`, `congestion`, `mss`, `dscp`, `ecn`, `busy-poll`, `wait`, `io`, `receive-io`, `gso`, `gro`, `dont-fragment`, `batch` ╭─[unknown.toml:4:1] 3 [socket] 4 bufer = 1 · ───── ╰────
    help: `linerate measure --print-plan` writes a plan with every field
    ");
    assert_snapshot!(complaint("kind.toml"), @r#"
    failed to read the plan kind.toml: invalid type: string "many", expected u32 ╭─[kind.toml:1:10] 1 rounds = 'many' · ────── ╰────
    help: `linerate measure --print-plan` writes a plan with every field
    "#);
    assert_snapshot!(complaint("range.toml"), @"
    failed to carry out the plan: dscp is 99; it must be from 0 to 63
    help: change the value on the command line, in the plan file or in the configuration
    ");
}

#[test]
fn run_files_that_are_none() {
    let desk = Desk::new();
    desk.write("cut.run.json", &RUN[..RUN.len() / 2]);
    desk.write("later.run.json", RUN.replacen("\"format\": 1", "\"format\": 99", 1));
    desk.write("other.json", "{\"name\": \"something else\"}");
    desk.write("text.run.json", "Dear diary,\n");
    desk.write("empty.run.json", "");
    let complaint = |run: &str| desk.linerate(&["report", run]).complaint();
    assert_snapshot!(complaint("cut.run.json"), @"
    failed to read cut.run.json: the file ends in the middle of the run; it was cut, or is still being written
    help: give a run file that `linerate measure` wrote to its end, or a result file of NetPIPE
    ");
    assert_snapshot!(complaint("later.run.json"), @"
    failed to read later.run.json: the file has format 99, and this linerate reads up to 3; read it with a newer linerate
    help: give a run file that `linerate measure` wrote to its end, or a result file of NetPIPE
    ");
    assert_snapshot!(complaint("other.json"), @"
    failed to read other.json: the file is not a linerate run: missing field `format` at line 1 column 26
    help: give a run file that `linerate measure` wrote to its end, or a result file of NetPIPE
    ");
    assert_snapshot!(complaint("text.run.json"), @"
    failed to read text.run.json: it is neither a run file of linerate nor a result file of NetPIPE: line 1: column 1 is `Dear`, which is not a decimal number
    help: give a run file that `linerate measure` wrote to its end, or a result file of NetPIPE
    ");
    assert_snapshot!(complaint("empty.run.json"), @"
    failed to read empty.run.json: it is neither a run file of linerate nor a result file of NetPIPE: the file has no line; NetPIPE writes one for each message size
    help: give a run file that `linerate measure` wrote to its end, or a result file of NetPIPE
    ");
    assert_snapshot!(complaint("missing.run.json"), @"
    failed to read missing.run.json: No such file or directory (os error 2)
    help: name a run file that exists and that you may read
    ");
    assert_snapshot!(complaint("."), @"
    failed to read .: Is a directory (os error 21)
    help: name a run file that exists and that you may read
    ");
}

#[test]
fn reports_that_cannot_be_written() {
    let desk = Desk::new();
    desk.write("a.run.json", RUN);
    let complaint = |to: &str| desk.linerate(&["report", "a.run.json", "--report", to]).complaint();
    assert_snapshot!(complaint("a.pdf"), @"
    failed to choose a format for a.pdf
    help: end the file's name in one of .json, .csv, .md, .np, .out, .prom, .html, .svg
    ");
    assert_snapshot!(complaint("a"), @"
    failed to choose a format for a
    help: end the file's name in one of .json, .csv, .md, .np, .out, .prom, .html, .svg
    ");
    assert_snapshot!(complaint("no/such/a.html"), @r#"
    failed to write no/such/a.html: No such file or directory (os error 2)
    help: create the folder, free space there, or choose another path
    "#);
    assert_snapshot!(complaint("/proc/a.html"), @r#"
    failed to write /proc/a.html: No such file or directory (os error 2)
    help: create the folder, free space there, or choose another path
    "#);
}

#[test]
fn a_folder_that_cannot_be_written_is_found_before_anything_is_measured() {
    let arguments = ["measure", "--time", "60s", "--out", "no/such/x.run.json"];
    assert_snapshot!(complaint_of(&arguments), @r#"
    failed to write no/such/x.run.json: No such file or directory (os error 2)
    help: create the folder, free space there, or choose another path
    "#);
}

#[test]
fn shells_and_verbs_that_are_unknown() {
    assert_snapshot!(refusal_of(&["completions", "tcsh"]), @"error: invalid value 'tcsh' for '[SHELL]'");
    assert_snapshot!(complaint_of(&["mesure"]), @"
    there is no verb mesure; did you mean measure?
    help: a host of that name is measured with `linerate measure mesure`
    ");
    assert_snapshot!(complaint_of(&["x.run.json"]), @"
    x.run.json is a file, not a host
    help: show the file with `linerate report x.run.json`
    ");
    assert_snapshot!(refusal_of(&["measure", "--format", "pdf"]), @"error: invalid value 'pdf' for '--format <FORMAT>'");
    assert_snapshot!(complaint_of(&["measure", "--patern", "one-way"]), @"
    linerate measure has no --patern; did you mean --pattern?
    help: `linerate measure --help` explains it
    ");
    assert_snapshot!(complaint_of(&["-c", "node7", "--udp"]), @"
    linerate measure has no -c
    help: name the host without a flag: `linerate stream HOST`
    ");
    assert_snapshot!(complaint_of(&["--udp", "node7"]), @"
    --udp is -u of linerate measure
    help: `linerate measure --help` explains it
    ");
    assert_snapshot!(complaint_of(&["node7", "--flows", "4"]), @"
    linerate measure has no --flows; linerate stream has it
    help: `linerate stream --help` explains it
    ");
    assert_snapshot!(refusal_of(&["serve", "--listen", "here"]), @"error: invalid value 'here' for '--listen <ADDR:PORT>': invalid socket address syntax");
}

/// The disk is a small one that only the measurement and its shell see.
#[test]
fn a_full_disk_keeps_the_last_save_and_shows_everything() {
    if !(has("unshare") && has("mount") && is_root()) {
        return;
    }
    let desk = Desk::new();
    std::fs::create_dir(desk.path("full")).expect("the folder is ours");
    let script = format!(
        "mount -t tmpfs -o size=64k none full || exit 99
         {PROGRAM} measure --time 2s --max-size 64KiB --out full/x.run.json --report x.html
         code=$?
         cp full/x.run.json saved.run.json
         exit $code"
    );
    let said = desk.finish(desk.command("unshare", &["--mount", "sh", "-c", &script]));
    assert_snapshot!(said.complaint(), @r#"
    failed to write full/x.run.json: No space left on device (os error 28)
    help: create the folder, free space there, or choose another path
    "#);
    assert!(said.stdout.contains("\n  65539 "), "every size is in the table:\n{}", said.stdout);
    assert_eq!(desk.run_file("saved.run.json").state, State::Running);
    desk.linerate(&["report", "saved.run.json"]).done();
}

/// A device, a pipe, or with --force a link is written to, not replaced by a file: `--report /dev/null` as root
/// must leave the host its `/dev/null`.
#[test]
fn what_is_no_file_is_not_replaced() {
    if !(has("mknod") && is_root()) {
        return;
    }
    let desk = Desk::new();
    desk.write("a.run.json", RUN);
    desk.write("real.csv", "");
    desk.finish(desk.command("mknod", &["full.html", "c", "1", "7"])).done();
    std::os::unix::fs::symlink("real.csv", desk.path("link.csv")).expect("the folder is ours");

    assert_snapshot!(desk.linerate(&["report", "a.run.json", "--report", "full.html"]).complaint(), @"
    failed to write full.html: No space left on device (os error 28)
    help: create the folder, free space there, or choose another path
    ");
    desk.linerate(&["report", "a.run.json", "--report", "link.csv", "--force"]).done();
    use std::os::unix::fs::FileTypeExt as _;
    let kind = |name| std::fs::symlink_metadata(desk.path(name)).expect("it is there").file_type();
    assert!(kind("full.html").is_char_device(), "the device was replaced");
    assert!(kind("link.csv").is_symlink(), "the link was replaced");
    assert!(desk.read("real.csv").starts_with("run,"), "its target was written");
}

/// `linerate report x.run.json | head -1`.
#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let desk = Desk::new();
    desk.write("a.run.json", RUN);
    for arguments in
        [&["report", "a.run.json"][..], &["man"], &["completions", "bash"], &["measure", "--print-plan"]]
    {
        let mut command = desk.command(PROGRAM, arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

/// A full standard output is an error, but the run file is complete by then.
#[test]
fn a_full_standard_output() {
    let desk = Desk::new();
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
    let arguments = ["measure", "--schedule", "list:8", "--time", "300ms", "--out", "x.run.json"];
    let mut command = desk.command(PROGRAM, &arguments);
    let output = command.stdout(full).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert_snapshot!(complaint(&String::from_utf8_lossy(&output.stderr)), @"
    failed to write to standard output: No space left on device (os error 28)
    help: free space there, or choose another path with --out; the run file is complete
    ");
    assert_eq!(desk.run_file("x.run.json").state, State::Complete);
}

#[test]
fn a_run_file_is_replaced_only_by_force() {
    let desk = Desk::new();
    desk.write("a.run.json", RUN);
    let said = desk.linerate(&["report", "a.run.json", "--report", "a.run.json"]);
    assert_snapshot!(said.complaint(), @"
    failed to write a.run.json: it is what the report is made of
    help: choose another path
    ");
    desk.write("b.run.json", RUN);
    let kept = "failed to write a.run.json: it is a run file, and would be lost
help: choose another path, or replace it with --force";
    let said = desk.linerate(&["report", "b.run.json", "--report", "a.run.json"]);
    assert_eq!(said.complaint().trim_end(), kept);
    let measure = ["measure", "--schedule", "list:1", "--time", "200ms", "--out", "a.run.json"];
    let said = desk.linerate(&measure);
    assert_eq!(said.stdout, "", "nothing was measured");
    assert_eq!(said.complaint().trim_end(), kept);
    assert_eq!(desk.read("a.run.json"), RUN);
    desk.linerate(&[&measure[..], &["--force"]].concat()).done();
    assert_ne!(desk.read("a.run.json"), RUN);
}

#[test]
fn a_file_that_does_not_end() {
    for arguments in [
        &["report", "/dev/zero"][..],
        &["measure", "--plan", "/dev/zero"],
        &["model", "load", "/dev/zero"],
        &["serve", "--key-file", "/dev/zero"],
    ] {
        let complaint = complaint_of(arguments);
        assert!(complaint.contains("it does not end"), "{complaint}");
    }
}

#[test]
fn a_time_in_which_nothing_can_be_timed() {
    let said = Desk::new().linerate(&["measure", "--schedule", "list:10000000", "--time", "10ms"]);
    assert_eq!(said.code, Some(2));
    assert_snapshot!(said.complaint(), @"
    failed to time any size: the time was not enough
    help: allow more --time, or begin with smaller sizes (--min-size)
    ");
}

#[test]
fn a_load_in_which_nothing_can_be_timed() {
    let said = Desk::new().linerate(&["rr", "--rate", "1", "--warm-up", "100ms", "--time", "10ms"]);
    assert_eq!(said.code, Some(2));
    assert_snapshot!(said.complaint(), @"
    failed to time anything: no byte of bulk arrived, and no transaction ended after the warm-up
    help: allow more --time, ask for a higher --rate, or look whether the path loses everything
    ");
}

#[test]
fn a_file_whose_text_would_command_the_terminal() {
    let desk = Desk::new();
    // In a key, in a value, and where the parser shows the line.
    desk.write("key.toml", "\"\\u001b[2J\" = 1\n");
    desk.write("value.toml", "schedule = \"\\u001b]0;mine\\u0007\"\n");
    desk.write("line.toml", "time = 1 # \u{1b}[31m\n");
    desk.write("model.toml", "\"\\u009b2J\" = 1\n");
    desk.write("run.json", "{\"format\":1,\"generator\":\"\\u001b[2J\",\"\u{1b}[2J\":3");
    for arguments in [
        &["measure", "--plan", "key.toml"][..],
        &["measure", "--plan", "value.toml"],
        &["measure", "--plan", "line.toml"],
        &["model", "load", "model.toml"],
        &["report", "run.json"],
        &["report", "\u{1b}[2J.json"],
        &["measure", "\u{1b}[2J"],
    ] {
        let said = desk.linerate(arguments);
        assert_eq!(said.code, Some(2), "{}", said.stderr);
        let commands = said.stderr.chars().any(|c| c.is_control() && c != '\n');
        assert!(!commands, "{arguments:?}: {:?}", said.stderr);
    }
}

/// A program that reads JSON from standard output has the reason there; a person has it beside.
#[test]
fn who_asked_for_json_gets_an_object_with_the_error() {
    for form in [&["--format", "json"][..], &["-J"]] {
        let said = Desk::new().linerate(&[&["stream", "127.0.0.1:1"][..], form].concat());
        assert_eq!(said.code, Some(2), "{}", said.stderr);
        let object: serde_json::Value = serde_json::from_str(&said.stdout).expect("an object");
        let [what, help] = ["what", "help"].map(|key| object["error"][key].as_str().unwrap_or_default());
        assert!(what.starts_with("failed to connect to 127.0.0.1:1") && !help.is_empty(), "{object}");
        assert!(said.stderr.contains("failed to connect"), "{}", said.stderr);
    }
    for words in [&["stream", "--time", "1XB"][..], &["compare", "a"], &["rr", "--nothing"], &["strem"]] {
        let said = Desk::new().linerate(&[words, &["--format", "json"]].concat());
        let object: serde_json::Value = serde_json::from_str(&said.stdout).expect("an object");
        let what = object["error"]["what"].as_str().unwrap_or_default();
        assert!(what.contains(words[words.len() - 1]) || what.contains("--with"), "{object}");
        assert!(said.code == Some(2) && !said.stderr.is_empty(), "{}", said.stderr);
    }
}
