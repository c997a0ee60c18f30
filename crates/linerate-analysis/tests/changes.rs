//! Changes over time: series whose truth is known, noise without a change, and what belongs together.

mod events;
mod hostile;
mod ids;
mod known;
mod nights;
mod noise;
mod rates;
mod scale;
mod tables;

use std::time::{Duration, Instant};

use linerate_analysis::changes::{FigureHistory, FigureValues, Path, Run, Standing, Step, changes};
use linerate_analysis::figures::Key;

fn key(text: &str) -> Key {
    text.parse().expect("subject/figure")
}

fn figure(name: &str, values: &[f64]) -> FigureValues {
    FigureValues { key: key(name), values: values.iter().copied().map(Some).collect() }
}

/// A run a day.
fn days(count: usize) -> Vec<Run> {
    let run =
        |day: usize| Run { id: format!("r{day}"), started_us: 86_400_000_000 * day as i64, ..Run::default() };
    (0..count).map(run).collect()
}

/// A path of these figures.
fn path(figures: Vec<FigureValues>) -> Path {
    let runs = figures.first().map_or(0, |figure| figure.values.len());
    Path::new("1:5f1c", days(runs), figures).expect("as many values as runs")
}

/// What is found in one figure alone.
fn found_in(name: &str, values: &[f64]) -> FigureHistory {
    changes(&[path(vec![figure(name, values)])]).remove(0).figures.remove(0)
}

/// What is found in one series of rates alone.
fn found(values: &[f64]) -> FigureHistory {
    found_in("stream/rate-send", values)
}

fn is_confirmed(step: &Step) -> bool {
    step.standing == Standing::Confirmed
}

/// Whether anything was found that may raise an alarm.
fn alarms(history: &FigureHistory) -> bool {
    history.steps.iter().any(is_confirmed) || !history.drifts.is_empty() || !history.spread_changes.is_empty()
}

/// From logarithms in units of their spread, which becomes 1 %.
fn one_percent(noise: &[f64]) -> Vec<f64> {
    noise.iter().map(|noise| 940.0 * (0.01 * noise).exp()).collect()
}

/// What a piece of work gives, and how long it takes.
#[expect(clippy::disallowed_methods, reason = "how long it takes is what is asked")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}
