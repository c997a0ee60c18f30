//! What a change takes with it is put back too: interfaces, addresses, routes, changes and ends are drawn. About 20 s.

use std::process::Command;
use std::time::{Duration, Instant};

use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use super::super::journal::Journal;
use super::super::restore::restore;
use super::*;

const ROUNDS: usize = 3;

/// Runs `script` in this thread's network namespace, and returns what it says.
fn shell(script: &str) -> String {
    let done = Command::new("sh").args(["-ec", script]).output().expect("a shell");
    assert!(done.status.success(), "{script}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// What others see of the interfaces.
fn state() -> Vec<String> {
    let list = |what: &str| {
        let all: serde_json::Value = serde_json::from_str(&shell(what)).expect(what);
        let mut all: Vec<String> = all.as_array().expect(what).iter().map(ToString::to_string).collect();
        // The kernel has no order of routes.
        if what.contains("route") {
            all.sort_unstable();
        }
        all
    };
    let lists = ["ip -j addr", "ip -j route show table all", "ip -6 -j route show table all"];
    let mut all = lists.map(list).concat();
    for interface in ["wire", "top", "port", "dull"] {
        all.push(shell(&format!("ethtool -k {interface} | sort")));
        all.push(shell(&format!(
            "cd /proc/sys/net/ipv6; grep -s . conf/{interface}/* neigh/{interface}/* || :"
        )));
    }
    all
}

/// Waits until no address is new.
fn settle() {
    let end = Instant::now() + Duration::from_secs(20);
    while shell("ip -6 addr").contains("tentative") && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Addresses, routes and parameters on an interface below and one on top, and one alone.
fn furnish(random: &mut Pcg64) {
    shell(
        "ip link add top type bridge; ip link add port type veth peer name other; ip link set port master top",
    );
    shell("ip link add dull type dummy 2> /dev/null || ip link add dull type veth peer name end");
    let alone = random.random_range(70..5000);
    shell(&format!("ip link set dull mtu {alone}"));
    shell("for link in top port other dull end wire; do ip link set $link up 2> /dev/null || :; done");
    for (number, interface) in ["wire", "top", "dull"].into_iter().enumerate() {
        let ipv6 = interface != "dull" || alone >= 1280;
        for host in 1..=random.random_range(1..4) {
            shell(&format!("ip addr add 10.{number}.{host}.1/24 dev {interface}"));
            shell(&format!(
                "ip route add 10.{number}.{}.0/24 via 10.{number}.{host}.9 metric {host}",
                100 + host
            ));
            if ipv6 {
                let nodad = ["", "nodad"].choose(random).expect("one");
                shell(&format!("ip -6 addr add fd00:{number}:{host}::1/64 dev {interface} {nodad}"));
            }
        }
        if ipv6 {
            settle();
            let mtu = random.random_range(1280..1500);
            shell(&format!(
                "ip -6 route add fd00:{number}:f::/64 via fd00:{number}:1::9 dev {interface} mtu {mtu}"
            ));
            shell(&format!("ip -6 route add fd00:{number}:e::/64 dev {interface} src fd00:{number}:1::1"));
            for (name, values) in
                [("accept_ra", 0..3), ("hop_limit", 1..255), ("dad_transmits", 0..2), ("forwarding", 0..2)]
            {
                let value = random.random_range(values);
                shell(&format!("echo {value} > /proc/sys/net/ipv6/conf/{interface}/{name}"));
            }
        }
    }
    for feature in ["sg", "tso", "gso", "gro", "tx"] {
        let state = ["on", "off"].choose(random).expect("one");
        shell(&format!("ethtool -K wire {feature} {state} || :"));
    }
}

/// A change of one of the interfaces.
fn draw(random: &mut Pcg64) -> (Setting, Value) {
    let interface = ["wire", "top", "port", "dull"].choose(random).expect("one");
    let (name, value) = match random.random_range(0..6) {
        0..3 => ("mtu".to_owned(), random.random_range(68..1500).to_string()),
        3 => ("txqueuelen".to_owned(), random.random_range(1..50).to_string()),
        _ => {
            let feature = ["sg", "tso", "gso", "gro", "tx"].choose(random).expect("one");
            (format!("offload.{feature}"), (*["on", "off"].choose(random).expect("one")).to_owned())
        }
    };
    (format!("{name}@{interface}").parse().expect("a setting"), Value::from(value))
}

#[test]
fn everything_that_a_change_takes_is_put_back() {
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(rand::random);
    eprintln!("seed {seed}");
    let mut random = Pcg64::seed_from_u64(seed);
    let folder = super::journals::Folder::new("beside");
    for round in 0..ROUNDS {
        let Some(lab) = lab() else { return };
        lab.here(|| {
            furnish(&mut random);
            settle();
            let before = state();
            let mut changes = Changes::begin(&folder.0, "a test").expect("a journal");
            let mut done = Vec::new();
            for _ in 0..random.random_range(1..7) {
                let (setting, value) = draw(&mut random);
                // Not every one takes everything.
                let set = changes.set(&setting, &value).is_ok();
                done.push(format!("{setting}={value}: {set}"));
            }
            let outcomes = if random.random_bool(0.5) {
                changes.restore(false).expect("restored")
            } else {
                let journal = changes.journal().to_owned();
                drop(changes);
                Journal::open(&journal).and_then(|journal| restore(&journal, false)).expect("restored")
            };
            assert_eq!(
                journals(&folder.0).expect("readable").len(),
                0,
                "round {round}: {done:?}, {outcomes:?}"
            );
            settle();
            let after = state();
            let differs = before.iter().zip(&after).flat_map(|(before, after)| {
                before.lines().zip(after.lines()).filter(|(before, after)| before != after)
            });
            let differs: Vec<_> = differs.take(20).collect();
            assert!(before == after, "round {round}: {done:?}\n{differs:#?}");
        })
        .expect("entered");
    }
}

#[test]
fn what_would_cut_off_a_client_is_refused_and_undone() {
    on_a_host(|| {
        shell("ip -6 addr add fd00::1/64 dev wire nodad; ip -6 route add fd01::/64 via fd00::9");
        settle();
        let before = [shell("ip addr"), shell("ip -6 route | sort")];
        let folder = super::journals::Folder::new("kept");
        let mut changes = Changes::begin(&folder.0, "a test").expect("a journal");
        let mtu = setting("mtu");
        changes.keep("fd00::1".parse().expect("an address"));
        let why = changes.set(&mtu, &Value::from("1279")).expect_err("no IPv6 below 1280").to_string();
        assert_eq!(why, "set mtu@wire: it would take fd00::1 from this host, over which the client came");
        settle();
        assert_eq!([shell("ip addr"), shell("ip -6 route | sort")], before);
        changes.set(&mtu, &Value::from("1280")).expect("enough for IPv6");
        changes.keep("198.18.0.1".parse().expect("an address"));
        changes.set(&mtu, &Value::from("1000")).expect("enough for IPv4");
        assert!(!shell("ip -6 route").contains("fd01::"));
        changes.restore(false).expect("restored");
        settle();
        assert_eq!([shell("ip addr"), shell("ip -6 route | sort")], before);
    });
}
