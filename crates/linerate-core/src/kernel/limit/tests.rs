use proptest::prelude::*;
use rstest::rstest;

use super::*;

pub(super) const SECOND: Span = Span::from_ms(1_000);
/// What carries 1 Gb/s Ethernet at an MTU of 1500 bytes.
const LINK: Rate = Rate::from_mbps(941.5);

/// A sender's last sample, in milliseconds.
pub(super) fn sample(busy: u64, rwnd: u64, sndbuf: u64) -> TcpSample {
    TcpSample {
        busy: Some(Span::from_ms(busy)),
        rwnd_limited: Span::from_ms(rwnd),
        sndbuf_limited: Span::from_ms(sndbuf),
        ..TcpSample::default()
    }
}

/// A second of a host: shares of its busiest processor, which others may use, and of its busiest
/// thread.
fn host(busiest: f64, thread: f64) -> HostSample {
    HostSample { span: SECOND, busiest, busiest_thread: Span::from_seconds(thread), ..HostSample::default() }
}

/// A second of a host that is so busy with interrupts on one processor.
fn interrupted(share: f64) -> HostSample {
    HostSample { busiest: 1.0, busiest_interrupts: share, ..host(1.0, 0.2) }
}

/// A second of a host on whose processor a thread is beside interrupts and others.
fn beside(thread: f64, interrupts: f64, processor: f64) -> HostSample {
    HostSample {
        busiest_thread_processor: processor,
        busiest_thread_interrupts: interrupts,
        ..host(1.0, thread)
    }
}

fn judge(tcp: TcpSample, hosts: [&[HostSample]; 2], rate: f64) -> Verdict {
    let (sender, rate) = (&[TcpSample::default(), tcp], Some(Rate::from_mbps(rate)));
    let known = Known { sender, hosts, link: Some(LINK), rate, span: SECOND, ..Known::default() };
    holders(&known).expect("the kernel counted")
}

/// By the kernel's account alone.
fn alone(sender: &[TcpSample], span: Span) -> Option<Verdict> {
    holders(&Known { sender, span, ..Known::default() })
}

#[rstest]
#[case::receiver_window(
    sample(1_000, 830, 20),
    "held back by the receiver window for 83 % of the time (send buffer 2 %, congestion window or path 15 %)"
)]
#[case::send_buffer(sample(1_000, 0, 1_000), "held back by the send buffer for 100 % of the time")]
#[case::application(
    sample(8, 0, 0),
    "held back by the application for 99 % of the time (congestion window or path 1 %)"
)]
#[case::congestion_window(
    sample(996, 4, 0),
    "held back by the congestion window or path for 99 % of the time"
)]
fn the_kernels_account_is_said_in_one_line(#[case] tcp: TcpSample, #[case] line: &str) {
    assert_eq!(judge(tcp, [&[], &[]], 300.0).to_string(), line);
}

#[test]
fn at_line_rate_it_is_the_link_whatever_window_is_full() {
    let tcp = sample(990, 700, 100);
    let verdict = judge(tcp.clone(), [&[host(1.0, 1.0)], &[host(1.0, 1.0)]], 941.5 * 0.95);
    assert_eq!(verdict.winner, Holder::Link);
    assert_eq!(verdict.shares.of(Holder::ReceiverWindow), 0.0);
    assert_eq!(judge(tcp, [&[], &[]], 941.5 * 0.949).winner, Holder::ReceiverWindow);
}

#[test]
fn the_link_has_the_looks_that_found_it_full() {
    let [rtt, min_rtt] = [20, 15].map(Span::from_ms);
    let with = |unacked| TcpSample { unacked, cwnd: 9_999, mss: 1_448, rtt, min_rtt, ..sample(500, 0, 0) };
    // 941.5 Mb/s for 20 ms are 1,625 segments.
    let looks = [with(1_600), with(1_500), with(1_650), with(1_000), sample(1_000, 0, 0)];
    let share = |looks: &[TcpSample]| {
        let rate = Some(Rate::from_mbps(800.0));
        let known = Known { sender: looks, link: Some(LINK), rate, span: SECOND, ..Known::default() };
        holders(&known).expect("the kernel counted").shares.of(Holder::Link)
    };
    assert_eq!(share(&looks), 0.5);
    let idle = looks.map(|look| TcpSample { min_rtt: rtt, ..look });
    assert_eq!(share(&idle), 0.0, "nothing waits for it");
}

