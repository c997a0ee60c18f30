//! What must hold for any traffic, any pauses and any buffers.

use linerate_core::units::{Span, Time};
use linerate_sim::ethernet::link::{Parameters, Side};
use linerate_sim::ethernet::pause::{FlowControl, Gauge, Watermarks};
use linerate_sim::fabric::{Fabric as _, Seen};
use linerate_sim::pace::Pace;
use proptest::prelude::*;

use super::bench::{A, B, Order, Traffic, World, ps};

#[derive(Clone, Debug)]
struct Plan {
    bits_per_second: u64,
    delay_ns: u64,
    flow: [(bool, bool, u64); 2],
    sizes: [Vec<u32>; 2],
    high: [u64; 2],
    /// When, at which port, what of three orders, how much.
    orders: Vec<(u64, bool, u8, u16)>,
}

fn plans() -> impl Strategy<Value = Plan> {
    let side = || (any::<bool>(), any::<bool>(), 0..3_000_u64);
    let sizes = || prop::collection::vec(0..=9_000_u32, 0..60);
    let order = (0..2_000_000_000_u64, any::<bool>(), 0..3_u8, prop_oneof![Just(0), 1..300_u16]);
    (
        prop_oneof![Just(1_000_000_000), Just(10_000_000_000), Just(9_999_999_967_u64)],
        0..50_000_u64,
        [side(), side()],
        [sizes(), sizes()],
        [5_000..60_000_u64, 5_000..60_000_u64],
        prop::collection::vec(order, 0..80),
    )
        .prop_map(|(bits_per_second, delay_ns, flow, sizes, high, orders)| Plan {
            bits_per_second,
            delay_ns,
            flow,
            sizes,
            high,
            orders,
        })
}

fn world(plan: &Plan) -> World {
    let pace = Pace::of_bits_per_second(plan.bits_per_second);
    let sides = plan
        .flow
        .map(|(sends, obeys, reaction_bits)| Side { flow: FlowControl { sends, obeys }, reaction_bits });
    let mut world = World::new(Parameters { pace, delay: Span::from_ns(plan.delay_ns), sides });
    for port in [A, B] {
        let desk = &mut world.desks[port.index()];
        desk.traffic = Traffic::Listed(plan.sizes[port.index()].clone().into());
        let high = plan.high[port.index()];
        desk.gauge =
            Gauge::new(high + 9_018, Watermarks { high, low: high / 2 }).expect("they fit").asking(90, None);
        world.at(ps(1_999_000_000), Order::Wake(port));
    }
    for (at, second, what, amount) in &plan.orders {
        let port = if *second { B } else { A };
        let order = match what {
            0 => Order::Wake(port),
            1 => Order::Pause(port, *amount),
            _ => Order::Drain(port, u64::from(*amount) * 100),
        };
        world.at(ps(*at), order);
    }
    world
}

/// Whether a port may begin data at `time`, read from the trace alone. What is heard just then
/// may let it go on, or come too late to stop it.
fn may_begin(heard: &[(Time, u16)], side: (bool, bool, u64), pace: Pace, time: Time) -> bool {
    let before = heard.partition_point(|(at, _)| *at < time);
    let up_to = heard.partition_point(|(at, _)| *at <= time);
    [before, up_to].into_iter().any(|count| may_begin_after(&heard[..count], side, pace, time))
}

/// Whether a port that has heard these PAUSE frames may begin data at `time`.
fn may_begin_after(heard: &[(Time, u16)], side: (bool, bool, u64), pace: Pace, time: Time) -> bool {
    let (_, obeys, reaction_bits) = side;
    let (mut from, mut until) = (None::<Time>, ps(0));
    for (at, quanta) in heard {
        // One that has run out is forgotten; one that runs out just now has not.
        let earlier = from.filter(|_| until >= *at);
        let reacted = *at + pace.span(reaction_bits);
        until = *at + pace.span(u64::from(*quanta) * 512);
        from = (*quanta > 0).then(|| earlier.map_or(reacted, |earlier| earlier.min(reacted)));
    }
    !obeys || from.is_none_or(|from| time < from || time >= until)
}

