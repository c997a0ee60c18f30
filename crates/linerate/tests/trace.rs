//! `linerate trace` as a user runs it: over a loopback, in laboratories, on models. Costs 15 s.

use std::path::Path;

use insta::assert_snapshot;
use linerate_core::run::{Run, State};
use linerate_core::stages::Clocks;
use linerate_core::trace::{Means, Message, Point, Way};
use linerate_net::lab::THERE;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::{Block, PcapNgReader};
use serde_json::Value;

use crate::support::lab::{Lab, Limit, MTU};
use crate::support::server::Server;
use crate::support::{Desk, PROGRAM, has, missing, unfolded};

/// Whether programs can be loaded into this kernel, by this build and this user.
fn by_programs() -> bool {
    if !cfg!(feature = "bpf") {
        eprintln!("skipped: this linerate was built without the feature bpf");
        return false;
    }
    let can = rustix::process::geteuid().is_root() && Path::new("/sys/kernel/btf/vmlinux").exists();
    if !can {
        missing("eBPF (root, and a kernel with BTF)");
    }
    can
}

fn traced(desk: &Desk, more: &[&str]) -> Run {
    let asked = ["trace", "--out", "x.run.json", "--no-report", "--messages", "20"];
    desk.linerate(&[&asked, more].concat()).done();
    desk.run_file("x.run.json")
}

/// The points of a message in their order, as far as they are known.
fn times(message: &Message) -> Vec<i64> {
    Point::ALL.into_iter().filter_map(|point| message.at(point)).collect()
}

#[test]
fn every_message_passes_every_point_in_order() {
    let desk = Desk::new();
    let run = traced(&desk, &["--sizes", "1,1000,100000", "--perfetto", "x.json"]);
    let trace = run.trace.as_ref().expect("it was asked for");
    let expected = if by_programs() { Means::EBpf } else { Means::Timestamps };
    assert_eq!(trace.ends.iter().map(|end| end.means).collect::<Vec<_>>(), [expected; 2], "{:?}", trace.ends);
    assert_eq!(run.state, State::Complete);
    for size in &trace.sizes {
        assert_eq!((size.clocks, size.lost_events), (Clocks::One, [0; 2]));
        for way in [Way::There, Way::Back] {
            let messages = size.messages(way);
            assert_eq!(messages.len(), 20);
            // The clock is read beside the kernel's, so a point may be a little early.
            let in_order = |message: &Message| times(message).is_sorted_by(|one, next| *one <= next + 2_000);
            assert!(messages.iter().all(in_order), "{messages:?}");
            let points = if expected == Means::EBpf { 9 } else { 4 };
            let all = messages.iter().filter(|message| times(message).len() >= points).count();
            assert!(all >= 15, "{all} of 20 messages of {} B have their points: {messages:?}", size.size);
        }
        // Each answer is sent when its message is there.
        for (there, back) in size.there.iter().zip(&size.back) {
            let taken = there.call_ns + there.taken_ns;
            assert!(back.call_ns >= taken, "{} before {taken}", back.call_ns);
        }
        assert_eq!(size.turns.len(), 5);
        assert!(size.turns.iter().all(|turn| turn.traced_ns.len() == 4 && turn.untraced_ns.len() == 4));
        assert_eq!(size.stamped.is_some(), expected == Means::EBpf && size.size <= 65_536);
    }
    let timeline: Value = serde_json::from_str(&desk.read("x.json")).expect("JSON");
    assert!(timeline["traceEvents"].as_array().is_some_and(|events| events.len() > 3 * 40));
    let later = desk.linerate(&["report", "x.run.json", "--report", "x.html"]).done();
    assert!(desk.read("x.html").contains("Single messages of 1 B"), "{}", later.stdout);
}

/// Two things that do not know of each other note the same moments.
#[test]
fn programs_and_timestamps_tell_the_same() {
    if !by_programs() {
        return;
    }
    let desk = Desk::new();
    let run = traced(&desk, &["--sizes", "64,10000"]);
    for size in &run.trace.expect("it was asked for").sizes {
        let stamped = size.stamped.as_ref().expect("both tell");
        for (name, all) in
            [("queued", &stamped.queued_ns), ("driven", &stamped.driven_ns), ("arrived", &stamped.arrived_ns)]
        {
            assert!(all.len() >= 60, "{name}: {} of 80 messages", all.len());
            let mut sorted: Vec<i64> = all.iter().map(|ns| ns.abs()).collect();
            sorted.sort_unstable();
            // The programs and the stamps are a few lines of the kernel apart, and a message takes far longer.
            let whole = size.there.iter().map(|message| message.taken_ns).min().expect("there are messages");
            assert!(sorted[sorted.len() / 2] * 3 < whole, "{name} of {} B: {sorted:?} of {whole}", size.size);
        }
    }
}

