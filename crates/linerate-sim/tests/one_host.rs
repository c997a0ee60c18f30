//! Both ends of a path on one host, against closed forms: a message through one processor and through
//! two, a stream whose sender does the receiver's protocol too, and processors that are never idle. The
//! forms are those of docs/models/host.md.

use linerate_core::bench::Bench as _;
use linerate_core::kernel::Effort;
use linerate_core::pattern::Pattern;
use linerate_core::payload::Check;
use linerate_core::trial::{Sample, Trial};
use linerate_core::units::{Size, Span};
use linerate_sim::machine::{Costs, Memory, Processor, Profile};
use linerate_sim::model;
use linerate_sim::plan::{EthernetPlan, HostPlan, ModelPlan, Network, TcpPlan};

const fn ns(ns: u64) -> Span {
    Span::from_ns(ns)
}

/// Costs of which no sum of a few is another's.
fn costs() -> Costs {
    Costs {
        system_call: ns(211),
        transmit: ns(401),
        receive: ns(503),
        transmit_acknowledgement: ns(307),
        receive_acknowledgement: ns(353),
        wake_up: ns(1_009),
        push: ns(1_499),
        take: ns(151),
        wake: ns(601),
        wake_up_delay: ns(20_011),
        apart: ns(83),
        apart_segment: ns(37),
        ..Profile::free().costs
    }
}

/// A host with both ends on these processors.
fn host(ends: [u8; 2]) -> Profile {
    let free = Profile::free();
    Profile {
        processor: Processor { count: 2, ends: Some(ends), slice: Span::from_ms(1), ..free.processor },
        costs: costs(),
        memory: Memory { copy_in_ns: 0.125, copy_out_ns: 0.25, apart_ns: 1.0, ..free.memory },
        ..free
    }
}

fn plan(profile: Profile) -> ModelPlan {
    let mut tcp = TcpPlan::default();
    tcp.rules.acknowledgement.waits_for_read = true;
    ModelPlan {
        network: Network::Ethernet(Box::new(EthernetPlan {
            phy: "100GBASE-R".to_owned(),
            ..EthernetPlan::default()
        })),
        tcp: Some(tcp),
        host: Some(HostPlan(profile)),
        ..ModelPlan::default()
    }
}

fn run(profile: Profile, pattern: Pattern, size: u64, batch: u32) -> Sample {
    let mut curve = model::curve(&plan(profile), None).unwrap_or_else(|error| panic!("{error}"));
    let trial = Trial { pattern, size, samples: 16, batch, lead: 0, seed: 1, check: Check::Full };
    curve.bench.run(&trial).unwrap_or_else(|error| panic!("{trial:?}: {error}"))
}

/// Copies in and out of so many bytes.
fn copies(bytes: u64) -> [Span; 2] {
    [ns(bytes) / 8, ns(bytes) / 4]
}

/// From the call of send until the receiver's protocol has the segment: all of it in the sender's call.
fn sent(costs: &Costs, bytes: u64) -> Span {
    costs.system_call + copies(bytes)[0] + costs.push + costs.transmit + costs.receive
}

/// From there on at the receiver, which is awake.
fn taken(costs: &Costs, bytes: u64) -> Span {
    costs.wake_up + costs.take + copies(bytes)[1]
}

#[test]
fn a_message_between_two_processors_takes_the_sum_of_its_stages() {
    let costs = costs();
    for bytes in [8, 1448] {
        let passed = costs.apart + costs.apart_segment * 2 + ns(bytes) * 2;
        let expected = sent(&costs, bytes) + costs.wake_up_delay + taken(&costs, bytes) + passed;
        let times = run(host([0, 1]), Pattern::PingPong, bytes, 1).times;
        assert_eq!(times[4..12], [expected; 8], "{bytes} B: {times:?}");
    }
}

/// On one processor the delay is gone, and what the sender does after the message has arrived is added: it
/// wakes the receiver, and calls for the answer.
#[test]
fn a_message_on_one_processor_waits_for_the_sender_to_sleep() {
    let costs = costs();
    for bytes in [8, 1448] {
        let expected = sent(&costs, bytes) + costs.wake + costs.system_call + taken(&costs, bytes);
        let times = run(host([0, 0]), Pattern::PingPong, bytes, 1).times;
        assert_eq!(times[4..12], [expected; 8], "{bytes} B: {times:?}");
    }
}

/// Wake-ups and acknowledgements, whose number depends on when they meet, cost nothing.
fn undisturbed(profile: &mut Profile) -> Costs {
    let costs = &mut profile.costs;
    (costs.wake, costs.transmit_acknowledgement, costs.receive_acknowledgement) =
        (Span::ZERO, Span::ZERO, Span::ZERO);
    costs.clone()
}

/// The sender's processor bounds a stream: it does the protocol of both ends, and the receiver's nothing but
/// its calls and acknowledgements.
#[test]
fn a_stream_takes_what_the_sender_does_for_both() {
    let mut profile = host([0, 1]);
    let costs = undisturbed(&mut profile);
    for bytes in [8, 1448] {
        let message = sent(&costs, bytes) + costs.apart + costs.apart_segment + ns(bytes);
        let sample = run(profile.clone(), Pattern::OneWay, bytes, 400);
        let time = sample.times[15].as_seconds() / message.as_seconds();
        assert!((time - 1.0).abs() < 0.01, "{bytes} B: {:?}, not {message:?}", sample.times);
    }
}

