//! Settings of the two hosts of a laboratory: they cost a namespace each and less than a second in all.

mod beside;
mod journals;

use super::*;
use crate::lab::{LabError, TwoHosts};

/// A lab, or `None` where it is not possible; in CI that is a failure.
fn lab() -> Option<TwoHosts> {
    match TwoHosts::new(1500) {
        Ok(lab) => Some(lab),
        Err(error @ LabError::Privilege) => {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "failed to {error}");
            eprintln!("skipped: failed to {error}");
            None
        }
        Err(error) => panic!("failed to {error}"),
    }
}

/// Does `work` on one host of a lab of its own.
fn on_a_host(work: impl FnOnce() + Send) {
    let Some(lab) = lab() else { return };
    lab.here(work).expect("entered");
}

/// Of the wire, where it is a setting of interfaces.
fn setting(name: &str) -> Setting {
    name.parse::<Setting>().expect(name).or_of(Some("wire"))
}

fn get(name: &str) -> String {
    read(&setting(name)).unwrap_or_else(|error| panic!("failed to {error}")).as_str().to_owned()
}

/// Sets it, and returns what was granted.
fn set(name: &str, value: &str) -> String {
    let change = write(&setting(name), &Value::from(value));
    change.unwrap_or_else(|error| panic!("failed to {error}")).granted.as_str().to_owned()
}

/// Why it cannot be set.
fn refusal(name: &str, value: &str) -> String {
    write(&setting(name), &Value::from(value)).expect_err(name).to_string()
}

