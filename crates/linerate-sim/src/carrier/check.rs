//! Loads that no model carries, refused before they start.

use linerate_core::traffic::{Bound, DEFAULT_MESSAGE, Load, RrPlan, StreamPlan};
use linerate_core::units::{Rate, Size, Span};

use crate::plan::{ModelError, require};

/// The most packets that one load models: more would take hours.
const MOST_PACKETS: f64 = 1e9;
/// The most intervals of all flows together that are kept. Each takes some 200 bytes at both ends.
const MOST_INTERVALS: u64 = 1 << 18;
/// Payload of the usual packet. Unit: bytes.
const PACKET: f64 = 1460.0;

/// Refuses a load that no model carries, or that would take hours; `payload` is the highest payload
/// rate of one line.
pub(super) fn load(load: &Load, peers: u32, payload: Rate) -> Result<(), ModelError> {
    if let Some(stream) = &load.stream {
        bulk(stream, load.time, peers, payload)?;
    }
    load.rr.as_ref().map_or(Ok(()), |rr| requests(rr, load, peers))
}

fn bulk(stream: &StreamPlan, time: Span, peers: u32, payload: Rate) -> Result<(), ModelError> {
    let bound = stream.bound(time);
    let flows = f64::from(stream.flows) * f64::from(peers) * stream.direction.parts().len() as f64;
    let message = stream.message_bytes(DEFAULT_MESSAGE);
    let (key, bytes) = match bound {
        Bound::Time(span) => ("time", payload.bits_per_second() / 8.0 * span.as_seconds() * 2.0),
        Bound::Bytes(bytes) => ("bytes", flows * bytes as f64),
        Bound::Count(count) => ("count", flows * count as f64 * message as f64),
    };
    let packets = bytes / PACKET.min(message as f64);
    let reason = format!("that is up to {packets:.0} packets, which would take hours; lower it");
    require(packets <= MOST_PACKETS, key, said(bound), &reason)?;
    if let Bound::Time(span) = bound {
        let intervals = (span.as_ps() / stream.interval.as_ps().max(1)).saturating_mul(flows as u64);
        let reason = format!("that is {intervals} intervals of all flows; make it longer");
        require(intervals <= MOST_INTERVALS, "interval", stream.interval, &reason)?;
    }
    Ok(())
}

fn said(bound: Bound) -> String {
    match bound {
        Bound::Time(span) => span.to_string(),
        Bound::Bytes(bytes) => Size(bytes).to_string(),
        Bound::Count(count) => count.to_string(),
    }
}

fn requests(rr: &RrPlan, load: &Load, peers: u32) -> Result<(), ModelError> {
    require(peers == 1, "stations", peers, "requests go to one station; name one that answers")?;
    let reason = "the model opens no connection for every transaction; leave it out";
    require(!rr.connect, "connect", "true", reason)?;
    let asked = match (rr.count, rr.rate) {
        (Some(count), _) => count as f64 * f64::from(rr.flows),
        (None, Some(rate)) => rate * (load.time + rr.warm_up).as_seconds(),
        (None, None) => 0.0,
    };
    let each = 1.0_f64.max((rr.request.0 + rr.response.0) as f64 / PACKET);
    let reason = format!("that is up to {:.0} packets, which would take hours; lower it", asked * each);
    let key = if rr.count.is_some() { "count" } else { "rate" };
    require(
        asked * each <= MOST_PACKETS,
        key,
        rr.count.map_or(rr.rate.unwrap_or(0.0), |count| count as f64),
        &reason,
    )
}
