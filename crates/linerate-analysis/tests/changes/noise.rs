//! Noise without any change, in units of its spread.

use rand::RngExt;
use rand_pcg::Pcg64;

/// A source of normal numbers with a fixed seed.
pub(super) struct Normal {
    random: Pcg64,
}

impl Normal {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: Pcg64::new(u128::from(seed), 1) }
    }

    /// Between 0 and 1.
    pub(super) fn even(&mut self) -> f64 {
        self.random.random()
    }

    /// By Box and Muller.
    pub(super) fn next(&mut self) -> f64 {
        let (one, other) = (1.0 - self.even(), self.even());
        (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos()
    }
}

/// A kind of noise by name.
pub(super) struct Noise {
    pub name: &'static str,
    make: fn(&mut Normal, usize) -> Vec<f64>,
}

impl Noise {
    pub(super) fn series(&self, normal: &mut Normal, runs: usize) -> Vec<f64> {
        (self.make)(normal, runs)
    }
}

pub(super) fn white(normal: &mut Normal, runs: usize) -> Vec<f64> {
    (0..runs).map(|_| normal.next()).collect()
}

fn alike(normal: &mut Normal, runs: usize, correlation: f64) -> Vec<f64> {
    let mut value = normal.next();
    let mut next = || {
        let now = value;
        value = correlation * value + (1.0 - correlation * correlation).sqrt() * normal.next();
        now
    };
    (0..runs).map(|_| next()).collect()
}

fn spikes(normal: &mut Normal, runs: usize, share: f64) -> Vec<f64> {
    let mut value = || normal.next() + if normal.even() < share { 10.0 } else { 0.0 };
    (0..runs).map(|_| value()).collect()
}

fn sine(normal: &mut Normal, runs: usize, period: f64) -> Vec<f64> {
    let phase = normal.even();
    let wave = |run: usize| (std::f64::consts::TAU * (run as f64 / period + phase)).sin();
    (0..runs).map(|run| normal.next() + wave(run)).collect()
}

fn student(normal: &mut Normal) -> f64 {
    let value = normal.next();
    let squares: f64 = (0..3).map(|_| normal.next().powi(2)).sum();
    value / (squares / 3.0).sqrt()
}

/// One spike of ten standard deviations as the last run.
pub(super) fn last_spike(normal: &mut Normal, runs: usize) -> Vec<f64> {
    let mut values = white(normal, runs);
    if let Some(last) = values.last_mut() {
        *last += 10.0;
    }
    values
}

pub(super) const ALL: [Noise; 11] = [
    Noise { name: "white", make: white },
    Noise { name: "AR(1) 0.3", make: |normal, runs| alike(normal, runs, 0.3) },
    Noise { name: "AR(1) 0.6", make: |normal, runs| alike(normal, runs, 0.6) },
    Noise { name: "Student's t, 3", make: |normal, runs| (0..runs).map(|_| student(normal)).collect() },
    Noise {
        name: "lognormal 0.5",
        make: |normal, runs| (0..runs).map(|_| (0.5 * normal.next()).exp()).collect(),
    },
    Noise { name: "spikes, 2 %", make: |normal, runs| spikes(normal, runs, 0.02) },
    Noise { name: "spikes, 5 %", make: |normal, runs| spikes(normal, runs, 0.05) },
    Noise { name: "spikes, 10 %", make: |normal, runs| spikes(normal, runs, 0.10) },
    Noise { name: "last run a spike", make: last_spike },
    Noise { name: "sine of a week", make: |normal, runs| sine(normal, runs, 7.0) },
    Noise { name: "sine of a month", make: |normal, runs| sine(normal, runs, 30.0) },
];

/// Counts of rare things: Poisson numbers of this mean, by the product of uniform numbers (Knuth).
fn counts(normal: &mut Normal, runs: usize, mean: f64) -> Vec<f64> {
    let least = (-mean).exp();
    let mut count = || {
        let (mut product, mut count) = (normal.even(), 0.0);
        while product > least {
            product *= normal.even();
            count += 1.0;
        }
        count
    };
    (0..runs).map(|_| count()).collect()
}

/// Mostly zero; else of any size.
fn bursts(normal: &mut Normal, runs: usize) -> Vec<f64> {
    let mut value = || if normal.even() < 0.7 { 0.0 } else { normal.next().exp() };
    (0..runs).map(|_| value()).collect()
}

/// Values of figures that are often 0.
pub(super) const COUNTS: [Noise; 4] = [
    Noise { name: "Poisson 0.2", make: |normal, runs| counts(normal, runs, 0.2) },
    Noise { name: "Poisson 2", make: |normal, runs| counts(normal, runs, 2.0) },
    Noise { name: "Poisson 20", make: |normal, runs| counts(normal, runs, 20.0) },
    Noise { name: "bursts in 30 %", make: bursts },
];