#[test]
fn a_full_send_buffer_is_found_though_the_kernel_did_not_notice() {
    let full = TcpSample { unacked: 12, cwnd: 138, queued: 19_000, sndbuf: 20_000, ..sample(500, 0, 0) };
    let unsent = TcpSample { notsent: 1, ..full.clone() };
    let window = TcpSample { cwnd: 12, ..full.clone() };
    let room = TcpSample { queued: 13_000, ..full.clone() };
    let between = TcpSample { unacked: 0, ..full.clone() };
    let share = |looks: &[&TcpSample]| {
        let looks: Vec<_> =
            looks.iter().map(|look| (*look).clone()).chain([sample(1_000, 100, 300)]).collect();
        let verdict = alone(&looks, SECOND).expect("the kernel counted");
        verdict.shares.of(Holder::SendBuffer)
    };
    assert_eq!(share(&[]), 0.3);
    assert_eq!(share(&[&unsent, &window, &room]), 0.3, "these had another reason");
    assert_eq!(share(&[&full, &unsent]), 0.6, "half of the other 60 %");
    assert!((share(&[&between, &full]) - 0.9).abs() < 1e-12, "a look between two bursts says nothing");
}

#[test]
fn a_full_receive_window_is_found_though_the_kernel_did_not_notice() {
    let full =
        TcpSample { unacked: 2, cwnd: 10, notsent: 9_000, mss: 1_448, snd_wnd: 4_343, ..sample(500, 0, 0) };
    let room = TcpSample { snd_wnd: 4_344, ..full.clone() };
    let nothing_to_send = TcpSample { notsent: 0, ..full.clone() };
    let congestion = TcpSample { cwnd: 2, ..full.clone() };
    let old_kernel = TcpSample { snd_wnd: 0, ..full.clone() };
    let share = |looks: &[&TcpSample]| {
        let looks: Vec<_> =
            looks.iter().map(|look| (*look).clone()).chain([sample(1_000, 100, 300)]).collect();
        let verdict = alone(&looks, SECOND).expect("the kernel counted");
        verdict.shares.of(Holder::ReceiverWindow)
    };
    assert_eq!(share(&[&room, &nothing_to_send, &congestion, &old_kernel]), 0.1, "these had another reason");
    assert_eq!(share(&[&full, &room]), 0.4, "half of the other 60 %");
}

#[test]
fn a_processor_without_time_explains_what_the_kernel_does_not() {
    let (idle, full, thread) = ([host(0.3, 0.2)], [interrupted(0.97)], [host(0.6, 0.96)]);
    let rest = sample(1_000, 100, 0);
    let winner = |hosts: [&[HostSample]; 2]| judge(rest.clone(), hosts, 300.0).winner;
    let [one, two] = [Host::Sender, Host::Receiver].map(Holder::Processor);
    assert_eq!(winner([&idle, &idle]), Holder::CongestionWindow);
    assert_eq!(winner([&full, &idle]), one, "a processor full of interrupts");
    assert_eq!(winner([&[host(1.0, 0.2)], &idle]), Holder::CongestionWindow, "full of others' work");
    assert_eq!(winner([&idle, &[beside(0.6, 0.4, 1.0)]]), two, "a thread and its interrupts");
    assert_eq!(winner([&idle, &[beside(0.6, 0.4, 0.6)]]), Holder::CongestionWindow, "counted twice");
    assert_eq!(winner([&idle, &[beside(0.02, 0.01, 1.0)]]), Holder::CongestionWindow, "beside others");
    assert_eq!(winner([&idle, &thread]), two, "a thread that is always busy");
    assert_eq!(winner([&full, &thread]), one, "a tie");
    let mostly = [&full[..], &idle, &full].concat();
    assert_eq!(winner([&mostly, &thread]), two, "the one that was full for longer");
    let half = [&full[..], &idle].concat();
    assert_eq!(winner([&half, &idle]), Holder::CongestionWindow, "half is not most");
}

