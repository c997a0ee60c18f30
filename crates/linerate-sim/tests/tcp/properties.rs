//! What holds whatever the path does and whatever arrives.

use linerate_core::units::{Size, Span, Time};
use linerate_sim::ip::Codepoint;
use linerate_sim::tcp::{Charge, Connection, Flags, SackBlocks, Segment, Settings, State};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::path::{Chance, Way};
use super::settings::{self, Recovery};
use super::task::Step;
use super::world::{CLIENT, SERVER, World};

/// This many cases, the same every time.
fn cases(count: u32) -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(4);
    ProptestConfig { failure_persistence: None, rng_seed, ..ProptestConfig::with_cases(count) }
}

prop_compose! {
    fn any_chance()(
        lost in prop_oneof![Just(0.0), 0.0..0.3],
        duplicated in prop_oneof![Just(0.0), 0.0..0.3],
        held in prop_oneof![Just(0.0), 0.0..0.5],
        hold_us in 0_u64..20_000,
        jitter_us in 0_u64..2_000,
        seed in any::<u64>(),
    ) -> Chance {
        let (hold, jitter) = (Span::from_us(hold_us), Span::from_us(jitter_us));
        Chance { lost, duplicated, held, hold, jitter, seed }
    }
}

prop_compose! {
    fn any_way()(
        rate in prop::sample::select(vec![1_000_000_u64, 100_000_000, 10_000_000_000]),
        delay_us in 1_u64..30_000,
        queue in prop_oneof![Just(usize::MAX), 4_usize..50],
        chance in any_chance(),
    ) -> Way {
        Way::new(rate, Span::from_us(delay_us)).queue(queue).chance(chance)
    }
}

prop_compose! {
    fn any_settings()(
        name in prop::sample::select(settings::NAMES.to_vec()),
        mtu in prop::sample::select(vec![576_u32, 1500, 9000]),
        buffers in prop::array::uniform2(prop::option::of(4_096_u64..200_000)),
        nodelay in any::<bool>(),
    ) -> Settings {
        let mut settings = settings::kernel(name, mtu);
        [settings.receive_buffer, settings.send_buffer] = buffers.map(|asked| asked.map(Size));
        settings.nodelay = nodelay;
        settings
    }
}

/// Writes or reads of this many bytes in all, in calls of different sizes.
fn calls(bytes: u64, call: u64, step: fn(u64) -> Step) -> Vec<Step> {
    let full = (0..bytes / call).map(|_| step(call));
    full.chain([step(bytes % call)]).collect()
}

/// What was sent, lost, made twice and received adds up, and so does what the ends counted.
fn check_accounts(world: &World) {
    for (end, other) in [(CLIENT, SERVER), (SERVER, CLIENT)] {
        let (there, here) = (&world.ends[end], &world.ends[other]);
        let [sent, got] = [there.connection.counters(), here.connection.counters()];
        assert_eq!(sent.data_segments_sent, there.sent_data);
        assert_eq!(sent.data_segments_sent + sent.bare_segments_sent, there.sent, "all that left");
        assert_eq!(got.segments_received, here.arrived, "all that came");
        assert!(there.sent_bytes >= here.taken, "nothing comes of nothing");
        assert!(sent.retransmitted <= sent.data_segments_sent + sent.bare_segments_sent);
        assert!(
            here.taken + got.duplicate_bytes <= here.arrived_bytes,
            "what is taken or came again has come"
        );
    }
}

