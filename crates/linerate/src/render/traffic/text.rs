//! Loads as plain text for people.

use linerate_core::kernel::limit::Holder;
use linerate_core::run::Run;
use linerate_core::traffic::{Class, Direction, FlowAccount, StreamPlan, Summary, Transfer};
use linerate_core::units::{Rate, Span};

use super::super::columns::{Column, fit};
use super::super::table::item;
use super::super::text::{digits, percent, plain, wrap};

/// Below this no table is made: the numbers alone need it.
const NARROWEST: usize = 40;
/// More flows than this are shown by the slowest and the fastest of them.
const MOST_ROWS: usize = 16;

/// The loads of `run` as text of about `width` columns. No colours, no control codes.
pub(crate) fn text(run: &Run, width: u16) -> String {
    let width = usize::from(width).max(NARROWEST);
    let stream = run.plan.stream.clone().unwrap_or_default();
    let mut blocks = vec![headline(run, &stream, width)];
    if run.traffic.iter().any(|transfer| !transfer.label.is_empty()) {
        blocks.push(fitted(table_columns(run, &stream), width));
    } else {
        for transfer in &run.traffic {
            blocks.push(flows(transfer, &stream, width));
            blocks.push(summaries(transfer, &stream, width));
            blocks.push(held_back(transfer, run, stream.stall, width));
        }
    }
    let caution = |caution: &linerate_core::caution::Caution| {
        wrap(&format!("! {}; {}", plain(&caution.finding()), caution.advice()), width, 2)
    };
    blocks.push(run.cautions.iter().map(caution).collect::<Vec<_>>().join("\n"));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

fn headline(run: &Run, stream: &StreamPlan, width: usize) -> String {
    let flows = match stream.flows {
        1 => "one flow".to_owned(),
        flows => format!("{flows} flows"),
    };
    let way = match stream.direction {
        Direction::Send => "from here",
        Direction::Receive => "to here",
        Direction::Both => "each way",
    };
    let what = format!("stream over {}, {flows} {way}", plain(&run.path.transport));
    let bound = match (stream.bytes, stream.count) {
        (Some(bytes), _) => format!("{bytes} a flow"),
        (None, Some(count)) => format!("{count} messages a flow"),
        (None, None) => match stream.warm_up {
            Span::ZERO => run.plan.time.to_string(),
            warm_up => format!("{} after {warm_up} of warm-up", run.plan.time),
        },
    };
    let paced = stream.rate.map_or_else(String::new, |rate| format!(", paced to {rate} a direction"));
    [
        wrap(&what, width, 2),
        item("path", &plain(&format!("{} -> {}", run.path.local, run.path.remote)), width),
        item("bound", &format!("{bound}{paced}"), width),
        item("calls", &io(run), width),
    ]
    .join("\n")
}

/// How the bytes were moved, and whether the application got them.
fn io(run: &Run) -> String {
    let socket = &run.plan.socket;
    let (send, receive) = (socket.io, socket.receives());
    let both = if send == receive { send.to_string() } else { format!("{send}, and {receive} in") };
    let delivered = if receive.delivers() { "copied to the application" } else { "thrown away unread" };
    let touched = if run.plan.memory.touch { " and read by it" } else { "" };
    format!("{both}; what arrives is {delivered}{touched}")
}

/// A row for each flow, or for the fastest and the slowest.
fn flows(transfer: &Transfer, stream: &StreamPlan, width: usize) -> String {
    let mut chosen: Vec<&FlowAccount> = transfer.flows.iter().collect();
    let all = chosen.len();
    if all > MOST_ROWS {
        let speed = |flow: &&FlowAccount| flow.rate().map_or(0.0, Rate::bits_per_second);
        chosen.sort_by(|one, other| speed(other).total_cmp(&speed(one)));
        chosen.drain(MOST_ROWS / 2..all - MOST_ROWS / 2);
    }
    let text = fitted(flow_columns(transfer, &chosen, stream), width);
    if chosen.len() == all {
        return text;
    }
    let note = format!("  the {0} fastest and the {0} slowest of {all} flows", MOST_ROWS / 2);
    format!("{text}\n{note}")
}

fn flow_columns(transfer: &Transfer, flows: &[&FlowAccount], stream: &StreamPlan) -> Vec<Column> {
    let cells = |cell: &dyn Fn(&FlowAccount) -> String| flows.iter().map(|flow| cell(flow)).collect();
    let summaries = transfer.summaries(stream.stall);
    let sum = |flow: &FlowAccount| {
        let summary = summaries.iter().find(|summary| summary.direction == flow.direction)?;
        summary.rate.map(Rate::bits_per_second)
    };
    let share = |flow: &FlowAccount| match (flow.class(stream.stall), flow.rate(), sum(flow)) {
        (Class::Complete, Some(rate), Some(sum)) => percent(rate.bits_per_second() / sum),
        _ => "-".to_owned(),
    };
    let last = |flow: &FlowAccount| flow.sender.tcp.last().cloned();
    vec![
        Column::new("flow", 0, cells(&|flow| format!("#{}", flow.flow + 1))),
        Column::new("way", 3, cells(&|flow| flow.direction.to_string())),
        Column::new("received", 2, cells(&|flow| amount(flow.receiver.bytes))),
        Column::new("sent in", 4, cells(&|flow| time(flow.sender.elapsed()))),
        Column::new("received in", 1, cells(&|flow| time(flow.receiver.elapsed()))),
        Column::new("rate", 0, cells(&|flow| speed(flow, stream.stall))),
        Column::new("share", 5, cells(&share)),
        Column::new("rtt", 6, cells(&|flow| time(last(flow).map(|sample| sample.rtt)))),
        Column::new(
            "sent again",
            6,
            cells(&|flow| last(flow).map_or_else(|| "-".to_owned(), |sample| sample.retransmits.to_string())),
        ),
        Column::new(
            "lost",
            1,
            cells(&|flow| {
                flow.receiver.datagrams.as_ref().map_or_else(|| "-".to_owned(), |fate| fate.lost.to_string())
            }),
        ),
        Column::new(
            "dropped by the host",
            1,
            cells(&|flow| {
                let fate = flow.receiver.datagrams.as_ref();
                fate.map_or_else(|| "-".to_owned(), |fate| fate.dropped_by_socket.to_string())
            }),
        ),
    ]
}

/// A row of netperf's table: a load, its first flow, and the sum of its flows.
type Row<'a> = (&'a Transfer, &'a FlowAccount, Option<Summary>);

/// netperf's table: a row for each load.
fn table_columns(run: &Run, stream: &StreamPlan) -> Vec<Column> {
    let rows: Vec<Row<'_>> = run
        .traffic
        .iter()
        .filter_map(|transfer| {
            let first = transfer.flows.first()?;
            Some((transfer, first, transfer.summaries(stream.stall).into_iter().next()))
        })
        .collect();
    let cells = |cell: &dyn Fn(&Row<'_>) -> String| rows.iter().map(cell).collect();
    let buffer = |fact: &linerate_core::environment::Fact<u64>| {
        fact.known().map_or_else(|| "-".to_owned(), u64::to_string)
    };
    vec![
        Column::new("asked", 2, cells(&|(transfer, ..)| transfer.label.clone())),
        Column::new("receive buffer B", 0, cells(&|(_, flow, _)| buffer(&flow.receiver.granted.rcvbuf))),
        Column::new("send buffer B", 0, cells(&|(_, flow, _)| buffer(&flow.sender.granted.sndbuf))),
        Column::new(
            "message B",
            0,
            cells(&|(_, flow, _)| {
                let messages = flow.sender.messages.max(1);
                (flow.sender.bytes / messages).to_string()
            }),
        ),
        Column::new(
            "elapsed s",
            0,
            cells(&|(_, flow, _)| {
                flow.receiver
                    .elapsed()
                    .map_or_else(|| "-".to_owned(), |span| format!("{:.3}", span.as_seconds()))
            }),
        ),
        Column::new(
            "10^6 bit/s",
            0,
            cells(&|(_, flow, summary)| match flow.class(stream.stall) {
                Class::Complete => summary
                    .as_ref()
                    .and_then(|summary| summary.rate)
                    .map_or_else(|| "-".to_owned(), |rate| format!("{:.2}", rate.as_mbps())),
                _ => speed(flow, stream.stall),
            }),
        ),
    ]
}

/// The flow's rate, or the class that it has instead.
fn speed(flow: &FlowAccount, stall: Span) -> String {
    match flow.class(stall) {
        Class::Complete => flow.rate().map_or_else(|| "-".to_owned(), |rate| rate.to_string()),
        Class::Stalled(silent) => format!("STALLED {silent}"),
        Class::Failed(reason) => format!("FAILED: {}", plain(&reason)),
    }
}

fn summaries(transfer: &Transfer, stream: &StreamPlan, width: usize) -> String {
    let lines = transfer.summaries(stream.stall).into_iter().flat_map(|summary| {
        let way = match summary.direction {
            Direction::Receive => "to here",
            _ => "from here",
        };
        let rate = summary.rate.map_or_else(|| "no rate".to_owned(), |rate| rate.to_string());
        let mut parts = vec![format!("{rate} in all, {}", amount(summary.bytes))];
        if let (Some(fairness), true) = (summary.fairness, summary.complete > 1) {
            parts.push(format!("Jain's index {fairness:.3}"));
        }
        if let Some(converged) = summary.converged {
            parts.push(format!("fair after {converged}"));
        }
        if summary.stalled + summary.failed > 0 {
            parts.push(format!(
                "{} flows STALLED and {} failed, which the rate leaves out",
                summary.stalled, summary.failed
            ));
        }
        let cpu = |seconds: Option<f64>| {
            seconds.map_or_else(|| "unknown".to_owned(), |seconds| format!("{} s", digits(seconds)))
        };
        let [sender, receiver] = summary.cpu_per_gigabyte;
        let cpu = format!(
            "sender {}, receiver {} of processor a GB (10^9 B), in the flows' threads",
            cpu(sender),
            cpu(receiver)
        );
        [item(way, &parts.join(", "), width), item("", &cpu, width)]
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Who held the flows back, in a line: of one flow with the shares of its time, of many by number.
fn held_back(transfer: &Transfer, run: &Run, stall: Span, width: usize) -> String {
    let link = run.payload_link();
    let verdicts: Vec<_> =
        transfer.flows.iter().filter_map(|flow| transfer.holders(flow, link, stall)).collect();
    let Some(first) = verdicts.first() else { return String::new() };
    let mut text = first.to_string();
    if verdicts.len() > 1 {
        let counts = Holder::ALL.into_iter().filter_map(|holder| {
            let count = verdicts.iter().filter(|verdict| verdict.winner == holder).count();
            (count > 0).then(|| format!("{count} by the {holder}"))
        });
        let counts = counts.collect::<Vec<_>>().join(", ");
        text = format!("of {} flows {counts}; flow #1 {text}", verdicts.len());
    }
    item("held back", text.trim_start_matches("held back "), width)
}

/// Bytes in powers of 1000, as link rates are counted.
fn amount(bytes: u64) -> String {
    match bytes as f64 {
        bytes if bytes >= 1e9 => format!("{} GB", digits(bytes / 1e9)),
        bytes if bytes >= 1e6 => format!("{} MB", digits(bytes / 1e6)),
        bytes if bytes >= 1e4 => format!("{} kB", digits(bytes / 1e3)),
        bytes => format!("{bytes} B"),
    }
}

fn time(span: Option<Span>) -> String {
    span.map_or_else(|| "-".to_owned(), |span| span.to_string())
}

/// As many columns as there is room for.
fn fitted(columns: Vec<Column>, width: usize) -> String {
    let (text, left_out) = fit(columns, width);
    if left_out.is_empty() {
        return text;
    }
    let note = format!("  (no room for {}; --format json has all)", left_out.join(", "));
    format!("{text}\n{}", wrap(&note, width, 2))
}
