//! The configuration: what wins, what it says of itself, hosts by name, and files that are wrong.

use std::path::Path;

use linerate_core::plan::Plan;
use linerate_core::transport::Transport;
use linerate_core::units::Span;

use crate::support::server::Server;
use crate::support::{Desk, PROGRAM, Said};

/// linerate in a home of its own, with this configuration.
fn linerate(desk: &Desk, config: &str, arguments: &[&str]) -> Said {
    linerate_with(desk, config, &[], arguments)
}

/// The same with variables of the environment.
fn linerate_with(desk: &Desk, config: &str, variables: &[(&str, &str)], arguments: &[&str]) -> Said {
    let folder = desk.path("home/linerate");
    std::fs::create_dir_all(&folder).expect("the folder is ours");
    desk.write("home/linerate/config.toml", config);
    let mut command = desk.command(PROGRAM, arguments);
    command.env_remove("LINERATE_NO_CONFIG").env("XDG_CONFIG_HOME", desk.path("home"));
    command.envs(variables.iter().copied());
    desk.finish(command)
}

/// The lines of a printed plan, without the folder of the configuration.
fn printed(desk: &Desk, config: &str, arguments: &[&str]) -> String {
    let said = linerate(desk, config, &[arguments, &["--print-plan"]].concat()).done();
    said.stdout.replace(&desk.path("home").display().to_string(), "~")
}

#[track_caller]
fn has_line(text: &str, line: &str) {
    assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
}

const LAYERS: &str = "\
[defaults]
time = '1s'
seed = 1000
ci = 0.1
rounds = 11
socket.sndbuf = 1000
[profile.x]
seed = 2000
ci = 0.2
rounds = 12
[defaults.rr]
depth = 4
";

#[test]
fn the_later_source_wins_and_every_value_says_where_it_is_from() {
    let desk = Desk::new();
    desk.write("plan.toml", "ci = 0.3\nrounds = 13\n");
    let plan =
        printed(&desk, LAYERS, &["measure", "--profile", "x", "--plan", "plan.toml", "--rounds", "14"]);
    for line in [
        "pattern = \"ping-pong\"  # default",
        "time = \"1s\"  # [defaults], ~/linerate/config.toml:2",
        "sndbuf = 1000  # [defaults], ~/linerate/config.toml:6",
        "seed = 2000  # [profile.x], ~/linerate/config.toml:8",
        "ci = 0.3  # plan plan.toml:1",
        "rounds = 14  # flag",
    ] {
        has_line(&plan, line);
    }
    let plan = Plan::from_toml(&plan).expect("it is a plan, comments and all");
    assert_eq!((plan.common.seed, plan.curve().expect("a curve").rounds), (2000, 14));
}

#[test]
fn the_run_holds_the_merged_plan() {
    let desk = Desk::new();
    let config = "[defaults]\ntime = '300ms'\nschedule = 'list:8'\n[profile.few]\nrounds = 3\n\
                  [profile.few.output]\nout = 'x.run.json'\nreport = 'none'\n[profile.few.output.labels]\nfrom = 'config'";
    let variables = [("LINERATE_PROFILE", "few")];
    linerate_with(&desk, config, &variables, &["measure", "--seed", "9"]).done();
    let plan = desk.run_file("x.run.json").plan;
    let wanted = "time = '300ms'\nschedule = 'list:8'\nrounds = 3\nseed = 9\n[output]\nout = 'x.run.json'\n\
                  report = 'none'\nlabels = { from = 'config' }";
    assert_eq!(plan, Plan::from_toml(wanted).expect("a plan"));
}

