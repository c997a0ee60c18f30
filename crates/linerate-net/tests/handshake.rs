//! The wire form of the conversation: pinned to the byte, and deaf to whatever else arrives.

use linerate_core::environment::Fact;
use linerate_core::grid::Grid;
use linerate_core::kernel::{Effort, HostSample, TcpEffort, TcpSample};
use linerate_core::observation::{Clock, Observation};
use linerate_core::options::{Ecn, Granted, Io, MemoryOptions, MpiOptions, SocketOptions, Waiting};
use linerate_core::pattern::Pattern;
use linerate_core::payload::{Check, Corruption};
use linerate_core::plan::{
    Common, CurvePlan, Family, Format, Level, LocalOptions, Output, Plan, RemoteOptions, Rows, RrPlan,
    StreamPlan, StreamTask, Task,
};
use linerate_core::schedule::Schedule;
use linerate_core::stages::Marks;
use linerate_core::trace::{EndMarks, PacketSeen, Receiving, Sending, TracedEnd};
use linerate_core::traffic::{Direction, Interval, Load};
use linerate_core::transport::Transport;
use linerate_core::trial::{Half, Tally, Trial};
use linerate_core::units::{Rate, Size, Span};
use linerate_net::control::{
    Ask, ChannelAddress, FrameError, GREETING_LEN, Greeting, Key, MAX_FRAME, Opening, PROTOCOL, Proof,
    Purpose, QueuePlace, RankOrder, Rendezvous, Reply, SettingAsk, SettingEnd, SettingReply, Telling,
    Welcome, decode, encode, read_frame,
};
use linerate_net::pair::Target;
use proptest::prelude::*;
use rstest::rstest;

use crate::support;

const WELCOME_LEN: usize = 44;
const MOST: Tally =
    Tally { sent_bytes: u64::MAX, received_bytes: u64::MAX, sent: u64::MAX, received: u64::MAX };
const CORRUPTION: Option<Corruption> = Some(Corruption { offset: u64::MAX, expected: 0, found: 255 });

fn counting<const N: usize>(from: u8) -> [u8; N] {
    std::array::from_fn(|place| from + u8::try_from(place).expect("few"))
}

fn trial() -> Trial {
    Trial { pattern: Pattern::PingPong, size: 64, samples: 2, batch: 1, lead: 0, seed: 1, check: Check::Full }
}

fn load() -> Load {
    let stream = StreamPlan { flows: 7, rate: Some(Rate::from_mbps(99.5)), ..StreamPlan::default() };
    Load { stream: Some(stream), rr: Some(RrPlan::default()), ..Load::default() }
}

fn clock() -> Clock {
    let (cost, resolution) = (Span::from_ns(30), Span::from_ns(1));
    Clock { name: "CLOCK_MONOTONIC_RAW".to_owned(), reads: 9, cost, resolution, backwards: 0 }
}

fn set() -> SettingAsk {
    SettingAsk::Set { setting: "mtu".to_owned(), value: "1400".to_owned() }
}

fn held() -> SettingReply {
    let (interface, allowed) = (Some("eth0".to_owned()), vec!["mtu".to_owned()]);
    SettingReply::Held { interface, allowed, patience: Span::from_ns(7) }
}

fn changed() -> SettingReply {
    let [setting, original, granted] = ["mtu@eth0", "1500", "1400"].map(str::to_owned);
    SettingReply::Changed { setting, original, granted }
}

fn restored(end: SettingEnd) -> SettingReply {
    SettingReply::Restored { setting: "mtu@eth0".to_owned(), original: "1500".to_owned(), end }
}

fn foreign(theirs: Fact<String>) -> SettingReply {
    SettingReply::Foreign { setting: "mtu@eth0".to_owned(), ours: "1400".to_owned(), theirs }
}

fn order() -> RankOrder {
    RankOrder {
        rank: 3,
        size: 9,
        first: 1,
        name: "n3".to_owned(),
        plan: Box::new(Plan::from_toml("[mesh]\nschedules = ['serial']").expect("a plan")),
        within_ms: 30_000,
        patience_ms: 10_000,
    }
}

/// Every point of a round, with the longest numbers.
fn all_marks() -> EndMarks {
    let at = Some(u64::MAX);
    let sent =
        Sending { call: u64::MAX, accepted: at, queued: at, driven: at, returned: at, retransmitted: true };
    let came = Receiving {
        handed: at,
        arrived: at,
        segment: at,
        ready: at,
        woken: at,
        running: at,
        taken: u64::MAX,
    };
    EndMarks { sent, came }
}

