//! How long the history's questions take, and how large it is: 10,000 runs of 100 paths.
//!
//! usage: cargo bench -p linerate-store --bench history [-- LOCATION]
//!
//! Each run has 30 figures and 20 kB of curve that no compressor makes smaller. LOCATION is a
//! `postgres://` address of an empty database; without it, a new file. Printed are the medians of
//! repeats and their range, by the wall's clock.

use std::collections::BTreeMap;
use std::time::Instant;

use linerate_store::{
    Access, Better, Existing, FigureRow, Filter, Fingerprint, Location, Recent, Record, Store, Thinning,
};

const RUNS: i64 = 10_000;
const PATHS: i64 = 100;
const FIGURES: i64 = 30;
const CURVE_BYTES: usize = 20_000;
const REPEATS: usize = 9;
const DAY_US: i64 = 86_400_000_000;

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let given = std::env::args_os().skip(1).find(|word| !word.to_string_lossy().starts_with("--"));
    let location =
        given.map_or(Location::File(folder.path().join("history.db")), |word| Location::parse(&word));
    println!("{RUNS} runs of {PATHS} paths, {FIGURES} figures and {CURVE_BYTES} B of curve each");
    let mut store = Store::open(location, Access::Create).unwrap_or_else(|error| panic!("failed to {error}"));
    let begun = Instant::now();
    for first in (0..RUNS).step_by(500) {
        let runs: Vec<_> = (first..first + 500).map(run).collect();
        store.record_all(&runs, Existing::Keep).expect("recorded");
    }
    println!("recording all, by hundreds: {:.1} s", begun.elapsed().as_secs_f64());
    println!("size: {:.1} MB", store.size_bytes().expect("a size") as f64 / 1e6);

    let recent = Recent { keys: vec!["figure 0".to_owned(), "figure 7".to_owned()], runs: 20 };
    time("the list, with the last 20 of two figures", || {
        store.paths(&Filter::default(), &recent).expect("read").len()
    });
    let kernel = Filter { facts: vec![("kernel".to_owned(), "6.1".to_owned())], ..Filter::default() };
    time("the list of runs with one kernel", || store.paths(&kernel, &recent).expect("read").len());
    let path = fingerprint(1).id();
    time("the runs of a path", || store.runs(&path, &Filter::default()).expect("read").len());
    time("the series of a path", || store.series(Some(&path), &Filter::default()).expect("read").len());
    time("the series of every figure of all paths", || {
        store.series(None, &Filter::default()).expect("read").len()
    });
    let ids: Vec<_> = (0..100).map(|run| id(run * PATHS + 1)).collect();
    let ids: Vec<_> = ids.iter().map(String::as_str).collect();
    time("the 100 curves of a path", || store.curves(&ids).expect("read").len());
    let mut next = RUNS;
    time("recording one more", || {
        next += 1;
        store.record(&run(next), Existing::Keep).expect("recorded")
    });
    let rule = Thinning { before_us: RUNS * DAY_US, period_us: 1000 * DAY_US, ..Thinning::default() };
    let begun = Instant::now();
    let pruned = store.prune(&rule).expect("pruned").len();
    println!("pruning {pruned} curves: {:.2} s", begun.elapsed().as_secs_f64());
    println!("size: {:.1} MB", store.size_bytes().expect("a size") as f64 / 1e6);
}

/// Prints how long `body` takes.
fn time<T>(what: &str, mut body: impl FnMut() -> T) {
    let mut times: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let begun = Instant::now();
            std::hint::black_box(body());
            begun.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{what}: {:.1} ms ({:.1} to {:.1})", times[REPEATS / 2], times[0], times[REPEATS - 1]);
}

fn id(run: i64) -> String {
    format!("0190a5f2-{run:012}")
}

fn fingerprint(path: i64) -> Fingerprint {
    let fields = (0..12).map(|field| (format!("field {field}"), format!("value {path} {field}"))).collect();
    Fingerprint { version: 1, hash: format!("{path:064x}"), name: format!("path {path}"), fields }
}

fn run(run: i64) -> Record {
    let text = |name: &str, value: String| (name.to_owned(), value);
    let mut state = run as u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    let figures = (0..FIGURES).map(|figure| {
        let value = 100.0 + f64::from(random() % 1000) / 100.0;
        let key = format!("figure {figure}");
        FigureRow { key, value, low: Some(value - 1.0), high: Some(value + 1.0), better: Some(Better::Lower) }
    });
    Record {
        id: id(run),
        content: format!("{:064x}", run.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64)),
        path: fingerprint(run % PATHS),
        started_us: run * DAY_US,
        started: "2026-11-23T12:00:00+01:00".to_owned(),
        file: format!("/home/user/runs/{run}.run.json"),
        facts: (0..15)
            .map(|fact| text(&format!("fact {fact}"), format!("value {}", run / 3000)))
            .collect::<BTreeMap<_, _>>()
            .into_iter()
            .chain([text("kernel", format!("6.{}", run / 2000))])
            .collect(),
        tags: [text("site", "here".to_owned())].into(),
        figures: figures.collect(),
        curve: (0..CURVE_BYTES / 4).flat_map(|_| random().to_le_bytes()).collect(),
    }
}