/// A call of many segments begins to send once.
#[test]
fn a_long_call_begins_to_send_once_and_makes_each_of_its_segments() {
    let mut profile = host([0, 1]);
    let costs = undisturbed(&mut profile);
    let segment = costs.transmit + costs.receive + costs.apart_segment;
    let bytes = copies(14_480)[0] + ns(14_480);
    let message = costs.system_call + costs.push + costs.apart + bytes + segment * 10;
    let sample = run(profile, Pattern::OneWay, 14_480, 50);
    // An acknowledgement that opens the window lets the receiver's call send some of them.
    let mean = sample.times[1..].iter().copied().sum::<Span>().as_seconds() / 15.0 / message.as_seconds();
    assert!((mean - 1.0).abs() < 0.01, "{:?}, not {message:?}", sample.times);
}

fn effort(sample: &Sample) -> [Effort; 2] {
    sample.effort.expect("the model accounts for its hosts")
}

/// Two ends that stream on one processor never leave it idle: what both worked is the time that passed.
#[test]
fn one_processor_works_all_the_time_for_both() {
    for (bytes, batch) in [(64, 300), (1448, 200), (262_144, 4)] {
        let sample = run(host([0, 0]), Pattern::OneWay, bytes, batch);
        let [sender, receiver] = effort(&sample);
        let busy = (sender.cpu + receiver.cpu).as_seconds() / sender.span.as_seconds();
        assert!((0.98..1.001).contains(&busy), "{bytes} B: {busy}");
    }
}

/// The longer a thread keeps the processor, the fewer wake-ups a message has.
#[test]
fn a_longer_slice_makes_a_stream_quicker_by_the_wake_ups_that_it_saves() {
    let time = |slice: Span| {
        let mut profile = host([0, 0]);
        profile.processor.slice = slice;
        let times = run(profile, Pattern::OneWay, 64, 400).times;
        // What the receiver leaves at the end is no stream.
        times[8]
    };
    let [short, long] = [9_000, 30_000].map(|slice| time(ns(slice)));
    // A message takes the sender 2.6 us: four and twelve of them. A turn costs a wake-up at both sides, the
    // call that finds nothing, and an acknowledgement out and in.
    let costs = costs();
    let turn = costs.wake
        + costs.wake_up
        + costs.system_call
        + costs.transmit_acknowledgement
        + costs.receive_acknowledgement;
    let saved = (short - long).as_seconds() / (turn / 6).as_seconds();
    assert!((0.8..1.2).contains(&saved), "{short:?} {long:?} {saved}");
}

/// Whoever reads at once lets the kernel acknowledge at the read: fewer than one for two segments as soon as
/// several wait.
#[test]
fn acknowledgements_come_at_the_read() {
    let read = acknowledgements(true);
    let early = acknowledgements(false);
    assert!(read * 2 < early, "{read} at the read, {early} for every second segment");
}

/// Acknowledgements of a stream of 400 segments whose receiver takes ten at a time.
fn acknowledgements(waits: bool) -> u64 {
    let mut profile = host([0, 0]);
    profile.processor.slice = ns(30_000);
    let mut plan = plan(profile);
    plan.tcp.as_mut().expect("it speaks TCP").rules.acknowledgement.waits_for_read = waits;
    let mut curve = model::curve(&plan, None).expect("it can be built");
    let trial = Trial {
        pattern: Pattern::OneWay,
        size: 1448,
        samples: 16,
        batch: 100,
        lead: 0,
        seed: 1,
        check: Check::Marks,
    };
    curve.bench.run(&trial).expect("it passes");
    curve.bench.look(|world| {
        let sender = world.stations.connection(0, linerate_sim::stack::Side::First).expect("a connection");
        sender.counters().segments_received
    })
}

#[test]
fn what_cannot_be_on_one_host_is_refused_by_key() {
    let refused = |change: fn(&mut ModelPlan)| {
        let mut plan = plan(host([0, 1]));
        change(&mut plan);
        model::curve(&plan, None).map(drop).expect_err("it is refused").to_string()
    };
    for (said, change) in [
        ("host.processor.ends", (|plan| plan.peer = plan.host.clone()) as fn(&mut ModelPlan)),
        ("host.processor.ends", |plan| host_of(plan).processor.ends = Some([0, 2])),
        ("host.processor.ends", |plan| {
            host_of(plan).adaptor.segmentation_offload = Some(Size(65_536));
        }),
        ("peer.processor.ends", |plan| {
            plan.peer = plan.host.clone();
            host_of(plan).processor.ends = None;
        }),
    ] {
        let error = refused(change);
        assert!(error.contains(said), "{said}: {error}");
    }
}

fn host_of(plan: &mut ModelPlan) -> &mut Profile {
    &mut plan.host.as_mut().expect("it has one").0
}
