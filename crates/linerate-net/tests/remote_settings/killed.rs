//! Settings are put back when the client or the server is killed. Each process is this program again.

use std::fmt;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, kill as kill_process};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use tracing::field::Field;
use tracing::span::{self, Attributes, Record};
use tracing::{Event, Metadata, Subscriber};

use super::*;

/// What a process started again by this program is to be, and what it needs to know.
const PART: &str = "LINERATE_TEST_REMOTE_PART";
const ABOUT: &str = "LINERATE_TEST_REMOTE_ABOUT";
/// What it says: standard output belongs to the test's harness.
const SAID: &str = "/proc/self/fd/3";
const THIS: &str = "remote_settings::killed::a_part_of_another_test";
/// Starts it: its third descriptor is what standard output was. The guardian's journal is the argument after these.
const AGAIN: &str = "test -z \"$2\" || export LINERATE_TEST_REMOTE_ABOUT=\"$2\"; exec \"$0\" \"$1\" --exact --nocapture --quiet 3>&1 >&2";

fn again(part: &str, about: &str) -> Child {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new("sh");
    command
        .args(["-c", AGAIN])
        .arg(program)
        .arg(THIS)
        .env(PART, part)
        .env(ABOUT, about)
        .envs([guard::mark()]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

/// What the processes of the other tests do. Nothing when it runs by itself.
#[test]
fn a_part_of_another_test() {
    let Ok(about) = std::env::var(ABOUT) else { return };
    match std::env::var(PART).expect("which part").as_str() {
        "client" => hold_until_killed(&about),
        "server" => serve_until_killed(Path::new(&about)),
        _ => watch(Path::new(&about)),
    }
}

fn say(line: &str) {
    let mut said = File::create(SAID).expect("the test listens");
    writeln!(said, "{line}").expect("the test listens");
}

/// Changes two settings of the server at the address, with the key, and says so.
fn hold_until_killed(about: &str) {
    let (address, key) = about.split_once(' ').expect("an address and a key");
    let target = Target::parse(address).expect("an address");
    let key: Key = key.parse().expect("a key");
    let remote =
        RemoteSettings::connect(&target, Some(&key), &LocalOptions::default(), "a client that is killed");
    let mut remote = remote.unwrap_or_else(|error| panic!("failed to {error}"));
    remote.set("mtu", "1400").expect("allowed");
    remote.set("qdisc", "pfifo limit 5").expect("allowed");
    say("set");
    std::io::stdin().read_to_end(&mut Vec::new()).expect("until the test ends");
}

/// This program as a guardian, which gets its journal as the last argument.
fn guardian() -> GuardianProgram {
    let program = std::env::current_exe().expect("this program");
    let script = format!("{PART}=guardian; export {PART}; {AGAIN}");
    let arguments = ["-c".into(), script.into(), program.into(), THIS.into()];
    GuardianProgram { program: "sh".into(), arguments: arguments.into() }
}

fn serve_until_killed(folder: &Path) {
    tracing::subscriber::set_global_default(Lines).expect("this process has no other");
    let guardian = Some(guardian());
    let server = server(SettingsOptions { guardian, ..options(ALLOWED, folder) }, Limits::default());
    say(&format!("{} {}", server.address, server.key));
    std::io::stdin().read_to_end(&mut Vec::new()).expect("until the test ends");
}

/// Writes what is logged to standard error, a line each.
struct Lines;

impl Subscriber for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut |_: &Field, line: &dyn fmt::Debug| eprintln!("{line:?}"));
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

fn watch(journal: &Path) {
    settings::stand_apart().expect("apart");
    let ready = File::create(SAID).expect("the server listens");
    if let Err(error) = settings::guard(journal, std::io::stdin(), ready) {
        eprintln!("the guardian failed to {error}");
    }
}

/// The next line that a process says, or what it complains of.
fn heard(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("it is piped")).read_line(&mut line).expect("text");
    if line.is_empty() {
        let mut complaint = String::new();
        child.stderr.as_mut().expect("it is piped").read_to_string(&mut complaint).expect("text");
        panic!("it said nothing but {complaint}");
    }
    line.trim_end().to_owned()
}

/// Kills it, and waits until neither it nor its guardian is left: both hold its standard error.
fn kill(mut child: Child) -> String {
    child.kill().expect("it runs");
    child.wait().expect("it is ours");
    let mut complaints = String::new();
    child.stderr.take().expect("it is piped").read_to_string(&mut complaints).expect("text");
    complaints
}

