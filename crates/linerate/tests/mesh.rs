//! `linerate mesh`: ranks here, by an agent, on servers, by a launcher, in a laboratory and on a model. About 30 s.

mod collectives;
mod launched;
mod modelled;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use linerate_core::caution::Caution;
use linerate_core::plan::MeshSchedule;
use linerate_core::run::{Run, Source, State};

use crate::support::process::wait_for;
use crate::support::server::Server;
use crate::support::{Desk, PATIENCE, Said, is_root, unfolded};

/// What makes a mesh short.
const SHORT: [&str; 10] =
    ["--repeat", "1", "--visit", "2ms", "--recheck", "0", "--out", "x.run.json", "--report", "x.html"];

/// `linerate mesh` with these options, and short.
fn mesh(desk: &Desk, options: &[&str]) -> Said {
    desk.linerate(&[&["mesh"], options, &SHORT].concat())
}

/// The names of the ranks of a run, and that all of its pairs were measured.
#[track_caller]
fn ranks(run: &Run) -> Vec<&str> {
    let mesh = run.mesh.as_ref().expect("a mesh");
    assert!(mesh.is_whole() && run.state == State::Complete, "{:?} {:?}", mesh.lost, run.state);
    let size = mesh.ranks.len();
    for phase in mesh.phases_of(&[MeshSchedule::Pairs]) {
        let passes = phase.rounds.iter().flat_map(|round| &round.passes);
        let timed = passes.filter(|pass| pass.times.iter().all(Option::is_some)).count();
        assert_eq!(timed, size * (size - 1), "every pair both ways");
    }
    mesh.ranks.iter().map(|rank| rank.name.as_str()).collect()
}

