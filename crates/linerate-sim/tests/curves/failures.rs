//! Networks that lose a packet: a curve ends, and says what was lost.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use linerate_core::measure::{Ended, Progress, Watch, measure};
use linerate_core::pattern::Pattern;
use linerate_core::series::Series;
use linerate_sim::model;
use rstest::rstest;

use crate::support::measured::{measured, once};
use crate::support::plans::plan;

/// A switch with room for one frame before a slow cable, and datagrams, which nothing sends again.
#[rstest]
fn a_lost_datagram_ends_the_curve_with_the_cause_named(
    #[values(Pattern::PingPong, Pattern::OneWay, Pattern::Exchange)] pattern: Pattern,
) {
    let text = "network = { medium = 'ethernet', topology = 'line', relays = 2, uplink-phy = '100BASE-TX', queue = 1518 }
        transport.kind = 'datagram'";
    let outcome = measured(text, pattern, &[64, 65_536]);
    let Ended::Failed(error) = outcome.ended else { panic!("it ended {:?}", outcome.ended) };
    let cause = "the modelled network lost a frame of it (overflow), and datagrams are not retransmitted";
    assert!(error.to_string().ends_with(cause), "{error}");
}

/// The same switch, and a stream, which sends again what was lost.
#[rstest]
fn a_stream_passes_a_switch_that_loses(
    #[values(Pattern::PingPong, Pattern::OneWay, Pattern::Exchange)] pattern: Pattern,
) {
    let text = "network = { medium = 'ethernet', topology = 'line', relays = 2, uplink-phy = '100BASE-TX', queue = 1518 }";
    let outcome = measured(text, pattern, &[64, 65_536]);
    assert!(matches!(outcome.ended, Ended::Complete), "it ended {:?}", outcome.ended);
}

/// A hub so wide that its stations do not hear each other before their slot time is over: who
/// begin together collide late, and together again each time.
#[test]
fn a_stream_that_never_passes_is_given_up() {
    let text = "network = { medium = 'ethernet', topology = 'hub', diameter-bits = 5000 }";
    let outcome = measured(text, Pattern::Exchange, &[65_536]);
    let Ended::Failed(error) = outcome.ended else { panic!("it ended {:?}", outcome.ended) };
    let cause = "the modelled network lost a frame of it (late collision) each time that it was sent";
    assert!(error.to_string().contains(cause), "{error}");
}

/// Wants the measurement to end when it has seen one trial, and says so to the bench alone.
struct EndsTheNext(Arc<AtomicBool>);

impl Watch for EndsTheNext {
    fn trial_done(&mut self, _: &Progress) -> ControlFlow<()> {
        self.0.store(true, Ordering::Relaxed);
        ControlFlow::Continue(())
    }

    fn round_done(&mut self, _: &mut Series) {}
}

#[test]
fn a_trial_is_interrupted_and_what_was_measured_is_kept() {
    let mut curve = model::curve(&plan("network.medium = 'ethernet'"), None).expect("two hosts");
    let stop = Arc::new(AtomicBool::new(false));
    curve.bench.stop_at(Arc::clone(&stop));
    let outcome = measure(&mut curve.bench, &once(Pattern::PingPong, &[64, 65_536]), &mut EndsTheNext(stop));
    assert!(matches!(outcome.ended, Ended::Interrupted), "it ended {:?}", outcome.ended);
    let timed: Vec<u64> = outcome.series.timed().map(|point| point.size).collect();
    assert_eq!(timed, [64]);
}

/// Each would take all memory, hours, or a panic, were it not refused first.
#[rstest]
#[case("network = { medium = 'fddi', stations = 4294967295 }", "network.stations is 4294967295")]
#[case("network = { medium = 'fddi', station-latency = '5000h' }", "network.station-latency is")]
#[case("network = { medium = 'myrinet', hop-latency = '5000h', slack = '1TiB' }", "network.hop-latency is")]
#[case("network = { medium = 'ethernet', topology = 'switch', latency = '5000h' }", "network.latency is")]
#[case(
    "network = { medium = 'ethernet', topology = 'line', stations = 10000, relays = 1000 }",
    "network.relays is 1000"
)]
#[case(
    "network = { medium = 'ethernet', receive = { buffer = '32KiB', drain-mbps = 1e-9 } }",
    "network.receive.drain-mbps is 0.000000001"
)]
#[case(
    "network = { medium = 'ethernet', topology = 'graph', stations = 2001,
     relay = [{ name = 'a', kind = 'hub' }, { name = 'b', kind = 'hub' }] }",
    "network.stations is 2001"
)]
fn an_absurd_network_is_refused_by_key(#[case] text: &str, #[case] start: &str) {
    let error = model::check(&plan(text)).expect_err(text).to_string();
    assert!(error.starts_with(start), "{error}");
}

#[rstest]
fn ten_thousand_stations_are_taken(#[values("hub", "switch", "distributor")] topology: &str) {
    let text = format!("network = {{ medium = 'ethernet', topology = '{topology}', stations = 10000 }}");
    model::check(&plan(&text)).expect("it is allowed");
}
