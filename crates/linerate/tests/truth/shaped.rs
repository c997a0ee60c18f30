//! Curves behind shapers that nobody chose: no headline is above the line, and the run ends in time.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use linerate_analysis::derive::{Boundaries, derive};
use linerate_core::series::Point;
use linerate_core::units::{Rate, Size};
use linerate_net::lab::shape;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use rstest::rstest;

use super::ALONE;
use super::held_back::Burner;
use crate::support::Desk;
use crate::support::lab::{Lab, MTU};

/// What a busy machine takes to start and end processes, beyond the 2 s that a run may last longer.
const BEYOND: Duration = Duration::from_secs(4);
/// The largest share of what a bucket counts of a frame (an Ethernet header and the IP packet) that is payload.
const PAYLOAD: f64 = (MTU - 40) as f64 / (MTU + 14) as f64;
/// Two packets. Unit: bytes.
const LEAST_BURST: f64 = 3_028.0;

fn logarithmic(random: &mut Pcg64, from: f64, to: f64) -> f64 {
    random.random_range(from.ln()..to.ln()).exp()
}

fn holds(seed: u64) {
    let mut random = Pcg64::seed_from_u64(seed);
    let line = logarithmic(&mut random, 64e3, 5e9);
    let burst = logarithmic(&mut random, LEAST_BURST, 4e6) as u64;
    let queue = logarithmic(&mut random, 5.0 * 1_514.0, 16e6) as u64;
    let crowded = random.random_bool(0.5);
    let seconds = random.random_range(1..=6_u64);
    let pattern = ["ping-pong", "ping-pong", "one-way"][random.random_range(0..3)];
    let mbps = line / 1e6;
    println!(
        "{mbps:.3} Mb/s, burst {burst}, queue {queue}, {seconds} s, {pattern}, crowded {crowded}, seed {seed}"
    );
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let _burner = crowded.then(Burner::start);
    let (desk, Some(lab)) = (Desk::new(), Lab::new(None)) else { return };
    let shaped = || shape(Rate::from_bits_per_second(line), Size(burst), Size(queue.max(burst)));
    lab.0.here(shaped).expect("entered").expect("shaped");
    lab.0.there(shaped).expect("entered").expect("shaped");
    let server = lab.serve(&desk);
    let time = format!("{seconds}s");
    let began = Instant::now();
    let arguments =
        ["measure", &server.address, "--time", &time, "--pattern", pattern, "--out", "x.run.json"];
    let said = lab.linerate(&desk, &arguments);
    let took = began.elapsed();
    println!("{took:?}\n{}\n{}", said.stdout, said.stderr);
    assert!(took < Duration::from_secs(seconds + 2) + BEYOND, "{took:?}");
    // Too slow for a single size.
    if said.code == Some(2) {
        assert!(said.stderr.contains("the time was not enough"), "{}", said.stderr);
        return;
    }
    assert_eq!(said.code, Some(0));
    let run = desk.run_file("x.run.json");
    let derived = derive(&run.series[0], run.sustained.as_ref(), &Boundaries::of(&run));
    if let Some(peak) = derived.bandwidth.map(|bandwidth| bandwidth.peak) {
        // Bytes arrive in segments: where a round of some kilobytes ends among them is worth one.
        let curve = run.sustained.as_ref().unwrap_or(&run.series[0]);
        let rounds =
            curve.points.iter().filter(|point| point.size == peak.size).flat_map(Point::sustained_rounds);
        let timed = rounds.map(|round| u64::from(round.samples) * u64::from(round.batch) * peak.size).max();
        let segment = MTU as f64 / timed.expect("it was timed") as f64;
        let (found, most) = (peak.throughput.as_mbps(), mbps * PAYLOAD);
        assert!(found <= most * (1.01 + segment), "{found} Mb/s of {most}, {segment:.3} more at most");
    }
}

#[rstest]
fn no_headline_is_above_the_line(#[values(1, 2, 3, 4, 5, 6)] seed: u64) {
    holds(seed);
}

#[test]
#[ignore = "takes ten minutes; ./check full runs it"]
fn nor_is_any_of_sixty() {
    (7..67).for_each(holds);
}
