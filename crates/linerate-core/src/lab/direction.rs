//! What a link does to the frames that go one way.

mod table;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::emulator::burst_begins;
use super::{HEADER_BYTES, LabPlan, LabPlanError, LinkPlan, require};
use crate::units::{Rate, Size, Span};

pub use table::DirectionPlan;
pub(super) use table::table_with_direction;

/// The usual room for what waits. Unit: bytes.
const USUAL_QUEUE: Size = Size(128 << 10);
/// How long a full bucket lasts at its rate, usually: a tick of a kernel of 250 Hz. A shorter one loses tokens where
/// the host is busy: with 1 ms four senders got 82 Mb/s through 100, on a host that lost most of its time.
const USUAL_BURST: Span = Span::from_ms(4);
/// How many of the largest frames it holds at least, usually.
const LEAST_BURST_FRAMES: u64 = 4;
/// The slowest and the fastest bucket. Unit: Mb/s.
const RATES_MBPS: std::ops::RangeInclusive<f64> = 0.001..=1e6;
/// The longest delay.
const LONGEST_DELAY: Span = Span::from_ms(10_000);
/// How much later a frame comes that others overtake, usually.
const USUAL_REORDER_BY: Span = Span::from_ms(1);

/// What a link does to the frames of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Direction {
    /// The token bucket before it. If absent, as fast as the host.
    pub bucket: Option<Bucket>,
    /// What happens to frames behind it.
    pub impairment: Impairment,
}

/// A token bucket.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bucket {
    /// Of IP packets with 14 bytes of Ethernet header each.
    pub rate: Rate,
    /// What an idle one sends at once. Zero is a plain queue: every frame takes its time. Unit: bytes.
    pub burst: Size,
    /// Room for what waits. Unit: bytes.
    pub queue: Size,
}

/// What happens to frames on their way. Shares are of 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Impairment {
    /// How much later every frame comes.
    pub delay: Span,
    /// And so much more, uniform from zero to this; frames keep their order.
    pub jitter: Span,
    /// The share of frames that are lost.
    pub loss: f64,
    /// How many are lost in a row, on average. If absent, each is lost or not for itself.
    pub loss_burst: Option<f64>,
    /// The share of frames that those behind them may overtake.
    pub reorder: f64,
    /// How much later those come.
    pub reorder_by: Span,
    /// The share of frames that come twice.
    pub duplicate: f64,
    /// The share of frames in which a bit behind the Ethernet header is wrong.
    pub corrupt: f64,
    /// The share of IP packets that are marked CE, if they are ECT.
    pub ecn_mark: f64,
    /// The share of IP packets that are made Not-ECT; none of these is marked.
    pub ecn_bleach: f64,
}

impl Impairment {
    /// Whether frames are delayed at most, all by the same time.
    #[must_use]
    pub fn only_delays(&self) -> bool {
        *self == Self { delay: self.delay, ..Self::default() }
    }
}

impl Direction {
    /// What `link` says of its two directions, and where it says nothing, `plan`. Frames are of `mtu` bytes at most.
    pub(super) fn both(plan: &LabPlan, link: &LinkPlan, mtu: u32) -> Result<[Self; 2], LabPlanError> {
        let same = link.direction_or(&plan.direction_or(&DirectionPlan::default()));
        let of = |own: &Option<DirectionPlan>| {
            let own = own.clone().unwrap_or_default();
            let given = [("link.burst", own.burst.or(link.burst)), ("link.queue", own.queue.or(link.queue))];
            Self::of(&own.direction_or(&same), given, mtu)
        };
        Ok([of(&link.forward)?, of(&link.reverse)?])
    }