fn seen() -> PacketSeen {
    PacketSeen {
        by_initiator: false,
        sent: false,
        message: u32::MAX,
        offset_bytes: u64::MAX,
        length_bytes: u32::MAX,
        seen_ns: i64::MIN,
        left_ns: Some(i64::MIN),
    }
}

#[test]
fn the_greetings_are_these_bytes() {
    assert_eq!(PROTOCOL, 12);
    assert_eq!(&Greeting::new(Purpose::Control).encode(), b"linerate\x00\x0c\x01\x08\r\n\r\n");
    assert_eq!(&Greeting::new(Purpose::Data).encode(), b"linerate\x00\x0c\x02\x08\r\n\r\n");
    let keyed = Welcome::new(false, counting(0)).encode();
    assert_eq!(keyed[..12], *b"linerate\x00\x0c\x00\x08");
    assert_eq!(keyed[12..], counting::<32>(0));
    assert_eq!(Welcome::new(true, counting(0)).encode()[..12], *b"linerate\x00\x0c\x01\x08");
}

#[test]
fn the_proofs_are_these_bytes() {
    // HMAC-SHA-256 of role, version, server's and client's challenge, computed by another program.
    let key: Key = "ABCD-efgh-2345".parse().expect("a key");
    let hex = |proof: Proof| {
        let bytes: [u8; 32] = decode(&encode(&proof).expect("a proof")[4..]).expect("32 numbers");
        bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let (server, client) = (counting(0), counting(32));
    assert_eq!(
        hex(key.prove_client(3, &server, &client)),
        "220d31361962140600a4b2a4e9b6c0666da1a8bff295b204f1bd2eb7c6bb0705"
    );
    assert_eq!(
        hex(key.prove_server(3, &server, &client)),
        "5f25ff3ff896b4f22af75c18b30573461b0135f962a75bd06a2785a231a9d3c7"
    );
}

#[test]
fn the_codes_are_these_bytes() {
    // HMAC-SHA-256 twice, computed by another program.
    let key: Key = "ABCD-efgh-2345".parse().expect("a key");
    let seals = key.seals(12, &counting(0), &counting(32)).expect("it has codes").expect("it has codes");
    let frame = encode(&"start").expect("it is short");
    let hex = |code: [u8; 16]| code.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let (mut client, mut server) = (seals.says, seals.hears);
    assert_eq!(hex(client.code(&frame)), "1afa54cf823bf0e866ace7dc0e93faca");
    assert_eq!(hex(client.code(&frame)), "3a1eb9e5af903c9d7a36ac49bd7f5052");
    assert_eq!(hex(server.code(&frame)), "32e00a880de268b17e1cc1f0af6f3457");
    assert_eq!(hex(server.code(&frame)), "9ae5fc8c7df1805a012757dd748b966d");
    assert!(key.seals(11, &counting(0), &counting(32)).is_err(), "it has none");
}

#[rstest]
#[case::finish(encode(&Ask::Finish), r#""finish""#)]
#[case::a_rank(encode(&Reply::Rank), r#""rank""#)]
#[case::trial(encode(&Ask::Trial(trial())), r#"{"trial":{"pattern":"ping-pong","size":64,"samples":2,"batch":1,"seed":1,"check":"full"}}"#)]
#[case::offer(
    encode(&Ask::Offer(Box::new(Plan::from_toml("rounds = 7").expect("a plan")))),
    r#"{"offer":{"pattern":"ping-pong","schedule":"netpipe","time":"20s","ci":0.02,"rounds":7,"seed":1,"socket":{"nodelay":true,"io":"send-recv"},"local":{},"remote":{},"output":{"format":"table"}}}"#
)]
#[case::hold(encode(&Ask::Setting(SettingAsk::Hold("a test".to_owned()))), r#"{"setting":{"hold":"a test"}}"#)]
#[case::read(encode(&Ask::Setting(SettingAsk::Read("mtu".to_owned()))), r#"{"setting":{"read":"mtu"}}"#)]
#[case::set(encode(&Ask::Setting(set())), r#"{"setting":{"set":{"setting":"mtu","value":"1400"}}}"#)]
#[case::check(encode(&Ask::Setting(SettingAsk::Check)), r#"{"setting":"check"}"#)]
#[case::stay(encode(&Ask::Setting(SettingAsk::Stay)), r#"{"setting":"stay"}"#)]
#[case::held(
    encode(&Reply::Setting(held())),
    r#"{"setting":{"held":{"interface":"eth0","allowed":["mtu"],"patience":7000}}}"#
)]
#[case::changed(
    encode(&Reply::Setting(changed())),
    r#"{"setting":{"changed":{"setting":"mtu@eth0","original":"1500","granted":"1400"}}}"#
)]
#[case::restored(
    encode(&Reply::Setting(restored(SettingEnd::Back))),
    r#"{"setting":{"restored":{"setting":"mtu@eth0","original":"1500","end":"back"}}}"#
)]
#[case::done(encode(&Reply::Setting(SettingReply::Done)), r#"{"setting":"done"}"#)]
#[case::go(encode(&Reply::Go), r#""go""#)]
#[case::queued(encode(&Reply::Queued(QueuePlace::Number(3))), r#"{"queued":3}"#)]
#[case::refused(encode(&Reply::Refused("no".to_owned())), r#"{"refused":"no"}"#)]
#[case::half(
    encode(&Reply::Half(Box::new(Half { elapsed: vec![Span::from_ps(7)], ..Half::default() }))),
    r#"{"half":{"elapsed":[7],"tally":{"sent_bytes":0,"received_bytes":0,"sent":0,"received":0},"corruption":null}}"#
)]
fn the_messages_are_these_bytes(#[case] frame: Result<Vec<u8>, FrameError>, #[case] json: &str) {
    let frame = frame.expect("it is short");
    assert_eq!(frame[..4], u32::try_from(json.len()).expect("it is short").to_be_bytes());
    assert_eq!(std::str::from_utf8(&frame[4..]), Ok(json));
}