/// A second of a host whose busiest thread ran and waited for so long.
pub(super) fn worked([ran, waited]: [f64; 2]) -> [HostSample; 1] {
    [HostSample { busiest_thread_waited: Span::from_seconds(waited), ..host(1.0, ran) }]
}

proptest! {
    #[test]
    fn what_others_take_of_a_processor_is_theirs(ran in 0.05..0.7_f64, other in 0.0..0.1_f64) {
        // Always ready, and alone on its host with programs that want all there is.
        let known = [worked([ran, 1.0 - ran]), worked([other, 0.0])];
        let verdict = judge(sample(1_000, 0, 0), [&known[0], &known[1]], 300.0);
        let [own, others] = [Holder::Processor(Host::Sender), Holder::Others].map(|it| verdict.shares.of(it));
        let waited = (1.0 - ran).max(0.7);
        prop_assert!((others - waited).abs() < 0.01 && (own - 1.0 + waited).abs() < 0.01, "{}", verdict);
    }

    #[test]
    fn a_processor_that_both_ends_fill_in_turns_is_shared(sender in 0.05..0.95_f64) {
        let receiver = 0.98 - sender;
        // Each has its turn while the other waits.
        let hosts = [worked([sender, receiver]), worked([receiver, sender])];
        let rest = sample(1_000, 0, 0);
        let tcp = [TcpSample::default(), rest];
        let winner = |on_one_host| {
            let ends = Ends { on_one_host, ..Ends::default() };
            let hosts: [&[HostSample]; 2] = [&hosts[0], &hosts[1]];
            holders(&Known { sender: &tcp, hosts, span: SECOND, ends, ..Known::default() }).expect("counted").winner
        };
        prop_assert_eq!(winner(true), Holder::Processor(Host::Both));
        prop_assert!(winner(false) != Holder::Processor(Host::Both), "two hosts have two processors");
        let pinned = |on_one_processor, hosts: [&[HostSample]; 2]| {
            let ends = Ends { on_one_host: true, on_one_processor: Some(on_one_processor), ..Ends::default() };
            holders(&Known { sender: &tcp, hosts, span: SECOND, ends, ..Known::default() }).expect("counted").winner
        };
        let crowded = worked([sender * 0.4, 1.0 - sender * 0.4]);
        prop_assert_eq!(pinned(true, [&crowded, &crowded]), Holder::Processor(Host::Both), "whatever else runs there");
        prop_assert!(pinned(false, [&hosts[0], &hosts[1]]) != Holder::Processor(Host::Both), "each has its own");
    }
}

#[test]
fn a_sender_that_cannot_fill_its_socket_is_short_of_processor_not_of_data() {
    let tcp = sample(400, 0, 0);
    let verdict = judge(tcp.clone(), [&[host(1.0, 0.99)], &[]], 300.0);
    assert_eq!(verdict.winner, Holder::Processor(Host::Sender));
    assert_eq!(verdict.share(), 1.0);
    let pushed_away = HostSample { busiest_thread_waited: Span::from_ms(500), ..host(1.0, 0.49) };
    let verdict = judge(tcp.clone(), [&[pushed_away], &[]], 300.0);
    let [own, others] = [Holder::Processor(Host::Sender), Holder::Others].map(|it| verdict.shares.of(it));
    assert!((others - 0.7).abs() < 0.001 && (own + others - 1.0).abs() < 1e-9, "always ready: {verdict}");
    // Somebody else's work on that host is no reason why this application sent nothing.
    let verdict = judge(tcp, [&[host(1.0, 0.1)], &[]], 300.0);
    assert_eq!((verdict.winner, verdict.share()), (Holder::Application, 0.6));
}

