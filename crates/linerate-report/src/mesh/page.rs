//! What a page shows of meshes: key numbers, what is slow, heat maps, charts and tables.

mod pack;

use linerate_analysis::report::{MeshResult, MeshView, NamedRun, Report, SuspectRow};

use super::draw::{Drawing, Ink, LEGEND, legend, map};
use super::scale::Scale;
use super::words::{facts, headline, keys, meanwhile, rank, view_name};
use super::{charts, columns, palette};
use crate::columns::{Column, TableView};
use crate::error::RenderError;
use crate::figure::Figure;
use crate::page::{Card, Entry, entries};
use crate::text::{count, percent, plain};

/// So many of the worst pairs of each view are in a table that needs no script.
const WORST: usize = 15;
/// A suspect's column of numbers has a dash where it was not measured alone.
const UNKNOWN: &str = "-";

/// The meshes of a page.
pub(crate) struct Meshes {
    pub(crate) parts: Vec<MeshPart>,
    /// Every number for the script, safe inside a script element.
    pub(crate) data: String,
    pub(crate) style: String,
    pub(crate) script: &'static str,
    pub(crate) cards: Vec<Card>,
}

/// A mesh of a page.
pub(crate) struct MeshPart {
    pub(crate) number: usize,
    /// Its run, where there are several meshes.
    pub(crate) name: String,
    pub(crate) suspects: Vec<[String; 5]>,
    pub(crate) lost: Vec<String>,
    pub(crate) maps: Vec<MapView>,
    pub(crate) figures: Vec<Figure>,
    /// The number of its first figure among the graphs of the page.
    pub(crate) first: usize,
    pub(crate) pairs: Vec<TableView>,
    pub(crate) tables: Vec<TableView>,
    pub(crate) hosts: Vec<TableView>,
}

/// A heat map of a page.
pub(crate) struct MapView {
    /// Its number among those of the page.
    pub(crate) number: usize,
    pub(crate) title: String,
    pub(crate) caption: String,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) svg: String,
    pub(crate) legend: String,
    pub(crate) legend_width: u32,
    pub(crate) legend_height: u32,
}

/// The meshes of `report` for a page that has `graphs` before them.
///
/// # Errors
///
/// [`RenderError::Draw`] when a chart cannot be drawn, [`RenderError::Json`] when the data have no JSON form.
pub(crate) fn meshes(report: &Report, graphs: usize) -> Result<Meshes, RenderError> {
    let mut parts = Vec::new();
    let (mut first, mut number) = (graphs, 0);
    for (nth, mesh) in report.meshes.iter().enumerate() {
        let part = part(report, (nth, mesh), [first, number])?;
        first += part.figures.len();
        number += part.maps.len();
        parts.push(part);
    }
    Ok(Meshes {
        parts,
        data: pack::data(&report.meshes)?,
        style: palette::css(),
        script: include_str!("../../templates/mesh.js"),
        cards: report.meshes.iter().map(|mesh| card(report, mesh)).collect(),
    })
}

/// What the run of a mesh was asked for.
pub(crate) fn asked(named: &NamedRun) -> Vec<Entry> {
    entries(facts(named))
}

fn card(report: &Report, mesh: &MeshResult) -> Card {
    let named = &report.runs[mesh.run];
    let title = match report.runs.len() {
        1 => headline(mesh, &named.run),
        _ => format!("{}: {}", plain(&named.name), headline(mesh, &named.run)),
    };
    let note =
        "Latencies are one way: half the round trip. Throughputs are of payload in one direction, delivered.";
    Card { title, colour: None, keys: entries(keys(mesh)), note: note.to_owned() }
}

fn part(
    report: &Report,
    (number, mesh): (usize, &MeshResult),
    [first, map]: [usize; 2],
) -> Result<MeshPart, RenderError> {
    let named = &report.runs[mesh.run];
    let mut figures = charts::sorted(mesh, number)?;
    figures.extend(charts::collectives(mesh, number)?);
    Ok(MeshPart {
        number,
        name: if report.meshes.len() > 1 { plain(&named.name) } else { String::new() },
        suspects: mesh.suspects.iter().map(suspect).collect(),
        lost: mesh.lost.iter().map(|lost| plain(lost)).collect(),
        maps: mesh.views.iter().zip(map..).map(|(view, number)| map_view(mesh, view, number)).collect(),
        figures,
        first,
        pairs: mesh.views.iter().map(|view| worst(mesh, view)).collect(),
        tables: tables(mesh),
        hosts: vec![hosts(mesh, named)],
    })
}

