//! What became of the offered load.

use linerate_core::units::{Span, Time};

use super::Delays;
use crate::fabric::Loss;
use crate::frame::Frame;
use crate::framing::Framing;

/// Counts what arrives and what is lost, by the station that sent it.
///
/// [`StationTally::delivered`] and [`StationTally::lost`] count the whole run, for conservation;
/// rates and delays are taken from what arrives after the warm-up.
#[derive(Clone, Debug)]
pub struct Meter {
    warm_up: Time,
    framing: Framing,
    /// The data and the length of the frame before: most frames are as long as it. Unit: bytes.
    latest: (u32, u64),
    stations: Vec<StationTally>,
    delay: Delays,
    delivered: u64,
    repeated: u64,
}

/// What became of one station's frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StationTally {
    /// Frames that arrived.
    pub delivered: u64,
    /// Frames lost, in the order of [`Loss::ALL`].
    pub lost: [u64; Loss::ALL.len()],
    /// Frames that arrived after the warm-up.
    pub counted: u64,
    /// Client data in those. Unit: bytes.
    pub counted_data_bytes: u64,
    /// Length of those as their medium counts it. Unit: bytes.
    pub counted_frame_bytes: u64,
    /// Sum of their delays, from offered to arrived.
    pub delay: Span,
}

impl Meter {
    /// A meter for this many stations on a medium with these frames. It counts rates from
    /// `warm_up`.
    #[must_use]
    pub fn new(stations: usize, warm_up: Time, framing: Framing) -> Self {
        Self {
            warm_up,
            latest: (0, framing.frame_bytes(0)),
            framing,
            stations: vec![StationTally::default(); stations],
            delay: Delays::default(),
            delivered: 0,
            repeated: 0,
        }
    }

    /// A frame arrived.
    pub fn delivered(&mut self, frame: &Frame, now: Time) {
        self.delivered += 1;
        let station = &mut self.stations[frame.source.index()];
        station.delivered += 1;
        if now < self.warm_up {
            return;
        }
        let delay = now.since(frame.offered);
        station.counted += 1;
        station.counted_data_bytes += u64::from(frame.data_bytes);
        if frame.data_bytes != self.latest.0 {
            self.latest = (frame.data_bytes, self.framing.frame_bytes(frame.data_bytes));
        }
        station.counted_frame_bytes += self.latest.1;
        station.delay += delay;
        self.delay.record(delay);
    }

    /// A copy of a frame arrived, made on the way: it counts as nothing else.
    pub const fn repeated(&mut self) {
        self.repeated += 1;
    }

    /// A frame will not arrive.
    pub fn lost(&mut self, frame: &Frame, loss: Loss) {
        self.stations[frame.source.index()].lost[loss as usize] += 1;
    }

    /// Frames that arrived, warm-up included.
    #[must_use]
    pub const fn all_delivered(&self) -> u64 {
        self.delivered
    }

    /// Copies that arrived, warm-up included.
    #[must_use]
    pub const fn all_repeated(&self) -> u64 {
        self.repeated
    }

    /// From when rates and delays are counted.
    #[must_use]
    pub const fn warm_up(&self) -> Time {
        self.warm_up
    }

    /// By station.
    #[must_use]
    pub fn stations(&self) -> &[StationTally] {
        &self.stations
    }

    /// Delay from offered to arrived, after the warm-up.
    #[must_use]
    pub const fn delay(&self) -> &Delays {
        &self.delay
    }
}
