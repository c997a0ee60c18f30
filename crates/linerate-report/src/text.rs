//! Words and numbers that several renderers share.

use linerate_analysis::derive::{Bandwidth, Derived, Peak};
use linerate_analysis::explain::{Band, Certainty};
use linerate_analysis::figures::Unit;
use linerate_analysis::report::{Curve, FlowClass, NamedRun, Report};
use linerate_core::environment::Fact;
pub(crate) use linerate_core::foreign::plain;
use linerate_core::options::Waiting;
use linerate_core::pattern::Pattern;
use linerate_core::run::{End, Path, PathMtu, Run, State, WayMtu};
pub(crate) use linerate_core::units::digits;
use linerate_core::units::{Rate, Size, Span};

use unicode_width::UnicodeWidthStr as _;

use super::numbers::estimate;

/// Columns of a label before its value: at least, and at most.
const LABEL: usize = 12;
const LONGEST_LABEL: usize = 24;

/// Columns that `text` takes in a terminal.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// What limits a band, and its sizes: `likely send buffer (64 KiB to 1 MiB)`.
pub(crate) fn band_name(band: &Band) -> String {
    let says = match (band.verdict, band.certainty) {
        (Some(bound), Certainty::Sure) => bound.to_string(),
        (Some(bound), _) => format!("likely {bound}"),
        (None, _) => {
            let known = band.candidates.iter().filter(|it| it.share.is_some()).take(2);
            let names: Vec<String> = known.map(|it| it.bound.to_string()).collect();
            format!("{}, cannot tell", names.join(" or ")).trim_start_matches(", ").to_owned()
        }
    };
    format!("{says} ({})", band_sizes(band))
}

/// `64 KiB to 1 MiB`.
pub(crate) fn band_sizes(band: &Band) -> String {
    let [from, to] = [band.from_bytes, band.to_bytes].map(Size);
    if from == to { from.to_string() } else { format!("{from} to {to}") }
}

/// `text` as the text of an XML document.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// As it begins a line.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// How large a packet may be on each path on which it was tried, beside the interfaces' MTU.
pub(crate) fn path_mtus(run: &Run) -> impl Iterator<Item = String> {
    let way = |way: WayMtu| match way.largest_bytes {
        arrived if arrived >= way.interface_bytes => format!("{arrived} B (the interface's)"),
        arrived => format!("{arrived} B (the interface has {} B)", way.interface_bytes),
    };
    run.answering().filter_map(move |(_, path)| {
        let PathMtu { there, back } = *path.mtu.known()?;
        let same = there.largest_bytes == back.largest_bytes && there.interface_bytes == back.interface_bytes;
        Some(if same {
            format!("{} both ways", way(there))
        } else {
            format!("{} there, {} back", way(there), way(back))
        })
    })
}

/// A share from 0 to 1 as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// `one flow`, `3 flows`: a count of something whose plural ends in s.
pub(crate) fn count(number: u64, what: &str) -> String {
    if number == 1 { format!("one {what}") } else { format!("{number} {what}s") }
}

/// A time in picoseconds, in the unit that fits.
pub(crate) fn time_text(ps: f64) -> String {
    Span::from_ps(ps.round() as u64).to_string()
}

/// A size that was computed and so is not a whole number of bytes.
pub(crate) fn about(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 10_240.0 => format!("{bytes:.0} B"),
        bytes if bytes < 10_485_760.0 => format!("{} KiB", digits(bytes / 1024.0)),
        bytes => format!("{} MiB", digits(bytes / 1_048_576.0)),
    }
}

/// A value of a figure without its unit; a share in percent.
pub(crate) fn figure_value(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Share => format!("{:.3} %", value * 100.0),
        Unit::Bytes | Unit::PerGigabyte => format!("{value:.0}"),
        _ => digits(value),
    }
}

/// The name of a figure's unit; empty where the value says it.
pub(crate) const fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Share => "",
        unit => unit.symbol(),
    }
}

/// The meaning of a pattern's times. Curves with different meanings cannot be compared.
pub(crate) const fn timing(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::PingPong => "times are of one message one way: half the round trip",
        Pattern::OneWay => {
            "times are per message one way without pause: the time between arrivals, not a latency"
        }
        Pattern::Exchange => {
            "times are of one message each way at once, until both have arrived; throughput is of each direction by itself"
        }
    }
}

/// How receivers waited for bytes.
pub(crate) const fn waiting(waiting: Waiting) -> &'static str {
    match waiting {
        Waiting::Block => "block: times include waking them",
        Waiting::Spin => "spin: their processors never sleep",
    }
}

/// What the intervals of a curve cover. Absent if it has none.
pub(crate) fn coverage(curve: &Curve) -> Option<String> {
    let found = curve.timed().any(|(_, timed)| timed.interval_us.is_some());
    found.then(|| match curve.passes {
        1 => "95 %, within this run; another run may lie outside (--repeat N covers that)".to_owned(),
        passes => format!("from pass to pass: {passes} passes"),
    })
}

