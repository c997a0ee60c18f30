//! Where messages lie: the memory options of curves and of bulk flows, at both ends.

mod mirror;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use linerate_core::bench::Bench;
use linerate_core::environment::Fact;
use linerate_core::options::{Io, MemoryOptions};
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::traffic::{Direction, Ended, Load, StreamPlan, Transfer};
use linerate_core::transport::Transport;
use linerate_core::trial::Trial;
use linerate_core::units::{Rate, Size, Span};
use linerate_net::channel::Wire;
use linerate_net::line::Line;
use linerate_net::memory::{MemoryError, Reserved, Ring};
use linerate_net::observe::HostClock;
use linerate_net::pair::{Pair, PairError};
use linerate_net::serve::Limits;
use mirror::Mirror;
use rstest::rstest;

use crate::support::{self, TestServer, engines, plan, plan_for};

/// More messages than any working set here has places for the larger sizes, fewer for the smaller.
const MESSAGES: u32 = 40;

fn asked(text: &str) -> MemoryOptions {
    plan(&format!("memory = {{ {text} }}")).common.memory
}

fn trial(pattern: Pattern, size: u64, seed: u64, check: Check) -> Trial {
    Trial { pattern, size, samples: 8, batch: MESSAGES / 8, lead: 0, seed, check }
}

/// Every size with a full check and with marks; the smaller after the larger and before.
fn verify(pair: &mut Pair, pattern: Pattern, sizes: &[u64]) {
    let mut seed = 0;
    for size in sizes.iter().chain(sizes.iter().rev()) {
        for check in [Check::Full, Check::Marks] {
            seed += 1;
            let sample = pair.run(&trial(pattern, *size, seed, check));
            sample.unwrap_or_else(|error| panic!("{pattern}, {size} B, {check:?}: failed to {error}"));
        }
    }
}

#[rstest]
fn a_curve_that_goes_round_arrives_unharmed(
    #[values(Pattern::PingPong, Pattern::OneWay, Pattern::Exchange)] pattern: Pattern,
    #[values(
        "working-set = '256KiB'",
        "working-set = '256KiB', touch = true, offset = 13",
        "touch = true",
        "offset = 4095"
    )]
    memory: &str,
) {
    let server = TestServer::start(Limits::default());
    let mut plan = plan("schedule = 'list:1,64,1000,4096,50000,300000'");
    plan.common.memory = asked(memory);
    let mut pair = server.pair(&plan).expect("the server admits");
    verify(&mut pair, pattern, &[1, 64, 1000, 4096, 50_000, 300_000]);
    pair.finish().expect("observations");
}

#[rstest]
fn it_does_so_over_every_transport(
    #[values(
        Transport::Mptcp,
        Transport::Tls,
        Transport::Quic,
        Transport::Unix,
        Transport::Vsock,
        Transport::Pipe,
        Transport::SharedMemory,
        Transport::Udp,
        Transport::UnixDatagram
    )]
    transport: Transport,
) {
    let server = TestServer::start(Limits::default());
    let mut plan = plan("schedule = 'list:1,1000,9000'");
    plan.common.transport = transport;
    plan.common.memory = asked("working-set = '64KiB', touch = true, offset = 1");
    let mut pair = match server.pair(&plan) {
        Ok(pair) => pair,
        // By name and with the reason, or it is no skip.
        Err(error @ (PairError::Transport(_) | PairError::Refused { .. })) => {
            return support::rendezvous::is_refused(transport, &error);
        }
        Err(error) => panic!("{transport}: failed to {error}"),
    };
    verify(&mut pair, Pattern::PingPong, &[1, 1000, 9000]);
    pair.finish().expect("observations");
}

