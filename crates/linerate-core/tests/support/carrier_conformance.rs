//! What every carrier of loads must do, real or modelled: one body for all.
//!
//! This file uses nothing but `linerate-core`, so that other crates can include it by path.

use std::fmt::Debug;
use std::ops::ControlFlow;

use linerate_core::carrier::{Carrier, LoadWatch, Look};
use linerate_core::traffic::{
    Class, Direction, Ended, FlowAccount, HalfAccount, Load, RrPlan, StreamPlan, Transfer,
};
use linerate_core::units::{Rate, Size, Span};

/// No pause of a test's machine is a stall.
const STALL: Span = Span::from_ms(60_000);

/// Everything that a carrier to `peers` responders promises of bulk, and of requests if there
/// is one of them.
pub(crate) fn carrier<C: Carrier>(carrier: &mut C, peers: u32)
where
    C::Error: Debug,
{
    for direction in Direction::ALL {
        a_bound_in_bytes_is_kept_exactly(carrier, peers, direction);
    }
    a_bound_in_messages_is_kept_exactly(carrier, peers);
    a_bound_in_time_is_kept_and_its_intervals_have_every_byte(carrier, peers);
    a_pace_is_kept_from_below(carrier, peers);
    who_watches_may_end_it(carrier);
    if peers == 1 {
        requests_are_counted(carrier);
        requests_run_beside_bulk(carrier);
    }
}

/// Keeps what it is told, and ends the load after this many intervals.
#[derive(Debug, Default)]
struct Watch {
    looks: Vec<Look>,
    most: Option<usize>,
}

impl LoadWatch for Watch {
    fn interval(&mut self, look: &Look) {
        self.looks.push(look.clone());
    }

