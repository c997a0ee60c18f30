//! Buffers that grow with what a path takes, and those that do not.

use linerate_core::kernel::TcpSample;
use linerate_core::traffic::{Direction, StreamPlan, Transfer};
use linerate_core::units::Span;

use super::{assert_near, bulk, carried, carrier, mbps};

/// 9000 km of category 5 at 5.56 ns/m each way: a round trip of 100.08 ms, and 1 Gb/s. Slow start goes on to
/// the window, and the send buffer holds more than that: a writer sleeps until a third of it is free.
const LONG: &str = "[network]\nmedium = 'ethernet'\nlength-m = 9000000\n[tcp]\nrules.congestion.hystart = false\n\
     rules.send-buffer.default = '64M'\n";
/// Where Linux begins (ip-sysctl, `tcp_rmem` and `tcp_wmem`).
const GROWING: &str = "rules.receive-buffer.grows-from = '128K'\nrules.send-buffer.grows-from = '16K'\n";

/// The rate after four seconds, and what both ends said over time.
fn stream(text: &str, seconds: u64) -> (f64, Transfer) {
    let warm_up = Span::from_ms(seconds * 1000 - 2000);
    let stream = StreamPlan { warm_up, direction: Direction::Send, ..StreamPlan::default() };
    let transfer = carried(&mut carrier(text, &[1]), &bulk(stream, seconds * 1000));
    (mbps(&transfer, Direction::Send), transfer)
}

fn received(transfer: &Transfer) -> &[TcpSample] {
    &transfer.flows[0].receiver.tcp
}

/// ip-sysctl: half of the largest buffer, 6 MiB, is the window (`tcp_adv_win_scale` = 1), and a window a round
/// trip passes: 3 MiB in 100.08 ms are 251 Mb/s. 64 KiB asked are doubled, so that 64 KiB are
/// offered, less what was not read yet: 44 whole segments, 5.09 Mb/s.
#[test]
fn a_long_path_is_as_fast_as_the_largest_window_that_its_buffer_grows_to() {
    let (rate, transfer) = stream(&format!("{LONG}{GROWING}"), 6);
    assert_near(rate, 8.0 * 3_145_728.0 / 100.08e3, 0.01);
    let (first, last) =
        (received(&transfer).first().expect("samples"), received(&transfer).last().expect("samples"));
    assert_eq!((first.rcvbuf, last.rcvbuf), (131_072, 6_291_456));
    let (fixed, transfer) = stream(&format!("{LONG}receive-buffer = '64KiB'\nsend-buffer = '208KiB'"), 6);
    assert_near(fixed, 8.0 * 44.0 * 1448.0 / 100.08e3, 0.01);
    assert!(received(&transfer).iter().all(|sample| sample.rcvbuf == 131_072));
}

/// With ceilings above it (32 MiB) the line is the limit.
#[test]
fn with_larger_ceilings_a_long_path_is_filled() {
    let ceilings = "rules.receive-buffer.default = '64M'\n";
    let (rate, _) = stream(&format!("{LONG}{GROWING}{ceilings}"), 8);
    assert_near(rate, 1000.0 * 1448.0 / 1538.0, 0.01);
}

/// Fisk and Feng 2001: the window keeps ahead of a sender in slow start, so that a buffer that grows is
/// nearly as fast as one that has grown.
#[test]
fn a_buffer_that_grows_does_not_hold_slow_start_back() {
    let bytes_by = |text: &str, ms: u64| {
        let stream = StreamPlan { direction: Direction::Send, ..StreamPlan::default() };
        let transfer = carried(&mut carrier(text, &[1]), &bulk(stream, 3000));
        let looks = &transfer.flows[0].receiver.looks;
        looks.iter().filter(|look| look.until <= Span::from_ms(ms)).map(|look| look.bytes).sum::<u64>() as f64
    };
    for (ms, least) in [(600, 0.9), (1000, 0.8), (2900, 0.9)] {
        let [grown, growing] = [LONG.to_owned(), format!("{LONG}{GROWING}")].map(|text| bytes_by(&text, ms));
        assert!(growing > least * grown && growing <= 1.01 * grown, "{growing} and {grown} by {ms} ms");
    }
    let (_, transfer) = stream(&format!("{LONG}{GROWING}"), 3);
    let ends = [received(&transfer), &transfer.flows[0].sender.tcp];
    assert!(
        ends[0].is_sorted_by_key(|sample| sample.rcvbuf) && ends[1].is_sorted_by_key(|sample| sample.sndbuf)
    );
}

/// Semke, Mahdavi and Mathis 1998: the send buffer holds two windows, each segment with 256 B besides its 1448.
#[test]
fn a_send_buffer_holds_two_windows() {
    let short =
        "[network]\nmedium = 'ethernet'\nphy = '100M'\n[tcp]\nrules.congestion.initial-threshold = 30000\n";
    let (rate, transfer) = stream(&format!("{short}{GROWING}"), 3);
    assert_near(rate, 100.0 * 1448.0 / 1538.0, 0.01);
    for sample in &transfer.flows[0].sender.tcp {
        let two = 2 * sample.cwnd * 1704;
        assert!((two..=two + 4 * 1704).contains(&sample.sndbuf) || two >= 4_194_304, "{sample:?}");
    }
}

/// Without timestamps (RFC 7323) the receiver knows the round trip by its windows.
#[test]
fn a_buffer_grows_without_timestamps_too() {
    let (rate, _) = stream(&format!("{LONG}{GROWING}rules.options.timestamps = false"), 6);
    assert_near(rate, 8.0 * 3_145_728.0 / 100.08e3, 0.01);
}
