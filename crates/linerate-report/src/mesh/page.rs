//! The sections of meshes: key numbers, what is slow, heat maps, charts and tables.

mod pack;

use linerate_analysis::facts::{Collectives, MeshNodes, Togethers};
use linerate_analysis::report::{CollectiveRow, MeshResult, MeshView, NamedRun, Report, SuspectRow};
use linerate_core::observation::Counters;

use super::map::{colours, map};
use super::words::{facts, headline, keys, lost_share, rank, significant, view_name};
use super::{charts, columns};
use crate::columns::{Column, of_kind};
use crate::error::RenderError;
use crate::figure::Figure;
use crate::page::Script;
use crate::plot::palette;
use crate::section::{
    self, Card, Entry, Item, Kind, MOST_ROWS as ROWS_OF_A_TEXT, Part, Section, TableView, Tone, entries,
    tables,
};
use crate::text::{count, percent, plain, shortened};

/// So many of the worst pairs of each view are in a table that needs no script.
const WORST: usize = 15;
/// More collectives than these are chosen from in a short text.
const MOST_ROWS: usize = 12;

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
    let keys = entries(keys(mesh));
    let note = if keys.is_empty() { String::new() } else { note.to_owned() };
    Card { kind: Kind::Mesh, title, colour: None, keys, note }
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
        ..worst(mesh, view).at_length()
    });
    let pairs = tables(pairs).collect();
    let mut drawn = charts::sorted(mesh, nth);
    drawn.extend(charts::collectives(mesh, nth));
    let numbers = tables(
        numbers(mesh).into_iter().chain([packets(mesh, named), hosts(mesh, named).closed().at_length()]),
    )
    .collect();
    vec![
        section(Part::Result, "suspects", "Suspects", tables([suspects(mesh)]).collect()),
        section(Part::Result, "lost", "What was lost", tables([lost(mesh)]).collect()),
        section(Part::Charts, "maps", "Heat maps", order.into_iter().chain(maps).collect()),
        section(Part::Charts, "sorted", "All pairs, sorted", section::charts(drawn).collect()),
        section(Part::Tables, "pairs", "Pairs", pairs),
        section(Part::Tables, "mesh-numbers", "Mesh", numbers),
    ]
}

