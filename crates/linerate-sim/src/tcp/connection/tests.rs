mod ecn;
mod loss;

use linerate_core::units::{Size, Span, Time};
use proptest::prelude::*;
use rstest::rstest;

use super::pair::{Ill, Pair, asked, settings};
use super::*;
use crate::tcp::{Algorithm, Personality};

const MS: Span = Span::from_ms(1);

impl Connection {
    /// Whether the ends agreed on explicit congestion notification (RFC 3168, 6.1.1).
    fn has_ecn(&self) -> bool {
        self.agreed.ecn
    }

    /// Unit: bytes.
    fn slow_start_threshold(&self) -> u64 {
        self.congestion.window.threshold
    }

    /// The window that the peer offers now, scaled. Unit: bytes.
    fn offered_window(&self) -> u64 {
        self.peer.window()
    }
}

#[test]
fn every_pair_of_kernels_carries_a_stream_and_closes() {
    for first in Personality::ALL {
        for second in Personality::ALL {
            let settings = [settings(first.name, 1500), settings(second.name, 1500)];
            let mut pair = Pair::new([&settings[0], &settings[1]], MS);
            pair.run(|pair| pair.ends.iter().all(|end| end.state() == State::Established));
            pair.transfer(1_000_000);
            pair.ends[0].close();
            pair.run(|pair| pair.ends[1].is_at_end());
            assert_eq!(pair.ends[1].state(), State::Closing, "{} {}", first.name, second.name);
            pair.ends[1].close();
            pair.run(|pair| pair.ends.iter().all(|end| end.state() == State::Closed));
            for end in &pair.ends {
                assert_eq!(end.state(), State::Closed);
                assert_eq!(end.failure(), None);
                assert_eq!(end.counters().retransmitted, 0, "{} {}", first.name, second.name);
            }
        }
    }
}

#[rstest]
#[case(None, [22, 9, 5, 3])]
#[case(Some(65_535), [45, 19, 10, 7])]
fn segments_of_a_window(#[case] buffer: Option<u64>, #[case] segments: [u32; 4]) {
    for (mtu, expected) in [1500, 3500, 6500, 9000].into_iter().zip(segments) {
        let mut settings = settings("linux-2.1.121", mtu);
        settings.receive_buffer = buffer.map(Size);
        settings.send_buffer = Some(Size(65_535));
        let mut pair = Pair::open(&settings, MS);
        let mss = u64::from(pair.ends[0].mss());
        assert_eq!(mss, u64::from(mtu) - 52);
        assert_eq!(pair.ends[0].usable_window() / mss, u64::from(expected), "MTU {mtu}");
        pair.transfer(2_000_000);
        assert_eq!(pair.most_in_flight(), u64::from(expected) * mss, "MTU {mtu}");
    }
}

#[test]
fn what_is_asked_is_doubled_and_what_is_not_is_not() {
    let granted = |asked: Option<u64>| {
        let settings = Settings { receive_buffer: asked.map(Size), ..settings("linux-2.1.121", 1500) };
        Connection::connect(settings).granted()[1]
    };
    assert_eq!(
        [None, Some(65_000), Some(65_535), Some(131_070)].map(granted),
        [65_535, 130_000, 131_070, 131_070]
    );
    let old = Connection::connect(settings("linux-2.0.35", 1500));
    assert_eq!(old.usable_window(), 31_744);
    let old = Connection::connect(asked(settings("linux-2.0.35", 1500), 65_536));
    assert_eq!((old.usable_window(), old.mss()), (31_744, 1460));
}

#[test]
fn without_scaling_a_window_is_65535_bytes_rfc_7323_2_2() {
    let mut settings = settings("linux-modern", 1500);
    settings.rules.options.window_scaling = false;
    let mut pair = Pair::open(&settings, MS * 50);
    assert_eq!(pair.ends[0].usable_window(), 65_535);
    let took = pair.transfer(20_000_000);
    let rate = 20_000_000.0 / took.as_seconds();
    let bound = 65_535.0 / 0.1;
    assert!(rate <= bound && rate > 0.95 * bound, "{rate} of {bound} B/s");
}

#[test]
fn nagle_and_delayed_acknowledgement_stall_and_nodelay_does_not_rfc_896() {
    let took = |nodelay: bool| {
        let mut settings = settings("linux-2.1.121", 1500);
        settings.nodelay = nodelay;
        let mut pair = Pair::open(&settings, MS);
        let begin = pair.now;
        pair.ends[0].write(100, false, pair.now);
        pair.run(|pair| pair.ends[0].in_flight() == 100);
        pair.ends[0].write(100, false, pair.now);
        pair.run(|pair| pair.ends[1].queue.expected() == 201);
        pair.now.since(begin)
    };
    assert_eq!(took(true), MS);
    assert!(took(false) >= MS * 20, "{}", took(false));
}

