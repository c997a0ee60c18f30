//! Addresses, networks and routes of whole laboratories; what cannot be built.

use super::*;
use crate::lab::{Bucket, Impairment};
use crate::units::{Rate, Size, Span};

fn layout(text: &str) -> Result<Layout, LabPlanError> {
    Layout::of(&LabPlan::from_toml(text)?)
}

fn built(text: &str) -> Layout {
    layout(text).unwrap_or_else(|error| panic!("{error}"))
}

/// `NAME: PORT=ADDRESS .. | NETWORK via ROUTER ..`
fn drawn(layout: &Layout, name: &str) -> String {
    let node = &layout.nodes[layout.find(name).expect("it is there")];
    let port = |port: &Port| {
        let addresses: Vec<String> = port.addresses.iter().map(Address::to_string).collect();
        if addresses.is_empty() {
            format!(" {}", port.name)
        } else {
            format!(" {}={}", port.name, addresses.join(","))
        }
    };
    let ports: String = node.ports.iter().map(port).collect();
    let routes: String = node
        .routes
        .iter()
        .map(|route| format!(" {}/{} via {}", route.to.ip, route.to.prefix, route.via))
        .collect();
    format!("{}:{ports} |{routes}", node.name)
}

const DUMBBELL: &str = r#"
    hosts = ["a[1-2]", "b[1-2]"]
    switches = ["s"]
    routers = ["r1", "r2"]
    link = [
        { between = ["a[1-2]", "s"] },
        { between = ["s", "r1"] },
        { between = ["r1", "r2"], rate-mbps = 10, queue = "64KiB", mtu = 1400, delay = "2ms" },
        { between = ["r2", "b1"] },
        { between = ["r2", "b2"], mtu = 9000 },
    ]
"#;

/// Each node is drawn so.
fn shows(layout: &Layout, nodes: &[&str]) {
    for text in nodes {
        let (name, _) = text.split_once(':').expect("a name");
        assert_eq!(drawn(layout, name), *text);
    }
}

#[test]
fn nodes_are_numbered_by_network_and_reach_each_other_over_the_fewest_routers() {
    let layout = built(DUMBBELL);
    assert_eq!(layout.networks(), 4, "links that meet at a switch are one");
    shows(
        &layout,
        &[
            "s: a1 a2 r1 |",
            "a2: s=198.18.0.2/24 | 198.18.1.0/24 via 198.18.0.3 198.18.2.0/24 via 198.18.0.3 198.18.3.0/24 via 198.18.0.3",
            "r1: s=198.18.0.3/24 r2=198.18.1.1/24 | 198.18.2.0/24 via 198.18.1.2 198.18.3.0/24 via 198.18.1.2",
            "b2: r2=198.18.3.1/24 | 198.18.0.0/24 via 198.18.3.2 198.18.1.0/24 via 198.18.3.2 198.18.2.0/24 via 198.18.3.2",
        ],
    );
}

#[test]
fn a_ring_of_routers_is_gone_round_the_short_way() {
    let text = r#"
        hosts = ["a", "c"]
        routers = ["p", "q", "r"]
        link = [
            { between = ["a", "p"] }, { between = ["p", "q"] }, { between = ["q", "r"] }, { between = ["r", "p"] },
            { between = ["q", "c"] },
        ]
    "#;
    let layout = built(text);
    assert_eq!(
        drawn(&layout, "r"),
        "r: q=198.18.2.2/24 p=198.18.3.2/24 | 198.18.0.0/24 via 198.18.3.1 198.18.1.0/24 via 198.18.2.1 \
         198.18.4.0/24 via 198.18.2.1"
    );
}

#[test]
fn a_link_has_what_it_says_and_else_what_the_laboratory_says() {
    let layout = built(DUMBBELL);
    let [plain, slow, jumbo] = [0, 3, 5].map(|link: usize| layout.links[link].clone());
    let delayed = |ms| Impairment { delay: Span::from_ms(ms), ..Impairment::default() };
    assert_eq!(plain.mtu, 1500);
    assert_eq!(plain.directions, [Direction { bucket: None, impairment: delayed(0) }; 2]);
    // 4 ms of 10 Mb/s are 5000 B, less than four frames.
    let bucket = Bucket { rate: Rate::from_mbps(10.0), burst: Size(4 * 1414), queue: Size(64 << 10) };
    assert_eq!(slow.directions, [Direction { bucket: Some(bucket), impairment: delayed(2) }; 2]);
    assert_eq!((slow.mtu, jumbo.mtu), (1400, 9000));
    let fast = "hosts = ['a', 'b']\nrate-mbps = 1000\nmtu = 3000\n[[link]]\nbetween = ['a', 'b']";
    let link = built(fast).links[0].clone();
    let bucket = Bucket { rate: Rate::from_mbps(1000.0), burst: Size(500_000), queue: Size(128 << 10) };
    assert_eq!(link.mtu, 3000);
    assert_eq!(link.directions, [Direction { bucket: Some(bucket), impairment: delayed(0) }; 2]);
}

