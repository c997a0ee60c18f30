//! `linerate serve` as a service: what the service manager is told, and a key that changes.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};

use linerate_core::run::State;

use crate::support::process::wait_for;
use crate::support::server::Server;
use crate::support::{Desk, PATIENCE, PROGRAM};

const OLD: &str = "abcd-efgh-jkmn";
const NEW: &str = "pqrs-tuvw-xyz2";
const QUICK: [&str; 6] = ["--time", "300ms", "--schedule", "list:8", "--no-report", "--quiet"];

/// Starts a server whose service manager listens at `socket`, which `name` names; what it is told, in order.
fn told(socket: &UnixDatagram, name: &str) -> Vec<String> {
    socket.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    let hear = || {
        let mut bytes = [0; 256];
        let length = socket.recv(&mut bytes).expect("it is told something");
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    };
    let desk = Desk::new();
    let mut command = desk.command(PROGRAM, &["serve", "--listen", "127.0.0.1:0"]);
    command.env("NOTIFY_SOCKET", name);
    let mut server = Server::from(command);
    let first = hear();
    server.process.press_ctrl_c();
    let second = hear();
    assert!(server.process.wait(PATIENCE).success());
    vec![first, second]
}

#[test]
fn a_service_manager_is_told_by_a_path() {
    let desk = Desk::new();
    let path = desk.path("notify");
    let socket = UnixDatagram::bind(&path).expect("a socket");
    assert_eq!(told(&socket, &path.display().to_string()), ["READY=1", "STOPPING=1"]);
}

#[test]
fn a_service_manager_is_told_by_an_abstract_name() {
    let name = format!("linerate-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).expect("a name");
    let socket = UnixDatagram::bind_addr(&address).expect("a socket");
    assert_eq!(told(&socket, &format!("@{name}")), ["READY=1", "STOPPING=1"]);
}

#[test]
fn a_service_manager_that_is_gone_ends_nothing() {
    let desk = Desk::new();
    let mut command = desk.command(PROGRAM, &["serve", "--listen", "127.0.0.1:0"]);
    command.env("NOTIFY_SOCKET", desk.path("nobody"));
    let server = Server::from(command);
    server.process.stderr.until(|line| line.contains("the service manager was not told READY=1"));
    desk.linerate(&server.measure(&QUICK)).done();
}

#[test]
fn a_new_key_needs_no_restart_and_ends_nothing_that_runs() {
    let desk = Desk::new();
    desk.write("key", OLD);
    let server = Server::start(&desk, &["--key-file", "key", "--slots", "2"]);
    let measure =
        |key: &str| desk.linerate(&[&["measure", &server.address, "--key", key], &QUICK[..]].concat());
    // One that goes on while the key changes, and ends only when it is told to.
    let endless =
        ["--time", "60s", "--ci", "0.0001%", "--schedule", "list:8", "--no-report", "--out", "x.run.json"];
    let mut running = desk.start(&[&["measure", &server.address, "--key", OLD], &endless[..]].concat());
    wait_for("the run file", || desk.path("x.run.json").exists().then_some(()));
    desk.write("new", NEW);
    std::fs::rename(desk.path("new"), desk.path("key")).expect("the folder is ours");
    measure(NEW).done();
    assert!(measure(OLD).complaint().contains("the key is wrong"));
    // A file that is wrong, or gone, leaves the last key.
    desk.write("key", "short");
    measure(NEW).done();
    server.process.stderr.until(|line| line.contains("the last key stays in force"));
    std::fs::remove_file(desk.path("key")).expect("it was there");
    measure(NEW).done();
    running.press_ctrl_c();
    running.wait(PATIENCE);
    assert_eq!(desk.run_file("x.run.json").state, State::Interrupted);
}
