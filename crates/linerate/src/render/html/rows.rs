//! Rows of the page's tables.

use linerate_core::report::{Curve, CurvePoint};

use crate::render::text::{digits, percent, plain};

/// Facts of one kind, this host's beside the peer's.
pub(in crate::render) struct Group {
    /// What they are about.
    pub(in crate::render) title: String,
    /// Whether they are shown without being asked for.
    pub(in crate::render) open: bool,
    /// The facts.
    pub(in crate::render) rows: Vec<Row>,
}

/// One fact at both ends.
pub(in crate::render) struct Row {
    /// What it is.
    pub(in crate::render) name: String,
    /// What was asked, where something can be asked; empty otherwise.
    pub(in crate::render) asked: String,
    /// At the end that began.
    pub(in crate::render) local: String,
    /// At the end that answered.
    pub(in crate::render) remote: String,
    /// Whether two like hosts would have it alike.
    alike: bool,
}

impl Group {
    /// Whether any row has something that was asked.
    pub(in crate::render) fn has_asked(&self) -> bool {
        self.rows.iter().any(|row| !row.asked.is_empty())
    }
}

impl Row {
    /// A fact that is what it is.
    pub(in crate::render) fn new(name: impl Into<String>, [local, remote]: [String; 2]) -> Self {
        Self::of_asked(name, "", [local, remote])
    }

    /// A fact that was asked for.
    pub(in crate::render) fn of_asked(
        name: impl Into<String>,
        asked: &str,
        [local, remote]: [String; 2],
    ) -> Self {
        let [local, remote] = [plain(&local), plain(&remote)];
        Self { name: plain(&name.into()), asked: plain(asked), local, remote, alike: true }
    }

    /// A fact that is each end's own, so that a difference says nothing.
    pub(in crate::render) fn own(self) -> Self {
        Self { alike: false, ..self }
    }

    /// Whether either end has it.
    pub(in crate::render) fn is_known(&self) -> bool {
        [&self.local, &self.remote].iter().any(|value| !value.starts_with("unknown"))
    }

    /// Whether the ends differ where like hosts would not. What only one end knows is no difference.
    pub(in crate::render) fn differs(&self) -> bool {
        let known = [&self.local, &self.remote].iter().all(|value| !value.starts_with("unknown"));
        self.alike && known && self.local != self.remote
    }
}

/// One size in the table of numbers.
pub(in crate::render) struct NumberRow {
    /// Message size. Unit: bytes.
    pub(in crate::render) size: u64,
    /// Times, rates and counts as shown; none if the size was not timed.
    pub(in crate::render) cells: Option<Vec<String>>,
    /// Whether the interval is within its target.
    pub(in crate::render) settled: bool,
}

/// Every size of `curve`.
pub(in crate::render) fn numbers(curve: &Curve) -> Vec<NumberRow> {
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
