//! Charts of loads: throughput, congestion window and round-trip time against time, and the
//! distribution of latencies.

use linerate_core::report::{FlowResult, LoadResult, Report, TcpPoint};

use super::latency;
use super::words::{rate, since};
use crate::error::RenderError;
use crate::figure::axis::{from_zero, shares, times};
use crate::figure::curve::{self, Curve, Point};
use crate::figure::{Figure, Title};
use crate::plot::Axis;
use crate::text::{digits, percent, plain};

/// The most curves that can be distinguished: six colours, three kinds of dashes.
const MOST_CURVES: usize = 18;

/// The charts of the loads of `report`, all runs in each.
///
/// # Errors
///
/// [`RenderError::Draw`] when the graph library refuses.
pub(super) fn figures(report: &Report) -> Result<Vec<Figure>, RenderError> {
    let mut figures = Vec::new();
    figures.extend(distribution(report)?);
    figures.extend(throughput(report)?);
    let window = Subject {
        id: "cwnd",
        title: "Congestion window against time",
        axis: "Congestion window (segments)",
        caption: "From the sender's TCP at each interval. It doubles in slow start and falls at a loss.",
    };
    figures.extend(tcp(report, &window, |sample| sample.cwnd as f64)?);
    let round_trip = Subject {
        id: "rtt",
        title: "Round-trip time against time",
        axis: "Smoothed round-trip time (us)",
        caption: "From the sender's TCP at each interval. If it rises with the congestion window, segments wait in a queue.",
    };
    figures.extend(tcp(report, &round_trip, |sample| sample.rtt_us)?);
    Ok(figures)
}

/// A value of TCP that is drawn against time.
struct Subject {
    id: &'static str,
    title: &'static str,
    axis: &'static str,
    caption: &'static str,
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

/// A curve for each flow: its load, if there are several, and its number; and its points.
fn of_flows(report: &Report, points: impl Fn(&FlowResult) -> Vec<Point>) -> Vec<Curve> {
    let flows = report.loads.iter().flat_map(|load| load.flows.iter().map(move |flow| (load, flow)));
    let curve = |(load, flow): (&LoadResult, &FlowResult)| {
        let of = if report.loads.len() > 1 { format!("{}, ", plain(&load.name)) } else { String::new() };
        Curve { name: format!("{of}{} #{}", flow.direction, flow.flow), points: points(flow) }
    };
    shown(report, flows).into_iter().map(curve).collect()
}

fn throughput(report: &Report) -> Result<Option<Figure>, RenderError> {
    let curves = of_flows(report, |flow| {
        // The last interval ends with the flow, and may be too short for a rate.
        let whole = flow.intervals.iter().filter(|interval| interval.whole);
        let point = |interval: &linerate_core::report::IntervalRate| {
            let lines = vec![format!("{} until {}", rate(interval.mbps), since(interval.until_s))];
            Some(Point { x: interval.until_s, y: interval.mbps?, interval: None, lines })
        };
        whole.filter_map(point).collect()
    });
    let title = Title {
        id: "throughput".to_owned(),
        title: "Throughput against time".to_owned(),
        caption: "Payload that the receiver took in each interval, at the interval's end.".to_owned(),
    };
    against_time(title, "Throughput (Mb/s)", curves)
}

fn tcp(
    report: &Report,
    subject: &Subject,
    value: impl Fn(&TcpPoint) -> f64,
) -> Result<Option<Figure>, RenderError> {
    let curves = of_flows(report, |flow| {
        let point = |sample: &TcpPoint| {
            let y = value(sample);
            let lines = vec![format!("{} at {}", digits(y), since(sample.at_s))];
            Point { x: sample.at_s, y, interval: None, lines }
        };
        flow.tcp.iter().map(point).collect()
    });
    let title = Title {
        id: subject.id.to_owned(),
        title: subject.title.to_owned(),
        caption: subject.caption.to_owned(),
    };
    against_time(title, subject.axis, curves)
}

/// A chart over seconds. Absent if no curve has two points.
fn against_time(title: Title, what: &str, mut curves: Vec<Curve>) -> Result<Option<Figure>, RenderError> {
    curves.retain(|curve| curve.points.len() > 1);
    let highest =
        |of: fn(&Point) -> f64| curves.iter().flat_map(|curve| &curve.points).map(of).fold(0.0, f64::max);
    let (last, most) = (highest(|point| point.x), highest(|point| point.y));
    if curves.is_empty() {
        return Ok(None);
    }
    let axes: [&Axis; 2] = [&from_zero("Time since the load began (s)", last), &from_zero(what, most)];
    curve::figure(title, axes, &curves, true).map(Some)
}

/// The distribution of latencies. Absent without requests.
fn distribution(report: &Report) -> Result<Option<Figure>, RenderError> {
    let point = |(share, us): &(f64, f64)| {
        let lines = vec![format!("{} took {} us at most", percent(*share), digits(*us))];
        Point { x: *us, y: *share, interval: None, lines }
    };
    let rows = latency::rows(&report.loads).into_iter().map(|row| (row.load, row));
    let curves: Vec<Curve> = shown(report, rows)
        .into_iter()
        .map(|(_, row)| Curve { name: row.name(), points: row.row.distribution.iter().map(point).collect() })
        .collect();
    let ends = curves.iter().flat_map(|curve| &curve.points).map(|point| point.x);
    let (low, high) = ends.fold((f64::MAX, 0.0_f64), |(low, high), us| (low.min(us), high.max(us)));
    if curves.is_empty() {
        return Ok(None);
    }
    let title = Title {
        id: "latency".to_owned(),
        title: "Distribution of latencies".to_owned(),
        caption: "Time from a request to its response: the share of all transactions that took no longer."
            .to_owned(),
    };
    let axes: [&Axis; 2] = [&times("Latency", low, high), &shares("Transactions that took no longer", 1.0)];
    curve::figure(title, axes, &curves, false).map(Some)
}
