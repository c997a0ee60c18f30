//! Raw Ethernet between two hosts of a laboratory, and what it says where it cannot be.

mod xdp;

use std::net::Ipv4Addr;

use linerate_core::endpoint::LinkError;
use linerate_core::environment::Fact;
use linerate_core::options::Io;
use linerate_core::pattern::Pattern;
use linerate_core::payload::{Buffers, Check};
use linerate_core::traffic::Bound;
use linerate_core::transport::Transport;
use linerate_core::trial::Trial;
use linerate_core::units::{Rate, Size, Span, Time};
use linerate_net::control::ChannelAddress;
use linerate_net::flow::{Counter, Incoming, Outgoing, Progress, SendProgress};
use linerate_net::observe::HostClock;
use linerate_net::transport::{TransportError, join, listen};
use linerate_net::wait::{Interest, Wait};
use rstest::rstest;

use crate::support::lab;
use crate::support::rendezvous::{TOKEN, lines};
use crate::support::stations::{HEADER, Stations, datagrams, flow, setup};

/// A message that fills a frame of 1500 bytes.
const LARGEST: usize = 1_500 - HEADER;

#[rstest]
fn messages_of_every_size_that_a_frame_holds_pass_both_ways_and_keep_their_boundaries(
    #[values(1_500, 9_000, 65_535)] mtu: u32,
) {
    let Some(stations) = Stations::new(mtu) else { return };
    let largest = mtu as usize - HEADER;
    let mut ends = stations.ends(|_| {});
    let sizes = [1, 2, 13, 14, 15, 64, 1_000, largest - 1, largest];
    for _ in 0..2 {
        let [from, to] = &mut ends;
        for size in sizes {
            assert_eq!(
                from.channel_mut().push(&vec![size as u8; size], Wait::Patiently).expect("it goes"),
                size
            );
        }
        for size in sizes {
            let mut into = vec![0; size];
            assert_eq!(to.channel_mut().pull(&mut into, Wait::Patiently).expect("it comes"), size);
            assert!(into.iter().all(|byte| *byte == size as u8), "{size} B");
        }
        assert_eq!(to.channel_mut().pull(&mut [0], Wait::Never).expect("nothing is there"), 0);
        ends.reverse();
    }
}

#[test]
fn every_pattern_of_a_curve_runs_over_it() {
    let Some(stations) = Stations::new(1_500) else { return };
    let [mut here, mut there] = stations.ends(|setup| setup.socket.busy_poll = Some(20));
    for pattern in Pattern::ALL {
        for size in [1, 15, LARGEST as u64] {
            let trial =
                Trial { pattern, size, samples: 5, batch: 10, lead: 0, seed: size, check: Check::Full };
            let (one, other) = std::thread::scope(|scope| {
                let there = &mut there;
                let other = scope.spawn(move || there.respond(&trial, &mut Buffers::new(LARGEST).into()));
                (here.initiate(&trial, &mut Buffers::new(LARGEST).into()), other.join().expect("no panic"))
            });
            one.and(other).unwrap_or_else(|error| panic!("{pattern}, {size} B: {error}"));
        }
    }
}

#[test]
fn a_message_above_the_frame_is_refused_by_name_and_nothing_is_lost() {
    let Some(stations) = Stations::new(1_000) else { return };
    let [mut here, mut there] = stations.ends(|_| {});
    let error =
        here.channel_mut().push(&[0; 969], Wait::Patiently).expect_err("one byte too many").to_string();
    assert_eq!(error, "a message of 969 B is longer than the 968 B that one datagram carries here");
    here.channel_mut().push(&[5; 968], Wait::Patiently).expect("it goes");
    there.channel_mut().pull(&mut [0; 968], Wait::Patiently).expect("it comes");
    let granted = here.channel().granted();
    assert_eq!((granted.mss, granted.path_mtu), (Fact::Known(968), Fact::Known(1_000)));
}

#[test]
fn a_message_that_does_not_come_stalls_and_one_of_another_length_is_named() {
    let Some(stations) = Stations::new(1_500) else { return };
    let [mut here, mut there] = stations.ends(|setup| setup.patience = Span::from_ms(50));
    let error = there.channel_mut().pull(&mut [0], Wait::Patiently).expect_err("nothing was sent");
    assert!(matches!(error, LinkError::Stalled(span) if span == Span::from_ms(50)), "{error}");
    assert!(!there.channel_mut().ready(Interest::Receive, Span::from_ms(1)).expect("it waits"));
    here.channel_mut().push(&[0; 5], Wait::Patiently).expect("it goes");
    assert!(there.channel_mut().ready(Interest::Receive, Span::from_ms(10_000)).expect("it waits"));
    let error = there.channel_mut().pull(&mut [0; 3], Wait::Patiently).expect_err("five came").to_string();
    assert_eq!(error, "receive: a datagram of 5 B came where one of 3 B was awaited");
}

