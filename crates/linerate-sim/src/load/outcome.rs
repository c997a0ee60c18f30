//! The result of a run under load.

use std::collections::BTreeMap;

use linerate_core::caution::Caution;
use linerate_core::units::{Rate, Span};
use serde::{Deserialize, Serialize};

use super::Delays;
use crate::ethernet::network::QueueReport;
use crate::fabric::{Loss, MacCounters};

/// The result of a run under load: rates and delays from the end of the warm-up, counts over the
/// whole run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoadOutcome {
    /// Seed of everything random.
    pub seed: u64,
    /// Rate of one station's line: of its frames' bits, preamble and gap included.
    pub line_rate: Rate,
    /// From the end of the warm-up to the end of the run.
    pub counted: Span,
    /// Events that the model took.
    pub events: u64,
    /// Frames offered. Always the sum of delivered, lost and queued.
    pub offered: u64,
    /// Frames that arrived.
    pub delivered: u64,
    /// Frames lost, by cause.
    pub lost: BTreeMap<Loss, u64>,
    /// Frames that were waiting or on their way at the end, those that a path delays included.
    pub queued: u64,
    /// Copies of frames that a path made and that arrived: in no other count.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeated: u64,
    /// Delay of a frame from offered to arrived. A frame of a saturated sender is offered when the
    /// one before it has left, so its delay includes the wait for the medium and the way.
    pub delay: Delay,
    /// All of them. Not in the outcome's file form; they have one of their own.
    #[serde(skip)]
    pub delays: Delays,
    /// By station.
    pub stations: Vec<StationOutcome>,
    /// Queues and buffers of relays and receivers.
    pub queues: Vec<QueueReport>,
    /// Cautions about the network.
    pub cautions: Vec<Caution>,
}

/// A distribution of delays. Absent without frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delay {
    /// Arithmetic mean.
    pub mean: Option<Span>,
    /// Median.
    pub p50: Option<Span>,
    /// 90th percentile.
    pub p90: Option<Span>,
    /// 99th percentile.
    pub p99: Option<Span>,
    /// 99.9th percentile.
    pub p999: Option<Span>,
    /// The longest.
    pub max: Option<Span>,
}

/// What one station sent, and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct StationOutcome {
    /// Its number.
    pub station: u32,
    /// Whether it sends at all.
    pub sends: bool,
    /// Frames it offered.
    pub offered: u64,
    /// Frames of it that arrived.
    pub delivered: u64,
    /// Frames of it that were lost, by cause.
    pub lost: BTreeMap<Loss, u64>,
    /// Rate of its frames that arrived, as [`Framing::frame_bytes`] counts them.
    ///
    /// [`Framing::frame_bytes`]: crate::framing::Framing::frame_bytes
    pub throughput: Rate,
    /// Rate of the IP packets in them.
    pub goodput: Rate,
    /// Mean delay of its frames.
    pub delay: Option<Span>,
    /// What its MAC counted.
    pub mac: MacCounters,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl LoadOutcome {
    /// Rate of all frames that arrived, from header to check sequence.
    #[must_use]
    pub fn throughput(&self) -> Rate {
        let bits = self.stations.iter().map(|station| station.throughput.bits_per_second()).sum();
        Rate::from_bits_per_second(bits)
    }

    /// Rate of the IP packets in all frames that arrived.
    #[must_use]
    pub fn goodput(&self) -> Rate {
        Rate::from_bits_per_second(
            self.stations.iter().map(|station| station.goodput.bits_per_second()).sum(),
        )
    }

    /// Frames' bits that arrived, as a share of what one line could carry. Above 1 where several
    /// lines work at once.
    #[must_use]
    pub fn efficiency(&self) -> f64 {
        self.throughput().share_of(self.line_rate)
    }

    /// Jain's index of the senders' throughputs: 1 when all are equal, 1/n when one has everything.
    ///
    /// Source: Jain, Chiu and Hawe 1984, DEC-TR-301.
    #[must_use]
    pub fn fairness(&self) -> f64 {
        let senders = self.stations.iter().filter(|station| station.sends);
        let rates: Vec<f64> = senders.map(|station| station.throughput.bits_per_second()).collect();
        let sum: f64 = rates.iter().sum();
        let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
        if squares > 0.0 { sum * sum / (rates.len() as f64 * squares) } else { 1.0 }
    }

    /// What all stations' MACs counted.
    #[must_use]
    pub fn macs(&self) -> MacCounters {
        let mut sum = MacCounters::default();
        for station in &self.stations {
            sum += station.mac;
        }
        sum
    }

    /// Frames lost for any cause.
    #[must_use]
    pub fn all_lost(&self) -> u64 {
        self.lost.values().sum()
    }
}

impl Delay {
    /// The distribution of `delays`, whose sum over `frames` is `sum`.
    #[must_use]
    pub fn of(delays: &Delays, sum: Span, frames: u64) -> Self {
        Self {
            mean: (frames > 0).then(|| sum / frames),
            p50: delays.quantile(0.5),
            p90: delays.quantile(0.9),
            p99: delays.quantile(0.99),
            p999: delays.quantile(0.999),
            max: delays.max(),
        }
    }
}
