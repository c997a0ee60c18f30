//! A laboratory, as the usual programs see it.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use linerate_core::lab::{LabPlan, Layout, NodeKind};
use linerate_core::units::{Rate, Size};
use linerate_net::lab::{ForwarderProgram, HERE, Lab, LabError, TwoHosts, WIRE, kept, shape, switch};

use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use crate::support::{guard, lab, output_of};

fn seen(lab: &TwoHosts, program: &str, arguments: &[&str]) -> String {
    lab.here(|| output_of(program, arguments)).expect("entered")
}

#[test]
fn a_bucket_has_the_rate_the_burst_and_the_queue_that_were_asked() {
    let Some(lab) = lab(1_500) else { return };
    let bucket = |rate: f64, burst: u64, queue: u64| {
        let rate = Rate::from_bits_per_second(rate);
        lab.here(|| shape(rate, Size(burst), Size(queue))).expect("entered").expect("the kernel has buckets");
        seen(&lab, "tc", &["-s", "-r", "qdisc", "show", "dev", WIRE])
    };
    // How long a full queue takes at the rate, less the burst: (100,000 - 16,384) B at 50 Mb/s.
    let said = bucket(50e6, 16_384, 100_000);
    assert!(said.starts_with("qdisc tbf "), "{said}");
    assert!(said.contains(" rate 50Mbit burst 16Kb ") && said.contains(" lat 13.4ms"), "{said}");
    let said = bucket(64e3, 1_600, 1 << 20);
    assert!(said.contains(" rate 64Kbit burst 1600b "), "it is replaced: {said}");
    assert_eq!(said.matches("qdisc ").count(), 1, "{said}");
    let said = bucket(100e9, 1 << 20, 16 << 20);
    assert!(said.contains(" rate 100Gbit "), "more than 32 bits of bytes a second: {said}");
}

#[test]
fn what_a_bucket_does_not_take_is_refused_in_words() {
    let Some(lab) = lab(1_500) else { return };
    let refused = |rate: f64, burst: Size, queue: Size| {
        let shaped = lab.here(|| shape(Rate::from_mbps(rate), burst, queue)).expect("entered");
        shaped.expect_err("it cannot be").to_string()
    };
    let large = refused(10.0, Size(1 << 33), Size(1 << 20));
    assert_eq!(large, "set up the wire: its token bucket: 8 GiB are too much");
    assert!(refused(0.0, Size(1_600), Size(1 << 20)).starts_with("set up the wire: its token bucket: "));
}

#[test]
fn the_wire_has_its_address_and_is_switched_off_and_on() {
    let Some(lab) = lab(1_500) else { return };
    let address = || seen(&lab, "ip", &["-4", "-o", "address", "show", "dev", WIRE]);
    assert!(address().contains(&format!(" {HERE}/24 ")), "{}", address());
    let state = || seen(&lab, "ip", &["-o", "link", "show", "dev", WIRE]);
    for on in [false, true] {
        lab.here(|| switch(on)).expect("entered").expect("there is a wire");
        assert_eq!(state().contains(",UP"), on, "{}", state());
    }
    let offloads = seen(&lab, "ethtool", &["-k", WIRE]);
    for name in ["tcp-segmentation-offload", "generic-segmentation-offload", "generic-receive-offload"] {
        assert!(offloads.contains(&format!("{name}: off")), "{offloads}");
    }
}

/// The laboratory that `plan` describes, or `None` with a word where the rights are missing.
pub(crate) fn built(plan: &str) -> Option<Lab> {
    lab(1_500)?;
    let plan = LabPlan::from_toml(plan).expect("a plan");
    Some(
        Lab::new(Layout::of(&plan).expect("it can be built"), None)
            .unwrap_or_else(|error| panic!("failed to {error}")),
    )
}

/// What `program` says on a node.
fn on(lab: &Lab, node: &str, program: &str, arguments: &[&str]) -> String {
    let number = lab.layout().find(node).expect("it is there");
    lab.on(number, || output_of(program, arguments)).expect("entered")
}

/// Sends a byte over TCP from one node to another.
pub(crate) fn reaches(lab: &Lab, from: &str, to: &str) {
    reaches_address(lab, from, to, 0);
}

