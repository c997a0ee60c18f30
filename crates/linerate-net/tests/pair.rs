//! A measurement over a real TCP connection, both ends in this process.

use linerate_core::bench::Bench;
use linerate_core::measure::{Ended, Method, Unwatched, measure};
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::trial::Trial;
use linerate_net::control::Key;
use linerate_net::pair::PairError;
use linerate_net::serve::Limits;
use rstest::rstest;

use crate::support::{TestServer, plan};

#[rstest]
fn every_pattern_measures_every_size_and_both_ends_agree(
    #[values("ping-pong", "one-way", "exchange")] pattern: &str,
    #[values("read-write", "send-recv", "sendmsg")] io: &str,
) {
    let server = TestServer::start(Limits::default());
    let text = format!(
        "pattern = '{pattern}'\nschedule = 'list:1,100,65536'\ntime = '6s'\nci = 0.5\nsocket.io = '{io}'"
    );
    let plan = plan(&text);
    let mut pair = server.pair(&plan).expect("the server admits");
    let method =
        Method::of(&plan.common, plan.curve().expect("a curve"), pair.timing_clock().cost).expect("sizes");
    let outcome = measure(&mut pair, &method, &mut Unwatched);
    assert!(matches!(outcome.ended, Ended::Complete), "{:?}", outcome.ended);
    for point in &outcome.series.points {
        assert!(point.verified, "{point:?}");
        let time = point.time().expect("it was timed");
        assert!(time.interval.is_some() && time.median > 0.0, "{point:?}");
    }
    pair.finish().expect("observations");
    let (local, remote, _) = pair.ends();
    let (here, there) = (&local.observation.tally, &remote.observation.tally);
    assert_eq!((here.sent_bytes, here.sent), (there.received_bytes, there.received));
    assert_eq!((here.received_bytes, here.received), (there.sent_bytes, there.sent));
    let counted = local.observation.interface.known().expect("the loopback counts");
    assert!(counted.tx_bytes >= here.sent_bytes, "{counted:?} {here:?}");
}

#[rstest]
#[case::autotuned("", 64 << 20)]
#[case::small("[socket]\nsndbuf = 65536\nrcvbuf = 65536", 8 << 20)]
fn an_exchange_larger_than_all_buffers_does_not_deadlock(#[case] socket: &str, #[case] size: u64) {
    let server = TestServer::start(Limits::default());
    let plan = plan(&format!("pattern = 'exchange'\nschedule = 'list:{size}'\n{socket}"));
    let mut pair = server.pair(&plan).expect("the server admits");
    let trial = Trial {
        pattern: Pattern::Exchange,
        size,
        samples: 1,
        batch: 1,
        lead: 0,
        seed: 3,
        check: Check::Full,
    };
    let sample = pair.run(&trial).expect("both directions pass");
    assert_eq!(sample.tally.sent_bytes, size);
}

#[test]
fn what_was_asked_is_told_apart_from_what_was_granted() {
    let server = TestServer::start(Limits::default());
    let plan = plan("schedule = 'list:1'\n[socket]\nrcvbuf = 65000\nmss = 1000\nnodelay = false\ndscp = 46");
    let pair = server.pair(&plan).expect("the server admits");
    let (local, remote, _) = pair.ends();
    for end in [&local, &remote] {
        // Linux doubles what is asked (socket(7)).
        assert_eq!(end.granted.rcvbuf.known(), Some(&130_000));
        assert!(
            end.granted.usable_window.known().is_some_and(|window| *window < 130_000),
            "{:?}",
            end.granted
        );
        assert!(end.granted.mss.known().is_some_and(|mss| *mss <= 1000), "{:?}", end.granted);
        assert_eq!(end.granted.nodelay.known(), Some(&false));
        assert_eq!(end.granted.dscp.known(), Some(&46));
    }
}

#[test]
fn the_key_is_proved_by_both_sides() {
    let server = TestServer::start(Limits::default());
    let plan = plan("schedule = 'list:1'");
    let other = Key::fresh().expect("random numbers");
    let wrong = server.pair_with(&plan, Some(&other)).expect_err("the key is wrong");
    assert!(matches!(&wrong, PairError::Refused { reason } if reason.contains("key")), "{wrong}");
    assert!(matches!(server.pair_with(&plan, None), Err(PairError::KeyWanted)));
    let open = TestServer::open(Limits::default());
    assert!(open.pair_with(&plan, None).is_ok());
    assert!(matches!(open.pair_with(&plan, Some(&other)), Err(PairError::KeyUnwanted)));
    server.still_serves();
}

#[test]
fn an_option_that_a_host_lacks_is_refused_by_name() {
    let server = TestServer::start(Limits::default());
    let error = server.pair(&plan("[socket]\ncongestion = 'nosuch'")).expect_err("no such algorithm");
    assert!(error.to_string().contains("set congestion to nosuch"), "{error}");
    let error = server.pair(&plan("[local]\nbind-dev = 'nosuch0'")).expect_err("no such interface");
    assert!(error.to_string().contains("nosuch0"), "{error}");
    let error = server.pair(&plan("[remote]\npin = 4000")).expect_err("no such processor");
    assert!(error.to_string().contains("processor 4000"), "{error}");
    server.still_serves();
}
