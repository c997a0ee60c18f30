//! A laboratory, as the usual programs see it.

use linerate_core::units::{Rate, Size};
use linerate_net::lab::{HERE, TwoHosts, WIRE, shape, switch};

use crate::support::{lab, output_of};

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
