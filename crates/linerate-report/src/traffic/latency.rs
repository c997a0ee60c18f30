//! Latencies of requests, as columns.

use linerate_analysis::report::{Lacking, LatencyRow, LoadResult, SHARES, lacking};
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

/// The rows as columns, each under its name among its run's or among those of `several`.
pub(super) fn columns(rows: &[Row<'_>], several: bool) -> Vec<Column> {
    let cells = |cell: &dyn Fn(&Row<'_>) -> String| rows.iter().map(cell).collect::<Vec<_>>();
    let rate = |row: &Row<'_>| row.row.per_second.map_or_else(|| "-".to_owned(), digits);
    let mut columns = vec![
        Column::new("latency", 0, cells(&|row| if several { row.name() } else { row.own_name() })),
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
mod tests;
