//! Paths made by arithmetic.

use std::collections::BTreeMap;

use linerate_analysis::changes::{FigureValues, Path, PathChanges, Run, changes};
use linerate_analysis::figures::Key;
use linerate_analysis::identity::{Field, Role};
use linerate_core::pattern::Pattern;

use super::{Course, Listed, PathHistory, RunRow};

/// 2026-01-01 06:30 UTC. Unit: microseconds since 1970-01-01 UTC.
pub(super) const BEGAN: i64 = 1_767_249_000_000_000;
/// Unit: microseconds.
const DAY: i64 = 86_400_000_000;

/// A figure: its middle, how much its logarithm differs from run to run, and a factor for each run.
type Made<'a> = (Key, f64, f64, &'a dyn Fn(usize) -> f64);

/// Numbers that look like chance and are the same each time: about normal, of deviation 1.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// The run from which everything below 16 KiB takes 12 % longer, with another kernel.
pub(super) const fn step(runs: usize) -> usize {
    runs * 3 / 5
}

/// A path with a run a day: a step of small messages with a new kernel, a rate that sinks slowly over the
/// second quarter, an outlier, gaps, and many sizes of ping-pong.
pub(crate) fn history(runs: usize, sizes: usize) -> PathHistory {
    let mut noise = Noise(0x9E37_79B9_7F4A_7C15);
    let rows: Vec<RunRow> = (0..runs).map(|run| row(run, runs)).collect();
    let slower = |run: usize| if run >= step(runs) { 1.12 } else { 1.0 };
    let sunk = |run: usize| {
        let [from, to] = [runs as f64 / 4.0, runs as f64 / 2.0];
        1.0 - 0.08 * ((run as f64 - from) / (to - from)).clamp(0.0, 1.0)
    };
    let off = |run: usize| if run == runs / 5 && runs > 20 { 1.8 } else { 1.0 };
    let key = |name: &str| name.parse::<Key>().expect(name);
    let figures: [Made<'_>; 9] = [
        (key("ping-pong/latency"), 14.2, 0.01, &slower),
        (key("ping-pong/peak"), 941.0, 0.003, &|_| 1.0),
        (key("ping-pong/half-performance"), 1_830.0, 0.015, &slower),
        (key("ping-pong/saturation"), 9_400.0, 0.04, &|_| 1.0),
        (key("ping-pong/band-1B"), 14.3, 0.01, &slower),
        (key("ping-pong/band-64B"), 15.9, 0.01, &slower),
        (key("ping-pong/band-16KiB"), 510.0, 0.004, &|_| 1.0),
        (key("stream/rate-send"), 9_350.0, 0.006, &sunk),
        (key("rr/p99"), 61.0, 0.05, &off),
    ];
    let figures = figures.into_iter().map(|(key, middle, deviation, shape)| {
        let values: Vec<Option<f64>> = (0..runs)
            .map(|run| {
                let value = middle * shape(run) * (deviation * noise.normal()).exp();
                (run % 17 != 5).then_some(value)
            })
            .collect();
        let interval = |value: &Option<f64>| value.map(|it| [it * (1.0 - deviation), it * (1.0 + deviation)]);
        let intervals = values.iter().map(interval).collect();
        Course { key, values, intervals }
    });
    let mut figures: Vec<Course> = figures.collect();
    let loss = key("stream/loss-send");
    let lost = |_| Some(1e-4 * (0.1 * noise.normal()).exp());
    figures.push(Course { key: loss, values: (0..runs).map(lost).collect(), intervals: vec![None; runs] });
    let curves = (0..runs).filter(|run| run % 9 != 4).map(|run| (run, curve(&mut noise, sizes, slower(run))));
    let curves = BTreeMap::from([(Pattern::PingPong, curves.collect())]);
    let changes = found(&rows, &figures);
    PathHistory {
        name: "alpha to beta, tcp, 1 Gb/s ethernet, ping-pong".to_owned(),
        id: "1:5f1c93aa01b2c3d4".to_owned(),
        fields: vec![
            ("initiator cpu".to_owned(), "AMD EPYC 7302P".to_owned()),
            ("responder cpu".to_owned(), "AMD EPYC 7302P".to_owned()),
            ("link".to_owned(), "1 Gb/s ethernet".to_owned()),
        ],
        runs: rows,
        figures,
        changes,
        said: BTreeMap::new(),
        curves,
    }
}

