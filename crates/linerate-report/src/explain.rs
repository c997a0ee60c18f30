//! Which bound binds, as text and JSON.

mod sections;
mod sentence;
#[cfg(test)]
mod tests;

use linerate_analysis::explain::{
    Band, Bound, Candidate, Certainty, ExplainedCurve, ExplainedLoad, Explanation, Figure, Moved, Outcome,
    RunVerdict, Settled, trouble,
};
use linerate_analysis::report::{NamedRun, describe};
use linerate_core::generator::GENERATOR;
use linerate_core::units::Size;
use serde::Serialize;

use crate::error::RenderError;
use crate::text::{band_sizes, count, digits, hosts, item, percent, plain, wrap};

pub(crate) use sections::sections;
pub(crate) use sentence::Opening;

/// A bound that accounts for less than this share of the time is ruled out.
const RULED_OUT: f64 = 0.1;
/// A share below this is as good as none, and is not printed.
const SAID: f64 = 0.01;

/// What explains one run as text of at most `width` columns.
#[must_use]
pub fn text(named: &NamedRun, explanation: &Explanation, width: usize) -> String {
    let verdict = RunVerdict::new(&named.run, explanation);
    let mut blocks = vec![head(named, &sentence::whole(&verdict), width)];
    for curve in &explanation.curves {
        blocks.extend(curve_blocks(curve, width));
    }
    blocks.extend(explanation.settled.iter().map(|settled| settled_block(settled, width)));
    let loads = explanation.loads.iter().zip(&named.run.transfers);
    blocks.extend(loads.map(|(load, transfer)| load_block(load, trouble(transfer, load), width)));
    blocks.join("\n\n") + "\n"
}

/// Every number of the explanations of these runs.
///
/// # Errors
///
/// If they have no form in JSON.
pub fn json(explained: &[(&NamedRun, &Explanation)]) -> Result<String, RenderError> {
    #[derive(Serialize)]
    struct Explained<'a> {
        run: &'a str,
        id: &'a str,
        generator: &'static str,
        verdict: Opening,
        #[serde(flatten)]
        explanation: &'a Explanation,
    }
    let all: Vec<Explained<'_>> = explained
        .iter()
        .map(|(named, explanation)| {
            let run = &named.run;
            let verdict = Opening::new(RunVerdict::new(run, explanation));
            Explained { run: &named.name, id: &run.id, generator: GENERATOR, verdict, explanation }
        })
        .collect();
    Ok(serde_json::to_string_pretty(&all)? + "\n")
}

/// The verdict first, and then what it is of.
fn head(named: &NamedRun, verdict: &str, width: usize) -> String {
    let between = hosts(named).map_or_else(|| "unknown hosts".to_owned(), |hosts| hosts.join(" -> "));
    let run = &named.run;
    let transport = if run.path().transport.is_empty() { "transport unknown" } else { &run.path().transport };
    let lines = [
        wrap(&format!("{}: {verdict}", plain(&named.name)), width, 2),
        item("between", &format!("{}, {}", plain(&between), plain(transport)), width),
        item("how", &plain(&describe(run)), width),
    ];
    lines.join("\n")
}

fn curve_blocks(curve: &ExplainedCurve, width: usize) -> Vec<String> {
    let mut blocks = vec![curve.pattern.to_string()];
    blocks.extend(curve.bands.iter().map(|band| band_block(band, width)));
    if !curve.missing.is_empty() {
        blocks.push(item("not in it", &curve.missing.join("; "), width));
    }
    blocks
}

fn band_block(band: &Band, width: usize) -> String {
    let what = format!("{} ({})", band_sizes(band), count(band.sizes as u64, "size"));
    block(&what, band.verdict, band.certainty, &band.candidates, &band.settle, width)
}

/// What moved when one thing was changed.
fn settled_block(settled: &Settled, width: usize) -> String {
    let mut lines = vec![wrap(&format!("the same with {}", plain(&settled.change)), width, 2)];
    for moved in &settled.moved {
        lines.push(item(&figure(moved.figure), &moved_says(moved), width));
    }
    lines.extend(shows(settled).map(|shows| item("shows", &shows, width)));
    if let Some(reason) = &settled.failed {
        lines.push(item("ended", &format!("failed to {}", plain(reason)), width));
    }
    lines.join("\n")
}