#[test]
fn the_changes_of_a_client_that_is_killed_are_put_back() {
    let Some(site) = Site::new(ALLOWED, Limits::default()) else { return };
    let about = format!("{} {}", site.server.address, site.server.key);
    let mut client = site.lab.here(|| again("client", &about)).expect("entered");
    assert_eq!(heard(&mut client), "set");
    assert_eq!([site.has("mtu"), site.has("qdisc")], ["1400", "pfifo limit 5"]);
    kill(client);
    wait_until_free(&site.folder.0);
    site.is_as_before();
    site.still_serves();
}

#[test]
fn the_guardian_puts_settings_back_when_the_server_is_killed() {
    let (Some(lab), folder) = (lab(1500), Folder::new()) else { return };
    let place = folder.0.to_str().expect("text");
    let mut server = lab.there(|| again("server", place)).expect("entered");
    let about = heard(&mut server);
    let mut client = lab.here(|| again("client", &about)).expect("entered");
    assert_eq!(heard(&mut client), "set");
    let values =
        || ["mtu@wire", "qdisc@wire"].map(|name| settings::read(&name.parse().expect(name)).expect(name));
    assert_eq!(lab.there(values).expect("entered").map(String::from), ["1400", "pfifo limit 5"]);
    assert_eq!(folder.journals(), 1);
    let complaints = kill(server);
    assert!(!complaints.contains("failed to"), "{complaints}");
    assert_eq!(lab.there(values).expect("entered").map(String::from), ["1500", "noqueue"]);
    assert_eq!(folder.journals(), 0);
    kill(client);
}

#[test]
fn without_the_guardian_that_there_should_be_nothing_is_changed() {
    let program = GuardianProgram { program: "false".into(), arguments: Vec::new() };
    let Some(site) = Site::guarded(ALLOWED, Limits::default(), Some(program)) else { return };
    let mut remote = site.connect("a test").expect("allowed");
    for _ in 0..2 {
        let text = remote.set("mtu", "1400").expect_err("nobody watches").to_string();
        assert!(text.starts_with("start the guardian: it did not begin to watch"), "{text}");
        site.is_as_before();
    }
    assert_eq!(remote.finish().expect("connected"), []);
}

/// The guardians are children of this process, as the server is in it.
#[test]
fn a_guardian_that_is_killed_is_followed_by_another() {
    let Some(site) = Site::guarded(ALLOWED, Limits::default(), Some(guardian())) else { return };
    let mut remote = site.connect("a test").expect("allowed");
    remote.set("mtu", "1400").expect("allowed");
    let first = guardians(&site.folder);
    let [pid] = first[..] else { panic!("{first:?}") };
    kill_process(pid, Signal::SIGKILL).expect("it is ours");
    // Until it has ended; that the server hears of it is left to the server.
    waitid(Id::Pid(pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT).expect("it is a child");
    remote.set("qdisc", "pfifo limit 5").expect("another one watches");
    let second = guardians(&site.folder);
    assert!(second.len() == 1 && second != first, "{first:?} {second:?}");
    assert_eq!(remote.finish().expect("put back").len(), 2);
    site.is_as_before();
    assert_eq!(guardians(&site.folder), [], "it has ended too");
}

/// The processes that watch over a journal in `folder`.
fn guardians(folder: &Folder) -> Vec<Pid> {
    let theirs = format!("{ABOUT}={}", folder.0.display());
    let all = fs::read_dir("/proc").expect("linux").flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let environment = |pid: i32| fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let is_it = |pid: &i32| String::from_utf8_lossy(&environment(*pid)).contains(&theirs);
    pids.filter(is_it).map(Pid::from_raw).collect()
}

#[test]
fn every_change_and_every_restored_value_is_in_the_log() {
    let (Some(lab), folder) = (lab(1500), Folder::new()) else { return };
    let mut server = lab.there(|| again("server", folder.0.to_str().expect("text"))).expect("entered");
    let about = heard(&mut server);
    let mut client = lab.here(|| again("client", &about)).expect("entered");
    assert_eq!(heard(&mut client), "set");
    kill(client);
    wait_until_free(&folder.0);
    let log = kill(server);
    let lines = [
        "198.18.0.1: may change settings",
        "198.18.0.1: set mtu@wire to 1400; it was 1500 and is 1400",
        "198.18.0.1: set qdisc@wire to pfifo limit 5; it was noqueue and is pfifo limit 5",
        "198.18.0.1: qdisc@wire is noqueue again",
        "198.18.0.1: mtu@wire is 1500 again",
    ];
    let found: Vec<&str> = log.lines().filter(|line| lines.contains(line)).collect();
    assert_eq!(found, lines, "{log}");
}
