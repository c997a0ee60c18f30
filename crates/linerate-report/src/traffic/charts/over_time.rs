//! Throughput, latency and what TCP says, against time.

use linerate_analysis::report::{FlowResult, IntervalRate, LatencyPoint, LoadResult, Report, TcpPoint};

use super::super::latency;
use super::super::words::{rate, since, time};
use super::{MOST_CURVES, goes_both_ways, last, look_of_flow, shown, way};
use crate::figure::axis::{from_zero, rates, times, times_from_zero};
use crate::figure::curve::{self, Curve, Point};
use crate::figure::{Figure, Title};
use crate::plot::{Axis, Look, look_of};
use crate::text::{digits, plain};

/// Curves of more points than these are lines without marks.
const MOST_MARKS: usize = 32;

/// A curve and how it looks.
type Drawn = (Curve, Look);

/// What is drawn against time.
struct Subject {
    id: &'static str,
    title: &'static str,
    caption: &'static str,
    /// The axis of values whose least and highest are these.
    axis: fn(f64, f64) -> Axis,
}

const THROUGHPUT: Subject = Subject {
    id: "throughput",
    title: "Throughput against time",
    caption: "Payload received in each interval, plotted at its end.",
    axis: |_, highest| rates("Throughput", highest),
};
const TRANSACTIONS: Subject = Subject {
    id: "transactions",
    title: "Transactions against time",
    caption: "Transactions that ended in each interval, plotted at its end.",
    axis: |_, highest| from_zero("Transactions a second", highest),
};
const LATENCY: Subject = Subject {
    id: "latency-time",
    title: "Latency against time",
    caption: "Of the transactions that ended in each interval: solid the median, dashed the 99th percentile where there are 100 of them, dotted the longest.",
    axis: |lowest, highest| times("Latency", lowest, highest),
};
const ROUND_TRIP: Subject = Subject {
    id: "rtt",
    title: "Round-trip time against time",
    caption: "Sampled from the sender's TCP. If it rises with the congestion window, segments wait in a queue.",
    axis: |_, highest| times_from_zero("Smoothed round-trip time", highest),
};
const WINDOW: Subject = Subject {
    id: "cwnd",
    title: "Congestion window against time",
    caption: "Sampled from the sender's TCP. It doubles in slow start and falls at a loss.",
    axis: |_, highest| from_zero("Congestion window (segments)", highest),
};

/// Everything against the same time.
pub(super) fn figures(report: &Report) -> Vec<Figure> {
    let all = [
        (LATENCY, latencies(report)),
        (TRANSACTIONS, transactions(report)),
        (THROUGHPUT, of_flows(report, throughput)),
        (ROUND_TRIP, of_flows(report, |flow| tcp(flow, |it| it.rtt_us, |us| time(Some(us))))),
        (WINDOW, of_flows(report, |flow| tcp(flow, |it| it.cwnd as f64, digits))),
    ];
    let last = last(report);
    all.into_iter().filter_map(|(subject, drawn)| figure(&subject, drawn, last)).collect()
}

/// A curve for each flow: its load, if there are several, its direction and its number.
fn of_flows(report: &Report, points: impl Fn(&FlowResult) -> Vec<Point>) -> Vec<Drawn> {
    let both_ways = goes_both_ways(report);
    let flows = report.loads.iter().flat_map(|load| load.flows.iter().map(move |flow| (load, flow)));
    let mut before: Vec<(String, u32)> = Vec::new();
    let drawn = |(load, flow): (&LoadResult, &FlowResult)| {
        let of = if report.loads.len() > 1 { format!("{}, ", plain(&load.name)) } else { String::new() };
        let name = format!("{of}flow #{} {}", flow.flow, way(flow.direction, both_ways));
        // Flows of one number have one colour, if both directions are shown.
        let mine = (load.name.clone(), flow.flow);
        let index = before.iter().position(|it| both_ways && *it == mine).unwrap_or(before.len());
        if index == before.len() {
            before.push(mine);
        }
        (Curve { name, points: points(flow) }, look_of_flow(both_ways, index, flow.direction))
    };
    shown(report, flows).into_iter().map(drawn).collect()
}

