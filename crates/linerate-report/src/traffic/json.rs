//! What loads gave, computed: rates, classes, shares and percentiles as JSON. The run file has what
//! they were computed from.

use linerate_core::run::Run;
use linerate_core::stats::Histogram;
use linerate_core::traffic::{Class, Transfer};
use linerate_core::units::{Rate, Span};
use serde_json::{Map, Value, json};

use super::latency;
use super::words::{held_back, name};
use crate::error::RenderError;
use crate::text::plain;

/// The loads of `run` as JSON: rates in 10^6 bit/s, times in us.
///
/// # Errors
///
/// [`RenderError::Json`] when a number has no JSON form.
pub fn json(run: &Run) -> Result<String, RenderError> {
    let loads: Vec<Value> = run.transfers.iter().map(|transfer| load(run, transfer)).collect();
    let latencies: Vec<Value> = latency::rows(&run.transfers)
        .iter()
        .map(|row| {
            let quantile = |share: f64| row.quantile(share).map(Span::as_us);
            let shares =
                latency::SHARES.iter().map(|(label, share)| ((*label).to_owned(), json!(quantile(*share))));
            let mut times: Map<String, Value> = shares.collect();
            times.insert("max".to_owned(), json!(row.times.max().map(Span::as_us)));
            json!({ "name": row.name, "transactions": row.times.count(), "us": times })
        })
        .collect();
    let all = json!({
        "generator": run.generator,
        "started": run.started,
        "transport": run.path().transport,
        "loads": loads,
        "latencies": latencies,
        "cautions": run.cautions.iter().map(|caution| plain(&caution.finding())).collect::<Vec<_>>(),
    });
    Ok(serde_json::to_string_pretty(&all)? + "\n")
}

/// Times between departures: what the number of messages is enough for, and the longest.
fn departures(times: &Histogram) -> Value {
    let us = |span: Option<Span>| span.map(Span::as_us);
    json!({ "p50": us(times.resolved(0.5)), "p99": us(times.resolved(0.99)), "max": us(times.max()) })
}

fn load(run: &Run, transfer: &Transfer) -> Value {
    let mbps = |rate: Option<Rate>| rate.map(Rate::as_mbps);
    let flows = transfer.flows.iter().map(|flow| {
        let (class, reason) = match transfer.class(flow) {
            Class::Complete => ("complete", None),
            Class::Stalled(silent) => ("stalled", Some(silent.to_string())),
            Class::Failed(reason) => ("failed", Some(plain(&reason))),
        };
        json!({
            "flow": flow.flow + 1,
            "peer": flow.peer + 1,
            "direction": flow.direction,
            "class": class,
            "reason": reason,
            "mbps": mbps(flow.rate()),
            "bytes": flow.receiver.bytes,
            "sent_in_us": flow.sender.elapsed().map(Span::as_us),
            "received_in_us": flow.receiver.elapsed().map(Span::as_us),
            "datagrams": flow.receiver.datagrams,
            "departures_us": flow.sender.departures.as_ref().map(departures),
            "engines": { "sender": flow.sender.io, "receiver": flow.receiver.io },
        })
    });
    let sums = transfer.summaries().into_iter().map(|sum| {
        json!({
            "direction": sum.direction,
            "mbps": mbps(sum.rate),
            "complete": sum.complete,
            "stalled": sum.stalled,
            "failed": sum.failed,
            "fairness": sum.fairness,
            "fair_after_s": sum.converged.map(Span::as_seconds),
            "cpu_s_per_gb": sum.cpu_per_gigabyte,
        })
    });
    json!({
        "name": name(transfer),
        "flows": flows.collect::<Vec<_>>(),
        "sums": sums.collect::<Vec<_>>(),
        "held_back": held_back(transfer, run),
    })
}
