//! The flags of `linerate history`.

use std::path::PathBuf;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};
use linerate_analysis::figures::Key;
use linerate_core::plan::Rows;
use linerate_store::{FigureRange, Filter};

use super::shared;

#[derive(Debug, clap::Args)]
pub(crate) struct HistoryArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<HistoryVerb>,
    #[command(flatten)]
    pub(crate) conditions: Conditions,
}

/// Which runs are meant: all conditions must hold.
#[derive(Clone, Debug, Default, PartialEq, clap::Args)]
pub(crate) struct Conditions {
    /// Runs from then on: 2026-01-31, or an age such as 30d
    ///
    /// Or a time as in RFC 3339.
    #[arg(long, value_name = "WHEN", value_parser = parse_when, hide_short_help = true)]
    since: Option<i64>,
    /// Runs before then
    #[arg(long, value_name = "WHEN", value_parser = parse_when, hide_short_help = true)]
    until: Option<i64>,
    /// Runs with this label; repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = shared::parse_label, hide_short_help = true)]
    label: Vec<(String, String)>,
    /// Runs with this kernel at the initiator
    #[arg(long, value_name = "RELEASE", hide_short_help = true)]
    kernel: Option<String>,
    /// Runs with this setting, such as `responder MTU=9000`; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = shared::parse_label, hide_short_help = true)]
    fact: Vec<(String, String)>,
    /// Runs with this metric in a range, such as `ping-pong/latency<=12`; repeatable
    ///
    /// Units are us, Mb/s and B.
    #[arg(long = "where", value_name = "FIGURE<=VALUE", value_parser = parse_range, hide_short_help = true)]
    range: Vec<FigureRange>,
}

impl Conditions {
    /// As the history understands it.
    pub(crate) fn filter(&self) -> Filter {
        let kernel = self.kernel.iter().map(|kernel| ("initiator kernel".to_owned(), kernel.clone()));
        Filter {
            since_us: self.since,
            until_us: self.until,
            tags: self.label.clone(),
            facts: self.fact.iter().cloned().chain(kernel).collect(),
            figures: self.range.clone(),
            newest: None,
        }
    }
}

/// What is done with the history.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum HistoryVerb {
    /// Show the runs of a path
    Show {
        /// Its id, its name, or the first digits of its hash
        path: String,
        /// Only these figures; repeatable
        #[arg(long, value_name = "FIGURE")]
        figure: Vec<Key>,
        /// Rows: short (default: the last 24 runs) or all
        #[arg(long, value_name = "WHICH", value_parser = shared::rows_parser(), hide_possible_values = true)]
        rows: Option<Rows>,
        #[command(flatten)]
        conditions: Conditions,
    },
    /// Find steps and drifts, and what else changed then
    ///
    /// Exit codes: 0 nothing that was not said before; with --exit-code 1 if a change for the worse is
    /// confirmed, and not muted; 2 an error. Confirmed is what has at least five runs on both sides and is
    /// sure even if the history is searched after every run, or what `history confirm` measured again.
    Changes {
        /// Of which path [default: all]
        path: Option<String>,
        /// End with 1 if something changed for the worse
        #[arg(long)]
        exit_code: bool,
        /// Format of standard output
        #[arg(long, value_enum, default_value_t = super::ExplainFormat::Table)]
        format: super::ExplainFormat,
        #[command(flatten)]
        conditions: Conditions,
    },
    /// Measure again to confirm or dismiss a change
    ///
    /// If the plans of the runs before and after it differ, both are measured in turn and compared. If
    /// something else changed, such as a kernel, the newer plan is measured, and the new runs are compared
    /// with those before the change. The new runs are recorded with the tag `confirm`.
    ///
    /// Exit codes: 0 the change is not there, 1 it is and is for the worse, 2 an error, 3 inconclusive.
    Confirm {
        /// The change's id, from `linerate history changes`
        change: String,
        /// Runs a side
        #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100))]
        runs: u32,
        /// Folder for their files
        #[arg(long, value_name = "FOLDER", default_value = ".")]
        folder: PathBuf,
        /// Measure nothing: say that it is real
        #[arg(long)]
        unmeasured: bool,
    },
    /// Mark a change as expected
    Mute {
        /// The change's id, from `linerate history changes`
        change: String,
        /// Take it back
        #[arg(long)]
        undo: bool,
    },
    /// Write a page of a path, with its changes
    ///
    /// Size against time, key figures with changes, and both sides of the last change.
    Report {
        /// Its id, its name, or the first digits of its hash
        path: String,
        /// Page to write
        #[arg(long, value_name = "X.html")]
        report: PathBuf,
        #[command(flatten)]
        conditions: Conditions,
    },
    /// Record run files, or all in a folder
    ///
    /// Of another history it takes the runs, and what people said: tags, baselines, names, merges and
    /// splits, and what they think of changes.
    Import {
        /// Run files, result files of NetPIPE, folders, or another history
        #[arg(required = true)]
        from: Vec<PathBuf>,
        /// Compute anew what is kept of runs that are there
        #[arg(long)]
        renew: bool,
    },
    /// Write figures as CSV, JSON lines or Prometheus metrics
    Export {
        /// A .csv or .jsonl file; `-` is JSON lines on standard output
        #[arg(long, value_name = "FILE", required_unless_present = "prometheus")]
        out: Option<PathBuf>,
        /// A file for the text-file collector of the node exporter
        #[arg(long, value_name = "FILE.prom")]
        prometheus: Option<PathBuf>,
        #[command(flatten)]
        conditions: Conditions,
    },
    /// Show, set or clear the runs that a path is compared with
    Baseline {
        /// The path
        path: String,
        /// Runs that make up the baseline
        #[arg(conflicts_with_all = ["last", "clear"])]
        runs: Vec<String>,
        /// The last so many runs
        #[arg(long, value_name = "N", conflicts_with = "clear")]
        last: Option<usize>,
        /// None
        #[arg(long)]
        clear: bool,
    },
    /// Give a run labels, or remove them
    Tag {
        /// The run's id, or its first characters
        run: String,
        /// KEY=VALUE gives, KEY takes
        #[arg(required = true)]
        tags: Vec<String>,
    },
    /// Forget runs or paths; keep run files
    Rm {
        /// Ids of runs, or of paths with --path
        #[arg(required = true)]
        names: Vec<String>,
        /// They are paths
        #[arg(long)]
        path: bool,
    },
    /// Drop old curves; keep figures
    ///
    /// Of the runs of a path that are older than --older, one in each --every keeps its curve. So do runs
    /// beside a change, tagged by hand, of a baseline, and the first and the last of each environment.
    Prune {
        /// Only runs older than this
        #[arg(long, value_name = "AGE", default_value = "100d", value_parser = parse_age)]
        older: i64,
        /// One run in so long keeps its curve
        #[arg(long, value_name = "AGE", default_value = "7d", value_parser = parse_age)]
        every: i64,
        /// Only say what would go
        #[arg(long)]
        dry_run: bool,
    },
    /// Show the runs of a path under another, as after a new host name
    Merge {
        /// The path whose runs move
        from: String,
        /// Where they are shown
        into: String,
    },
    /// Give runs with a setting a path of their own
    Split {
        /// The path
        path: String,
        /// The setting, such as `initiator interface=eth1`
        #[arg(value_parser = shared::parse_label)]
        fact: (String, String),
        /// What the new path is called
        name: String,
    },
    /// Undo all merges and splits of a path
    Separate {
        /// The path
        path: String,
    },
    /// Give a path another name
    Rename {
        /// The path
        path: String,
        /// What it is called from now on
        name: String,
    },
    /// Look for damage
    Check,
}

