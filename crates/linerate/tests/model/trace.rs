//! Capture files, as Wireshark reads them.

use serde_json::Value;

use super::desk;
use crate::support::{Desk, has};

/// What tshark says of the frames of `x.pcapng`, a line each.
fn dissected(desk: &Desk, options: &[&str]) -> Vec<String> {
    let checks = ["-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"];
    let arguments = [&["-r", "x.pcapng"], &checks[..], options].concat();
    let said = desk.finish(desk.command("tshark", &arguments)).done();
    said.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn wireshark_reads_a_trace_and_finds_nothing_wrong() {
    if !has("tshark") {
        return;
    }
    let desk = desk();
    let mix = ["--set", "frame=[[64, 1], [1518, 1]]", "--trace", "x.pcapng", "--format", "json"];
    let said = desk.linerate(&[&["model", "load", "x.toml"], &mix[..]].concat()).done();
    assert_eq!(said.stderr, "trace:    x.pcapng\n");
    let json: Value = serde_json::from_str(&said.stdout).expect("it is JSON");
    let stations = json["points"][0]["runs"][0]["stations"].as_array().expect("stations");
    let count = |field: &str| {
        let counts = stations.iter().map(|station| station["mac"][field].as_u64().expect("a count"));
        counts.collect::<Vec<u64>>()
    };
    let (sent, received) = (count("sent"), count("received"));

    let fields = ["-T", "fields", "-e", "frame.interface_name", "-e", "frame.packet_flags_direction"];
    let ways = dissected(&desk, &fields);
    for (station, (sent, received)) in sent.iter().zip(&received).enumerate() {
        let seen = |way: &str| {
            let wanted = format!("station {station}\t{way}");
            ways.iter().filter(|line| **line == wanted).count() as u64
        };
        assert_eq!((seen("0x00000002"), seen("0x00000001")), (*sent, *received), "station {station}");
        assert!(*sent > 50, "the test sees too little");
    }
    assert_eq!(ways.len() as u64, sent.iter().chain(&received).sum::<u64>());

    // 64 B of frame are 46 B of packet and 26 B of datagram; 1518 B are 1500 B and 1480 B.
    let lengths = dissected(&desk, &["-T", "fields", "-e", "frame.len", "-e", "udp.length"]);
    assert!(lengths.iter().all(|line| line == "60\t26" || line == "1514\t1480"), "{lengths:?}");
    assert!(lengths.iter().any(|line| line == "60\t26") && lengths.iter().any(|line| line == "1514\t1480"));

    let wrong = "_ws.malformed || _ws.expert.severity == error || ip.checksum.status != 1 || udp.checksum.status != 1";
    assert_eq!(dissected(&desk, &["-Y", wrong]), Vec::<String>::new());
}

#[test]
fn times_in_a_trace_do_not_go_back() {
    if !has("tshark") {
        return;
    }
    let desk = desk();
    desk.linerate(&["model", "load", "x.toml", "--trace", "x.pcapng"]).done();
    let times = dissected(&desk, &["-T", "fields", "-e", "frame.time_epoch"]);
    let times: Vec<f64> = times.iter().map(|time| time.parse().expect("a number")).collect();
    assert!(times.windows(2).all(|pair| pair[0] <= pair[1]));
    // Seconds of the model's time: the plan's load lasts a millisecond.
    assert!(times.last().is_some_and(|last| (0.9e-3..=1e-3).contains(last)), "{:?}", times.last());
}
