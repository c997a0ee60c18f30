//! What the flows of a load did together, in lines.

use linerate_core::report::{DatagramSum, Departures, DirectionSum, LoadResult};
use linerate_core::run::Run;
use linerate_core::traffic::{Direction, IoReport};

use super::words::{amount, rate, since, time};
use crate::text::{count, digits, percent};

/// What the flows of a load of `run` did together: labels and values, for each direction.
pub(super) fn sums(run: &Run, load: &LoadResult) -> Vec<[String; 2]> {
    load.sums.iter().flat_map(|sum| direction(run, sum)).collect()
}

fn direction(run: &Run, sum: &DirectionSum) -> Vec<[String; 2]> {
    let line = |label: &str, value: String| [label.to_owned(), value];
    let way = if sum.direction == Direction::Receive { "to here" } else { "from here" };
    let mut lines = vec![line(way, whole(sum))];
    lines.extend(sum.datagrams.as_ref().map(|fate| line("datagrams", datagrams(fate))));
    if run.model.is_none() {
        // A model has no threads whose time could be read.
        lines.push(line("processor", processor(sum)));
    }
    lines.extend(sum.departures_us.as_ref().map(|times| line("departures", departures(times))));
    lines.extend(calls(&sum.engines).map(|said| line("engines", said)));
    lines
}

/// The processor time that a gigabyte takes at both ends.
fn processor(sum: &DirectionSum) -> String {
    let [sender, receiver] = sum.cpu_s_per_gb.map(|seconds| match seconds {
        Some(seconds) => format!("{} s", digits(seconds)),
        None => "unknown".to_owned(),
    });
    format!("sender {sender}, receiver {receiver} for 10^9 B, in the flows' threads")
}

/// Rate and amount, and how fairly the flows shared it.
fn whole(sum: &DirectionSum) -> String {
    let mut parts = vec![format!("{} in all, {}", rate(sum.mbps), amount(sum.bytes))];
    if let (Some(fairness), true) = (sum.fairness, sum.complete > 1) {
        parts.push(format!("Jain's index {fairness:.3}"));
    }
    if let Some(later) = sum.fair_after_s {
        let fair = if later > 0.0 { format!("after {}", since(later)) } else { "from the start".to_owned() };
        parts.push(format!("fair {fair}"));
    }
    if sum.stalled + sum.failed > 0 {
        let (stalled, failed) = (count(sum.stalled.into(), "flow"), sum.failed);
        parts.push(format!("{stalled} STALLED and {failed} failed, which the rate leaves out"));
    }
    parts.join(", ")
}

/// What became of the datagrams of all flows of a direction.
fn datagrams(fate: &DatagramSum) -> String {
    let DatagramSum { sent, lost, dropped, .. } = fate;
    let [lost_share, dropped_share] = [fate.lost_share, fate.dropped_share].map(percent);
    format!(
        "of {sent} sent {lost} ({lost_share}) lost on the path, {dropped} ({dropped_share}) dropped by the receiver's socket"
    )
}

/// How far apart the paced messages of each flow of a direction left.
fn departures(times: &Departures) -> String {
    let [median, p99, longest] = [times.p50, times.p99, times.max].map(time);
    format!("median {median} apart, p99 {p99}, {longest} at most")
}

/// What the I/O engines of a direction report. Empty if they only copy.
fn calls(io: &IoReport) -> Option<String> {
    let (asked, copied) = (io.zero_copy_asked, io.zero_copy_copied);
    let mut parts = Vec::new();
    if asked > 0 {
        let share = percent(copied as f64 / asked as f64);
        parts.push(format!("the kernel copied {copied} ({share}) of {asked} zero-copy sends"));
    }
    if io.mapped_bytes > 0 {
        parts.push(format!("{} arrived by mapping pages", amount(io.mapped_bytes)));
    }
    if io.discarded_bytes > 0 {
        parts.push(format!("{} were discarded unread", amount(io.discarded_bytes)));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use linerate_core::stats::Histogram;
    use linerate_core::traffic::{FlowAccount, HalfAccount, Transfer};
    use linerate_core::units::Span;

    use super::*;

    fn flow(flow: u32, io: IoReport, apart: Option<Span>) -> FlowAccount {
        let mut departures = Histogram::default();
        apart.iter().for_each(|span| (0..1_000).for_each(|_| departures.record(*span)));
        let departures = apart.map(|_| departures);
        let sender = HalfAccount { departures, io: Some(io), ..HalfAccount::default() };
        FlowAccount { flow, peer: 0, direction: Direction::Send, sender, receiver: HalfAccount::default() }
    }

    fn said(flows: Vec<FlowAccount>, label: &str) -> Vec<String> {
        let report = crate::fixture::loads(vec![Transfer { flows, ..Transfer::default() }]);
        let lines = sums(&report.runs[0].run, &report.loads[0]);
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
        let expected = "the kernel copied 50 (25.0 %) of 200 zero-copy sends";
        assert_eq!(said(flows, "engines"), [expected]);
        let io = IoReport { mapped_bytes: 2_000_000, discarded_bytes: 5_000_000, ..IoReport::default() };
        let expected = "2.000 MB arrived by mapping pages, 5.000 MB were discarded unread";
        assert_eq!(said(vec![flow(0, io, None)], "engines"), [expected]);
        assert_eq!(said(vec![flow(0, IoReport::default(), None)], "engines"), [""; 0]);
    }
}
