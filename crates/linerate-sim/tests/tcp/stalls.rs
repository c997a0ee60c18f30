//! Stalls that two rules make together, and that one setting removes.

use linerate_core::units::Span;
use linerate_sim::tcp::Settings;
use rstest::rstest;

use super::path::Way;
use super::settings::{self, Recovery};
use super::task::{Step, rounds};
use super::world::{CLIENT, SERVER, World};

const DELAY: Span = Span::from_ms(1);
const RATE: u64 = 100_000_000;

/// How long each round of write, write, read took.
fn rounds_of_write_write_read(settings: &Settings, count: usize) -> Vec<Span> {
    let steps = [Step::Write(100), Step::Write(100), Step::Read(100)];
    let [client, mut server] = rounds(count, &steps);
    // He answers when he has both.
    for round in server.chunks_mut(3) {
        round[0] = Step::Read(200);
        round[1] = Step::Read(0);
    }
    let mut world = World::even(settings, &Way::new(RATE, DELAY));
    world.task(CLIENT, client).task(SERVER, server);
    world.run(Span::from_ms(600_000));
    let done = world.done(CLIENT);
    (1..count).map(|round| done[3 * round + 2].since(done[3 * round - 1])).collect()
}

/// RFC 896 and RFC 9293, 3.8.6.3: the second write waits for an acknowledgement that waits for a timer.
#[test]
fn nagle_and_delayed_acknowledgement_stall_write_write_read() {
    let mut settings = settings::delaying(settings::textbook(Recovery::Sack), Span::from_ms(40));
    let stalled = rounds_of_write_write_read(&settings, 20);
    for round in &stalled {
        assert!((44.0..44.2).contains(&(round.as_us() / 1e3)), "40 ms and two round trips: {stalled:?}");
    }
    settings.nodelay = true;
    let smooth = rounds_of_write_write_read(&settings, 20);
    for round in &smooth {
        // A round trip: segments of 140 bytes in frames of 178, two of them there.
        assert_eq!(*round, Span::from_ps(2 * DELAY.as_ps() + 3 * 14_240_000), "{smooth:?}");
    }
}

/// Either rule alone does no harm beyond a round trip.
#[test]
fn nagle_alone_costs_a_round_trip() {
    let settings = settings::textbook(Recovery::Sack);
    for round in rounds_of_write_write_read(&settings, 20) {
        assert!((4.0..4.2).contains(&(round.as_us() / 1e3)), "{round}");
    }
}

/// The kernels that were measured stall too, each by its timer.
#[rstest]
#[case("freebsd-2.2", 1.0, 205.0)]
#[case("linux-2.4", 40.0, 205.0)]
#[case("linux-modern", 40.0, 50.0)]
fn kernels_stall_by_their_timers(#[case] name: &str, #[case] from_ms: f64, #[case] to_ms: f64) {
    let mut settings = settings::kernel(name, 1500);
    let stalled = rounds_of_write_write_read(&settings, 40);
    // Quick acknowledgements may spare the first rounds.
    let late = &stalled[30..];
    let mean = late.iter().map(|round| round.as_us() / 1e3).sum::<f64>() / late.len() as f64;
    assert!(mean > from_ms + 4.0 && mean < to_ms, "{mean} ms a round");
    settings.nodelay = true;
    let smooth = rounds_of_write_write_read(&settings, 40);
    assert!(smooth[30..].iter().all(|round| round.as_us() < 2_100.0), "{smooth:?}");
}

/// F040 and D6: a 48 KB message of 2.0.35 takes 0.5 to 1.5 ticks of 10 ms longer than the wire needs.
#[test]
fn linux_2_0_35_stalls_for_a_tick_per_message() {
    const MESSAGE: u64 = 48 << 10;
    let mut settings = settings::kernel("linux-2.0.35", 1500);
    // As NetPIPE has it: else Nagle adds a tick for the last segment.
    settings.nodelay = true;
    let way = Way::new(1_000_000_000, Span::from_us(50));
    let [client, server] = rounds(40, &[Step::Write(MESSAGE), Step::Read(1)]);
    let mut world = World::even(&settings, &way);
    world.task(CLIENT, client).task(SERVER, server).run(Span::from_ms(60_000));
    let done = world.done(CLIENT);
    let spans = (5..40).map(|round| done[2 * round + 1].since(done[2 * round - 1]).as_us());
    let spans: Vec<f64> = spans.collect();
    // 34 segments of the wire, and a round trip.
    let wire = 34.0 * 1538.0 * 8e-3 + 101.0;
    let ticks: Vec<f64> = spans.iter().map(|span| (span - wire) / 10_000.0).collect();
    let mean = ticks.iter().sum::<f64>() / ticks.len() as f64;
    assert!((0.5..=1.5).contains(&mean), "{mean} ticks a message: {ticks:?}");
}
