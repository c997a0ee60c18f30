//! What framing leaves of a line for a stream.

use linerate_core::pattern::Pattern;
use rstest::rstest;

use crate::support::measured::measured;

/// Payload rate of a stream whose messages are whole segments. Unit: Mb/s.
fn goodput(text: &str, payload: u64) -> f64 {
    let outcome = measured(text, Pattern::OneWay, &[64 * payload]);
    let point = &outcome.series.points[0];
    assert!(!point.rounds.is_empty(), "{:?}", outcome.ended);
    point.throughput().expect("it took some time").as_mbps()
}

#[track_caller]
fn is_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() <= tolerance, "{found} is not {expected}");
}

/// Datagrams, the byte stream, the byte stream with timestamps: shares of the line's rate.
#[rstest]
#[case(512, [0.880_000, 0.858_182, 0.836_364])]
#[case(1500, [0.957_087, 0.949_285, 0.941_482])]
#[case(3500, [0.981_345, 0.977_954, 0.974_562])]
#[case(8160, [0.991_949, 0.990_485, 0.989_022])]
#[case(9000, [0.992_697, 0.991_370, 0.990_042])]
#[case(16000, [0.995_885, 0.995_137, 0.994_388])]
fn a_stream_over_ethernet_has_what_framing_leaves(#[case] mtu: u64, #[case] shares: [f64; 3]) {
    for (phy, mbps) in [("100BASE-TX", 100.0), ("1000BASE-T", 1_000.0), ("10GBASE-R", 10_000.0)] {
        for ((kind, header), share) in
            [("datagram", 28), ("stream", 40), ("stream", 52)].into_iter().zip(shares)
        {
            let text = format!(
                "network = {{ medium = 'ethernet', phy = '{phy}', mtu = {mtu} }}
                 transport = {{ kind = '{kind}', header = {header}, window = '8MiB' }}"
            );
            is_near(goodput(&text, mtu - header), mbps * share, 1e-4);
            let exact = (mtu - header) as f64 / (mtu + 38) as f64;
            is_near(goodput(&text, mtu - header), mbps * exact, 1e-9);
        }
    }
}

#[rstest]
#[case("stream", 9180, 40, 134.513)]
#[case("stream", 9180, 52, 134.337)]
#[case("datagram", 9180, 28, 134.690)]
#[case("stream", 1500, 40, 128.921)]
fn a_stream_over_atm_has_what_cells_leave(
    #[case] kind: &str,
    #[case] mtu: u64,
    #[case] header: u64,
    #[case] mbps: f64,
) {
    let text = format!(
        "network = {{ medium = 'atm', phy = 'OC-3c', mtu = {mtu} }}
         transport = {{ kind = '{kind}', header = {header}, window = '1MiB' }}"
    );
    is_near(goodput(&text, mtu - header), mbps, 1e-5);
}

/// The figures are those of frames without end. The ring also passes the token: with one sender
/// (T - D) / (T + D) of it is left (Jain 1990), here 0.9994. A byte stream's acknowledgements take
/// the ring too, one frame of 76 B for each turn of the token: 0.08 % of 8 ms.
#[rstest]
#[case("datagram", 4352, 28, 98.541)]
#[case("stream", 4352, 40, 98.268)]
#[case("datagram", 1500, 28, 100.0 * 1472.0 / 1536.0)]
#[case("stream", 1500, 40, 95.052)]
fn a_stream_over_fddi_has_what_framing_and_token_leave(
    #[case] kind: &str,
    #[case] mtu: u64,
    #[case] header: u64,
    #[case] mbps: f64,
) {
    let text = format!(
        "network = {{ medium = 'fddi', mtu = {mtu} }}
         transport = {{ kind = '{kind}', header = {header}, window = '1MiB' }}"
    );
    let found = goodput(&text, mtu - header);
    assert!(found < mbps, "{found}");
    // The turns of the token; and two acknowledgements in each, one of them made before it came.
    is_near(found, mbps, if kind == "datagram" { 1e-3 } else { 3e-3 });
}

/// 825.81 Mb/s are frames of 2048 B without end. A sequence of IP also has 24 B of headers, 40 or
/// 28 B of its own, and a last frame that is not full: 65 304 B in 31 frames and one of 1816 B.
#[rstest]
#[case("datagram", 28)]
#[case("stream", 40)]
fn a_stream_over_fibre_channel_has_what_frames_leave(#[case] kind: &str, #[case] header: u64) {
    let text = format!(
        "network.medium = 'fibre-channel'
         transport = {{ kind = '{kind}', header = {header}, window = '4MiB' }}"
    );
    let found = goodput(&text, 65_280 - header);
    let sequence = 31 * (36 + 2048 + 24) + 36 + 1816 + 24;
    is_near(found, 850.0 * (65_280 - header) as f64 / f64::from(sequence), 1e-6);
    is_near(found, 825.81, 1.2e-3);
}

#[rstest]
#[case("datagram", 28)]
#[case("stream", 40)]
fn a_stream_over_myrinet_has_all_but_headers(#[case] kind: &str, #[case] header: u64) {
    let text = format!(
        "network = {{ medium = 'myrinet', mtu = 8432 }}
         transport = {{ kind = '{kind}', header = {header}, window = '1MiB' }}"
    );
    // A route byte, two of type, one of check.
    is_near(goodput(&text, 8432 - header), 1280.0 * (8432 - header) as f64 / 8436.0, 1e-9);
}
