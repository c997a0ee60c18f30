//! Latencies of requests as they are shown to a reader.

use super::flow::usual;
use linerate_core::stats::Histogram;
use linerate_core::traffic::{Latency, LatencyLook, Transfer};
use linerate_core::units::Span;

/// The shares of all transactions whose latencies are shown: up to 99.999 %.
pub const SHARES: [(&str, f64); 6] =
    [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999), ("p99.999", 0.99999)];

/// Steps of a distribution from 0 to nine tenths of the transactions.
const STEPS: u32 = 180;
/// The most rows of a load that have a distribution: a chart cannot show more curves clearly.
const MOST_DISTRIBUTIONS: usize = 18;

/// One histogram of a flow of requests.
#[derive(Clone, Debug)]
pub struct LatencyRow {
    /// The flow's number, from 1, if the load has several flows of requests.
    pub flow: Option<u32>,
    /// What is timed, such as `to connect`; empty for the time from request to response.
    pub kind: &'static str,
    /// Times in it.
    pub transactions: u64,
    /// Transactions a second after the warm-up, if any time passed.
    pub per_second: Option<f64>,
    /// The time that each of [`SHARES`] of all transactions took at most; absent if there are too
    /// few of them.
    pub us: [Option<f64>; SHARES.len()],
    /// The longest time.
    pub max_us: Option<f64>,
    /// Requests without a response in time.
    pub lost: u64,
    /// Shares from 0 to 1, and the longest time of that share of transactions (us): evenly up to nine
    /// tenths, and then ever closer to 1, as far as there are transactions.
    pub distribution: Vec<(f64, f64)>,
    /// What it was over time, if the run has it.
    pub course: Vec<LatencyPoint>,
}

/// The requests of a flow from one look to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyPoint {
    /// Its end, since the load began. Unit: seconds.
    pub until_s: f64,
    /// Transactions a second in it; absent if it is much shorter than the others, as the last one may be.
    pub per_second: Option<f64>,
    /// Their median, if there are enough of them.
    pub p50_us: Option<f64>,
    /// Their 99th percentile.
    pub p99_us: Option<f64>,
    /// The longest.
    pub max_us: Option<f64>,
}

/// Percentiles that not all rows have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lacking {
    /// Transactions of the row that has the fewest.
    pub fewest: u64,
    /// What the percentiles are called, and how many transactions each needs.
    pub needed: Vec<(&'static str, u64)>,
}

/// Every histogram of `transfer` that has times.
pub(super) fn rows(transfer: &Transfer) -> Vec<LatencyRow> {
    let mut rows = Vec::new();
    for latency in &transfer.latencies {
        let flow = (transfer.latencies.len() > 1).then(|| latency.flow + 1);
        let kinds = [
            ("from when it was due", &latency.response),
            ("", &latency.service),
            ("to connect", &latency.connect),
        ];
        // The looks are at the first of these that has times.
        let mut course = course(latency, transfer.load.head_start);
        for (kind, times) in kinds.into_iter().filter(|(_, times)| times.count() > 0) {
            let steps = if rows.len() < MOST_DISTRIBUTIONS { distribution(times) } else { Vec::new() };
            let course = std::mem::take(&mut course);
            rows.push(LatencyRow {
                flow,
                kind,
                distribution: steps,
                course,
                ..LatencyRow::of(latency, times)
            });
        }
    }
    rows
}

impl LatencyRow {
    fn of(latency: &Latency, times: &Histogram) -> Self {
        let seconds = latency.span.as_seconds();
        let counted = latency.transactions.saturating_sub(latency.warm_up);
        Self {
            flow: None,
            kind: "",
            transactions: times.count(),
            per_second: (seconds > 0.0).then(|| counted as f64 / seconds),
            us: SHARES.map(|(_, share)| times.resolved(share).map(Span::as_us)),
            max_us: times.max().map(Span::as_us),
            lost: latency.lost,
            distribution: Vec::new(),
            course: Vec::new(),
        }
    }

    /// The time of the percentile called `label`, such as `p99`; absent if there are too few
    /// transactions.
    #[must_use]
    pub fn percentile(&self, label: &str) -> Option<f64> {
        let place = SHARES.iter().position(|(name, _)| *name == label)?;
        self.us[place]
    }
}

/// Each step towards 1 leaves a tenth fewer of the transactions beyond it, until one is left.
fn distribution(times: &Histogram) -> Vec<(f64, f64)> {
    let even = (0..STEPS).map(|nth| 0.9 * f64::from(nth) / f64::from(STEPS));
    let fewest = 1.0 / times.count().max(1) as f64;
    let beyond = std::iter::successors(Some(0.1), |left| Some(left * 0.9)).take_while(|left| *left > fewest);
    let shares = even.chain(beyond.map(|left| 1.0 - left)).chain([1.0 - fewest, 1.0]);
    let mut shares: Vec<f64> = shares.filter(|share| *share >= 0.0).collect();
    shares.sort_by(f64::total_cmp);
    shares.dedup();
    shares.into_iter().filter_map(|share| Some((share, times.quantile(share)?.as_us()))).collect()
}

/// The looks at a flow whose requests began `later` than the load.
fn course(latency: &Latency, later: Span) -> Vec<LatencyPoint> {
    let ends = latency.looks.iter().map(|look| look.until);
    let begins = std::iter::once(Span::ZERO).chain(ends.clone());
    let spans: Vec<Span> = ends.zip(begins).map(|(until, since)| until.saturating_sub(since)).collect();
    let shortest = usual(&spans) / 2;
    let point = |(look, span): (&LatencyLook, &Span)| {
        let us = |span: Option<Span>| span.map(Span::as_us);
        let whole = *span >= shortest && *span > Span::ZERO;
        LatencyPoint {
            until_s: (look.until + later).as_seconds(),
            per_second: whole.then(|| look.transactions as f64 / span.as_seconds()),
            p50_us: us(look.p50),
            p99_us: us(look.p99),
            max_us: us(look.max),
        }
    };
    latency.looks.iter().zip(&spans).map(point).collect()
}

/// Which percentiles `rows` do not all have; absent if they have all.
#[must_use]
pub fn lacking(rows: &[&LatencyRow]) -> Option<Lacking> {
    let fewest = rows.iter().map(|row| row.transactions).min()?;
    let needed = SHARES.iter().map(|(label, share)| (*label, Histogram::needed(*share)));
    let needed: Vec<_> = needed.filter(|(_, needed)| fewest < *needed).collect();
    (!needed.is_empty()).then_some(Lacking { fewest, needed })
}
