//! A source of frames at one station.

use std::collections::VecDeque;

use linerate_core::units::{Span, Time};
use rand::RngExt as _;
use rand_pcg::Pcg64;

use crate::frame::{Content, Destination, Frame, Station};
use crate::random::{Purpose, stream};

/// When a source offers frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Whenever the medium can take one: the source always has a frame.
    Saturated,
    /// At exponentially distributed intervals of this mean.
    Poisson(Span),
    /// At equal intervals, from a random phase.
    Periodic(Span),
    /// At equal intervals while it is on.
    OnOff {
        /// From a frame to the next while it is on.
        step: Span,
        /// How long it is on, on average.
        on: Span,
        /// And off.
        off: Span,
        /// Whether these times are all alike; otherwise they are exponential.
        fixed: bool,
    },
    /// This many bytes of client data at once, in whole frames, and again after each period. Every
    /// such source begins at the same instant.
    Burst {
        /// Unit: bytes.
        bytes: u64,
        /// From one to the next.
        every: Span,
    },
}

/// How large frames are: sizes and how often each comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Client data of a frame (bytes), and the sum of the weights up to and including it.
    steps: Vec<(u32, u64)>,
}

impl Mix {
    /// A mix of sizes (client data, bytes) with their weights. Absent if all weights are zero.
    #[must_use]
    pub fn new(sizes: &[(u32, u32)]) -> Option<Self> {
        let mut sum = 0;
        let step = |(size, weight): &(u32, u32)| {
            sum += u64::from(*weight);
            (*size, sum)
        };
        let steps: Vec<_> = sizes.iter().map(step).collect();
        (sum > 0).then_some(Self { steps })
    }

    /// Frames of one size only. Unit: bytes of client data.
    #[must_use]
    pub fn only(size: u32) -> Self {
        Self { steps: vec![(size, 1)] }
    }

    /// The sizes and their weights.
    pub fn sizes(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let before = std::iter::once(0).chain(self.steps.iter().map(|(_, sum)| *sum));
        self.steps.iter().zip(before).map(|((size, sum), before)| (*size, sum - before))
    }

    /// The mean of `of` over the sizes, by their weights.
    pub fn mean(&self, of: impl Fn(u32) -> f64) -> f64 {
        let weighed: f64 = self.sizes().map(|(size, weight)| of(size) * weight as f64).sum();
        weighed / self.steps.last().map_or(1.0, |(_, sum)| *sum as f64)
    }

    fn draw(&self, random: &mut Pcg64) -> u32 {
        let [only] = self.steps[..] else {
            let total = self.steps.last().map_or(1, |(_, sum)| *sum);
            let at = random.random_range(0..total);
            let index = self.steps.partition_point(|(_, sum)| *sum <= at);
            return self.steps[index].0;
        };
        only.0
    }
}

/// To whom a source sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Targets {
    /// Always to one station.
    One(Station),
    /// To any other of this many stations, each equally likely.
    Random(u32),
}

/// A source of frames at one station.
#[derive(Debug)]
pub struct Generator {
    station: Station,
    arrivals: Arrivals,
    mix: Mix,
    targets: Targets,
    /// Most frames that wait at the station.
    queue_frames: usize,
    queue: VecDeque<Frame>,
    made: u64,
    last_arrival: Option<Time>,
    /// Since when the next frame of a saturated source waits: the one before it has left since then.
    head_since: Time,
    /// Until when an on-off source is on.
    on_until: Time,
    /// The rest of the current burst. Unit: bytes.
    left: u64,
    random: Streams,
}

#[derive(Debug)]
struct Streams {
    arrival: Pcg64,
    size: Pcg64,
    destination: Pcg64,
    phase: Pcg64,
    period: Pcg64,
}

impl Generator {
    /// A source at `station`, of whose frames at most `queue_frames` wait there.
    #[must_use]
    pub fn new(
        station: Station,
        arrivals: Arrivals,
        mix: Mix,
        targets: Targets,
        queue_frames: usize,
    ) -> Self {
        Self {
            station,
            arrivals,
            mix,
            targets,
            queue_frames,
            queue: VecDeque::new(),
            made: 0,
            last_arrival: None,
            head_since: Time::ZERO,
            on_until: Time::ZERO,
            left: 0,
            random: Streams::of(0, station.0),
        }
    }

    /// The same source with the random numbers of `seed`, drawn as the station numbered `stream`.
    #[must_use]
    pub fn seeded(mut self, seed: u64, stream: u32) -> Self {
        self.random = Streams::of(seed, stream);
        self
    }

    /// Where it is.
    #[must_use]
    pub const fn station(&self) -> Station {
        self.station
    }

