//! What each run was asked for, and how it was measured.

use linerate_analysis::report::{NamedRun, Report, describe};
use linerate_core::plan::DEFAULT_TARGET;

use super::peers;
use crate::section::{Entry, Item, Part, Section};
use crate::text::{capital, count, hosts, percent, plain, progress};
use crate::{app, curves, mesh, trace, traffic};

/// A section for each run.
pub(super) fn sections(report: &Report) -> impl Iterator<Item = Section> {
    let several = report.runs.len() > 1;
    report.runs.iter().enumerate().map(move |(index, named)| {
        let of = if several { format!(": {}", plain(&named.name)) } else { String::new() };
        let asked = asked(report, index, named);
        let facts = (!asked.is_empty()).then_some(Item::Facts(asked));
        let said = [Item::Note(statement(report, index, named)), Item::Note(origin(named))];
        let items = facts.into_iter().chain(said).collect();
        Section::new(Part::Method, "method", format!("How it was measured{of}"), items).of([index])
    })
}

/// What wrote the run, and when.
fn origin(named: &NamedRun) -> String {
    let started =
        if named.run.started.is_empty() { String::new() } else { format!(", begun {}", named.run.started) };
    plain(&format!("Recorded by {}{started}.", named.run.generator))
}

/// What the run was asked for.
fn asked(report: &Report, index: usize, named: &NamedRun) -> Vec<Entry> {
    match (named.has_loads(), named.has_app(), named.has_mesh()) {
        (true, ..) => traffic::asked(report, index),
        (false, true, _) => app::asked(named),
        (false, false, true) => mesh::asked(named),
        _ if named.has_trace() => Vec::new(),
        _ => curves::asked(named),
    }
}

/// What was measured, over what, and how quiet the hosts were.
fn statement(report: &Report, index: usize, named: &NamedRun) -> String {
    let run = &named.run;
    let transport = match (run.path().transport.as_str(), &run.path().library) {
        ("" | "model", _) => String::new(),
        (transport, Some(library)) => format!(" over {} ({})", plain(transport), plain(library)),
        (transport, None) => format!(" over {}", plain(transport)),
    };
    let described = plain(&describe(run));
    let mut sentences = vec![match (hosts(named), &transport[..]) {
        (Some(hosts), _) => format!("{}{transport}, {described}.", hosts.join(" to ")),
        (None, "") => capital(&described) + ".",
        (None, over) => format!("{}, {described}.", capital(over.trim_start())),
    }];
    for curve in report.curves.iter().filter(|curve| curve.run == index) {
        let progress = progress(curve);
        sentences.push(format!(
            "{} of {} timed ({}); {} ({}) settled within +-{} of their median.",
            progress.timed,
            count(progress.asked as u64, "size"),
            curve.pattern,
            progress.settled,
            percent(progress.settled as f64 / progress.timed.max(1) as f64),
            percent(run.plan.curve().map_or(DEFAULT_TARGET, |curve| curve.ci))
        ));
    }
    sentences.extend(trace::statement(run));
    sentences.push(peers::noise(run));
    sentences.join(" ")
}
