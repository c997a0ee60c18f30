//! Cautions about bulk and requests.

use crate::caution::Caution;
use crate::run::Run;

/// A pace missed by less than this share counts as kept: the first and the last message are counted
/// differently at the two ends.
pub const PACE_KEPT: f64 = 0.98;

/// The cautions of every load of `run`.
pub(super) fn loads(run: &Run, cautions: &mut Vec<Caution>) {
    let missed = run.transfers.iter().filter_map(|transfer| {
        let asked = transfer.load.stream.as_ref()?.rate?;
        let got = transfer.slowest()?;
        (got.share_of(asked) < PACE_KEPT).then_some((asked, got))
    });
    let worst =
        missed.min_by(|(_, one), (_, other)| one.bits_per_second().total_cmp(&other.bits_per_second()));
    if let Some((asked, got)) = worst {
        cautions.push(Caution::PaceMissed { asked, got });
    }
    let latencies = run.transfers.iter().flat_map(|transfer| &transfer.latencies);
    let unsent = latencies.map(|latency| latency.unsent).fold(0, u64::saturating_add);
    if unsent > 0 {
        cautions.push(Caution::Unsent { requests: unsent });
    }
    let flows = run.transfers.iter().flat_map(|transfer| &transfer.flows);
    let accounts = flows.filter_map(|flow| flow.receiver.datagrams.as_ref());
    let foreign = accounts.map(|datagrams| datagrams.foreign).fold(0, u64::saturating_add);
    if foreign > 0 {
        cautions.push(Caution::Foreign { datagrams: foreign });
    }
}
