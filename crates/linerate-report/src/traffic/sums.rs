//! What the flows of a load did together, in lines.

use linerate_core::stats::Histogram;
use linerate_core::traffic::{Datagrams, Direction, IoReport, Transfer};
use linerate_core::units::Span;

use super::words::{amount, rate, time};
use crate::text::{count, digits, percent};

/// What the flows of a transfer did together: labels and values, for each direction.
pub(super) fn sums(transfer: &Transfer) -> Vec<[String; 2]> {
    let mut lines = Vec::new();
    for summary in transfer.summaries() {
        let way = if summary.direction == Direction::Receive { "to here" } else { "from here" };
        let mut parts = vec![format!("{} in all, {}", rate(summary.rate), amount(summary.bytes))];
        if let (Some(fairness), true) = (summary.fairness, summary.complete > 1) {
            parts.push(format!("Jain's index {fairness:.3}"));
        }
        if let Some(converged) = summary.converged {
            parts.push(match converged {
                Span::ZERO => "fair from the start".to_owned(),
                later => format!("fair after {later}"),
            });
        }
        if summary.stalled + summary.failed > 0 {
            let (stalled, failed) = (count(summary.stalled.into(), "flow"), summary.failed);
            parts.push(format!("{stalled} STALLED and {failed} failed, which the rate leaves out"));
        }
        lines.push([way.to_owned(), parts.join(", ")]);
        lines.extend(datagrams(transfer, summary.direction).map(|fate| ["datagrams".to_owned(), fate]));
        let cpu = summary.cpu_per_gigabyte.map(|seconds| match seconds {
            Some(seconds) => format!("{} s", digits(seconds)),
            None => "unknown".to_owned(),
        });
        let [sender, receiver] = cpu;
        lines.push([
            "processor".to_owned(),
            format!("sender {sender}, receiver {receiver} for 10^9 B, in the flows' threads"),
        ]);
        lines.extend(departures(transfer, summary.direction).map(|times| ["departures".to_owned(), times]));
        lines.extend(calls(transfer, summary.direction).map(|said| ["engines".to_owned(), said]));
    }
    lines
}

/// What became of the datagrams of all flows of a direction; none where none were sent as such.
fn datagrams(transfer: &Transfer, direction: Direction) -> Option<String> {
    let flows = transfer.flows.iter().filter(|flow| flow.direction == direction);
    let fates: Vec<_> = flows.filter_map(|flow| flow.receiver.datagrams.as_ref()).collect();
    if fates.is_empty() {
        return None;
    }
    let sum = |of: fn(&Datagrams) -> u64| fates.iter().map(|fate| of(fate)).sum::<u64>();
    let (sent, lost) = (sum(|fate| fate.sent), sum(|fate| fate.lost));
    let dropped = sum(|fate| fate.dropped_by_socket);
    let share = |part: u64| percent(part as f64 / sent.max(1) as f64);
    Some(format!(
        "of {sent} sent {lost} ({}) lost on the path, {dropped} ({}) dropped by the receiver's socket",
        share(lost),
        share(dropped)
    ))
}

/// How far apart the paced messages of each flow of a direction left; none of a load without a pace.
fn departures(transfer: &Transfer, direction: Direction) -> Option<String> {
    let flows = transfer.flows.iter().filter(|flow| flow.direction == direction);
    let mut all = Histogram::default();
    flows.filter_map(|flow| flow.sender.departures.as_ref()).for_each(|times| all.add(times));
    let quantile = |share: f64| time(all.resolved(share));
    all.max()
        .map(|longest| format!("median {} apart, p99 {}, {longest} at most", quantile(0.5), quantile(0.99)))
}

/// What the I/O engines of a direction say of themselves; none where they just copy.
fn calls(transfer: &Transfer, direction: Direction) -> Option<String> {
    let flows = transfer.flows.iter().filter(|flow| flow.direction == direction);
    let reports: Vec<_> = flows.flat_map(|flow| [&flow.sender.io, &flow.receiver.io]).flatten().collect();
    let sum = |of: fn(&IoReport) -> u64| reports.iter().map(|report| of(report)).sum::<u64>();
    let (asked, copied) = (sum(|io| io.zero_copy_asked), sum(|io| io.zero_copy_copied));
    let (mapped, discarded) = (sum(|io| io.mapped_bytes), sum(|io| io.discarded_bytes));
    let mut parts = Vec::new();
    if asked > 0 {
        let share = percent(copied as f64 / asked as f64);
        parts.push(format!(
            "the kernel copied {copied} ({share}) of {asked} sends that were to be without a copy"
        ));
    }
    if mapped > 0 {
        parts.push(format!("{} arrived by mapping pages", amount(mapped)));
    }
    if discarded > 0 {
        parts.push(format!("{} were thrown away unread", amount(discarded)));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use linerate_core::traffic::{FlowAccount, HalfAccount};

    use super::*;

    fn flow(flow: u32, io: IoReport, apart: Option<Span>) -> FlowAccount {
        let mut departures = Histogram::default();
        apart.iter().for_each(|span| (0..1_000).for_each(|_| departures.record(*span)));
        let departures = apart.map(|_| departures);
        let sender = HalfAccount { departures, io: Some(io), ..HalfAccount::default() };
        FlowAccount { flow, peer: 0, direction: Direction::Send, sender, receiver: HalfAccount::default() }
    }

    fn said(flows: Vec<FlowAccount>, label: &str) -> Vec<String> {
        let lines = sums(&Transfer { flows, ..Transfer::default() });
        lines.into_iter().filter(|[name, _]| name == label).map(|[_, value]| value).collect()
    }

    #[test]
    fn a_pace_shows_how_far_apart_the_messages_of_all_flows_left() {
        let [early, late] = [80, 120].map(|us| Some(Span::from_us(us)));
        let flows = vec![flow(0, IoReport::default(), early), flow(1, IoReport::default(), late)];
        let [line] = &said(flows, "departures")[..] else { panic!("one direction") };
        assert!(
            line.starts_with("median 80") && line.contains("p99 ") && line.ends_with("at most"),
            "{line}"
        );
        assert_eq!(said(vec![flow(0, IoReport::default(), None)], "departures"), [""; 0]);
    }

    #[test]
    fn engines_say_what_the_kernel_did_and_plain_copies_nothing() {
        let io = IoReport { zero_copy_asked: 100, zero_copy_copied: 25, ..IoReport::default() };
        let flows = vec![flow(0, io.clone(), None), flow(1, io, None)];
        let expected = "the kernel copied 50 (25.0 %) of 200 sends that were to be without a copy";
        assert_eq!(said(flows, "engines"), [expected]);
        let io = IoReport { mapped_bytes: 2_000_000, discarded_bytes: 5_000_000, ..IoReport::default() };
        let expected = "2.000 MB arrived by mapping pages, 5.000 MB were thrown away unread";
        assert_eq!(said(vec![flow(0, io, None)], "engines"), [expected]);
        assert_eq!(said(vec![flow(0, IoReport::default(), None)], "engines"), [""; 0]);
    }
}