    /// Frames that wait at the station.
    #[must_use]
    pub fn queued(&self) -> u64 {
        self.queue.len() as u64
    }

    /// Frames offered so far, those without room included.
    #[must_use]
    pub const fn offered(&self) -> u64 {
        self.made
    }

    /// When the next frame is offered. Absent for a saturated source, which always has one.
    pub fn next_arrival(&mut self, now: Time) -> Option<Time> {
        let interval = match (self.arrivals, self.last_arrival) {
            (Arrivals::Saturated, _) => return None,
            (Arrivals::Poisson(mean), _) => exponential(mean, &mut self.random.arrival),
            (Arrivals::Periodic(every), None) => every_fraction(every, &mut self.random.phase),
            (Arrivals::Periodic(every), Some(_)) => every,
            (Arrivals::OnOff { step, on, off, fixed }, _) => self.within_on(now, step, [on, off], fixed),
            (Arrivals::Burst { bytes, every }, last) => self.within_burst(bytes, every, last.is_some()),
        };
        let when = now + interval;
        self.last_arrival = Some(when);
        Some(when)
    }

    /// From `now` to the next frame of a source whose clock of frames runs only while it is on.
    fn within_on(&mut self, now: Time, step: Span, [on, off]: [Span; 2], fixed: bool) -> Span {
        let random = &mut self.random;
        let mut draw = |mean: Span| if fixed { mean } else { exponential(mean, &mut random.period) };
        let (mut at, mut left) = (now, step);
        if self.last_arrival.is_none() {
            // It begins somewhere in a period, as if it had been on and off for long.
            let into = every_fraction(on + off, &mut random.phase);
            left = every_fraction(step, &mut random.arrival);
            self.on_until = if into < on { now + (on - into) } else { now };
            if into >= on {
                at = now + (on + off - into);
                self.on_until = at + draw(on);
            }
        }
        while left > self.on_until.since(at) {
            left = left - self.on_until.since(at);
            at = self.on_until + draw(off);
            self.on_until = at + draw(on);
        }
        (at + left).since(now)
    }

    /// From a frame of a burst to the next.
    fn within_burst(&mut self, bytes: u64, every: Span, begun: bool) -> Span {
        if self.left > 0 {
            return Span::ZERO;
        }
        self.left = bytes;
        if begun { every } else { Span::ZERO }
    }

    /// Offers a frame now; returns it if there is no room.
    ///
    /// # Errors
    ///
    /// The frame, if the queue is full.
    pub fn offer(&mut self, now: Time) -> Result<(), Frame> {
        let frame = self.make(now);
        if self.queue.len() >= self.queue_frames {
            return Err(frame);
        }
        self.queue.push_back(frame);
        Ok(())
    }

    /// The frame to send next. A saturated source offers it at the instant at which the one before
    /// it left the station.
    pub fn next(&mut self, now: Time) -> Option<Frame> {
        if self.arrivals != Arrivals::Saturated {
            return self.queue.pop_front();
        }
        let offered = self.head_since.min(now);
        // If the medium takes another before this one has left, both have waited from now on.
        self.head_since = now;
        Some(self.make(offered))
    }

    /// A frame of it leaves its station whole, or is given up there, at `at`, now or later.
    pub const fn left(&mut self, at: Time) {
        self.head_since = at;
    }

    fn make(&mut self, offered: Time) -> Frame {
        let to = match self.targets {
            Targets::One(station) => station,
            Targets::Random(stations) => {
                let other = self.random.destination.random_range(0..stations - 1);
                Station(if other >= self.station.0 { other + 1 } else { other })
            }
        };
        let number = self.made;
        self.made += 1;
        let data_bytes = self.mix.draw(&mut self.random.size);
        self.left = self.left.saturating_sub(data_bytes.max(1).into());
        Frame {
            source: self.station,
            destination: Destination::Station(to),
            data_bytes,
            content: Content::Load(number),
            offered,
        }
    }
}

impl Streams {
    fn of(seed: u64, station: u32) -> Self {
        Self {
            arrival: stream(seed, station, Purpose::Arrival),
            size: stream(seed, station, Purpose::Size),
            destination: stream(seed, station, Purpose::Destination),
            phase: stream(seed, station, Purpose::Phase),
            period: stream(seed, station, Purpose::Period),
        }
    }
}

/// An exponentially distributed span. The logarithm is `libm`'s, the same on every machine.
fn exponential(mean: Span, random: &mut Pcg64) -> Span {
    let uniform: f64 = random.random();
    Span::from_seconds(-mean.as_seconds() * libm::log(1.0 - uniform))
}