proptest! {
    #![proptest_config(cases(96))]

    /// All bytes, once, in order, both ways, between any two kernels, and then the end.
    #[test]
    fn all_bytes_arrive_once_and_in_order_both_ways(
        settings in prop::array::uniform2(any_settings()),
        ways in prop::array::uniform2(any_way()),
        bytes in prop::array::uniform2(1_u64..60_000),
        call in 1_000_u64..30_000,
        rest_us in prop::option::of(0_u64..50_000),
        charge in prop::option::of(prop::sample::select(vec![256_u32, 1_552, 9_024, 20_000])),
        is_eager in any::<bool>(),
    ) {
        let mut world = World::pair([&settings[0], &settings[1]], ways);
        world.is_eager = is_eager;
        for end in &mut world.ends {
            end.charge = charge;
        }
        for end in [CLIENT, SERVER] {
            let mut writes = calls(bytes[end], call, Step::Write);
            writes.push(Step::Close);
            let mut reads = calls(bytes[1 - end], call / 2 + 1, Step::Read);
            if let Some(us) = rest_us {
                reads.insert(0, Step::Wait(Span::from_us(us)));
            }
            world.task(end, writes).task(end, reads);
        }
        world.run_to_the_end(Span::from_ms(20_000_000));
        for end in &world.ends {
            prop_assert_eq!(end.connection.failure(), None);
            prop_assert_eq!(end.connection.state(), State::Closed);
        }
        check_accounts(&world);
    }

    /// The same, byte for byte, when it is done again.
    #[test]
    fn equal_input_gives_an_equal_trace(
        settings in any_settings(),
        way in any_way(),
        bytes in 1_u64..30_000,
    ) {
        let trace = || {
            let mut world = World::even(&settings, &way);
            world.traced().task(CLIENT, vec![Step::Write(bytes)]).task(SERVER, vec![Step::Read(bytes)]);
            world.run(Span::from_ms(20_000_000));
            super::trace::table(world.trace.as_ref().expect("it is traced"))
        };
        prop_assert_eq!(trace(), trace());
    }
}

/// A thing done to a connection.
#[derive(Clone, Debug)]
enum Deed {
    Arrive(Segment, u32),
    Write(u64),
    Read(u64),
    Close,
    Wait(u64),
}

/// Positions near those that matter, and far from them.
fn any_place() -> impl Strategy<Value = u64> {
    prop_oneof![0_u64..10, 0_u64..200_000, any::<u64>().prop_map(|place| place >> 1)]
}

prop_compose! {
    fn any_segment()(
        places in prop::array::uniform2(any_place()),
        length in prop_oneof![Just(0_u32), 1_u32..3_000, any::<u32>().prop_map(|length| length >> 1)],
        bits in any::<[bool; 6]>(),
        congestion in any::<[bool; 2]>(),
        acks in any::<bool>(),
        window in any::<u16>(),
        mss in prop::option::of(any::<u16>()),
        window_scale in prop::option::of(any::<u8>()),
        timestamps in prop::option::of(any::<[u32; 2]>()),
        ranges in prop::collection::vec(prop::array::uniform2(any_place()), 0..=4),
    ) -> Segment {
        let [syn, fin, push, reset, rare, sack_permitted] = bits;
        // Most segments are no SYN, FIN or RST: else nothing is left to test.
        let [ece, cwr] = congestion;
        let reset = reset && rare && fin;
        let flags = Flags { syn: syn && rare, ack: acks, fin: fin && rare, push, reset, ece, cwr };
        let mut sack = SackBlocks::default();
        ranges.iter().for_each(|range| sack.push(*range));
        let [sequence, acknowledgement] = places;
        Segment {
            sequence, length, flags, acknowledgement, window, mss, window_scale, sack_permitted, timestamps, sack,
            ecn: Codepoint::Experienced,
            parts: 1,
        }
    }
}

fn any_deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        6 => (any_segment(), any::<u32>()).prop_map(|(segment, charge)| Deed::Arrive(segment, charge)),
        2 => (1_u64..100_000).prop_map(Deed::Write),
        2 => (1_u64..100_000).prop_map(Deed::Read),
        1 => Just(Deed::Close),
        3 => (0_u64..5_000_000).prop_map(Deed::Wait),
    ]
}

/// Does a deed as an owner may, and takes what comes out.
fn happens(connection: &mut Connection, deed: &Deed, now: &mut Time) {
    match *deed {
        Deed::Arrive(ref segment, charge) => connection.arrived(segment, charge, *now),
        Deed::Write(bytes) => {
            let bytes = bytes.min(connection.writable());
            connection.write(bytes, false, *now);
        }
        Deed::Read(bytes) => {
            let bytes = bytes.min(connection.readable());
            connection.read(bytes);
            connection.read_done();
        }
        Deed::Close => connection.close(),
        Deed::Wait(us) => {
            *now = *now + Span::from_us(us);
            connection.expire(*now);
        }
    }
    let mut sent = 0;
    while connection.next_segment(*now).is_some() {
        sent += 1;
        assert!(sent < 20_000, "it sends without end: {connection:?}");
    }
}

