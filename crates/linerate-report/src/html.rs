//! The report as one page that needs nothing else: no network, no other file, and no script needed
//! to read it.

mod apps;
mod ends;
mod hover;
mod loads;
mod meshes;
mod peers;
pub(super) mod rows;
mod traces;

use askama::Template;
use linerate_analysis::report::{Curve, NamedRun, Report, describe};
use linerate_core::plan::DEFAULT_TARGET;
use linerate_core::run::{Run, Source};

use super::app::{self, Apps};
use super::columns::TableView;
use super::figure::{Figure, hover_after};
use super::mesh::{self, Meshes};
use super::page::{Card, Entry, Frame, entries};
use super::plot::{Look, Picture, look, pictures};
use super::stages;
use super::text::{
    count, coverage, curve_name, hosts, is_of_curves, keys, percent, plain, progress, timing, unfinished,
};
use super::{trace, traffic};
use crate::error::RenderError;
use rows::{Group, NumberRow};

#[derive(Template)]
#[template(path = "report.html")]
struct Page {
    title: String,
    frame: Frame,
    runs: Vec<RunView>,
    cards: Vec<Card>,
    curves: Vec<CurveView>,
    pictures: Vec<Picture>,
    /// The stages of messages, of each run that has them.
    figures: Vec<Figure>,
    /// Their numbers.
    tables: Vec<TableView>,
    /// The results of loads. Absent if all runs are of curves.
    loads: Option<traffic::Part>,
    /// The pairs of many ranks. Absent if no run has them.
    meshes: Option<Meshes>,
    /// Applications on ranks. Absent if no run has one.
    apps: Option<Apps>,
    cautions: Vec<[String; 2]>,
    dips: Vec<DipView>,
}

impl Page {
    /// Whether names of runs must be told apart.
    fn several(&self) -> bool {
        self.runs.len() > 1
    }
}

pub(super) struct RunView {
    pub(super) name: String,
    /// That it, or flows of it, did not end as planned, and why.
    pub(super) unfinished: Option<String>,
    pub(super) generator: String,
    pub(super) started: String,
    /// What was measured, and how far the numbers can be trusted.
    pub(super) statement: String,
    /// The requested loads. Empty for a curve.
    pub(super) asked: Vec<Entry>,
    pub(super) groups: Vec<Group>,
    /// As TOML. An imported run has no plan.
    pub(super) plan: Option<String>,
    /// The plan of the model that it was computed from, as TOML.
    pub(super) model: Option<String>,
}

struct CurveView {
    name: String,
    look: Look,
    timing: &'static str,
    numbers: Vec<NumberRow>,
}

struct DipView {
    curve: String,
    size: u64,
    extent: [u64; 2],
    depth: String,
    significance: String,
    boundary: String,
}

/// `report` as one HTML page: statement, key numbers, graphs, cautions, dips, both hosts, the plan
/// and every number; of loads charts and tables.
///
/// # Errors
///
/// [`RenderError::Draw`] when a graph cannot be drawn, [`RenderError::Json`] or
/// [`RenderError::Page`] when the page cannot be filled.
pub fn html(report: &Report) -> Result<String, RenderError> {
    let has = |has: fn(&NamedRun) -> bool| report.runs.iter().any(has);
    if report.runs.is_empty() || has(is_of_curves) {
        let loads = if has(NamedRun::has_loads) { Some(traffic::part(report)?) } else { None };
        return curves(report, loads);
    }
    if report.runs.iter().all(NamedRun::has_trace) {
        return traces::html(report);
    }
    match (has(NamedRun::has_app), has(NamedRun::has_mesh)) {
        (true, _) => apps::html(report),
        (false, true) => meshes::html(report),
        (false, false) => loads::html(report),
    }
}