/// Engines that lend the messages' memory to the kernel lend all places.
#[rstest]
fn it_does_so_by_every_engine(
    #[values(
        Io::ReadWrite,
        Io::Sendmsg,
        Io::Sendfile,
        Io::Splice,
        Io::Zerocopy,
        Io::ZerocopyReceive,
        Io::Uring,
        Io::UringFixed,
        Io::UringMultishot,
        Io::UringZerocopy
    )]
    io: Io,
    #[values(Pattern::PingPong, Pattern::Exchange)] pattern: Pattern,
) {
    if engines::are_missing(io) {
        return;
    }
    let server = TestServer::start(Limits::default());
    let mut plan = plan("schedule = 'list:1,1000,9000,70000'");
    plan.common.socket = engines::asked(io);
    plan.common.memory = asked("working-set = '256KiB', touch = true, offset = 1");
    let mut pair = server.pair(&plan).expect("the server admits");
    verify(&mut pair, pattern, &[1, 1000, 9000, 70_000]);
}

/// What a channel is given as places of messages, and what was said of them beforehand.
#[rstest]
#[case("working-set = '64KiB'", 1000, 40)]
#[case("working-set = '64KiB'", 4096, 16)]
#[case("working-set = '64KiB'", 4097, 8)]
#[case("working-set = '64KiB', offset = 5", 1000, 16)]
#[case("offset = 5", 1000, 1)]
#[case("touch = true", 1000, 1)]
#[case("", 1000, 1)]
fn the_messages_of_a_curve_lie_where_they_were_asked_to(
    #[case] memory: &str,
    #[case] size: u64,
    #[case] places: usize,
    #[values(Pattern::PingPong, Pattern::Exchange)] pattern: Pattern,
) {
    let asked = asked(memory);
    let mut wire = Wire::new(Mirror::default(), HostClock::start());
    let mut memory = Reserved::new(10_000, &asked).expect("memory");
    let trial = trial(pattern, size, 7, Check::Full);
    let half = wire.initiate(&trial, &mut memory).expect("a mirror answers");
    assert_eq!(half.corruption, None);
    let Mirror { pushed, pulled, held, .. } = &wire.channel;
    assert_eq!([pushed.len(), pulled.len()], [MESSAGES as usize; 2]);
    for (seen, held) in [pushed, pulled].into_iter().zip(held) {
        let distinct: BTreeSet<_> = seen.iter().collect();
        assert_eq!(distinct.len(), places, "{seen:x?}");
        assert!(seen.iter().zip(&seen[places..]).all(|(place, again)| place == again), "{seen:x?}");
        assert_eq!(seen[0] % 4096, usize::from(asked.offset), "{seen:x?}");
        assert!(seen.iter().all(|place| held.contains(place)), "{seen:x?} in {held:x?}");
    }
}

/// The last message of a place that is not the last one's is damaged: only a full check sees it.
#[rstest]
#[case(Check::Full, true)]
#[case(Check::Marks, false)]
fn a_message_that_arrived_before_the_last_one_is_looked_at(#[case] check: Check, #[case] seen: bool) {
    let mirror = Mirror { damaged: Some(MESSAGES as usize - 3), ..Mirror::default() };
    let mut wire = Wire::new(mirror, HostClock::start());
    let mut memory = Reserved::new(1000, &asked("working-set = '64KiB'")).expect("memory");
    let half = wire.initiate(&trial(Pattern::PingPong, 1000, 7, check), &mut memory).expect("an answer");
    assert_eq!(half.corruption.is_some(), seen, "{:?}", half.corruption);
}

/// Whether this kernel has no huge pages to ask for.
fn huge_pages_are_missing() -> bool {
    let Err(error) = Ring::new(1, &asked("huge-pages = true")) else { return false };
    assert!(matches!(error, MemoryError::Huge(_)), "failed to {error}");
    assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs huge pages: failed to {error}");
    eprintln!("skipped: {error}");
    true
}

