//! Cautions about bulk and requests.

use std::collections::BTreeSet;

use linerate_core::caution::{Caution, Side};
use linerate_core::plan::Tool;
use linerate_core::run::{Run, State};
use linerate_core::traffic::{Direction, EcnCounts, Ended, FlowAccount, Latency, Transfer};
use linerate_core::units::{Rate, Span};

/// A pace missed by less than this share counts as kept: the first and the last message are counted
/// differently at the two ends.
pub const PACE_KEPT: f64 = 0.98;

/// Fewer looks than this do not show a course.
const FEWEST_LOOKS: usize = 20;
/// The second half of a load is looked at in this many parts: single looks vary with losses.
const PARTS: usize = 4;
/// It is steady if its fastest part is no more than this above its slowest,
const STEADY: f64 = 1.05;
/// or by no more than one such packet of each flow: the largest that a kernel hands to its adaptor, which a
/// shaper may pass whole. Unit: bytes. Source: Linux, `GSO_LEGACY_MAX_SIZE` of linux/netdevice.h.
const LUMP: u64 = 65_536;
/// and its beginning was faster if the whole is this much above the fastest.
const FASTER: f64 = 1.01;

/// Fewer messages, or a shorter time, say little of a rate: caches, windows and clocks of hosts have not settled.
const FEW_MESSAGES: u64 = 10;
const BRIEF: Span = Span::from_ms(10);
/// A response that took so long, and so many times the 99th percentile, met a stall.
const STALL: Span = Span::from_ms(100);
const OUTLIER: u64 = 10;

/// Requests that waited for acknowledgements at this share of the looks were held back by that.
pub(crate) const OFTEN: f64 = 0.1;

/// The cautions of every load of `run`.
pub(super) fn loads(run: &Run, cautions: &mut Vec<Caution>) {
    cautions.extend(links_down(run));
    let waited = run.transfers.iter().flat_map(|transfer| &transfer.latencies);
    let waited = waited.filter_map(Latency::held_by_nagle).fold(0.0, f64::max);
    if waited >= OFTEN {
        cautions.push(Caution::Nagle { share: waited });
    }
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
    // The server of another tool sends until it hears of the end.
    let goes_on = run.plan.hosts().any(|host| Tool::of(host).is_some());
    let cut = |transfer: &Transfer| {
        let flows = transfer.flows.iter().filter(|flow| !(goes_on && flow.direction == Direction::Receive));
        flows.map(FlowAccount::cut_off).sum::<u64>()
    };
    let cut_off: u64 = run.transfers.iter().map(cut).sum();
    if cut_off > 0 {
        cautions.push(Caution::CutOff { bytes: cut_off });
    }
    cautions.extend(accounts_late(run));
    cautions.extend(run.transfers.iter().filter_map(brief).min_by_key(|(span, _)| *span).map(|(_, it)| it));
    cautions.extend(run.transfers.iter().filter_map(omitted).max_by_key(|(n, _)| *n).map(|(_, it)| it));
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
    cautions.extend([Direction::Send, Direction::Receive].into_iter().filter_map(|way| bleached(run, way)));
}

/// Datagrams that went this way and lost their code point of explicit congestion notification.
fn bleached(run: &Run, direction: Direction) -> Option<Caution> {
    let flows = run.transfers.iter().flat_map(|transfer| &transfer.flows);
    let accounts =
        flows.filter(|flow| flow.direction == direction).filter_map(|flow| flow.receiver.datagrams.as_ref());
    let counts = accounts.filter_map(|datagrams| datagrams.ecn).reduce(EcnCounts::plus)?;
    let datagrams = counts.bleached + counts.changed;
    let side = if direction == Direction::Send { Side::Local } else { Side::Remote };
    (datagrams > 0).then(|| Caution::Bleached { side, datagrams, arrived: counts.arrived() })
}

/// The ends that answered and of which only reports came: they say nothing of their hosts.
fn accounts_late(run: &Run) -> impl Iterator<Item = Caution> {
    let watched = |transfer: &&Transfer| transfer.hosts.first().is_some_and(|ours| !ours.is_empty());
    let silent = |transfer: &Transfer| -> Vec<usize> {
        let peers = transfer.hosts.iter().enumerate().skip(1);
        peers.filter(|(_, samples)| samples.is_empty()).map(|(end, _)| end).collect()
    };
    let ends: BTreeSet<usize> = run.transfers.iter().filter(watched).flat_map(silent).collect();
    ends.into_iter().map(|end| Caution::AccountLate { side: side(end), gone: is_gone(run, end) })
}

