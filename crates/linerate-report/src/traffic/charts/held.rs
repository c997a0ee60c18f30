//! What held bulk flows back, as stacked bars.

use linerate_analysis::report::{HeldFlow, LoadResult, Report};
use linerate_core::kernel::limit::Holder;
use linerate_core::traffic::Direction;

use super::{last, way};
use crate::figure::axis::{from_zero, numbers, shares};
use crate::figure::{Aim, Figure, Layer, Title};
use crate::plot::{Axis, Mark, look_of};
use crate::text::{count, percent, plain};

/// More loads than these have one bar each instead of a chart of bars over time.
const MOST_OVER_TIME: usize = 3;
/// Half the width of the bar of a load, as a share of the distance of two.
const HALF_BAR: f64 = 0.38;

/// A bar from `left` to `right`, and what it is divided into.
struct Bar {
    left: f64,
    right: f64,
    /// First line of its tooltips.
    about: String,
    shares: Vec<(Holder, f64)>,
}

/// The charts of what held the flows back: over time for each direction of each load, or a bar for
/// each of many loads.
pub(super) fn figures(report: &Report) -> Vec<Figure> {
    let known: Vec<&LoadResult> = report.loads.iter().filter(|load| !load.shares.is_empty()).collect();
    if known.len() > MOST_OVER_TIME {
        return vec![by_load(report, &known)];
    }
    let mut figures = Vec::new();
    for (index, load) in known.into_iter().enumerate() {
        for direction in [Direction::Send, Direction::Receive] {
            let flows: Vec<&HeldFlow> =
                load.held_courses.iter().filter(|flow| flow.direction == direction).collect();
            figures.extend(over_time(report, (index, load), direction, &flows));
        }
    }
    figures
}

/// Absent if nothing is known of these flows over time.
fn over_time(
    report: &Report,
    (index, load): (usize, &LoadResult),
    direction: Direction,
    flows: &[&HeldFlow],
) -> Option<Figure> {
    let bars = mean(flows);
    if bars.is_empty() {
        return None;
    }
    let of = if report.loads.len() > 1 { format!(": {}", plain(&load.name)) } else { String::new() };
    let way = way(direction, false);
    let title = Title {
        id: format!("held-{index}-{direction}"),
        title: format!("What held the flows {way} back{of}"),
        caption: format!(
            "Shares of the time of each stretch, in the mean of {}, as both kernels count it.",
            count(flows.len() as u64, "flow")
        ),
    };
    Some(figure(title, &from_zero("Time since the load began (s)", last(report)), &bars))
}

fn by_load(report: &Report, loads: &[&LoadResult]) -> Figure {
    let bar = |(number, load): (f64, &&LoadResult)| Bar {
        left: number - HALF_BAR,
        right: number + HALF_BAR,
        about: plain(&load.name),
        shares: load.shares.clone(),
    };
    let places = (1..=loads.len()).map(|nth| nth as f64);
    let bars: Vec<Bar> = places.zip(loads).map(bar).collect();
    let title = Title {
        id: "held".to_owned(),
        title: "What held the flows back".to_owned(),
        caption: format!(
            "Shares of the time of each load, in the mean of its flows, as both kernels count it. {} in the order of the table.",
            if report.runs.len() > 1 { "The loads of all runs are" } else { "The loads are" }
        ),
    };
    figure(title, &numbers("Load", 1, bars.len()), &bars)
}

/// The mean of the flows, whose stretches begin and end with the same looks.
fn mean(flows: &[&HeldFlow]) -> Vec<Bar> {
    let Some(first) = flows.first() else { return Vec::new() };
    let bar = |(place, stretch): (usize, &linerate_analysis::report::HeldCourse)| {
        let there: Vec<_> = flows.iter().filter_map(|flow| flow.course.get(place)).collect();
        let share = |holder: Holder| {
            let parts = there.iter().flat_map(|it| &it.shares).filter(|(of, _)| *of == holder);
            (holder, parts.map(|(_, share)| share).sum::<f64>() / there.len().max(1) as f64)
        };
        Bar {
            left: stretch.since_s,
            right: stretch.until_s,
            about: format!("{:.3} to {:.3} s", stretch.since_s, stretch.until_s),
            shares: Holder::ALL.map(share).into_iter().filter(|(_, share)| *share > 0.0).collect(),
        }
    };
    first.course.iter().enumerate().map(bar).collect()
}

fn figure(title: Title, x: &Axis, bars: &[Bar]) -> Figure {
    let y = shares("Share of the time", 1.0);
    let there = |holder: &Holder| bars.iter().any(|bar| bar.shares.iter().any(|(it, _)| it == holder));
    let holders = Holder::ALL.into_iter().enumerate().filter(|(_, holder)| there(holder));
    let layers = holders.map(|(place, holder)| layer([x, &y], (place, holder), bars));
    Figure::new(title, [x, &y], layers.collect())
}

/// The pieces of a holder: each on what the holders before it have of the same bar.
fn layer(axes: [&Axis; 2], (place, holder): (usize, Holder), bars: &[Bar]) -> Layer {
    // One more than there are colours: it has the first again, paler.
    let (colours, again) = (crate::plot::PALETTE.len(), place / crate::plot::PALETTE.len());
    let shade = if again == 0 { 0.75 } else { 0.35 };
    let (mut marks, mut aims) = (Vec::new(), Vec::new());
    for bar in bars {
        let before = bar.shares.iter().take_while(|(it, _)| *it != holder).map(|(_, share)| share);
        let low: f64 = before.sum();
        let Some((_, share)) = bar.shares.iter().find(|(it, _)| *it == holder) else { continue };
        marks.push(Mark::bar([(bar.left, low), (bar.right, (low + share).min(1.0))], shade));
        let lines = vec![bar.about.clone(), format!("{holder}: {}", percent(*share))];
        aims.push(Aim::at(axes, (f64::midpoint(bar.left, bar.right), low + share / 2.0), lines));
    }
    let layer = Layer::new((place, holder.name()), axes, marks, aims);
    Layer { look: look_of(place % colours, again), ..layer }
}

#[cfg(test)]
mod tests;