/// A uniformly distributed span from zero to `whole`.
fn every_fraction(whole: Span, random: &mut Pcg64) -> Span {
    Span::from_ps(random.random_range(0..=whole.as_ps()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_keeps_its_weights_and_drops_what_has_none() {
        let mix = Mix::new(&[(46, 7), (500, 0), (1500, 1)]).expect("some weight");
        assert_eq!(mix.sizes().collect::<Vec<_>>(), [(46, 7), (500, 0), (1500, 1)]);
        let mut random = stream(1, 0, Purpose::Size);
        let drawn: Vec<u32> = (0..8000).map(|_| mix.draw(&mut random)).collect();
        let count = |size| drawn.iter().filter(|drawn| **drawn == size).count() as f64;
        assert!((count(46) / 7000.0 - 1.0).abs() < 0.02, "{}", count(46));
        assert!((count(1500) / 1000.0 - 1.0).abs() < 0.1, "{}", count(1500));
        assert_eq!(Mix::new(&[(46, 0)]), None);
    }

    #[test]
    fn poisson_intervals_have_mean_and_deviation_alike() {
        let mut random = stream(3, 0, Purpose::Arrival);
        let draws: Vec<f64> =
            (0..40_000).map(|_| exponential(Span::from_us(10), &mut random).as_us()).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / draws.len() as f64;
        assert!((mean / 10.0 - 1.0).abs() < 0.02, "{mean}");
        assert!((variance.sqrt() / 10.0 - 1.0).abs() < 0.03, "{variance}");
    }

    /// When a source offers frames until `end`.
    fn moments(arrivals: Arrivals, end: Time) -> Vec<Time> {
        let to = Targets::One(Station(1));
        let mut generator = Generator::new(Station(0), arrivals, Mix::only(1000), to, 1_000_000).seeded(9, 0);
        let mut moments = Vec::new();
        let mut now = Time::ZERO;
        while let Some(when) = generator.next_arrival(now).filter(|when| *when < end) {
            now = when;
            moments.push(now);
            generator.offer(now).expect("there is room");
        }
        moments
    }

    #[test]
    fn an_on_off_source_keeps_its_rate_while_it_is_on_and_its_share_of_the_time() {
        let [on, off] = [2, 6].map(Span::from_ms);
        let end = Time::ZERO + Span::from_ms(8_000);
        for fixed in [true, false] {
            let step = Span::from_us(10);
            let moments = moments(Arrivals::OnOff { step, on, off, fixed }, end);
            // A quarter of 800,000; exponential times spread by a few per cent over 1000 periods.
            let share = moments.len() as f64 / 800_000.0;
            assert!((share / 0.25 - 1.0).abs() < if fixed { 0.001 } else { 0.1 }, "{share}");
            let gaps = moments.windows(2).map(|pair| pair[1].since(pair[0]));
            let apart = gaps.clone().filter(|gap| *gap > step).count();
            assert!(gaps.clone().all(|gap| gap >= step));
            assert!((800..1200).contains(&apart), "{apart} times off");
            if fixed {
                assert!(gaps.filter(|gap| *gap > step).all(|gap| gap == step + off));
            }
        }
    }

    #[test]
    fn a_burst_is_offered_at_one_instant_in_whole_frames() {
        let every = Span::from_ms(3);
        let end = Time::ZERO + Span::from_ms(9);
        let moments = moments(Arrivals::Burst { bytes: 4_500, every }, end);
        let expected = (0..3).flat_map(|burst| [Time::ZERO + every * burst; 5]);
        assert_eq!(moments, expected.collect::<Vec<_>>());
    }

    #[test]
    fn random_targets_are_all_others_alike() {
        let mix = Mix::only(46);
        let mut generator =
            Generator::new(Station(1), Arrivals::Saturated, mix, Targets::Random(4), 0).seeded(5, 1);
        let mut seen = [0_u32; 4];
        for _ in 0..3000 {
            let frame = generator.next(Time::ZERO).expect("it is saturated");
            let Destination::Station(to) = frame.destination else { panic!("{frame:?} is for one station") };
            seen[to.index()] += 1;
        }
        assert_eq!(seen[1], 0, "never to itself");
        assert!([0, 2, 3].iter().all(|other| (900..1100).contains(&seen[*other])), "{seen:?}");
    }

    #[test]
    fn a_full_queue_gives_the_frame_back_and_counts_it_as_offered() {
        let every = Arrivals::Periodic(Span::from_us(1));
        let mut generator = Generator::new(Station(0), every, Mix::only(46), Targets::One(Station(1)), 2);
        assert!(generator.offer(Time::ZERO).is_ok() && generator.offer(Time::ZERO).is_ok());
        assert!(generator.offer(Time::ZERO).is_err());
        assert_eq!((generator.offered(), generator.queued()), (3, 2));
    }
}
