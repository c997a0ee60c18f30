//! Charts of loads.

mod held;
mod over_time;
mod tail;

use linerate_analysis::report::{LoadResult, Report};
use linerate_core::traffic::Direction;

use crate::figure::Figure;
use crate::plot::{Look, look, look_of};

/// The most curves that can be distinguished: six colours, three kinds of dashes.
const MOST_CURVES: usize = 18;

pub(super) use tail::figure as latencies;

/// The charts of the loads of `report` over time, all runs in each: everything against the same time, below each other;
/// and what held the flows back.
pub(super) fn figures(report: &Report) -> Vec<Figure> {
    over_time::figures(report).into_iter().chain(held::figures(report)).collect()
}

/// As many curves of each run as can be distinguished, so that every run is shown.
fn shown<'a, T>(report: &Report, all: impl Iterator<Item = (&'a LoadResult, T)>) -> Vec<(&'a LoadResult, T)> {
    let most = (MOST_CURVES / report.runs.len().max(1)).max(1);
    let mut of_run = vec![0; report.runs.len()];
    let there_is_room = |(load, _): &(&LoadResult, T)| {
        of_run[load.run] += 1;
        of_run[load.run] <= most
    };
    all.filter(there_is_room).take(MOST_CURVES).collect()
}

/// Where the axis of time ends in every chart, so that one can be read beside another. Unit: seconds.
fn last(report: &Report) -> f64 {
    let flows = report.loads.iter().flat_map(|load| &load.flows);
    let bulk = flows.flat_map(|flow| {
        let sampled = flow.tcp.last().map(|sample| sample.at_s);
        flow.looks.last().map(|look| look.until_s).into_iter().chain(sampled)
    });
    let rows = report.loads.iter().flat_map(|load| &load.latencies);
    let requests = rows.filter_map(|row| row.course.last().map(|point| point.until_s));
    bulk.chain(requests).fold(0.0, f64::max)
}

/// Whether the flows of any load go both ways, so that a curve must say which way its flow goes.
fn goes_both_ways(report: &Report) -> bool {
    let way =
        |direction| report.loads.iter().any(|load| load.sums.iter().any(|it| it.direction == direction));
    way(Direction::Send) && way(Direction::Receive)
}

/// The look of the curve of a flow, which is the `index`th of all: what comes here is dashed, if
/// other flows go from here, and has the colour of the flow of its number.
fn look_of_flow(both_ways: bool, index: usize, direction: Direction) -> Look {
    match direction {
        _ if !both_ways => look(index),
        Direction::Receive => look_of(index, 1),
        Direction::Send | Direction::Both => look_of(index, 0),
    }
}

/// The direction as a legend says it.
const fn way(direction: Direction, both_ways: bool) -> &'static str {
    match direction {
        Direction::Receive if both_ways => "to here, dashed",
        Direction::Receive => "to here",
        Direction::Send | Direction::Both => "from here",
    }
}

#[cfg(test)]
mod tests;