#[test]
fn a_stopped_reader_is_probed_and_resumes_rfc_9293_3_8_6_1() {
    for name in ["linux-2.0.35", "linux-2.1.121", "freebsd-2.2", "linux-modern"] {
        let settings = asked(settings(name, 1500), 32_768);
        let mut pair = Pair::open(&settings, MS);
        pair.reads[1] = false;
        pair.to_write[0] = 500_000;
        pair.run(|pair| pair.ends[0].counters().probes == 3);
        let took = pair.ends[1].readable();
        assert!(took > 0 && took < 500_000, "{name}");
        assert_eq!(pair.ends[0].offered_window(), 0, "{name}");
        pair.reads[1] = true;
        pair.run(|pair| pair.ends[1].queue.expected() == 500_001);
        assert_eq!(pair.ends[1].queue.expected(), 500_001, "{name}");
        assert_eq!(pair.ends[0].counters().retransmitted, 0, "{name}");
    }
}

#[test]
fn the_old_kernel_stalls_until_its_tick_where_the_window_is_used_up() {
    let mut pair = Pair::open(&settings("linux-2.0.35", 1500), Span::from_us(50));
    let mut times = Vec::new();
    for bytes in [20_000, 30_000, 48 * 1024, 48 * 1024] {
        let begin = pair.now;
        pair.transfer(bytes);
        let before = pair.ends[0].queue.expected();
        pair.to_write[1] = 1;
        pair.run(|pair| pair.ends[0].queue.expected() > before);
        times.push(pair.now.since(begin));
    }
    assert!(times[..2].iter().all(|&time| time < MS), "{times:?}");
    assert!(times[2..].iter().all(|&time| time > MS * 5 && time < MS * 15), "{times:?}");
}

#[test]
fn a_peer_that_never_answers_is_given_up() {
    let settings = settings("linux-modern", 1500);
    let mut end = Connection::connect(settings);
    let mut now = Time::ZERO;
    let mut sent = 0;
    while let Some(_segment) = end.next_segment(now) {
        sent += 1;
        now = end.next_timer().expect("its timer runs");
        end.expire(now);
    }
    assert_eq!((sent, end.state(), end.failure()), (7, State::Closed, Some(Failure::TimedOut)));
    assert_eq!(end.next_timer(), None);
}

#[test]
fn a_lost_syn_begins_with_one_segment_rfc_5681_3_1() {
    let settings = settings("linux-modern", 1500);
    let [mut first, mut second] = [Connection::connect(settings.clone()), Connection::listen(settings)];
    first.next_segment(Time::ZERO).expect("its SYN");
    let mut now = first.next_timer().expect("its timer runs");
    first.expire(now);
    let syn = first.next_segment(now).expect("its SYN again");
    assert!(syn.flags.syn && !syn.flags.ack);
    now = now + MS;
    second.arrived(&syn, 0, now);
    let answer = second.next_segment(now).expect("its answer");
    assert!(answer.flags.syn && answer.flags.ack);
    first.arrived(&answer, 0, now + MS);
    assert_eq!((first.state(), first.congestion_window()), (State::Established, 1448));
    assert_eq!(second.next_segment(now), None);
}

#[test]
fn a_reset_within_the_window_ends_it() {
    let mut pair = Pair::open(&settings("linux-modern", 1500), MS);
    pair.transfer(1000);
    let mut reset = pair.log.last().expect("something was sent").2;
    reset.flags = crate::tcp::Flags { reset: true, ..Default::default() };
    reset.sequence = u64::MAX;
    pair.ends[1].arrived(&reset, 0, pair.now);
    assert_eq!(pair.ends[1].failure(), None);
    reset.sequence = pair.ends[1].queue.expected();
    pair.ends[1].arrived(&reset, 0, pair.now);
    assert_eq!(pair.ends[1].failure(), Some(Failure::Reset));
    assert_eq!(pair.ends[1].next_kind(), None);
}

#[test]
fn after_its_fin_was_acknowledged_nothing_is_taken_any_more() {
    let mut pair = Pair::open(&settings("linux-modern", 1500), MS);
    pair.ends[0].close();
    pair.run(|pair| pair.ends[0].in_flight() == 0 && pair.ends[1].is_at_end());
    pair.ends[0].write(1, false, pair.now);
    assert_eq!((pair.ends[0].writable(), pair.ends[0].next_kind()), (0, None));
}

#[test]
fn a_send_buffer_smaller_than_a_segment_passes_a_stream() {
    for personality in Personality::ALL {
        let mut settings = settings(personality.name, 9000);
        settings.send_buffer = Some(Size(2048));
        let mut pair = Pair::open(&settings, MS);
        pair.transfer(50_000);
    }
}