#[test]
fn a_buffer_that_runs_empty_before_its_writer_is_awake_is_too_small() {
    let full = TcpSample { unacked: 12, cwnd: 138, queued: 19_000, sndbuf: 20_000, ..sample(500, 0, 0) };
    let room = TcpSample { queued: 5_000, ..full.clone() };
    let late = [HostSample { busiest_thread_waited: Span::from_ms(500), ..host(1.0, 0.4) }];
    let judge = |looks: &[&TcpSample], paced| {
        let sender: Vec<_> = looks.iter().map(|it| (*it).clone()).chain([sample(400, 0, 400)]).collect();
        let known = Known {
            sender: &sender,
            hosts: [&late, &[]],
            paced: [paced, false],
            span: SECOND,
            ..Known::default()
        };
        holders(&known).expect("the kernel counted").shares
    };
    // What it ran, and what it waited while others had the processor.
    let processor = |shares: &Shares| shares.of(Holder::Processor(Host::Sender)) + shares.of(Holder::Others);
    assert_eq!(judge(&[&full, &full], false).of(Holder::SendBuffer), 1.0);
    let half = judge(&[&full, &room], false);
    assert!((half.of(Holder::SendBuffer) - 0.7).abs() < 1e-12, "0.4 and half of 0.6");
    assert!((processor(&half) - 0.3).abs() < 1e-12);
    let cannot_fill = processor(&judge(&[&room], false));
    assert!((cannot_fill - 0.6).abs() < 1e-12, "it cannot fill the buffer");
    assert_eq!(judge(&[&full], true).of(Holder::Application), 0.6, "it waits for its next message");
}

#[test]
fn less_than_a_segment_that_waits_leaves_a_full_buffer_full() {
    let full =
        TcpSample { unacked: 2, cwnd: 140, queued: 7_328, sndbuf: 8_192, mss: 1_448, ..sample(500, 0, 0) };
    let share = |look: TcpSample| {
        let verdict = alone(&[look, sample(1_000, 0, 0)], SECOND).expect("the kernel counted");
        verdict.shares.of(Holder::SendBuffer)
    };
    assert_eq!(share(TcpSample { notsent: 552, ..full.clone() }), 1.0, "Nagle's algorithm keeps it");
    assert_eq!(share(TcpSample { notsent: 1_448, ..full.clone() }), 0.0, "TCP would have sent that");
    assert_eq!(share(TcpSample { notsent: 552, snd_wnd: 3_000, ..full.clone() }), 0.0, "it does not fit");
}

/// Two looks at a receiver that found so much of 100 bytes unread, and one at its end.
fn unread(looks: [u64; 2]) -> [TcpSample; 3] {
    let look = |unread| TcpSample {
        unread,
        rcvbuf: 100,
        at: Span::from_ms(10),
        received: 400,
        ..TcpSample::default()
    };
    [look(looks[0]), look(looks[1]), look(0)]
}

#[test]
fn a_window_that_is_full_of_unread_bytes_is_the_readers() {
    let sender = [TcpSample::default(), sample(1_000, 800, 0)];
    let judge = |receiver: &[TcpSample], hosts| {
        holders(&Known { sender: &sender, receiver, hosts, span: SECOND, ..Known::default() })
            .expect("the kernel counted")
    };
    let idle: [&[HostSample]; 2] = [&[], &[host(0.3, 0.2)]];
    assert_eq!(judge(&unread([50, 0]), idle).shares.of(Holder::ReceiverWindow), 0.8, "it keeps up");
    let slow = judge(&unread([51, 90]), idle);
    assert_eq!((slow.winner, slow.share()), (Holder::Reader, 0.8));
    assert_eq!(slow.shares.of(Holder::ReceiverWindow), 0.0);
    let now_and_then = judge(&unread([0, 90]), idle);
    assert_eq!(now_and_then.shares.of(Holder::Reader), 0.4);
    let quick = unread([90, 90]).map(|look| TcpSample { received: 900, ..look });
    assert_eq!(
        judge(&quick, idle).winner,
        Holder::ReceiverWindow,
        "1 ms is the time that a reader takes to wake"
    );
    let busy: [&[HostSample]; 2] = [&[], &[host(1.0, 0.99)]];
    let short = judge(&unread([90, 90]), busy);
    assert_eq!(short.winner, Holder::Processor(Host::Receiver), "it reads as fast as it can");
}

