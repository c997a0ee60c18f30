//! Curves: key numbers, NetPIPE's three graphs, dips, and every number.

mod graph;
mod graphs;

use linerate_analysis::report::{Curve, CurvePoint, Report};

use crate::plot::look;
use crate::section::{Card, Cell, Item, Kind, Part, Section, TableView, Tone, charts, entries};
use crate::text::{coverage, curve_name, digits, keys, percent, timing};

pub(crate) use graph::Graph;
pub(crate) use graphs::figures as graphs;

/// How the graphs are read.
const READ: &str = "Bands and bars are 95 % intervals of the median. A hollow point has not settled: its interval is wider than its target. Sizes that were not timed are gaps. Mb/s is 10^6 bit/s of payload, KiB is 1024 B.";

/// The sections of the curves of `report`.
pub(crate) fn sections(report: &Report) -> Vec<Section> {
    if report.curves.is_empty() {
        return Vec::new();
    }
    let runs = || report.curves.iter().map(|curve| curve.run);
    let graphs = charts(graphs(report)).chain([Item::Note(READ.to_owned())]).collect();
    let numbers = (0..report.curves.len()).map(|index| Item::Table(numbers(report, index))).collect();
    vec![
        Section::new(Part::Charts, "graphs", "Graphs", graphs).of(runs()),
        Section::new(Part::Doubts, "dips", "Dips", dips(report).map(Item::Table).into_iter().collect())
            .of(runs()),
        Section::new(Part::Tables, "numbers", "Every size", numbers).of(runs()),
    ]
}

/// The key numbers of each curve.
pub(crate) fn cards(report: &Report) -> Vec<Card> {
    let card = |(index, curve): (usize, &Curve)| Card {
        kind: Kind::Curve,
        title: format!("{} ({})", curve_name(report, index), curve.pattern),
        colour: Some(look(index).colour),
        keys: entries(keys(curve)),
        note: note(curve),
    };
    report.curves.iter().enumerate().map(card).collect()
}

/// What its times are and what its ranges cover.
fn note(curve: &Curve) -> String {
    let ranges = coverage(curve).map_or_else(String::new, |text| format!(" Ranges are {text}."));
    format!("Here {}.{ranges}", timing(curve.pattern))
}

/// Sizes that do worse than those around them. Absent if none does.
fn dips(report: &Report) -> Option<TableView> {
    let headings = ["curve", "deepest at", "from", "to", "throughput lost", "by chance", "boundary there"];
    let mut table = TableView::of_rows("", headings.map(str::to_owned).to_vec());
    for (index, curve) in report.curves.iter().enumerate() {
        for dip in &curve.derived.dips {
            let sizes = [dip.size, dip.extent[0], dip.extent[1]].map(|size| Cell::from(format!("{size} B")));
            let boundary = dip.boundary.map_or_else(|| "none known".to_owned(), |at| at.to_string());
            let mut row = vec![Cell::from(curve_name(report, index))];
            row.extend(sizes);
            row.extend([percent(dip.depth), format!("{:.1e}", dip.significance), boundary].map(Cell::from));
            table.rows.push(row);
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Every size of a curve.
fn numbers(report: &Report, index: usize) -> TableView {
    let curve = &report.curves[index];
    let headings = [
        "Size B",
        "Median us",
        "95 %",
        "Least",
        "Least mean",
        "p99",
        "Longest",
        "Mb/s",
        "95 %",
        "Of link",
        "Samples",
        "Batch",
        "Rounds",
        "Warm-up",
        "Settled",
    ];
    let title = format!("{} ({})", curve_name(report, index), curve.pattern);
    let table = TableView::of_rows(title, headings.map(str::to_owned).to_vec()).closed();
    let note = format!("Here {}. Times are in us, throughput in Mb/s.", timing(curve.pattern));
    TableView { rows: curve.points.iter().map(number).collect(), ..table }.noted(vec![note])
}

fn number(point: &CurvePoint) -> Vec<Cell> {
    let interval = |ends: Option<[f64; 2]>| match ends {
        Some([low, high]) => format!("{} to {}", digits(low), digits(high)),
        None => "unknown".to_owned(),
    };
    let size = point.size.to_string();
    let Some(timed) = point.timed else {
        return vec![size.into(), Cell::toned("not timed", Tone::Quiet)];
    };
    let cells = [
        size,
        digits(timed.median_us),
        interval(timed.interval_us),
        digits(timed.min_us),
        digits(timed.least_mean_us),
        digits(timed.p99_us),
        digits(timed.max_us),
        digits(timed.mbps),
        interval(timed.mbps_interval),
        timed.link_share.map_or_else(|| "unknown".to_owned(), percent),
        timed.samples.to_string(),
        timed.batch.to_string(),
        timed.rounds.to_string(),
        timed.warmup.to_string(),
        if timed.settled { "yes" } else { "no" }.to_owned(),
    ];
    cells.map(Cell::from).to_vec()
}

#[cfg(test)]
mod tests;