#[test]
fn both_ends_of_a_curve_say_what_they_have_of_huge_pages() {
    if huge_pages_are_missing() {
        return;
    }
    let server = TestServer::start(Limits::default());
    for (memory, told) in [("huge-pages = true, working-set = '8MiB'", true), ("working-set = '8MiB'", false)]
    {
        let mut plan = plan("schedule = 'list:64'");
        plan.common.memory = asked(memory);
        let mut pair = server.pair(&plan).expect("the server admits");
        let begun = pair.ends();
        verify(&mut pair, Pattern::PingPong, &[64]);
        pair.finish().expect("observations");
        let ended = pair.ends();
        for end in [begun.0, begun.1, ended.0, ended.1] {
            match end.granted.huge_pages {
                // The kernel may be out of them; both directions' memory is whole huge pages.
                Some(Fact::Known(bytes)) => {
                    assert!(told && bytes.is_multiple_of(2 << 20) && bytes <= 16 << 20, "{bytes} B");
                }
                Some(Fact::Unknown { unknown }) => panic!("{unknown}"),
                None => assert!(!told),
            }
        }
    }
}

fn load(server: &TestServer, stream: StreamPlan, memory: MemoryOptions) -> Result<Transfer, PairError> {
    let time = Span::from_ms(1_000);
    let load = Load { stream: Some(stream), time, ..Load::default() };
    let mut plan = plan_for(&load);
    plan.common.memory = memory;
    plan.check().expect("it can be carried out");
    server.carry(&plan, &load, || ControlFlow::Continue(()))
}

#[rstest]
fn every_flow_has_the_memory_that_was_asked_for(#[values(None, Some(1), Some(2))] threads: Option<u32>) {
    if huge_pages_are_missing() {
        return;
    }
    const BYTES: u64 = 3_000_001;
    let server = TestServer::start(Limits::default());
    let direction = Direction::Both;
    let stream =
        StreamPlan { bytes: Some(Size(BYTES)), flows: 3, threads, direction, ..StreamPlan::default() };
    for (memory, told) in
        [("huge-pages = true, working-set = '4MiB', touch = true, offset = 1", true), ("", false)]
    {
        let transfer = load(&server, stream.clone(), asked(memory)).expect("a transfer");
        assert_eq!(transfer.flows.len(), 6);
        for half in transfer.flows.iter().flat_map(|flow| [&flow.sender, &flow.receiver]) {
            assert_eq!((&half.ended, half.bytes), (&Ended::Complete, BYTES));
            match &half.granted.huge_pages {
                // Of 4 MiB and 1 B of memory in whole huge pages.
                Some(Fact::Known(bytes)) => assert!(told && *bytes <= 6 << 20, "{bytes} B"),
                Some(Fact::Unknown { unknown }) => panic!("{unknown}"),
                None => assert!(!told),
            }
        }
    }
}

#[rstest]
fn flows_that_share_a_thread_keep_their_rate_in_a_working_set(
    #[values("", "working-set = '1MiB'")] memory: &str,
) {
    let server = TestServer::start(Limits::default());
    let rate = Some(Rate::from_mbps(8.0));
    let stream =
        StreamPlan { flows: 2, threads: Some(1), rate, message: Some(Size(1000)), ..StreamPlan::default() };
    let transfer = load(&server, stream, asked(memory)).expect("a transfer");
    for flow in &transfer.flows {
        // 1 MB/s over two flows, for a second: the pace is a bound, whatever the machine does.
        assert!((1_000..=550_000).contains(&flow.sender.bytes), "{} B", flow.sender.bytes);
    }
}

#[test]
fn a_server_refuses_a_working_set_above_its_memory() {
    let server = TestServer::start(Limits { memory: Size(1 << 20), ..Limits::default() });
    let mut plan = plan("schedule = 'list:64'");
    plan.common.memory = asked("working-set = '1MiB'");
    let error = server.pair(&plan).expect_err("1 MiB each way").to_string();
    assert!(error.contains("working set of 1 MiB") && error.contains("--working-set"), "{error}");
    server.still_serves();
}
