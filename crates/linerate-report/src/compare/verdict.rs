//! What a comparison comes to, in sentences.

use linerate_analysis::compare::{
    Bottlenecks, Change, Comparison, FigureChange, Method, Outcome, RunNote, Scale, Verdict,
};
use linerate_analysis::figures::{Better, Unit};

use super::super::text::{count, plain};
use super::words;

/// An interval whose ends lie this unevenly about its middle has ends and no `±`.
const EVEN: f64 = 1.5;
/// At most this many figures are named.
const NAMES: usize = 4;

/// The first sentence: how the candidate compares with the base by one figure, and whether the bottleneck moved.
pub(super) fn sentence(comparison: &Comparison) -> String {
    let [base, candidate] = comparison.sides.each_ref().map(|side| name(side));
    let Some(figure) = comparison.headline() else {
        return format!("No figure is known of every run of {candidate} and of {base}.");
    };
    let moved = comparison.bottlenecks.as_ref().map(bottleneck).unwrap_or_default();
    format!("{}{moved}.", by(figure, &base, &candidate))
}

/// The first run of a side, and how many more there are.
fn name(side: &[RunNote]) -> String {
    let first = side.first().map_or_else(String::new, |run| plain(&run.name));
    if side.len() > 1 { format!("{first} and {} more", side.len() - 1) } else { first }
}

fn bottleneck(found: &Bottlenecks) -> String {
    let [base, candidate] = found.names.each_ref().map(|name| plain(name));
    if found.moved {
        format!("; bottleneck moved from {base} to {candidate}")
    } else {
        format!("; bottleneck unchanged ({candidate})")
    }
}

/// `n1 is 1.23 ± 0.02 times as fast as o1 at the peak`.
fn by(figure: &FigureChange, base: &str, candidate: &str) -> String {
    let (subject, title) = (plain(&figure.key.subject), figure.key.figure.title());
    let change = &figure.change;
    let verb = if candidate.contains(" and ") { ["are", "have"] } else { ["is", "has"] };
    if change.scale == Scale::Difference {
        let by = words::estimate(change, figure.unit);
        return format!("{candidate} {} {subject} {title} {by} against {base}", verb[1]);
    }
    let times = times(change);
    let is_rate = matches!(figure.unit, Unit::Mbps | Unit::PerSecond) && figure.better == Better::More;
    match (is_rate, title.as_str()) {
        (true, "peak") => {
            format!("{candidate} {} {times} times as fast as {base} at the {subject} peak", verb[0])
        }
        (true, _) => format!("{candidate} {} {times} times as fast as {base} ({subject} {title})", verb[0]),
        (false, _) => format!("{candidate} {} {times} times the {subject} {title} of {base}", verb[1]),
    }
}

/// A ratio with its interval by itself, as exact as that is.
fn times(change: &Change) -> String {
    let Some([low, high]) = change.alone else { return format!("{:.3}", change.estimate) };
    let half = (high - low) / 2.0;
    // The lower end keeps a digit too.
    let fine = if low > 0.0 { half.min(low) } else { half };
    let digits = if fine < 0.02 {
        3
    } else if fine < 0.2 {
        2
    } else {
        1
    };
    let [up, down] = [high - change.estimate, change.estimate - low];
    if up > EVEN * down || down > EVEN * up {
        let [low, high] =
            [low, high].map(|end| if end < 100.0 { format!("{end:.digits$}") } else { "> 100".to_owned() });
        return format!("{:.digits$} ({low} to {high})", change.estimate);
    }
    format!("{:.digits$} ± {:.digits$}", change.estimate, half.max(0.001))
}

/// What it comes to: worse, better, the same, or inconclusive and how many more runs would decide.
pub(super) fn outcome(comparison: &Comparison) -> String {
    let threshold = words::trimmed(comparison.threshold * 100.0);
    let of = |wanted: &dyn Fn(&FigureChange) -> bool| {
        let found: Vec<&FigureChange> = comparison.figures.iter().filter(|it| wanted(it)).collect();
        (found.len(), listed(&found, change_of))
    };
    let has = |verdicts: &'static [Verdict]| move |it: &FigureChange| verdicts.contains(&it.change.verdict);
    let mut parts = match comparison.outcome(false) {
        Outcome::Worse => {
            vec![format!("worse by more than {threshold} %: {}", of(&|it| it.change.is_finding()).1)]
        }
        Outcome::Equal => vec![format!("the same within {threshold} %")],
        Outcome::Inconclusive { more_runs } => vec![inconclusive(comparison, more_runs)],
        Outcome::Better | Outcome::Changed => Vec::new(),
    };
    let smaller = of(&|it| it.change.verdict == Verdict::Worse && !it.change.beyond);
    let better = of(&has(&[Verdict::Better]));
    for ((found, names), word) in [(smaller, "worse, by less or about as much"), (better, "better")] {
        if found > 0 {
            parts.push(format!("{word}: {names}"));
        }
    }
    let all = comparison.figures.len();
    let (same, _) = of(&has(&[Verdict::Same, Verdict::Small]));
    let (open, _) = of(&has(&[Verdict::CannotTell, Verdict::NoVerdict]));
    for (found, word) in [(same, format!("the same within {threshold} %")), (open, "inconclusive".to_owned())]
    {
        if found > 0 {
            parts.push(format!("{found} of {} {word}", count(all as u64, "figure")));
        }
    }
    parts.join("; ")
}

/// What is open, and how many more runs would decide it.
fn inconclusive(comparison: &Comparison, more_runs: Option<u32>) -> String {
    let open: Vec<&FigureChange> = comparison.open().collect();
    let names = listed(&open, |it| format!("{} {}", plain(&it.key.subject), it.key.figure.title()));
    let known = open.iter().all(|it| it.change.verdict != Verdict::NoVerdict);
    let more = match (comparison.method, more_runs) {
        (Method::OneEach, Some(more)) => {
            format!(
                "one run each says nothing of the spread; measure {} a side",
                count(more.into(), "more run")
            )
        }
        (_, Some(more)) => format!("about {} a side would decide", count(more.into(), "more run")),
        (_, None) if open.is_empty() => {
            "no figure of which one way is better is known on both sides".to_owned()
        }
        (_, None) if known => {
            "more than 1000 runs a side would be needed; change --within, or measure on quieter hosts"
                .to_owned()
        }
        (_, None) => "not every run has it, or nothing says how much runs differ".to_owned(),
    };
    if names.is_empty() {
        format!("inconclusive: {more}")
    } else {
        format!("inconclusive in {names}: {more}")
    }
}

/// The first of these figures.
fn listed(figures: &[&FigureChange], say: impl Fn(&FigureChange) -> String) -> String {
    let mut said: Vec<String> = figures.iter().take(NAMES).map(|figure| say(figure)).collect();
    if figures.len() > NAMES {
        said.push(format!("and {} more", figures.len() - NAMES));
    }
    said.join(", ")
}

/// `ping-pong peak -12.3 %`.
fn change_of(figure: &FigureChange) -> String {
    let change = &figure.change;
    let by = match change.scale {
        Scale::Ratio => format!("{:+.1} %", (change.estimate - 1.0) * 100.0),
        Scale::Difference => words::estimate(change, figure.unit),
    };
    format!("{} {} {by}", plain(&figure.key.subject), figure.key.figure.title())
}
