//! What the tooltip of a report shows.

use linerate_analysis::report::{Curve, Report, Timed};

use crate::page::{Hover, HoverCurve, HoverLayer};
use crate::plot::{Layer, Picture};
use crate::text::{curve_name, digits, percent};

/// Every curve in every graph.
pub(super) fn hover(report: &Report, pictures: &[Picture]) -> Hover {
    let curve = |(index, curve): (usize, &Curve)| HoverCurve {
        name: curve_name(report, index),
        points: curve.timed().map(|(size, timed)| lines(size, &timed)).collect(),
    };
    let layer = |(curve, layer): (usize, &Layer)| HoverLayer {
        curve,
        places: layer.pixels.iter().map(|pixel| [pixel.x, pixel.y]).collect(),
    };
    Hover {
        curves: report.curves.iter().enumerate().map(curve).collect(),
        graphs: pictures
            .iter()
            .map(|picture| picture.curves.iter().enumerate().map(layer).collect())
            .collect(),
    }
}

fn lines(size: u64, timed: &Timed) -> Vec<String> {
    let interval = |ends: Option<[f64; 2]>| {
        ends.map_or_else(String::new, |[low, high]| format!(" ({} to {})", digits(low), digits(high)))
    };
    let share =
        timed.link_share.map_or_else(String::new, |share| format!(", {} of the link", percent(share)));
    let settled = if timed.settled { "" } else { "not settled: its interval is wider than its target" };
    let lines = [
        format!("{size} B"),
        format!("time {} us{}", digits(timed.median_us), interval(timed.interval_us)),
        format!("throughput {} Mb/s{}{share}", digits(timed.mbps), interval(timed.mbps_interval)),
        format!("p99 {} us, longest {} us", digits(timed.p99_us), digits(timed.max_us)),
        settled.to_owned(),
    ];
    lines.into_iter().filter(|line| !line.is_empty()).collect()
}
