//! Queues that mark: the analysis of DCTCP (Alizadeh et al. 2010, section 3.3), and flows that share a port.
//!
//! C is the rate in segments, RTT the round trip without a queue, K the threshold, N the flows. In
//! congestion avoidance W* = (C RTT + K) / N is the window of each at which the queue reaches K.

use linerate_core::traffic::{Direction, FlowAccount, StreamPlan, Transfer};
use linerate_core::units::{Size, Span, Time};
use linerate_sim::tcp::{Algorithm, Counting, Settings};

use super::path::Way;
use super::settings::{self, Recovery};
use super::task::{Step, writer};
use super::world::{Flow, World};
use crate::loads::{bulk, carried, carrier, mbps};

/// Segments of this size keep the tests quick. Unit: bytes.
const MSS: u64 = 200;
/// Such a segment on the wire, with 40 B of headers and 38 of framing. Unit: bytes.
const WIRE: f64 = 278.0;
/// Unit: bit/s.
const RATE: f64 = 1e8;

/// DCTCP by the book, whose slow start ends below the window that fills the path.
fn dctcp(window: f64) -> Settings {
    let textbook = Settings { mss: Some(MSS as u32), ..settings::textbook(Recovery::Sack) };
    let mut settings = settings::marked(textbook, Algorithm::DCTCP);
    settings.rules.congestion.initial_threshold = Some(Size((window / 2.0) as u64 * MSS));
    settings.rules.congestion.counting = Counting::Bytes;
    settings
}

/// What became of flows through one port.
struct Seen {
    /// How many waited or were being sent whenever one came, and the share of the rate that was used.
    levels: Vec<usize>,
    used: f64,
    /// The share of bytes that were marked.
    marked: f64,
    retransmitted: u64,
}

/// N flows of `settings` on a path of `bdp` = C RTT segments.
fn share(settings: &Settings, flows: u32, bdp: f64, mark_above: usize) -> Seen {
    let round_trip = bdp * WIRE * 8.0 / RATE;
    let delay = Span::from_seconds(round_trip / 2.0);
    let way = Way::new(RATE as u64, delay);
    let there = way.clone().queue(2000).mark_above(mark_above);
    let flow = |number: u32| Flow {
        client: settings.clone(),
        server: settings.clone(),
        start: Time::ZERO + Span::from_us(u64::from(number) * 170),
        extra: Span::ZERO,
    };
    let mut world = World::new((0..flows).map(flow).collect(), [there, way]);
    world.gauged();
    let round_trips = 600.0;
    let bytes = (round_trips * bdp * 2.0) as u64 * MSS;
    for flow in 0..flows as usize {
        world.task(2 * flow, writer(1, bytes)).task(2 * flow + 1, vec![Step::Read(bytes)]);
    }
    let [begin, end] =
        [0.3, 1.0].map(|part| Time::ZERO + Span::from_seconds(part * round_trips * round_trip));
    let counted = |world: &World| {
        let clients = world.ends.iter().step_by(2);
        let counters: Vec<_> =
            clients.map(|end| (end.connection.sample(world.now), end.connection.counters())).collect();
        [
            counters.iter().map(|(sample, _)| sample.acknowledged).sum::<u64>(),
            counters.iter().map(|(_, counters)| counters.marked_bytes).sum(),
            counters.iter().map(|(_, counters)| counters.retransmitted).sum(),
        ]
    };
    world.run_while(begin.since(Time::ZERO), |_| true);
    let before = counted(&world);
    world.run_while(end.since(Time::ZERO), |_| true);
    let after = counted(&world);
    let [bytes, marked, retransmitted] = [0, 1, 2].map(|place| after[place] - before[place]);
    let used = bytes as f64 / MSS as f64 * WIRE * 8.0 / RATE / end.since(begin).as_seconds();
    Seen { levels: world.levels(begin).collect(), used, marked: marked as f64 / bytes as f64, retransmitted }
}

/// Equations 10 to 12: the queue goes up to K + N, and down by A = sqrt(2 N (C RTT + K)) / 2. Here a window
/// stands still for the round trip in which it is reduced, and the flows are not quite in step.
#[test]
fn the_queue_of_dctcp_stays_near_its_threshold() {
    for (flows, bdp, above) in [(1, 80.0, 40), (2, 80.0, 40), (4, 80.0, 40), (2, 160.0, 60)] {
        let seen = share(&dctcp(bdp / f64::from(flows)), flows, bdp, above);
        let (n, k) = (f64::from(flows), above as f64);
        let amplitude = (2.0 * n * (bdp + k)).sqrt() / 2.0;
        let [least, most] =
            [seen.levels.iter().min(), seen.levels.iter().max()].map(|level| *level.expect("some"));
        let mean = seen.levels.iter().sum::<usize>() as f64 / seen.levels.len() as f64;
        let text = format!("{flows} flows, K {above}: {least} to {most}, mean {mean}, A {amplitude}");
        println!("{text}");
        assert!(most as f64 <= k + 2.0 * n + 2.0, "{text}");
        assert!(least as f64 >= k - 2.0 * amplitude - n, "{text}");
        assert!(mean > k - amplitude && mean < k + n, "{text}");
        assert!(seen.used > 0.999 && seen.retransmitted == 0, "{text}, {} used", seen.used);
    }
}

