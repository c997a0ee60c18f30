//! What opens every form of a result, in one sentence: what was reached, and what limits it.

use linerate_analysis::explain::{Certainty, Reached, Rival, RunVerdict, Tried};
use linerate_analysis::facts::Unit;
use linerate_core::units::{Rate, Size};
use serde::Serialize;

use crate::text::{capital, percent, plain, time_text};

/// What opens the result of a run.
#[derive(Serialize)]
pub(crate) struct Opening {
    /// The number first.
    pub(crate) sentence: String,
    /// The same in parts. Absent for a mesh and an application, whose sentence names what is wrong.
    #[serde(flatten)]
    pub(crate) verdict: Option<RunVerdict>,
}

impl Opening {
    /// What says this verdict.
    pub(crate) fn new(verdict: RunVerdict) -> Self {
        Self { sentence: whole(&verdict), verdict: Some(verdict) }
    }

    /// What says this sentence alone.
    pub(crate) const fn said(sentence: String) -> Self {
        Self { sentence, verdict: None }
    }

    /// Without what to do about it, for a list of runs.
    pub(crate) fn short(&self) -> String {
        self.verdict.as_ref().map_or_else(|| self.sentence.clone(), finding)
    }
}

/// The sentence with what to do about it.
pub(super) fn whole(verdict: &RunVerdict) -> String {
    let mut sentence = finding(verdict);
    let Some(advice) = &verdict.advice else { return sentence };
    if verdict.bottleneck.is_none() {
        return format!("{sentence} To tell: {}.", advice.confirm);
    }
    // What has been confirmed needs no test.
    if matches!(verdict.tried, Some(Tried { confirmed: true, .. })) {
        return advice
            .faster
            .map_or(sentence.clone(), |faster| format!("{sentence} To go faster: {faster}."));
    }
    if advice.is_its_own_test() {
        return format!("{sentence} To confirm and go faster: {}.", advice.confirm);
    }
    sentence.push_str(&format!(" To confirm: {}.", advice.confirm));
    if let Some(faster) = advice.faster {
        sentence.push_str(&format!(" To go faster: {faster}."));
    }
    sentence
}

/// What was reached, and what limits it.
fn finding(verdict: &RunVerdict) -> String {
    let reached = listed(&verdict.reached);
    let begin = |gap: &str, words: &str| match reached.is_empty() {
        true => capital(words),
        false => format!("{reached}{gap} {words}"),
    };
    let sure = match &verdict.tried {
        Some(Tried { change, confirmed: true }) => format!("confirmed by {}", plain(change)),
        Some(Tried { change, confirmed: false }) => format!("not confirmed by {}", plain(change)),
        None if verdict.certainty == Certainty::Sure => "sure".to_owned(),
        None => "likely".to_owned(),
    };
    let open = "not known what limits it";
    match (&verdict.limited_by, &verdict.between[..], &verdict.unknown) {
        (Some(bound), ..) => format!("{} {bound} ({sure}).", begin(",", "limited by")),
        (None, [one], _) => {
            format!("{}: {} accounts for {} of the time.", begin(";", open), one.name, percent(one.share))
        }
        (None, [one, other, ..], _) => format!("{}: {} or {}.", begin(";", open), rival(one), rival(other)),
        (None, [], Some(why)) => format!("{}: {}.", begin(";", open), plain(why)),
        (None, [], None) => format!("{}.", begin(";", open)),
    }
}

fn rival(rival: &Rival) -> String {
    format!("{} ({})", rival.name, percent(rival.share))
}

/// `25.3 us median (idle), 2.51 ms (bulk from here) and 31.0 us (bulk to here)`.
fn listed(all: &[Reached]) -> String {
    let said = |(nth, it): (usize, &Reached)| number(it, nth == 0 || all[nth - 1].what != it.what);
    let numbers: Vec<String> = all.iter().enumerate().map(said).collect();
    match &numbers[..] {
        [first @ .., before, last] => {
            let first: String = first.iter().map(|it| format!("{it}, ")).collect();
            format!("{first}{before} and {last}")
        }
        _ => numbers.concat(),
    }
}

/// `953 Mb/s at 4 MiB`, `25.3 us median (idle)`; of what it is only if it is `told`.
fn number(reached: &Reached, told: bool) -> String {
    let value = match reached.unit {
        Unit::Mbps => Rate::from_mbps(reached.value).to_string(),
        _ => time_text(reached.value * 1e6),
    };
    let kind = match reached.what {
        "median" if told => " median",
        "longest" => " at most",
        _ => "",
    };
    let size = reached.size_bytes.map_or_else(String::new, |bytes| format!(" at {}", Size(bytes)));
    let of = if reached.of.is_empty() { String::new() } else { format!(" ({})", plain(&reached.of)) };
    format!("{value}{kind}{size}{of}")
}
