//! What the flows of a load did together, in lines.

use linerate_analysis::report::{DatagramSum, Departures, DirectionSum, LoadResult};
use linerate_core::run::Run;
use linerate_core::traffic::{Direction, EcnCounts, IoReport};
use linerate_core::transport::Transport;

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
    lines.extend(sum.datagrams.and_then(|fate| fate.ecn).map(|counts| line("ECN", ecn(&counts))));
    if run.model.is_none() {
        // A model has no threads whose time could be read.
        lines.push(line("processor", processor(run, sum)));
    }
    lines.extend(sum.departures_us.as_ref().map(|times| line("departures", departures(times))));
    lines.extend(calls(&sum.engines).map(|said| line("engines", said)));
    lines
}

/// The processor time that a gigabyte takes at both ends.
fn processor(run: &Run, sum: &DirectionSum) -> String {
    let [sender, receiver] = sum.cpu_s_per_gb.map(|seconds| match seconds {
        Some(seconds) => format!("{} s", digits(seconds)),
        None => "unknown".to_owned(),
    });
    // QUIC's protocol runs on threads of its library, which no flow owns.
    let library = run.plan.common.transport == Transport::Quic;
    let besides =
        if library { "; the threads of the QUIC library take more, which is not counted" } else { "" };
    format!("sender {sender}, receiver {receiver} for 10^9 B, in the flows' threads{besides}")
}

/// Rate and amount, and how fairly the flows shared it.
fn whole(sum: &DirectionSum) -> String {
    let later = sum.later_mbps.map(|later| format!("{} in the second half, ", rate(Some(later))));
    let later = later.unwrap_or_default();
    let mut parts = vec![format!("{} in all, {later}{}", rate(sum.mbps), amount(sum.bytes))];
    if let (Some(fairness), true) = (sum.fairness, sum.complete + sum.stalled + sum.failed > 1) {
        parts.push(format!("Jain's index {fairness:.3}"));
    }
    if let Some(later) = sum.fair_after_s {
        let fair = if later > 0.0 { format!("after {}", since(later)) } else { "from the start".to_owned() };
        parts.push(format!("fair {fair}"));
    }
    parts.extend((sum.stalled > 0).then(|| format!("{} STALLED", count(sum.stalled.into(), "flow"))));
    parts.extend((sum.failed > 0).then(|| format!("{} FAILED", count(sum.failed.into(), "flow"))));
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

/// How the datagrams that arrived were marked.
fn ecn(counts: &EcnCounts) -> String {
    let (EcnCounts { marked, bleached, changed, .. }, arrived) = (counts, counts.arrived());
    let share = percent(*marked as f64 / arrived.max(1) as f64);
    let other = if *changed > 0 { format!(", {changed} changed") } else { String::new() };
    let sent_as = counts.sent_as.code_point();
    format!("sent {sent_as}; {marked} of {arrived} ({share}) arrived CE, {bleached} bleached{other}")
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
mod tests;
