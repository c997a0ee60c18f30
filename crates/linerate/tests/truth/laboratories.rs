//! Verdicts of `linerate explain` on laboratories that are drawn: real sockets over links with a rate, a delay, a queue and
//! loss, on a quiet host, beside a program that burns a processor, and with both ends on one processor.
//!
//! What binds is known without any of the program: of the rates that the link, the windows, losses, the pace and the reader
//! allow, one is less than the others by half at least. Where that is not so, another situation is drawn.
//!
//! `LINERATE_SEEDS=1000..1120 cargo test -p linerate --test truth -- --ignored --nocapture so_it_is_with_other_laboratories`
//! prints the matrix of docs/explain.md.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use linerate_analysis::explain::Bound;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use super::drawn::{Judged, log, seeds, verdicts};
use super::held_back::Burner;
use super::{ALONE, PoisonError};
use crate::support::Desk;
use crate::support::lab::Lab;

/// What holds a situation back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Truth {
    Link,
    /// A link whose queue is less than what goes through it in a round trip.
    ShallowLink,
    Delay,
    Loss,
    Pace,
    Reader,
    Window,
}

impl Truth {
    /// As often as each is drawn.
    const DRAWN: [Self; 10] = [
        Self::Link,
        Self::Link,
        Self::Link,
        Self::ShallowLink,
        Self::Delay,
        Self::Loss,
        Self::Pace,
        Self::Reader,
        Self::Window,
        Self::Window,
    ];

