//! Loads as CSV: a line for each interval of each flow, and for each percentile of each latency.

use linerate_core::run::Run;
use linerate_core::traffic::{FlowAccount, HalfAccount, Transfer};
use linerate_core::units::{Rate, Span};

use super::latency;
use super::words::name;
use crate::error::RenderError;

/// The loads of `run` as CSV. A stream's lines are intervals as the receiver counted them, beside
/// what TCP of the sender said then; a run of requests has lines of percentiles.
///
/// # Errors
///
/// [`RenderError::Csv`] when a line cannot be written.
pub fn csv(run: &Run) -> Result<String, RenderError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let rows = latency::rows(&run.transfers);
    if rows.is_empty() {
        intervals(run, &mut writer)?;
    } else {
        writer.write_record(["latency", "transactions", "quantile", "us"])?;
        for row in rows {
            let times = latency::SHARES.iter().map(|(_, share)| (*share, row.quantile(*share)));
            for (share, time) in times.chain([(1.0, row.times.max())]) {
                let us = time.map_or_else(String::new, |span| span.as_us().to_string());
                let count = row.times.count().to_string();
                writer.write_record([row.name.as_str(), &count, &share.to_string(), &us])?;
            }
        }
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn intervals(run: &Run, writer: &mut csv::Writer<Vec<u8>>) -> Result<(), RenderError> {
    writer.write_record([
        "load",
        "direction",
        "flow",
        "peer",
        "until_s",
        "bytes",
        "mbps",
        "rtt_us",
        "cwnd_segments",
        "retransmits",
    ])?;
    for transfer in &run.transfers {
        for flow in &transfer.flows {
            for line in lines(transfer, flow) {
                writer.write_record(line)?;
            }
        }
    }
    Ok(())
}

fn lines(transfer: &Transfer, flow: &FlowAccount) -> Vec<[String; 10]> {
    let HalfAccount { intervals, .. } = &flow.receiver;
    let mut since = Span::ZERO;
    let line = |(place, interval): (usize, &linerate_core::traffic::Interval)| {
        let rate = Rate::of(interval.bytes, interval.until.saturating_sub(since));
        since = interval.until;
        let sample = flow.sender.tcp.get(place);
        let of = |value: Option<String>| value.unwrap_or_default();
        [
            name(transfer),
            flow.direction.to_string(),
            (flow.flow + 1).to_string(),
            (flow.peer + 1).to_string(),
            interval.until.as_seconds().to_string(),
            interval.bytes.to_string(),
            of(rate.map(|rate| rate.as_mbps().to_string())),
            of(sample.map(|sample| sample.rtt.as_us().to_string())),
            of(sample.map(|sample| sample.cwnd.to_string())),
            of(sample.map(|sample| sample.retransmits.to_string())),
        ]
    };
    intervals.iter().enumerate().map(line).collect()
}
