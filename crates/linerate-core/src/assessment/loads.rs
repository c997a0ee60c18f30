//! Cautions about bulk and requests.

use crate::caution::Caution;
use crate::run::Run;
use crate::traffic::{Direction, Transfer};
use crate::units::{Rate, Span};

/// A pace missed by less than this share counts as kept: the first and the last message are counted
/// differently at the two ends.
pub const PACE_KEPT: f64 = 0.98;

/// Fewer looks than this do not show a course.
const FEWEST_LOOKS: usize = 20;
/// The second half of a load is steady if its fast looks are no more than this above its slow ones,
const STEADY: f64 = 1.1;
/// and its beginning was faster if the whole is this much above it.
const FASTER: f64 = 1.01;

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
    cautions.extend(run.transfers.iter().find_map(began_faster));
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

/// Whether bulk began faster than it went on: then the rate holds what buffers or a shaper let through
/// at once, and not only what the path carries. Only a load whose second half is steady can tell.
fn began_faster(transfer: &Transfer) -> Option<Caution> {
    let stream = transfer.load.stream.as_ref()?;
    if stream.warm_up > Span::ZERO {
        return None;
    }
    [Direction::Send, Direction::Receive].into_iter().find_map(|direction| {
        let looks = looks(transfer, direction);
        let (end, _) = *looks.last()?;
        let from = looks.partition_point(|(until, _)| *until * 2 <= end);
        let (early, late) = looks.split_at(from);
        let (half, _) = *early.last()?;
        if looks.len() < FEWEST_LOOKS || !is_steady(half, late) {
            return None;
        }
        let bytes = |looks: &[(Span, u64)]| looks.iter().map(|(_, bytes)| bytes).sum::<u64>();
        let [whole, later] = [Rate::of(bytes(&looks), end)?, Rate::of(bytes(late), end - half)?];
        (whole.share_of(later) >= FASTER).then_some(Caution::BeganFaster { whole, later })
    })
}

/// What all receivers of a direction counted together at each look: its end, and the bytes in it.
fn looks(transfer: &Transfer, direction: Direction) -> Vec<(Span, u64)> {
    let flows = transfer.flows.iter().filter(|flow| flow.direction == direction);
    let seen: Vec<_> = flows.map(|flow| flow.receiver.seen()).collect();
    let shortest = seen.iter().map(|looks| looks.len()).min().unwrap_or(0);
    // The last one is cut where the flow ends.
    (0..shortest.saturating_sub(1))
        .map(|place| (seen[0][place].until, seen.iter().map(|looks| looks[place].bytes).sum()))
        .collect()
}

/// Whether looks that follow each other from `since` on have much the same rate.
fn is_steady(since: Span, looks: &[(Span, u64)]) -> bool {
    let mut before = since;
    let rate = |(until, bytes): &(Span, u64)| {
        let span = until.saturating_sub(before);
        before = *until;
        Rate::of(*bytes, span).map(Rate::bits_per_second)
    };
    let Some(mut rates) = looks.iter().map(rate).collect::<Option<Vec<f64>>>() else { return false };
    rates.sort_by(f64::total_cmp);
    let tenth = rates.len() / 10;
    let ends = rates.get(tenth).zip(rates.get(rates.len().saturating_sub(1 + tenth)));
    ends.is_some_and(|(slow, fast)| *slow > 0.0 && fast / slow <= STEADY)
}