/// The same to this one of the addresses of the other.
fn reaches_address(lab: &Lab, from: &str, to: &str, nth: usize) {
    let number = |name| lab.layout().find(name).expect("it is there");
    let ip = lab.layout().nodes[number(to)].ports[0].addresses[nth].ip;
    let listener = lab.on(number(to), || TcpListener::bind((ip, 0))).expect("entered").expect("it listens");
    let address = listener.local_addr().expect("it has one");
    let said = lab.on(number(from), || {
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(5))?;
        stream.write_all(b"x")
    });
    said.expect("entered").unwrap_or_else(|error| panic!("{from} to {to}: {error}"));
    let (mut stream, _) = listener.accept().expect("it was connected");
    let mut byte = [0];
    stream.read_exact(&mut byte).expect("it arrives");
    assert_eq!(byte, *b"x");
}

/// Costs .3 s.
#[test]
fn every_laboratory_that_ships_is_built_and_its_hosts_reach_each_other() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plans/labs");
    let mut plans = 0;
    for entry in fs::read_dir(folder).expect("they are committed") {
        let text = fs::read_to_string(entry.expect("readable").path()).expect("text");
        let Some(lab) = built(&text) else { return };
        let hosts: Vec<String> = lab.layout().hosts().map(|host| host.name.clone()).collect();
        for (from, to) in hosts.iter().flat_map(|from| hosts.iter().map(move |to| (from, to))) {
            if from != to {
                reaches(&lab, from, to);
            }
        }
        plans += 1;
    }
    assert_eq!(plans, 7);
}

#[test]
fn both_ends_of_a_link_have_its_rate_its_queue_and_its_mtu() {
    let plan = r#"
        hosts = ["a", "b"]
        switches = ["s"]
        routers = ["r"]
        mtu = 3000
        link = [
            { between = ["a", "s"], rate-mbps = 20, burst = 16384, queue = 100000 },
            { between = ["s", "r"] },
            { between = ["r", "b"], rate-mbps = 5, mtu = 1400 },
        ]
    "#;
    let Some(lab) = built(plan) else { return };
    for (node, port) in [("a", "s"), ("s", "a")] {
        let queue = on(&lab, node, "tc", &["-r", "qdisc", "show", "dev", port]);
        // (100,000 - 16,384) B at 20 Mb/s.
        assert!(
            queue.contains(" rate 20Mbit burst 16Kb ") && queue.contains(" lat 33.4ms"),
            "{node}: {queue}"
        );
        assert!(on(&lab, node, "ip", &["link", "show", "dev", port]).contains(" mtu 3000 "), "{node}");
        assert!(on(&lab, node, "ethtool", &["-k", port]).contains("tcp-segmentation-offload: off"), "{node}");
    }
    assert!(on(&lab, "s", "ip", &["link", "show", "dev", "r"]).contains(" noqueue "), "it has no rate");
    assert!(
        on(&lab, "s", "bridge", &["link"]).contains("master s state forwarding"),
        "a switch forwards at once"
    );
    // Four frames: 4 ms of 5 Mb/s are less.
    let queue = on(&lab, "b", "tc", &["-r", "qdisc"]);
    // 5656 B; tc shows what fits whole ticks of 64 ns.
    assert!(queue.contains(" rate 5Mbit burst 565"), "{queue}");
    assert!(on(&lab, "b", "ip", &["link", "show", "dev", "r"]).contains(" mtu 1400 "));
    // Larger than the MTU behind the router, which says so.
    assert!(on(&lab, "a", "ip", &["route", "get", "198.18.1.1"]).contains(" via 198.18.0.2 "));
    reaches(&lab, "a", "b");
    reaches(&lab, "b", "a");
}

/// Names of laboratories that no other test and no other run of the tests has.
fn own(name: &str) -> String {
    let name = format!("t{}-{name}", std::process::id());
    for node in ["a", "b"] {
        guard::at_end(&["ip", "netns", "del", &format!("{name}.{node}")]);
    }
    for kind in ["hosts", "forwarder", "toml"] {
        guard::at_end(&["rm", "-f", &format!("/run/linerate/labs/{name}.{kind}")]);
    }
    name
}

