//! The level of a receive buffer, and when to ask for PAUSE because of it.

use linerate_core::units::{Span, Time};

use super::MAX_QUANTA;

/// Levels at which a buffer asks the other end to stop, and to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watermarks {
    /// At this level or above, stop. Unit: bytes.
    pub high: u64,
    /// At this level or below, go on. Unit: bytes.
    pub low: u64,
}

/// Watermarks that no buffer can work with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "watermarks of {low} and {high} bytes do not fit a buffer of {capacity} bytes: low < high <= size is needed"
)]
pub struct UnfitWatermarks {
    /// Unit: bytes.
    pub low: u64,
    /// Unit: bytes.
    pub high: u64,
    /// Unit: bytes.
    pub capacity: u64,
}

/// The result of storing a frame in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Filled {
    /// It is stored.
    Stored,
    /// It is stored and reached the high watermark: the owner sends PAUSE now.
    StoredAndPause,
    /// There was no room for it: the level is as before.
    Overflow,
}

/// The level has come down to the low watermark: the owner sends PAUSE(0) now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Resume;

/// The level of a receive buffer. It counts bytes and keeps no frames; what a byte is (frame or
/// client data) its owner decides, as long as capacity, watermarks and fills agree.
///
/// It asks once each way: PAUSE when the level reaches the high watermark, and then not again until
/// it has returned [`Resume`] at the low one. Meanwhile [`Self::refresh_due`] says when to repeat
/// PAUSE before its quanta expire.
#[derive(Clone, Copy, Debug)]
pub struct Gauge {
    capacity: u64,
    /// If absent, it never asks for PAUSE.
    watermarks: Option<Watermarks>,
    quanta: u16,
    refresh_every: Option<Span>,
    level: u64,
    peak: u64,
    overflows: u64,
    /// When the other end was last asked to stop, if it has not been told to go on.
    asked: Option<Time>,
    changed: Time,
    /// Level x time up to `changed`. Unit: byte picoseconds.
    area: u128,
}

impl Gauge {
    /// An empty buffer of `capacity` bytes that never asks for PAUSE.
    #[must_use]
    pub const fn without_pause(capacity: u64) -> Self {
        Self {
            capacity,
            watermarks: None,
            quanta: MAX_QUANTA,
            refresh_every: None,
            level: 0,
            peak: 0,
            overflows: 0,
            asked: None,
            changed: Time::ZERO,
            area: 0,
        }
    }

    /// An empty buffer of `capacity` bytes that asks for the longest PAUSE and does not repeat it.
    ///
    /// # Errors
    ///
    /// [`UnfitWatermarks`] unless low < high <= capacity.
    pub const fn new(capacity: u64, watermarks: Watermarks) -> Result<Self, UnfitWatermarks> {
        let Watermarks { high, low } = watermarks;
        if low >= high || high > capacity {
            return Err(UnfitWatermarks { low, high, capacity });
        }
        let mut gauge = Self::without_pause(capacity);
        gauge.watermarks = Some(watermarks);
        Ok(gauge)
    }

    /// Asks for `quanta`, and again after each `refresh_every` until it returns [`Resume`]; see
    /// [`super::refresh_interval`].
    #[must_use]
    pub const fn asking(mut self, quanta: u16, refresh_every: Option<Span>) -> Self {
        self.quanta = quanta;
        self.refresh_every = refresh_every;
        self
    }

    /// `bytes` come in.
    pub fn fill(&mut self, now: Time, bytes: u64) -> Filled {
        if self.level + bytes > self.capacity {
            self.overflows += 1;
            return Filled::Overflow;
        }
        self.settle(now, self.level + bytes);
        self.peak = self.peak.max(self.level);
        let reached = self.watermarks.is_some_and(|watermarks| self.level >= watermarks.high);
        if reached && self.asked.is_none() {
            self.asked = Some(now);
            return Filled::StoredAndPause;
        }
        Filled::Stored
    }

    /// `bytes` are gone.
    ///
    /// # Panics
    ///
    /// If it holds fewer.
    pub fn drain(&mut self, now: Time, bytes: u64) -> Option<Resume> {
        assert!(bytes <= self.level, "a buffer gives no more than it holds");
        self.settle(now, self.level - bytes);
        let low = self.watermarks.is_some_and(|watermarks| self.level <= watermarks.low);
        (low && self.asked.take().is_some()).then_some(Resume)
    }

    /// When PAUSE has to be sent again, if it stays as it is: for the owner's timer.
    #[must_use]
    pub fn refresh_at(&self) -> Option<Time> {
        Some(self.asked? + self.refresh_every?)
    }

    /// Whether PAUSE has to be sent again now; true once for each time.
    pub fn refresh_due(&mut self, now: Time) -> bool {
        let due = self.refresh_at().is_some_and(|at| at <= now);
        if due {
            self.asked = Some(now);
        }
        due
    }

    /// What it asks for. Unit: quanta of 512 bit times.
    #[must_use]
    pub const fn quanta(&self) -> u16 {
        self.quanta
    }

    /// How much it can hold. Unit: bytes.
    #[must_use]
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// When it came to hold what it holds.
    #[must_use]
    pub const fn changed(&self) -> Time {
        self.changed
    }

    /// How much it holds. Unit: bytes.
    #[must_use]
    pub const fn level(&self) -> u64 {
        self.level
    }

    /// The most that it held. Unit: bytes.
    #[must_use]
    pub const fn peak(&self) -> u64 {
        self.peak
    }

    /// Fills for which there was no room.
    #[must_use]
    pub const fn overflows(&self) -> u64 {
        self.overflows
    }

    /// The mean of the level over time zero to `now`. Unit: bytes.
    #[must_use]
    pub fn mean_level(&self, now: Time) -> f64 {
        let since = u128::from(now.since(self.changed).as_ps());
        let area = self.area + u128::from(self.level) * since;
        if now == Time::ZERO { self.level as f64 } else { area as f64 / now.as_ps() as f64 }
    }

    fn settle(&mut self, now: Time, level: u64) {
        self.area += u128::from(self.level) * u128::from(now.since(self.changed).as_ps());
        self.changed = now;
        self.level = level;
    }
}
