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
/// The second half of a load is looked at in this many parts: single looks vary with losses.
const PARTS: usize = 4;
/// It is steady if its fastest part is no more than this above its slowest,
const STEADY: f64 = 1.05;
/// and its beginning was faster if the whole is this much above the fastest.
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
        if looks.len() < FEWEST_LOOKS {
            return None;
        }
        let whole = rate(Span::ZERO, &looks)?;
        let [slowest, fastest] = parts(half, late)?;
        let told = fastest.share_of(slowest) <= STEADY && whole.share_of(fastest) >= FASTER;
        told.then_some(Caution::BeganFaster { whole, later: rate(half, late)? })
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

/// The rate of looks that follow each other from `since` on.
fn rate(since: Span, looks: &[(Span, u64)]) -> Option<Rate> {
    let (until, _) = looks.last()?;
    Rate::of(looks.iter().map(|(_, bytes)| bytes).sum(), until.saturating_sub(since))
}

/// The rates of the slowest and the fastest of a few parts of such looks.
fn parts(since: Span, looks: &[(Span, u64)]) -> Option<[Rate; 2]> {
    let mut before = since;
    let rates = looks.chunks_exact((looks.len() / PARTS).max(1)).map(|part| {
        let of_part = rate(before, part);
        before = part.last().map_or(before, |(until, _)| *until);
        of_part
    });
    let rates: Vec<Rate> = rates.collect::<Option<_>>()?;
    let by_rate = |one: &&Rate, other: &&Rate| one.bits_per_second().total_cmp(&other.bits_per_second());
    let slowest = rates.iter().min_by(by_rate).filter(|rate| rate.bits_per_second() > 0.0)?;
    Some([*slowest, *rates.iter().max_by(by_rate)?])
}
