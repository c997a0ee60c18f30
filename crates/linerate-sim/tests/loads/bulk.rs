//! Bulk flows: the rate that framing leaves, and every byte of it.

use linerate_core::traffic::{Direction, Ended, FlowAccount, StreamPlan, Transfer};
use linerate_core::units::{Rate, Size, Span};
use rstest::rstest;

use super::{assert_near, bulk, carried, carrier, mbps};

/// A packet of 1500 B on the wire, with header, check sequence, preamble and gap. Unit: bytes.
const WIRE: f64 = 1538.0;

const SWITCH: &str = "[network]\nmedium = 'ethernet'\ntopology = 'switch'\nstations = 5\n";
const DIRECT: &str = "[network]\nmedium = 'ethernet'\n";

fn warm(direction: Direction) -> StreamPlan {
    StreamPlan { direction, warm_up: Span::from_ms(300), ..StreamPlan::default() }
}

#[rstest]
#[case::plain("", 1460.0)]
#[case::with_timestamps("[tcp]", 1448.0)]
fn a_flow_settles_at_what_framing_leaves(
    #[case] upper: &str,
    #[case] payload: f64,
    #[values(Direction::Send, Direction::Receive)] direction: Direction,
) {
    let mut carrier = carrier(&format!("{DIRECT}{upper}"), &[1]);
    let ceiling = 1000.0 * payload / WIRE;
    assert_near(carrier.payload.as_mbps(), ceiling, 1e-9);
    let transfer = carried(&mut carrier, &bulk(warm(direction), 500));
    assert_near(mbps(&transfer, direction), ceiling, 1e-3);
}

#[test]
fn both_directions_have_a_line_each_less_their_acknowledgements() {
    // Every second segment of 1538 B is acknowledged, by what goes the other way or by a packet of
    // 84 B at least.
    let mut carrier = carrier(DIRECT, &[1]);
    let transfer = carried(&mut carrier, &bulk(warm(Direction::Both), 500));
    let ceiling = 1000.0 * 1460.0 / WIRE;
    for direction in [Direction::Send, Direction::Receive] {
        let rate = mbps(&transfer, direction);
        assert!(rate <= ceiling * 1.0001 && rate >= ceiling * WIRE / (WIRE + 42.0) * 0.999, "{rate}");
    }
}

fn sent_again(transfer: &Transfer) -> u64 {
    let of = |flow: &FlowAccount| flow.sender.tcp.last().expect("samples").retransmits;
    transfer.flows.iter().map(of).sum()
}

