//! What a host says of itself, against the real one: counters that move, and an interface whose
//! driver, MTU and offloads are known because the test made it.

use std::io::{Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::thread;

use linerate_net::lab::{HERE, WIRE};
use linerate_net::observe::{InterfaceCounters, environment, interface_name};

use crate::support::{lab, output_of};

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
    let Some(lab) = lab(1_500) else { return };
    // The lab takes its offloads away; a veth has them.
    lab.here(|| output_of("ethtool", &["-K", WIRE, "tso", "on"])).expect("entered");
    let (here, there) = (environment(None), lab.here(|| environment(Some(HERE.into()))).expect("entered"));
    assert_ne!(here.network_namespace, there.network_namespace);
    assert_eq!(here.same_host(&there), Some(true));

    let veth = there.interface.known().unwrap_or_else(|| panic!("{:?}", there.interface));
    assert_eq!(veth.name, WIRE);
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

    let counted = lab.here(|| InterfaceCounters::read(WIRE).map(|now| now.since(&now)));
    assert_eq!(counted.expect("entered").expect("counters of the thread's own namespace").tx_bytes, 0);
    assert!(InterfaceCounters::read(WIRE).is_err(), "the interface is not in this namespace");
}