#[test]
fn the_end_and_a_close_come_after_the_last_message_and_the_other_way_stays_open() {
    let Some(stations) = Stations::new(1_500) else { return };
    let [mut here, mut there] = stations.ends(|_| {});
    here.channel_mut().push(&[7; 3], Wait::Patiently).expect("it goes");
    std::thread::scope(|scope| {
        let here = &mut here;
        let finished = scope.spawn(move || here.channel_mut().finish_sending());
        let mut into = [0; 3];
        there.channel_mut().pull(&mut into, Wait::Patiently).expect("what was sent before the end");
        assert_eq!(into, [7; 3]);
        let end = there.channel_mut().pull(&mut into, Wait::Patiently);
        assert!(matches!(end, Err(LinkError::Closed)), "{end:?}");
        finished.join().expect("no panic").expect("it is told");
    });
    there.channel_mut().push(&[8; 4], Wait::Patiently).expect("this way is open");
    drop(there);
    here.channel_mut().pull(&mut [0; 4], Wait::Patiently).expect("what was sent before the close");
    let end = here.channel_mut().pull(&mut [0; 4], Wait::Patiently);
    assert!(matches!(end, Err(LinkError::Closed)), "{end:?}");
    let gone = here.channel_mut().push(&[0; 4], Wait::Patiently);
    assert!(matches!(gone, Err(LinkError::Closed)), "{gone:?}");
}

#[test]
fn another_thread_cuts_a_wait_short_and_the_peer_sees_a_close() {
    let Some(stations) = Stations::new(1_500) else { return };
    let [mut here, mut there] = stations.ends(|_| {});
    let remote = here.channel().handle().expect("a way in");
    let waited = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let cut = here.channel_mut().pull(&mut [0], Wait::Patiently);
            drop(here);
            cut
        });
        remote.cut();
        waiting.join().expect("no panic")
    });
    assert!(matches!(waited, Err(LinkError::Closed)), "{waited:?}");
    let end = there.channel_mut().pull(&mut [0], Wait::Patiently);
    assert!(matches!(end, Err(LinkError::Closed)), "{end:?}");
}

#[test]
fn a_flow_bounded_in_bytes_arrives_to_the_byte_in_either_direction() {
    let Some(stations) = Stations::new(1_500) else { return };
    for turned in [false, true] {
        let mut ends = stations.ends(|_| {});
        if turned {
            ends.reverse();
        }
        let [sender, receiver] = flow(ends, 1_000, Bound::Bytes(1_000_001), None, 0);
        let account = datagrams(&receiver);
        assert_eq!((sender.bytes, sender.messages), (1_000_001, 1_001));
        assert_eq!((account.sent, account.received), (1_001, 1_001), "{account:?}");
        assert_eq!((receiver.bytes, receiver.messages), (1_000_001, 1_001), "{account:?}");
        assert_eq!(account.duplicated + account.reordered + account.foreign, 0, "{account:?}");
    }
}

#[test]
fn a_peer_that_lies_about_numbers_changes_nothing_of_the_account_but_what_is_foreign() {
    let Some(stations) = Stations::new(1_500) else { return };
    let ends = stations.ends(|_| {});
    stations.forge(&[u64::MAX, 1 << 40, u64::MAX]);
    let [_, receiver] = flow(ends, 1_000, Bound::Count(500), None, 0);
    let account = datagrams(&receiver);
    assert_eq!((account.sent, account.received, account.lost), (500, 500, 0), "{account:?}");
    assert_eq!((account.foreign, account.duplicated, account.reordered), (2, 1, 0), "{account:?}");
}

#[test]
fn what_a_paused_receiver_has_no_room_for_is_told_apart_from_loss_to_the_message() {
    let Some(stations) = Stations::new(1_500) else { return };
    let ends = stations.ends(|setup| setup.socket.rcvbuf = Some(Size(64 << 10)));
    let [sender, receiver] = flow(ends, 100, Bound::Count(20_000), None, 2_000_000);
    let account = datagrams(&receiver);
    assert_eq!((sender.messages, account.sent), (20_000, 20_000));
    // 64 KiB are 40 slots of 1600 bytes.
    assert_eq!((account.received, account.dropped_by_socket), (40, 19_960), "{account:?}");
    assert_eq!((account.lost, account.foreign, receiver.bytes), (0, 0, 4_000), "{account:?}");
}

