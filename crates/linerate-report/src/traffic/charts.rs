//! Charts of loads: throughput, congestion window and round-trip time against time, and the
//! distribution of latencies.

use linerate_core::kernel::TcpSample;
use linerate_core::run::Run;
use linerate_core::traffic::{FlowAccount, Transfer};
use linerate_core::units::{Rate, Span};

use super::latency;
use super::words::name;
use crate::error::RenderError;
use crate::figure::axis::{from_zero, shares, times};
use crate::figure::curve::{self, Curve, Point};
use crate::figure::{Figure, Title};
use crate::plot::Axis;
use crate::text::{digits, percent};

/// More curves than can be told apart: six colours, three kinds of dashes.
const MOST_CURVES: usize = 18;
/// Points of a distribution's curve.
const STEPS: u32 = 200;

/// The charts of `run`.
///
/// # Errors
///
/// [`RenderError::Draw`] when the graph library refuses.
pub(super) fn figures(run: &Run) -> Result<Vec<Figure>, RenderError> {
    let mut figures = Vec::new();
    figures.extend(distribution(&run.transfers)?);
    let several = run.transfers.len() > 1;
    figures.extend(throughput(&run.transfers, several)?);
    let windows = |sample: &TcpSample| Some(sample.cwnd as f64);
    let window = Subject {
        id: "cwnd",
        title: "Congestion window against time",
        axis: "Congestion window (segments)",
        caption: "As TCP of the sender says at each interval; it doubles in slow start and falls at a loss.",
    };
    figures.extend(tcp(&run.transfers, several, &window, windows)?);
    let round_trip = Subject {
        id: "rtt",
        title: "Round-trip time against time",
        axis: "Smoothed round-trip time (us)",
        caption: "As TCP of the sender says at each interval. What rises with the congestion window waits in a queue.",
    };
    figures.extend(tcp(&run.transfers, several, &round_trip, |sample| Some(sample.rtt.as_us()))?);
    Ok(figures)
}

/// What TCP says that is drawn against time.
struct Subject {
    id: &'static str,
    title: &'static str,
    axis: &'static str,
    caption: &'static str,
}

/// A curve's name: its load, where there are several, and its flow.
fn curve_name(transfer: &Transfer, flow: &FlowAccount, several: bool) -> String {
    let load = if several { format!("{}, ", name(transfer)) } else { String::new() };
    format!("{load}{} #{}", flow.direction, flow.flow + 1)
}

/// Every flow of every load, as many as can be told apart.
fn flows(transfers: &[Transfer]) -> impl Iterator<Item = (&Transfer, &FlowAccount)> {
    transfers
        .iter()
        .flat_map(|transfer| transfer.flows.iter().map(move |flow| (transfer, flow)))
        .take(MOST_CURVES)
}

fn throughput(transfers: &[Transfer], several: bool) -> Result<Option<Figure>, RenderError> {
    let curves = flows(transfers).map(|(transfer, flow)| {
        let mut since = Span::ZERO;
        let shortest = longest_interval(flow) / 10;
        let points = flow.receiver.intervals.iter().filter_map(|interval| {
            let span = interval.until.saturating_sub(since);
            since = interval.until;
            // The last one ends with the flow, and may be too short for a rate.
            if span < shortest {
                return None;
            }
            let rate = Rate::of(interval.bytes, span)?;
            let lines = vec![format!("{rate} until {}", interval.until)];
            Some(Point { x: interval.until.as_seconds(), y: rate.as_mbps(), interval: None, lines })
        });
        Curve { name: curve_name(transfer, flow, several), points: points.collect() }
    });
    let title = Title {
        id: "throughput".to_owned(),
        title: "Throughput against time".to_owned(),
        caption: "Payload that the receiver took in each interval, at the interval's end.".to_owned(),
    };
    against_time(title, "Throughput (Mb/s)", curves.collect())
}

fn longest_interval(flow: &FlowAccount) -> Span {
    let ends = flow.receiver.intervals.iter().map(|interval| interval.until);
    let begins = std::iter::once(Span::ZERO).chain(ends.clone());
    ends.zip(begins).map(|(until, since)| until.saturating_sub(since)).max().unwrap_or(Span::ZERO)
}

fn tcp(
    transfers: &[Transfer],
    several: bool,
    subject: &Subject,
    value: impl Fn(&TcpSample) -> Option<f64>,
) -> Result<Option<Figure>, RenderError> {
    let curves = flows(transfers).map(|(transfer, flow)| {
        let points = flow.sender.tcp.iter().filter_map(|sample| {
            let y = value(sample)?;
            let lines = vec![format!("{} at {}", digits(y), sample.at)];
            Some(Point { x: sample.at.as_seconds(), y, interval: None, lines })
        });
        Curve { name: curve_name(transfer, flow, several), points: points.collect() }
    });
    let title = Title {
        id: subject.id.to_owned(),
        title: subject.title.to_owned(),
        caption: subject.caption.to_owned(),
    };
    against_time(title, subject.axis, curves.collect())
}

/// A chart over seconds; none if no curve has two points.
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

/// The distribution of latencies; none without requests.
fn distribution(transfers: &[Transfer]) -> Result<Option<Figure>, RenderError> {
    let rows = latency::rows(transfers);
    let curves: Vec<Curve> = rows
        .iter()
        .take(MOST_CURVES)
        .map(|row| {
            let point = |nth: u32| {
                let share = f64::from(nth) / f64::from(STEPS);
                let us = row.times.quantile(share)?.as_us();
                let lines = vec![format!("{} took {} us at most", percent(share), digits(us))];
                Some(Point { x: us, y: share, interval: None, lines })
            };
            Curve { name: row.name.clone(), points: (0..=STEPS).filter_map(point).collect() }
        })
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