/// A fact, safe to show.
pub(crate) fn fact<T: std::fmt::Display>(fact: &Fact<T>) -> String {
    plain(&fact.to_string())
}

/// Both hosts of a run by name or address, the initiator first; of several responders the first and how
/// many others. Absent if neither is known, as in a run that was computed or imported.
pub(crate) fn hosts(named: &NamedRun) -> Option<[String; 2]> {
    let run = &named.run;
    let [local, remote] = end_names(run, run.remote(), run.path())?;
    let others = run.paths.len().saturating_sub(1) as u64;
    let others = if others > 0 { format!(" and {}", count(others, "other")) } else { String::new() };
    Some([local, remote + &others])
}

/// The initiator and one responder of a run by name or address. Absent if neither is known.
pub(crate) fn end_names(run: &Run, remote: End<'_>, path: &Path) -> Option<[String; 2]> {
    let known = |end: End<'_>, address: &str| match end.environment.hostname.known() {
        Some(name) if !name.is_empty() => Some(plain(name)),
        _ => (!address.is_empty()).then(|| plain(address)),
    };
    let [local, remote] = [known(run.local(), &path.from_address), known(remote, &path.to_address)];
    let unknown = || "an unknown host".to_owned();
    (local.is_some() || remote.is_some())
        .then(|| [local.unwrap_or_else(unknown), remote.unwrap_or_else(unknown)])
}

/// That run `index` did not end as planned, or flows of it did not, and why: the first line of all that is
/// said of it. Absent if nothing went wrong.
pub(crate) fn unfinished(report: &Report, index: usize) -> Option<String> {
    let flows = || report.loads_of(index).flat_map(|load| &load.flows);
    let bad = flows().filter(|flow| flow.class != FlowClass::Complete).count();
    let asking = report.loads_of(index).map(|load| load.troubles.len()).sum::<usize>();
    Some(match &report.runs[index].run.state {
        State::Failed(reason) => format!("FAILED: {}", plain(reason)),
        State::Interrupted => "INTERRUPTED: the user ended it; this is what there was until then".to_owned(),
        State::Running => "UNFINISHED: it is still running, or was killed; this is what was saved".to_owned(),
        State::Complete if bad > 0 => {
            let (all, verb) = (flows().count(), if bad == 1 { "has" } else { "have" });
            format!("{bad} of {} {verb} STALLED or FAILED", count(all as u64, "flow"))
        }
        State::Complete if asking > 0 => {
            format!("{} of requests STALLED or FAILED", count(asking as u64, "flow"))
        }
        State::Complete => return None,
    })
}

/// `text` of at most `most` characters; what is left out is in the middle, because names of files
/// differ at their ends.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let half = most / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(length - (most - half - 1)).collect();
    format!("{head}\u{2026}{tail}")
}

/// How many sizes of a curve were asked, timed and settled within the target.
pub(crate) struct Progress {
    /// Sizes of the schedule.
    pub(crate) asked: usize,
    /// Of these, timed.
    pub(crate) timed: usize,
    /// Of these, with an interval within the target.
    pub(crate) settled: usize,
}

/// Progress of `curve`.
pub(crate) fn progress(curve: &Curve) -> Progress {
    Progress {
        asked: curve.points.len(),
        timed: curve.timed().count(),
        settled: curve.timed().filter(|(_, timed)| timed.settled).count(),
    }
}

/// A key number of a curve.
pub(crate) struct Key {
    /// What it is.
    pub(crate) label: &'static str,
    /// Its value with unit and interval.
    pub(crate) value: String,
}

/// The key numbers of `curve`; a missing one has the reason.
pub(crate) fn keys(curve: &Curve) -> Vec<Key> {
    let derived = &curve.derived;
    let missing = |why: &str| format!("none: {why}");
    let mut keys = vec![Key { label: "latency", value: latency(curve) }];
    match &derived.bandwidth {
        Some(bandwidth) => {
            keys.push(Key { label: "peak", value: peak(curve, &bandwidth.peak) });
            keys.extend(bandwidth.burst.map(|burst| Key { label: "burst", value: peak(curve, &burst) }));
            keys.push(Key { label: "N1/2", value: half_performance(bandwidth) });
        }
        None => keys.push(Key { label: "peak", value: missing(no_peak(curve)) }),
    }
    let knee = saturation(derived).unwrap_or_else(|| missing("no knee within the sizes measured"));
    keys.push(Key { label: "saturation", value: knee });
    keys
}

fn half_performance(bandwidth: &Bandwidth) -> String {
    bandwidth.half_performance_bytes.map_or_else(
        || "none: half the peak lies outside the sizes measured".to_owned(),
        |bytes| {
            let size = estimate(Unit::Size, bytes, bandwidth.half_performance_interval_bytes);
            format!("{size}, where throughput is half the peak")
        },
    )
}