#[test]
fn a_host_has_an_address_a_key_and_a_transport() {
    let desk = Desk::new();
    let server = Server::start(&desk, &[]);
    std::fs::create_dir_all(desk.path("home/linerate")).expect("the folder is ours");
    desk.write("home/linerate/lab1.key", server.key());
    let config = format!(
        "[defaults]\nkey-file = 'missing'\n[host.lab1]\naddress = '{}'\nkey-file = 'lab1.key'\ntransport = 'udp'\n",
        server.address
    );
    let quick = ["--time", "300ms", "--schedule", "list:8", "--out", "x.run.json", "--no-report"];
    linerate(&desk, &config, &[&["measure", "lab1"], &quick[..]].concat()).done();
    let run = desk.run_file("x.run.json");
    assert_eq!(run.plan.common.host.as_deref(), Some(&*server.address));
    assert_eq!(run.plan.common.transport, Transport::Udp);
    let plan = printed(&desk, &config, &["measure", "lab1", "--transport", "tcp"]);
    has_line(&plan, &format!("host = \"{}\"  # [host.lab1]", server.address));
    assert_eq!(Plan::from_toml(&plan).expect("a plan").common.transport, Transport::Tcp);
    // A key of the environment is above one of the configuration, and is wrong here.
    let variables = [("LINERATE_KEY", "fdpk-33wq-mtzx")];
    let said = linerate_with(&desk, &config, &variables, &["measure", "lab1"]).complaint();
    assert!(said.contains("give --key"), "{said}");
    // The same host by its address is not the host of that name.
    let said = linerate(&desk, &config, &["measure", &server.address]).complaint();
    assert!(said.contains("missing"), "{said}");
}

#[test]
fn hosts_that_are_reached_in_different_ways_are_refused() {
    let desk = Desk::new();
    let config =
        "[host.a]\naddress = '10.0.0.1'\n[host.b]\naddress = '10.0.0.2'\n[host.c]\ntransport = 'udp'\n";
    let plan = printed(&desk, config, &["stream", "a", "b"]);
    let plan = Plan::from_toml(&plan).expect("a plan");
    assert_eq!(plan.hosts().collect::<Vec<_>>(), ["10.0.0.1", "10.0.0.2"]);
    let said = linerate(&desk, config, &["stream", "a", "c", "--print-plan"]).complaint();
    assert!(said.contains("failed to reach a and c in one way"), "{said}");
}

#[test]
fn servers_of_a_mesh_have_names_too() {
    let desk = Desk::new();
    desk.write("key", "abcd-efgh-jkmn");
    let servers = [(); 2].map(|()| Server::start(&desk, &["--key-file", "key"]));
    let [a, b] = servers.each_ref().map(|server| &server.address);
    let key = desk.path("key").display().to_string();
    let config = format!(
        "[host.a]\naddress = '{a}'\nkey-file = '{key}'\n[host.b]\naddress = '{b}'\nkey-file = '{key}'\n"
    );
    let quick =
        ["--throughput", "1KiB", "--visit", "2ms", "--repeat", "1", "--no-report", "--out", "x.run.json"];
    linerate(&desk, &config, &[&["mesh", "--servers", "a,b"], &quick[..]].concat()).done();
    assert_eq!(desk.run_file("x.run.json").mesh.map(|mesh| mesh.ranks.len()), Some(2));
}

#[test]
fn runs_are_recorded_if_the_configuration_says_so() {
    let desk = Desk::new();
    let config = "[defaults]\nrecord = true\ntime = '300ms'\nschedule = 'list:8'\n";
    let data = desk.path("data").display().to_string();
    let variables = [("XDG_DATA_HOME", &*data)];
    linerate_with(&desk, config, &variables, &["measure", "--no-report"]).done();
    let listed = linerate_with(&desk, config, &variables, &["history"]).done().stdout;
    assert!(listed.contains("loopback") || listed.contains("measure"), "{listed}");
    assert!(desk.path("data/linerate/history.db").is_file());
}

#[test]
fn each_verb_takes_what_concerns_it() {
    let desk = Desk::new();
    let config = "[defaults]\ntransport = 'quic'\nrounds = 11\nseed = 3\n[defaults.stream]\nflows = 5\n[defaults.rr]\ndepth = 6\n[defaults.mesh]\nrepeat = 2\n";
    let plan = |arguments: &[&str]| Plan::from_toml(&printed(&desk, config, arguments)).expect("a plan");
    let curve = plan(&["measure"]);
    assert_eq!((curve.common.transport, curve.curve().map(|it| it.rounds)), (Transport::Quic, Some(11)));
    let stream = plan(&["stream"]);
    assert_eq!(stream.stream().map(|it| it.bulk.flows), Some(5));
    // The verb's own default.
    assert_eq!((stream.common.time, stream.common.seed), (Span::from_ms(10_000), 3));
    assert_eq!(plan(&["rr"]).requests().map(|it| it.depth), Some(6));
    let mesh = plan(&["mesh"]);
    assert_eq!((mesh.common.transport, mesh.mesh().map(|it| it.repeat)), (Transport::Tcp, Some(2)));
    let model = plan(&["measure", "--model", "gigabit"]);
    assert_eq!((model.common.transport, model.curve().map(|it| it.rounds)), (Transport::Tcp, Some(11)));
}