/// A bucket that is empty lets nothing through: what waits for it waits between the queue and the driver.
#[test]
fn over_a_slow_wire_the_time_is_in_the_queueing_discipline() {
    const SIZE: u64 = 30_000;
    let Some(lab) = Lab::new(Some(Limit { mbps: 10, burst: "4KiB" })) else { return };
    let desk = Desk::new();
    let command = desk.command(PROGRAM, &["serve", "--listen", &format!("{THERE}:5470"), "--allow-trace"]);
    let server = lab.0.there(|| Server::from(command)).expect("entered");
    let (host, size) = (THERE.to_string(), SIZE.to_string());
    let asked = ["trace", &host, "--key", server.key(), "--sizes", &size, "--messages", "20"];
    lab.linerate(&desk, &[&asked[..], &["--out", "x.run.json", "--no-report"]].concat()).done();
    let run = desk.run_file("x.run.json");
    let size = &run.trace.expect("it was asked for").sizes[0];
    // What the bucket does not hold goes at its rate, of which the last byte waits for all but the last packet.
    let waits = (SIZE - MTU - (4 << 10)) * 8 * 100;
    let spent = size
        .there
        .iter()
        .filter_map(|message| Some((message.driven_ns? - message.queued_ns?, message.taken_ns)));
    let spent: Vec<(i64, i64)> = spent.collect();
    assert!(spent.len() >= 15, "{spent:?}");
    let in_queue = |(queue, whole): &&(i64, i64)| *queue as u64 * 10 > waits * 8 && queue * 10 > whole * 7;
    let right = spent.iter().filter(in_queue).count();
    assert!(right * 10 >= spent.len() * 8, "{right} of {}: {spent:?}, {waits} expected", spent.len());
}

#[test]
fn a_server_that_does_not_allow_programs_has_timestamps_and_says_so() {
    let desk = Desk::new();
    let server = Server::start(&desk, &["--open"]);
    let run = traced(&desk, &[&server.address, "--sizes", "64"]);
    let trace = run.trace.as_ref().expect("it was asked for");
    let theirs = &trace.ends[1];
    assert_eq!(theirs.means, Means::Timestamps);
    assert_eq!(theirs.because.as_deref(), Some("the server does not allow eBPF (serve --allow-trace)"));
    let message = &trace.sizes[0].there[3];
    assert!(message.arrived_ns.is_some() && message.ready_ns.is_none(), "{message:?}");
    let said = desk.linerate(&["report", "x.run.json"]).done().stdout;
    let words = unfolded(&said);
    assert!(
        words.contains("At the responder: the server does not allow eBPF (serve --allow-trace)"),
        "{said}"
    );
}

#[test]
fn timestamps_alone_are_what_the_user_may_ask_for() {
    let desk = Desk::new();
    let run = traced(&desk, &["--timestamps", "--sizes", "64"]);
    let trace = run.trace.as_ref().expect("it was asked for");
    for end in &trace.ends {
        assert_eq!((end.means, &end.because), (Means::Timestamps, &None));
    }
    let said =
        desk.linerate(&["trace", "--timestamps", "--messages", "20", "--sizes", "1", "--pcapng", "x.pcapng"]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("none were seen"), "{}", said.stderr);
}

/// Runs linerate without what loading programs needs, as `unshare` and `setpriv` of util-linux do it.
fn without(desk: &Desk, wrapper: &[&str]) -> Option<Run> {
    let (program, first) = wrapper.split_first().expect("a program");
    if !has(program) {
        return None;
    }
    let asked = [PROGRAM, "trace", "--sizes", "64", "--messages", "20", "--out", "x.run.json", "--no-report"];
    desk.finish(desk.command(program, &[first, &asked].concat())).done();
    Some(desk.run_file("x.run.json"))
}

#[test]
fn without_privilege_the_reason_is_said_and_timestamps_tell() {
    if !by_programs() {
        return;
    }
    let desk = Desk::new();
    let Some(run) = without(&desk, &["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"]) else {
        return;
    };
    let end = &run.trace.expect("it was asked for").ends[0];
    assert_eq!(end.means, Means::Timestamps);
    assert_snapshot!(end.because.clone().unwrap_or_default(), @"eBPF cannot be used: this process may not load it: it needs root, or CAP_BPF and CAP_PERFMON, also of its container");
}