    /// What `plan` says; `bucket` is what the link itself says of its bucket besides the rate.
    fn of(
        plan: &DirectionPlan,
        bucket: [(&'static str, Option<Size>); 2],
        mtu: u32,
    ) -> Result<Self, LabPlanError> {
        if plan.rate_mbps.is_none() {
            for (key, given) in bucket {
                let reason = "it belongs to a rate: give link.rate-mbps, or leave it out";
                require(given.is_none(), key, given.unwrap_or_default(), reason)?;
            }
        }
        let bucket = plan.rate_mbps.map(|mbps| Bucket::of(plan, mbps, mtu)).transpose()?;
        Ok(Self { bucket, impairment: Impairment::of(plan)? })
    }
}

impl Bucket {
    fn of(plan: &DirectionPlan, mbps: f64, mtu: u32) -> Result<Self, LabPlanError> {
        require(RATES_MBPS.contains(&mbps), "rate-mbps", mbps, "it must be from 0.001 to 1000000")?;
        let rate = Rate::from_mbps(mbps);
        let frame = u64::from(mtu + HEADER_BYTES);
        let usual = rate.bits_per_second() / 8.0 * USUAL_BURST.as_seconds();
        let usual = Size((usual as u64).max(LEAST_BURST_FRAMES * frame));
        let burst = plan.burst.unwrap_or(usual);
        let queue = plan.queue.unwrap_or(USUAL_QUEUE.max(Size(frame)));
        let fits = |size: Size| (frame..=1 << 30).contains(&size.bytes());
        let sizes = format!("from {frame} B, a frame of the MTU, to 1 GiB");
        let reason = format!("it must be {sizes}, or 0 for a plain queue");
        require(burst.bytes() == 0 || fits(burst), "burst", burst, reason)?;
        require(fits(queue), "queue", queue, format!("it must be {sizes}"))?;
        Ok(Self { rate, burst, queue })
    }
}

impl Impairment {
    fn of(plan: &DirectionPlan) -> Result<Self, LabPlanError> {
        for (key, span) in [("delay", plan.delay), ("jitter", plan.jitter), ("reorder-by", plan.reorder_by)] {
            let span = span.unwrap_or_default();
            require(span <= LONGEST_DELAY, key, span, "it must be at most 10s")?;
        }
        let share = |key, share: Option<f64>| {
            let share = share.unwrap_or_default();
            require((0.0..=1.0).contains(&share), key, share, "it is a share: from 0 to 1")?;
            Ok::<f64, LabPlanError>(share)
        };
        let (loss, reorder) = (share("loss", plan.loss)?, share("reorder", plan.reorder)?);
        let by = plan.reorder_by.unwrap_or(USUAL_REORDER_BY);
        let rules = Self {
            delay: plan.delay.unwrap_or_default(),
            jitter: plan.jitter.unwrap_or_default(),
            loss,
            loss_burst: plan.loss_burst.filter(|_| loss > 0.0),
            reorder,
            reorder_by: if reorder > 0.0 { by } else { Span::ZERO },
            duplicate: share("duplicate", plan.duplicate)?,
            corrupt: share("corrupt", plan.corrupt)?,
            ecn_mark: share("ecn-mark", plan.ecn_mark)?,
            ecn_bleach: share("ecn-bleach", plan.ecn_bleach)?,
        };
        if let Some(burst) = plan.loss_burst {
            let reason = "it must be from 1 to 1000000 frames in a row";
            require((1.0..=1e6).contains(&burst), "loss-burst", burst, reason)?;
            require(plan.loss.is_some(), "loss-burst", burst, "it belongs to a loss: give loss too")?;
            let most = burst / (burst + 1.0);
            let reason = format!("bursts of {burst} frames with one between them lose {most:.3} of all");
            require(burst_begins(rules.loss, burst) <= 1.0, "loss", rules.loss, reason)?;
        }
        Ok(rules)
    }
}

impl fmt::Display for Direction {
    /// What it does, as far as it does something: `100.0 Mb/s, delay 5.00 ms, loss 0.01`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = &self.impairment;
        let rate = self.bucket.map(|bucket| bucket.rate.to_string());
        let spans = [("delay", rules.delay), ("jitter", rules.jitter)];
        let spans = spans.into_iter().filter(|(_, span)| *span > Span::ZERO);
        let shares = [
            ("loss", rules.loss),
            ("reorder", rules.reorder),
            ("duplicate", rules.duplicate),
            ("corrupt", rules.corrupt),
            ("ecn-mark", rules.ecn_mark),
            ("ecn-bleach", rules.ecn_bleach),
        ];
        let shares = shares.into_iter().filter(|(_, share)| *share > 0.0);
        let rules = spans.map(|(name, span)| format!("{name} {span}"));
        let rules = rules.chain(shares.map(|(name, share)| format!("{name} {share}")));
        out.write_str(&rate.into_iter().chain(rules).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests;