fn moved_says(moved: &Moved) -> String {
    let ratio = digits(moved.ratio);
    let within =
        moved.interval.map_or(String::new(), |[low, high]| format!(" ({} to {})", digits(low), digits(high)));
    let what = match moved.outcome {
        Outcome::Fell => "fell",
        Outcome::Rose => "rose",
        Outcome::Same => "did not move",
        Outcome::CannotTell => "cannot tell: the turns differ",
    };
    format!(
        "{what}: {ratio} times as {} as without{within}",
        if moved.figure == Figure::Throughput { "high" } else { "long" }
    )
}

/// What was looked at.
fn figure(figure: Figure) -> String {
    match figure {
        Figure::Time { size_bytes } => Size(size_bytes).to_string(),
        Figure::Throughput => "throughput".to_owned(),
        Figure::Latency => "latency".to_owned(),
        Figure::RoundTrip => "round trip".to_owned(),
    }
}

/// What a change shows of the bottleneck on trial. Absent where it cannot tell.
fn shows(settled: &Settled) -> Option<String> {
    let bound = settled.bound?;
    Some(match settled.confirmed? {
        true => format!("confirmed: {bound}"),
        false => format!("not confirmed: {bound}"),
    })
}

fn load_name(load: &ExplainedLoad) -> String {
    let name = if load.name.is_empty() { "bulk".to_owned() } else { plain(&load.name) };
    match load.flows {
        0 => format!("{name} (requests)"),
        flows => format!("{name} ({})", count(flows as u64, "flow")),
    }
}

/// The account of a load in `trouble` is of what ran until then.
fn load_block(load: &ExplainedLoad, trouble: Option<String>, width: usize) -> String {
    let mut what = load_name(load);
    if let Some(why) = trouble {
        what = format!("{what}, not judged: {}; what ran", plain(&why));
    }
    if load.candidates.is_empty() {
        let why = "bottleneck unknown: the run has no TCP statistics of it";
        return wrap(&format!("{what}: {why}"), width, 2);
    }
    block(&what, load.verdict, load.certainty, &load.candidates, &load.settle, width)
}

fn block(
    what: &str,
    verdict: Option<Bound>,
    certainty: Certainty,
    candidates: &[Candidate],
    settle: &str,
    width: usize,
) -> String {
    let (found, says) = says(verdict, certainty, candidates);
    let mut lines = vec![wrap(&format!("{what}: {says}"), width, 2)];
    let beside: Vec<&Candidate> = candidates
        .iter()
        .filter(is_known)
        .filter(|it| found.is_none_or(|found| found.bound != it.bound) && it.share >= Some(RULED_OUT))
        .collect();
    if let Some(found) = found {
        lines.push(item("evidence", &found.evidence, width));
    }
    for (place, it) in beside.iter().enumerate() {
        let label = match (place, found.is_some()) {
            (0, true) => "beside it",
            (0, false) => "evidence",
            _ => "",
        };
        lines.push(item(label, &format!("{}: {}", of(it), it.evidence), width));
    }
    let out: Vec<String> = candidates
        .iter()
        .filter(|it| it.share.is_some_and(|share| share < RULED_OUT))
        .filter(|it| found.is_none_or(|found| found.bound != it.bound))
        .map(|it| if it.share >= Some(SAID) { of(it) } else { it.bound.to_string() })
        .collect();
    if !out.is_empty() {
        lines.push(item("ruled out", &out.join("; "), width));
    }
    let unknown: Vec<String> = candidates
        .iter()
        .filter(|it| it.share.is_none())
        .map(|it| format!("{} ({})", it.bound, it.evidence))
        .collect();
    if !unknown.is_empty() {
        lines.push(item("not known", &unknown.join("; "), width));
    }
    lines.push(item("to settle", settle, width));
    lines.join("\n")
}

/// The candidate that the verdict names, and the verdict in words.
fn says(
    verdict: Option<Bound>,
    certainty: Certainty,
    candidates: &[Candidate],
) -> (Option<&Candidate>, String) {
    let found = verdict.and_then(|bound| candidates.iter().find(|it| it.bound.is_like(bound)));
    let says = match (found, certainty) {
        (Some(found), Certainty::Sure) => format!("{}, {} of the time", found.bound, share(found)),
        (Some(found), _) => format!("likely {}, {} of the time", found.bound, share(found)),
        (None, _) => {
            let first: Vec<String> = candidates.iter().filter(is_known).take(2).map(of).collect();
            format!("cannot tell: {}", first.join(", "))
        }
    };
    (found, says)
}

fn is_known(it: &&Candidate) -> bool {
    it.share.is_some()
}

fn of(it: &Candidate) -> String {
    format!("{} {}", it.bound, percent(it.share.unwrap_or(0.0)))
}

fn share(found: &Candidate) -> String {
    percent(found.share.unwrap_or(0.0))
}