#[test]
fn a_sleeping_writer_is_woken_when_a_third_is_free() {
    let mut pair = Pair::open(&asked(settings("linux-modern", 1500), 65_000), MS);
    let capacity = pair.ends[0].writable();
    pair.to_write[0] = capacity;
    let mut rooms = Vec::new();
    while pair.ends[0].in_flight() > 0 || rooms.is_empty() {
        pair.run(|pair| pair.ends[0].writable() > 0 || pair.ends[0].in_flight() == 0);
        rooms.push(pair.ends[0].writable());
        pair.run(|pair| pair.ends[0].in_flight() == 0);
    }
    assert!(3 * rooms[0] >= capacity && rooms[0] < capacity, "{rooms:?} of {capacity}");
}

#[test]
fn a_probe_that_is_lost_is_followed_by_another_rfc_9293_3_8_6_1() {
    let settings = asked(settings("linux-modern", 1500), 32_768);
    let mut pair = Pair::open(&settings, MS);
    pair.reads[1] = false;
    pair.to_write[0] = 500_000;
    pair.run(|pair| pair.ends[0].counters().probes == 1);
    // The answer to it, and the two probes that come next, are lost.
    let sent = pair.log.len() as u64;
    pair.ill = (sent..sent + 3).map(|number| (number, Ill::Lost)).collect();
    pair.run(|pair| pair.ends[0].counters().probes == 5);
    assert_eq!((pair.ends[0].counters().probes, pair.ends[0].failure()), (5, None));
    let probes = pair.log.iter().filter(|(_, index, segment)| *index == 0 && segment.is_bare());
    let times: Vec<Time> = probes.map(|(when, ..)| *when).collect();
    let [.., first, second, third] = times[..] else { panic!("{times:?}") };
    let (before, after) = (second.since(first), third.since(second));
    assert!(after > before + before / 2 && after < before * 3, "it backs off: {before}, {after}");
}

#[test]
fn a_window_too_small_for_a_segment_is_left_alone_rfc_9293_3_8_6_2_1() {
    let mut pair = Pair::open(&settings("linux-modern", 1500), MS);
    let mut told = pair.log.iter().rfind(|(_, index, _)| *index == 1).expect("it answered").2;
    told.flags = crate::tcp::Flags { ack: true, ..Default::default() };
    (told.sequence, told.acknowledgement, told.timestamps) = (1, 1, None);
    let end = &mut pair.ends[0];
    end.write(10_000, false, pair.now);
    while end.next_segment(pair.now).is_some() {}
    // All is acknowledged, and the window is 1000 bytes, less than a segment and than half of what
    // it was.
    (told.acknowledgement, told.window) = (10_001, 1000 >> 7);
    let now = pair.now + MS;
    end.arrived(&told, 0, now);
    end.write(10_000, false, now);
    assert_eq!(end.next_kind(), None);
    // Until the timer of probes overrides that.
    let when = end.next_timer().expect("it waits");
    end.expire(when);
    assert_eq!(end.next_kind(), Some(Kind::Data(1000 >> 7 << 7)));
}

#[test]
fn the_timestamp_of_a_segment_beyond_a_gap_is_not_echoed_rfc_7323_4_3() {
    let mut pair = Pair::open(&settings("linux-modern", 1500), MS);
    pair.transfer(100);
    let mut data = pair.log.iter().rfind(|(_, _, segment)| segment.length > 0).expect("it was sent").2;
    let end = &mut pair.ends[1];
    let mut echo = |sequence: u64, sent: u32| {
        (data.sequence, data.length, data.timestamps) = (sequence, 100, Some([sent, 0]));
        end.arrived(&data, 200, pair.now);
        let answer = end.next_segment(pair.now).expect("it acknowledges");
        answer.timestamps.map(|[_, echo]| echo)
    };
    assert_eq!(echo(101, 1000), Some(1000));
    assert_eq!(echo(301, 2000), Some(1000));
    assert_eq!(echo(201, 3000), Some(3000));
}

/// Any segment at all, most of them near what an end expects.
fn any_segment() -> impl Strategy<Value = Segment> {
    let near = prop_oneof![4 => 0_u64..5000, 1 => any::<u64>()];
    let flags = proptest::bits::u8::between(0, 5);
    let range = (near.clone(), near.clone()).prop_map(|(from, to)| [from, to]);
    let blocks = proptest::collection::vec(range, 0..4);
    let length = prop_oneof![2 => Just(0_u32), 4 => 1_u32..3000, 1 => any::<u32>()];
    let options = (any::<Option<u16>>(), any::<Option<u8>>(), any::<bool>(), any::<Option<[u32; 2]>>());
    let fields = (near.clone(), length, flags, near, any::<u16>(), options, blocks);
    fields.prop_map(|(sequence, length, flags, acknowledgement, window, options, blocks)| Segment {
        sequence,
        length,
        flags: crate::tcp::Flags {
            syn: flags & 1 > 0,
            // Most segments acknowledge, and few reset.
            ack: flags & 6 > 0,
            fin: flags & 24 == 24,
            push: flags & 8 > 0,
            reset: flags == 31,
            ece: flags & 3 == 3,
            cwr: flags & 5 == 5,
        },
        acknowledgement,
        window,
        mss: options.0,
        window_scale: options.1,
        sack_permitted: options.2,
        timestamps: options.3,
        sack: blocks.into_iter().fold(Default::default(), |mut blocks, range| {
            crate::tcp::SackBlocks::push(&mut blocks, range);
            blocks
        }),
        ecn: crate::ip::Codepoint::Experienced,
        parts: 1,
    })
}