/// What a message says after it went over the wire.
macro_rules! sent {
    ($kind:ty, $message:expr) => {{
        let (message, frame) = ($message, encode(&$message).expect("it is short"));
        let back: $kind = read_frame(&mut frame.as_slice()).expect("it was written so");
        (format!("{message:?}"), format!("{back:?}"))
    }};
}

/// As long as an account of what an end spent can be.
fn most_effort() -> Effort {
    let most = u64::MAX;
    let tcp = TcpEffort {
        data_segments_out: most,
        data_segments_in: most,
        retransmits: most,
        acknowledged_bytes: most,
        busy: Some(Span::MAX),
        rwnd_limited: Span::MAX,
        sndbuf_limited: Span::MAX,
        looks: most,
        rtt: Span::MAX,
        min_rtt: Span::MAX,
        cwnd: most,
        reduced: most,
        mss: most,
        snd_wnd: most,
        sndbuf: most,
        queued: most,
        unacked: most,
        rcvbuf: most,
        unread: most,
    };
    Effort {
        messages: most,
        span: Span::MAX,
        cpu: Span::MAX,
        waited: Some(Span::MAX),
        turns: Some(most),
        tcp: Some(tcp),
    }
}

#[test]
fn every_message_survives_the_wire() {
    let key = Key::fresh().expect("random numbers");
    let (server, client) = (counting(0), counting(32));
    let half = Half {
        elapsed: vec![Span::MAX, Span::ZERO],
        tally: MOST,
        waiting: [u64::MAX; 2],
        corruption: CORRUPTION,
        effort: Some(most_effort()),
    };
    let token = counting(200);
    let secured = Rendezvous { address: ChannelAddress::Port(u16::MAX), certificate: Some(vec![0, 255]) };
    for (said, heard) in [
        sent!(Ask, Ask::Prove { challenge: client, proof: key.prove_client(PROTOCOL, &server, &client) }),
        sent!(Ask, Ask::Offer(Box::new(support::plan("schedule = 'list:1,64KiB'")))),
        sent!(
            Ask,
            Ask::Trial(Trial {
                size: u64::MAX,
                samples: u32::MAX,
                batch: u32::MAX,
                lead: 0,
                seed: u64::MAX,
                ..trial()
            })
        ),
        sent!(Ask, Ask::Finish),
        sent!(Reply, Reply::Rank),
        sent!(Ask, Ask::Rank { port: 65_535, order: Box::new(order()) }),
        sent!(Reply, Reply::Proof(key.prove_server(PROTOCOL, &server, &client))),
        sent!(Reply, Reply::Queued(QueuePlace::Number(u32::MAX))),
        sent!(Ask, Ask::Open(Opening::Trials)),
        sent!(Ask, Ask::Open(Opening::Load(Box::new(load())))),
        sent!(Ask, Ask::Open(Opening::Alone(Box::new(load())))),
        sent!(Ask, Ask::Start),
        sent!(Ask, Ask::Collect),
        sent!(Ask, Ask::Setting(SettingAsk::Hold("\u{0}\"\\".to_owned()))),
        sent!(Ask, Ask::Setting(set())),
        sent!(Ask, Ask::Setting(SettingAsk::Check)),
        sent!(Reply, Reply::Setting(held())),
        sent!(Reply, Reply::Setting(changed())),
        sent!(Reply, Reply::Setting(foreign(Fact::Known("1300".to_owned())))),
        sent!(Reply, Reply::Setting(foreign(Fact::unknown("it has gone")))),
        sent!(Reply, Reply::Setting(restored(SettingEnd::Void("it has gone".to_owned())))),
        sent!(
            Reply,
            Reply::Setting(restored(SettingEnd::Foreign { ours: String::new(), theirs: "x".to_owned() }))
        ),
        sent!(Reply, Reply::Setting(SettingReply::NotAllowed("mtu".to_owned()))),
        sent!(Reply, Reply::Setting(SettingReply::Failed("set mtu".to_owned()))),
        sent!(Reply, Reply::Admitted { environment: Box::default(), clock: clock(), reflector: None }),
        sent!(Reply, Reply::Rendezvous { token, rendezvous: ChannelAddress::Conversation.into() }),
        sent!(Reply, Reply::Rendezvous { token, rendezvous: secured.clone() }),
        sent!(Reply, Reply::Flow { flow: u32::MAX, direction: Direction::Both, half: Box::default() }),
        sent!(
            Reply,
            Reply::More {
                flow: 1,
                direction: Direction::Send,
                intervals: vec![Interval::default()],
                looks: vec![Interval::default()],
                samples: vec![TcpSample::default()]
            }
        ),
        sent!(Reply, Reply::Several(vec![Reply::Go, Reply::Hosts(vec![HostSample::default()])])),
        sent!(Reply, Reply::Look { until: Span::from_ms(1_000), first: 0, bytes: vec![7], over: false }),
        sent!(Reply, Reply::Hosts(vec![HostSample::default()])),
        sent!(Ask, Ask::Trace),
        sent!(Ask, Ask::Traced { size: u64::MAX, warm_up: 10, count: u32::MAX, telling: Telling::Both }),
        sent!(
            Reply,
            Reply::Tracer(Box::new(TracedEnd {
                because: Some("no \"BTF\"".to_owned()),
                ..TracedEnd::default()
            }))
        ),
        sent!(Reply, Reply::Traced(vec![EndMarks::default()], vec![Marks::default()])),
        // As many as the server sends at once, with the longest numbers.
        sent!(
            Reply,
            Reply::Traced(
                vec![all_marks(); 48],
                vec![
                    Marks {
                        sent: u64::MAX,
                        queued: Some(u64::MAX),
                        driven: Some(u64::MAX),
                        acked: Some(u64::MAX),
                        arrived: Some(u64::MAX),
                        taken: u64::MAX
                    };
                    48
                ]
            )
        ),
        sent!(Reply, Reply::Packets(vec![seen(); 128], u64::MAX)),
        sent!(Reply, Reply::Told),
        sent!(Reply, Reply::Ready(Box::new(Granted { pinned: Some(1), ..Granted::default() }))),
        sent!(Reply, Reply::Go),
        sent!(Reply, Reply::Half(Box::new(half.clone()))),
        sent!(
            Reply,
            Reply::Observed(Box::new(Observation { tally: MOST, ..Observation::default() }), Box::default())
        ),
        sent!(Reply, Reply::Refused("\u{0}\"\\ \u{1f980}\n".to_owned())),
    ] {
        assert_eq!(said, heard);
    }
}

