//! Runs of every kind as one list of sections: what a run has by itself it also has beside others.

mod ends;
mod method;
mod peers;
mod rows;

use linerate_analysis::compare::Comparison;
use linerate_analysis::report::{NamedRun, Report};
use linerate_core::host_limits::HostLimitsFile;

use crate::error::RenderError;
use crate::markdown::markdown as write;
use crate::opening::opening;
use crate::page::html as page;
use crate::section::{Card, Document, Item, Kind, Part, Section, Warning, entries, merged};
use crate::text::{count, hosts, plain, unfinished};
use crate::{app, compare, curves, explain, host_limits, mesh, stages, trace, traffic};

/// `report` as one HTML page: the result and what limits it, charts, what is doubtful, tables, how it was measured, and
/// where.
///
/// # Errors
///
/// [`RenderError::Json`] or [`RenderError::Page`] when the page cannot be filled.
pub fn html(report: &Report) -> Result<String, RenderError> {
    html_beside(report, &Beside::default())
}

/// The same beside others than runs.
///
/// # Errors
///
/// As of [`html`].
pub fn html_beside(report: &Report, beside: &Beside<'_>) -> Result<String, RenderError> {
    page(document(report, beside), mesh::script(report)?)
}

/// `report` as Markdown, beside others than runs: the same sections, with every table and without pictures.
pub fn markdown(report: &Report, beside: &Beside<'_>) -> String {
    write(&document(report, beside))
}

/// What a report can have beside runs.
#[derive(Clone, Copy, Default)]
pub struct Beside<'a> {
    /// The limits of hosts.
    pub hosts: &'a [HostLimitsFile],
    /// What `linerate compare` said of runs.
    pub comparisons: &'a [Comparison],
}

/// Every section of `report` and of what is beside it.
pub(crate) fn document(report: &Report, &Beside { hosts, comparisons }: &Beside<'_>) -> Document {
    let mut sections = vec![result(report)];
    for of_kind in [
        explain::sections,
        curves::sections,
        stages::sections,
        traffic::sections,
        mesh::sections,
        app::sections,
        trace::sections,
    ] {
        sections.extend(of_kind(report));
    }
    sections.extend(hosts.iter().flat_map(host_limits::sections_of));
    let compared = |it| compare::sections(it, &format!(": {}", compare::title(it)));
    sections.extend(comparisons.iter().flat_map(compared));
    sections.extend(doubts(report));
    sections.extend(method::sections(report));
    sections.extend(ends::sections(report));
    let title = match (&report.runs[..], hosts, comparisons) {
        ([], [], [first, ..]) => compare::title(first),
        ([], [_, ..], _) => format!("{} compared", count(hosts.len() as u64, "host")),
        _ => title(report),
    };
    Document::new(title, sections)
}

/// What is wrong with the runs, what came of them, and their key numbers.
fn result(report: &Report) -> Section {
    let several = report.runs.len() > 1;
    let of =
        |index: usize| if several { format!("{}: ", plain(&report.runs[index].name)) } else { String::new() };
    let states =
        (0..report.runs.len()).filter_map(|index| Some(Item::State(of(index) + &unfinished(report, index)?)));
    let mut items: Vec<Item> = states.collect();
    let nothing = report.runs.iter().enumerate().filter(|(index, named)| {
        named.has_mesh() && report.meshes.iter().all(|mesh| mesh.run != *index)
            || named.has_app() && report.apps.iter().all(|app| app.run != *index)
    });
    items.extend(nothing.map(|(index, named)| {
        let what = if named.has_app() { "run" } else { "measured" };
        let begin = if several { of(index) + "nothing" } else { "Nothing".to_owned() };
        Item::Lead(format!("{begin} was {what}."))
    }));
    items.extend(openings(report));
    let mut cards = cards(report);
    if let ([Card { kind: Kind::Mesh | Kind::Application, title, .. }], [_]) =
        (&mut cards[..], &report.runs[..])
    {
        title.clear();
    }
    items.extend((!cards.is_empty()).then_some(Item::Keys(cards)));
    Section::new(Part::Result, "result", "", items).of(0..report.runs.len())
}

/// The key numbers of every kind.
fn cards(report: &Report) -> Vec<Card> {
    [curves::cards, traffic::cards, mesh::cards, app::cards, trace::cards]
        .iter()
        .flat_map(|of| of(report))
        .collect()
}

/// What came of each run, and what limits it: of one in full.
fn openings(report: &Report) -> Vec<Item> {
    if let [named] = &report.runs[..] {
        // A load alone is named by its card.
        let loads = (named.has_loads() && report.loads.len() != 1).then(|| traffic::headline(&named.run));
        return opening(report, 0).map(|it| it.sentence).into_iter().chain(loads).map(Item::Lead).collect();
    }
    // The sentence of ranks is the title of their card.
    let named = |index: usize| {
        let opening = opening(report, index).filter(|it| it.verdict.is_some())?;
        Some((plain(&report.runs[index].name), opening.short()))
    };
    let all = entries((0..report.runs.len()).filter_map(named));
    if all.is_empty() { Vec::new() } else { vec![Item::Facts(all)] }
}

/// What is doubtful about the runs. Absent if nothing is.
fn doubts(report: &Report) -> Option<Section> {
    let several = report.runs.len() > 1;
    let doubtful = report.runs.iter().enumerate().filter(|(_, named)| !named.run.cautions.is_empty());
    let runs: Vec<usize> = doubtful.map(|(index, _)| index).collect();
    let named =
        report.runs.iter().map(|named| (several.then_some(named.name.as_str()), &named.run.cautions[..]));
    let repeated = report.repeated.iter().map(|[again, name]| {
        let (again, name) = (plain(again), plain(name));
        let finding = if again == name {
            format!("{name} was given more than once")
        } else {
            format!("{again} is the same run as {name}")
        };
        Warning::new(finding, "it is shown once")
    });
    let warnings: Vec<Warning> = repeated.chain(merged(named)).collect();
    (!warnings.is_empty())
        .then(|| Section::new(Part::Doubts, "cautions", "Cautions", vec![Item::Cautions(warnings)]).of(runs))
}

/// What the page is of, after what is wrong with it.
fn title(report: &Report) -> String {
    let hosts =
        |named: &NamedRun| hosts(named).map_or_else(|| plain(&named.name), |hosts| hosts.join(" to "));
    let of = match (&report.runs[..], &report.meshes[..], &report.apps[..]) {
        ([named], [mesh], _) => plain(&format!("{}: {}", named.name, mesh::short_title(mesh))),
        ([named], _, [app]) => plain(&format!("{}: {}", named.name, app::headline(app, named))),
        ([named], ..) if named.is_of_curves() || named.has_trace() => hosts(named),
        ([named], ..) if named.has_loads() => {
            plain(&format!("{}: {}", named.name, traffic::headline(&named.run)))
        }
        ([named], ..) => hosts(named),
        (runs, ..) => format!("{} runs compared", runs.len()),
    };
    let states: Vec<String> = (0..report.runs.len()).filter_map(|index| unfinished(report, index)).collect();
    match (&states[..], report.runs.len()) {
        ([], _) => of,
        ([state], 1) => format!("{}: {of}", state.split(':').next().unwrap_or(state)),
        (states, all) => format!("{} of {all} runs failed or unfinished: {of}", states.len()),
    }
}

#[cfg(test)]
mod tests;
