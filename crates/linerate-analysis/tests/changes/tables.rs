//! The tables of docs/tracking.md, printed.

use linerate_analysis::changes::{Path, changes};

use super::nights::{count, ever_raises_an_alarm, is_alarm_within, judged, steady};
use super::noise::{ALL, COUNTS, Noise, Normal, white};
use super::rates::{assert_at_most, drifts, is_found, power, share, with_step};
use super::{alarms, days, figure, found, found_in, is_confirmed, one_percent, path, timed};

const RUNS: [usize; 5] = [20, 50, 100, 200, 365];
const TRIALS: usize = 1000;

fn row(name: &str, cells: impl IntoIterator<Item = f64>) {
    let cells: Vec<String> = cells.into_iter().map(|share| format!("{:.1}", 100.0 * share)).collect();
    println!("| {name} | {} |", cells.join(" | "));
}

fn false_alarms(noises: &[Noise], alarm: impl Fn(&[f64]) -> bool) {
    for noise in noises {
        let rate = |runs: usize| {
            let mut normal = Normal::new(runs as u64);
            share(TRIALS, || alarm(&noise.series(&mut normal, runs)))
        };
        let rates = RUNS.map(rate);
        row(noise.name, rates);
        let bound = if noise.name == "sine of a month" { 1.0 } else { 0.10 };
        assert!(rates.iter().all(|rate| *rate <= bound), "{}", noise.name);
    }
}

#[test]
#[ignore = "takes minutes; ./check full runs it"]
fn table_of_false_alarms() {
    println!("| noise | n = 20 | 50 | 100 | 200 | 365 |\n|---|---:|---:|---:|---:|---:|");
    false_alarms(&ALL, |noise| alarms(&found(&one_percent(noise))));
    false_alarms(&COUNTS, |noise| alarms(&found_in("udp/loss-send", noise)));
}

/// Share of series of noise with a p as small as the table's head.
#[test]
#[ignore = "takes minutes; ./check full runs it"]
fn table_of_small_p() {
    let limits = [0.05, 0.01, 0.001];
    println!("| noise, n = 100 | p at most 5 % | 1 % | 0.1 % |\n|---|---:|---:|---:|");
    let rates = ALL[..5].iter().map(|noise| (noise, "stream/rate-send"));
    for (noise, name) in rates.chain([(&COUNTS[0], "udp/loss-send")]) {
        let mut normal = Normal::new(99);
        let least = |_| {
            let noise = noise.series(&mut normal, 100);
            let history = found_in(name, &if name == "udp/loss-send" { noise } else { one_percent(&noise) });
            let steps = history.steps.iter().filter(|step| is_confirmed(step)).map(|step| step.p);
            let drifts = history.drifts.iter().map(|drift| drift.p);
            steps
                .chain(drifts)
                .chain(history.spread_changes.iter().map(|change| change.p))
                .fold(1.0, f64::min)
        };
        let p: Vec<f64> = (0..5 * TRIALS).map(least).collect();
        let share = limits.map(|limit| p.iter().filter(|p| **p <= limit).count() as f64 / p.len() as f64);
        row(noise.name, share);
        assert!(share[2] <= 0.015, "{}: {share:?}", noise.name);
    }
}

/// Share of steps found in 12 figures of 1200, the others without a change.
fn power_among_many(after: usize, size: f64) -> f64 {
    let mut normal = Normal::new(6);
    let (trials, runs) = (TRIALS / 20, 60 + after);
    let mut found = 0;
    for _ in 0..trials {
        let figures = (0..1200).map(|index| {
            let noise = if index < 12 { with_step(&mut normal, runs, 60, size) } else { vec![0.0; runs] };
            figure(&format!("load {index}/rate-send"), &one_percent(&noise))
        });
        let changes = changes(&[path(figures.collect())]);
        found += changes[0].figures[..12].iter().filter(|history| is_found(history, 60)).count();
    }
    found as f64 / (12 * trials) as f64
}

/// What becomes of two steps one way with as many runs between them as after them: the shares found as two
/// steps, and with a drift.
fn two_steps(trials: usize, between: usize, size: f64) -> [f64; 2] {
    let mut normal = Normal::new(77);
    let mut counts = [0.0; 2];
    for _ in 0..trials {
        let mut values = with_step(&mut normal, 40 + 2 * between, 40, size);
        values[40 + between..].iter_mut().for_each(|value| *value += size);
        let history = found(&one_percent(&values));
        let steps = history.steps.iter().filter(|step| is_confirmed(step)).count();
        counts[0] += f64::from(u8::from(steps == 2 && history.drifts.is_empty())) / trials as f64;
        counts[1] += f64::from(u8::from(!history.drifts.is_empty())) / trials as f64;
    }
    counts
}