fn row(run: usize, runs: usize) -> RunRow {
    let kernel = if run >= step(runs) { "6.12.9-amd64" } else { "6.1.0-28-amd64" };
    let field = |name: &str, value: &str| Field {
        name: name.to_owned(),
        value: value.to_owned(),
        role: Role::Setting,
    };
    RunRow {
        id: format!("{:04x}c0de-7a11", 0x0199 + run),
        started_us: BEGAN + run as i64 * DAY,
        file: format!("/srv/runs/{run}.run.json"),
        tags: if run.is_multiple_of(4) {
            BTreeMap::from([("site".to_owned(), "lab".to_owned())])
        } else {
            BTreeMap::new()
        },
        facts: vec![field("initiator kernel", kernel), field("initiator driver", "igb")],
        baseline: runs > 20 && run < 10,
    }
}

fn curve(noise: &mut Noise, sizes: usize, slower: f64) -> BTreeMap<u64, f64> {
    let own = 0.006 * noise.normal();
    // About 24 doublings, each power of two among the sizes.
    let each = (sizes / 24).max(1);
    let size = |nth: usize| (nth as f64 / each as f64).exp2().round() as u64;
    let time = |size: u64| {
        let fixed = if size < 16_384 { 14.0 * slower } else { 14.0 };
        (fixed + size as f64 * 8.0 / 941.0) * (own + 0.008 * noise.normal()).exp()
    };
    let mut time = time;
    (0..sizes).map(|nth| (size(nth), time(size(nth)))).collect()
}

/// What the search finds.
pub(super) fn found(rows: &[RunRow], figures: &[Course]) -> PathChanges {
    let run = |row: &RunRow| Run { id: row.id.clone(), started_us: row.started_us, facts: row.facts.clone() };
    let values = |it: &Course| FigureValues { key: it.key.clone(), values: it.values.clone() };
    let path =
        Path::new("1:5f1c93aa01b2c3d4", rows.iter().map(run).collect(), figures.iter().map(values).collect());
    changes(&[path.expect("as many values as runs")]).remove(0)
}

/// The first of the 60 runs, up to three after the step.
pub(super) fn unconfirmed() -> PathHistory {
    let mut path = history(60, 12);
    let runs = step(60) + 3;
    path.runs.truncate(runs);
    for course in &mut path.figures {
        course.values.truncate(runs);
        course.intervals.truncate(runs);
    }
    path.curves.values_mut().for_each(|curves| curves.retain(|(run, _)| *run < runs));
    path.changes = found(&path.runs, &path.figures);
    path
}

/// Its row in the list of paths.
pub(super) fn listed(path: &PathHistory) -> Listed {
    let course = &path.figures[0];
    let began = |run: Option<&RunRow>| run.map_or(0, |run| run.started_us);
    Listed {
        name: path.name.clone(),
        id: path.id.clone(),
        runs: path.runs.len() as u64,
        began_us: [began(path.runs.first()), began(path.runs.last())],
        baseline: path.runs.iter().filter(|run| run.baseline).count() as u64,
        recent: Some((course.key.clone(), course.values.iter().map(|it| it.unwrap_or(f64::NAN)).collect())),
        changes: Some(path.changes.clone()),
    }
}

/// A path every text of which is `hostile`.
pub(super) fn hostile(hostile: &str) -> PathHistory {
    let mut path = history(60, 12);
    (path.name, path.id) = (hostile.to_owned(), hostile.to_owned());
    path.fields = vec![(hostile.to_owned(), hostile.to_owned())];
    for course in &mut path.figures {
        course.key.subject = hostile.to_owned();
    }
    for (nth, run) in path.runs.iter_mut().enumerate() {
        run.id = format!("{hostile}{nth}");
        run.file = hostile.to_owned();
        run.tags = BTreeMap::from([(hostile.to_owned(), hostile.to_owned())]);
        for fact in &mut run.facts {
            (fact.name, fact.value) = (hostile.to_owned(), format!("{hostile}{}", fact.value));
        }
    }
    path.changes = found(&path.runs, &path.figures);
    let ids = path.changes.events.iter().flat_map(|event| &event.members).map(|it| it.id.to_string());
    path.said = ids.map(|id| (id, hostile.to_owned())).collect();
    path
}
