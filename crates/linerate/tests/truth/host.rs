//! A machine that others use too: what it took away, and what its wire carried all the same.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use linerate_core::observation::Noise;
use linerate_core::run::{End, Run};
use linerate_net::lab::WIRE;

use crate::support::lab::{Lab, MTU};

/// How often a truth is tried while the machine takes processors away.
const TRIES: usize = 3;
/// The share of the time, of either end, that it has then taken. A bucket holds 1.6 to 13 ms of its rate, and
/// what comes later is not the rate of the wire.
const TAKEN: f64 = 0.02;
/// How often the wire is looked at, and over how long a time its rate is taken: as long as a message lasts.
const LOOK: Duration = Duration::from_millis(20);
const WINDOW: f64 = 0.22;
/// What a device counts of a frame besides the IP packet. Unit: bytes.
const HEADER: u64 = 14;
/// The headers of TCP over IPv4 with timestamps. Unit: bytes.
const HEADERS: u64 = 52;

/// Does `once` until what it says of its run holds. A run from which the machine took processors away is tried
/// again; the last one is judged like any other.
pub(crate) fn held(mut once: impl FnMut() -> Option<(Run, Result<(), String>)>) {
    for left in (0..TRIES).rev() {
        let Some((run, outcome)) = once() else { return };
        let Err(wrong) = outcome else { return };
        let taken = taken(run.local()).max(taken(run.remote()));
        assert!(left > 0 && taken > TAKEN, "{wrong} ({:.1} % of the time was taken away)", taken * 100.0);
        println!("tried again, for {:.1} % of the time was taken away: {wrong}", taken * 100.0);
    }
}

/// The share of the time that this end did not have: by its own look at the clock, waiting for a processor, or
/// with its processors given to other guests.
fn taken(end: End<'_>) -> f64 {
    let lost = end.observation.noise.known().map_or(0.0, Noise::share);
    let activity = &end.observation.load;
    let of_span = |span: f64| span / activity.span.as_seconds().max(1e-9);
    let processors = std::thread::available_parallelism().map_or(1.0, |count| count.get() as f64);
    let waited = activity.run_delay.known().map_or(0.0, |span| of_span(span.as_seconds()));
    let stolen = activity.steal.known().map_or(0.0, |span| of_span(span.as_seconds() / processors));
    lost.max(waited).max(stolen)
}

impl Lab {
    /// Does `work`, and says at what rate this host's end of the wire carried TCP's payload meanwhile, in full
    /// frames: the median over windows in which it was busy. Unit: Mb/s.
    pub(crate) fn watched<T>(&self, work: impl FnOnce() -> T) -> (T, f64) {
        let over = AtomicBool::new(false);
        let watch = || {
            let mut looks = Vec::new();
            let began = Instant::now();
            while !over.load(Ordering::Relaxed) {
                looks.push((began.elapsed().as_secs_f64(), sent()));
                std::thread::sleep(LOOK);
            }
            looks
        };
        std::thread::scope(|scope| {
            let looks = scope.spawn(|| self.0.here(watch).expect("entered"));
            let done = work();
            over.store(true, Ordering::Relaxed);
            (done, rate(&looks.join().expect("it only looks")))
        })
    }
}

/// Bytes that the wire's end in this thread's namespace sent.
fn sent() -> u64 {
    let all = fs::read_to_string("/proc/thread-self/net/dev").expect("Linux tells");
    let line = all.lines().find_map(|line| line.trim_start().strip_prefix(WIRE)?.strip_prefix(':'));
    let transmitted = line.and_then(|line| line.split_whitespace().nth(8)).expect("the wire is there");
    transmitted.parse().expect("a number")
}

fn rate(looks: &[(f64, u64)]) -> f64 {
    let later = |(at, bytes): &(f64, u64)| {
        let (end, then) = looks.iter().find(|(end, _)| end - at >= WINDOW)?;
        Some((then - bytes) as f64 * 8e-6 / (end - at))
    };
    let mut rates: Vec<f64> = looks.iter().filter_map(later).collect();
    rates.sort_by(f64::total_cmp);
    let busy = rates.last().map_or(0.0, |most| most / 2.0);
    rates.retain(|rate| *rate > busy);
    let middle = rates.get(rates.len() / 2).copied().unwrap_or(0.0);
    middle * (MTU - HEADERS) as f64 / (MTU + HEADER) as f64
}
