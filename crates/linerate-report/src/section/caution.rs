//! Cautions of one run or several, one for each cause.

use linerate_core::caution::{Caution, merged as of_run};

use crate::text::plain;

/// What is doubtful for one cause, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Warning {
    /// What was seen; of several runs the finding says in which.
    pub(crate) findings: Vec<String>,
    pub(crate) advice: String,
}

impl Warning {
    pub(crate) fn new(finding: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { findings: vec![finding.into()], advice: advice.into() }
    }
}

impl std::fmt::Display for Warning {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let advice = Some(&self.advice).filter(|advice| !advice.is_empty());
        write!(
            out,
            "{}",
            self.findings.iter().chain(advice).map(String::as_str).collect::<Vec<_>>().join("; ")
        )
    }
}

/// One warning for each cause among the cautions of these runs; a name is needed only where there are several.
pub(crate) fn merged<'a>(runs: impl IntoIterator<Item = (Option<&'a str>, &'a [Caution])>) -> Vec<Warning> {
    let mut all: Vec<(std::mem::Discriminant<Caution>, Warning, Vec<String>)> = Vec::new();
    for (name, cautions) in runs {
        for caution in of_run(cautions) {
            let finding = plain(&caution.finding);
            let at = all
                .iter()
                .position(|(cause, warning, _)| *cause == caution.cause && warning.advice == caution.advice);
            let at = at.unwrap_or_else(|| {
                let advice = caution.advice.clone().into_owned();
                all.push((caution.cause, Warning { findings: Vec::new(), advice }, Vec::new()));
                all.len() - 1
            });
            let (_, warning, names) = &mut all[at];
            warning.findings.push(finding);
            names.push(name.map(plain).unwrap_or_default());
        }
    }
    all.into_iter().map(|(_, warning, names)| named(warning, &names)).collect()
}

/// The same with the runs of each finding before it; runs with the same finding share it.
fn named(warning: Warning, names: &[String]) -> Warning {
    let mut findings: Vec<(String, Vec<&str>)> = Vec::new();
    for (finding, name) in warning.findings.into_iter().zip(names) {
        match findings.iter_mut().find(|(other, _)| *other == finding) {
            Some((_, runs)) => runs.push(name),
            None => findings.push((finding, vec![name])),
        }
    }
    let said = |(finding, runs): (String, Vec<&str>)| match runs.join(", ") {
        runs if runs.is_empty() => finding,
        runs => format!("{runs}: {finding}"),
    };
    Warning { findings: findings.into_iter().map(said).collect(), advice: warning.advice }
}