/// Whether the run broke off, or each of its flows with this end.
fn is_gone(run: &Run, end: usize) -> bool {
    let flows = run.transfers.iter().flat_map(|transfer| &transfer.flows);
    let mut own = flows.filter(|flow| flow.peer as usize + 1 == end).map(|flow| {
        if flow.direction == Direction::Receive { &flow.receiver.ended } else { &flow.sender.ended }
    });
    let failed = |ended: &Ended| matches!(ended, Ended::Failed(_));
    matches!(run.state, State::Failed(_)) || own.next().is_some_and(failed) && own.all(failed)
}

fn side(end: usize) -> Side {
    match end {
        0 => Side::Local,
        1 => Side::Remote,
        more => Side::Other(u32::try_from(more).unwrap_or(u32::MAX)),
    }
}

/// For how long the link of each end was down, of those that were.
fn links_down(run: &Run) -> impl Iterator<Item = Caution> {
    let ends = run.transfers.iter().map(|transfer| transfer.hosts.len()).max().unwrap_or(run.nodes.len());
    // Of curves the whole run is known, of loads each interval.
    let down = |end: usize| -> Span {
        let looks = run.transfers.iter().filter_map(|transfer| transfer.hosts.get(end)).flatten();
        let curve = run.nodes.get(end).filter(|_| run.transfers.is_empty());
        looks.map(|look| look.link_down).chain(curve.map(|node| node.observation.link_down)).sum()
    };
    let downs = (0..ends).map(move |end| Caution::LinkDown { side: side(end), down: down(end) });
    downs.filter(|it| !matches!(it, Caution::LinkDown { down: Span::ZERO, .. }))
}

/// The shortest flow of `transfer` whose rate is that of a burst, if its bytes or messages were bounded.
fn brief(transfer: &Transfer) -> Option<(Span, Caution)> {
    let stream = transfer.load.stream.as_ref().filter(|stream| !stream.lasts())?;
    let flows = transfer.flows.iter().filter(|flow| flow.receiver.bytes > 0).filter_map(|flow| {
        let (bytes, messages) = (flow.receiver.bytes, flow.sender.messages);
        let span = flow.receiver.elapsed()?;
        let few = messages < FEW_MESSAGES || span < BRIEF;
        few.then_some((span, Caution::Brief { bytes, messages, span }))
    });
    // A pace says how long a message takes.
    flows.min_by_key(|(span, _)| *span).filter(|_| stream.rate.is_none())
}

/// Whether closed loops of `transfer` met a stall that their percentiles do not show: how many requests would have
/// been sent meanwhile.
fn omitted(transfer: &Transfer) -> Option<(u64, Caution)> {
    transfer.load.rr.as_ref().filter(|rr| rr.rate.is_none())?;
    let all = Latency::together(&transfer.latencies);
    let (usual, longest) = (all.service.quantile(0.5)?, all.service.max()?);
    let requests = longest.as_ps() / usual.as_ps().max(1);
    // At the 99.9th percentile so many would be seen.
    let seen = requests as f64 >= all.service.count() as f64 / 1_000.0;
    let stall = longest >= STALL && longest >= all.service.quantile(0.99)? * OUTLIER;
    (seen && stall).then_some((requests, Caution::Omitted { longest, requests }))
}

/// Whether bulk began faster than it went on, in either direction.
fn began_faster(transfer: &Transfer) -> Option<Caution> {
    let both = [Direction::Send, Direction::Receive].into_iter();
    both.filter_map(|direction| slower_later(transfer, direction))
        .map(|[whole, later]| Caution::BeganFaster { whole, later })
        .next()
}

