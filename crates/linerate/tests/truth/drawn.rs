//! Verdicts of `linerate explain` on models that are drawn, held against what relieving one cause at a time gains.
//!
//! Nothing of this looks into the model or at how `explain` reasons: each situation runs again with a faster link, no delay,
//! larger buffers, costless hosts and so on, and what gains most is what held it back. `explain` sees the run file alone.
//!
//! `LINERATE_SEEDS=2000..2100 cargo test -p linerate --test truth -- --ignored --nocapture so_it_is_with_other_seeds` draws others
//! and prints the matrix of docs/explain.md.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use linerate_analysis::explain::{Bound, Certainty, Which, explain};
use linerate_core::run::Run;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use crate::support::Desk;

/// What can be relieved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    Link,
    Hop,
    Delay,
    ReceiveBuffer,
    SendBuffer,
    Window,
    Loss,
    Sender,
    Receiver,
    Hosts,
    WakeUp,
    Timer,
    Pace,
}

impl Cause {
    const ALL: [Self; 13] = [
        Self::Link,
        Self::Hop,
        Self::Delay,
        Self::ReceiveBuffer,
        Self::SendBuffer,
        Self::Window,
        Self::Loss,
        Self::Sender,
        Self::Receiver,
        Self::Hosts,
        Self::WakeUp,
        Self::Timer,
        Self::Pace,
    ];

    /// What `explain` may call it.
    fn named_by(bound: Bound) -> &'static [Self] {
        match bound {
            Bound::Link => &[Self::Link],
            Bound::PathRate => &[Self::Hop],
            Bound::PathDelay => &[Self::Delay],
            Bound::ReceiverWindow | Bound::Reader => &[Self::ReceiveBuffer],
            Bound::SendBuffer => &[Self::SendBuffer],
            // Losses are what keeps it small, where there are any.
            Bound::CongestionWindow => &[Self::Window, Self::Loss],
            Bound::Retransmissions => &[Self::Loss],
            Bound::Processor(Which::Sender, _) => &[Self::Sender],
            Bound::Processor(Which::Receiver, _) => &[Self::Receiver],
            Bound::Processor(..) => &[Self::Hosts],
            Bound::WakeUp => &[Self::WakeUp],
            Bound::Coalescing => &[Self::Timer],
            Bound::Application => &[Self::Pace],
            _ => &[],
        }
    }
}

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Asked {
    PingPong,
    OneWay,
    /// At so many bit/s, or as fast as it goes.
    Stream(Option<u64>),
}

/// A network with two hosts.
#[derive(Clone, Debug)]
struct Situation {
    asked: Asked,
    sizes: Vec<u64>,
    phy: &'static str,
    /// Of a hop in the middle, where there is one.
    hop: Option<&'static str>,
    queue: u64,
    mtu: u32,
    delay_us: f64,
    /// Of a switch.
    latency_us: f64,
    loss: f64,
    buffers: [u64; 2],
    initial_window: u32,
    algorithm: &'static str,
    /// What the work of each host costs, in parts of a modern one's. None where they cost nothing.
    hosts: Option<[f64; 2]>,
    wake_up_us: [f64; 2],
    timer_us: f64,
    seed: u64,
}

const PHYS: [(&str, f64); 8] = [
    ("10BASE-T", 1e7),
    ("100BASE-TX", 1e8),
    ("1000BASE-T", 1e9),
    ("2.5GBASE-T", 2.5e9),
    ("5GBASE-T", 5e9),
    ("10GBASE-T", 1e10),
    ("25GBASE-R", 2.5e10),
    ("100GBASE-R", 1e11),
];
/// Of a buffer. Unit: bytes.
const PLENTY: u64 = 6 << 20;
/// Of a switch.
const LATENCY_US: f64 = 5.0;

/// Between these, alike in every decade.
pub(super) fn log(random: &mut Pcg64, range: Range<f64>) -> f64 {
    random.random_range(range.start.ln()..range.end.ln()).exp()
}