/// `2026-01-31`, `2026-01-31T12:00:00Z`, `30d`. Unit: microseconds since 1970.
fn parse_when(text: &str) -> Result<i64, String> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time.as_microsecond());
    }
    if let Ok(date) = text.parse::<Date>() {
        let start = date.to_zoned(TimeZone::system()).map_err(|error| error.to_string())?;
        return Ok(start.timestamp().as_microsecond());
    }
    let age = parse_age(text)
        .map_err(|_| format!("`{text}` is no time; write 2026-01-31, 2026-01-31T12:00:00Z or 30d"))?;
    Ok(Timestamp::now().as_microsecond().saturating_sub(age))
}

/// `30d`, `12h`, `1y`. Unit: microseconds.
fn parse_age(text: &str) -> Result<i64, String> {
    let wrong = || format!("`{text}` is no length of time; write 30d, 12h or 1y");
    let span: Span = text.parse().map_err(|_| wrong())?;
    let length = span.total((jiff::Unit::Microsecond, &Zoned::now())).map_err(|_| wrong())?;
    if length > 0.0 { Ok(length as i64) } else { Err(wrong()) }
}

/// `ping-pong/latency<=12`, `stream/rate-send>=900`.
fn parse_range(text: &str) -> Result<FigureRange, String> {
    let wrong = || format!("`{text}` is no condition; write FIGURE<=VALUE or FIGURE>=VALUE");
    let (key, value, is_most) = text
        .split_once("<=")
        .map(|(key, value)| (key, value, true))
        .or_else(|| text.split_once(">=").map(|(key, value)| (key, value, false)))
        .ok_or_else(wrong)?;
    let key: Key =
        key.trim().parse().map_err(|error: linerate_analysis::figures::ParseKeyError| error.to_string())?;
    let value: f64 = value.trim().parse().map_err(|_| wrong())?;
    let (least, most) = if is_most { (None, Some(value)) } else { (Some(value), None) };
    Ok(FigureRange { key: key.to_string(), least, most })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_dates_and_conditions_are_read() {
        assert_eq!(parse_age("12h"), Ok(12 * 3_600_000_000));
        assert_eq!(parse_age("7d"), Ok(7 * 86_400_000_000));
        for wrong in ["", "7", "-1d", "0d", "x"] {
            assert!(parse_age(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_when("1970-01-01T00:00:01Z"), Ok(1_000_000));
        assert!(parse_when("2026-13-01").is_err());
        assert!(parse_when("30d").is_ok_and(|when| when < Timestamp::now().as_microsecond()));
        let range = parse_range("ping-pong/latency<=12").expect("a condition");
        assert_eq!((range.least, range.most), (None, Some(12.0)));
        for wrong in ["latency<=12", "ping-pong/latency=12", "ping-pong/latency<=x"] {
            assert!(parse_range(wrong).is_err(), "{wrong}");
        }
    }
}