proptest! {
    /// No segment brings an end out of order, in whatever state it is.
    #[test]
    fn any_segment_can_arrive(
        segments in proptest::collection::vec((any_segment(), 0_u64..300, prop_oneof![9 => 0_u64..3000, 1 => Just(7_u64)]), 1..60),
        kernel in 0..Personality::ALL.len(),
        begin in 0..3,
    ) {
        let settings = settings(Personality::ALL[kernel].name, 1500);
        let mut end = match begin {
            0 => Connection::listen(settings),
            1 => Connection::connect(settings),
            _ => Pair::open(&settings, MS).ends.into_iter().next().expect("two ends"),
        };
        let mut now = Time::ZERO + MS * 1000;
        let mut written = end.writer.end;
        for (segment, wait, bytes) in segments {
            now = now + MS * wait;
            let taken = bytes.min(end.writable());
            end.write(taken, bytes % 3 == 0, now);
            written += taken;
            if bytes == 7 {
                end.close();
            }
            end.arrived(&segment, 1600, now);
            end.expire(now);
            end.read(bytes.min(end.readable()));
            end.read_done();
            for _ in 0..100 {
                let Some(kind) = end.next_kind() else { break };
                let sent = end.next_segment(now).expect("it has one");
                let length = match kind { Kind::Data(length) => length, Kind::Bare => 0 };
                prop_assert_eq!(sent.length, length);
                prop_assert!(sent.length <= end.mss());
            }
            prop_assert_eq!(end.writer.end, written);
            prop_assert!(end.board.next() <= written + 1);
            prop_assert!(end.board.pipe() <= end.board.outstanding());
        }
    }

    /// Whatever is lost, late or twice, of either end, all arrives both ways, once and in order, and
    /// both ends close.
    #[test]
    fn what_goes_wrong_is_made_good(
        ill in proptest::collection::btree_map(0_u64..300, any_ill(), 0..120),
        kernels in (0..Personality::ALL.len(), 0..Personality::ALL.len()),
    ) {
        let [first, second] = [kernels.0, kernels.1].map(|kernel| settings(Personality::ALL[kernel].name, 1500));
        let mut pair = Pair::new([&first, &second], MS);
        pair.ill = ill;
        pair.to_write = [100_000, 30_000];
        pair.run(|pair| {
            [(0, 30_001), (1, 100_001)].iter().all(|&(end, to)| pair.ends[end].queue.expected() == to)
        });
        for index in [0, 1] {
            pair.ends[index].close();
        }
        pair.run(|pair| pair.ends.iter().all(|end| end.state() == State::Closed));
        for (index, expected) in [(0, 30_002), (1, 100_002)] {
            let end = &pair.ends[index];
            prop_assert_eq!((end.state(), end.failure()), (State::Closed, None));
            prop_assert_eq!(end.queue.expected(), expected);
        }
        let again = pair.ends[0].counters().retransmitted;
        prop_assert!(pair.ends[0].counters().data_segments_sent <= 100_000 / 500 + again + 100);
        for (index, end) in pair.ends.iter().enumerate() {
            // The right edge never moved back.
            let mut edge = 0;
            let scale = if first.rules.options.window_scaling && second.rules.options.window_scaling {
                end.offer_scale()
            } else { 0 };
            for (_, from, segment) in &pair.log {
                if *from == index && segment.flags.ack {
                    let shift = if segment.flags.syn { 0 } else { scale };
                    let told = segment.acknowledgement + (u64::from(segment.window) << shift);
                    prop_assert!(told >= edge, "{} after {}", told, edge);
                    edge = told;
                }
            }
        }
    }
}

fn any_ill() -> impl Strategy<Value = Ill> {
    prop_oneof![
        2 => Just(Ill::Lost),
        1 => Just(Ill::Twice),
        2 => (1_u64..20).prop_map(|times| Ill::Late(MS * times)),
    ]
}

impl Connection {
    /// The shift of the windows that it tells.
    fn offer_scale(&self) -> u8 {
        self.offer.wanted_scale(&self.rules().window)
    }
}
