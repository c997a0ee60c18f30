//! `linerate lab`, and `--lab` of a measurement.

use std::path::Path;
use std::time::Duration;

use insta::assert_snapshot;
use linerate_analysis::identity::Fingerprint;
use linerate_core::caution::Caution;
use linerate_core::lab::{LabPlan, Mechanism};
use linerate_core::options::Ecn;
use linerate_core::run::Source;
use linerate_net::lab::LabError;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use rustix::process::Signal;

use crate::support::process::wait_for;
use crate::support::{Desk, PROGRAM, guard, missing, output_of, unfolded};

/// Whether laboratories can be made here, with a word if not.
fn can() -> bool {
    match linerate_net::lab::TwoHosts::new(1_500) {
        Ok(_) => true,
        Err(error @ LabError::Privilege) => {
            missing(&format!("a laboratory (failed to {error})"));
            false
        }
        Err(error) => panic!("failed to {error}"),
    }
}

#[test]
fn the_plans_are_listed_and_shown() {
    let desk = Desk::new();
    assert_snapshot!(desk.linerate(&["lab", "plans"]).done().stdout, @r"
    pair       two hosts, back to back
    direct     direct flow: two hosts and a link of 1 Gb/s
    indirect   indirect flow: two hosts and a switch, 1 Gb/s
    n-to-1     N to 1: four hosts send to one through a switch, 100 Mb/s
    dumbbell   dumbbell: two hosts a side, 10 Mb/s between two routers
    slow-port  a router with a slow port: 1 Gb/s into 100 Mb/s
    two-mtus   two MTUs: 9000 B on one side of a router, 1500 B on the other
    ");
    let shown = desk.linerate(&["lab", "show", "dumbbell"]).done().stdout;
    assert!(shown.contains("routers = [\"r1\", \"r2\"]"), "{shown}");
    assert_snapshot!(desk.linerate(&["lab", "show", "dumbell"]).complaint(), @r"
    failed to find the laboratory `dumbell`: it is neither a shipped plan nor a file
    help: `linerate lab plans` names the plans that come with linerate
    ");
}

#[test]
fn a_laboratory_goes_up_runs_a_command_and_comes_down() {
    if !can() {
        return;
    }
    let desk = Desk::new();
    let name = format!("cli{:07}", std::process::id());
    guard::at_end(&[PROGRAM, "lab", "down", "--busy", &name]);
    let up = desk.linerate(&["lab", "up", "slow-port", "--name", &name]).done().stdout.replace(&name, "NAME");
    assert_snapshot!(up, @r"
    the laboratory NAME is up: 3 nodes, 2 links
    links: 2 with queues of the kernel (netem, tbf)

      node          namespace     links
      a     host    NAME.a  r 198.18.0.1 1.00 Gb/s
      b     host    NAME.b  r 198.18.1.1 100 Mb/s
      r     router  NAME.r  a 198.18.0.2 1.00 Gb/s; b 198.18.1.2 100 Mb/s

    `linerate lab exec NAME.a -- CMD` runs a command on a, which knows the others by
    name (`ping b`). `linerate lab down NAME` removes everything.
    ");
    let on_b = |command: &[&str]| {
        let node = format!("{name}.b");
        desk.linerate(&[&["lab", "exec", &node, "--"], command].concat())
    };
    let seen = on_b(&["ls", "/sys/class/net"]).done().stdout;
    assert_eq!(seen.split_whitespace().collect::<Vec<_>>(), ["lo", "r"], "its own interfaces, and no others");
    assert!(on_b(&["getent", "hosts", "a"]).done().stdout.starts_with("198.18.0.1"), "by name");
    assert_eq!(on_b(&["sh", "-c", "exit 7"]).code, Some(7));
    // It ends with 1 if this host has a laboratory that is not whole, whosever it is.
    let listed = desk.linerate(&["lab", "list"]).stdout;
    assert!(listed.lines().any(|line| line.contains(&name) && line.contains(" up")), "{listed}");
    let again = desk.linerate(&["lab", "up", "pair", "--name", &name]).complaint().replace(&name, "NAME");
    assert_snapshot!(again, @r"
    failed to make the laboratory NAME: there is one of that name
    help: remove it with `linerate lab down NAME`, or choose another --name
    ");
    desk.linerate(&["lab", "down", &name]).done();
    assert_snapshot!(desk.linerate(&["lab", "down", &name]).complaint().replace(&name, "NAME"), @r"
    failed to find the laboratory NAME: there is none of that name
    help: `linerate lab list` names what is up
    ");
}

#[test]
fn one_run_has_a_laboratory_of_its_own() {
    if !can() {
        return;
    }
    let desk = Desk::new();
    let measure = ["measure", "--lab", "indirect", "--schedule", "list:1,1000", "--time", "1s"];
    desk.linerate(&[&measure[..], &["--out", "x.run.json"]].concat()).done();
    let run = desk.run_file("x.run.json");
    assert_eq!(run.source, Source::Measured);
    assert_eq!(run.plan.common.host.as_deref(), Some("b"), "the last host answers");
    let lab = run.laboratory.clone().expect("it was in one");
    assert_eq!((&*lab.name, &*lab.hosts), ("indirect", &["a".to_owned(), "b".to_owned()][..]));
    assert!(LabPlan::from_toml(&lab.plan).is_ok_and(|plan| plan.switches == ["s"]), "{}", lab.plan);
    let name = Fingerprint::of(&run).name;
    assert!(name.starts_with("a to b of the laboratory indirect, tcp, ping-pong"), "{name}");
    let stream =
        ["stream", "--lab", "n-to-1", "h1", "h3", "--on", "sink", "--direction", "receive", "--time", "1s"];
    let said = desk.linerate(&[&stream[..], &["--out", "s.run.json"]].concat()).done().stdout;
    assert!(said.contains("2 hosts"), "{said}");
    desk.linerate(&["rr", "--lab", "dumbbell", "--time", "1s", "--out", "r.run.json"]).done();
}

#[test]
fn a_run_over_the_forwarder_says_so_and_counts_its_frames() {
    if !can() {
        return;
    }
    let desk = Desk::new();
    desk.write(
        "far.toml",
        "hosts = ['a', 'b']\nlink = [{ between = ['a', 'b'], delay = '5ms', jitter = '1us' }]\n",
    );
    let rr = desk.linerate(&["rr", "--lab", "far.toml", "--time", "1s", "--out", "r.run.json"]).done();
    let said = rr.stderr;
    assert!(said.contains("links: 1 with linerate's own forwarder\n"), "{said}");
    let counts = |from: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(from)).unwrap_or_else(|| panic!("{said}"));
        let number = |word: &str| word.parse::<u64>().ok();
        line.split_whitespace().filter_map(number).take(4).collect::<Vec<_>>()
    };
    for from in ["link a to b: ", "link b to a: "] {
        let [came, sent, by_rule, by_queue] = counts(from)[..] else { panic!("{said}") };
        assert!(came > 10 && came - sent <= 2 && (by_rule, by_queue) == (0, 0), "{said}");
    }
    assert!(rr.stdout.contains(" ms"), "a round trip takes 10 ms at least: {}", rr.stdout);
    let lab = desk.run_file("r.run.json").laboratory.expect("it was in one");
    let [link] = &lab.links[..] else { panic!("{:?}", lab.links) };
    assert_eq!((&link.between, link.mechanism), (&["a".to_owned(), "b".to_owned()], Mechanism::Forwarder));
    let [forward, reverse] = link.frames.expect("its forwarder tells of them");
    assert!(forward.counts.passed > 10 && reverse.counts.passed > 10, "{link:?}");
    assert_eq!((forward.missed, reverse.missed), (0, 0));
}

/// Whether `count` of `all` is what `share` gives but once in millions of runs: six standard deviations, and one.
fn is_share(count: u64, all: u64, share: f64) -> bool {
    let all = all as f64;
    (count as f64 - all * share).abs() <= 6.0 * (all * share * (1.0 - share)).sqrt() + 1.0
}

#[test]
fn what_a_link_marks_and_bleaches_is_counted_each_way() {
    if !can() {
        return;
    }
    let seed = u64::from(std::process::id());
    let mut random = Pcg64::seed_from_u64(seed);
    let desk = Desk::new();
    let shares: [[f64; 2]; 2] =
        std::array::from_fn(|_| [random.random_range(0.0..0.5), random.random_range(0.0..0.5)]);
    println!("seed {seed}: {shares:?}");
    let rules = shares.map(|[mark, bleach]| format!("{{ ecn-mark = {mark}, ecn-bleach = {bleach} }}"));
    let link = format!("between = ['a', 'b'], forward = {}, reverse = {}", rules[0], rules[1]);
    desk.write("ecn.toml", format!("hosts = ['a', 'b']\nseed = {}\nlink = [{{ {link} }}]\n", seed % 1_000));
    let ecn = if random.random() { Ecn::Ect0 } else { Ecn::Ect1 };
    let size = random.random_range(100..1_400_u32).to_string();
    let dscp = random.random_range(0..64_u32).to_string();
    let options =
        ["stream", "--lab", "ecn.toml", "-u", "--rate", "4M", "--direction", "both", "--time", "1s"];
    let asked = ["--ecn", ecn.name(), "--dscp", &dscp, "--message", &size, "--out", "e.run.json"];
    desk.linerate(&[&options[..], &asked].concat()).done();
    let run = desk.run_file("e.run.json");
    let [transfer] = &run.transfers[..] else { panic!("one load was asked for") };
    for (flow, [mark, bleach]) in transfer.flows.iter().zip(shares) {
        let datagrams = flow.receiver.datagrams.as_ref().expect("it is a flow of datagrams");
        let counts = datagrams.ecn.expect("it was asked for");
        let all = counts.arrived();
        assert_eq!((all, counts.sent_as, counts.changed), (datagrams.received, ecn, 0));
        assert!(is_share(counts.bleached, all, bleach), "{counts:?}");
        assert!(is_share(counts.marked, all, mark * (1.0 - bleach)), "{counts:?}");
    }
    let bleached = |caution: &&Caution| matches!(caution, Caution::Bleached { .. });
    assert_eq!(run.cautions.iter().filter(bleached).count(), 2, "{:?}", run.cautions);
}

#[test]
fn a_loopback_changes_no_code_point() {
    let desk = Desk::new();
    for (family, ecn) in [("-4", "ect1"), ("-6", "ect0")] {
        if family == "-6" && std::net::UdpSocket::bind("[::1]:0").is_err() {
            continue;
        }
        for offload in ["--batch=9", "--gso", "--gro"] {
            let asked =
                ["stream", family, "-u", "--ecn", ecn, offload, "--bytes", "2MB", "--out", "l.run.json"];
            desk.linerate(&[&asked[..], &["--force"]].concat()).done();
            let run = desk.run_file("l.run.json");
            let datagrams = run.transfers[0].flows[0].receiver.datagrams.as_ref().expect("datagrams");
            let counts = datagrams.ecn.expect("it was asked for");
            assert_eq!((counts.unchanged, counts.arrived()), (datagrams.received, datagrams.received));
        }
    }
}

/// The processes whose commands have these words.
fn processes(words: &str) -> Vec<u32> {
    let of = |line: &str| {
        let (pid, command) = line.trim().split_once(' ')?;
        pid.parse().ok().filter(|_| command.contains(words))
    };
    output_of("ps", &["-eo", "pid=,args="]).lines().filter_map(of).collect()
}

fn is_there(process: u32) -> bool {
    Path::new(&format!("/proc/{process}")).exists()
}

#[test]
fn a_laboratory_that_stays_has_a_forwarder_until_it_is_taken_down() {
    if !can() {
        return;
    }
    let desk = Desk::new();
    desk.write(
        "far.toml",
        "hosts = ['a', 'b']\nlink = [{ between = ['a', 'b'], delay = '5ms', jitter = '1us' }]\n",
    );
    let name = format!("far{:07}", std::process::id());
    guard::at_end(&[PROGRAM, "lab", "down", "--busy", &name]);
    let up =
        || desk.linerate(&["lab", "up", "far.toml", "--name", &name]).done().stdout.replace(&name, "NAME");
    assert_snapshot!(up(), @r"
    the laboratory NAME is up: 2 nodes, 1 link
    links: 1 with linerate's own forwarder

      node        namespace     links
      a     host  NAME.a  b 198.18.0.1 delay 5.00 ms, jitter 1.00 us
      b     host  NAME.b  a 198.18.0.2 delay 5.00 ms, jitter 1.00 us

    `linerate lab exec NAME.a -- CMD` runs a command on a, which knows the others by
    name (`ping b`). `linerate lab down NAME` removes everything.
    ");
    let socket = format!("/run/linerate/labs/{name}.forwarder");
    let forwarder = || match processes(&format!("lab forward {socket}"))[..] {
        [forwarder] => forwarder,
        ref several => panic!("one forwards: {several:?}"),
    };
    let first = forwarder();
    let node = format!("{name}.a");
    // Who answers that nobody listens is there.
    let connect = ["lab", "exec", &node, "--", "bash", "-c", "exec 3<>/dev/tcp/b/9"];
    let said = desk.linerate(&connect).stderr;
    assert!(said.contains("Connection refused"), "{said}");
    // It ends with 1 if this host has a laboratory that is not whole, whosever it is.
    let listed = desk.linerate(&["lab", "list"]).stdout;
    for from in ["link a to b: ", "link b to a: "] {
        let frames = listed.split_once(&format!("{name}: {from}")).and_then(|(_, rest)| rest.split_once(' '));
        assert!(frames.is_some_and(|(came, _)| came.parse::<u64>().is_ok_and(|came| came > 0)), "{listed}");
    }
    desk.linerate(&["lab", "down", &name]).done();
    wait_for("the end of the forwarder", || (!is_there(first)).then_some(()));
    assert!(!Path::new(&socket).exists());

    // Without its forwarder it is a laboratory that is not whole.
    up();
    let second =
        rustix::process::Pid::from_raw(forwarder().try_into().expect("a process")).expect("a process");
    rustix::process::kill_process(second, Signal::KILL).expect("it is ours");
    wait_for("the end of the forwarder", || {
        (!is_there(second.as_raw_nonzero().get().unsigned_abs())).then_some(())
    });
    let listed = desk.linerate(&["lab", "list"]);
    let wanted = format!(
        "! {name}: its forwarder has ended, and links are cut; `linerate lab down {name}` removes it"
    );
    let said = unfolded(&listed.stdout);
    assert!(listed.code == Some(1) && said.contains(&wanted), "{said}");
    desk.linerate(&["lab", "down", &name]).done();
}

const TOPOLOGY: &str = r#"
name: two-hosts
topology:
  nodes:
    a: { kind: linux, image: "alpine:3" }
    s: { kind: bridge }
    b: { kind: linux, image: "alpine:3", exec: ["ip link set eth1 up"] }
  links:
    - endpoints: ["a:eth1", "s:eth1"]
    - endpoints: ["s:eth2", "b:eth1"]
"#;

#[test]
fn a_topology_of_containerlab_is_a_plan() {
    let desk = Desk::new();
    desk.write("two.clab.yml", TOPOLOGY);
    let shown = desk.linerate(&["lab", "show", "two.clab.yml"]).done();
    assert_snapshot!(shown.stderr, @"! two.clab.yml: left out: exec of nodes other than `ip address add`, image of nodes, names of interfaces (each is called after the node at its other end)");
    assert_snapshot!(shown.stdout, @r#"
    hosts = ["a", "b"]
    switches = ["s"]
    mtu = 9500

    [[link]]
    between = ["a", "s"]

    [[link]]
    between = ["s", "b"]
    "#);
    LabPlan::from_toml(&shown.stdout).expect("it is a plan");
    desk.write("none.yml", "nodes: [a, b]\n");
    assert_snapshot!(desk.linerate(&["lab", "show", "none.yml"]).complaint(), @r"
    failed to read the topology none.yml: it has no `topology`
    help: it must be one of containerlab; a plan of linerate is TOML, such as `linerate lab show dumbbell` prints
    ");
    if can() {
        desk.linerate(&["rr", "--lab", "two.clab.yml", "--time", "1s", "--out", "r.run.json"]).done();
        let lab = desk.run_file("r.run.json").laboratory.expect("it was in one");
        assert_eq!((&*lab.name, lab.links.len()), ("two-hosts", 0));
    }
}

#[test]
fn a_laboratory_without_such_a_host_is_refused() {
    if !can() {
        return;
    }
    let desk = Desk::new();
    assert_snapshot!(desk.linerate(&["measure", "--lab", "pair", "x"]).complaint(), @r"
    failed to find the host x in the laboratory pair
    help: its hosts are a, b
    ");
    assert_snapshot!(desk.linerate(&["measure", "--lab", "pair", "a"]).complaint(), @r"
    failed to measure a: this end is on it too
    help: name another host, or choose where this end is with --on
    ");
    assert_snapshot!(desk.linerate(&["measure", "--lab", "pair", "--on", "x"]).complaint(), @r"
    failed to find the host x in the laboratory pair
    help: its hosts are a, b
    ");
    assert_snapshot!(desk.linerate(&["measure", "--lab", "no-such"]).complaint(), @r"
    failed to find the laboratory `no-such`: it is neither a shipped plan nor a file
    help: `linerate lab plans` names the plans that come with linerate
    ");
    desk.write("bad.toml", "hosts = ['a', 'b']\nlinks = []\n");
    assert_snapshot!(desk.linerate(&["rr", "--lab", "bad.toml"]).complaint(), @r"
    failed to read the plan bad.toml: unknown field `links`, expected one of `about`, `hosts`, `switches`, `routers`, `link`, `seed`, `mtu`, `rate-mbps`, `burst`, `queue`, `delay`, `jitter`, `loss`, `loss-burst`, `reorder`, `reorder-by`, `duplicate`, `corrupt`, `ecn-mark`, `ecn-bleach` ╭─[bad.toml:2:1] 1 hosts = ['a', 'b'] 2 links = [] · ───── ╰────
    help: `linerate lab show dumbbell` prints a plan to begin with
    ");
    desk.write("bad.toml", "hosts = ['a', 'b']\nlink = [{ between = ['a', 'c'] }]\n");
    assert_snapshot!(desk.linerate(&["stream", "--lab", "bad.toml"]).complaint(), @r"
    failed to plan the laboratory: link.between is c; no node has that name; there are a, b
    help: correct the plan; `linerate lab show dumbbell` prints one to begin with
    ");
}

/// The namespaces of a run's laboratory have no names: they go with the last process in them.
#[test]
fn a_run_that_is_ended_leaves_no_process_in_its_laboratory() {
    if !can() {
        return;
    }
    for signal in [Signal::TERM, Signal::KILL] {
        let desk = Desk::new();
        desk.write(
            "late.toml",
            "hosts = ['a', 'b']\nlink = [{ between = ['a', 'b'], delay = '1ms', jitter = '1us' }]\n",
        );
        let mut run =
            desk.start_and_measure(&["--lab", "late.toml", "--schedule", "list:1,1000", "--time", "60s"]);
        let parent = run.pid().as_raw_nonzero().to_string();
        let processes = output_of("ps", &["-eo", "ppid=,pid=,args="]);
        let child = |line: &str| {
            let (own, rest) = line.trim().split_once(' ')?;
            let (child, command) = rest.trim().split_once(' ')?;
            (own == parent).then(|| (child.parse::<u32>().expect("a number"), command.to_owned()))
        };
        let children: Vec<(u32, String)> = processes.lines().filter_map(child).collect();
        for wanted in ["serve --child --listen 198.18.0.2:0", "lab forward"] {
            assert!(children.iter().any(|(_, command)| command.contains(wanted)), "{wanted}: {children:?}");
        }
        run.signal(signal);
        let gone = || children.iter().all(|(child, _)| !is_there(*child)).then_some(());
        wait_for("the end of the server and the forwarder", gone);
        run.wait(Duration::from_secs(5));
    }
}

#[test]
fn the_same_plan_is_modelled() {
    let desk = Desk::new();
    let measure = ["measure", "--model", "lab:slow-port", "--schedule", "list:1MiB", "--pattern", "one-way"];
    let said = desk.linerate(&[&measure[..], &["--out", "x.run.json"]].concat()).done().stdout;
    // 100BASE-TX, 1448 of 1538 B.
    assert!(said.contains("94.2 Mb/s at 1 MiB"), "{said}");
    assert_snapshot!(desk.linerate(&["measure", "--model", "lab:two-mtus"]).complaint(), @r"
    failed to build the model: link.mtu is 1500; a model has one MTU; give all links the same
    help: change the value in the plan, or with --set KEY=VALUE
    ");
}
