//! The words and numbers of a comparison.

use linerate_analysis::compare::{
    Change, CurveChange, DipChange, Fate, FigureChange, Intervals, Method, RunNote, Scale, Verdict,
};
use linerate_analysis::figures::Unit;
use linerate_analysis::identity::Difference;
use linerate_core::units::Size;

use super::super::text::plain;
pub(super) use super::super::text::{figure_value as value, unit_name as unit};

/// From here on the smallest visible change is no number: it says that the runs scatter too much.
const MOST_VISIBLE: f64 = 9.0;
/// At most this many runs and values are written out.
const NAMES: usize = 4;

/// What a change is called.
pub(super) fn verdict(change: &Change, unit: Unit, threshold: f64) -> String {
    let quick = matches!(unit, Unit::Microseconds | Unit::Mbps | Unit::PerSecond);
    let small = || match change.scale {
        Scale::Ratio => format!("{} %", trimmed(threshold * 100.0)),
        Scale::Difference => "0.1 %".to_owned(),
    };
    match change.verdict {
        Verdict::Better if quick => "faster".to_owned(),
        Verdict::Better => "better".to_owned(),
        Verdict::Worse if quick => "slower".to_owned(),
        Verdict::Worse => "worse".to_owned(),
        Verdict::Moved => "moved".to_owned(),
        Verdict::Small => format!("changed, below {}", small()),
        Verdict::Same => format!("same within {}", small()),
        Verdict::CannotTell => match visible(change, unit) {
            Some(visible) => format!("inconclusive ({visible})"),
            None => "inconclusive".to_owned(),
        },
        Verdict::NoVerdict => "no verdict".to_owned(),
    }
}

/// The smallest change that would have been seen.
pub(super) fn visible(change: &Change, unit: Unit) -> Option<String> {
    let visible = change.visible?;
    Some(match change.scale {
        Scale::Ratio if visible >= MOST_VISIBLE => "detects nothing below x10".to_owned(),
        Scale::Ratio => format!("detects {}", share(visible)),
        Scale::Difference => format!("detects {}", value(visible, unit)),
    })
}

/// A change by a share; by a factor from twice on.
fn share(share: f64) -> String {
    if share >= 1.0 { format!("x{}", rounded(1.0 + share)) } else { format!("{} %", rounded(share * 100.0)) }
}

