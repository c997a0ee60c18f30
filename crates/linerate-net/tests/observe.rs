//! What a host says of itself, against the real one: counters that move, and an interface whose
//! driver, MTU and offloads are known because the test made it.

use std::io::{Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::thread;

use linerate_net::observe::{InterfaceCounters, environment, interface_name};

#[test]
fn the_loopbacks_counters_grow_by_at_least_what_was_sent() {
    let loopback = interface_name(IpAddr::from([127, 0, 0, 1])).expect("a loopback");
    let before = InterfaceCounters::read(&loopback).expect("counters");
    send_over_loopback(&[7; 300_000]);
    let grown = InterfaceCounters::read(&loopback).expect("counters").since(&before);
    assert_eq!(grown.interface, loopback);
    assert!(grown.tx_bytes >= 300_000 && grown.rx_bytes >= 300_000, "{grown:?}");
    assert!(grown.tx_packets > 0 && grown.rx_packets > 0, "{grown:?}");
}

fn send_over_loopback(data: &[u8]) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut stream = TcpStream::connect(address).expect("connected");
            stream.write_all(data).expect("sent");
        });
        let mut received = Vec::new();
        let (mut stream, _) = listener.accept().expect("accepted");
        stream.read_to_end(&mut received).expect("received");
        assert_eq!(received.len(), data.len());
    });
}

#[test]
fn an_interface_that_is_not_there_has_no_counters() {
    let error = InterfaceCounters::read("no-such-nic").expect_err("no counters");
    assert_eq!(error.to_string(), "no interface `no-such-nic`");
}

#[test]
fn a_made_interface_is_described_as_it_was_made() {
    let Some(lab) = lab::Veth::make() else { return };
    let (here, there) = (environment(None), lab.inside(|| environment(Some(lab::ADDRESS))));
    assert_ne!(here.network_namespace, there.network_namespace);
    assert_eq!(here.same_host(&there), Some(true));

    let veth = there.interface.known().unwrap_or_else(|| panic!("{:?}", there.interface));
    assert_eq!(veth.name, lab::NAME);
    assert!(!veth.loopback);
    assert_eq!(veth.driver.known().map(String::as_str), Some("veth"));
    assert_eq!(veth.mtu.known(), Some(&1_500));
    assert_eq!(veth.duplex.known().map(String::as_str), Some("full"));
    // veth states 10 Gb/s whatever it carries (drivers/net/veth.c, veth_get_link_ksettings).
    assert_eq!(veth.speed_mbps.known(), Some(&10_000));
    let offloads = veth.offloads.known().expect("veth lists its features");
    for on in ["tx-checksum-ip-generic", "tx-scatter-gather", "tx-tcp-segmentation", "tx-tcp6-segmentation"] {
        assert_eq!(offloads.get(on), Some(&true), "{on} of {offloads:?}");
    }
    assert!(!offloads.contains_key("highdma"), "only what bears on performance: {offloads:?}");

    let counted = lab.inside(|| InterfaceCounters::read(lab::NAME).map(|now| now.since(&now)));
    assert_eq!(counted.expect("counters of the thread's own namespace").tx_bytes, 0);
    assert!(InterfaceCounters::read(lab::NAME).is_err(), "the interface is not in this namespace");
}

/// A network namespace with one end of a veth pair.
mod lab {
    use std::fs::File;
    use std::net::{IpAddr, Ipv4Addr};
    use std::os::fd::AsFd;
    use std::process::{Command, id};

    use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

    /// The end that has an address.
    pub(crate) const NAME: &str = "lrobs0";
    /// Its address; TEST-NET-2, RFC 5737.
    pub(crate) const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 51, 100, 7));

    /// Removed, with all in it, when dropped.
    pub(crate) struct Veth {
        namespace: String,
    }

    impl Veth {
        /// Both ends are inside, so that nothing outside is touched. None, with a word on why, where a
        /// namespace cannot be made; under CI that is a failure.
        pub(crate) fn make() -> Option<Self> {
            let namespace = format!("lr-observe-{}", id());
            if let Err(missing) = ip(&["netns", "add", &namespace]) {
                assert!(
                    std::env::var("CI").as_deref() != Ok("true"),
                    "CI lacks network namespaces: {missing}"
                );
                println!("skipped a_made_interface_is_described_as_it_was_made: {missing}");
                return None;
            }
            let lab = Self { namespace };
            lab.ip(&["link", "add", NAME, "mtu", "1500", "type", "veth", "peer", "name", "lrobs1"]);
            lab.ip(&["address", "add", "198.51.100.7/24", "dev", NAME]);
            lab.ip(&["link", "set", NAME, "up"]);
            lab.ip(&["link", "set", "lrobs1", "up"]);
            Some(lab)
        }

        fn ip(&self, args: &[&str]) {
            let inside = ["-n", &self.namespace];
            ip(&[&inside, args].concat()).unwrap_or_else(|why| panic!("{why}"));
        }

        /// Runs `work` in a thread of its own that has entered the namespace.
        pub(crate) fn inside<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
            let path = format!("/run/netns/{}", self.namespace);
            let entered = || {
                let namespace = File::open(&path).expect(&path);
                move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))
                    .expect("entered the namespace");
                work()
            };
            std::thread::scope(|scope| scope.spawn(entered).join().expect("the work ends"))
        }
    }

    impl Drop for Veth {
        fn drop(&mut self) {
            if let Err(why) = ip(&["netns", "delete", &self.namespace]) {
                eprintln!("left {} behind: {why}", self.namespace);
            }
        }
    }

    /// Runs `ip`; the error says what was missing or refused.
    fn ip(args: &[&str]) -> Result<(), String> {
        let out = Command::new("ip").args(args).output().map_err(|error| format!("`ip`: {error}"))?;
        if out.status.success() {
            return Ok(());
        }
        Err(format!("`ip {}`: {}", args.join(" "), String::from_utf8_lossy(&out.stderr).trim()))
    }
}
