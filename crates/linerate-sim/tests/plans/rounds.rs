//! Half duplex with the delays that the standard allows its equipment, against a slot process that
//! shares nothing with the model but its numbers.

use rand::RngExt as _;
use rand::SeedableRng as _;
use rand_pcg::Pcg64;
use toml::Value;

use super::shipped::load;

/// A star of equal legs whose stations always have a frame of `frame_bytes`, each sent alone.
struct Star {
    stations: usize,
    /// Between any two stations. Unit: bit times.
    one_way: f64,
    /// Preamble, frame and extension. Unit: bit times.
    event: f64,
    /// Unit: bit times.
    slot: f64,
    /// When each last heard carrier, its own included; when each may begin; its collisions.
    silent: Vec<f64>,
    ready: Vec<f64>,
    collided: Vec<u32>,
}

impl Star {
    fn gigabit(stations: usize, frame_bytes: u64, one_way: f64) -> Self {
        let event = 64.0 + (frame_bytes * 8).max(4096) as f64;
        let (silent, ready) = (vec![-96.0; stations], vec![0.0; stations]);
        Self { stations, one_way, event, slot: 4096.0, silent, ready, collided: vec![0; stations] }
    }

    /// Lets the stations contend until one of them has sent a whole frame; when that ended.
    ///
    /// One round: who would begin first begins, and everyone who begins before it hears that begins
    /// too, at that very instant included. No station can begin again before the others have heard
    /// all of it: their gaps end no earlier than the next carrier arrives.
    fn next_frame(&mut self, random: &mut Pcg64) -> f64 {
        loop {
            let starts: Vec<f64> = self
                .silent
                .iter()
                .zip(&self.ready)
                .map(|(silent, ready)| (silent + 96.0).max(*ready))
                .collect();
            let first = starts.iter().copied().fold(f64::INFINITY, f64::min);
            let begin: Vec<usize> =
                (0..self.stations).filter(|station| starts[*station] <= first + self.one_way).collect();
            if let [winner] = begin[..] {
                let end = first + self.event;
                self.silent.fill(end + self.one_way);
                (self.silent[winner], self.ready[winner], self.collided[winner]) = (end, end, 0);
                return end;
            }
            self.collide(&begin, &starts, random);
        }
    }

    fn collide(&mut self, begun: &[usize], starts: &[f64], random: &mut Pcg64) {
        let heard = |station: usize| {
            let others = begun.iter().filter(|other| **other != station).map(|other| starts[*other]);
            others.fold(f64::INFINITY, f64::min) + self.one_way
        };
        // The preamble is completed, and 32 bits of jam follow.
        let ends: Vec<f64> =
            begun.iter().map(|station| heard(*station).max(starts[*station] + 64.0) + 32.0).collect();
        for station in 0..self.stations {
            let hears = begun
                .iter()
                .zip(&ends)
                .map(|(source, end)| if *source == station { *end } else { end + self.one_way });
            self.silent[station] = hears.fold(0.0, f64::max);
        }
        for (station, end) in begun.iter().zip(ends) {
            self.collided[*station] += 1;
            let slots = if self.collided[*station] == 16 {
                self.collided[*station] = 0;
                0
            } else {
                random.random_range(0..1_u32 << self.collided[*station].min(10))
            };
            self.ready[*station] = end + f64::from(slots) * self.slot;
        }
    }
}

/// The share of time in which bits of frames of 1518 B pass, over 40,000 of them.
fn rounds(stations: usize, one_way: f64) -> f64 {
    let mut random = Pcg64::seed_from_u64(1);
    let mut star = Star::gigabit(stations, 1518, one_way);
    let begin = (0..2_000).map(|_| star.next_frame(&mut random)).last().expect("frames");
    let end = (0..40_000).map(|_| star.next_frame(&mut random)).last().expect("frames");
    40_000.0 * 1518.0 * 8.0 / (end - begin)
}

/// 20 saturated stations at 1 Gb/s with extension and without bursts, on cables of 100 m.
fn hub(changes: &[(&str, f64)]) -> f64 {
    let given = changes.iter().map(|(key, value)| (*key, Value::from(*value)));
    let usual = [
        ("network.stations", Value::from(20)),
        ("load.frame", Value::from(1518)),
        ("load.to", Value::from("next")),
        ("load.time", Value::from("500ms")),
    ];
    load("gigabit-half-duplex-no-burst", &usual.into_iter().chain(given).collect::<Vec<_>>()).efficiency()
}

/// Table B3's cell for 500 bit times, of another program, and three deviations of this run.
#[test]
fn the_slot_process_itself_gives_what_another_program_found() {
    let efficiency = rounds(20, 500.0);
    assert!((efficiency - 0.9272).abs() < 0.003, "{efficiency}");
}

#[test]
fn a_hub_has_the_delays_that_the_standard_allows_stations_and_repeaters() {
    // Two cables of 100 m at 5.56 ns; half of 864 and half of 976 bit times.
    let [cables, equipment] = [1112.0, 432.0 + 488.0];
    let by_rounds = rounds(20, cables + equipment);
    let by_default = hub(&[]);
    assert!((by_default - by_rounds).abs() < 0.006, "{by_default} instead of {by_rounds}");
    assert!((by_default - 0.873).abs() < 0.006, "{by_default}");
    let alone = hub(&[("network.station-delay-bits", 0.0), ("network.repeater-delay-bits", 0.0)]);
    let by_rounds = rounds(20, cables);
    assert!((alone - by_rounds).abs() < 0.006, "{alone} instead of {by_rounds}");
    assert!(alone - by_default > 0.02, "cables alone flatter: {alone} instead of {by_default}");
}