/// The page of a report that has curves, with its loads, meshes and applications if it has some.
fn curves(report: &Report, mut loads: Option<traffic::Part>) -> Result<String, RenderError> {
    let pictures = pictures(report)?;
    let staged = || report.runs.iter().enumerate().filter(|(_, named)| !named.run.stages.is_empty());
    let mut figures = Vec::new();
    for (index, named) in staged() {
        figures.extend(stages::figure(&named.run, index, &of(report, named))?);
    }
    let mut hover = hover_after(hover::hover(report, &pictures), &mut figures);
    let mut cards: Vec<Card> =
        report.curves.iter().enumerate().map(|(index, shown)| card(report, index, shown)).collect();
    if let Some(loads) = &mut loads {
        hover = hover_after(hover, &mut loads.figures);
        cards.append(&mut loads.cards);
    }
    let mut meshes =
        if report.meshes.is_empty() { None } else { Some(mesh::meshes(report, hover.graphs.len())?) };
    if let Some(meshes) = &mut meshes {
        for part in &mut meshes.parts {
            hover = hover_after(hover, &mut part.figures);
        }
        cards.append(&mut meshes.cards);
    }
    let mut apps = if report.apps.is_empty() { None } else { Some(app::apps(report, hover.graphs.len())?) };
    if let Some(apps) = &mut apps {
        for part in &mut apps.parts {
            hover = hover_after(hover, &mut part.figures);
        }
        cards.append(&mut apps.cards);
    }
    let page = Page {
        title: title(report),
        frame: Frame::new(&hover)?,
        runs: runs(report),
        cards,
        loads,
        meshes,
        apps,
        curves: report.curves.iter().enumerate().map(|(index, shown)| curve(report, index, shown)).collect(),
        cautions: cautions(report),
        dips: (0..report.curves.len()).flat_map(|index| dips(report, index)).collect(),
        pictures,
        figures,
        tables: staged().map(|(_, named)| stages::table(&named.run, &of(report, named))).collect(),
    };
    Ok(page.render()?)
}

/// Whose it is, where there are several runs.
fn of(report: &Report, named: &NamedRun) -> String {
    if report.runs.len() > 1 { format!(": {}", plain(&named.name)) } else { String::new() }
}

/// What the page is of, after what is wrong with it.
fn title(report: &Report) -> String {
    let of = match &report.runs[..] {
        [named] => hosts(named).map_or_else(|| plain(&named.name), |hosts| hosts.join(" to ")),
        runs => format!("{} runs compared", runs.len()),
    };
    titled(report, of)
}

/// A title that begins with the state of the run if it did not end as planned, or with how many of
/// several runs did not.
fn titled(report: &Report, of: String) -> String {
    let states: Vec<String> = (0..report.runs.len()).filter_map(|index| unfinished(report, index)).collect();
    match (&states[..], report.runs.len()) {
        ([], _) => of,
        ([state], 1) => format!("{}: {of}", state.split(':').next().unwrap_or(state)),
        (states, all) => format!("{} of {all} runs failed or unfinished: {of}", states.len()),
    }
}

/// Every run of `report`.
fn runs(report: &Report) -> Vec<RunView> {
    report.runs.iter().enumerate().map(|(index, named)| run(report, index, named)).collect()
}

fn run(report: &Report, index: usize, named: &NamedRun) -> RunView {
    let imported = matches!(named.run.source, Source::Imported(_));
    RunView {
        name: plain(&named.name),
        unfinished: unfinished(report, index),
        generator: plain(&named.run.generator),
        started: plain(&named.run.started),
        statement: statement(report, index, named),
        asked: asked(report, index, named),
        // Of many ranks there is a table of them instead.
        groups: if named.has_mesh() || named.has_app() { Vec::new() } else { ends::groups(named) },
        plan: (!imported).then(|| named.run.plan.to_toml()),
        model: named.run.model.as_ref().map(|model| model.plan.clone()),
    }
}

/// What a run of loads, a mesh or an application was asked for.
fn asked(report: &Report, index: usize, named: &NamedRun) -> Vec<Entry> {
    match (named.has_loads(), named.has_app()) {
        (true, _) => traffic::asked(report, index),
        (false, true) => app::asked(named),
        (false, false) => mesh::asked(named),
    }
}

