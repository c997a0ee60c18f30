//! The distribution of latencies, with its tail.

use linerate_analysis::report::Report;

use super::super::latency;
use super::shown;
use crate::figure::axis::{tail, times};
use crate::figure::curve::{self, Curve, Point};
use crate::figure::{Figure, Title};
use crate::plot::Axis;
use crate::text::digits;

/// The distribution of latencies. Absent without requests.
pub(in super::super) fn figure(report: &Report) -> Option<Figure> {
    let rows = latency::rows(&report.loads).into_iter().map(|row| (row.load, row));
    let curves: Vec<Curve> = shown(report, rows)
        .into_iter()
        .map(|(_, row)| Curve { name: row.name(), points: points(&row) })
        .filter(|curve| !curve.points.is_empty())
        .collect();
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let (low, high) = all().fold((f64::MAX, 0.0_f64), |(low, high), it| (low.min(it.y), high.max(it.y)));
    if curves.is_empty() {
        return None;
    }
    let title = Title {
        id: "latency".to_owned(),
        title: "Distribution of latencies".to_owned(),
        caption: "The time from a request to its response that a share of all transactions did not exceed. The axis is wide where they are few: each step to the right leaves a tenth of the transactions. A curve ends at its longest."
            .to_owned(),
    };
    let x = tail("Transactions that took no longer", all().map(|point| point.x).fold(0.0, f64::max));
    let axes: [&Axis; 2] = [&x, &times("Latency", low, high)];
    Some(curve::figure(title, axes, &curves, false))
}

fn points(row: &latency::Row<'_>) -> Vec<Point> {
    // All transactions are at no place of the axis: the longest stands where half a transaction
    // would be left.
    let last = 1.0 - 0.5 / row.row.transactions.max(1) as f64;
    let point = |(share, us): &(f64, f64)| {
        let lines = if *share < 1.0 {
            format!("{} % took {} us at most", digits(share * 100.0), digits(*us))
        } else {
            format!("the longest took {} us", digits(*us))
        };
        Point { x: share.min(last), y: *us, interval: None, lines: vec![lines] }
    };
    row.row.distribution.iter().map(point).collect()
}