    fn go_on(&mut self) -> ControlFlow<()> {
        if self.most.is_some_and(|most| self.looks.len() >= most) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

fn carried<C: Carrier>(carrier: &mut C, load: &Load, watch: &mut Watch) -> Transfer
where
    C::Error: Debug,
{
    let carried = carrier.carry(load, watch);
    carried.ended.expect("both ends have accounts");
    carried.transfer.expect("it began")
}

fn bulk(stream: StreamPlan, time: Span) -> Load {
    Load { stream: Some(stream), time, ..Load::default() }
}

/// Every flow moved to its end, has its number and its peer, and both ends say the same.
fn agree(transfer: &Transfer, peers: u32, stream: &StreamPlan) {
    let mut expected = Vec::new();
    for direction in stream.direction.parts() {
        for flow in 0..peers * stream.flows {
            expected.push((*direction, flow, flow / stream.flows));
        }
    }
    let told: Vec<_> = transfer.flows.iter().map(|flow| (flow.direction, flow.flow, flow.peer)).collect();
    assert_eq!(told, expected);
    assert_eq!(transfer.hosts.len(), 1 + peers as usize);
    for flow in &transfer.flows {
        assert_eq!(flow.class(STALL), Class::Complete, "{flow:?}");
        assert_eq!(flow.sender.bytes, flow.receiver.bytes);
        // The receiver has read all before the sender knows; each has a clock of its own.
        for half in [&flow.sender, &flow.receiver] {
            let passed: u64 = half.intervals.iter().map(|interval| interval.bytes).sum();
            assert_eq!(passed, half.bytes, "the intervals have every byte");
            let seen: u64 = half.seen().iter().map(|look| look.bytes).sum();
            assert_eq!(seen, half.bytes, "the looks have every byte");
            assert_eq!(half.seen().last().map(|it| it.until), half.intervals.last().map(|it| it.until));
            assert!(half.intervals.is_sorted_by_key(|interval| interval.until), "{:?}", half.intervals);
            assert!(half.first <= half.last && half.first.is_some(), "{half:?}");
        }
    }
}

fn a_bound_in_bytes_is_kept_exactly<C: Carrier>(carrier: &mut C, peers: u32, direction: Direction)
where
    C::Error: Debug,
{
    for bytes in [1, 1_000_003] {
        let stream = StreamPlan { bytes: Some(Size(bytes)), flows: 2, direction, ..StreamPlan::default() };
        let load = bulk(stream.clone(), Span::from_ms(1_000));
        let transfer = carried(carrier, &load, &mut Watch::default());
        agree(&transfer, peers, &stream);
        assert!(transfer.flows.iter().all(|flow| flow.receiver.bytes == bytes), "{bytes} B");
    }
}

fn a_bound_in_messages_is_kept_exactly<C: Carrier>(carrier: &mut C, peers: u32)
where
    C::Error: Debug,
{
    let stream =
        StreamPlan { count: Some(77), message: Some(Size(1_000)), flows: 3, ..StreamPlan::default() };
    let transfer = carried(carrier, &bulk(stream.clone(), Span::from_ms(1_000)), &mut Watch::default());
    agree(&transfer, peers, &stream);
    for flow in &transfer.flows {
        assert_eq!((flow.sender.messages, flow.receiver.bytes), (77, 77_000));
    }
}

fn a_bound_in_time_is_kept_and_its_intervals_have_every_byte<C: Carrier>(carrier: &mut C, peers: u32)
where
    C::Error: Debug,
{
    let (time, warm_up, interval) = (Span::from_ms(200), Span::from_ms(50), Span::from_ms(20));
    let direction = Direction::Both;
    let stream = StreamPlan { direction, warm_up, interval, ..StreamPlan::default() };
    let mut watch = Watch::default();
    let transfer = carried(carrier, &bulk(stream.clone(), time), &mut watch);
    agree(&transfer, peers, &stream);
    for (place, flow) in transfer.flows.iter().enumerate() {
        let begun = flow.sender.first.expect("it began");
        let lasted = flow.sender.last.expect("it ended").saturating_sub(begun);
        assert!(lasted >= time + warm_up, "{lasted}");
        let (warm, before) = flow.receiver.warm.expect("it was longer than the warm-up");
        assert!(warm.saturating_sub(flow.receiver.first.expect("some")) >= warm_up);
        assert!(before < flow.receiver.bytes);
        let here = beginning(flow);
        let seen: u64 = watch.looks.iter().map(|look| look.bytes[place]).sum();
        assert_eq!(seen, here.bytes, "who watches sees every byte");
    }
    let spans: Span = watch.looks.iter().map(|look| look.span).sum();
    // The first look of a real host may begin a little after the load.
    assert!(Some(spans) <= watch.looks.last().map(|look| look.until));
}

/// The half of a flow at the initiator.
fn beginning(flow: &FlowAccount) -> &HalfAccount {
    if flow.direction == Direction::Send { &flow.sender } else { &flow.receiver }
}

fn a_pace_is_kept_from_below<C: Carrier>(carrier: &mut C, peers: u32)
where
    C::Error: Debug,
{
    let rate = Rate::from_mbps(8.0);
    let message = Some(Size(1_000));
    let stream = StreamPlan { rate: Some(rate), message, flows: 2, ..StreamPlan::default() };
    let transfer = carried(carrier, &bulk(stream.clone(), Span::from_ms(200)), &mut Watch::default());
    agree(&transfer, peers, &stream);
    for flow in &transfer.flows {
        let departures = flow.sender.departures.as_ref().expect("it was paced");
        assert_eq!(departures.count() + 1, flow.sender.messages);
        // 1000 messages a second over all, and the first at once.
        let most = 200 / u64::from(peers * 2) + 2;
        assert!(flow.sender.messages <= most, "{} of {most}", flow.sender.messages);
    }
}

fn who_watches_may_end_it<C: Carrier>(carrier: &mut C)
where
    C::Error: Debug,
{
    let stream = StreamPlan { interval: Span::from_ms(20), ..StreamPlan::default() };
    let mut watch = Watch { most: Some(3), ..Watch::default() };
    let transfer = carried(carrier, &bulk(stream, Span::from_ms(20_000)), &mut watch);
    for flow in &transfer.flows {
        assert_eq!(flow.class(STALL), Class::Complete, "{flow:?}");
        assert!(flow.receiver.bytes > 0 && flow.sender.bytes == flow.receiver.bytes, "{flow:?}");
        assert!(flow.sender.last < Some(Span::from_ms(10_000)), "{:?}", flow.sender.last);
    }
}

fn requests_are_counted<C: Carrier>(carrier: &mut C)
where
    C::Error: Debug,
{
    let plan = RrPlan { request: Size(100), response: Size(3_000), ..RrPlan::default() };
    let count = Some(50);
    for rr in [
        RrPlan { count, ..plan.clone() },
        RrPlan { count, flows: 3, depth: 4, ..plan.clone() },
        RrPlan { count, rate: Some(2_000.0), flows: 2, ..plan.clone() },
        RrPlan { count, warm_up: Span::from_ms(5), ..plan },
    ] {
        let load = Load { rr: Some(rr.clone()), time: Span::from_ms(1_000), ..Load::default() };
        let transfer = carried(carrier, &load, &mut Watch::default());
        assert_eq!(transfer.flows, []);
        assert_eq!(transfer.latencies.len(), rr.flows as usize);
        for (number, latency) in (0..).zip(&transfer.latencies) {
            assert_eq!((latency.flow, &latency.ended), (number, &Ended::Complete), "{latency:?}");
            assert_eq!(latency.transactions - latency.warm_up, 50, "{rr:?}");
            assert_eq!(latency.warm_up > 0, rr.warm_up > Span::ZERO);
            assert_eq!(latency.service.count(), 50);
            let seen = latency.looks.iter().map(|look| look.transactions).sum::<u64>();
            assert_eq!(seen, latency.transactions, "the looks have every transaction");
            assert_eq!(latency.response.count(), if rr.rate.is_some() { 50 } else { 0 });
            assert_eq!((latency.lost, latency.late, latency.unsent), (0, 0, 0));
            assert!(latency.service.max() <= Some(latency.span), "{latency:?}");
        }
    }
}

fn requests_run_beside_bulk<C: Carrier>(carrier: &mut C)
where
    C::Error: Debug,
{
    let stream = StreamPlan { warm_up: Span::from_ms(100), ..StreamPlan::default() };
    let rr = RrPlan { rate: Some(500.0), ..RrPlan::default() };
    let head_start = Span::from_ms(50);
    let load = Load { rr: Some(rr), head_start, ..bulk(stream.clone(), Span::from_ms(100)) };
    let transfer = carried(carrier, &load, &mut Watch::default());
    agree(&transfer, 1, &stream);
    let [latency] = transfer.latencies.as_slice() else { panic!("one flow of requests") };
    assert_eq!(latency.ended, Ended::Complete);
    assert_eq!(latency.transactions + latency.unsent, 50, "{latency:?}");
}