/// For how long a port that heard these PAUSE frames stood still, read from the trace alone.
fn paused(heard: &[(Time, u16)], side: (bool, bool, u64), pace: Pace) -> Span {
    let (_, obeys, reaction_bits) = side;
    let (mut sum, mut pause) = (Span::ZERO, None::<[Time; 2]>);
    for (at, quanta) in heard.iter().filter(|_| obeys) {
        let reacted = *at + pace.span(reaction_bits);
        let until = *at + pace.span(u64::from(*quanta) * 512);
        let mut from = reacted;
        if let Some([earlier, runs_out]) = pause {
            sum += runs_out.min(*at).since(earlier);
            if runs_out >= *at {
                from = reacted.min(earlier.max(*at));
            }
        }
        pause = (*quanta > 0).then_some([from, until]);
    }
    sum + pause.map_or(Span::ZERO, |[from, until]| until.since(from))
}

fn check(world: &World, plan: &Plan) -> Result<(), TestCaseError> {
    let pace = Pace::of_bits_per_second(plan.bits_per_second);
    for (here, there) in [(A, B), (B, A)] {
        let (desk, other) = (&world.desks[here.index()], &world.desks[there.index()]);
        let (counters, partner) = (world.link.counters(here), world.link.counters(there));
        prop_assert_eq!((counters.sent, desk.taken), (desk.taken, desk.begun.len() as u64));
        prop_assert_eq!((partner.received, other.arrived.len() as u64), (desk.taken, desk.taken));
        prop_assert_eq!(other.arrived_bytes, desk.taken_bytes + 18 * desk.taken);
        prop_assert!(other.arrived.iter().map(|(_, number)| *number).eq(0..desk.taken), "in order");
        let sent = desk.pauses.iter().filter(|(_, seen, _)| *seen == Seen::Sent);
        let quanta: Vec<u16> = sent.map(|(_, _, quanta)| *quanta).collect();
        let heard = other.paused_at();
        prop_assert_eq!(&quanta, &heard.iter().map(|(_, quanta)| *quanta).collect::<Vec<_>>());
        prop_assert_eq!(
            (counters.pause_sent, partner.pause_received),
            (quanta.len() as u64, quanta.len() as u64)
        );
        prop_assert!(quanta.is_empty() || plan.flow[here.index()].0, "only who may sends PAUSE");
        for begun in &other.begun {
            prop_assert!(may_begin(&heard, plan.flow[there.index()], pace, *begun), "{begun:?} {heard:?}");
        }
        let kept = desk.drained_bytes + desk.refused_bytes + desk.gauge.level();
        prop_assert_eq!(desk.arrived_bytes, kept);
        prop_assert!(desk.gauge.peak() <= desk.gauge.capacity());
        let stood = paused(&desk.paused_at(), plan.flow[here.index()], pace);
        prop_assert_eq!(counters.paused, stood);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_frame_that_is_taken_arrives_once_and_in_order_and_none_begins_in_a_pause(plan in plans()) {
        let mut world = world(&plan);
        while world.step(ps(u64::MAX)) {
            let [a, b] = &world.desks.0;
            let delivered = (a.arrived.len() + b.arrived.len()) as u64;
            prop_assert_eq!(a.taken + b.taken, delivered + world.link.held());
        }
        prop_assert_eq!(world.link.held(), 0);
        for desk in &world.desks.0 {
            let Traffic::Listed(left) = &desk.traffic else { unreachable!("it is a list") };
            prop_assert!(left.is_empty(), "nothing stays behind when every pause is over");
        }
        check(&world, &plan)?;
    }

    #[test]
    fn the_same_plan_gives_the_same_trace(plan in plans()) {
        let trace = || {
            let mut world = world(&plan);
            world.run_until(ps(u64::MAX));
            let [a, b] = world.desks.0;
            (world.kernel.happened(), a.begun, a.arrived, a.pauses, b.begun, b.arrived, b.pauses)
        };
        prop_assert_eq!(trace(), trace());
    }
}
