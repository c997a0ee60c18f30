//! Which costs of hosts give what Farrell & Ong saw: the draw that docs/papers.md tells of.

use linerate_core::pattern::Pattern;
use linerate_core::units::{Size, Span};
use linerate_sim::machine::{Bus, Profile};
use linerate_sim::plan::ModelPlan;
use rand::RngExt as _;
use rand_pcg::Pcg64;

use super::lab::{Lab, asking, host, mbps, paper, with_host, with_mtu};

/// How many hosts are drawn of each kind; a quarter as many are drawn again around the best, twice.
const HOSTS: u64 = 3000;
/// What is published, in the order of [`figures`].
const PUBLISHED: [f64; 8] = [139.0, 320.0, 1.146, 1.34, 1.078, 380.0, 190.0, 1.143];
/// By how much each may be off to count as much as the others.
const SCALES: [f64; 8] = [0.03, 0.03, 0.05, 0.10, 0.05, 0.04, 0.10, 0.05];

/// A host of this number, whose adaptor waits for pauses between frames or does not.
fn drawn(base: &Profile, number: u64, pauses: bool) -> Profile {
    let mut random = Pcg64::new(2024, u128::from(number));
    let mut us = |from: u64, to: u64| Span::from_ns(random.random_range(from * 1000..=to * 1000));
    let mut profile = base.clone();
    profile.costs.transmit = us(5, 18);
    profile.costs.receive = us(10, 25);
    profile.costs.transmit_acknowledgement = us(3, 8);
    profile.costs.receive_acknowledgement = us(3, 8);
    profile.costs.interrupt = us(3, 13);
    profile.costs.wake_up = us(5, 16);
    profile.costs.system_call = us(2, 7);
    profile.adaptor.latency = us(5, 25);
    profile.adaptor.coalesce_time = us(40, 200);
    let gap = us(5, 60);
    profile.adaptor.coalesce_gap = if pauses { gap } else { Span::ZERO };
    profile.adaptor.coalesce_frames = random.random_range(4..=64);
    profile.memory.checksum_out_ns = random.random_range(2.0..6.0);
    profile.memory.copy_in_ns = random.random_range(3.0..9.0);
    profile.memory.copy_out_ns = random.random_range(3.0..9.0);
    let Bus::Pci { burst, .. } = &mut profile.bus else { panic!("the host of the papers has PCI") };
    *burst = Size([48, 64, 128, 256][random.random_range(0..4)]);
    profile
}

/// Latency in us (F055), peak in Mb/s (F052), what 65000 B asked for gain a ping-pong (P018 over P005) and 65535 a
/// stream (P021 over P020), a stream over a ping-pong (P020), with the ACEnic the peak at MTU 3500 (F062) and the
/// latency in us (F068), and what checksums in the adaptor give (F057 over F056).
fn figures(profile: &Profile) -> [f64; 8] {
    const LARGE: u64 = 1 << 20;
    let gnic = with_host(paper("gnic-ii"), profile.clone());
    let throughput = |plan: &ModelPlan, pattern: Pattern, buffer: Option<u64>| {
        let mut lab = Lab::new(&asking(plan.clone(), buffer));
        let times = lab.times(pattern, LARGE, 4);
        mbps(LARGE, times[3])
    };
    let mut plan = paper("acenic");
    let mut alteon = host(&mut plan).clone();
    alteon.costs = profile.costs.clone();
    alteon.memory = profile.memory.clone();
    alteon.bus = profile.bus.clone();
    alteon.adaptor.coalesce_gap = Span::ZERO;
    let acenic = with_host(plan, alteon);
    let mut checking = profile.clone();
    checking.adaptor.checksum_receive = true;
    let sums = with_host(paper("gnic-ii"), checking);
    let latency = Lab::new(&gnic).one_way(1).as_us();
    let peak = throughput(&gnic, Pattern::PingPong, None);
    let stream = throughput(&gnic, Pattern::OneWay, None);
    [
        latency,
        peak,
        throughput(&gnic, Pattern::PingPong, Some(65_000)) / peak,
        throughput(&gnic, Pattern::OneWay, Some(65_535)) / stream,
        stream / peak,
        throughput(&with_mtu(acenic.clone(), 3500), Pattern::PingPong, None),
        Lab::new(&acenic).one_way(1).as_us(),
        throughput(&sums, Pattern::PingPong, None) / peak,
    ]
}

fn distance(figures: &[f64; 8]) -> f64 {
    let off = |nth: usize| (figures[nth] / PUBLISHED[nth]).ln() / SCALES[nth];
    (0..8).map(|nth| off(nth).powi(2)).sum::<f64>().sqrt()
}

/// A host whose costs are within a fifth of another's.
fn near(best: &Profile, number: u64) -> Profile {
    let mut random = Pcg64::new(2025, u128::from(number));
    let mut factor = || random.random_range(0.8..1.25);
    let mut profile = best.clone();
    let mut change = |span: &mut Span| *span = Span::from_ns((span.as_us() * 1000.0 * factor()) as u64);
    for span in [
        &mut profile.costs.transmit,
        &mut profile.costs.receive,
        &mut profile.costs.transmit_acknowledgement,
        &mut profile.costs.receive_acknowledgement,
        &mut profile.costs.interrupt,
        &mut profile.costs.wake_up,
        &mut profile.costs.system_call,
        &mut profile.adaptor.latency,
        &mut profile.adaptor.coalesce_time,
        &mut profile.adaptor.coalesce_gap,
    ] {
        change(span);
    }
    profile.memory.copy_in_ns *= factor();
    profile.memory.copy_out_ns *= factor();
    profile.memory.checksum_out_ns *= factor();
    profile.adaptor.coalesce_frames = (f64::from(profile.adaptor.coalesce_frames) * factor()) as u32;
    profile
}

/// Prints the hosts nearest to what is published, of those drawn and of those drawn again around the first.
fn nearest(hosts: impl Iterator<Item = Profile>) -> Profile {
    let mut found: Vec<_> = hosts
        .map(|profile| {
            let figures = figures(&profile);
            (distance(&figures), figures, profile)
        })
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (distance, figures, profile) in &found[..5] {
        println!(
            "{distance:.2} {figures:.3?} {:?} {:?} {:?} {:?}",
            profile.costs, profile.adaptor, profile.memory, profile.bus
        );
    }
    found.swap_remove(0).2
}

/// About eight minutes.
#[test]
#[ignore = "takes minutes: how the hosts of 1998 were drawn"]
fn hosts_of_1998_are_the_nearest_of_many() {
    println!(
        "distance; latency us, peak Mb/s, gains of ping-pong and stream, stream over ping-pong, ACEnic Mb/s and us, checksums"
    );
    for pauses in [false, true] {
        println!("pauses between frames count: {pauses}");
        let base = host(&mut paper("gnic-ii")).clone();
        let mut best = nearest((0..HOSTS).map(|number| drawn(&base, number, pauses)));
        for again in 0..2 {
            best = nearest(
                (0..HOSTS / 4).map(|number| near(&best, again * HOSTS + number)).chain([best.clone()]),
            );
        }
    }
}