const PAIR: &str = "about = 'a pair'\nhosts = ['a', 'b']\n[[link]]\nbetween = ['a', 'b']";

/// Makes one that is kept. The program of its forwarder does not exist.
fn up(name: &str, plan: &LabPlan) -> Result<(), LabError> {
    let program = ForwarderProgram { program: "/no/such/program".into(), arguments: Vec::new() };
    kept::up(name, plan, &program).map(drop)
}

/// The namespaces of this laboratory that have names.
fn names(lab: &str) -> Vec<String> {
    let names = fs::read_dir("/run/netns").into_iter().flatten().flatten();
    let own = |name: &String| name.starts_with(&format!("{lab}."));
    let mut names: Vec<String> =
        names.map(|entry| entry.file_name().to_string_lossy().into_owned()).filter(own).collect();
    names.sort();
    names
}

#[test]
fn a_laboratory_that_is_kept_is_there_until_it_is_taken_down() {
    if lab(1_500).is_none() {
        return;
    }
    let (name, plan) = (own("kept"), LabPlan::from_toml(PAIR).expect("a plan"));
    up(&name, &plan).expect("it is made");
    assert_eq!(names(&name), [format!("{name}.a"), format!("{name}.b")]);
    let again = up(&name, &plan).expect_err("it is there").to_string();
    assert_eq!(again, format!("make the laboratory {name}: there is one of that name"));
    let seen = kept::list().expect("a list").into_iter().find(|lab| lab.name == name).expect("it is listed");
    assert_eq!((&*seen.about, seen.missing, seen.processes), ("a pair", Vec::new(), 0));
    // Others see it: `ip` runs in it by name.
    let address = output_of("ip", &["netns", "exec", &format!("{name}.b"), "ip", "-4", "-o", "address"]);
    assert!(address.contains(" a    inet 198.18.0.2/24 "), "{address}");

    let opened = kept::open(&name).expect("it is whole");
    reaches(&opened, "a", "b");
    let sleeper =
        opened.on(0, || Command::new("sleep").arg("30").envs([guard::mark()]).spawn()).expect("entered");
    let mut sleeper = sleeper.expect("it sleeps");
    let busy = kept::down(&name, false).expect_err("a process is in it").to_string();
    assert_eq!(busy, format!("remove the laboratory {name}: processes are in it: {} (sleep)", sleeper.id()));
    sleeper.kill().expect("it is ours");
    sleeper.wait().expect("it is ours");
    drop(opened);
    kept::down(&name, false).expect("it goes");
    assert_eq!(names(&name), Vec::<String>::new());
    let gone = kept::down(&name, false).expect_err("it went").to_string();
    assert_eq!(gone, format!("find the laboratory {name}: there is none of that name"));
}

#[test]
fn a_laboratory_whose_forwarder_cannot_be_started_leaves_nothing() {
    if lab(1_500).is_none() {
        return;
    }
    let name = own("late");
    let plan = LabPlan::from_toml("hosts = ['a', 'b']\n[[link]]\nbetween = ['a', 'b']\nloss = 0.1");
    let error = up(&name, &plan.expect("a plan")).expect_err("there is no such program").to_string();
    assert_eq!(error, "set up the forwarder: No such file or directory (os error 2)");
    assert_eq!(names(&name), Vec::<String>::new());
    assert!(kept::list().expect("a list").iter().all(|lab| lab.name != name));
}

/// What a process leaves that is killed between any two steps: a record, and some of the namespaces.
#[test]
fn what_is_left_of_a_laboratory_is_found_and_removed() {
    if lab(1_500).is_none() {
        return;
    }
    let (name, plan) = (own("left"), LabPlan::from_toml(PAIR).expect("a plan"));
    up(&name, &plan).expect("it is made");
    output_of("ip", &["netns", "del", &format!("{name}.a")]);
    let seen = kept::list().expect("a list").into_iter().find(|lab| lab.name == name).expect("it is listed");
    assert_eq!(seen.missing, ["a"]);
    assert!(kept::open(&name).is_err(), "it is not whole");
    kept::down(&name, false).expect("the rest goes");
    assert_eq!(names(&name), Vec::<String>::new());
    assert!(kept::list().expect("a list").iter().all(|lab| lab.name != name));
}

