//! What is doubtful about bulk streams and requests.

use crate::run::Run;

use super::Caution;

/// A pace that is missed by less than this share is kept: the first and the last message are
/// counted differently at the two ends.
pub const PACE_KEPT: f64 = 0.98;

/// The cautions of every load of `run`.
pub(super) fn loads(run: &Run, cautions: &mut Vec<Caution>) {
    let stall = run.plan.stream.clone().unwrap_or_default().stall;
    let slowest = run.traffic.iter().filter_map(|transfer| transfer.slowest(stall));
    let slowest = slowest.min_by(|one, other| one.bits_per_second().total_cmp(&other.bits_per_second()));
    let asked = run.plan.stream.as_ref().and_then(|stream| stream.rate);
    if let (Some(asked), Some(got)) = (asked, slowest)
        && got.share_of(asked) < PACE_KEPT
    {
        cautions.push(Caution::PaceMissed { asked, got });
    }
    let latencies = run.traffic.iter().flat_map(|transfer| &transfer.latencies);
    let unsent = latencies.map(|latency| latency.unsent).fold(0, u64::saturating_add);
    if unsent > 0 {
        cautions.push(Caution::Unsent { requests: unsent });
    }
    let flows = run.traffic.iter().flat_map(|transfer| &transfer.flows);
    let accounts = flows.filter_map(|flow| flow.receiver.datagrams.as_ref());
    let foreign = accounts.map(|datagrams| datagrams.foreign).fold(0, u64::saturating_add);
    if foreign > 0 {
        cautions.push(Caution::Foreign { datagrams: foreign });
    }
}
