//! What is said of traces in words.

use linerate_analysis::report::{TraceResult, TraceRow};
use linerate_core::run::Run;
use linerate_core::trace::{Means, TracedEnd, Way};
use linerate_core::units::Size;

use crate::stages;
use crate::text::{count, percent, plain};

/// Nanoseconds as microseconds.
pub(super) fn us(ns: i64) -> String {
    stages::us(ns as f64)
}

/// How many messages were traced. Absent if that was not asked for.
pub(crate) fn statement(run: &Run) -> Option<String> {
    let plan = run.plan.trace()?;
    let done = run.trace.as_ref().map_or(0, |trace| trace.sizes.len());
    let of =
        if done < plan.sizes.len() { format!("{done} of {}", plan.sizes.len()) } else { done.to_string() };
    Some(format!(
        "Traced: {} of each of {of} sizes, and their answers.",
        count(plan.messages.into(), "message")
    ))
}

/// What told of the messages, at which end.
pub(super) fn means(run: &Run) -> String {
    let ends = run.trace.as_ref().map_or(&[][..], |trace| &trace.ends);
    let name = |end: &TracedEnd| match end.means {
        Means::EBpf => "eBPF",
        Means::Timestamps => "the kernel's timestamps",
        Means::Model => "the model",
    };
    match ends {
        [one, other] if one.means == other.means && one.means == Means::Model => {
            "told by the model".to_owned()
        }
        [one, other] if one.means == other.means => format!("told by {} at both ends", name(one)),
        [one, other] => format!("told by {} here and by {} there", name(one), name(other)),
        _ => "nothing told".to_owned(),
    }
}

/// How the clocks were compared.
pub(super) fn clocks(result: &TraceResult) -> String {
    stages::clocks(&result.rows.iter().map(|row| row.clocks).collect::<Vec<_>>())
}

/// What is missing or doubtful, a line each.
pub(super) fn remarks(run: &Run, result: &TraceResult) -> Vec<String> {
    let mut lines = Vec::new();
    let ends = run.trace.as_ref().map_or(&[][..], |trace| &trace.ends);
    for (end, place) in ends.iter().zip(["here", "at the responder"]) {
        if let Some(because) = &end.because {
            lines.push(format!("{place}: {}; its kernel's timestamps have fewer points", plain(because)));
        }
        if !end.lacking.is_empty() {
            let names: Vec<String> = end.lacking.iter().map(|name| plain(name)).collect();
            lines.push(format!("{place}: the kernel does not have, or does not give, {}", names.join(", ")));
        }
        if end.others > 0 {
            let programs = count(u64::from(end.others), "program");
            lines.push(format!(
                "{place}: {programs} of others may sit at tracepoints; their time is in the stages"
            ));
        }
    }
    lines.extend(result.rows.iter().filter_map(shortage));
    lines
}

/// What is missing of a row.
fn shortage(row: &TraceRow) -> Option<String> {
    let mut parts = Vec::new();
    if row.messages < row.asked as usize {
        parts.push(format!("{} of {} messages are in the stages", row.messages, row.asked));
    }
    // They are of both ends, and said once.
    if row.lost_events > 0 && row.way == Way::There {
        parts.push(format!("{} found no room", count(row.lost_events, "event")));
    }
    if row.retransmitted > 0 {
        parts.push(format!("something was retransmitted during {}", row.retransmitted));
    }
    let whose = format!("{} {}", Size(row.size), row.way.name());
    (!parts.is_empty()).then(|| format!("{whose}: {}", parts.join("; ")))
}

/// What the trace itself costs, in a sentence. Absent if it was not measured.
pub(super) fn overhead(result: &TraceResult) -> Option<String> {
    let each: Vec<(u64, _)> = result
        .rows
        .iter()
        .filter(|row| row.way == Way::There)
        .filter_map(|row| Some((row.size, row.overhead?)))
        .collect();
    let shown: Vec<String> = each
        .iter()
        .map(|(size, overhead)| {
            format!(
                "{} {} ({} to {})",
                Size(*size),
                more(overhead.median),
                more(overhead.range[0]),
                more(overhead.range[1])
            )
        })
        .collect();
    let turns = each.iter().map(|(_, overhead)| overhead.turns).max()?;
    Some(format!(
        "a round trip takes longer with the trace by: {}; medians of {turns} turns with and without it, and their range",
        shown.join(", ")
    ))
}

/// A share, without the sign of one that is shown as nothing.
fn more(share: f64) -> String {
    const LEAST: f64 = 5e-4;
    percent(if share.abs() < LEAST { 0.0 } else { share })
}

/// Where programs and timestamps told of the same messages: how far their medians are apart at most.
pub(super) fn stamped(result: &TraceResult) -> Option<String> {
    let names = ["at the queue", "at the driver", "on arrival"];
    let most = |nth: usize| {
        result.rows.iter().filter_map(|row| row.stamped_ns[nth]).max_by_key(|ns| ns.unsigned_abs())
    };
    let parts: Vec<String> = names
        .iter()
        .enumerate()
        .filter_map(|(nth, name)| Some(format!("{} us {name}", us(most(nth)?.abs()))))
        .collect();
    (!parts.is_empty()).then(|| {
        format!("the kernel's own timestamps of the same messages differ by at most {}", parts.join(", "))
    })
}