#[test]
fn the_times_of_the_largest_stream_fit_into_a_frame() {
    // As many as the server lets a client ask for, each as long as can be.
    let half = Half {
        elapsed: vec![Span::MAX; 2998],
        tally: MOST,
        waiting: [u64::MAX; 2],
        corruption: CORRUPTION,
        effort: Some(most_effort()),
    };
    let frame = encode(&Reply::Half(Box::new(half))).expect("it fits");
    assert!(frame.len() <= 4 + MAX_FRAME);
}

/// Any size that a plan can name.
fn size() -> impl Strategy<Value = Size> {
    prop_oneof![any::<u64>(), 0..4096_u64, Just(u64::MAX)].prop_map(Size)
}

fn schedule() -> impl Strategy<Value = Schedule> {
    let list = prop::collection::vec(size(), 1..50);
    prop_oneof![
        Just(Schedule::Netpipe),
        (1..=64_u32).prop_map(Schedule::Octave),
        list.prop_map(Schedule::List)
    ]
}

fn socket() -> impl Strategy<Value = SocketOptions> {
    let numbers =
        (prop::option::of(size()), prop::option::of(size()), any::<Option<u16>>(), any::<Option<u8>>());
    let io = prop::sample::select(Io::ALL.to_vec());
    (numbers, any::<bool>(), any::<Option<String>>(), any::<Option<u32>>(), io).prop_map(
        |((sndbuf, rcvbuf, mss, dscp), nodelay, congestion, busy_poll, io)| SocketOptions {
            sndbuf,
            rcvbuf,
            nodelay,
            congestion,
            mss,
            dscp,
            ecn: nodelay.then_some(Ecn::Ect1),
            busy_poll,
            wait: if nodelay { Waiting::Block } else { Waiting::Spin },
            io,
            receive_io: (!nodelay).then_some(io),
            gso: nodelay,
            gro: !nodelay,
            dont_fragment: nodelay,
            batch: busy_poll,
        },
    )
}

