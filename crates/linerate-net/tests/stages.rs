//! Messages that both kernels stamp on their way, over real sockets.

use std::ops::ControlFlow;

use linerate_core::stages::{Clocks, Stages};
use linerate_net::pair::PairError;
use linerate_net::serve::Limits;
use rstest::rstest;

use crate::support::{TestServer, one_trial, plan};

/// One that fits a segment, and one that is many of Ethernet's.
const SIZES: [u64; 3] = [1, 1_000, 60_000];

fn stages(server: &TestServer, asked: &str) -> Result<Vec<Stages>, PairError> {
    let plan = plan(asked);
    let mut pair = server.pair(&plan)?;
    one_trial(&mut pair);
    let stages = pair.stages(&plan, |_| ControlFlow::Continue(()))?;
    // The conversation goes on as before.
    one_trial(&mut pair);
    pair.finish()?;
    let (local, remote, _) = pair.ends();
    let (here, there) = (local.observation.tally, remote.observation.tally);
    assert_eq!((here.sent_bytes, here.received), (there.received_bytes, there.sent));
    Ok(stages)
}

#[rstest]
fn on_one_host_the_stamps_of_every_message_are_in_order(
    #[values("tcp", "udp")] transport: &str,
    #[values("", "socket.nodelay = false", "socket.dscp = 46")] options: &str,
) {
    let server = TestServer::start(Limits::default());
    let asked = format!("stages = 30\nschedule = 'list:1,1000,60000'\ntransport = '{transport}'\n{options}");
    let all = stages(&server, &asked).expect("stages");
    assert_eq!(all.iter().map(|stages| stages.size).collect::<Vec<_>>(), SIZES);
    for stages in &all {
        assert_eq!(stages.clocks, Clocks::One);
        assert_eq!(stages.hardware.known(), Some(&false), "the loopback has no adaptor");
        assert_eq!((stages.asked, stages.messages()), (30, 30), "no stamp is missing");
        // sent <= queued <= driven <= arrived <= taken.
        for (name, part) in stages.in_order() {
            assert_eq!(part.each_ns.len(), 30);
            assert!(
                part.each_ns.iter().all(|ns| *ns >= 0),
                "{name} at {} B: {:?}",
                stages.size,
                part.each_ns
            );
            assert!(part.time_ns.is_some_and(|time| time.interval.is_some()));
        }
        for nth in 0..30 {
            let sum: i64 = stages.in_order().iter().map(|(_, part)| part.each_ns[nth]).sum();
            assert_eq!(sum, stages.whole.each_ns[nth]);
        }
        let acknowledgements = if transport == "tcp" { 30 } else { 0 };
        assert_eq!(stages.acknowledged.each_ns.len(), acknowledgements);
        for (nth, acknowledged) in stages.acknowledged.each_ns.iter().enumerate() {
            // The peer's kernel acknowledges what it has.
            let there: i64 = stages.in_order()[..3].iter().map(|(_, part)| part.each_ns[nth]).sum();
            assert!(*acknowledged >= there, "{acknowledged} ns after {there} ns at {} B", stages.size);
        }
    }
}

#[test]
fn the_sizes_are_those_of_the_schedule_and_the_watch_ends_them() {
    let server = TestServer::start(Limits::default());
    let plan = plan("stages = 10");
    let mut pair = server.pair(&plan).expect("the server admits");
    let mut seen = Vec::new();
    let watch = |size| {
        seen.push(size);
        if seen.len() < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let stages = pair.stages(&plan, watch).expect("stages");
    assert_eq!(stages.len(), 4);
    let all = linerate_core::stages::sizes(&plan.sizes().expect("a schedule"));
    assert_eq!(all.len(), 24);
    assert_eq!(seen, all[..5]);
    pair.finish().expect("observations");
}

#[rstest]
fn whatever_moves_the_curve_the_stamped_messages_are_sent_plainly(
    #[values("read-write", "zerocopy", "uring-multishot")] io: &str,
) {
    let server = TestServer::start(Limits::default());
    let asked = format!("stages = 10\nschedule = 'list:1000'\nsocket.io = '{io}'");
    match stages(&server, &asked) {
        Ok(stages) => assert_eq!(stages[0].messages(), 10),
        Err(PairError::Transport(error)) if io.starts_with("uring") => {
            let ci = std::env::var_os("CI").is_some();
            assert!(!ci, "{error}");
            eprintln!("skipped: this kernel has no io_uring: failed to {error}");
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn without_stages_none_are_made() {
    let server = TestServer::start(Limits::default());
    assert_eq!(stages(&server, "schedule = 'list:1000'").expect("nothing to do"), []);
}

#[test]
fn a_server_stamps_only_what_the_plan_asks_for() {
    let server = TestServer::start(Limits::default());
    let mut pair = server.pair(&plan("schedule = 'list:1000'")).expect("the server admits");
    let asked = plan("schedule = 'list:1000'\nstages = 50");
    let error = pair.stages(&asked, |_| ControlFlow::Continue(())).expect_err("it was not in the plan");
    assert!(error.to_string().contains("the plan asks for no stages"), "{error}");
    drop(pair);
    let mut pair = server.pair(&plan("schedule = 'list:64'\nstages = 50")).expect("the server admits");
    let error = pair.stages(&asked, |_| ControlFlow::Continue(())).expect_err("it is a larger size");
    assert!(error.to_string().contains("of 1000 B are outside the plan"), "{error}");
    drop(pair);
    server.still_serves();
}

#[rstest]
fn a_transport_that_no_kernel_stamps_is_refused_by_name(
    #[values("mptcp", "tls", "quic", "unix", "pipe", "ethernet")] transport: &str,
) {
    let plan = plan(&format!("stages = 50\ntransport = '{transport}'"));
    let error = plan.check().expect_err("no stamps").to_string();
    assert!(error.starts_with(&format!("transport is {transport}")), "{error}");
    // A server does not rely on its client's own check.
    let server = TestServer::start(Limits::default());
    let error = server.pair(&plan).expect_err("no stamps").to_string();
    assert!(error.contains(&format!("transport is {transport}")), "{error}");
}