    fn is_named_by(self, bound: Bound) -> bool {
        match self {
            Self::Link => bound == Bound::PathRate,
            Self::ShallowLink => {
                matches!(bound, Bound::PathRate | Bound::CongestionWindow | Bound::Retransmissions)
            }
            Self::Delay => bound == Bound::PathDelay,
            Self::Loss => matches!(bound, Bound::CongestionWindow | Bound::Retransmissions),
            Self::Pace => bound == Bound::Application,
            Self::Reader => bound == Bound::Reader,
            Self::Window => bound == Bound::ReceiverWindow,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Stream,
    PingPong,
    /// The same as requests and responses of that size.
    Requests,
    OneWay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Host {
    Quiet,
    Burning,
    OneProcessor,
}

/// A link between two hosts, and what is sent over it. Rates are in bytes of payload a second.
#[derive(Clone, Debug)]
struct Situation {
    asked: Asked,
    mbps: f64,
    delay_s: f64,
    /// Of a token bucket; zero of a plain queue.
    burst: u64,
    queue: u64,
    loss: f64,
    rcvbuf: Option<u64>,
    algorithm: &'static str,
    pace: Option<f64>,
    read: Option<f64>,
    host: Host,
    size: u64,
}

/// Payload of a full segment, and what of a frame tbf counts besides. Unit: bytes.
const SEGMENT: f64 = 1_448.0;
const HEADERS: f64 = 66.0;
/// Beyond what is computed, a round trip may take this for hosts, and a message this.
const HOSTS_S: f64 = 1e-3;
const MESSAGE_S: f64 = 3e-4;
/// So much less than the next one is what binds.
const LESS: f64 = 1.5;
/// What a receive buffer that was asked for may offer, of what was asked. Source: Linux doubles it and takes a part of a quarter
/// to a half for its own.
const OFFERED: [f64; 2] = [0.7, 1.9];
/// A buffer is full for most of the time if it fills in this part of it; one that was not asked for grows meanwhile.
const FILLS: f64 = 0.1;
/// What is offered at first where no buffer was asked for. Unit: bytes. Source: Linux, `tcp_rmem` of 131072.
const UNASKED: f64 = 65_536.0;

impl Situation {
    fn draw(seed: u64) -> (Self, Truth) {
        let random = &mut Pcg64::seed_from_u64(seed);
        let wanted = *Truth::DRAWN.choose(random).expect("there are some");
        loop {
            let one = Self::any(random);
            if one.truth() == Some(wanted) {
                let as_requests = one.asked == Asked::PingPong && random.random_bool(0.5);
                return (
                    Self { asked: if as_requests { Asked::Requests } else { one.asked }, ..one },
                    wanted,
                );
            }
        }
    }

    fn any(random: &mut Pcg64) -> Self {
        let asked = match random.random_range(0..11) {
            0..6 => Asked::Stream,
            6..9 => Asked::PingPong,
            _ => Asked::OneWay,
        };
        // A build without optimisations carries so much on one processor.
        let mbps = log(random, 0.2..60.0);
        let payload = mbps * 1e6 / 8.0;
        let some = |random: &mut Pcg64, often: f64, range: Range<f64>| {
            random.random_bool(often).then(|| log(random, range))
        };
        Self {
            asked,
            mbps,
            delay_s: some(random, 0.7, 1e-4..6e-2).unwrap_or(0.0),
            burst: some(random, 0.5, 6_100.0..2e5).unwrap_or(0.0) as u64,
            queue: log(random, 12e3..4e6) as u64,
            loss: some(random, 0.25, 1e-4..2e-2).filter(|_| asked != Asked::PingPong).unwrap_or(0.0),
            rcvbuf: some(random, 0.3, 8e3..1e6).map(|bytes| bytes as u64),
            algorithm: ["cubic", "reno", "bbr"][random.random_range(0..3)],
            pace: some(random, 0.3, 0.02..0.8).filter(|_| asked == Asked::Stream).map(|part| part * payload),
            read: some(random, 0.25, 0.02..0.8).filter(|_| asked == Asked::Stream).map(|part| part * payload),
            host: [Host::Quiet, Host::Burning, Host::OneProcessor][random.random_range(0..3)],
            size: log(random, 1.0..1e6) as u64,
        }
    }

    /// Long enough for a window to open.
    fn seconds(&self) -> f64 {
        (80.0 * self.delay_s).max(2.0)
    }

    /// Absent if nothing binds by itself.
    fn truth(&self) -> Option<Truth> {
        if self.asked == Asked::PingPong { self.truth_of_a_message() } else { self.truth_of_a_flow() }
    }

    fn truth_of_a_message(&self) -> Option<Truth> {
        let (line, trip, size) = (self.mbps * 1e6 / 8.0, 2.0 * self.delay_s, self.size as f64);
        let wire = (size + HEADERS * (size / SEGMENT).ceil()) / line;
        // Tokens that come in meanwhile let it pass in half of the time.
        let [least, most] = [if self.burst > 0 { (wire / 2.0 - self.delay_s).max(0.0) } else { wire }, wire];
        let windows = |offered: f64| {
            let each = self.rcvbuf.map(|bytes| bytes as f64 * offered);
            each.map_or(0.0, |each| (size / each) * (trip - each / line).max(0.0))
        };
        let slow_start = (size / (10.0 * SEGMENT)).log2().max(0.0) * trip;
        let parts = [
            (Truth::Link, [least, most]),
            (Truth::Delay, [self.delay_s; 2]),
            (Truth::Window, [(windows(OFFERED[1]) - trip).max(0.0), windows(OFFERED[0])]),
        ];
        let (best, [part, _]) = parts.into_iter().max_by(|one, other| one.1[0].total_cmp(&other.1[0]))?;
        let others: f64 = parts.iter().filter(|(truth, _)| *truth != best).map(|(_, [_, most])| most).sum();
        let rest = others + slow_start + MESSAGE_S;
        (part >= LESS * rest && part < 0.3).then_some(best)
    }

    fn truth_of_a_flow(&self) -> Option<Truth> {
        let line = self.mbps * 1e6 / 8.0 * SEGMENT / (SEGMENT + HEADERS);
        let (trip, late) = (2.0 * self.delay_s, 2.0 * self.delay_s + HOSTS_S);
        // Of each the least and the most that it allows.
        let mut all = vec![(Truth::Link, [line; 2])];
        if self.rcvbuf.is_none() {
            all.push((Truth::Window, [UNASKED / late, f64::INFINITY]));
        }
        if let Some(bytes) = self.rcvbuf {
            let [least, most] = OFFERED.map(|part| part * bytes as f64);
            all.push((
                Truth::Window,
                [least / (late + 20.0 * SEGMENT / line), most / (trip + MESSAGE_S / 3.0)],
            ));
        }
        if self.loss > 0.0 {
            // Mathis and others, 1997; CUBIC is as fast on short paths, and faster on long ones.
            let reno = 1.22 * SEGMENT / (late * self.loss.sqrt());
            match self.algorithm {
                "bbr" if self.loss < 5e-3 => {}
                "bbr" => all.push((Truth::Loss, [line / 2.0, f64::INFINITY])),
                _ if trip < 2e-3 => all.push((Truth::Loss, [reno / 6.0, f64::INFINITY])),
                _ => all.push((Truth::Loss, [reno * 0.3, reno * 3.0])),
            }
        }
        all.extend(self.pace.map(|rate| (Truth::Pace, [rate; 2])));
        all.extend(self.read.map(|rate| (Truth::Reader, [rate; 2])));
        let (best, [_, rate]) = all.iter().copied().min_by(|one, other| one.1[1].total_cmp(&other.1[1]))?;
        let is_clear = all.iter().all(|(truth, [least, _])| *truth == best || *least >= LESS * rate);
        // A window that a queue cannot hold is that queue's, and a reader holds nothing back before its buffer is full.
        let fits = self.rcvbuf.is_none_or(|bytes| self.queue >= 4 * bytes);
        let others = all.iter().filter(|(truth, _)| *truth != best);
        let fed = others.map(|(_, [least, _])| *least).fold(f64::INFINITY, f64::min) - rate;
        let fills =
            self.rcvbuf.is_some_and(|bytes| fed * self.seconds() * FILLS >= bytes as f64 * OFFERED[1]);
        match best {
            _ if !is_clear => None,
            Truth::Window if !fits => None,
            Truth::Reader if !fills => None,
            Truth::Link if (self.queue as f64) < line * trip => Some(Truth::ShallowLink),
            best => Some(best),
        }
    }

    fn plan(&self) -> String {
        let Self { mbps, burst, delay_s, loss, .. } = self;
        let queue = self.queue.max(*burst);
        let mut plan = format!(
            "hosts = [\"a\", \"b\"]\n[[link]]\nbetween = [\"a\", \"b\"]\nrate-mbps = {mbps:.6}\nburst = {burst}\nqueue = {queue}\n"
        );
        if *delay_s > 0.0 {
            let _ = writeln!(plan, "delay = \"{:.3}us\"", delay_s * 1e6);
        }
        if *loss > 0.0 {
            let _ = writeln!(plan, "loss = {loss:.6}");
        }
        plan
    }

    /// What it is asked with, besides what all are.
    fn options(&self) -> Vec<String> {
        let mut all: Vec<String> = match self.asked {
            Asked::Stream => {
                let interval = (self.seconds() * 25.0).max(50.0);
                vec![
                    "stream".into(),
                    format!("--time={:.1}s", self.seconds()),
                    format!("--interval={interval:.0}ms"),
                ]
            }
            Asked::PingPong => {
                vec!["measure".into(), "--time=3s".into(), format!("--schedule=list:{}", self.size)]
            }
            Asked::Requests => {
                let size = self.size;
                vec![
                    "rr".into(),
                    "--time=3s".into(),
                    format!("--request={size}"),
                    format!("--response={size}"),
                ]
            }
            Asked::OneWay => {
                let size = (self.size / 4).max(200);
                vec![
                    "measure".into(),
                    "--time=4s".into(),
                    "--pattern=one-way".into(),
                    format!("--schedule=list:{size}"),
                ]
            }
        };
        all.push(format!("--congestion={}", self.algorithm));
        all.extend(self.rcvbuf.map(|bytes| format!("--rcvbuf={bytes}")));
        all.extend(self.pace.map(|rate| format!("--rate={:.0}", rate * 8.0)));
        all.extend(self.read.map(|rate| format!("--read-rate={:.0}", rate * 8.0)));
        if self.host == Host::OneProcessor {
            all.push("--pin=0,0".into());
        }
        all
    }
}

/// One situation, and what was said of it.
struct Case {
    seed: u64,
    truth: Truth,
    said: String,
    judged: Judged,
}

/// None of a situation whose time was not enough for a single size, as the run says.
fn judge(seed: u64) -> Option<Case> {
    let (situation, truth) = Situation::draw(seed);
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let desk = Desk::new();
    desk.write("lab.toml", situation.plan());
    let options = situation.options();
    let mut arguments: Vec<&str> = options.iter().map(String::as_str).collect();
    arguments.extend(["--lab=lab.toml", "--out=x.run.json", "--no-report", "--quiet"]);
    let burner = (situation.host == Host::Burning).then(Burner::start);
    let said = desk.linerate(&arguments);
    drop(burner);
    if said.code == Some(2) && said.stderr.contains("the time was not enough") {
        println!("{seed} not judged: {}", said.stderr.lines().next().unwrap_or_default());
        return None;
    }
    let verdicts = verdicts(&desk.run_file("x.run.json"));
    let [verdict] = &verdicts[..] else {
        panic!("seed {seed}: one size or load: {}{}", said.stdout, said.stderr)
    };
    let judged = match verdict.bound {
        // That no trial outlasted what buffers hold says that more time is needed.
        None | Some(Bound::Burst) => Judged::CannotTell,
        Some(bound) if truth.is_named_by(bound) => Judged::Right,
        Some(_) => verdict.wrong(),
    };
    let text = verdict.bound.map_or("cannot tell".to_owned(), |bound| bound.to_string());
    if judged != Judged::Right {
        println!("{seed} {judged:?}: {text} of {truth:?} in {situation:?}");
    }
    Some(Case { seed, truth, said: text, judged })
}

/// How many are right, wrong, surely wrong, of how many. None where no laboratory can be made.
fn judged(seeds: Range<u64>) -> Option<[usize; 4]> {
    drop(Lab::new(None)?);
    let cases: Vec<Case> = seeds.filter_map(judge).collect();
    let mut counts: BTreeMap<(Truth, &str), Vec<u64>> = BTreeMap::new();
    for case in &cases {
        counts.entry((case.truth, &case.said)).or_default().push(case.seed);
    }
    for ((truth, said), seeds) in counts {
        println!("{:12} {said:45} {:4}", format!("{truth:?}"), seeds.len());
    }
    let count = |judged: &[Judged]| cases.iter().filter(|case| judged.contains(&case.judged)).count();
    let wrong = count(&[Judged::Wrong, Judged::SurelyWrong]);
    let all = [count(&[Judged::Right]), wrong, count(&[Judged::SurelyWrong]), cases.len()];
    println!("right, wrong, surely wrong, of all: {all:?}");
    Some(all)
}

// The rules were looked at with even seeds.
#[test]
fn what_binds_in_a_laboratory_is_named() {
    let Some([right, wrong, _, all]) = judged(1..13) else { return };
    assert!(all >= 8 && right * 3 >= all * 2 && wrong <= 2, "{right} right and {wrong} wrong of {all}");
}

#[test]
#[ignore = "takes ten minutes; ./check full runs it"]
fn so_it_is_with_other_laboratories() {
    let Some([right, wrong, _, all]) = judged(seeds(1_000..1_120)) else { return };
    assert!(right * 100 >= all * 80 && wrong * 100 <= all * 6, "{right} right and {wrong} wrong of {all}");
}
