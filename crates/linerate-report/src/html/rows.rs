//! Rows of the page's tables.

use linerate_analysis::report::{Curve, CurvePoint};

use crate::text::{digits, percent, plain};

/// Facts of one kind, this host's beside the peer's.
pub(crate) struct Group {
    /// What they are about.
    pub(crate) title: String,
    /// The two ends.
    pub(crate) hosts: [String; 2],
    /// Whether the group is open at first.
    pub(crate) open: bool,
    /// The facts.
    pub(crate) rows: Vec<Row>,
}

/// One fact at both ends.
pub(crate) struct Row {
    /// What it is.
    pub(crate) name: String,
    /// The requested value, for options; empty otherwise.
    pub(crate) asked: String,
    /// At the initiator.
    pub(crate) local: String,
    /// At the responder.
    pub(crate) remote: String,
    /// Whether two equal hosts would have the same value.
    alike: bool,
}

impl Group {
    /// Whether any row has a requested value.
    pub(crate) fn has_asked(&self) -> bool {
        self.rows.iter().any(|row| !row.asked.is_empty())
    }
}

impl Row {
    /// A fact that nobody requested.
    pub(crate) fn new(name: impl Into<String>, [local, remote]: [String; 2]) -> Self {
        Self::of_asked(name, "", [local, remote])
    }

    /// A fact with a requested value.
    pub(crate) fn of_asked(name: impl Into<String>, asked: &str, [local, remote]: [String; 2]) -> Self {
        let [local, remote] = [plain(&local), plain(&remote)];
        Self { name: plain(&name.into()), asked: plain(asked), local, remote, alike: true }
    }

    /// A fact of each end by itself, so that a difference means nothing.
    pub(crate) fn own(self) -> Self {
        Self { alike: false, ..self }
    }

    /// Whether either end has it.
    pub(crate) fn is_known(&self) -> bool {
        [&self.local, &self.remote].iter().any(|value| !value.starts_with("unknown"))
    }

    /// Whether the ends differ where equal hosts would not. A value that only one end knows is not
    /// a difference.
    pub(crate) fn differs(&self) -> bool {
        let known = [&self.local, &self.remote].iter().all(|value| !value.starts_with("unknown"));
        self.alike && known && self.local != self.remote
    }
}

/// One size in the table of numbers.
pub(crate) struct NumberRow {
    /// Message size. Unit: bytes.
    pub(crate) size: u64,
    /// Times, rates and counts as shown. Absent if the size was not timed.
    pub(crate) cells: Option<Vec<String>>,
    /// Whether the interval is within its target.
    pub(crate) settled: bool,
}

/// Every size of `curve`.
pub(crate) fn numbers(curve: &Curve) -> Vec<NumberRow> {
    curve.points.iter().map(number).collect()
}

fn number(point: &CurvePoint) -> NumberRow {
    let interval = |ends: Option<[f64; 2]>| match ends {
        Some([low, high]) => format!("{} to {}", digits(low), digits(high)),
        None => "unknown".to_owned(),
    };
    let cells = point.timed.map(|timed| {
        vec![
            digits(timed.median_us),
            interval(timed.interval_us),
            digits(timed.min_us),
            digits(timed.least_mean_us),
            digits(timed.p99_us),
            digits(timed.max_us),
            digits(timed.mbps),
            interval(timed.mbps_interval),
            timed.link_share.map_or_else(|| "unknown".to_owned(), percent),
            timed.samples.to_string(),
            timed.batch.to_string(),
            timed.rounds.to_string(),
            timed.warmup.to_string(),
        ]
    });
    NumberRow { size: point.size, cells, settled: point.timed.is_some_and(|timed| timed.settled) }
}