/// What was measured and how far it can be trusted, in plain sentences.
fn statement(report: &Report, index: usize, named: &NamedRun) -> String {
    let run = &named.run;
    if named.has_mesh() {
        return of_mesh(report, index, named);
    }
    if named.has_app() {
        return of_app(report, index, named);
    }
    let hosts = hosts(named).map_or_else(|| plain(&named.name), |hosts| hosts.join(" to "));
    let transport = match (run.path().transport.as_str(), &run.path().library) {
        ("", _) => String::new(),
        (transport, Some(library)) => format!(" over {} ({})", plain(transport), plain(library)),
        (transport, None) => format!(" over {}", plain(transport)),
    };
    let mut sentences = vec![format!("{hosts}{transport}, {}.", plain(&describe(run)))];
    for curve in report.curves.iter().filter(|curve| curve.run == index) {
        let progress = progress(curve);
        let settled = progress.settled as f64 / progress.timed.max(1) as f64;
        sentences.push(format!(
            "Asked for: {} ({}), {} timed; {} of these ({}) settled within +-{} of their median.",
            count(progress.asked as u64, "size"),
            curve.pattern,
            progress.timed,
            progress.settled,
            percent(settled),
            percent(run.plan.curve().map_or(DEFAULT_TARGET, |curve| curve.ci))
        ));
    }
    sentences.extend(trace::statement(run));
    sentences.push(doubts(run));
    sentences.push(peers::noise(run));
    sentences.join(" ")
}

/// What was measured of a mesh, what is slow in it, and what was lost.
fn of_mesh(report: &Report, index: usize, named: &NamedRun) -> String {
    let found = match report.meshes.iter().find(|mesh| mesh.run == index) {
        Some(mesh) => mesh::headline(mesh, &named.run),
        None => "nothing was measured".to_owned(),
    };
    format!("{found}. It was {}. {}", plain(&describe(&named.run)), doubts(&named.run))
}

/// What was run on how many ranks, and what came of it.
fn of_app(report: &Report, index: usize, named: &NamedRun) -> String {
    match report.apps.iter().find(|app| app.run == index) {
        Some(app) => {
            format!("{}. Result: {}. {}", app::headline(app, named), app::answer(app), doubts(&named.run))
        }
        None => format!("Nothing was run. It was {}. {}", plain(&describe(&named.run)), doubts(&named.run)),
    }
}

fn doubts(run: &Run) -> String {
    match run.cautions.len() {
        0 => "There are no cautions.".to_owned(),
        1 => "There is one caution below.".to_owned(),
        many => format!("There are {many} cautions below."),
    }
}

/// What curve `index` is called on the page.
fn shown_name(report: &Report, index: usize) -> String {
    format!("{} ({})", curve_name(report, index), report.curves[index].pattern)
}

fn card(report: &Report, index: usize, curve: &Curve) -> Card {
    Card {
        title: shown_name(report, index),
        colour: Some(look(index).colour),
        keys: entries(keys(curve)),
        note: note(curve),
    }
}

/// What its times are and what its ranges cover.
fn note(curve: &Curve) -> String {
    let ranges = coverage(curve).map_or_else(String::new, |text| format!(" Ranges are {text}."));
    format!("Here {}.{ranges}", timing(curve.pattern))
}

fn curve(report: &Report, index: usize, curve: &Curve) -> CurveView {
    CurveView {
        name: shown_name(report, index),
        look: look(index),
        timing: timing(curve.pattern),
        numbers: rows::numbers(curve),
    }
}

/// Every caution of `report`.
fn cautions(report: &Report) -> Vec<[String; 2]> {
    report.cautions().map(|found| caution(report, found)).collect()
}

/// Finding and advice; of several runs the finding says which.
fn caution(report: &Report, (run, caution): (&str, &linerate_core::caution::Caution)) -> [String; 2] {
    let of = if report.runs.len() > 1 { format!("{}: ", plain(run)) } else { String::new() };
    [of + &plain(&caution.finding()), caution.advice().to_owned()]
}

fn dips(report: &Report, index: usize) -> impl Iterator<Item = DipView> {
    let name = curve_name(report, index);
    report.curves[index].derived.dips.iter().map(move |dip| DipView {
        curve: name.clone(),
        size: dip.size,
        extent: dip.extent,
        depth: percent(dip.depth),
        significance: format!("{:.1e}", dip.significance),
        boundary: dip.boundary.map_or_else(|| "none known".to_owned(), |at| at.to_string()),
    })
}

#[cfg(test)]
mod tests;