/// A connection on either side of the handshake, or after it.
fn any_state(settings: &Settings, state: usize) -> Connection {
    match state {
        0 => Connection::listen(settings.clone()),
        1 => Connection::connect(settings.clone()),
        _ => {
            let mut world = World::even(settings, &Way::new(100_000_000, Span::from_us(100)));
            world.task(CLIENT, vec![Step::Write(1_000)]).task(SERVER, vec![Step::Read(1_000)]);
            world.run(Span::from_ms(10_000));
            world.ends.swap_remove(state % 2).connection
        }
    }
}

proptest! {
    #![proptest_config(cases(256))]

    /// Input from the wire never panics, and whatever came, an end says something finite.
    #[test]
    fn no_segment_makes_it_panic(
        settings in any_settings(),
        state in 0_usize..4,
        deeds in prop::collection::vec(any_deed(), 1..60),
    ) {
        let mut connection = any_state(&settings, state);
        let mut now = Time::ZERO + Span::from_ms(10_000);
        for deed in deeds {
            happens(&mut connection, &deed, &mut now);
            prop_assert!(connection.readable() <= 1 << 62);
        }
    }
}

/// A peer who sends every second byte of the window and beyond takes no more memory than the receive
/// buffer grants, and none when he sends them again: what is held shows in the text of the connection.
#[test]
fn what_arrives_out_of_order_takes_bounded_memory() {
    const CHARGE: u32 = 2_048;
    for name in settings::NAMES {
        let settings = settings::kernel(name, 1500);
        let mut end = any_state(&settings, 3);
        let now = Time::ZERO + Span::from_ms(10_000);
        let mut lengths = vec![format!("{end:?}").len()];
        for _ in 0..2 {
            for turn in 0..3_000_u64 {
                end.arrived(&bare_byte(1_003 + 2 * turn), CHARGE, now);
                while end.next_segment(now).is_some() {}
            }
            lengths.push(format!("{end:?}").len());
        }
        let price = if settings.rules.window.charge == Charge::Buffer { u64::from(CHARGE) } else { 1 };
        // A range is its two positions and what it is charged, twice: less than 200 letters.
        let most = (end.granted()[1] / price).min(3_000) * 200 + 1_000;
        let [held, again] = [lengths[1] - lengths[0], lengths[2] - lengths[0]];
        assert!(held > 100 && held as u64 <= most, "{name}: {held} letters, at most {most}");
        assert!(again <= held + 100, "{name}: {again} letters after {held}");
    }
}

fn bare_byte(sequence: u64) -> Segment {
    let flags = Flags { ack: true, ..Flags::default() };
    Segment {
        sequence,
        length: 1,
        flags,
        acknowledgement: 1,
        window: 8_192,
        mss: None,
        window_scale: None,
        sack_permitted: false,
        timestamps: None,
        sack: SackBlocks::default(),
        ecn: Codepoint::NotCapable,
        parts: 1,
    }
}

/// Every segment of a transfer full of gaps, as another library reads it.
#[test]
fn segments_of_a_lossy_transfer_are_understood_by_another_library() {
    let chance = Chance { lost: 0.05, held: 0.1, hold: Span::from_ms(3), seed: 7, ..Chance::default() };
    let way = Way::new(100_000_000, Span::from_ms(1)).chance(chance);
    let mut ranges = 0;
    let kernels = ["linux-2.4", "linux-modern"].map(|name| settings::kernel(name, 1500));
    for settings in kernels.into_iter().chain([settings::textbook(Recovery::Sack)]) {
        let mut world = World::even(&settings, &way);
        world
            .traced()
            .task(CLIENT, super::task::writer(1, 400_000))
            .task(SERVER, super::task::reader(400_000));
        world.run_to_the_end(Span::from_ms(600_000));
        for row in world.trace.as_ref().expect("it is traced") {
            if let super::trace::What::Sent { segment, .. } = &row.what {
                super::encoding::check(segment);
                ranges = ranges.max(segment.sack.as_slice().len());
            }
        }
    }
    assert!(ranges >= 3, "as many ranges as there is room for: {ranges}");
}