#[test]
fn a_window_or_a_buffer_gains_nothing_where_its_bytes_wait_in_a_queue() {
    let ms = Span::from_ms;
    let look = |rtt, min_rtt| TcpSample { unacked: 50, rtt, min_rtt, ..sample(500, 0, 0) };
    let judge = |looks: &[TcpSample], receiver: &[TcpSample], host: &[HostSample]| {
        let sender: Vec<_> = looks.iter().cloned().chain([sample(1_000, 600, 300)]).collect();
        let hosts: [&[HostSample]; 2] = [&[], host];
        let known = Known { sender: &sender, receiver, hosts, span: SECOND, ..Known::default() };
        holders(&known).expect("the kernel counted")
    };
    let winner = |look, receiver: &[TcpSample], host: &[HostSample]| judge(&[look], receiver, host).winner;
    let (queued, read) = (look(ms(6), ms(1)), unread([0, 0]));
    let verdict = judge(std::slice::from_ref(&queued), &read, &[]);
    assert_eq!(verdict.winner, Holder::CongestionWindow);
    assert!((verdict.share() - 1.0).abs() < 1e-12, "{verdict}");
    let half = judge(&[queued.clone(), look(ms(6), ms(3))], &read, &[]);
    let shares = [Holder::ReceiverWindow, Holder::SendBuffer].map(|holder| half.shares.of(holder));
    assert_eq!(shares, [0.3, 0.15], "half of the round trip is not most of it");
    let window = Holder::ReceiverWindow;
    let short = look(ms(1), Span::from_us(4));
    assert_eq!(winner(short.clone(), &read, &[]), window, "a host may take that long");
    let sender = [short, sample(1_000, 600, 300)];
    let model = Known {
        sender: &sender,
        receiver: &read,
        span: SECOND,
        ends: Ends { modelled: true, ..Ends::default() },
        ..Known::default()
    };
    assert_eq!(holders(&model).map(|it| it.winner), Some(Holder::CongestionWindow), "and no model's does");
    assert_eq!(winner(look(ms(6), Span::ZERO), &read, &[]), window, "the shortest is not known");
    assert_eq!(winner(queued.clone(), &read, &[host(1.0, 0.99)]), window, "it waits for a processor");
    assert_eq!(winner(queued.clone(), &[], &[]), window, "it may wait for the reader");
    assert_eq!(winner(queued, &unread([90, 90]), &[]), Holder::Reader, "it waits for the reader");
}

#[test]
fn a_thread_that_others_crowd_out_is_short_of_a_processor() {
    let crowded = |ran: u64, waited: u64| {
        [HostSample {
            busiest_thread: Span::from_ms(ran),
            busiest_thread_waited: Span::from_ms(waited),
            ..host(1.0, 0.0)
        }]
    };
    let winner = |looks: &[HostSample]| judge(sample(1_000, 0, 0), [looks, &[]], 300.0).winner;
    assert_eq!(winner(&crowded(400, 400)), Holder::Others);
    assert_eq!(winner(&crowded(850, 60)), Holder::Processor(Host::Sender), "next to no time left");
    assert_eq!(winner(&crowded(700, 100)), Holder::CongestionWindow, "it had what it wanted");
    assert_eq!(winner(&crowded(50, 400)), Holder::CongestionWindow, "it wanted little");
}

#[test]
fn the_processor_of_a_pacing_thread_only_looks_busy() {
    let sender = [TcpSample::default(), sample(1_000, 0, 0)];
    let host = [HostSample { until: SECOND, link_down: Span::from_ms(100), ..host(1.0, 1.0) }];
    let known = Known { sender: &sender, hosts: [&host, &[]], span: SECOND, ..Known::default() };
    let winner = |paced| holders(&Known { paced, ..known }).expect("the kernel counted");
    assert_eq!(winner([false; 2]).winner, Holder::Processor(Host::Sender));
    assert_eq!(winner([true, false]).winner, Holder::CongestionWindow);
    assert_eq!(winner([true, false]).shares.of(Holder::LinkDown), 0.1, "its link is down as any other's");
    let known = Known { hosts: [&[], &host], ..known };
    let winner = |paced| holders(&Known { paced, ..known }).expect("the kernel counted").winner;
    assert_eq!(winner([true, false]), Holder::Processor(Host::Receiver), "who receives does not pace");
    assert_eq!(winner([true; 2]), Holder::CongestionWindow, "it sends at a pace too");
}