#[test]
fn what_cannot_be_built_is_refused_in_one_sentence() {
    let refused = [
        (
            "hosts = ['a']",
            "hosts is [\"a\"]; a laboratory has two hosts at least, such as hosts = [\"a\", \"b\"]",
        ),
        ("hosts = ['a', 'b']", "hosts is a; it has no link; give it one with [[link]]"),
        ("hosts = ['a', 'a']", "hosts is a; that name is there twice"),
        (
            "hosts = ['a', 'b']\nlink = [{ between = ['a', 'x'] }]",
            "link.between is x; no node has that name; there are a, b",
        ),
        (
            "hosts = ['a', 'b']\nlink = [{ between = ['a', 'a'] }]",
            "link.between is a and a; a link has two ends at different nodes",
        ),
        (
            "hosts = ['a', 'b']\nlink = [{ between = ['a', 'b'] }, { between = ['b', 'a'] }]",
            "link.between is b and a; they have a link already",
        ),
        (
            "hosts = ['a', 'b']\nswitches = ['s', 't', 'u']\nlink = [{ between = ['s', 't'] }, \
             { between = ['t', 'u'] }, { between = ['u', 's'] }, { between = ['a', 's'] }, { between = ['b', 't'] }]",
            "switches is u; its links make a loop, in which frames would go round for ever: bridges here have no \
             spanning tree. Remove a link",
        ),
        (
            "hosts = ['a', 'b']\nswitches = ['s']\nlink = [{ between = ['a', 's'], mtu = 9000 }, \
             { between = ['b', 's'] }]",
            "link.mtu is 9000; so has the link between a and s, and another one of its network has 1500: switches cut \
             no packets. Put a router between them",
        ),
        (
            "hosts = ['a', 'b']\nswitches = ['s', 't']\nlink = [{ between = ['a', 's'] }, { between = ['a', 't'] }, \
             { between = ['s', 't'] }, { between = ['b', 't'] }]",
            "link.between is a; it has two links into one network; one is enough",
        ),
        (
            "hosts = ['a', 'b', 'c', 'd']\nlink = [{ between = ['a', 'b'] }, { between = ['c', 'd'] }]",
            "hosts is a; it cannot reach all the others: every host needs a way to every other one",
        ),
        (
            "hosts = ['a', 'b']\nlink = [{ between = ['a', 'b'], queue = 1000 }]",
            "link.queue is 1000 B; it belongs to a rate: give link.rate-mbps, or leave it out",
        ),
        (
            "hosts = ['a', 'b']\nlink = [{ between = ['a', 'b'], rate-mbps = 0 }]",
            "rate-mbps is 0; it must be from 0.001 to 1000000",
        ),
        (
            "hosts = ['a', 'b']\nlink = [{ between = ['a', 'b'], rate-mbps = 1, burst = 1000 }]",
            "burst is 1000 B; it must be from 1514 B, a frame of the MTU, to 1 GiB, or 0 for a plain queue",
        ),
        (
            "hosts = ['a', 'b']\nmtu = 67\nlink = [{ between = ['a', 'b'] }]",
            "mtu is 67; it must be from 68 to 65535 B, what a veth takes",
        ),
        ("hosts = ['h[1-200]', 'g[1-200]']", "hosts is g[1-200]; a laboratory has at most 250 nodes"),
    ];
    for (text, wanted) in refused {
        let error = layout(text).expect_err(text).to_string();
        assert_eq!(error, wanted, "{text}");
    }
    let unknown = layout("host = ['a', 'b']").expect_err("no such key").to_string();
    assert!(unknown.contains("unknown field `host`"), "{unknown}");
}

#[test]
fn a_plan_is_read_as_it_was_written() {
    let plan = LabPlan::from_toml(DUMBBELL).expect("a plan");
    assert_eq!(LabPlan::from_toml(&plan.to_toml()).expect("a plan"), plan);
}