#[test]
fn without_btf_the_reason_is_said_and_timestamps_tell() {
    if !by_programs() {
        return;
    }
    let desk = Desk::new();
    let hide = "mount -t tmpfs none /sys/kernel/btf && exec \"$@\"";
    let Some(run) = without(&desk, &["unshare", "-m", "sh", "-c", hide, "sh"]) else { return };
    let end = &run.trace.expect("it was asked for").ends[0];
    assert_eq!(end.means, Means::Timestamps);
    assert_snapshot!(end.because.clone().unwrap_or_default(), @"eBPF cannot be used: the kernel has no BTF (/sys/kernel/btf/vmlinux): it must be built with CONFIG_DEBUG_INFO_BTF");
}

#[test]
fn packets_are_in_a_capture_with_comments() {
    if !by_programs() {
        return;
    }
    let desk = Desk::new();
    let run = traced(&desk, &["--sizes", "100,3000", "--pcapng", "x.pcapng"]);
    let seen: usize = run.trace.iter().flat_map(|trace| &trace.sizes).map(|size| size.packets.len()).sum();
    let bytes = std::fs::read(desk.path("x.pcapng")).expect("it was written");
    let mut reader = PcapNgReader::new(&bytes[..]).expect("a capture");
    let (mut packets, mut whole) = (0, 0);
    while let Some(block) = reader.next_block() {
        let Block::EnhancedPacket(packet) = block.expect("a block") else { continue };
        packets += 1;
        let comment = packet.options.iter().find_map(|option| match option {
            EnhancedPacketOption::Comment(text) => Some(text.to_string()),
            _ => None,
        });
        let comment = comment.expect("every packet has one");
        assert!(comment.starts_with("message "), "{comment}");
        whole += usize::from(comment.contains("since its call"));
        let sliced = etherparse::SlicedPacket::from_ip(&packet.data);
        // Its payload was left out, so what is there is headers.
        assert!(sliced.is_err() || packet.data.len() <= 60, "{} B", packet.data.len());
        assert!(packet.original_len as usize > packet.data.len());
    }
    assert!(packets == seen && packets >= 32, "{packets} of {seen}");
    assert!(whole >= 24, "{whole} packets say where their message was");
}

#[test]
fn a_model_has_the_same_stages() {
    let desk = Desk::new();
    let asked =
        ["trace", "--model", "acenic", "--sizes", "64,16KiB", "--messages", "20", "--out", "x.run.json"];
    let said = desk.linerate(&[&asked[..], &["--no-report", "--quiet"]].concat()).done().stdout;
    assert_snapshot!(crate::support::timeless(&said));
    // A ping-pong of the same model takes as long: half a round trip is the mean of the two ways.
    let measure = ["measure", "--model", "acenic", "--schedule", "list:64,16384", "--out", "m.run.json"];
    desk.linerate(&[&measure[..], &["--no-report", "--quiet"]].concat()).done();
    let measured = desk.run_file("m.run.json");
    let traced = desk.run_file("x.run.json").trace.expect("it was asked for");
    for size in &traced.sizes {
        let sum = |messages: &[Message]| messages.iter().map(|message| message.taken_ns).sum::<i64>();
        let one_way = (sum(&size.there) + sum(&size.back)) as f64 / (2 * size.there.len()) as f64;
        let point =
            measured.series[0].points.iter().find(|point| point.size == size.size).expect("it was timed");
        let median = point.rounds[0].median.as_ps() as f64 / 1e3;
        assert!((one_way / median - 1.0).abs() < 0.02, "{} B: {one_way} and {median} ns", size.size);
    }
    for message in traced.sizes.iter().flat_map(|size| size.there.iter().chain(&size.back)) {
        let has = [Point::Queued, Point::Driven, Point::Handed, Point::Ready]
            .map(|point| message.at(point).is_some());
        assert!(has == [true; 4] && times(message).is_sorted(), "{message:?}");
    }
}

#[test]
fn what_cannot_be_traced_is_refused_in_one_sentence() {
    let desk = Desk::new();
    for (flags, name) in [
        (&["--transport", "udp"][..], "datagrams_are_not_traced"),
        (&["--sizes", "8MiB"], "huge_messages_are_not_traced"),
        (&["--messages", "5"], "few_messages_are_not_traced"),
        (&["--perfetto", "none/x.json"], "a_timeline_needs_a_folder"),
    ] {
        assert_snapshot!(name, desk.linerate(&[&["trace"], flags].concat()).complaint());
    }
}