fn ends() -> impl Strategy<Value = (LocalOptions, RemoteOptions, Output)> {
    let family = prop::option::of(prop::sample::select(vec![Family::V4, Family::V6]));
    let local = (any::<Option<std::net::IpAddr>>(), any::<Option<String>>(), family, any::<Option<u32>>());
    let format =
        prop::sample::select(vec![Format::Table, Format::Json, Format::Csv, Format::Markdown, Format::Np]);
    let level = prop::sample::select(Level::ALL.to_vec());
    let labels = any::<Vec<(String, String)>>();
    let rows = prop::sample::select(vec![Rows::Short, Rows::All]);
    let output = (any::<Option<String>>(), any::<Option<String>>(), format, level, rows, labels);
    (local, any::<Option<u32>>(), output).prop_map(
        |((bind, bind_dev, family, pin), there, (out, report, format, level, rows, labels))| {
            let local = LocalOptions { bind, bind_dev, family, pin, cpu_latency_us: there };
            (
                local,
                RemoteOptions { pin: there, cpu_latency_us: pin },
                Output { out, report, format, level, rows, labels: labels.into_iter().collect() },
            )
        },
    )
}

fn stream() -> impl Strategy<Value = Task> {
    let bulk = (prop::option::of(size()), any::<Option<u64>>(), any::<u32>(), any::<Option<u32>>()).prop_map(
        |(bytes, count, flows, threads)| StreamPlan { bytes, count, flows, threads, ..StreamPlan::default() },
    );
    let axes = vec!["buffers=auto,8KiB", "messages=1,2", "colours=1", "messages='a,b',[1, 2]"];
    let axes = prop::sample::subsequence(axes, 0..=2);
    (bulk, any::<Vec<String>>(), axes).prop_map(|(bulk, more_hosts, axes)| {
        let axes = axes.into_iter().map(|axis| axis.parse().expect("an axis"));
        let table = Grid::new(axes.collect()).unwrap_or_default();
        Task::Stream(StreamTask { bulk, more_hosts, table })
    })
}

fn requests() -> impl Strategy<Value = Task> {
    (size(), size(), any::<u32>(), any::<bool>()).prop_map(|(request, response, depth, connect)| {
        let rate = Some(0.5);
        Task::Requests(RrPlan { request, response, depth, connect, rate, ..RrPlan::default() })
    })
}

prop_compose! {
    fn curve()(
        pattern in prop::sample::select(Pattern::ALL.to_vec()),
        schedule in schedule(),
        [from, to, perturb] in prop::array::uniform3(prop::option::of(size())),
        ci in 0.0..=1.0_f64,
        rounds in any::<u32>(),
        repeat in any::<u32>(),
        stages in any::<Option<u32>>(),
    ) -> Task {
        Task::Curve(CurvePlan { pattern, schedule, from, to, perturb, ci, rounds, repeat, stages })
    }
}