impl Situation {
    fn draw(seed: u64) -> Self {
        let random = &mut Pcg64::seed_from_u64(seed);
        // A second of more would take minutes.
        let streams = random.random_bool(0.3);
        let place = random.random_range(0..if streams { 5 } else { PHYS.len() - 1 });
        let hop = (place > 0 && random.random_bool(0.3)).then(|| PHYS[random.random_range(0..place)]);
        let slowest = hop.unwrap_or(PHYS[place]).1;
        let asked = match random.random_range(0..10) {
            0..6 if !streams => Asked::PingPong,
            6..10 if !streams => Asked::OneWay,
            0..6 => Asked::Stream(None),
            _ => Asked::Stream(Some((log(random, 0.01..0.5) * slowest) as u64)),
        };
        let sizes = if matches!(asked, Asked::Stream(_)) {
            vec![65_536]
        } else {
            // Of tiny messages one way a model passes a window of them, one by one.
            let least = if asked == Asked::OneWay { 300.0 } else { 1.0 };
            let first = log(random, least..3e5) as u64;
            let mut sizes = vec![first, first * 4 + 1, first * 16 + 3];
            sizes.retain(|size| *size <= 4 << 20);
            sizes
        };
        let has_delay = random.random_bool(0.6);
        let buffer = |random: &mut Pcg64| {
            if random.random_bool(0.4) { log(random, 1.6e4..4e6) as u64 } else { PLENTY }
        };
        Self {
            asked,
            sizes,
            phy: PHYS[place].0,
            hop: hop.map(|(name, _)| name),
            latency_us: LATENCY_US,
            queue: log(random, 3e4..4e6) as u64,
            mtu: if random.random_bool(0.3) { 9000 } else { 1500 },
            delay_us: if has_delay { log(random, 1.0..1e5) } else { 0.0 },
            loss: if random.random_bool(0.15) { log(random, 1e-5..1e-2) } else { 0.0 },
            buffers: [buffer(random), buffer(random)],
            initial_window: if random.random_bool(0.5) { 10 } else { random.random_range(2..200) },
            algorithm: ["cubic", "reno", "bbr"][random.random_range(0..3)],
            hosts: random.random_bool(0.7).then(|| [log(random, 0.1..20.0), log(random, 0.1..20.0)]),
            wake_up_us: [log(random, 0.3..50.0); 2],
            timer_us: if random.random_bool(0.4) { log(random, 1.0..250.0) } else { 0.0 },
            seed,
        }
    }

    /// The same without one cause; none where it has no part.
    fn without(&self, cause: Cause) -> Option<Self> {
        const FREE: f64 = 1e-3;
        let mut it = self.clone();
        match cause {
            Cause::Link => it.phy = self.fastest(),
            Cause::Hop => it.hop = Some(it.hop.map(|_| self.fastest())?),
            Cause::Delay => (it.delay_us, it.latency_us) = (0.0, 0.0),
            Cause::ReceiveBuffer => it.buffers[1] = 4 * PLENTY,
            Cause::SendBuffer => it.buffers[0] = 4 * PLENTY,
            Cause::Window => (it.initial_window, it.queue) = (1_000_000, 1 << 30),
            Cause::Loss => it.loss = 0.0,
            // A wake-up is work too.
            Cause::Sender => (it.hosts, it.wake_up_us[0]) = (Some([FREE, it.hosts?[1]]), 0.0),
            Cause::Receiver => (it.hosts, it.wake_up_us[1]) = (Some([it.hosts?[0], FREE]), 0.0),
            Cause::Hosts => (it.hosts, it.wake_up_us) = (Some(it.hosts.map(|_| [FREE; 2])?), [0.0; 2]),
            Cause::WakeUp => it.wake_up_us = it.hosts.map(|_| [0.0; 2])?,
            Cause::Timer => it.timer_us = it.hosts.map(|_| 0.0)?,
            Cause::Pace => match it.asked {
                Asked::Stream(Some(_)) => it.asked = Asked::Stream(None),
                _ => return None,
            },
        }
        (it.plan() != self.plan() || it.asked != self.asked).then_some(it)
    }