/// An end without an address has the lowest that is free in its subnet, and IPv6 leads where every network has it.
#[test]
fn what_a_plan_says_of_addresses_holds_and_the_rest_is_filled() {
    let text = r#"
        hosts = ["a", "b", "c"]
        switches = ["s"]
        routers = ["r"]
        link = [
            { between = ["a", "s"], address = { a = "10.0.0.1/24" } },
            { between = ["b", "s"] },
            { between = ["r", "s"], address = { r = ["fd00::9/64", "10.0.0.254/24"] } },
            { between = ["r", "c"], address = { c = ["192.168.7.0/31", "fd01::2/127"] } },
        ]
    "#;
    let layout = built(text);
    shows(
        &layout,
        &[
            "a: s=10.0.0.1/24,fd00::1/64 | 192.168.7.0/31 via 10.0.0.254 fd01::2/127 via fd00::9",
            "b: s=10.0.0.2/24,fd00::2/64 | 192.168.7.0/31 via 10.0.0.254 fd01::2/127 via fd00::9",
            "r: s=10.0.0.254/24,fd00::9/64 c=192.168.7.1/31,fd01::3/127 |",
        ],
    );
    let again = LabPlan::from_toml(text).expect("a plan").to_toml();
    assert_eq!(built(&again), layout, "{again}");
}

#[test]
fn addresses_that_cannot_be_are_refused_in_one_sentence() {
    let refused = [
        ("a = '10.0.0.1'", "10.0.0.1; write an address with its prefix, such as 10.0.0.1/24 or fd00::1/64"),
        (
            "a = '10.0.0.1/32'",
            "10.0.0.1/32; the prefix is from 1 to 31, so that both ends have room in the network",
        ),
        (
            "a = 'fd00::1/0'",
            "fd00::1/0; the prefix is from 1 to 127, so that both ends have room in the network",
        ),
        ("a = '127.0.0.1/8'", "127.0.0.1/8; it is reserved; take one that a host can have"),
        ("a = 'fe80::1/64'", "fe80::1/64; it is reserved; take one that a host can have"),
        (
            "a = '10.0.0.255/24'",
            "10.0.0.255/24; it stands for all of its network; take one between its first and its last",
        ),
        (
            "a = 'fd00::/64'",
            "fd00::/64; it stands for all of its network; take one between its first and its last",
        ),
        ("a = '10.0.0.1/24', b = '10.0.0.1/24'", "10.0.0.1/24; a and b both have it"),
        (
            "a = '10.0.0.1/24', b = '10.0.0.2/25'",
            "10.0.0.2/25; another end of its network is in 10.0.0.0/24; all ends of a network are in one subnet",
        ),
        (
            "a = ['10.0.0.1/24', '10.0.0.2/24']",
            "10.0.0.2/24; a has another one of its family there; one is enough",
        ),
        (
            "x = '10.0.0.1/24'",
            "x; no host or router of that name is an end of this link: it is between a and b",
        ),
        (
            "a = '198.18.1.7/16'",
            "198.18.1.0/24; another network is 198.18.0.0/16; two networks have no address in common",
        ),
    ];
    for (address, wanted) in refused {
        let text = format!(
            "hosts = ['a', 'b', 'c']\nrouters = ['r']\nlink = [{{ between = ['a', 'b'], address = {{ {address} }} }}, \
             {{ between = ['b', 'r'] }}, {{ between = ['r', 'c'], mtu = 1000 }}]"
        );
        let error = layout(&text).expect_err(address).to_string();
        assert_eq!(error, format!("link.address is {wanted}"));
    }
    let narrow =
        "hosts = ['a', 'b']\nmtu = 1279\nlink = [{ between = ['a', 'b'], address = { a = 'fd00::1/64' } }]";
    let error = layout(narrow).expect_err("it is too narrow").to_string();
    assert_eq!(
        error,
        "link.address is fd00::1/64; IPv6 needs an MTU of 1280 B at least, and this link has 1279"
    );
    let many =
        "hosts = ['a[1-2]', 'b']\nlink = [{ between = ['a[1-2]', 'b'], address = { b = '10.0.0.1/24' } }]";
    let error = layout(many).expect_err("which of two").to_string();
    assert_eq!(
        error,
        "link.address is b; it is at 2 of these links; write a [[link]] for each, with its address"
    );
}
