//! Equal TCP flows through one link out of a switch share it fairly, in the long run. The hosts cost nothing.
//!
//! Their links are faster than the one that they share, and acknowledgements come up to 100 us late, as hosts that cost something
//! would have it. Without either, flows in a model fall into step, and the queue has room for the same ones each time
//! (Floyd and Jacobson, On traffic phase effects in packet-switched gateways, 1992): seen here, one of four took all.

use linerate_core::units::{Size, Span, Time};
use linerate_sim::frame::Station;
use linerate_sim::load::Meter;
use linerate_sim::machine::{Machine, Profile};
use linerate_sim::model;
use linerate_sim::plan::{ModelPlan, TcpPlan};
use linerate_sim::stack::Side;
use linerate_sim::stations::{Impairment, Stations};
use linerate_sim::tcp::{Algorithm, Rules};
use linerate_sim::world::World;
use rstest::rstest;

use super::lab::mbps;

const FLOWS: u32 = 4;
/// What each application offers in a call, and takes. Unit: bytes.
const CALL: usize = 16 << 10;

/// Stations that send, one that they send to at a tenth of their rate, and a switch whose queue holds 2 ms.
const PLAN: &str = "
[network]
medium = 'ethernet'
topology = 'graph'
stations = 5
phy = '10GBASE-R'
length-m = 10
queue = '256KiB'
relay = [{ name = 'switch', kind = 'switch' }]
cable = [
    { between = ['s0', 'switch'] },
    { between = ['s1', 'switch'] },
    { between = ['s2', 'switch'] },
    { between = ['s3', 'switch'] },
    { between = ['s4', 'switch'], phy = '1000BASE-X' },
]
";

/// Flows from the first stations to the last.
fn world(rules: &Rules) -> World {
    let plan = ModelPlan::from_toml(PLAN).expect("a plan");
    let built = model::build(&plan).expect("a network that can be");
    let (stations, mtu) = (plan.network.stations(), plan.network.mtu());
    let meter = Meter::new(stations as usize, Time::ZERO, built.framing);
    let mut world = World::new(built.medium, Stations::new(stations as usize, meter));
    for station in (0..stations).map(Station) {
        world.stations.equip(station, Machine::new(station, &Profile::free(), mtu));
    }
    let late = Impairment { jitter: Span::from_us(100), ..Impairment::default() };
    let tcp = TcpPlan { rules: rules.clone(), ..TcpPlan::default() };
    let settings = tcp.settings(mtu).expect("settings that can be");
    for flow in 0..FLOWS {
        world.stations.impair(Station(flow), late.clone(), 1);
        let World { kernel, stations, .. } = &mut world;
        stations.connect_tcp([flow, FLOWS].map(Station), [settings.clone(), settings.clone()], kernel);
    }
    world
}

/// Each flow sends all the time, and its receiver takes all that comes, until `end`; adds what each took.
fn send_until(world: &mut World, end: Time, taken: &mut [u64; FLOWS as usize]) {
    let out = [0; CALL];
    let mut into = [0; CALL];
    while world.kernel.now() < end {
        for (flow, taken) in (0..FLOWS).zip(taken.iter_mut()) {
            let World { kernel, stations, .. } = &mut *world;
            let [writer, reader] = stations.take_stirred(flow);
            if writer {
                while stations.write(flow, Side::First, &out, kernel).expect("it goes on") > 0 {}
            }
            if reader {
                loop {
                    let bytes = stations.read(flow, Side::Second, &mut into, kernel).expect("it goes on");
                    *taken += bytes as u64;
                    if bytes == 0 {
                        break;
                    }
                }
            }
        }
        assert!(world.step(), "there is always more to send");
    }
}

/// (sum x)^2 / (n sum x^2): 1 if all have the same, 1/n if one has all. Source: Jain, Chiu and Hawe, DEC-TR-301.
fn jain(shares: &[u64]) -> f64 {
    let sum: f64 = shares.iter().map(|share| *share as f64).sum();
    let squares: f64 = shares.iter().map(|share| (*share as f64).powi(2)).sum();
    sum * sum / (shares.len() as f64 * squares)
}

/// The rules of linux-2.4, with buffers that do not bind. Seen: 0.993 with Reno and 0.987 with CUBIC.
#[rstest]
fn equal_flows_share_a_link_fairly(#[values(Algorithm::RENO, Algorithm::CUBIC)] algorithm: Algorithm) {
    let mut rules = Rules::find("linux-2.4").expect("it is shipped");
    rules.congestion.algorithm = algorithm;
    (rules.receive_buffer.default, rules.send_buffer.default) = (Size(1 << 20), Size(1 << 20));
    let mut world = world(&rules);
    let (warm, end) = (Time::ZERO + Span::from_ms(300), Time::ZERO + Span::from_ms(1300));
    send_until(&mut world, warm, &mut [0; FLOWS as usize]);
    let mut taken = [0; FLOWS as usize];
    send_until(&mut world, end, &mut taken);
    let rate = mbps(taken.iter().sum(), end.since(warm));
    let flows = (0..FLOWS).filter_map(|flow| world.stations.connection(flow, Side::First));
    let again: Vec<u64> = flows.map(|end| end.counters().retransmitted).collect();
    println!("{algorithm:?}: {taken:?} B, {rate:.1} Mb/s, sent again {again:?}: {:.4}", jain(&taken));
    assert!(again.iter().all(|again| *again > 0), "the queue is what they share: {again:?}");
    assert!(jain(&taken) > 0.9 && rate > 900.0);
}