#[test]
fn many_to_one_share_one_line_where_the_queue_has_room_for_their_windows() {
    let text = format!("{SWITCH}queue = '1MiB'\n[tcp]\nreceive-buffer = '64KiB'");
    let transfer = carried(&mut carrier(&text, &[1, 2, 3, 4]), &bulk(warm(Direction::Receive), 700));
    assert_eq!(transfer.flows.iter().map(|flow| flow.peer).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(sent_again(&transfer), 0);
    assert_near(mbps(&transfer, Direction::Receive), 1000.0 * 1448.0 / WIRE, 0.002);
}

/// Where segments are lost, what came behind them waits at the receiver and is read at once, so that
/// only the whole time says what passed.
#[test]
fn many_to_one_share_one_line_and_lose_where_it_has_none() {
    let text = format!("{SWITCH}queue = '256KiB'\n[tcp]");
    let transfer = carried(&mut carrier(&text, &[1, 2, 3, 4]), &bulk(warm(Direction::Receive), 700));
    assert!(sent_again(&transfer) > 0);
    let bytes: u64 = transfer.flows.iter().map(|flow| flow.receiver.bytes).sum();
    let last = transfer.flows.iter().map(|flow| flow.receiver.last.expect("it ended")).max();
    let rate = bytes as f64 * 8.0 / last.expect("four").as_us();
    let ceiling = 1000.0 * 1448.0 / WIRE;
    assert!(rate < ceiling && rate > 0.6 * ceiling, "{rate} of {ceiling}");
}

#[test]
fn one_to_many_and_back_arrive_to_the_byte() {
    let mut carrier = carrier(&format!("{SWITCH}[tcp]"), &[1, 2, 3, 4]);
    let stream = StreamPlan {
        bytes: Some(Size(3_000_017)),
        flows: 2,
        direction: Direction::Both,
        ..StreamPlan::default()
    };
    let transfer = carried(&mut carrier, &bulk(stream, 1));
    assert_eq!(transfer.flows.len(), 16);
    for flow in &transfer.flows {
        assert_eq!((&flow.sender.ended, &flow.receiver.ended), (&Ended::Complete, &Ended::Complete));
        assert_eq!((flow.sender.bytes, flow.receiver.bytes), (3_000_017, 3_000_017));
        let last = flow.sender.tcp.last().expect("TCP carries it");
        // The opening and the end count as a byte each.
        assert_eq!(last.acknowledged, 3_000_019, "{last:?}");
        let received = flow.receiver.tcp.last().expect("TCP carries it").received;
        assert_eq!(received, 3_000_018);
    }
    assert!(sent_again(&transfer) > 0, "eight flows of one line lose some at a switch of 128 KiB");
}

/// The sender knows that all was read one way later than it was: an acknowledgement and the
/// receiver's FIN travel.
#[test]
fn a_sender_ends_when_it_is_told_that_all_was_read() {
    let mut carrier = carrier(&format!("{DIRECT}[tcp]"), &[1]);
    let stream = StreamPlan { bytes: Some(Size(1_000_000)), ..StreamPlan::default() };
    let transfer = carried(&mut carrier, &bulk(stream, 1));
    let flow = &transfer.flows[0];
    let apart = flow.sender.last.expect("told").saturating_sub(flow.receiver.last.expect("read"));
    // A frame of 84 B with preamble and gap takes 0.672 us, the cable 0.556 us: one comes behind the
    // last byte with the FIN, if it is no part of it, and one goes back.
    let least = 0.576 + 0.556;
    assert!(apart.as_us() >= least - 1e-6 && apart.as_us() <= 2.0 * (0.672 + 0.556), "{apart}");
}

#[test]
fn a_pace_departs_at_equal_distances() {
    let mut carrier = carrier(&format!("{DIRECT}[tcp]"), &[1]);
    let stream = StreamPlan {
        rate: Some(Rate::from_mbps(80.0)),
        message: Some(Size(10_000)),
        flows: 2,
        ..StreamPlan::default()
    };
    let transfer = carried(&mut carrier, &bulk(stream, 100));
    for flow in &transfer.flows {
        let departures = flow.sender.departures.as_ref().expect("it was paced");
        // 40 Mb/s for each of two: 10,000 B every 2 ms, from the first moment on.
        assert_eq!((flow.sender.messages, departures.count()), (50, 49));
        for share in [0.01, 1.0] {
            assert_near(departures.quantile(share).expect("some").as_us(), 2_000.0, 1e-3);
        }
    }
}

#[test]
fn a_window_of_the_receiver_bounds_the_rate_by_the_round_trip() {
    let text = format!("{DIRECT}length-m = 2_000_000.0\n[transport]\nwindow = '64KiB'");
    let mut carrier = carrier(&text, &[1]);
    let transfer = carried(&mut carrier, &bulk(warm(Direction::Send), 1_000));
    // 2000 km of category 5 at 5.56 ns/m, there and back, and the packets of a window on the wire.
    let round_trip_us = 2.0 * 11_120.0;
    let most = 65_536.0 * 8.0 / round_trip_us;
    let rate = mbps(&transfer, Direction::Send);
    assert!(rate <= most && rate >= most * 0.9, "{rate} of {most}");
}

/// A load of frames takes its share of the port's time, whatever the flow wants.
#[test]
fn a_load_beside_takes_its_share_of_the_line() {
    let network = "[network]\nmedium = 'ethernet'\ntopology = 'switch'\nstations = 3\nqueue = '512KiB'\n";
    let load = "[load]\nsenders = [2]\nto = 'station 1'\nstation-load = 0.3\narrivals = 'periodic'\n";
    for (beside, share) in [("", 0.0), ("beside = true", 0.3 * WIRE / 1518.0)] {
        let text = format!("{network}[transport]\nwindow = '64KiB'\n{load}{beside}");
        let transfer = carried(&mut carrier(&text, &[1]), &bulk(warm(Direction::Send), 500));
        let ceiling = 1000.0 * 1460.0 / WIRE;
        assert_near(mbps(&transfer, Direction::Send), ceiling * (1.0 - share), 2e-3);
    }
}

#[test]
fn equal_seeds_give_equal_transfers() {
    let text = format!("seed = 7\n{SWITCH}[tcp]\n[[impair]]\nloss = 0.001");
    let load = bulk(StreamPlan { flows: 3, direction: Direction::Both, ..StreamPlan::default() }, 200);
    let [one, other] = [0, 1].map(|_| carried(&mut carrier(&text, &[1, 4]), &load));
    assert!(one == other, "the second run differs");
    let mut same = carrier(&text, &[1, 4]);
    carried(&mut same, &load);
    assert!(carried(&mut same, &load) == one, "no load depends on the one before");
    let other = carried(&mut carrier(&text.replace("seed = 7", "seed = 8"), &[1, 4]), &load);
    assert!(one != other, "another seed loses others");
}
