//! The measures of a run under load, each defined once for all output formats.

use linerate_core::units::Span;
use linerate_sim::fabric::Loss;
use linerate_sim::load::LoadOutcome;

/// A number that sums up a run.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// Its name in files, with its unit.
    pub name: &'static str,
    /// Its value for a run. Absent where there is nothing to measure, such as the delay if no frame
    /// arrived.
    pub of: fn(&LoadOutcome) -> Option<f64>,
}

/// Every measure, in the order in which files have them. Times are in us, rates in Mb/s (10^6
/// bit/s), shares from 0 to 1 (efficiency may be above 1 where several lines work at once).
pub const MEASURES: [Measure; 26] = [
    Measure { name: "throughput_mbps", of: |run| Some(run.throughput().as_mbps()) },
    Measure { name: "goodput_mbps", of: |run| Some(run.goodput().as_mbps()) },
    Measure { name: "efficiency", of: |run| Some(run.efficiency()) },
    Measure { name: "jain", of: |run| Some(run.fairness()) },
    Measure { name: "offered_frames", of: |run| Some(run.offered as f64) },
    Measure { name: "delivered_frames", of: |run| Some(run.delivered as f64) },
    Measure { name: "queued_frames", of: |run| Some(run.queued as f64) },
    Measure { name: "lost_share", of: |run| share(run, run.all_lost()) },
    Measure { name: "lost_share_excessive_collisions", of: |run| lost(run, Loss::ExcessiveCollisions) },
    Measure { name: "lost_share_late_collision", of: |run| lost(run, Loss::LateCollision) },
    Measure { name: "lost_share_overflow", of: |run| lost(run, Loss::Overflow) },
    Measure { name: "lost_share_error", of: |run| lost(run, Loss::Error) },
    Measure { name: "collisions", of: |run| Some(run.macs().collisions as f64) },
    Measure { name: "collisions_per_frame", of: collisions_per_frame },
    Measure { name: "late_collisions", of: |run| Some(run.macs().late_collisions as f64) },
    Measure { name: "excessive_collisions", of: |run| Some(run.macs().excessive_collisions as f64) },
    Measure { name: "pause_sent", of: |run| Some(run.macs().pause_sent as f64) },
    Measure { name: "pause_received", of: |run| Some(run.macs().pause_received as f64) },
    Measure { name: "paused_us", of: |run| Some(run.macs().paused.as_us()) },
    Measure { name: "delay_mean_us", of: |run| us(run.delay.mean) },
    Measure { name: "delay_p50_us", of: |run| us(run.delay.p50) },
    Measure { name: "delay_p90_us", of: |run| us(run.delay.p90) },
    Measure { name: "delay_p99_us", of: |run| us(run.delay.p99) },
    Measure { name: "delay_p999_us", of: |run| us(run.delay.p999) },
    Measure { name: "delay_max_us", of: |run| us(run.delay.max) },
    Measure { name: "queue_peak_bytes", of: queue_peak },
];

impl Measure {
    /// The measure of this name.
    ///
    /// # Panics
    ///
    /// If it does not exist: names are literals of this program.
    pub fn named(name: &str) -> &'static Self {
        MEASURES.iter().find(|measure| measure.name == name).expect("a measure's name")
    }
}

fn us(span: Option<Span>) -> Option<f64> {
    span.map(Span::as_us)
}

/// As a share of the frames offered. Absent without frames.
fn share(run: &LoadOutcome, frames: u64) -> Option<f64> {
    (run.offered > 0).then(|| frames as f64 / run.offered as f64)
}

fn lost(run: &LoadOutcome, cause: Loss) -> Option<f64> {
    share(run, run.lost.get(&cause).copied().unwrap_or(0))
}

/// Transmissions that collided for each frame that arrived. Absent if no frame arrived.
fn collisions_per_frame(run: &LoadOutcome) -> Option<f64> {
    (run.delivered > 0).then(|| run.macs().collisions as f64 / run.delivered as f64)
}

/// The highest level of any queue or buffer. Absent without one.
fn queue_peak(run: &LoadOutcome) -> Option<f64> {
    run.queues.iter().map(|queue| queue.peak as f64).reduce(f64::max)
}
