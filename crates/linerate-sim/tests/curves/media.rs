//! Media other than Ethernet.

use linerate_core::bench::Bench as _;
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::trial::Trial;
use linerate_core::units::Span;
use linerate_sim::pace::Pace;
use rstest::rstest;

use super::forms::{bench, holds, packets, segments};

const SIZES: [u64; 14] =
    [1, 8, 64, 511, 1024, 1460, 1461, 4096, 9140, 9141, 16_384, 65_536, 100_000, 131_072];

/// Half a round trip on a quiet network, from the time of a message's packets on the line and what
/// is added to the last bit's.
fn ping_pong(size: u64, mtu: u32, line: impl Fn(&[u32]) -> Span, added: Span) -> Span {
    line(&packets(size, mtu)) + added
}

/// Cells without gaps, of an exact rate, rounded once.
#[rstest]
fn a_ping_pong_over_atm_takes_its_cells_and_the_delay(
    #[values(("OC-3c", 149_760_000), ("OC-12c", 599_040_000), ("DS3", 40_704_000))] (phy, rate): (&str, u64),
    #[values(1500, 9180)] mtu: u32,
) {
    let text = format!("network = {{ medium = 'atm', phy = '{phy}', mtu = {mtu}, length-m = 200 }}");
    let line = |packets: &[u32]| {
        let cells: u32 = packets.iter().map(|packet| (8 + packet + 8).div_ceil(48)).sum();
        Pace::of_bits_per_second(rate).span(u64::from(cells) * 53 * 8)
    };
    holds(&text, Pattern::PingPong, &SIZES, |size| ping_pong(size, mtu, line, Span::from_ns(1000)));
}

/// Frames of up to 2048 B with 36 B around each and 24 B of idle words between any two.
#[rstest]
fn a_ping_pong_over_fibre_channel_takes_its_frames_and_the_delay(
    #[values(1062.5, 265.625)] mbaud: f64,
    #[values(4096, 65_280)] mtu: u32,
) {
    let text = format!(
        "network = {{ medium = 'fibre-channel', mbaud = {mbaud}, mtu = {mtu}, length-m = 200 }}
         transport.window = '1MiB'"
    );
    let pace = Pace::new(1_250_000_000_000, (mbaud * 1e6) as u64);
    let frame = |payload: u32| u64::from(36 + payload.next_multiple_of(4) + 24);
    let line = |packets: &[u32]| {
        let bytes = |packet: &u32| {
            let data = packet + 24;
            let last = data % 2048;
            u64::from(data / 2048) * frame(2048) + if last > 0 { frame(last) } else { 0 }
        };
        // The last gap is behind the last bit.
        pace.span((packets.iter().map(bytes).sum::<u64>() - 24) * 8)
    };
    holds(&text, Pattern::PingPong, &SIZES, |size| ping_pong(size, mtu, line, Span::from_ns(1000)));
}

/// Each byte once, and whatever the head takes.
#[rstest]
fn a_ping_pong_over_myrinet_takes_its_bytes_and_the_ways_of_a_head(
    #[values((2, "", 1), (4, ", stations-per-switch = 2", 3))] (stations, tree, switches): (u32, &str, u32),
) {
    let text =
        format!("network = {{ medium = 'myrinet', stations = {stations}, length-m = 10, mtu = 8432{tree} }}");
    let line = |packets: &[u32]| {
        let bytes: u32 = packets.iter().map(|packet| packet + switches + 2 + 1).sum();
        Span::from_ps(6_250) * u64::from(bytes)
    };
    // Half a microsecond a switch; 10 m of fibre between any two of them and the stations.
    let head = Span::from_ns(u64::from(switches) * 500 + u64::from(switches + 1) * 50);
    holds(&text, Pattern::PingPong, &SIZES, |size| ping_pong(size, 8432, line, head));
}

/// The token follows the frames: whoever answers takes it 0.88 us after the last bit. What an
/// acknowledgement would say travels with the answer, since neither can go before the token comes.
/// Up to 40 000 B: what lasts longer than half the TTRT of 8 ms finds the token late at the answer.
/// The first message waits for a token whose place is not known, for a turn of the ring at most.
#[rstest]
fn a_ping_pong_over_fddi_takes_its_frames_a_hop_and_the_token(#[values(1500, 4352)] mtu: u32) {
    let text = format!("network = {{ medium = 'fddi', mtu = {mtu}, length-m = 300 }}");
    let hop = Span::from_ns(600) + Span::from_ps(300 * 5_085);
    let turn = hop * 2;
    let mut bench = bench(&text);
    for size in SIZES.into_iter().filter(|size| *size < 40_000) {
        let trial = Trial {
            pattern: Pattern::PingPong,
            size,
            samples: 4,
            batch: 1,
            lead: 0,
            seed: 1,
            check: Check::Full,
        };
        let times = bench.run(&trial).expect("it passes").times;
        let bytes: u64 = segments(size, u64::from(mtu - 40)).iter().map(|payload| payload + 40 + 36).sum();
        let expected = Span::from_ps(bytes * 80_000) + hop + Span::from_ns(880);
        assert_eq!(times[1..], [expected; 3], "{size} B");
        assert!(times[0] <= expected + turn / 2 && expected <= times[0] + turn / 2, "{size} B: {}", times[0]);
    }
}
