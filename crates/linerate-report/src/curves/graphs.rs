//! NetPIPE's graphs as charts of a page.

use linerate_analysis::report::{Curve, Report, Timed};

use crate::error::RenderError;
use crate::figure::{Aim, Figure, Layer};
use crate::plot::{self, Picture, Pixel, pictures};
use crate::text::{curve_name, digits, percent};

/// The throughput, the signature and the saturation graph of every curve of `report`. Empty without a curve.
///
/// # Errors
///
/// [`RenderError::Draw`] when the graph library refuses.
pub(crate) fn figures(report: &Report) -> Result<Vec<Figure>, RenderError> {
    if report.curves.is_empty() {
        return Ok(Vec::new());
    }
    Ok(pictures(report)?.into_iter().map(|picture| figure(report, picture)).collect())
}

fn figure(report: &Report, picture: Picture) -> Figure {
    let layer = |(nth, layer): (usize, plot::Layer)| Layer {
        number: nth,
        svg: layer.svg,
        look: layer.look,
        name: format!("{} ({})", curve_name(report, nth), report.curves[nth].pattern),
        aims: aims(&report.curves[nth], &layer.pixels),
    };
    Figure {
        id: picture.graph.name().to_owned(),
        title: picture.graph.title().to_owned(),
        caption: picture.graph.caption().to_owned(),
        axes: picture.axes,
        ceilings: picture.ceilings,
        labels: picture.labels,
        graph: 0,
        layers: picture.curves.into_iter().enumerate().map(layer).collect(),
    }
}

/// The points of a curve with their tooltips.
fn aims(curve: &Curve, pixels: &[Pixel]) -> Vec<Aim> {
    let aim = |((size, timed), pixel): ((u64, Timed), &Pixel)| Aim {
        x: pixel.x,
        y: pixel.y,
        lines: lines(size, &timed),
    };
    curve.timed().zip(pixels).map(aim).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn a_tooltip_says_what_is_known_of_its_point() {
        let figures = figures(&fixture::small()).expect("they can be drawn");
        let names: Vec<&str> = figures[0].layers.iter().map(|layer| layer.name.as_str()).collect();
        assert_eq!(names, ["gigabit.run.json (ping-pong)", "slow-start.run.json (ping-pong)"]);
        assert_eq!(
            figures[0].layers[0].aims[3].lines,
            [
                "1048576 B",
                "time 9043 us (8988 to 9106)",
                "throughput 927.7 Mb/s (921.2 to 933.3), 92.8 % of the link",
                "p99 10017 us, longest 10017 us",
            ]
        );
        let unsettled = figures[0].layers[0].aims[0].lines.last().expect("it has lines");
        assert_eq!(unsettled, "not settled: its interval is wider than its target");
        assert_eq!(figures.len(), 3);
        assert!(figures.iter().all(|figure| figure.layers.len() == 2));
        assert!(figures[0].layers.iter().all(|layer| layer.aims.len() == 4));
    }
}
