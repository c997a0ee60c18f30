//! When frames leave a queue for a token bucket.

use std::collections::VecDeque;

use crate::lab::Bucket;
use crate::units::{Span, Time};

/// A token bucket with the frames that wait for it. A bucket that holds nothing is a plain queue before a slow wire: a
/// frame leaves when its last bit has.
#[derive(Debug)]
pub(super) struct Shaping {
    bucket: Bucket,
    /// How long a full bucket lasts.
    depth: Span,
    /// When the bucket would be full again, as the generic cell rate algorithm keeps it.  Source: ITU-T I.371, annex A.
    full_at: Time,
    waiting: VecDeque<(Time, u32)>,
    waiting_bytes: u64,
}

impl Shaping {
    pub(super) fn new(bucket: Bucket) -> Self {
        let depth = Span::from_ps((bucket.burst.bytes() as f64 * ps_per_byte(bucket)) as u64);
        Self { bucket, depth, full_at: Time::ZERO, waiting: VecDeque::new(), waiting_bytes: 0 }
    }

    /// When a frame of `bytes` that comes now leaves. None if it finds no room.
    pub(super) fn send(&mut self, now: Time, bytes: u32) -> Option<Time> {
        while let Some((_, bytes)) = self.waiting.pop_front_if(|(at, _)| *at <= now) {
            self.waiting_bytes -= u64::from(bytes);
        }
        let cost = Span::from_ps((f64::from(bytes) * ps_per_byte(self.bucket)).ceil() as u64);
        let full_at = self.full_at.max(now) + cost;
        // Back by what the bucket held.
        let at = Time::from_ps(full_at.as_ps().saturating_sub(self.depth.as_ps())).max(now);
        if at > now {
            if self.waiting_bytes + u64::from(bytes) > self.bucket.queue.bytes() {
                return None;
            }
            self.waiting.push_back((at, bytes));
            self.waiting_bytes += u64::from(bytes);
        }
        self.full_at = full_at;
        Some(at)
    }
}

fn ps_per_byte(bucket: Bucket) -> f64 {
    8e12 / bucket.rate.bits_per_second()
}
