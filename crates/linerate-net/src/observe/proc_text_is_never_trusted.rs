//! Every parser of a text that this crate did not write, on texts that no kernel writes.

use proptest::prelude::*;

use super::cgroup::Groups;
use super::environment::processor::{Flags, cpu_model};
use super::host::{Processors, Softnet, load_average};
use super::quota::quota;
use super::udp::UdpCounters;
use super::{activity, counters, memory, proc_text};

/// Whatever each parser makes of `text`, it returns.
fn parse_all(text: &str) {
    let _ = counters::counters(text, "eth0");
    let _ = activity::pressure_us(text);
    let _ = activity::run_delay_ns(text);
    let _ = activity::involuntary_switches(text);
    let _ = activity::steal_ticks(text);
    let _ = Groups::found("cpu", text, "31 25 0:27 /a /sys/fs/cgroup ro - cgroup2 cgroup rw");
    let _ = Groups::found("cpu", "0::/a/b", text);
    let _ = (quota("15000 100000", text), quota(text, "nr_periods 1"));
    let _ = memory::inactive_file(text);
    let _ = proc_text::bytes_field(text, "MemAvailable");
    let _ = proc_text::words(text);
    let _ = (cpu_model(text), Flags::of(text));
    let _ = (Processors::of(text), Softnet::of(text));
    let _ = load_average(text);
    let _ = (UdpCounters::four(text), UdpCounters::six(text));
}

/// Pieces of real texts, so that chance finds the inside of a parser.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("eth0:".to_owned()),
        Just("some ".to_owned()),
        Just("total=".to_owned()),
        Just("cpu ".to_owned()),
        Just("cpu0".to_owned()),
        Just("Udp: ".to_owned()),
        Just("InDatagrams".to_owned()),
        Just("Udp6InDatagrams ".to_owned()),
        Just("MemAvailable:".to_owned()),
        Just("nonvoluntary_ctxt_switches:".to_owned()),
        Just("0::/".to_owned()),
        Just(" - cgroup2 ".to_owned()),
        Just("nr_throttled ".to_owned()),
        Just("inactive_file ".to_owned()),
        Just("\n".to_owned()),
        any::<u64>().prop_map(|number| format!(" {number}")),
        ".{0,8}",
    ]
}

proptest! {
    #[test]
    fn arbitrary_text_is_parsed_or_refused(text in any::<String>()) {
        parse_all(&text);
    }

    #[test]
    fn shuffled_pieces_of_real_text_are_parsed_or_refused(pieces in prop::collection::vec(piece(), 0..40)) {
        parse_all(&pieces.concat());
    }
}