/// What is wrong, what the verdicts mean, and what to try.
fn suspects(mesh: &MeshResult) -> TableView {
    // What a verdict rests on has a line of its own, however narrow the table is.
    let reason = |one: &SuspectRow| {
        let place = shortened(&plain(&one.place), columns::LONGEST_PLACE);
        format!("{place}: {}: {}.", one.verdict, one.evidence)
    };
    let told = mesh.suspects.iter().filter(|one| !one.evidence.is_empty());
    let mut notes: Vec<String> = told.take(ROWS_OF_A_TEXT).map(reason).collect();
    for one in &mesh.suspects {
        let note = format!("{}: {}.", one.verdict, one.advice);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    let mut table = TableView::new("", columns::suspects(&mesh.suspects)).noted(notes);
    for (row, one) in table.rows.iter_mut().zip(&mesh.suspects).filter(|(_, one)| one.is_bad) {
        row.iter_mut().filter(|cell| cell.text == one.verdict).for_each(|cell| cell.tone = Tone::Bad);
    }
    table.first()
}

fn lost(mesh: &MeshResult) -> TableView {
    let lost = mesh.lost.iter().map(|lost| plain(lost)).collect();
    TableView::new("", vec![Column::of_words("rank or pair, and why", 0, lost)]).first()
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
    let mut add = |view: TableView, note: &str| {
        if !view.rows.is_empty() {
            tables.push(
                view.noted(Some(note.to_owned()).into_iter().filter(|note| !note.is_empty()).collect()),
            );
        }
    };
    let views = TableView::new("What was measured of each pair", columns::views(mesh));
    add(if mesh.views.len() > 2 { views } else { views.at_length() }, "");
    let nodes = of_kind::<MeshNodes>(&mesh.nodes.iter().collect::<Vec<_>>());
    add(
        TableView::new("Nodes", nodes).at_length(),
        "Medians, tails and loss of all that a node sent and received.",
    );
    let together = of_kind::<Togethers>(&mesh.together.iter().collect::<Vec<_>>());
    add(
        TableView::new("What all did at once", together),
        "Rates are of one message's way, the mean over all ways and rounds; ranges are 95 % intervals over the rounds. \
         The effective bisection bandwidth is the mean over random matchings.",
    );
    if let Some(victims) = mesh.victims {
        let cells = [
            ("pairs", victims.pairs.to_string()),
            ("mean, times as long", significant(victims.mean_slowdown)),
            ("p99, times as long", significant(victims.p99_slowdown)),
            ("p99 of the worst pair", significant(victims.worst_p99_slowdown)),
        ];
        let columns = cells.map(|(heading, cell)| Column::new(heading, 1, vec![cell]));
        let table = TableView::new("Answers beside a load", columns.into());
        add(table, "Medians over the pairs, against the same pairs alone.");
    }
    add(
        collectives(mesh),
        "All done: the mean over the calls of the slowest rank's time. Mean, fastest and slowest: the ranks' mean times. \
         Bus rate: what the wire of a rank must carry, to be held against a link's rate. Messages and sent: of all ranks for one call.",
    );
    tables
}

/// Every collective; in a short text of each the fastest algorithm at its least and its greatest size.
fn collectives(mesh: &MeshResult) -> TableView {
    let all: Vec<&CollectiveRow> = mesh.collectives.iter().collect();
    let table = TableView::new("Collectives", of_kind::<Collectives>(&all));
    if all.len() <= MOST_ROWS {
        return table;
    }
    let mut shown: Vec<usize> = Vec::new();
    for (nth, row) in all.iter().enumerate() {
        let of_it = || all.iter().filter(|other| other.collective == row.collective);
        let ends = [of_it().map(|it| it.bytes).min(), of_it().map(|it| it.bytes).max()];
        let time = |it: &CollectiveRow| it.slowest_mean_us.unwrap_or(f64::INFINITY);
        let is_fastest =
            of_it().filter(|other| other.bytes == row.bytes).all(|other| time(row) <= time(other));
        let is_like = |nth: &usize| all[*nth].collective == row.collective && all[*nth].bytes == row.bytes;
        if ends.contains(&Some(row.bytes)) && is_fastest && !shown.iter().any(is_like) {
            shown.push(nth);
        }
    }
    let some = shown.len();
    table.brief(
        shown,
        format!("the fastest algorithm at the least and the greatest size, {some} of {} rows", all.len()),
    )
}

/// What each node sent in the whole mesh, and what was lost of it; in a short text if something was.
fn packets(mesh: &MeshResult, named: &NamedRun) -> TableView {
    let ranks = || named.run.mesh.iter().flat_map(|mesh| mesh.ranks.iter().enumerate());
    let counted: Vec<_> =
        ranks().filter_map(|(nth, rank)| Some((nth, rank.node as usize, rank.segments?))).collect();
    let lost: u64 = counted.iter().map(|(_, _, seen)| seen.retransmitted).sum();
    let drops = |node: usize| named.run.nodes.get(node)?.observation.interface.known();
    let dropped = |count: fn(&Counters) -> u64| {
        let cell = |(_, node, _): &(usize, usize, _)| {
            drops(*node).map_or_else(|| "-".to_owned(), |all| count(all).to_string())
        };
        counted.iter().map(cell).collect::<Vec<String>>()
    };
    let columns = vec![
        Column::of_words("node", 0, counted.iter().map(|(nth, ..)| rank(mesh, *nth)).collect()),
        Column::new("sent", 0, counted.iter().map(|(_, _, seen)| seen.sent.to_string()).collect()),
        Column::new("lost", 0, counted.iter().map(|(_, _, seen)| seen.retransmitted.to_string()).collect()),
        Column::new(
            "share",
            0,
            counted
                .iter()
                .map(|(_, _, seen)| lost_share(Some(seen.retransmitted as f64 / seen.sent.max(1) as f64)))
                .collect(),
        ),
        Column::new("dropped in", 1, dropped(|all| all.rx_dropped)),
        Column::new("dropped out", 1, dropped(|all| all.tx_dropped)),
    ];
    let note = "Packets that a node sent to the others in the whole mesh, and those that it had to send again; what its interface dropped.";
    let table = TableView::new("Packets of each node", columns).noted(vec![note.to_owned()]);
    if lost == 0 { table.at_length() } else { table.first() }
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