#[test]
#[ignore = "takes minutes; ./check full runs it"]
fn table_of_power() {
    let sizes = [1.0, 1.5, 2.0, 3.0, 4.0];
    println!("| runs after | 1 sd | 1.5 | 2 | 3 | 4 |\n|---:|---:|---:|---:|---:|---:|");
    for after in [5, 10, 20, 40] {
        row(&after.to_string(), sizes.map(|size| power(TRIALS, after, size)));
    }
    println!("\namong 1200 figures, 12 of which have the step:");
    for after in [5, 10, 20, 40] {
        row(&after.to_string(), sizes.map(|size| power_among_many(after, size)));
    }
    println!(
        "\n| drift: runs, sd | drift alone | one step | more steps | nothing |\n|---:|---:|---:|---:|---:|"
    );
    for (runs, size) in
        [(30, 3.0), (60, 2.0), (60, 3.0), (60, 6.0), (100, 2.0), (100, 4.0), (100, 8.0), (300, 8.0)]
    {
        row(&format!("{runs}, {size}"), drifts(TRIALS / 4, runs, size));
    }
    println!("\n| two steps: runs between, sd | two steps | a drift |\n|---:|---:|---:|");
    for (between, size) in [(20, 2.0), (30, 2.0), (40, 2.0), (30, 3.0)] {
        row(&format!("{between}, {size}"), two_steps(TRIALS / 4, between, size));
    }
}

/// A search after each of 365 nights: how many steady paths ever raise an alarm, and how many changes of 10 % in one of
/// the figures are an alarm, among what differs by so much from night to night.
#[test]
#[ignore = "takes minutes; ./check full runs it"]
fn table_of_a_year() {
    let seeds = judged(100);
    let share = |holds: &(dyn Fn(u64) -> bool + Sync)| count(&seeds, holds) as f64 / seeds.len() as f64;
    println!("| a step, sd | within 5 runs | 7 | 10 |\n|---|---:|---:|---:|");
    for (sd, least) in [(0.01, 0.9), (0.02, 0.75), (0.03, 0.3)] {
        let found = [5, 7, 10].map(|within| share(&|seed| is_alarm_within(within, sd, 1, seed)));
        row(&format!("{:.0} %", 100.0 * sd), found);
        assert!(found[0] >= least, "sd {sd}: {found:?}");
    }
    println!("\n| a drift over 60 runs, sd | within 30 runs | 45 | 60 |\n|---|---:|---:|---:|");
    for sd in [0.01, 0.02, 0.03] {
        let found = [30, 45, 60].map(|within| share(&|seed| is_alarm_within(within, sd, 60, seed)));
        row(&format!("{:.0} %", 100.0 * sd), found);
        assert!(found[2] >= 0.8, "sd {sd}: {found:?}");
    }
    let alarms = share(&|seed| ever_raises_an_alarm(&steady(seed, 365), 365));
    println!("\n{:.0} of 100 steady paths raise an alarm in a year", 100.0 * alarms);
    assert_at_most(alarms, 0.05, seeds.len(), "paths");
}

/// 10,000 runs with 12 figures each.
fn histories(paths: usize, runs: usize, course: impl Fn(&mut Normal, usize) -> Vec<f64>) -> Vec<Path> {
    let mut normal = Normal::new(3);
    let mut one = |path: usize| {
        let figure = |index: usize| {
            figure(&format!("load {index}/rate-send"), &one_percent(&course(&mut normal, runs)))
        };
        Path::new(&path.to_string(), days(runs), (0..12).map(figure).collect())
            .expect("as many values as runs")
    };
    (0..paths).map(&mut one).collect()
}

fn walk(normal: &mut Normal, runs: usize) -> Vec<f64> {
    let mut at = 0.0;
    let mut next = || {
        at += 0.3 * normal.next();
        at
    };
    (0..runs).map(|_| next()).collect()
}

/// Half of the runs are on another level, which changes eight times.
fn eight_steps(normal: &mut Normal, runs: usize) -> Vec<f64> {
    let noise = white(normal, runs).into_iter().enumerate();
    noise.map(|(run, noise)| noise + if (run * 9 / runs).is_multiple_of(2) { 5.0 } else { 0.0 }).collect()
}

#[test]
#[ignore = "it prints times, and is for optimised builds"]
fn table_of_times() {
    println!("| 10,000 runs, 12 figures | noise | eight steps | random walk |\n|---|---:|---:|---:|");
    for (paths, runs) in [(100, 100), (10, 1000), (1, 10_000)] {
        let courses: [fn(&mut Normal, usize) -> Vec<f64>; 3] = [white, eight_steps, walk];
        let times = courses.map(|course| {
            let histories = histories(paths, runs, course);
            let (found, elapsed) = timed(|| changes(&histories));
            assert_eq!(found.len(), paths);
            format!("{:.2} s", elapsed.as_secs_f64())
        });
        println!("| {paths} paths of {runs} runs | {} |", times.join(" | "));
    }
}
