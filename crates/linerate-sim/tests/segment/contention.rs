//! Many saturated stations: table B3, from an independent event model of the same rules, and what
//! the literature says of such loads.

use linerate_sim::ethernet::segment::Parameters;
use rstest::rstest;

use super::bench::{World, gigabit, ten_megabit};

/// For a cell of the table, which is held to a hundredth.
const FRAMES: u64 = 40_000;
/// For what needs less.
const FEWER: u64 = 20_000;

fn run(parameters: Parameters, (length, count, delay): (u64, u32, u64), frames: u64, seed: u64) -> World {
    let mut world = World::of_stations(parameters, count, delay, seed);
    world.saturate_all(&[length]);
    world.run_until_delivered(frames);
    world
}

/// Mean efficiency over three seeds, and its standard deviation.
fn efficiency(parameters: Parameters, case: (u64, u32, u64)) -> [f64; 2] {
    let values = [1, 2, 3].map(|seed| run(parameters, case, FRAMES, seed).efficiency());
    let mean = values.iter().sum::<f64>() / 3.0;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 2.0;
    [mean, variance.sqrt()]
}

fn near(mode: &str, parameters: Parameters, case: (u64, u32, u64), expected: f64) {
    let [mean, deviation] = efficiency(parameters, case);
    println!("{mode} {case:?}: {mean:.4} +- {deviation:.4}, expected {expected:.4}");
    assert!((mean - expected).abs() <= (3.0 * deviation).max(0.01), "{mode} {case:?}: {mean} for {expected}");
}

/// The cells of table B3 that are given.
#[rstest]
#[case(64, 2, 500, [0.1199, 0.7182])]
#[case(64, 2, 1_500, [0.1197, 0.7169])]
#[case(64, 20, 500, [0.1130, 0.6950])]
#[case(512, 2, 500, [0.9593, 0.9591])]
#[case(512, 2, 1_500, [0.9576, 0.9570])]
#[case(512, 20, 500, [0.9043, 0.9271])]
#[case(1_518, 2, 500, [0.9835, 0.9837])]
#[case(1_518, 2, 1_500, [0.9814, 0.9816])]
#[case(1_518, 20, 500, [0.9270, 0.9526])]
fn saturated_stations_reach_what_an_independent_model_does_at_gigabit(
    #[case] length: u64,
    #[case] count: u32,
    #[case] delay: u64,
    #[case] expected: [f64; 2],
) {
    near("extended", gigabit().without_bursting(), (length, count, delay), expected[0]);
    near("bursts", gigabit(), (length, count, delay), expected[1]);
}

#[rstest]
#[case(64, 2, 25, 0.7595)]
#[case(64, 2, 230, 0.7573)]
#[case(64, 24, 25, 0.6971)]
#[case(512, 2, 25, 0.9593)]
#[case(512, 2, 230, 0.9556)]
#[case(512, 24, 25, 0.9038)]
#[case(1_518, 2, 25, 0.9837)]
#[case(1_518, 2, 230, 0.9805)]
#[case(1_518, 24, 25, 0.9526)]
fn saturated_stations_reach_what_an_independent_model_does_at_10_megabit(
    #[case] length: u64,
    #[case] count: u32,
    #[case] delay: u64,
    #[case] expected: f64,
) {
    near("plain", ten_megabit(), (length, count, delay), expected);
}

#[rstest]
fn a_longer_medium_carries_less(#[values(64, 512, 1_518)] length: u64) {
    for count in [2, 24] {
        let reached =
            [25, 115, 230].map(|delay| run(ten_megabit(), (length, count, delay), FEWER, 1).efficiency());
        println!("plain {length} B, {count} stations: {reached:.4?}");
        assert!(reached.is_sorted_by(|near, far| near > far), "{reached:?}");
    }
    for parameters in [gigabit(), gigabit().without_bursting()] {
        let reached = [500, 1_500].map(|delay| run(parameters, (length, 20, delay), FEWER, 1).efficiency());
        println!("gigabit {length} B, 20 stations, bursts {:?}: {reached:.4?}", parameters.burst_bits);
        assert!(reached.is_sorted_by(|near, far| near > far), "{reached:?}");
    }
}

#[rstest]
#[case(1_518, 0.14, 0.03)]
#[case(64, 0.006, 0.003)]
fn some_frames_of_24_stations_collide_sixteen_times(
    #[case] length: u64,
    #[case] expected: f64,
    #[case] tolerance: f64,
) {
    let world = run(ten_megabit(), (length, 24, 25), FRAMES, 1);
    let share = world.stations.losses[0] as f64 / (world.stations.lost + world.stations.delivered) as f64;
    println!("{length} B: {share:.4} given up");
    assert!((share - expected).abs() < tolerance, "{share}");
}

/// Metcalfe and Boggs 1976: optimal, and slotted. Exponential backoff does somewhat better.
#[rstest]
fn a_saturated_medium_is_about_as_good_as_metcalfe_and_boggs_say(#[values(64, 512, 1_518)] length: u64) {
    for count in [2_u32, 5, 24] {
        let alone = (1.0 - 1.0 / f64::from(count)).powi(count as i32 - 1);
        let slots = (1.0 - alone) / alone;
        let packet = (length * 8) as f64;
        let bound = packet / (packet + (std::f64::consts::E - 1.0) * 512.0);
        assert!(slots < std::f64::consts::E - 1.0, "any number of stations contends in fewer slots");
        let reached = run(ten_megabit(), (length, count, 25), FEWER, 1).efficiency();
        let framing = length as f64 / (length + 20) as f64;
        assert!((bound - 0.05..framing).contains(&reached), "{count}: {bound} {reached} {framing}");
    }
}

/// Boggs, Mogul and Kent 1988, figure on bimodal loads: its order, and its floor.
#[test]
fn long_packets_among_short_ones_lift_the_rate_of_24_stations() {
    let mixes: [Vec<u64>; 4] = [vec![64], [vec![64; 7], vec![1_536]].concat(), vec![64, 1_536], vec![1_536]];
    let rates = mixes.map(|mix| {
        let mut world = World::of_stations(ten_megabit(), 24, 25, 1);
        world.saturate_all(&mix);
        world.run_until_delivered(FEWER);
        // Preambles count: the published curves seem to.
        let bytes = world.stations.delivered_bytes + 8 * world.stations.delivered;
        (bytes * 8) as f64 / world.kernel.now().as_ps() as f64 * 1e6
    });
    println!("Mb/s: {rates:.2?}");
    assert!(rates[0] >= 7.5, "{rates:?}");
    assert!(rates.is_sorted_by(|fewer, more| fewer < more), "{rates:?}");
}
