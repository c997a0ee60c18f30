//! A machine that others use too: what it took away, and what its wire carried all the same.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use linerate_core::observation::Noise;
use linerate_core::run::{End, Run};
use linerate_net::lab::WIRE;

use crate::support::lab::{Lab, Limit, MTU};

/// How often a truth is tried while the machine takes processors away.
const TRIES: usize = 3;
/// The share of the time, of either end, that it has then taken. A bucket holds 1.6 to 13 ms of its rate, and
/// what comes later is not the rate of the wire.
const TAKEN: f64 = 0.02;
/// How often the wire is looked at, and over how long a time its rate is taken: as long as a message lasts.
const LOOK: Duration = Duration::from_millis(20);
const WINDOW: f64 = 0.22;
/// What a look may miss at either end of a load. Unit: seconds.
pub(crate) const EDGE: f64 = 0.04;
/// A wire that is silent for longer is no longer busy with the same. Unit: seconds.
const SILENCE: f64 = 0.15;
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

/// What this host's end of a wire had counted at each look. Unit: seconds and bytes.
pub(crate) struct Carried(Vec<(f64, u64)>);

impl Lab {
    /// Does `work`, and counts what this host's end of the wire sends meanwhile.
    pub(crate) fn watched<T>(&self, work: impl FnOnce() -> T) -> (T, Carried) {
        self.watched_by(SENT, work)
    }

    /// The same of what it receives.
    pub(crate) fn watched_from_there<T>(&self, work: impl FnOnce() -> T) -> (T, Carried) {
        self.watched_by(RECEIVED, work)
    }

    fn watched_by<T>(&self, column: usize, work: impl FnOnce() -> T) -> (T, Carried) {
        let over = AtomicBool::new(false);
        let watch = || {
            let mut looks = Vec::new();
            let began = Instant::now();
            while !over.load(Ordering::Relaxed) {
                let before = began.elapsed();
                let bytes = counted(column);
                looks.push(((before + began.elapsed()).as_secs_f64() / 2.0, bytes));
                std::thread::sleep(LOOK);
            }
            looks
        };
        std::thread::scope(|scope| {
            let looks = scope.spawn(|| self.0.here(watch).expect("entered"));
            let done = work();
            over.store(true, Ordering::Relaxed);
            (done, Carried(looks.join().expect("it only looks")))
        })
    }
}

/// The columns of what an interface has received and sent. Unit: bytes. Source: `/proc/net/dev`.
const RECEIVED: usize = 0;
const SENT: usize = 8;

/// What the wire's end in this thread's namespace has counted.
fn counted(column: usize) -> u64 {
    let all = fs::read_to_string("/proc/thread-self/net/dev").expect("Linux tells");
    let line = all.lines().find_map(|line| line.trim_start().strip_prefix(WIRE)?.strip_prefix(':'));
    let count = line.and_then(|line| line.split_whitespace().nth(column)).expect("the wire is there");
    count.parse().expect("a number")
}

impl Carried {
    /// The rate of TCP's payload in full frames: the median over windows in which the wire was busy. Unit: Mb/s.
    pub(crate) fn typical(&self) -> f64 {
        let Self(looks) = self;
        let later = |from: &(f64, u64)| {
            let to = looks.iter().find(|(end, _)| end - from.0 >= WINDOW)?;
            Some(payload(*from, *to))
        };
        let mut rates: Vec<f64> = looks.iter().filter_map(later).collect();
        rates.sort_by(f64::total_cmp);
        let busy = rates.last().map_or(0.0, |most| most / 2.0);
        rates.retain(|rate| *rate > busy);
        rates.get(rates.len() / 2).copied().unwrap_or(0.0)
    }

    /// The same without the looks in which it began or ended to be busy, for messages that take turns: the mean.
    /// Unit: Mb/s.
    pub(crate) fn within_messages(&self, limit: Limit) -> f64 {
        let quarter = limit.mbps as f64 / 4.0;
        let busy = |looks: &&[(f64, u64)]| looks.windows(2).all(|step| payload(step[0], step[1]) > quarter);
        let inner = self.0.windows(4).filter(busy).map(|looks| (looks[1], looks[2]));
        let (time, bytes) =
            inner.fold((0.0, 0), |(time, bytes), (from, to)| (time + to.0 - from.0, bytes + to.1 - from.1));
        payload((0.0, 0), (time, bytes))
    }

    /// When the wire was last busy, with no more than [`SILENCE`] within: carrying a quarter of its rate or more.
    /// Unit: seconds.
    pub(crate) fn busy(&self, limit: Limit) -> (f64, f64) {
        let quarter = limit.mbps as f64 / 4.0;
        let steps = self.0.windows(2).filter(|step| payload(step[0], step[1]) > quarter);
        let steps: Vec<(f64, f64)> = steps.map(|step| (step[0].0, step[1].0)).collect();
        let end = steps.last().expect("the wire was busy").1;
        let mut begin = end;
        for (from, to) in steps.into_iter().rev() {
            if begin - to > SILENCE {
                break;
            }
            begin = from;
        }
        (begin, end)
    }

    /// The rate of TCP's payload in full frames between two times. Unit: Mb/s, and seconds.
    pub(crate) fn mean(&self, from: f64, to: f64) -> f64 {
        let within = || self.0.iter().filter(|(at, _)| (from..=to).contains(at));
        let (first, last) = (within().next(), within().next_back());
        payload(*first.expect("it was looked at"), *last.expect("it was looked at"))
    }
}

/// What was carried between two looks, as a rate of TCP's payload in full frames. Unit: Mb/s.
fn payload((began, before): (f64, u64), (end, then): (f64, u64)) -> f64 {
    let all = (then - before) as f64 * 8e-6 / (end - began);
    all * (MTU - HEADERS) as f64 / (MTU + HEADER) as f64
}