fn suspect(one: &SuspectRow) -> [String; 5] {
    let alone = one.alone.map_or_else(|| UNKNOWN.to_owned(), crate::text::digits);
    [
        plain(&one.place),
        one.probe.clone(),
        crate::text::digits(one.times_slower),
        alone,
        one.verdict.to_owned(),
    ]
}

fn map_view(mesh: &MeshResult, view: &MeshView, number: usize) -> MapView {
    let Drawing { width, height, svg, note } = map(mesh, view, Ink::Page);
    let note = note.map_or_else(String::new, |note| format!(" Without a script, {note}."));
    let caption = format!(
        "Rows send, columns receive: {}. The scale goes from the best pair to the worst, over a quarter at least.{note}",
        meanwhile(view.schedule)
    );
    MapView {
        number,
        title: format!("{} ({})", view_name(view), view.unit.name()),
        caption,
        width: width.ceil() as u32,
        height: height.ceil() as u32,
        svg,
        legend: legend(&Scale::of(view), Ink::Page),
        legend_width: LEGEND[0] as u32,
        legend_height: LEGEND[1] as u32,
    }
}

fn worst(mesh: &MeshResult, view: &MeshView) -> TableView {
    let shown = &view.sorted[..view.sorted.len().min(WORST)];
    let title = format!(
        "{}: the {} worst of {}",
        view_name(view),
        shown.len(),
        count(view.sorted.len() as u64, "pair")
    );
    TableView::new(title, columns::pairs(mesh, view, shown))
}

fn tables(mesh: &MeshResult) -> Vec<TableView> {
    let mut tables = Vec::new();
    let mut add = |title: &str, columns: Vec<Column>, note: &str| {
        let view = TableView::new(title, columns);
        if !view.rows.is_empty() {
            tables.push(
                view.noted(Some(note.to_owned()).into_iter().filter(|note| !note.is_empty()).collect()),
            );
        }
    };
    add("What was measured of each pair", columns::views(mesh), "");
    add(
        "What all did at once",
        columns::together(&mesh.together),
        "Rates are of one message's way, the mean over all ways and rounds; ranges are 95 % intervals over the rounds. \
         The effective bisection bandwidth is the mean over random matchings.",
    );
    if let Some(victims) = mesh.victims {
        let cells = [
            ("pairs", victims.pairs.to_string()),
            ("mean, times as long", crate::text::digits(victims.mean_slowdown)),
            ("p99, times as long", crate::text::digits(victims.p99_slowdown)),
            ("p99 of the worst pair", crate::text::digits(victims.worst_p99_slowdown)),
        ];
        let columns = cells.map(|(heading, cell)| Column::new(heading, 0, vec![cell]));
        add("Answers beside a load", columns.into(), "Medians over the pairs, against the same pairs alone.");
    }
    let all: Vec<_> = mesh.collectives.iter().collect();
    add(
        "Collectives",
        columns::collectives(&all),
        "All done: the mean over the calls of the slowest rank's time. Mean, fastest and slowest: the ranks' mean times. \
         Bus rate: what the wire of a rank must carry, to be held against a link's rate. Messages and sent: of all ranks for one call.",
    );
    tables
}

/// The hosts with their ranks.
fn hosts(mesh: &MeshResult, named: &NamedRun) -> TableView {
    let nodes = &named.run.nodes;
    let ranks = |node: usize| {
        let all = named.run.mesh.iter().flat_map(|mesh| mesh.ranks.iter().enumerate());
        let here: Vec<String> =
            all.filter(|(_, it)| it.node as usize == node).map(|(nth, _)| rank(mesh, nth)).collect();
        match &here[..] {
            [first, _, .., last] if here.len() > 4 => format!("{first} to {last} ({})", here.len()),
            few => few.join(", "),
        }
    };
    let cells = |of: &dyn Fn(usize) -> String| (0..nodes.len()).map(of).collect::<Vec<String>>();
    let environment = |node: usize| &nodes[node].environment;
    let columns = vec![
        Column::of_words("host", 0, cells(&|node| plain(&environment(node).hostname.to_string()))),
        Column::of_words("ranks", 0, cells(&ranks)),
        Column::of_words("kernel", 0, cells(&|node| plain(&environment(node).kernel.to_string()))),
        Column::of_words("processor", 0, cells(&|node| plain(&environment(node).cpu_model.to_string()))),
        Column::of_words(
            "time lost",
            0,
            cells(&|node| match nodes[node].observation.noise.known() {
                Some(noise) => percent(noise.share()),
                None => "unknown".to_owned(),
            }),
        ),
    ];
    TableView::new("Hosts", columns)
}
