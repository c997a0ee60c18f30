//! Latencies of requests, as columns.

use linerate_core::stats::Histogram;
use linerate_core::traffic::{Ended, Latency, Transfer};
use linerate_core::units::Span;

use super::words::{name, time};
use crate::columns::Column;
use crate::text::{digits, plain};

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

impl Row<'_> {
    /// The time that `share` of all transactions took at most; none where there are too few of them.
    pub(super) fn quantile(&self, share: f64) -> Option<Span> {
        self.times.resolved(share)
    }
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
        columns.push(Column::new(*heading, expendable, cells(&|row| time(row.quantile(*share)))));
    }
    columns.push(Column::new("longest", 1, cells(&|row| time(row.times.max()))));
    columns.push(Column::new("lost", 2, cells(&|row| row.latency.lost.to_string())));
    columns
}

/// Which percentiles the rows do not all have, and how many transactions those need; none if they
/// have all.
pub(super) fn unknown(rows: &[Row<'_>]) -> Option<String> {
    let fewest = rows.iter().map(|row| row.times.count()).min()?;
    let lacking = SHARES.into_iter().filter(|(_, share)| rows.iter().any(|row| !row.times.resolves(*share)));
    let needed = |(label, share)| format!("{label} ({}", grouped(Histogram::needed(share)));
    let mut lacking = lacking.map(needed);
    let first = lacking.next()? + " needed)";
    let others = lacking.map(|next| format!(", {next})")).collect::<String>();
    Some(format!("not known of as few as {} transactions: {first}{others}", grouped(fewest)))
}

/// A count with a comma at each third digit.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let (first, rest) = digits.split_at((digits.len() - 1) % 3 + 1);
    let thirds = rest.as_bytes().chunks(3).map(|third| format!(",{}", String::from_utf8_lossy(third)));
    first.to_owned() + &thirds.collect::<String>()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn transfer(count: u64) -> Transfer {
        let mut service = Histogram::default();
        for us in 1..=count {
            service.record(Span::from_us(us));
        }
        let latency = Latency { transactions: count, service, ..Latency::default() };
        Transfer { latencies: vec![latency], ..Transfer::default() }
    }

    #[test]
    fn a_percentile_of_too_few_transactions_is_not_shown_and_what_it_needs_is_said() {
        let transfers = [transfer(999), transfer(1_000)];
        let rows = rows(&transfers);
        assert_eq!(rows[0].quantile(0.999), None);
        assert!(rows[0].quantile(0.99).is_some_and(|time| time >= Span::from_us(990)));
        assert!(rows[1].quantile(0.999).is_some());
        let columns = columns(&rows);
        let column = |heading: &str| {
            let found = columns.iter().find(|column| column.heading == heading);
            found.expect("there is one").cells.clone()
        };
        assert_eq!(column("p99.9")[0], "-");
        assert_eq!(column("p99.99"), ["-", "-"]);
        assert_ne!(column("longest")[0], "-");
        assert_eq!(
            unknown(&rows).expect("not all are known"),
            "not known of as few as 999 transactions: p99.9 (1,000 needed), p99.99 (10,000), p99.999 (100,000)"
        );
        let few = [transfer(1)];
        assert!(unknown(&super::rows(&few)).is_some_and(|text| text.contains("p50 (2 needed), p90 (10)")));
        assert_eq!(unknown(&[]), None);
    }

    #[test]
    fn no_form_of_the_result_has_a_percentile_of_too_few() {
        let mut report = crate::fixture::one();
        report.runs[0].run.transfers = vec![transfer(999)];
        let run = &report.runs[0].run;
        let text = super::super::text(run, 200);
        assert!(text.contains("(not known of as few as 999 transactions: p99.9 (1,000 needed)"), "{text}");
        let csv = super::super::csv(run).expect("CSV");
        let unknown: Vec<_> = csv.lines().filter(|line| line.ends_with(',')).collect();
        assert_eq!(unknown, ["idle,999,0.999,", "idle,999,0.9999,", "idle,999,0.99999,"]);
        assert!(csv.contains("idle,999,0.99,99") && csv.contains("idle,999,1,999"), "{csv}");
        let json = super::super::json(run).expect("JSON");
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let times = &json["latencies"][0]["us"];
        assert!(["p50", "p99", "max"].iter().all(|label| times[label].is_f64()), "{times}");
        assert!(["p99.9", "p99.99", "p99.999"].iter().all(|label| times[label].is_null()), "{times}");
        let page = super::super::html(&report).expect("a page");
        assert!(page.contains("not known of as few as 999 transactions"), "{page}");
        assert!(page.contains(", p99.9 -"), "{page}");
    }

    #[test]
    fn enough_transactions_leave_nothing_to_say() {
        let transfers = [transfer(100_000)];
        assert_eq!(unknown(&rows(&transfers)), None);
    }

    #[test]
    fn counts_have_a_comma_at_each_third_digit() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
