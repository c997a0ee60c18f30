//! The sections of meshes: key numbers, what is slow, heat maps, charts and tables.

mod pack;

use linerate_analysis::facts::{Collectives, Togethers};
use linerate_analysis::report::{MeshResult, MeshView, NamedRun, Report, SuspectRow};

use super::map::{colours, map};
use super::words::{facts, headline, keys, rank, view_name};
use super::{charts, columns};
use crate::columns::{Column, of_kind};
use crate::error::RenderError;
use crate::figure::Figure;
use crate::page::Script;
use crate::plot::palette;
use crate::section::{
    self, Card, Cell, Entry, Item, Kind, Part, Section, TableView, Tone, entries, note, tables,
};
use crate::text::{count, percent, plain};

/// So many of the worst pairs of each view are in a table that needs no script.
const WORST: usize = 15;
/// A suspect's column of numbers has a dash where it was not measured alone.
const UNKNOWN: &str = "-";

/// The sections of the meshes of `report`.
pub(crate) fn sections(report: &Report) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut number = 0;
    for (nth, mesh) in report.meshes.iter().enumerate() {
        sections.extend(of_mesh(report, (nth, mesh), number));
        number += mesh.views.len();
    }
    sections
}

/// What the heat maps of `report` need on a page. Absent if it has none.
///
/// # Errors
///
/// [`RenderError::Json`] when their numbers have no JSON form.
pub(crate) fn script(report: &Report) -> Result<Option<Script>, RenderError> {
    if report.meshes.is_empty() {
        return Ok(None);
    }
    let script = include_str!("../../templates/mesh.js");
    Ok(Some(Script { data: pack::data(&report.meshes)?, style: palette::css(), script }))
}

/// The key numbers of each mesh.
pub(crate) fn cards(report: &Report) -> Vec<Card> {
    report.meshes.iter().map(|mesh| card(report, mesh)).collect()
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
    Card { kind: Kind::Mesh, title, colour: None, keys: entries(keys(mesh)), note: note.to_owned() }
}

/// The sections of one mesh, whose first heat map has this `number` in the page.
fn of_mesh(report: &Report, (nth, mesh): (usize, &MeshResult), number: usize) -> Vec<Section> {
    let named = &report.runs[mesh.run];
    let of = if report.runs.len() > 1 { format!(": {}", plain(&named.name)) } else { String::new() };
    let section = |part, id, heading: &str, items| {
        Section::new(part, id, format!("{heading}{of}"), items).of([mesh.run])
    };
    let views = || mesh.views.iter().zip(number..);
    let maps: Vec<Figure> = views().map(|(view, number)| map(mesh, view, number)).collect();
    let titles = (number..).zip(maps.iter().map(|map| map.title.clone())).collect::<Vec<_>>();
    let order = (!titles.is_empty()).then_some(Item::Order(nth, titles));
    let legends = mesh.views.iter().map(|view| Item::Scale(colours(view)));
    let maps = section::charts(maps).zip(legends).flat_map(|(map, legend)| [map, legend]);
    let pairs = views().enumerate().map(|(at, (view, number))| TableView {
        is_closed: at > 0,
        of_map: Some([number, nth]),
        ..worst(mesh, view)
    });
    let pairs = tables(pairs).collect();
    let mut drawn = charts::sorted(mesh, nth);
    drawn.extend(charts::collectives(mesh, nth));
    let numbers = tables(numbers(mesh).into_iter().chain([hosts(mesh, named).closed()])).collect();
    vec![
        section(Part::Result, "suspects", "What is slow", suspects(mesh)),
        section(Part::Result, "lost", "What was lost", lost(mesh)),
        section(Part::Charts, "maps", "Heat maps", order.into_iter().chain(maps).collect()),
        section(Part::Charts, "sorted", "All pairs, sorted", section::charts(drawn).collect()),
        section(Part::Tables, "pairs", "Pairs", pairs),
        section(Part::Tables, "mesh-numbers", "Mesh", numbers),
    ]
}

/// What is slow, and what the verdicts mean.
fn suspects(mesh: &MeshResult) -> Vec<Item> {
    if mesh.suspects.is_empty() {
        return note("No rank, link or group stands out from the others.").into_iter().collect();
    }
    let headings = ["where", "found at", "times slower", "alone", "verdict"].map(str::to_owned).to_vec();
    let verdicts = "Bad: slow alone as well. Congested: slow only while others talk. Unconfirmed: not measured alone, or not often enough.";
    let rows = mesh.suspects.iter().map(suspect).collect();
    let table = TableView { rows, ..TableView::of_rows("", headings) };
    vec![Item::Table(table.noted(vec![verdicts.to_owned()]))]
}

fn lost(mesh: &MeshResult) -> Vec<Item> {
    let headings = vec!["lost".to_owned()];
    let rows = mesh.lost.iter().map(|lost| vec![Cell::toned(plain(lost), Tone::Bad)]).collect();
    tables([TableView { rows, ..TableView::of_rows("", headings) }]).collect()
}

fn suspect(one: &SuspectRow) -> Vec<Cell> {
    let alone = one.alone.map_or_else(|| UNKNOWN.to_owned(), crate::text::digits);
    let tone = if one.verdict == "bad" { Tone::Bad } else { Tone::Plain };
    vec![
        plain(&one.place).into(),
        one.probe.clone().into(),
        crate::text::digits(one.times_slower).into(),
        alone.into(),
        Cell::toned(one.verdict, tone),
    ]
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

fn numbers(mesh: &MeshResult) -> Vec<TableView> {
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
        of_kind::<Togethers>(&mesh.together.iter().collect::<Vec<_>>()),
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
        of_kind::<Collectives>(&all),
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