#[test]
fn a_laboratory_that_cannot_be_made_leaves_nothing() {
    if lab(1_500).is_none() {
        return;
    }
    let plan = "hosts = ['a', 'b']\n[[link]]\nbetween = ['a', 'b']";
    let plan = LabPlan::from_toml(plan).expect("a plan");
    let name = own("half");
    // Somebody has the second namespace's name already.
    output_of("ip", &["netns", "add", &format!("{name}.b")]);
    let error = up(&name, &plan).expect_err("there is such a name").to_string();
    assert!(error.contains("File exists"), "{error}");
    assert!(kept::list().expect("a list").iter().all(|lab| lab.name != name));
    assert_eq!(names(&name), [format!("{name}.b")], "what was made is gone, what was there is not");
    output_of("ip", &["netns", "del", &format!("{name}.b")]);
}

/// Draws laboratories whose links state addresses, and asks iproute2 for them inside.
#[test]
fn every_interface_has_the_addresses_that_its_plan_states() {
    let seed = u64::from(std::process::id());
    println!("seed {seed}");
    let mut random = Pcg64::seed_from_u64(seed);
    for _ in 0..3 {
        let (plan, stated) = drawn_plan(&mut random);
        let Some(lab) = built(&plan) else { return };
        for (node, interface, address) in &stated {
            let text = on(&lab, node, "ip", &["-j", "address", "show", "dev", interface]);
            let seen: serde_json::Value = serde_json::from_str(&text).expect("iproute2 writes JSON");
            let seen = seen[0]["addr_info"].as_array().expect("a list").iter();
            let local = |it: &serde_json::Value| {
                format!("{}/{}", it["local"].as_str().unwrap_or_default(), it["prefixlen"])
            };
            let seen: Vec<String> = seen.map(local).collect();
            assert!(seen.contains(address), "{node} {interface}: {address} is not in {seen:?}\n{plan}");
        }
        for node in &lab.layout().nodes {
            for other in
                lab.layout().hosts().filter(|other| node.kind == NodeKind::Host && other.name != node.name)
            {
                (0..other.ports[0].addresses.len())
                    .for_each(|nth| reaches_address(&lab, &node.name, &other.name, nth));
            }
        }
    }
}

/// Some hosts at a switch, and one behind a router: a plan, and each stated address with its node and interface.
fn drawn_plan(random: &mut Pcg64) -> (String, Vec<(String, String, String)>) {
    let hosts = random.random_range(2..5_usize);
    let six = random.random_bool(0.6);
    let (near, far) = (random.random_range(1..120_u8), random.random_range(120..250_u8));
    let prefix = random.random_range(16..28_u8);
    let mut stated = Vec::new();
    let mut link = |one: &str, other: &str, nth: u8, network: u8| {
        let mut addresses = Vec::new();
        if nth == 1 || random.random_bool(0.7) {
            addresses.push(format!("10.{network}.0.{}/{prefix}", 16 - nth));
        }
        if six && (nth == 1 || random.random_bool(0.7)) {
            addresses.push(format!("fd00:{network:x}::{:x}/64", 0xff - nth));
        }
        stated.extend(addresses.iter().map(|it| (one.to_owned(), other.to_owned(), it.clone())));
        let worse = ["", "delay = '3ms'\n", "rate-mbps = 20\n"][random.random_range(0..3)];
        format!(
            "[[link]]\nbetween = [\"{one}\", \"{other}\"]\naddress = {{ {one} = {addresses:?} }}\n{worse}"
        )
    };
    let mut links: String =
        (1..).take(hosts).map(|nth: u8| link(&format!("h{nth}"), "s", nth, near)).collect();
    links += &link("r", "s", 15, near);
    links += &link("far", "r", 1, far);
    let plan = format!("hosts = [\"h[1-{hosts}]\", \"far\"]\nswitches = [\"s\"]\nrouters = [\"r\"]\n{links}");
    (plan, stated)
}