    fn fastest(&self) -> &'static str {
        if matches!(self.asked, Asked::Stream(_)) { "25GBASE-R" } else { "100GBASE-R" }
    }

    fn plan(&self) -> String {
        let Self { phy, mtu, queue, .. } = self;
        let mut plan = format!(
            "seed = {}\n[network]\nmedium = \"ethernet\"\nphy = \"{phy}\"\nmtu = {mtu}\nlength-m = 1\n",
            self.seed
        );
        if let Some(hop) = self.hop {
            let _ = write!(
                plan,
                "topology = \"line\"\nrelays = 2\nuplink-phy = \"{hop}\"\nqueue = {queue}\nlatency = \"{:.3}us\"\n",
                self.latency_us
            );
        }
        if self.delay_us > 0.0 || self.loss > 0.0 {
            let _ = write!(plan, "[[impair]]\ndelay = \"{:.3}us\"\nloss = {:e}\n", self.delay_us, self.loss);
        }
        let [send, receive] = self.buffers;
        let _ = write!(plan, "[tcp]\nsend-buffer = {send}\nreceive-buffer = {receive}\n[tcp.rules]\n");
        let most = 4 * PLENTY;
        let _ = write!(
            plan,
            "[tcp.rules.receive-buffer]\nmost-asked = {most}\n[tcp.rules.send-buffer]\nmost-asked = {most}\n"
        );
        let (window, algorithm) = (self.initial_window, self.algorithm);
        let _ =
            write!(plan, "[tcp.rules.congestion]\ninitial-window = {window}\nalgorithm = \"{algorithm}\"\n");
        for (end, cost) in self.hosts.into_iter().flatten().enumerate() {
            plan += &self.host(["host", "peer"][end], cost, self.wake_up_us[end]);
        }
        plan
    }

    fn host(&self, name: &str, cost: f64, wake_up_us: f64) -> String {
        let us = |of: f64| format!("\"{:.6}us\"", of * cost);
        let ns = |of: f64| format!("{:.9}", of * cost);
        format!(
            "[{name}]\nprofile = \"modern\"\n[{name}.costs]\nsystem-call = {}\ntransmit = {}\nreceive = {}\n\
             transmit-acknowledgement = {}\nreceive-acknowledgement = {}\ninterrupt = {}\nwake-up = \"{:.6}us\"\n\
             [{name}.memory]\ncopy-in-ns = {}\ncopy-out-ns = {}\nuncached-ns = {}\nchecksum-in-ns = {}\n\
             checksum-out-ns = {}\n[{name}.bus]\nlane-mbps = 60000\nlanes = 16\n[{name}.adaptor]\ncoalesce-time = \"{:.3}us\"\n",
            us(0.25),
            us(0.9),
            us(0.9),
            us(0.5),
            us(0.4),
            us(1.0),
            wake_up_us,
            ns(0.05),
            ns(0.08),
            ns(0.03),
            ns(0.03),
            ns(0.05),
            self.timer_us,
        )
    }

    fn run(&self) -> Option<Run> {
        let desk = Desk::new();
        desk.write("x.toml", self.plan());
        let sizes: Vec<String> = self.sizes.iter().map(u64::to_string).collect();
        let schedule = format!("list:{}", sizes.join(","));
        let pace;
        let how: Vec<&str> = match self.asked {
            Asked::PingPong => vec!["measure", "--pattern", "ping-pong", "--schedule", &schedule],
            Asked::OneWay => vec!["measure", "--pattern", "one-way", "--schedule", &schedule],
            Asked::Stream(None) => vec!["stream"],
            Asked::Stream(Some(rate)) => {
                pace = rate.to_string();
                vec!["stream", "--rate", &pace]
            }
        };
        let rest = ["--model", "x.toml", "--time", "1s", "--out", "x.run.json", "--no-report", "--quiet"];
        let said = desk.linerate(&[&how[..], &rest].concat());
        if !desk.path("x.run.json").exists() {
            println!("{}: {}{}", self.seed, said.stdout, said.stderr);
            return None;
        }
        Some(desk.run_file("x.run.json"))
    }
}