/// With two significant digits.
fn rounded(value: f64) -> String {
    if value >= 10.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

pub(super) fn trimmed(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The name of a figure with its unit.
pub(super) fn name(figure: &FigureChange) -> String {
    format!("{} {}", figure.key.figure.title(), unit(figure.unit)).trim_end().to_owned()
}

/// The ratio or the difference.
pub(super) fn estimate(change: &Change, unit: Unit) -> String {
    one(change.scale, change.estimate, unit)
}

/// Both ends of its interval.
pub(super) fn interval(change: &Change, unit: Unit) -> String {
    let end = |end: f64| one(change.scale, end, unit);
    change.interval.map_or_else(|| "-".to_owned(), |[low, high]| format!("{} to {}", end(low), end(high)))
}

fn one(scale: Scale, number: f64, unit: Unit) -> String {
    match scale {
        Scale::Ratio if number >= 100.0 => "> 100".to_owned(),
        Scale::Ratio => format!("{number:.3}"),
        Scale::Difference if number < 0.0 => format!("-{}", value(-number, unit)),
        Scale::Difference => format!("+{}", value(number, unit)),
    }
}

/// The runs of a side, in a few words.
pub(super) fn runs(side: &[RunNote]) -> String {
    let mut names: Vec<String> = side.iter().take(NAMES).map(|run| plain(&run.name)).collect();
    if side.len() > NAMES {
        names.push(format!("and {} more", side.len() - NAMES));
    }
    let dates: Vec<&str> = side.iter().filter_map(|run| run.started.get(..10)).collect();
    let dates = match (dates.first(), dates.last()) {
        (Some(first), Some(last)) if first == last => format!(" ({})", plain(first)),
        (Some(first), Some(last)) => format!(" ({} to {})", plain(first), plain(last)),
        _ => String::new(),
    };
    let passes = side.iter().find_map(|run| run.passes).map(|passes| format!(" of {passes} passes"));
    let count = crate::text::count(side.len() as u64, "run") + &passes.unwrap_or_default();
    format!("{count}: {}{dates}", names.join(", "))
}

/// How the sides were judged.
pub(super) fn method(method: Method) -> String {
    let rest = "5 % false alarms over all figures, and 5 % over all sizes of a curve";
    match method {
        Method::Exact => {
            "nothing: both sides come from a model without chance, so every difference is one".to_owned()
        }
        Method::Permutation { intervals } => {
            let intervals = match intervals {
                Intervals::LogT => "log-t",
                Intervals::Bootstrap => "runs and rounds drawn anew (bootstrap)",
            };
            format!(
                "whole runs exchanged between the sides (Welch's t, step-down max-T): {rest}; 95 % intervals for all of them together: {intervals}"
            )
        }
        Method::Welch => format!(
            "Welch's t between runs with Holm's correction, as there are too few runs to exchange: {rest}; 95 % intervals for each alone: log-t"
        ),
        Method::History { runs } => format!(
            "how much {runs} runs of this path differ in the history (t, with Holm's correction): {rest}; 95 % intervals for each alone"
        ),
        Method::OneEach => "nothing: one run each".to_owned(),
    }
}

/// A difference: what it was, and what it is.
pub(super) fn difference(difference: &Difference) -> [String; 2] {
    difference.values.each_ref().map(|values| {
        let mut shown: Vec<String> = values.iter().take(NAMES).map(|value| plain(value)).collect();
        if values.len() > NAMES {
            shown.push(format!("{} more", values.len() - NAMES));
        }
        if shown.is_empty() { "none".to_owned() } else { shown.join(" or ") }
    })
}

/// Whether every run of one side differs from every run of the other: what only one side says is one of
/// these, as an option that only one side was given.
pub(super) fn in_every_run(difference: &Difference) -> bool {
    difference.is_clear() || difference.values.iter().any(Vec::is_empty)
}

/// How many sizes of a curve did what.
pub(super) fn sizes(curve: &CurveChange, threshold: f64) -> String {
    let count = |verdict| curve.sizes.iter().filter(|size| size.change.verdict == verdict).count();
    let words = [
        (Verdict::Worse, "slower".to_owned()),
        (Verdict::Better, "faster".to_owned()),
        (Verdict::Small, format!("changed by less than {} %", trimmed(threshold * 100.0))),
        (Verdict::Same, format!("the same within {} %", trimmed(threshold * 100.0))),
        (Verdict::CannotTell, "inconclusive".to_owned()),
        (Verdict::NoVerdict, "without a verdict".to_owned()),
    ];
    let parts = words.into_iter().filter(|(verdict, _)| count(*verdict) > 0);
    let parts: Vec<String> = parts.map(|(verdict, word)| format!("{} {word}", count(verdict))).collect();
    let mut text = format!("of {} sizes {}", curve.sizes.len(), parts.join(", "));
    let mut visible: Vec<f64> = curve.sizes.iter().filter_map(|size| size.change.visible).collect();
    visible.sort_by(f64::total_cmp);
    if let Some(middle) = visible.get(visible.len() / 2).filter(|_| count(Verdict::CannotTell) > 0) {
        let least = if *middle >= MOST_VISIBLE {
            "only a change beyond x10"
        } else {
            &format!("a change of {}", share(*middle))
        };
        text.push_str(&format!("; at one size {least} would mostly show"));
    }
    text
}

/// What a dip did.
pub(super) fn dip(change: &DipChange) -> String {
    let [base, candidate] = change.dips.each_ref().map(|dip| {
        dip.as_ref().map(|dip| {
            let boundary = dip.boundary.map(|boundary| format!(", {boundary}")).unwrap_or_default();
            format!("{} (-{:.0} %{boundary})", Size(dip.size), dip.depth * 100.0)
        })
    });
    let one = || base.clone().or_else(|| candidate.clone()).unwrap_or_default();
    let both =
        || format!("{} -> {}", base.clone().unwrap_or_default(), candidate.clone().unwrap_or_default());
    match change.fate {
        Fate::Same if base == candidate => format!("stayed: {}", one()),
        Fate::Same => format!("stayed: {}", both()),
        Fate::Moved => format!("moved: {}", both()),
        Fate::Appeared => format!("appeared: {}", one()),
        Fate::Vanished => format!("vanished: {}", one()),
        Fate::Unclear if base.is_some() => format!("perhaps vanished: {}", one()),
        Fate::Unclear => format!("perhaps appeared: {}", one()),
        Fate::NotSeen => format!("not measured on the other side: {}", one()),
    }
}

/// Whether a change counts as one.
pub(super) const fn changed(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Better | Verdict::Worse | Verdict::Moved | Verdict::Small)
}