fn carrier() -> impl Strategy<Value = (Transport, MemoryOptions)> {
    let transport = prop::sample::select(Transport::ALL.to_vec());
    let memory = (prop::option::of(size()), any::<bool>(), any::<u16>(), any::<bool>()).prop_map(
        |(working_set, touch, offset, huge_pages)| MemoryOptions { working_set, touch, offset, huge_pages },
    );
    (transport, memory)
}

prop_compose! {
    /// Any plan, sensible or not.
    fn a_plan()(
        host in any::<Option<String>>(),
        // Beyond 2^51 ps, or 37 min, a double of seconds no longer keeps every picosecond.
        time in 0.0..=2_000.0_f64,
        seed in any::<u64>(),
        explain in any::<bool>(),
        socket in socket(),
        (transport, memory) in carrier(),
        task in prop_oneof![curve(), stream(), requests()],
        (local, remote, output) in ends(),
    ) -> Plan {
        // As it is read of what a person wrote.
        let time = format!("{time}s").parse().expect("a time");
        Plan { common: Common { host, transport, time, seed, explain, socket, memory, mpi: MpiOptions::default(), local, remote, output }, task }
    }
}

proptest! {
    #[test]
    fn any_plan_survives_the_wire(plan in a_plan()) {
        let frame = encode(&Ask::Offer(Box::new(plan.clone()))).expect("it is short");
        let Ask::Offer(back) = read_frame(&mut frame.as_slice()).expect("it was written so") else {
            panic!("it was an offer");
        };
        prop_assert_eq!(*back, plan);
    }

    #[test]
    fn no_plan_makes_the_checks_panic(plan in a_plan()) {
        let sizes = plan.curve().map(|curve| curve.sizes(&plan.common));
        let sound = sizes.is_none_or(|sizes| sizes.is_ok_and(|sizes| !sizes.contains(&0)));
        prop_assert!(plan.check().is_err() || (sound && plan.loads().is_ok() && plan.largest().is_ok()));
    }

    #[test]
    fn no_bytes_make_a_decoder_panic(bytes: Vec<u8>) {
        drop((decode::<Ask>(&bytes), decode::<Reply>(&bytes)));
        for frame in [bytes.clone(), [&(bytes.len() as u32).to_be_bytes(), bytes.as_slice()].concat()] {
            drop((read_frame::<Ask>(&mut frame.as_slice()), read_frame::<Reply>(&mut frame.as_slice())));
        }
    }

    #[test]
    fn a_greeting_is_read_or_refused(bytes: [u8; GREETING_LEN], place in 0..GREETING_LEN, byte: u8) {
        prop_assert!(Greeting::decode(&bytes).is_err(), "random bytes are no greeting");
        let mut changed = Greeting::new(Purpose::Data).encode();
        changed[place] = byte;
        if let Ok(greeting) = Greeting::decode(&changed) {
            prop_assert_eq!(Greeting::decode(&greeting.encode()), Ok(greeting));
        }
    }

    #[test]
    fn a_welcome_is_read_or_refused(bytes in prop::array::uniform32(any::<u8>()), place in 0..WELCOME_LEN, byte: u8) {
        let mut changed = Welcome::new(true, bytes).encode();
        changed[place] = byte;
        if let Ok(welcome) = Welcome::decode(&changed) {
            prop_assert_eq!(Welcome::decode(&welcome.encode()), Ok(welcome));
        }
    }

    #[test]
    fn a_peer_that_is_understood_is_shown_so_that_it_is_understood(
        text in prop_oneof![any::<String>(), "[a-z0-9.:%\\[\\]-]{0,20}", "\\[[0-9a-f:]{0,12}\\](:[0-9]{1,5})?"]
    ) {
        if let Ok(target) = Target::parse(&text) {
            prop_assert_eq!(Target::parse(&target.to_string()).ok(), Some(target));
        }
    }

    #[test]
    fn a_key_that_is_understood_is_shown_so_that_it_is_understood(text in prop_oneof![any::<String>(), "[a-zA-Z0-9 -]{0,20}"]) {
        if let Ok(key) = text.parse::<Key>() {
            prop_assert!(key.to_string().parse::<Key>().is_ok_and(|back| back == key));
        }
    }
}