/// The time of a byte at each size.
fn times(run: &Run) -> Vec<(u64, f64)> {
    let curves = run.series.iter().flat_map(|series| &series.points);
    let of_curve = curves.filter_map(|point| Some((point.size, point.time()?.median)));
    let of_load = run.transfers.iter().filter_map(|it| Some((65_536, 1.0 / it.slowest()?.bits_per_second())));
    of_curve.chain(of_load).collect()
}

/// What is said of which sizes.
pub(super) struct Said {
    sizes: RangeInclusive<u64>,
    pub(super) bound: Option<Bound>,
    certainty: Certainty,
}

impl Said {
    /// What it is worth where it is wrong.
    pub(super) fn wrong(&self) -> Judged {
        if self.certainty == Certainty::Sure { Judged::SurelyWrong } else { Judged::Wrong }
    }
}

pub(super) fn verdicts(run: &Run) -> Vec<Said> {
    let Ok(explained) = explain(run) else { return Vec::new() };
    let bands = explained.curves.iter().flat_map(|curve| &curve.bands);
    let of_curve = bands.map(|band| Said {
        sizes: band.from_bytes..=band.to_bytes,
        bound: band.verdict,
        certainty: band.certainty,
    });
    let of_load = explained.loads.iter().map(|load| Said {
        sizes: 0..=u64::MAX,
        bound: load.verdict,
        certainty: load.certainty,
    });
    of_curve.chain(of_load).collect()
}

/// What a verdict is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Judged {
    Right,
    CannotTell,
    Wrong,
    SurelyWrong,
}

/// Of messages that wait for each other the parts add up: a cause that gains this part of what the best one does is
/// one of the main ones.
const ALIKE: f64 = 0.5;
/// Where messages overlap nothing gains by itself but what holds them back, and then as much as the next stage lets it.
const GAINS: f64 = 0.15;
/// Where nothing gains so much of the time, nothing holds it back by itself.
const MOST: f64 = 0.45;

/// One band of sizes of one situation.
#[derive(Debug)]
struct Case {
    seed: u64,
    size: u64,
    truth: Option<Cause>,
    said: String,
    judged: Judged,
    gains: Vec<(Cause, f64)>,
}

/// None of a situation that cannot be run, or that cannot be without one of its causes.
fn judge(seed: u64) -> Option<Vec<Case>> {
    let situation = Situation::draw(seed);
    let run = situation.run()?;
    let before = times(&run);
    let mut relieved = Vec::new();
    for cause in Cause::ALL {
        if let Some(other) = situation.without(cause) {
            relieved.push((cause, times(&other.run()?)));
        }
    }
    let case = |said: Said| {
        let gain = |after: &[(u64, f64)]| {
            let pairs = before.iter().zip(after).filter(|((size, _), _)| said.sizes.contains(size));
            let gains: Vec<f64> = pairs.map(|((_, time), (_, after))| 1.0 - after / time).collect();
            gains.iter().sum::<f64>() / gains.len().max(1) as f64
        };
        let mut gains: Vec<_> = relieved.iter().map(|(cause, after)| (*cause, gain(after))).collect();
        gains.sort_by(|one, other| other.1.total_cmp(&one.1));
        let (best, most) = gains.first().copied()?;
        let gain = |cause: &Cause| gains.iter().find(|(it, _)| it == cause).map_or(0.0, |(_, gain)| *gain);
        let named = |bound: Bound| Cause::named_by(bound).iter().map(gain).fold(0.0, f64::max);
        let least = if situation.asked == Asked::PingPong { most * ALIKE } else { GAINS.min(most * ALIKE) };
        let judged = match said.bound {
            None if most < MOST => Judged::Right,
            None => Judged::CannotTell,
            Some(bound) if named(bound) >= least.max(0.05) => Judged::Right,
            Some(_) => said.wrong(),
        };
        let truth = (most >= MOST).then_some(best);
        let text = said.bound.map_or("cannot tell".to_owned(), |bound| bound.to_string());
        Some(Case { seed, size: *said.sizes.end(), truth, said: text, judged, gains })
    };
    Some(verdicts(&run).into_iter().filter_map(case).collect())
}

