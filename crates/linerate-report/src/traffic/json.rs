//! Derived results of loads: rates, classes, shares and percentiles as JSON. The run file has the
//! counts behind them.

use linerate_core::report::{LoadResult, Report, SHARES};
use linerate_core::run::Run;
use serde_json::{Map, Value, json};

use super::latency::{self, Row};
use crate::error::RenderError;
use crate::text::plain;

/// One run of loads as JSON: rates in 10^6 bit/s, times in us.
///
/// # Errors
///
/// [`RenderError::Json`] when a number has no JSON form.
pub(crate) fn json(report: &Report, run: &Run) -> Result<String, RenderError> {
    let all = json!({
        "generator": run.generator,
        "started": run.started,
        "transport": run.path().transport,
        "loads": loads(report)?,
        "latencies": latencies(report),
        "cautions": run.cautions.iter().map(|caution| plain(&caution.finding())).collect::<Vec<_>>(),
    });
    Ok(serde_json::to_string_pretty(&all)? + "\n")
}

/// Every load of `report`; with several runs it says which it is of, as a curve does.
///
/// # Errors
///
/// [`RenderError::Json`] when a number has no JSON form.
pub(crate) fn loads(report: &Report) -> Result<Vec<Value>, RenderError> {
    let load = |load: &LoadResult| {
        let mut load = serde_json::to_value(load)?;
        if let (1, Value::Object(fields)) = (report.runs.len(), &mut load) {
            fields.remove("run");
        }
        make_plain(&mut load);
        Ok(load)
    };
    report.loads.iter().map(load).collect()
}

/// Every row of latencies; with several runs it says which it is of.
pub(crate) fn latencies(report: &Report) -> Vec<Value> {
    let several = report.runs.len() > 1;
    let row = |row: &Row<'_>| {
        let shares = SHARES.iter().zip(row.row.us).map(|((label, _), us)| ((*label).to_owned(), json!(us)));
        let mut times: Map<String, Value> = shares.collect();
        times.insert("max".to_owned(), json!(row.row.max_us));
        let mut fields = json!({ "name": row.name(), "transactions": row.row.transactions, "us": times });
        if several {
            fields["run"] = json!(row.load.run);
        }
        fields
    };
    latency::rows(&report.loads).iter().map(row).collect()
}

/// Replaces what must not reach a terminal in every text of `value`.
fn make_plain(value: &mut Value) {
    match value {
        Value::String(text) => *text = plain(text),
        Value::Array(values) => values.iter_mut().for_each(make_plain),
        Value::Object(fields) => fields.values_mut().for_each(make_plain),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