#[test]
fn a_link_that_is_down_is_named_and_takes_its_time_from_what_waited_meanwhile() {
    let look = |down: u64| HostSample { until: SECOND, link_down: Span::from_ms(down), ..host(0.1, 0.1) };
    let judge = |down: u64, tcp| judge(tcp, [&[look(0)], &[look(down)]], 300.0);
    let half = judge(500, sample(900, 100, 0));
    assert_eq!((half.winner, half.share()), (Holder::LinkDown, 0.5));
    assert!((half.shares.of(Holder::CongestionWindow) - 0.3).abs() < 1e-12, "{half}");
    assert_eq!(half.shares.of(Holder::ReceiverWindow), 0.1);
    let all = judge(1_000, sample(900, 100, 0));
    assert_eq!(all.to_string(), "held back by the link being down for 100 % of the time");
    assert_eq!(judge(0, sample(900, 100, 0)).shares.of(Holder::LinkDown), 0.0);
}

#[test]
fn where_the_kernel_does_not_count_there_is_no_verdict() {
    let none = alone;
    assert_eq!(none(&[], SECOND), None);
    assert_eq!(none(&[TcpSample::default()], SECOND), None);
    assert_eq!(none(&[sample(1, 0, 0)], Span::ZERO), None);
    assert!(none(&[sample(1, 0, 0)], SECOND).is_some());
}

/// Any numbers at all, and often ones that fit together.
fn span() -> impl Strategy<Value = Span> {
    prop_oneof![(0_u64..2_000).prop_map(Span::from_ms), any::<u64>().prop_map(Span::from_ps)]
}

fn any_host() -> impl Strategy<Value = HostSample> {
    (span(), any::<f64>(), span(), span()).prop_map(|(span, busiest, busiest_thread, link_down)| HostSample {
        span,
        link_down,
        busiest,
        busiest_thread,
        busiest_interrupts: busiest,
        busiest_thread_processor: busiest,
        busiest_thread_interrupts: busiest,
        ..HostSample::default()
    })
}

fn any_sample() -> impl Strategy<Value = TcpSample> {
    let sizes = prop::array::uniform6(prop_oneof![0_u64..4, any::<u64>()]);
    (prop::option::of(span()), span(), span(), sizes).prop_map(
        |(busy, rwnd_limited, sndbuf_limited, sizes)| {
            let [unacked, cwnd, notsent, queued, sndbuf, unread] = sizes;
            TcpSample {
                busy,
                rwnd_limited,
                sndbuf_limited,
                unacked,
                cwnd,
                notsent,
                queued,
                sndbuf,
                unread,
                ..TcpSample::default()
            }
        },
    )
}

proptest! {
    #[test]
    fn shares_are_shares_whatever_was_sampled(
        sender in prop::collection::vec(any_sample(), 0..4),
        receiver in prop::collection::vec(any_sample(), 0..4),
        hosts in prop::array::uniform2(prop::collection::vec(any_host(), 0..4)),
        paced in any::<[bool; 2]>(),
        modelled in any::<bool>(),
        on_one_host in any::<bool>(),
        on_one_processor in any::<Option<bool>>(),
        rates in prop::option::of((any::<f64>(), any::<f64>())),
        whole in span(),
    ) {
        let (link, rate) = rates.map(|(link, rate)| (Rate::from_mbps(link), Rate::from_mbps(rate))).unzip();
        let ends = Ends { modelled, on_one_host, on_one_processor };
        let known =
            Known { sender: &sender, receiver: &receiver, hosts: [&hosts[0], &hosts[1]], paced, ends, link, rate, span: whole };
        let verdict = holders(&known);
        let counted = sender.last().is_some_and(|last| last.busy.is_some()) && whole > Span::ZERO;
        prop_assert_eq!(verdict.is_some(), counted);
        if let Some(verdict) = verdict {
            let sum: f64 = verdict.shares.iter().map(|(_, share)| share).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{}", sum);
            prop_assert!(verdict.shares.iter().all(|(_, share)| (0.0..=1.0).contains(&share)));
            prop_assert!(verdict.shares.iter().all(|(_, share)| share <= verdict.share()));
            prop_assert_eq!(verdict.to_string().lines().count(), 1);
        }
    }
}
