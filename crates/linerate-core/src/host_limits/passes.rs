//! Several passes over everything that a host could reach, as one: what each figure is over all of them.
//!
//! It goes over the form that files have, so that it knows a new figure by its type and needs no line for it.

use serde_json::{Map, Value};

use super::HostLimits;
use crate::stats::{Estimate, over_passes};

impl HostLimits {
    /// The first of several passes with every figure over all that have it. Absent without a pass.
    #[must_use]
    pub fn over_passes(passes: &[Self]) -> Option<Self> {
        let first = passes.first()?;
        let all: Result<Vec<Value>, _> = passes.iter().map(serde_json::to_value).collect();
        let over = all.map(|all| over(&all.iter().collect::<Vec<_>>())).and_then(serde_json::from_value);
        Some(over.unwrap_or_else(|_| first.clone()))
    }
}

/// What several passes say of one thing, over all that know it. There is at least one.
fn over(passes: &[&Value]) -> Value {
    let known: Vec<&Value> = passes.iter().copied().filter(|value| value.get("unknown").is_none()).collect();
    match known.first() {
        None => passes[0].clone(),
        Some(first @ Value::Object(_)) => estimate(&known).unwrap_or_else(|| parts(first, &known)),
        Some(Value::Array(rows)) => rows.iter().map(|row| over(&same_rows(row, &known))).collect(),
        Some(first) => (*first).clone(),
    }
}

/// An estimate over estimates.
fn estimate(passes: &[&Value]) -> Option<Value> {
    let all: Option<Vec<Estimate>> =
        passes.iter().map(|pass| serde_json::from_value((*pass).clone()).ok()).collect();
    serde_json::to_value(over_passes(&all?)?).ok()
}

/// Each part over those of its name. What is the best of a pass is the best of all, and passes add up.
fn parts(first: &Value, passes: &[&Value]) -> Value {
    let mut parts = Map::new();
    for key in first.as_object().into_iter().flat_map(Map::keys) {
        let all: Vec<&Value> = passes.iter().filter_map(|pass| pass.get(key)).collect();
        let numbers = || all.iter().filter_map(|value| value.as_f64());
        let part = match key.as_str() {
            "passes" => all.iter().filter_map(|value| value.as_u64()).sum::<u64>().into(),
            best if best.starts_with("best_") => numbers().fold(0.0, f64::max).into(),
            _ => over(&all),
        };
        parts.insert(key.clone(), part);
    }
    parts.into()
}

/// In each pass the row of a table that is of the same as `row`: whose words and plain numbers are the same.
fn same_rows<'a>(row: &Value, passes: &[&'a Value]) -> Vec<&'a Value> {
    let key = |row: &Value| {
        let plain = |(_, value): &(&String, &Value)| value.is_string() || value.is_number();
        let of = |row: &Map<String, Value>| {
            row.iter().filter(plain).map(|(name, value)| (name.clone(), value.clone())).collect::<Vec<_>>()
        };
        row.as_object().map(of).ok_or_else(|| row.clone())
    };
    let wanted = key(row);
    let rows = passes.iter().filter_map(|pass| pass.as_array()?.iter().find(|row| key(row) == wanted));
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::super::CopyCost;
    use super::*;
    use crate::environment::Fact;

    fn pass(bytes: &[(u64, f64)]) -> HostLimits {
        let estimate = |median: f64| Estimate { median, interval: Some([median - 1.0, median + 1.0]) };
        let cost = |(bytes, median): &(u64, f64)| CopyCost {
            bytes: *bytes,
            within_ns: estimate(*median),
            into_kernel_ns: estimate(*median),
            out_of_kernel_ns: estimate(*median),
            checksum_ns: estimate(*median),
        };
        HostLimits { copies: Fact::Known(bytes.iter().map(cost).collect()), ..HostLimits::default() }
    }

    #[test]
    fn a_figure_is_over_the_passes_that_have_it() {
        let cut =
            HostLimits { copies: Fact::unknown("the measurement ended before"), ..HostLimits::default() };
        let passes = [pass(&[(64, 10.0), (128, 20.0)]), pass(&[(64, 13.0)]), pass(&[(64, 11.0)]), cut];
        let all = HostLimits::over_passes(&passes).expect("there are passes");
        let found: Vec<(u64, Estimate)> =
            all.copies.known().expect("three have it").iter().map(|it| (it.bytes, it.checksum_ns)).collect();
        let estimate = |median, interval| Estimate { median, interval: Some(interval) };
        assert_eq!(found, [(64, estimate(11.0, [9.0, 14.0])), (128, estimate(20.0, [19.0, 21.0]))]);
        assert!(all.calls.known().is_none() && HostLimits::over_passes(&[]).is_none());
    }
}
