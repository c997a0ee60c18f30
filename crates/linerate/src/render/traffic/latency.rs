//! Latencies of requests, as columns.

use linerate_core::stats::Histogram;
use linerate_core::traffic::{Ended, Latency, Transfer};

use super::words::{name, time};
use crate::render::columns::Column;
use crate::render::text::{digits, plain};

/// The shares of all transactions whose latencies are shown: up to 99.999 %.
pub(super) const SHARES: [(&str, f64); 6] =
    [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999), ("p99.999", 0.99999)];

/// A row of latencies: what they are called, and the histogram.
pub(super) struct Row<'a> {
    pub(super) name: String,
    /// What is timed, without the load's name.
    pub(super) kind: String,
    latency: &'a Latency,
    pub(super) times: &'a Histogram,
}

/// Every histogram of `transfers` that has something: of each load and each of its flows the
/// latencies; of an open loop from the intended departure first.
pub(super) fn rows(transfers: &[Transfer]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for transfer in transfers {
        for latency in &transfer.latencies {
            let flow =
                if transfer.latencies.len() > 1 { format!(" #{}", latency.flow + 1) } else { String::new() };
            let kinds = [
                ("from when it was due", &latency.response),
                ("", &latency.service),
                ("to connect", &latency.connect),
            ];
            for (kind, times) in kinds {
                if times.count() > 0 {
                    let comma = if kind.is_empty() { "" } else { ", " };
                    let name = format!("{}{flow}{comma}{kind}", name(transfer));
                    let kind = format!("{}{flow}", if kind.is_empty() { "latency" } else { kind });
                    rows.push(Row { name, kind, latency, times });
                }
            }
        }
    }
    rows
}

/// The rows as columns.
pub(super) fn columns(rows: &[Row<'_>]) -> Vec<Column> {
    let cells = |cell: &dyn Fn(&Row<'_>) -> String| rows.iter().map(cell).collect::<Vec<_>>();
    let mut columns = vec![
        Column::new("latency", 0, cells(&|row| row.name.clone())),
        Column::new("a second", 1, cells(&|row| per_second(row.latency))),
    ];
    for (place, (heading, share)) in SHARES.iter().enumerate() {
        // The median and the 99th percentile stay whatever the width.
        let expendable = if matches!(place, 0 | 2) { 0 } else { 2 + place as u8 };
        columns.push(Column::new(*heading, expendable, cells(&|row| time(row.times.quantile(*share)))));
    }
    columns.push(Column::new("longest", 1, cells(&|row| time(row.times.max()))));
    columns.push(Column::new("lost", 2, cells(&|row| row.latency.lost.to_string())));
    columns
}

/// What went wrong, a line for each flow.
pub(super) fn troubles(transfer: &Transfer) -> Vec<String> {
    let trouble = |latency: &Latency| match &latency.ended {
        Ended::Complete => None,
        Ended::Never => Some("it never began".to_owned()),
        Ended::Stalled(span) => Some(format!("STALLED {span}")),
        Ended::Failed(reason) => Some(format!("FAILED: {}", plain(reason))),
    };
    let flows = transfer.latencies.iter();
    flows.filter_map(|latency| Some(format!("flow #{}: {}", latency.flow + 1, trouble(latency)?))).collect()
}

/// Transactions a second after the warm-up.
fn per_second(latency: &Latency) -> String {
    let seconds = latency.span.as_seconds();
    let counted = latency.transactions.saturating_sub(latency.warm_up);
    if seconds > 0.0 { digits(counted as f64 / seconds) } else { "-".to_owned() }
}