#[test]
fn a_command_without_configuration_has_its_defaults() {
    let desk = Desk::new();
    let without = linerate(&desk, "not TOML", &["measure", "--no-config", "--print-plan"]).done().stdout;
    assert_eq!(Plan::from_toml(&without).expect("a plan"), Plan::default());
    let plans = without.lines().filter(|line| line.contains('=')).all(|line| line.ends_with("  # default"));
    assert!(plans, "{without}");
    let off = linerate_with(&desk, "not TOML", &[("LINERATE_NO_CONFIG", "1")], &["measure", "--print-plan"]);
    assert_eq!(off.done().stdout, without);
}

#[test]
fn a_quiet_profile_says_nothing_on_standard_error_unless_progress_is_asked_for() {
    let desk = Desk::new();
    let config = "[profile.q]\nquiet = true\ntime = '300ms'\nschedule = 'list:8'\n";
    let said = linerate(&desk, config, &["measure", "--profile", "q"]).done();
    assert_eq!(said.stderr, "");
    assert!(said.stdout.contains("latency"), "{}", said.stdout);
    let said = linerate(&desk, config, &["measure", "--profile", "q", "--progress", "ndjson"]).done();
    assert!(said.stderr.lines().next().is_some_and(|line| line.starts_with('{')), "{}", said.stderr);
}

#[test]
fn a_wrong_configuration_is_named_with_its_line_and_what_exists() {
    let desk = Desk::new();
    let file = desk.path("home/linerate/config.toml").display().to_string();
    // A message is wrapped, also within a path.
    let close = |text: &str| text.split_whitespace().collect::<String>();
    let says = |config: &str, arguments: &[&str], parts: &[&str]| {
        let said = linerate(&desk, config, arguments).complaint();
        for part in parts {
            let part = part.replace('@', &file);
            assert!(close(&said).contains(&close(&part)), "{part} is not in:\n{said}");
        }
    };
    says(
        "[defaults]\n[profile.a]\n\ntme = '1s'",
        &["stream"],
        &[
            "failed to read the configuration @, line 4: unknown field `tme`, expected one of `host`",
            "`output`, or `quiet`, `progress`, `record`, `key-file`",
            "help: correct that line, or give --no-config",
        ],
    );
    says(
        "[host.a]\nport = 3",
        &["rr"],
        &["@, line 2: unknown key `port` of a host, expected one of `address`"],
    );
    says("[defaults\n", &["measure"], &["@, line 1: unclosed table, expected `]`"]);
    says(
        "[profile.ci]\n[profile.lab]",
        &["mesh", "--profile", "c1"],
        &["failed to find the profile c1: @ has ci, lab", "help: give --profile one of those"],
    );
    says("", &["measure", "--profile", "ci"], &["profile ci: @ has none", "help: give --profile one of"]);
    // A value that can be read and not be carried out.
    says(
        "[defaults]\nsocket.dscp = 99",
        &["measure"],
        &["dscp is 99; it must be from 0 to 63", "the configuration"],
    );
}

#[test]
fn the_examples_are_configurations() {
    let desk = Desk::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib/config");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("an example");
    let ci =
        Plan::from_toml(&printed(&desk, &read("ci.toml"), &["measure", "--profile", "ci"])).expect("a plan");
    assert_eq!(ci.common.output.report.as_deref(), Some("none"));
    let lab = printed(&desk, &read("lab.toml"), &["measure", "far", "--profile", "lab"]);
    let lab = Plan::from_toml(&lab).expect("a plan");
    assert_eq!(lab.common.host.as_deref(), Some("far.example.org"));
    assert_eq!(lab.curve().map(|curve| curve.repeat), Some(5));
}
