use linerate_core::run::Path;
use linerate_core::traffic::{Direction, Ended, FlowAccount, HalfAccount, Latency, Transfer};

use super::*;
use crate::fixture;

#[test]
fn one_is_no_plural() {
    assert_eq!([0, 1, 2].map(|number| count(number, "flow")), ["0 flows", "one flow", "2 flows"]);
}

#[test]
fn a_foreign_name_commands_no_terminal() {
    assert_eq!(plain("a\x1b[31mb\u{202e}c\nd"), "a\u{fffd}[31mb\u{fffd}c\u{fffd}d");
}

#[test]
fn a_long_name_keeps_both_ends() {
    assert_eq!(shortened("abcdefghij", 10), "abcdefghij");
    assert_eq!(shortened("abcdefghijk", 5), "ab\u{2026}jk");
}

#[test]
fn lines_are_no_wider_than_asked() {
    let text = format!("one two three {} four", "x".repeat(50));
    let wrapped = wrap(&text, 20, 2);
    assert!(wrapped.lines().all(|line| columns(line) <= 20), "{wrapped}");
    assert_eq!(wrapped.split_whitespace().collect::<String>(), text.replace(' ', ""));
}

#[test]
fn shares_and_times_have_their_units() {
    assert_eq!([0.0, 0.123_4, 1.0, 2.5].map(percent), ["0.0 %", "12.3 %", "100.0 %", "250.0 %"]);
    assert_eq!([999.6, 1_500_000.0].map(time_text), ["1.00 ns", "1.50 us"]);
}

#[test]
fn a_computed_size_is_told_in_bytes_up_to_ten_of_the_next_unit() {
    for (bytes, text) in [
        (1.4, "1 B"),
        (10_239.4, "10239 B"),
        (10_240.0, "10.0 KiB"),
        (1_536_000.0, "1500 KiB"),
        (10_485_759.0, "10240 KiB"),
        (10_485_760.0, "10.0 MiB"),
        (31_457_280.0, "30.0 MiB"),
    ] {
        assert_eq!(about(bytes), text);
    }
}

#[test]
fn a_name_is_shortened_in_its_middle_to_just_the_room() {
    for (most, text) in
        [(10, "abcdefghij"), (9, "abcd\u{2026}ghij"), (8, "abcd\u{2026}hij"), (3, "a\u{2026}j")]
    {
        assert_eq!(shortened("abcdefghij", most), text);
        assert!(shortened("abcdefghij", most).chars().count() <= most);
    }
    assert_eq!(shortened("\u{e9}t\u{e9}s", 4), "\u{e9}t\u{e9}s", "characters, not bytes");
}

#[test]
fn words_are_wrapped_where_the_next_one_has_no_room() {
    assert_eq!(wrap("one two three", 13, 2), "one two three");
    assert_eq!(wrap("one two three", 12, 2), "one two\n  three");
    assert_eq!(wrap("  one \n two ", 20, 2), "one two");
    assert_eq!(wrap("", 20, 2), "");
    // A line has room for eight characters besides its indent, however narrow it should be.
    assert_eq!(wrap("aaaa bbb cccc", 1, 2), "aaaa bbb\n  cccc");
    // What is longer than a line is broken.
    assert_eq!(wrap("ab 0123456789abcdef x", 12, 2), "ab\n  0123456789\n  abcdef x");
}

#[test]
fn one_run_or_several_passes_are_what_an_interval_covers() {
    let mut report = fixture::one();
    let curve = &mut report.curves[0];
    let within = "95 %, within this run; another run may lie outside (--repeat N covers that)";
    assert_eq!(coverage(curve).as_deref(), Some(within));
    curve.passes = 3;
    assert_eq!(coverage(curve).as_deref(), Some("from pass to pass: 3 passes"));
    assert_eq!(coverage(&fixture::bare().curves[0]), None, "one round has no interval");
}

#[test]
fn hosts_are_named_by_name_else_by_address() {
    let mut report = fixture::one();
    let hosts = |report: &Report| super::hosts(&report.runs[0]);
    let [local, remote] = hosts(&report).expect("they are known");
    assert_eq!((local.as_str(), remote), ("alpha", plain(fixture::HOSTILE)));
    let named = |report: &mut Report, place: usize, name: Fact<String>| {
        report.runs[0].run.nodes[place].environment.hostname = name;
    };
    named(&mut report, 0, Fact::Known(String::new()));
    named(&mut report, 1, Fact::unknown("not asked"));
    let addresses = ["10.0.0.1:40000", "10.0.0.2:5003"].map(str::to_owned);
    assert_eq!(hosts(&report), Some(addresses));
    report.runs[0].run.paths[0].to_address.clear();
    assert_eq!(hosts(&report).expect("one is known")[1], "an unknown host");
    report.runs[0].run.paths[0].from_address.clear();
    assert_eq!(hosts(&report), None);
}