/// A program that runs commands "on" any host: here. It notes every host and command.
fn agent(desk: &Desk) -> String {
    let path = desk.path("agent");
    desk.write("agent", "#!/bin/sh\necho \"$*\" >> agent.log\nshift\nexec sh -c \"$*\"\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    path.display().to_string()
}

#[test]
fn ranks_of_this_host_are_measured_and_said_to_share_it() {
    let desk = Desk::new();
    let options = [
        "--ranks",
        "3",
        "--schedules",
        "pairs,serial,shifts,ring,random-ring,bisection,fan-in,fan-out",
        "--matchings",
        "2",
        "--collectives",
        "allreduce,barrier",
        "--collective-sizes",
        "64",
    ];
    let said = mesh(&desk, &options);
    assert!(matches!(said.code, Some(0 | 1)), "{}\n{}", said.stdout, said.stderr);
    let run = desk.run_file("x.run.json");
    assert_eq!((ranks(&run).len(), &run.source, run.nodes.len()), (3, &Source::Loopback, 1));
    let mesh = run.mesh.as_ref().expect("a mesh");
    assert_eq!((mesh.phases.len(), mesh.collectives.len()), (8, 4), "allreduce by three algorithms");
    assert!(run.cautions.contains(&Caution::RanksShareHost { ranks: 3, of: 3 }), "{:?}", run.cautions);
    assert!(mesh.ranks.iter().all(|rank| rank.near.sent_bytes > 0 && rank.far.sent_bytes == 0));
    assert!(desk.read("x.html").contains("</html>"));
    let csv = desk.linerate(&["report", "x.run.json", "--report", "x.csv"]).done();
    assert!(!csv.stdout.is_empty() && desk.read("x.csv").lines().count() > 20);
}

#[test]
fn an_agent_starts_ranks_on_hosts() {
    let desk = Desk::new();
    let agent = agent(&desk);
    let program = crate::support::PROGRAM;
    mesh(&desk, &["--hosts", "a,n[1-2]", "--agent", &agent, "--program", program]).done();
    let run = desk.run_file("x.run.json");
    assert_eq!((ranks(&run), &run.source), (vec!["a", "n1", "n2"], &Source::Measured));
    let log = desk.read("agent.log");
    assert!(log.lines().all(|line| line.ends_with("mesh --as-rank")), "no key is in a command: {log}");
    // By name they are three hosts, but nothing crossed an interface of this one.
    let shared = Caution::RanksShareHost { ranks: 3, of: 3 };
    assert!(run.cautions.contains(&shared), "{:?}", run.cautions);
}

#[test]
fn what_was_copied_is_removed() {
    let desk = Desk::new();
    let agent = agent(&desk);
    fs::create_dir(desk.path("tmp")).expect("the folder is ours");
    let temporary = desk.path("tmp");
    let with = |arguments: &[&str]| {
        let mut command = desk.command(crate::support::PROGRAM, arguments);
        command.env("TMPDIR", &temporary);
        desk.finish(command)
    };
    let arguments = ["mesh", "--hosts", "a,b", "--per-host", "2", "--deploy", "--agent", &agent];
    with(&[&arguments[..], &SHORT].concat()).done();
    assert_eq!(ranks(&desk.run_file("x.run.json")), ["a:0", "a:1", "b:0", "b:1"]);
    let log = desk.read("agent.log");
    assert_eq!(log.matches("mktemp").count(), 2, "one copy for each host: {log}");
    assert!(log.contains("/linerate' mesh --as-rank"), "{log}");
    let left = |what: &str| {
        let left: Vec<_> = fs::read_dir(&temporary).expect("it is there").flatten().collect();
        assert!(left.is_empty(), "{what} leaves {left:?}");
    };
    left("mesh");
    let arguments =
        ["measure", "--deploy", "me@localhost", "--agent", &agent, "--time", "1s", "--max-size", "1KiB"];
    with(&[&arguments[..], &["--out", "y.run.json", "--no-report"]].concat()).done();
    let run = desk.run_file("y.run.json");
    assert_eq!((&run.source, run.plan.common.host.as_deref()), (&Source::Measured, Some("localhost")));
    left("measure");
    let arguments = ["stream", "--deploy", "localhost", "--agent", &agent, "--time", "200ms", "--no-report"];
    with(&[&arguments[..], &["--out", "z.run.json"]].concat()).done();
    left("stream");
}

#[test]
fn an_agent_that_fails_is_named_with_its_host_and_reason() {
    let desk = Desk::new();
    let said = mesh(&desk, &["--hosts", "a,b", "--agent", "/no/such/program"]).complaint();
    assert!(said.starts_with("failed to start `/no/such/program`: No such file"), "{said}");
    desk.write("refuse", "#!/bin/sh\necho 'Permission denied (publickey).' >&2\nexit 255\n");
    fs::set_permissions(desk.path("refuse"), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let refuse = desk.path("refuse").display().to_string();
    let said = mesh(&desk, &["--hosts", "a,b", "--agent", &refuse]).fails(2).stderr;
    let expected = "the rank on a ended (exit status: 255)";
    assert!(said.contains(expected) && said.contains("Permission denied (publickey)."), "{said}");
    let said = mesh(&desk, &["--hosts", "a,b", "--deploy", "--agent", &refuse]).fails(2).stderr;
    assert!(said.contains("failed to run a command on a: Permission denied (publickey)."), "{said}");
}

/// One that refuses, one that says nothing, one without a name: each is named first, and the others are measured.
#[test]
fn hosts_that_are_absent_are_named_and_the_others_measured() {
    let desk = Desk::new();
    desk.write(
        "agent",
        "#!/bin/sh\ncase $1 in\nrefuses) echo 'connect to host refuses port 22: Connection refused' >&2; exit 255;;\n\
         silent) exec sleep 1000;;\nesac\nshift\nexec sh -c \"$*\"\n",
    );
    fs::set_permissions(desk.path("agent"), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let agent = desk.path("agent").display().to_string();
    let by = |hosts: &str, options: &[&str]| {
        let program = crate::support::PROGRAM;
        let all = ["--hosts", hosts, "--agent", &agent, "--program", program, "--patience", "2s"];
        mesh(&desk, &[&all[..], options].concat())
    };
    let said = by("a,refuses,b,silent,c", &[]).fails(1).stdout;
    assert!(said.starts_with("refuses and silent were absent; "), "{said}");
    let line = unfolded(&said);
    assert!(line.contains("5 ranks, 6 of 20 pairs measured; "), "{said}");
    let lost = desk.run_file("x.run.json").mesh.expect("a mesh").lost;
    assert!(lost.iter().all(|lost| lost.absent) && lost.len() == 2, "{lost:?}");
    assert!(lost[0].reason.contains("port 22: Connection refused"), "{lost:?}");
    assert_eq!(lost[1].reason, "it did not come within 2s");
    let refused = by("a,refuses,b", &["--require-all", "--force"]).fails(2).stderr;
    assert!(refused.contains("the rank on refuses ended (exit status: 255)"), "{refused}");
    let few = by("a,refuses", &["--force"]).fails(2).stderr;
    assert!(few.contains("the rank on refuses ended (exit status: 255)"), "{few}");
}

#[test]
fn servers_that_are_absent_are_named_and_the_others_measured() {
    let desk = Desk::new();
    desk.write("key", "fdpk-33wq-mtzx-2345");
    let servers = [(), ()].map(|()| Server::start(&desk, &["--key-file", "key"]));
    // Nobody listens there once it is dropped.
    let free = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let gone = free.local_addr().expect("it has an address").to_string();
    drop(free);
    let list = format!("{},{gone},{},nowhere.invalid", servers[0].address, servers[1].address);
    let said = mesh(&desk, &["--servers", &list, "--key-file", "key"]).fails(1).stdout;
    let said = unfolded(&said);
    assert!(said.starts_with(&format!("{gone} and nowhere.invalid were absent; ")), "{said}");
    assert!(said.contains("4 ranks, 2 of 12 pairs measured; "), "{said}");
    let all = mesh(&desk, &["--servers", &list, "--key-file", "key", "--require-all", "--force"]).complaint();
    assert!(all.contains(&gone) || all.contains("nowhere.invalid"), "{all}");
}

#[test]
fn servers_are_ranks_for_who_has_their_key() {
    let desk = Desk::new();
    desk.write("key", "fdpk-33wq-mtzx-2345");
    let servers = [(), ()].map(|()| Server::start(&desk, &["--key-file", "key"]));
    let list = servers.each_ref().map(|server| server.address.as_str()).join(",");
    mesh(&desk, &["--servers", &list, "--key-file", "key"]).done();
    assert_eq!(ranks(&desk.run_file("x.run.json")).len(), 2);
    let wrong = mesh(&desk, &["--servers", &list, "--key", "aaaa-bbbb-cccc-dddd", "--force"]).complaint();
    assert!(wrong.contains("the key is wrong"), "{wrong}");
    let none = mesh(&desk, &["--servers", &list, "--force"]).complaint();
    assert!(none.starts_with("failed to ask servers without a key"), "{none}");
    let open = Server::start(&desk, &["--open"]);
    let list = format!("{},{}", servers[0].address, open.address);
    let refused = mesh(&desk, &["--servers", &list, "--key-file", "key", "--force"]).fails(2).stderr;
    assert!(refused.contains("--open"), "{refused}");
    // They go on serving.
    let key =
        ["--key-file", "key", "--time", "500ms", "--max-size", "64", "--out", "y.run.json", "--no-report"];
    desk.linerate(&[&["measure", &servers[1].address], &key[..]].concat()).done();
}

#[test]
fn ctrl_c_keeps_what_was_measured_and_ends_every_rank() {
    let desk = Desk::new();
    let arguments = ["mesh", "--ranks", "3", "--repeat", "500", "--visit", "20ms", "--out", "x.run.json"];
    let mut running = desk.start(&[&arguments[..], &["--report", "x.html"]].concat());
    wait_for("a repetition in the run file", || {
        let run = Run::from_json(&fs::read_to_string(desk.path("x.run.json")).ok()?).ok()?;
        run.mesh.filter(|mesh| !mesh.phases.is_empty())
    });
    running.press_ctrl_c();
    assert_eq!(running.wait(PATIENCE).code(), Some(2));
    let run = desk.run_file("x.run.json");
    assert_eq!(run.state, State::Interrupted);
    assert!(run.nodes[0].observation.load.span.as_ps() > 0, "the ranks told what they saw");
}

#[test]
fn a_laboratory_has_a_rank_on_every_host() {
    if !is_root() {
        return;
    }
    let desk = Desk::new();
    mesh(&desk, &["--lab", "n-to-1", "--schedules", "serial", "--throughput", "64KiB"]);
    let run = desk.run_file("x.run.json");
    let names = ["sink", "h1", "h2", "h3", "h4"];
    let mesh = run.mesh.as_ref().expect("a mesh");
    assert_eq!(mesh.ranks.iter().map(|rank| rank.name.as_str()).collect::<Vec<_>>(), names);
    assert_eq!(run.nodes.len(), 5, "a namespace is a host");
    assert_eq!(run.laboratory.as_ref().map(|lab| lab.hosts.len()), Some(5));
    // What passed crossed the interfaces of the laboratory, and their counters say so.
    let another = |caution: &&Caution| matches!(caution, Caution::RanksTookAnotherWay { .. });
    assert_eq!(run.cautions.iter().find(another), None);
    assert!(mesh.ranks.iter().all(|rank| rank.far.sent_bytes > 100_000 && rank.near.sent_bytes == 0));
    let few = mesh_of_lab_with_too_many(&desk);
    assert!(few.contains("the laboratory has 5 hosts"), "{few}");
}

fn mesh_of_lab_with_too_many(desk: &Desk) -> String {
    mesh(desk, &["--lab", "n-to-1", "--ranks", "9", "--force"]).complaint()
}

#[test]
fn the_history_follows_a_mesh() {
    let desk = Desk::new();
    let history = desk.path("h.db").display().to_string();
    desk.write(
        "sw.toml",
        "[network]\nmedium = 'ethernet'\ntopology = 'switch'\nstations = 3\nqueue = '1MiB'\n",
    );
    for number in 0..2 {
        let out = format!("{number}.run.json");
        let model =
            ["mesh", "--model", "sw.toml", "--repeat", "1", "--visit", "1ms", "--record", "--no-report"];
        desk.linerate(&[&model[..], &["--out", &out, "--history", &history]].concat()).done();
    }
    let list = desk.linerate(&["history", "--history", &history]).done().stdout;
    assert!(list.contains("mesh") && list.contains('2'), "{list}");
    let compared = desk.linerate(&["compare", "0.run.json", "--with", "1.run.json"]).done().stdout;
    assert!(compared.contains("pairs 1 B"), "{compared}");
}