/// Why a curve has no peak.
fn no_peak(curve: &Curve) -> &'static str {
    if curve.timed().next().is_some() {
        "what the path sustains one way is not known"
    } else if curve.in_bursts > 0 {
        "not settled; no size was timed for long enough"
    } else {
        "nothing was timed"
    }
}

fn latency(curve: &Curve) -> String {
    match &curve.derived.latency {
        Some(latency) => {
            let us = |ps: f64| ps / 1e6;
            let interval = latency.time.interval.map(|ends| ends.map(us));
            let time = estimate(Unit::Microseconds, us(latency.time.median), interval);
            let doubt = doubt(curve, latency.size);
            format!("{time} at {}{doubt}", Size(latency.size))
        }
        None if curve.pattern.timed_by_responder() => "none: one-way messages overlap".to_owned(),
        None => "none: no message below 64 B was timed".to_owned(),
    }
}

/// The peak or the burst of `curve`.
fn peak(curve: &Curve, peak: &Peak) -> String {
    let mbps = peak.throughput.as_mbps();
    let rate = estimate(Unit::Mbps, mbps, peak.interval.map(|ends| ends.map(Rate::as_mbps)));
    let of_one_mbps = curve.timed().find_map(|(_, timed)| Some(timed.link_share? / timed.mbps));
    let share =
        of_one_mbps.map_or_else(String::new, |share| format!(", {} of the link", percent(share * mbps)));
    if peak.pattern != curve.pattern {
        return format!("{rate} at {}, sustained one way{share}", Size(peak.size));
    }
    format!("{rate} at {}{share}{}", Size(peak.size), doubt(curve, peak.size))
}

/// What is said behind a key number of this size if its interval is missing, or wider than the plan wanted.
fn doubt(curve: &Curve, size: u64) -> &'static str {
    let settled = curve.timed().any(|(other, timed)| other == size && timed.settled);
    if settled { "" } else { "; not settled" }
}

fn saturation(derived: &Derived) -> Option<String> {
    let knee = derived.saturation?;
    Some(format!(
        "{}: {} fixed, {} a byte",
        estimate(Unit::Size, knee.size, Some(knee.interval)),
        time_text(knee.fixed_ps),
        time_text(knee.per_byte_ps)
    ))
}

/// The name of curve `index`, safe to show.
pub(crate) fn curve_name(report: &Report, index: usize) -> String {
    plain(&report.curves[index].name)
}

/// A label and its value, wrapped under each other.
pub(crate) fn item(label: &str, value: &str, width: usize) -> String {
    behind(if columns(label) < LABEL { LABEL } else { columns(label) + 2 }, label, value, width)
}

/// Labels and their values, wrapped under each other; a very long label has a line of its own.
pub(crate) fn items(list: &[(&str, &str)], width: usize) -> String {
    let longest = list.iter().map(|(label, _)| columns(label) + 2).filter(|label| *label <= LONGEST_LABEL);
    let column = longest.max().unwrap_or(LABEL).max(LABEL);
    list.iter().map(|(label, value)| behind(column, label, value, width)).collect::<Vec<_>>().join("\n")
}

/// A value behind a label of so many columns.
fn behind(column: usize, label: &str, value: &str, width: usize) -> String {
    let indent = column + 2;
    // A blank would be lost in wrapping: the label's column is filled with it afterwards.
    let wrapped = wrap(value, width.saturating_sub(indent), 0).replace('\n', &format!("\n{:indent$}", ""));
    if columns(label) < column {
        return format!("  {label:<column$}{wrapped}");
    }
    let label = wrap(label, width.saturating_sub(2), 0).replace('\n', "\n  ");
    format!("  {label}\n{:indent$}{wrapped}", "")
}

/// `text` in lines of at most `width` columns, all but the first behind `indent` blanks.
pub fn wrap(text: &str, width: usize, indent: usize) -> String {
    let mut lines = vec![String::new()];
    let room = width.max(indent + 8);
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        let gap = usize::from(!line.trim().is_empty());
        if columns(line) + gap + columns(word) <= room {
            line.push_str(&" ".repeat(gap));
            line.push_str(word);
        } else {
            break_word(word, room, indent, &mut lines);
        }
    }
    lines.retain(|line| !line.trim().is_empty());
    lines.join("\n")
}

/// Adds `word` on lines of its own: host and file names can be longer than a line.
fn break_word(word: &str, room: usize, indent: usize, lines: &mut Vec<String>) {
    let mut line = " ".repeat(indent);
    for c in word.chars() {
        if columns(&line) + columns(c.encode_utf8(&mut [0; 4])) > room {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
        }
        line.push(c);
    }
    lines.push(line);
}

#[cfg(test)]
mod tests;