/// All cases of these seeds, by as many threads as there are processors.
fn judge_all(seeds: Range<u64>) -> Vec<Case> {
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let mut cases = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if !seeds.contains(&seed) {
                return cases;
            }
            cases.extend(judge(seed).unwrap_or_default());
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> =
            (0..thread::available_parallelism().map_or(1, usize::from)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("it judges")).collect()
    })
}

/// How often each truth was called what, a line each.
fn matrix(cases: &[Case]) -> String {
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for case in cases {
        let truth = case.truth.map_or("nothing alone".to_owned(), |cause| format!("{cause:?}"));
        *counts.entry((truth, case.said.clone())).or_default() += 1;
    }
    counts.into_iter().fold(String::new(), |mut text, ((truth, said), count)| {
        let _ = writeln!(text, "{truth:14} {said:45} {count:4}");
        text
    })
}

/// Those that LINERATE_SEEDS names, or `usual` ones.
pub(super) fn seeds(usual: Range<u64>) -> Range<u64> {
    let given = env::var("LINERATE_SEEDS").ok().map(|text| {
        let (first, end) = text.split_once("..").expect("LINERATE_SEEDS is FIRST..END");
        first.parse().expect("a seed")..end.parse().expect("a seed")
    });
    given.unwrap_or(usual)
}

/// Judges these seeds, and prints what is to be seen of them: how many are right, wrong, surely wrong, of how many.
fn judged(seeds: Range<u64>) -> [usize; 4] {
    let mut cases = judge_all(seeds);
    cases.sort_by_key(|case| (case.seed, case.size));
    for case in cases.iter().filter(|case| case.judged != Judged::Right) {
        let first = case.gains.iter().take(3);
        let gains: Vec<String> = first.map(|(cause, gain)| format!("{cause:?} {gain:.2}")).collect();
        let (situation, gains) = (Situation::draw(case.seed), gains.join(", "));
        println!("{} {:?}: {} [{gains}] {situation:?}", case.seed, case.judged, case.said);
    }
    println!("{}", matrix(&cases));
    let count = |judged: &[Judged]| cases.iter().filter(|case| judged.contains(&case.judged)).count();
    let wrong = count(&[Judged::Wrong, Judged::SurelyWrong]);
    let all = [count(&[Judged::Right]), wrong, count(&[Judged::SurelyWrong]), cases.len()];
    println!("right, wrong, surely wrong, of all: {all:?}");
    all
}

// The rules were fitted on the seeds 1000 to 1059 and 3000 to 3059.
#[test]
fn what_is_named_is_what_gains_most_when_it_is_relieved() {
    let [right, wrong, _, all] = judged(5_000..5_016);
    assert!(all >= 10, "{all} bands");
    assert!(right * 100 >= all * 80 && wrong * 100 <= all * 10, "{right} right and {wrong} wrong of {all}");
}

#[test]
#[ignore = "takes minutes; ./check full runs it"]
fn so_it_is_with_other_seeds() {
    let [right, wrong, _, all] = judged(seeds(5_000..5_060));
    assert!(right * 100 >= all * 85 && wrong * 100 <= all * 8, "{right} right and {wrong} wrong of {all}");
}