fn throughput(flow: &FlowResult) -> Vec<Point> {
    // The last look ends with the flow, and may be too short for a rate.
    let whole = flow.looks.iter().filter(|look| look.whole);
    let point = |look: &IntervalRate| {
        let lines = vec![format!("{} until {}", rate(look.mbps), since(look.until_s))];
        Some(Point { x: look.until_s, y: look.mbps?, interval: None, lines })
    };
    whole.filter_map(point).collect()
}

fn tcp(flow: &FlowResult, value: fn(&TcpPoint) -> f64, said: fn(f64) -> String) -> Vec<Point> {
    let point = |sample: &TcpPoint| {
        let y = value(sample);
        let lines = vec![format!("{} at {}", said(y), since(sample.at_s))];
        Point { x: sample.at_s, y, interval: None, lines }
    };
    flow.tcp.iter().map(point).collect()
}

fn transactions(report: &Report) -> Vec<Drawn> {
    let rows = latency::rows(&report.loads).into_iter().filter(|row| !row.row.course.is_empty());
    let rows = shown(report, rows.map(|row| (row.load, row)));
    let drawn = |(index, (_, row)): (usize, (&LoadResult, latency::Row<'_>))| {
        let point = |it: &LatencyPoint| {
            let y = it.per_second?;
            let lines = vec![format!("{} a second until {}", digits(y), since(it.until_s))];
            Some(Point { x: it.until_s, y, interval: None, lines })
        };
        let points = row.row.course.iter().filter_map(point).collect();
        (Curve { name: row.name(), points }, look_of(index, 0))
    };
    rows.into_iter().enumerate().map(drawn).collect()
}

/// The median, the 99th percentile and the longest of each row: a colour a row, and dashes for each.
fn latencies(report: &Report) -> Vec<Drawn> {
    type Value = fn(&LatencyPoint) -> Option<f64>;
    let kinds: [(&str, Value); 3] =
        [("median", |it| it.p50_us), ("p99", |it| it.p99_us), ("longest", |it| it.max_us)];
    let rows = latency::rows(&report.loads).into_iter().filter(|row| !row.row.course.is_empty());
    let rows = shown(report, rows.map(|row| (row.load, row)));
    let mut drawn = Vec::new();
    for (index, (_, row)) in rows.into_iter().enumerate() {
        for (kind, (what, value)) in kinds.into_iter().enumerate() {
            let point = |it: &LatencyPoint| {
                let us = value(it)?;
                let lines = vec![format!("{what} {} until {}", time(Some(us)), since(it.until_s))];
                Some(Point { x: it.until_s, y: us, interval: None, lines })
            };
            let points = row.row.course.iter().filter_map(point).collect();
            drawn.push((Curve { name: format!("{}, {what}", row.name()), points }, look_of(index, kind)));
        }
    }
    drawn.truncate(MOST_CURVES);
    drawn
}

/// A chart until `last`. Absent if no curve has two points.
fn figure(subject: &Subject, mut drawn: Vec<Drawn>, last: f64) -> Option<Figure> {
    drawn.retain(|(curve, _)| curve.points.len() > 1);
    let values = || drawn.iter().flat_map(|(curve, _)| &curve.points).map(|point| point.y);
    if drawn.is_empty() {
        return None;
    }
    let y = (subject.axis)(values().fold(f64::MAX, f64::min), values().fold(0.0, f64::max));
    let x = from_zero("Time since the load began (s)", last);
    let title = Title {
        id: subject.id.to_owned(),
        title: subject.title.to_owned(),
        caption: subject.caption.to_owned(),
    };
    let (curves, looks): (Vec<Curve>, Vec<Look>) = drawn.into_iter().unzip();
    let marked = curves.iter().all(|curve| curve.points.len() <= MOST_MARKS);
    let mut figure = curve::figure(title, [&x, &y], &curves, marked);
    figure.layers.iter_mut().zip(looks).for_each(|(layer, look)| layer.look = look);
    Some(figure)
}