/// The rate of all bulk of a direction and the rate of its second half, if it began faster than it went on:
/// then the first holds what buffers or a shaper let through at once, and not only what the path carries.
/// Only a load whose second half is steady can tell, but for what may arrive at once.
pub(crate) fn slower_later(transfer: &Transfer, direction: Direction) -> Option<[Rate; 2]> {
    let stream = transfer.load.stream.as_ref()?;
    // A pace sets the course of a paced load.
    if stream.warm_up > Span::ZERO || stream.rate.is_some() {
        return None;
    }
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
    let flows = transfer.flows.iter().filter(|flow| flow.direction == direction).count();
    let part = end.saturating_sub(half).as_seconds() / PARTS as f64;
    let lumps = (flows as u64 * LUMP) as f64 * 8.0 / part;
    let apart = fastest.bits_per_second() - slowest.bits_per_second();
    let steady = fastest.share_of(slowest) <= STEADY || apart <= lumps;
    (steady && whole.share_of(fastest) >= FASTER).then_some([whole, rate(half, late)?])
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

#[cfg(test)]
mod tests {
    use super::*;
    use linerate_core::kernel::{HostSample, TcpSample};
    use linerate_core::plan::{Load, Plan, StreamPlan};
    use linerate_core::run::Source;
    use linerate_core::traffic::{FlowAccount, HalfAccount, Interval};

    /// A flow that received so many bytes in each 50 ms.
    fn received(bytes: impl IntoIterator<Item = u64>) -> Transfer {
        let look = |(nth, bytes)| Interval { until: Span::from_ms(50) * nth, bytes };
        let looks = (1..).zip(bytes).map(look).collect();
        let flow = FlowAccount {
            flow: 0,
            peer: 0,
            direction: Direction::Send,
            sender: HalfAccount::default(),
            receiver: HalfAccount { looks, ..HalfAccount::default() },
        };
        let load = Load { stream: Some(StreamPlan::default()), ..Load::default() };
        Transfer { flows: vec![flow], load, ..Transfer::default() }
    }

    fn told(transfer: &Transfer) -> Option<[f64; 2]> {
        slower_later(transfer, Direction::Send).map(|rates| rates.map(|rate| rate.as_mbps().round()))
    }

    #[test]
    fn a_shaper_that_let_a_megabyte_through_at_first_is_told() {
        // 10 Mb/s are 62,500 B in 50 ms; the last look counts for nothing.
        let steady = || std::iter::repeat_n(62_500, 40);
        assert_eq!(told(&received(std::iter::once(1_062_500).chain(steady()))), Some([14.0, 10.0]));
        assert_eq!(told(&received(steady())), None);
        assert_eq!(told(&received(std::iter::once(80_000).chain(steady()))), None, "0.7 %");
    }

    #[test]
    fn a_path_that_delivers_lumps_is_steady_and_one_that_wanders_is_not() {
        // 64 KiB come every 52 ms: each fifteenth look or so has none.
        let lumps = (1..=40).map(|nth| if nth % 9 == 0 { 0 } else { 65_536 });
        assert_eq!(
            told(&received(std::iter::once(1_062_500).chain(lumps))).map(|[_, later]| later),
            Some(9.0)
        );
        let wanders = (1..=40).map(|nth| if nth > 30 { 40_000 } else { 62_500 });
        assert_eq!(told(&received(std::iter::once(1_062_500).chain(wanders))), None);
    }

    fn doubts(transfer: Transfer) -> Vec<Caution> {
        let mut cautions = Vec::new();
        let run = Run { transfers: vec![transfer], ..Run::new(Source::Measured, Plan::default()) };
        loads(&run, &mut cautions);
        cautions
    }

    #[test]
    fn a_link_that_was_down_is_told_of_its_end_and_another_is_not() {
        let look = |down| HostSample { link_down: Span::from_ms(down), ..HostSample::default() };
        let hosts = vec![vec![look(0)], vec![look(20), look(0), look(30)], vec![look(0)]];
        let down = Span::from_ms(50);
        assert_eq!(
            doubts(Transfer { hosts, ..Transfer::default() }),
            [Caution::LinkDown { side: Side::Remote, down }]
        );
        let hosts = vec![vec![look(0)], vec![look(0)]];
        assert_eq!(doubts(Transfer { hosts, ..Transfer::default() }), []);
    }

    #[test]
    fn requests_that_often_wait_for_acknowledgements_are_told_and_a_few_are_not() {
        let look = |notsent| TcpSample { notsent, unacked: 1, cwnd: 10, mss: 1_448, ..TcpSample::default() };
        let of = |waiting: usize| {
            let tcp = (0..20).map(|nth| look(if nth < waiting { 100 } else { 0 })).collect();
            let latencies = vec![Latency { tcp, ..Latency::default() }, Latency::default()];
            doubts(Transfer { latencies, ..Transfer::default() })
        };
        assert_eq!(of(2), [Caution::Nagle { share: 0.1 }]);
        assert_eq!(of(1), []);
    }
}