#[test]
fn what_is_lost_on_the_way_is_what_the_queue_there_dropped() {
    let Some(stations) = Stations::new(1_500) else { return };
    // Behind the wire's other end a bridge, and behind that a slow queue.
    let Some(slow) = stations.behind_a_bridge("10mbit", "20kb", "10kb") else { return };
    let rate = Rate::from_bits_per_second(40e6);
    let [sender, receiver] = flow(slow.ends(), 1_000, Bound::Count(2_000), Some(rate), 0);
    let account = datagrams(&receiver);
    assert_eq!((sender.messages, account.sent), (2_000, 2_000));
    assert!(account.lost > 0, "a quarter of the rate passes: {account:?}");
    assert_eq!(account.received + account.lost, 2_000, "{account:?}");
    assert_eq!((account.dropped_by_socket, receiver.messages), (0, account.received), "{account:?}");
    // Its own frames besides messages may meet the full queue too: an end is said seven times at most.
    let dropped = slow.dropped();
    assert!((account.lost..=account.lost + 8).contains(&dropped), "{dropped} dropped, {account:?}");
}

#[test]
fn the_hosts_own_queue_holds_the_sender_back_and_loses_nothing() {
    let Some(stations) = Stations::new(1_500) else { return };
    stations.slow_down_here();
    let [sender, receiver] = flow(stations.ends(|_| {}), 1_000, Bound::Count(2_000), None, 0);
    let account = datagrams(&receiver);
    assert_eq!((sender.messages, account.sent), (2_000, 2_000));
    assert_eq!((account.received, account.lost, account.dropped_by_socket), (2_000, 0, 0), "{account:?}");
}

#[test]
fn a_sender_stops_when_its_receiver_is_gone() {
    let Some(stations) = Stations::new(1_500) else { return };
    let [mut from, mut to] = stations.ends(|_| {});
    let sent = std::thread::scope(|scope| {
        let sending = scope.spawn(move || {
            let (clock, counter, message) = (HostClock::start(), Counter::default(), [0; 1_000]);
            // Much longer than the test may take.
            let bound = Bound::Time(Span::from_ms(600_000));
            let sent = SendProgress::new(Progress::new(Time::ZERO, Span::ZERO), bound, None);
            from.send_flow(&mut Outgoing::new(clock, sent, &message, &counter))
        });
        to.channel_mut().pull(&mut [0; 1_000], Wait::Patiently).expect("it has begun");
        drop(to);
        sending.join().expect("no panic")
    });
    assert!(matches!(sent, Err(LinkError::Closed)), "{sent:?}");
}

#[test]
fn a_receiver_is_cut_off_in_the_middle_of_a_flow_and_keeps_its_account() {
    let Some(stations) = Stations::new(1_500) else { return };
    let [mut from, mut to] = stations.ends(|_| {});
    let remote = to.channel().handle().expect("a way in");
    let clock = HostClock::start();
    let counters = [Counter::default(), Counter::default()];
    let mut buffer = vec![0; 64 << 10];
    let mut into = Incoming::new(clock, Progress::new(Time::ZERO, Span::ZERO), &mut buffer, &counters[1]);
    let received = std::thread::scope(|scope| {
        let counters = &counters;
        scope.spawn(move || {
            let bound = Bound::Time(Span::from_ms(600_000));
            let sent = SendProgress::new(Progress::new(Time::ZERO, Span::ZERO), bound, None);
            let ended = from.send_flow(&mut Outgoing::new(clock, sent, &[0; 1_000], &counters[0]));
            assert!(matches!(ended, Err(LinkError::Closed)), "{ended:?}");
        });
        scope.spawn(move || {
            while counters[1].load() == 0 {
                std::thread::yield_now();
            }
            remote.cut();
        });
        let received = to.receive_flow(&mut into);
        drop(to);
        received
    });
    assert!(matches!(received, Err(LinkError::Closed)), "{received:?}");
    let account = into.account(true);
    assert_eq!(datagrams(&account).received, account.messages);
    assert!(account.messages > 0, "{account:?}");
}

#[test]
fn several_flows_begin_at_once_and_keep_apart() {
    let Some(stations) = Stations::new(1_500) else { return };
    let flows = stations.flows(3, |_| {});
    for (number, [mut here, mut there]) in (0_u8..).zip(flows) {
        here.channel_mut().push(&[number; 8], Wait::Patiently).expect("it goes");
        let mut into = [9; 8];
        there.channel_mut().pull(&mut into, Wait::Patiently).expect("it comes");
        assert_eq!(into, [number; 8]);
    }
}

