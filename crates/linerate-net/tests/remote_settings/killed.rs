//! Settings are put back when the client or the server is killed. Each process is this program again.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use linerate_net::serve::GuardianProgram;

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
    command.args(["-c", AGAIN]).arg(program).arg(THIS).env(PART, part).env(ABOUT, about);
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

fn serve_until_killed(folder: &Path) {
    let program = std::env::current_exe().expect("this program");
    // Of the guardian, which gets its journal after these.
    let arguments =
        ["-c".into(), format!("{PART}=guardian; export {PART}; {AGAIN}").into(), program.into(), THIS.into()];
    let guardian = Some(GuardianProgram { program: "sh".into(), arguments: arguments.into() });
    let server = server(SettingsOptions { guardian, ..options(ALLOWED, folder) }, Limits::default());
    say(&format!("{} {}", server.address, server.key));
    std::io::stdin().read_to_end(&mut Vec::new()).expect("until the test ends");
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
    site.wait_until_free();
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