/// Equation 13: the queue never runs empty if K > C RTT / 7.
#[test]
fn a_threshold_of_a_seventh_of_the_path_uses_all_of_it() {
    let bdp = 140.0;
    let used = [1, 4, 21, 30].map(|above| share(&dctcp(bdp), 1, bdp, above).used);
    println!("{used:?}");
    assert!(used[2] > 0.999 && used[3] > 0.999, "{used:?}");
    assert!(used[0] < 0.99 && used[0] < used[1] && used[1] < used[2], "{used:?}");
}

/// Equation 6: of the windows of a period one is marked, so that alpha is sqrt(2 / W*). There the window grows
/// in every round trip; here it stands still in e of them, while it is reduced: then a period has W* alpha / 2 + e
/// round trips, of which a share alpha is one. e is between 0 and 4; what was seen is not a whole number of periods.
#[test]
fn the_share_of_marks_goes_with_the_root_of_the_window() {
    for (bdp, above) in [(40.0, 10), (80.0, 20), (160.0, 40), (240.0, 60)] {
        let seen = share(&dctcp(bdp), 1, bdp, above);
        let window = bdp + above as f64;
        let alpha = |still: f64| ((still * still + 2.0 * window).sqrt() - still) / window;
        println!("W* {window}: {} within {} and {}", seen.marked, alpha(4.0), alpha(0.0));
        assert!(
            seen.marked > alpha(4.0) && seen.marked < alpha(0.0) * 1.05,
            "W* {window}: {} is not within {} and {}",
            seen.marked,
            alpha(4.0),
            alpha(0.0)
        );
    }
}

/// After the first 300 ms: eight first windows at once are 80 frames, which nothing holds back.
fn sent_again(transfer: &Transfer) -> u64 {
    let of = |flow: &FlowAccount| {
        let mut settled = flow.sender.tcp.iter().filter(|sample| sample.at >= Span::from_ms(300));
        let first = settled.next().expect("samples").retransmits;
        settled.next_back().expect("samples").retransmits - first
    };
    transfer.flows.iter().map(of).sum()
}

fn marked(transfer: &Transfer) -> u64 {
    let of = |flow: &FlowAccount| flow.sender.tcp.last().expect("samples").delivered_ce;
    transfer.flows.iter().map(of).sum()
}

/// The mean round trip that senders saw, with its queue. Unit: us.
fn round_trip_us(transfer: &Transfer) -> f64 {
    let of = |flow: &FlowAccount| flow.sender.tcp.last().expect("samples").rtt.as_us();
    transfer.flows.iter().map(of).sum::<f64>() / transfer.flows.len() as f64
}

/// N to 1 through a switch of 128 KiB a port: with Reno the queue is full and loses; with DCTCP it holds
/// about K, 20 frames (246 us), and loses nothing; with ECN alone it is in between.
#[test]
fn many_to_one_with_dctcp_lose_nothing_and_wait_less_than_with_reno() {
    let network = "[network]\nmedium = 'ethernet'\ntopology = 'switch'\nstations = 9\nqueue = '128KiB'\n";
    let run = |marking: &str, rules: &str| {
        let text = format!("{network}{marking}\n[tcp]\n{rules}");
        let stations: Vec<u32> = (1..9).collect();
        let warm = Span::from_ms(300);
        let stream = StreamPlan { direction: Direction::Receive, warm_up: warm, ..StreamPlan::default() };
        carried(&mut carrier(&text, &stations), &bulk(stream, 800))
    };
    let marking = "marking.above-frames = 20";
    let reno = run("", "rules.congestion.algorithm = 'reno'");
    let ecn = run(marking, "rules.congestion.algorithm = 'reno'\nrules.options.ecn = 'yes'");
    let dctcp = run(marking, "rules.congestion.algorithm = 'dctcp'");
    let all = [&reno, &ecn, &dctcp];
    let [again, marks] = [sent_again, marked].map(|count: fn(&Transfer) -> u64| all.map(count));
    let waits = all.map(round_trip_us);
    let rates = all.map(|transfer| mbps(transfer, Direction::Receive));
    println!("{again:?} again, {marks:?} marked, {waits:?} us, {rates:?} Mb/s");
    assert!(again[0] > 100 && again[2] == 0, "{again:?}");
    assert!(marks[0] == 0 && marks[1] > 0 && marks[2] > 0, "{marks:?}");
    assert!(waits[2] < waits[0] / 2.0, "{waits:?}");
    let ceiling = 1000.0 * 1448.0 / 1538.0;
    assert!(rates[2] > 0.99 * ceiling && rates[1] > 0.99 * ceiling, "{rates:?}");
}