#[test]
fn an_unknown_peer_without_the_whole_token_gets_no_answer_at_all() {
    let Some(stations) = Stations::new(1_500) else { return };
    // The filter lets it through: the first half is right.
    let mut wrong = TOKEN;
    wrong[15] ^= 1;
    stations.quiet();
    let before = stations.sent_by_there();
    let error = stations.call(&wrong).expect_err("nobody answers").to_string();
    assert!(error.contains("did not answer through `wire` within 5 s"), "{error}");
    assert_eq!(stations.sent_by_there(), before, "no frame came back");
}

#[test]
fn a_station_of_another_segment_is_an_error_that_says_what_to_look_at() {
    let Some(stations) = Stations::new(1_500) else { return };
    let error = stations.call_by(Transport::Ethernet).expect_err("nobody is there").to_string();
    assert_eq!(
        error,
        "use the transport ethernet: the station 02:00:00:09:09:09 did not answer through `wire` within \
         5 s: raw Ethernet reaches only hosts of the same segment, without a router between, and only \
         where switches let EtherType 0x88b5 pass"
    );
}

#[test]
fn places_where_no_frame_may_go_are_refused() {
    let setup = setup(Ipv4Addr::LOCALHOST, Ipv4Addr::LOCALHOST);
    for place in [
        ChannelAddress::Conversation,
        ChannelAddress::Station { mac: [0xff; 6], ethertype: 0x88B5 },
        ChannelAddress::Station { mac: [2, 0, 0, 0, 0, 1], ethertype: 0x0800 },
    ] {
        let error = join(&setup, &place.into(), &TOKEN, 0).expect_err("refused");
        assert!(matches!(error, TransportError::Address(Transport::Ethernet)), "{error}");
    }
}

#[test]
fn options_that_mean_nothing_to_it_are_refused_by_name() {
    let refusal = |change: fn(&mut linerate_core::options::SocketOptions)| {
        let mut setup = setup(Ipv4Addr::LOCALHOST, Ipv4Addr::LOCALHOST);
        change(&mut setup.socket);
        listen(&setup, &TOKEN).expect_err("refused").to_string()
    };
    assert_eq!(
        refusal(|asked| asked.congestion = Some("cubic".to_owned())),
        "set congestion to cubic: raw Ethernet has no congestion control"
    );
    assert!(refusal(|asked| asked.mss = Some(1_000)).starts_with("set mss to 1000: "));
    assert!(refusal(|asked| asked.dscp = Some(1)).starts_with("set dscp to 1: "));
    assert!(refusal(|asked| asked.io = Io::Zerocopy).starts_with("set io to zerocopy: "));
    assert!(refusal(|asked| asked.receive_io = Some(Io::Splice)).starts_with("set receive-io to splice: "));
}

#[test]
fn without_the_privilege_one_sentence_says_what_to_do() {
    // A thread's capabilities are its own.
    let error = std::thread::spawn(|| {
        let mut sets = rustix::thread::capabilities(None).expect("a thread has some");
        sets.effective.remove(rustix::thread::CapabilitySet::NET_RAW);
        rustix::thread::set_capabilities(None, sets).expect("giving up is allowed");
        listen(&setup(Ipv4Addr::LOCALHOST, Ipv4Addr::LOCALHOST), &TOKEN).expect_err("refused").to_string()
    });
    assert_eq!(
        error.join().expect("no panic"),
        "use the transport ethernet: raw Ethernet needs CAP_NET_RAW: run as root or `setcap cap_net_raw+ep \
         linerate`"
    );
}

#[test]
fn both_ends_on_one_host_meet_on_the_loopback_and_do_not_hear_themselves() {
    if lab(1_500).is_none() {
        return;
    }
    let [mut here, mut there] = lines(Transport::Ethernet, |_| {}).expect("two ends");
    let largest = here.channel().granted().mss.known().copied().expect("a loopback has an MTU") as usize;
    here.channel_mut().push(&vec![7; largest], Wait::Patiently).expect("it goes");
    there.channel_mut().pull(&mut vec![0; largest], Wait::Patiently).expect("it comes");
    here.channel_mut().push(&[5; 8], Wait::Patiently).expect("it goes");
    there.channel_mut().push(&[6; 8], Wait::Patiently).expect("it goes");
    for (end, awaited) in [(&mut here, 6), (&mut there, 5)] {
        let mut into = [0; 8];
        end.channel_mut().pull(&mut into, Wait::Patiently).expect("it comes");
        assert_eq!(into, [awaited; 8]);
        assert_eq!(end.channel_mut().pull(&mut into, Wait::Never).expect("nothing more"), 0);
    }
}
