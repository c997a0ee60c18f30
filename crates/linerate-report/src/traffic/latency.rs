//! Latencies of requests, as columns.

use linerate_core::report::{Lacking, LatencyRow, LoadResult, SHARES, lacking};
use linerate_core::traffic::Ended;

use super::words::{own_name, time};
use crate::columns::Column;
use crate::text::{digits, plain};

/// A row of latencies, and the load that it is of.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) load: &'a LoadResult,
    pub(super) row: &'a LatencyRow,
}

impl Row<'_> {
    /// What it is called among those of its run.
    pub(super) fn own_name(&self) -> String {
        self.under(&own_name(self.load))
    }

    /// What it is called among all.
    pub(super) fn name(&self) -> String {
        self.under(&plain(&self.load.name))
    }

    fn under(&self, load: &str) -> String {
        let comma = if self.row.kind.is_empty() { "" } else { ", " };
        format!("{load}{}{comma}{}", self.flow(), self.row.kind)
    }

    /// What is timed, without the load's name.
    pub(super) fn kind(&self) -> String {
        let kind = if self.row.kind.is_empty() { "latency" } else { self.row.kind };
        format!("{kind}{}", self.flow())
    }

    fn flow(&self) -> String {
        self.row.flow.map_or_else(String::new, |flow| format!(" #{flow}"))
    }
}

/// Every row of `loads`.
pub(super) fn rows<'a>(loads: impl IntoIterator<Item = &'a LoadResult>) -> Vec<Row<'a>> {
    let of = |load: &'a LoadResult| load.latencies.iter().map(move |row| Row { load, row });
    loads.into_iter().flat_map(of).collect()
}

/// The rows as columns.
pub(super) fn columns(rows: &[Row<'_>]) -> Vec<Column> {
    let cells = |cell: &dyn Fn(&Row<'_>) -> String| rows.iter().map(cell).collect::<Vec<_>>();
    let rate = |row: &Row<'_>| row.row.per_second.map_or_else(|| "-".to_owned(), digits);
    let mut columns = vec![
        Column::new("latency", 0, cells(&|row| row.own_name())),
        Column::new("a second", 1, cells(&rate)),
    ];
    for (place, (heading, _)) in SHARES.iter().enumerate() {
        // The median and the 99th percentile stay at every width.
        let expendable = if matches!(place, 0 | 2) { 0 } else { 2 + place as u8 };
        columns.push(Column::new(*heading, expendable, cells(&|row| time(row.row.us[place]))));
    }
    columns.push(Column::new("longest", 1, cells(&|row| time(row.row.max_us))));
    columns.push(Column::new("lost", 2, cells(&|row| row.row.lost.to_string())));
    columns
}

/// The percentiles that some rows lack, and how many transactions they need. Absent if no row lacks
/// any.
pub(super) fn unknown(rows: &[Row<'_>]) -> Option<String> {
    let Lacking { fewest, needed } = lacking(&rows.iter().map(|row| row.row).collect::<Vec<_>>())?;
    let mut lacking = needed.into_iter().map(|(label, needed)| format!("{label} ({}", grouped(needed)));
    let first = lacking.next()? + " needed)";
    let others = lacking.map(|next| format!(", {next})")).collect::<String>();
    Some(format!("not known with only {} transactions: {first}{others}", grouped(fewest)))
}

/// A count with a comma at each third digit.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let (first, rest) = digits.split_at((digits.len() - 1) % 3 + 1);
    let thirds = rest.as_bytes().chunks(3).map(|third| format!(",{}", String::from_utf8_lossy(third)));
    first.to_owned() + &thirds.collect::<String>()
}

/// What went wrong, a line for each flow.
pub(super) fn troubles(load: &LoadResult) -> Vec<String> {
    let said = |ended: &Ended| match ended {
        Ended::Complete => None,
        Ended::Never => Some("it never began".to_owned()),
        Ended::Stalled(span) => Some(format!("STALLED {span}")),
        Ended::Failed(reason) => Some(format!("FAILED: {}", plain(reason))),
    };
    let troubles = load.troubles.iter();
    troubles
        .filter_map(|trouble| Some(format!("flow #{}: {}", trouble.flow, said(&trouble.ended)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use linerate_core::plan::Level;
    use linerate_core::stats::Histogram;
    use linerate_core::traffic::{Latency, Transfer};
    use linerate_core::units::Span;

    use super::*;
    use crate::fixture;

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
        let report = fixture::loads(vec![transfer(999), transfer(1_000)]);
        let rows = rows(&report.loads);
        assert_eq!(rows[0].row.percentile("p99.9"), None);
        assert!(rows[0].row.percentile("p99").is_some_and(|us| us >= 990.0));
        assert!(rows[1].row.percentile("p99.9").is_some());
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
            "not known with only 999 transactions: p99.9 (1,000 needed), p99.99 (10,000), p99.999 (100,000)"
        );
        let few = fixture::loads(vec![transfer(1)]);
        assert!(
            unknown(&super::rows(&few.loads)).is_some_and(|text| text.contains("p50 (2 needed), p90 (10)"))
        );
        assert_eq!(unknown(&[]), None);
    }

    #[test]
    fn no_form_of_the_result_has_a_percentile_of_too_few() {
        let report = fixture::loads(vec![transfer(999)]);
        let text = crate::text(&report, 200, linerate_core::plan::Rows::Short);
        assert!(text.contains("(not known with only 999 transactions: p99.9 (1,000 needed)"), "{text}");
        let json = crate::json(&report, Level::Point).expect("JSON");
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let rows = json["rows"].as_array().expect("rows");
        let known: Vec<_> = rows.iter().map(|row| (row["quantile"].as_f64(), row["us"].is_f64())).collect();
        let expected =
            [(0.5, true), (0.9, true), (0.99, true), (0.999, false), (0.9999, false), (0.99999, false)];
        let expected = expected.into_iter().chain([(1.0, true)]).map(|(share, known)| (Some(share), known));
        assert_eq!(known, expected.collect::<Vec<_>>());
        assert!(rows.iter().all(|row| row["transactions"] == 999), "{rows:?}");
        let page = crate::html(&report).expect("a page");
        assert!(page.contains("not known with only 999 transactions"), "{page}");
        assert!(page.contains(", p99.9 -"), "{page}");
    }

    #[test]
    fn enough_transactions_leave_nothing_to_say() {
        let report = fixture::loads(vec![transfer(100_000)]);
        assert_eq!(unknown(&rows(&report.loads)), None);
    }

    #[test]
    fn counts_have_a_comma_at_each_third_digit() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