/// What `ip -o link` and `tc`-like readers see: a file of the kernel, in this thread's network namespace.
fn sysctl(path: &str) -> String {
    let text = std::fs::read_to_string(format!("/proc/sys/{path}")).expect(path);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_mtu_and_the_queue_length_are_set_and_read_back() {
    on_a_host(|| {
        assert_eq!([get("mtu"), set("mtu", "1400"), get("mtu")], ["1500", "1400", "1400"]);
        let device = crate::sys::ethtool::Device::open("wire").expect("a socket");
        assert_eq!(device.mtu().expect("it is there"), 1400, "the ioctl sees it too");
        // Source of both: drivers/net/veth.c, ETH_MIN_MTU and ETH_MAX_MTU.
        assert_eq!(
            allowed(&setting("mtu")).expect("there"),
            Some(Allowed::Range { least: 68, most: 65_535 })
        );
        let why = "it takes a number from 68 to 65535";
        assert_eq!(refusal("mtu", "65536"), format!("set mtu@wire to 65536: {why}"));
        assert_eq!(refusal("mtu", "67"), format!("set mtu@wire to 67: {why}"));
        assert_eq!(refusal("mtu", "-1"), format!("set mtu@wire to -1: {why}"));
        assert_eq!([set("txqueuelen", "7"), get("txqueuelen")], ["7", "7"]);
    });
}

#[test]
fn an_offload_is_set_by_its_short_name_and_by_the_kernels() {
    on_a_host(|| {
        let features =
            || crate::sys::ethtool::Device::open("wire").and_then(|wire| wire.features()).expect("there");
        // A laboratory begins without them.
        assert_eq!([get("offload.tso"), get("offload.gro")], ["off", "off"]);
        assert_eq!(set("offload.tso", "on"), "on");
        assert!(features()["tx-tcp-segmentation"] && features()["tx-tcp6-segmentation"]);
        let mixed = set("offload.tso", "tx-tcp6-segmentation=off");
        assert!(mixed.contains("tx-tcp6-segmentation=off"), "{mixed}");
        assert!(mixed.contains("tx-tcp-segmentation=on"), "{mixed}");
        assert_eq!(set("offload.tso", "off"), "off");
        assert_eq!(set("offload.tso", &mixed), mixed, "what is read can be set again");
        assert_eq!([set("offload.rx-gro", "on"), get("offload.gro")], ["on", "on"]);
        assert!(
            refusal("offload.rx-gro", "1").ends_with("it takes one of on, off"),
            "{}",
            refusal("offload.rx-gro", "1")
        );
        assert!(refusal("offload.no-such", "on").ends_with("the kernel has no feature called no-such"));
    });
}

#[test]
fn a_queue_is_set_and_the_kernels_own_leaves_no_trace() {
    on_a_host(|| {
        assert_eq!(get("qdisc"), "noqueue");
        assert_eq!([set("qdisc", "pfifo limit 7"), get("qdisc")], ["pfifo limit 7", "pfifo limit 7"]);
        let bucket = "tbf rate 100mbit burst 32kb limit 128kb";
        assert_eq!(set("qdisc", bucket), bucket);
        for rate in ["8bit", "1mbit", "937mbit", "10gbit", "100gbit"] {
            let bucket = set("qdisc", &format!("tbf rate {rate} burst 70000b limit 1mb"));
            for _ in 0..3 {
                assert_eq!(set("qdisc", &bucket), bucket, "a burst does not shrink when it is put back");
            }
        }
        assert_eq!(set("qdisc", "noqueue"), "noqueue");
        assert!(
            refusal("qdisc", "htb").starts_with("set qdisc@wire to htb: it takes"),
            "{}",
            refusal("qdisc", "htb")
        );
        assert!(refusal("qdisc", "pfifo limit x").contains("its limit is a number of packets"));
    });
}

#[test]
fn the_cpus_of_queues_are_masks() {
    on_a_host(|| {
        assert_eq!(get("rps"), "0");
        assert_eq!([set("rps", "1"), get("rps")], ["1", "1"]);
        assert_eq!(set("rps", "00000000,00000000"), "0");
        assert!(refusal("rps", "0x3").ends_with("and not 0x3"), "{}", refusal("rps", "0x3"));
        assert_eq!([set("rps", "0002"), set("rps", "0,00000002")], ["2", "2"], "however it is written");
        assert!(refusal("rps", "rx-99=1").contains("there is no rx-99"));
        match read(&setting("xps")) {
            Ok(before) => {
                assert_eq!(set("xps", "1"), "1");
                assert_eq!(set("xps", before.as_str()), before.as_str());
            }
            // A veth that was made with one queue.
            Err(error) => assert!(error.to_string().contains("has one queue"), "{error}"),
        }
    });
}

#[test]
fn sysctls_are_those_of_this_threads_namespace() {
    let outside = sysctl("net/ipv4/tcp_rmem");
    on_a_host(|| {
        assert_eq!(get("sysctl.net.ipv4.tcp_rmem"), sysctl("net/ipv4/tcp_rmem"));
        assert_eq!(set("sysctl.net/ipv4/tcp_rmem", "4096 20000\t30000"), "4096 20000 30000");
        assert_eq!(sysctl("net/ipv4/tcp_rmem"), "4096 20000 30000");
        let available = sysctl("net/ipv4/tcp_available_congestion_control");
        for name in available.split(' ') {
            match write(&setting("congestion-control"), &Value::from(name)) {
                Ok(change) => assert_eq!(
                    [change.granted.as_str(), &sysctl("net/ipv4/tcp_congestion_control")],
                    [name; 2]
                ),
                // Some are for the host's namespace only; this one every kernel permits.
                Err(error) => {
                    assert!(name != "reno" && error.to_string().contains("does not permit"), "{error}");
                }
            }
        }
        let why = refusal("congestion-control", "vegan");
        assert!(why.starts_with("set congestion-control to vegan: it takes one of"), "{why}");
        assert!(why.contains("reno"), "{why}");
        assert!(refusal("sysctl.net.ipv4.no_such", "1").contains("there is no /proc/sys/net/ipv4/no_such"));
        assert!(refusal("sysctl.net.ipv4.tcp_sack", "many").contains("the kernel does not take it"));
        assert!(
            refusal("sysctl.net.ipv4.tcp_available_congestion_control", "reno").contains("can only be read"),
            "{}",
            refusal("sysctl.net.ipv4.tcp_available_congestion_control", "reno")
        );
    });
    assert_eq!(sysctl("net/ipv4/tcp_rmem"), outside);
}

#[test]
fn what_a_veth_lacks_is_named() {
    on_a_host(|| {
        let why = |name: &str| read(&setting(name)).expect_err(name).to_string();
        assert_eq!(why("ring.rx"), "use ring.rx@wire: the driver of wire has no rings");
        assert_eq!(
            why("coalesce.rx-usecs"),
            "use coalesce.rx-usecs@wire: the driver of wire has no interrupt coalescing"
        );
        assert_eq!(why("pause.autoneg"), "use pause.autoneg@wire: the driver of wire has no flow control");
        assert_eq!(why("irq-affinity"), "use irq-affinity@wire: wire has no interrupts of its own");
        assert_eq!(
            why("channels.combined"),
            "use channels.combined@wire: the driver of wire has no such channels"
        );
        assert!(matches!(read(&setting("mtu@no-such")), Err(SettingError::NoDevice(_))));
        let unnamed = read(&"mtu".parse().expect("good")).expect_err("of which?").to_string();
        assert_eq!(unnamed, "use mtu: it is a setting of an interface; write mtu@NAME");
    });
}

/// The processors of this host; nothing is changed.
#[test]
fn governors_and_idle_states_are_read_or_their_absence_is_named() {
    for (name, folder, what) in [
        ("governor", "/sys/devices/system/cpu/cpufreq/policy0", "no driver of CPU frequencies"),
        ("idle-latency", "/sys/devices/system/cpu/cpu0/cpuidle/state0", "no driver of idle states"),
    ] {
        match read(&setting(name)) {
            Ok(value) => assert!(std::path::Path::new(folder).exists(), "{value}"),
            Err(error) => assert!(error.to_string().contains(what), "{error}"),
        }
    }
}

/// Nothing is changed.
#[test]
fn every_setting_of_every_interface_here_has_a_value_or_a_reason() {
    let interfaces = std::fs::read_dir("/sys/class/net").expect("linux").flatten();
    let interfaces: Vec<String> =
        interfaces.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    for interface in interfaces.iter().filter(|name| crate::netlink::index(name).is_ok()) {
        for kind in catalogue().iter().filter(|kind| kind.scope == Scope::Interface) {
            let setting: Setting =
                kind.name.replace("FEATURE", "gro").parse().expect("it is in the catalogue");
            let setting = setting.or_of(Some(interface));
            match read(&setting) {
                Ok(value) => {
                    let objection = check(&setting, &value, &value);
                    assert!(objection.is_ok(), "{setting} is {value}: {objection:?}");
                    println!("{setting} is {value}");
                }
                Err(error) => {
                    println!("failed to {error}");
                    let named = matches!(
                        error,
                        SettingError::Lacking { .. }
                            | SettingError::NotRestorable { .. }
                            | SettingError::Privilege { .. }
                    );
                    assert!(named, "{error}");
                }
            }
        }
    }
}

#[test]
fn without_the_right_to_it_a_change_is_refused_by_that_name() {
    use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};
    on_a_host(|| {
        // Of this thread alone, which ends after.
        let none = CapabilitySet::empty();
        let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
        set_capabilities(None, sets).expect("fewer are always granted");
        for (name, value) in
            [("mtu", "1400"), ("txqueuelen", "7"), ("qdisc", "pfifo limit 7"), ("offload.tso", "on")]
        {
            assert_eq!(refusal(name, value), format!("set {name}@wire: that needs root"));
        }
    });
}

#[test]
fn a_kept_value_is_ignored_and_a_rounded_one_is_not() {
    let ignored = |name: &str, [before, asked, granted]: [&str; 3]| {
        is_ignored(&setting(name), &before.into(), &asked.into(), &granted.into())
    };
    assert!(ignored("offload.rx-gro", ["off", "on", "off"]));
    assert!(ignored("coalesce.rx-usecs", ["8", "50", "8"]));
    assert!(!ignored("coalesce.rx-usecs", ["8", "51", "50"]), "rounded");
    assert!(!ignored("ring.rx", ["1024", "1000", "1024"]), "rounded up to what it was");
    assert!(ignored("ring.rx", ["256", "1024", "256"]));
    assert!(!ignored("mtu", ["1500", "1500", "1500"]));
    assert!(!ignored("idle-latency", ["2", "50", "2"]), "the deepest within 50 us");
}