#[test]
fn other_hosts_are_counted() {
    let mut report = fixture::one();
    let run = &mut report.runs[0].run;
    let remote = |report: &Report| hosts(&report.runs[0]).expect("they are known")[1].clone();
    let again = |run: &mut Run| {
        run.nodes.push(run.nodes[1].clone());
        run.paths.push(Path { to: run.nodes.len() as u32 - 1, ..run.paths[0].clone() });
    };
    again(run);
    assert!(remote(&report).ends_with(" and one other"), "{}", remote(&report));
    again(&mut report.runs[0].run);
    assert!(remote(&report).ends_with(" and 2 others"), "{}", remote(&report));
}

#[test]
fn flows_that_failed_are_counted_first() {
    let flow = |flow, ended: &Ended| FlowAccount {
        flow,
        peer: 0,
        direction: Direction::Send,
        sender: HalfAccount { ended: ended.clone(), ..HalfAccount::default() },
        receiver: HalfAccount { ended: ended.clone(), ..HalfAccount::default() },
    };
    let said = |ends: &[Ended]| {
        let flows = (0..).zip(ends).map(|(number, ended)| flow(number, ended)).collect();
        unfinished(&fixture::loads(vec![Transfer { flows, ..Transfer::default() }]), 0)
    };
    let (done, failed) = (Ended::Complete, Ended::Failed("no".to_owned()));
    assert_eq!(said(&[done.clone(), done.clone()]), None);
    let one = said(&[done.clone(), failed.clone()]);
    assert_eq!(one.as_deref(), Some("1 of 2 flows has STALLED or FAILED"));
    let two = said(&[failed.clone(), done, Ended::Never]);
    assert_eq!(two.as_deref(), Some("2 of 3 flows have STALLED or FAILED"));
    let latency = |flow| Latency { flow, ended: failed.clone(), ..Latency::default() };
    let asking = Transfer { latencies: vec![latency(0), latency(1)], ..Transfer::default() };
    let asking = unfinished(&fixture::loads(vec![asking]), 0);
    assert_eq!(asking.as_deref(), Some("2 flows of requests STALLED or FAILED"));
}

#[test]
fn what_a_curve_lacks_has_its_reason() {
    let mut report = fixture::one();
    let curve = &mut report.curves[0];
    let of = |curve: &Curve, label: &str| {
        keys(curve).into_iter().find(|key| key.label == label).expect("it is there").value
    };
    curve.derived.saturation = None;
    curve.derived.latency = None;
    let bandwidth = curve.derived.bandwidth.as_mut().expect("the fixture has one");
    bandwidth.half_performance_bytes = None;
    assert_eq!(of(curve, "saturation"), "none: no knee within the sizes measured");
    assert_eq!(of(curve, "N1/2"), "none: half the peak lies outside the sizes measured");
    assert_eq!(of(curve, "latency"), "none: no message below 64 B was timed");
    curve.pattern = Pattern::OneWay;
    assert_eq!(of(curve, "latency"), "none: one-way messages overlap");
    let bandwidth = curve.derived.bandwidth.as_mut().expect("the fixture has one");
    bandwidth.half_performance_bytes = Some(3000.0);
    bandwidth.half_performance_interval_bytes = None;
    assert_eq!(of(curve, "N1/2"), "3000 B, where throughput is half the peak");
    curve.derived.bandwidth = None;
    assert_eq!(of(curve, "peak"), "none: what the path sustains one way is not known");
    assert!(keys(curve).iter().all(|key| !["burst", "N1/2"].contains(&key.label)));
    curve.points.iter_mut().for_each(|point| point.timed = None);
    assert_eq!(of(curve, "peak"), "none: nothing was timed");
    curve.in_bursts = 1;
    assert_eq!(of(curve, "peak"), "none: not settled; no size was timed for long enough");
}

#[test]
fn progress_counts_what_was_timed_and_what_settled() {
    let mut report = fixture::one();
    let curve = &mut report.curves[0];
    curve.points.truncate(5);
    curve.points[0].timed = None;
    curve.points.iter_mut().filter_map(|point| point.timed.as_mut()).for_each(|timed| timed.settled = true);
    curve.points[1].timed.as_mut().expect("it is timed").settled = false;
    let Progress { asked, timed, settled } = progress(curve);
    assert_eq!((asked, timed, settled), (5, 4, 3));
}

#[test]
fn patterns_and_receivers_say_what_a_time_is() {
    for (pattern, words) in [
        (Pattern::PingPong, "half the round trip"),
        (Pattern::OneWay, "not a latency"),
        (Pattern::Exchange, "until both have arrived"),
    ] {
        assert!(timing(pattern).contains(words), "{}", timing(pattern));
    }
    assert!(waiting(Waiting::Block).starts_with("block: ") && waiting(Waiting::Spin).starts_with("spin: "));
}
