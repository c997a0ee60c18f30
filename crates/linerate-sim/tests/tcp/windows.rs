//! Windows: how much is in flight, and what that makes of a long path.

use linerate_core::units::{Size, Span};
use linerate_sim::tcp::{Connection, Settings};
use rstest::rstest;

use super::path::Way;
use super::settings::{self, Recovery};
use super::task::{Step, reader, writer};
use super::world::{CLIENT, SERVER, World};

/// Reference D4: segments of a window are what the kernel's rules say, on the wire too. The path is so
/// long that the window is all that limits, and what came is read before it is acknowledged: else
/// the buffer holds what the acknowledgement is about, and the window is one segment less.
#[rstest]
#[case(1500, None, 22)]
#[case(3500, None, 9)]
#[case(6500, None, 5)]
#[case(9000, None, 3)]
#[case(1500, Some(65_535), 45)]
#[case(3500, Some(65_535), 19)]
#[case(6500, Some(65_535), 10)]
#[case(9000, Some(65_535), 7)]
fn linux_2_1_121_has_so_many_segments_in_flight(
    #[case] mtu: u32,
    #[case] asked: Option<u64>,
    #[case] segments: u64,
) {
    let mut settings = settings::kernel("linux-2.1.121", mtu);
    settings.receive_buffer = asked.map(Size);
    settings.send_buffer = Some(Size(65_535));
    let mut world = World::even(&settings, &Way::new(1_000_000_000, Span::from_ms(10)));
    world.is_eager = true;
    let bytes = 2_000_000;
    world.task(CLIENT, writer(1, bytes)).task(SERVER, reader(bytes)).run(Span::from_ms(60_000));
    let mss = u64::from(mtu - 52);
    assert_eq!(u64::from(world.client().mss()), mss);
    let most = world.ends[CLIENT].most_in_flight;
    assert_eq!((most / mss, most % mss), (segments, 0), "{most} bytes in flight");
}

/// Bytes a second of the second half of a transfer.
fn late_rate(settings: &Settings, delay: Span, bytes: u64) -> f64 {
    let mut world = World::even(settings, &Way::new(10_000_000_000, delay));
    world.task(CLIENT, writer(1, bytes)).task(SERVER, vec![Step::Read(bytes / 2), Step::Read(bytes / 2)]);
    world.run(Span::from_ms(600_000));
    let done = world.done(SERVER);
    (bytes / 2) as f64 / done[1].since(done[0]).as_seconds()
}

/// Reference, "what changes the plan" 1: 65000 is doubled when asked for, the default of 65535 is not.
#[test]
fn asking_linux_2_1_121_for_65000_gives_130000_and_more_throughput_than_its_default() {
    let default = settings::kernel("linux-2.1.121", 1500);
    let mut asking = default.clone();
    asking.receive_buffer = Some(Size(65_000));
    asking.send_buffer = Some(Size(65_000));
    let granted = |settings: &Settings| Connection::connect(settings.clone()).granted();
    assert_eq!([granted(&default), granted(&asking)], [[65_535; 2], [130_000; 2]]);
    let [less, more] = [&default, &asking].map(|settings| late_rate(settings, Span::from_ms(20), 4_000_000));
    assert!((1.9..2.2).contains(&(more / less)), "a window of twice as many segments: {less}, {more}");
}

/// RFC 7323, 1.1: without window scaling no more than 65535 bytes go in a round trip. 45 segments of
/// 1448 bytes are 99.4 % of that.
#[test]
fn without_window_scaling_a_long_path_carries_65535_bytes_a_round_trip() {
    let delay = Span::from_ms(50);
    let mut settings = settings::textbook(Recovery::Sack);
    settings = settings::without_window_scaling(settings);
    settings.mss = Some(1448);
    let cap = 65_535.0 / 0.1;
    // Whole windows, so that they take whole round trips.
    let rate = late_rate(&settings, delay, 2 * 60 * 45 * 1448);
    assert!(rate <= cap && rate > 0.99 * cap, "{rate} of {cap} bytes a second");

    let scaled = late_rate(&settings::textbook(Recovery::Sack), delay, 40_000_000);
    assert!(scaled > 5.0 * cap, "{scaled} with it");
}

/// The window of a receiver who is slower than the line closes to what he takes.
#[test]
fn a_slow_reader_sets_the_pace() {
    let settings = settings::textbook(Recovery::Sack);
    let mut world = World::even(&settings, &Way::new(1_000_000_000, Span::from_us(50)));
    // 10 kB each millisecond; the buffers take some of the start.
    let bytes = 12_000_000;
    let reads = super::task::slow_reader(bytes, 10_000, Span::from_ms(1));
    world.task(CLIENT, writer(1, bytes)).task(SERVER, reads);
    world.run(Span::from_ms(60_000));
    let took = world.done(SERVER).last().expect("it read").since(world.done(SERVER)[0]).as_seconds();
    assert!((1.19..1.25).contains(&took), "1200 rests of 1 ms took {took} s");
    assert_eq!(world.client().counters().retransmitted, 0);
}

/// What an end waited for is where its limit is: the window of a peer with a small buffer, a small send buffer, or neither.
#[rstest]
#[case::a_small_receive_buffer(Some(20_000), None, [0.9..=1.0, 0.0..=0.02])]
#[case::a_small_send_buffer(None, Some(20_000), [0.0..=0.02, 0.9..=1.0])]
#[case::neither(None, None, [0.0..=0.02, 0.0..=0.02])]
fn what_a_sender_waits_for_is_counted(
    #[case] receive: Option<u64>,
    #[case] send: Option<u64>,
    #[case] parts: [std::ops::RangeInclusive<f64>; 2],
    #[values(5, 50)] delay_ms: u64,
) {
    let mut settings = settings::kernel("linux-modern", 1500);
    (settings.receive_buffer, settings.send_buffer) = (receive.map(Size), send.map(Size));
    let mut world = World::even(&settings, &Way::new(100_000_000, Span::from_ms(delay_ms)));
    let bytes = 2_000_000;
    world.task(CLIENT, writer(1, bytes)).task(SERVER, reader(bytes)).run(Span::from_ms(600_000));
    let sample = world.client().sample(world.now);
    let busy = sample.busy.expect("a model counts it");
    assert!(busy > Span::ZERO && busy <= world.now.since(linerate_core::units::Time::ZERO), "{busy}");
    for (waited, part) in [sample.rwnd_limited, sample.sndbuf_limited].into_iter().zip(parts) {
        let share = waited.as_seconds() / busy.as_seconds();
        assert!(part.contains(&share), "{share} of {busy} is not in {part:?}");
    }
}
