//! What the tooltip shows, as data for the page's script.

use linerate_core::report::{Curve, Report, Timed};
use serde::Serialize;

use crate::render::RenderError;
use crate::render::plot::{Layer, Picture};
use crate::render::text::{curve_name, digits, percent};

#[derive(Serialize)]
struct Data<'a> {
    curves: Vec<CurveData>,
    /// By graph, by curve, the points' places in units of a picture.
    places: Vec<Vec<Vec<[i32; 2]>>>,
    graphs: Vec<&'a str>,
}

#[derive(Serialize)]
struct CurveData {
    name: String,
    /// Lines of the tooltip for each timed point.
    points: Vec<Vec<String>>,
}

/// The data as JSON that cannot end the script element it stands in.
pub(super) fn data(report: &Report, pictures: &[Picture]) -> Result<String, RenderError> {
    let curve = |(index, curve): (usize, &Curve)| CurveData {
        name: curve_name(report, index),
        points: curve.timed().map(|(size, timed)| lines(size, &timed)).collect(),
    };
    let layer = |layer: &Layer| layer.pixels.iter().map(|pixel| [pixel.x, pixel.y]).collect();
    let data = Data {
        curves: report.curves.iter().enumerate().map(curve).collect(),
        places: pictures.iter().map(|picture| picture.curves.iter().map(layer).collect()).collect(),
        graphs: pictures.iter().map(|picture| picture.graph.name()).collect(),
    };
    Ok(serde_json::to_string(&data)?.replace('<', "\\u003c"))
}

fn lines(size: u64, timed: &Timed) -> Vec<String> {
    let interval = |ends: Option<[f64; 2]>| {
        ends.map_or_else(String::new, |[low, high]| format!(" ({} to {})", digits(low), digits(high)))
    };
    let share =
        timed.link_share.map_or_else(String::new, |share| format!(", {} of the link", percent(share)));
    let settled = if timed.settled { "" } else { "not settled: its interval is wider than asked" };
    let lines = [
        format!("{size} B"),
        format!("time {} us{}", digits(timed.median_us), interval(timed.interval_us)),
        format!("throughput {} Mb/s{}{share}", digits(timed.mbps), interval(timed.mbps_interval)),
        format!("p99 {} us, longest {} us", digits(timed.p99_us), digits(timed.max_us)),
        settled.to_owned(),
    ];
    lines.into_iter().filter(|line| !line.is_empty()).collect()
}
