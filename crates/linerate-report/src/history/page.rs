//! A path as one page that needs nothing else.

use super::super::page::html as page;
use super::super::section::{self, Cell, Document, Entry, Item, Part, Section, TableView, Tone, entries};
use super::super::text::{count, plain};
use super::heat::heats;
use super::show::{extent, levels_of};
use super::shown::{Shown, ShownEvent, outliers};
use super::{PathHistory, dates, over_time, sides, words};
use crate::error::RenderError;

/// At most this many outliers are told one by one.
const OUTLIERS: usize = 12;

/// `path` as one HTML page: what changed, each pattern as a heat map of size against time, each key figure
/// over time, the curves of both sides of the last change, and the level of each figure.
///
/// # Errors
///
/// [`RenderError::Json`] or [`RenderError::Page`] when
/// the page cannot be filled.
pub fn html(path: &PathHistory) -> Result<String, RenderError> {
    let shown = Shown::of(path);
    let heats = heats(path, &shown);
    let scale = (!heats.figures.is_empty()).then_some(Item::Scale(heats.colours));
    let levels = TableView::new("", levels_of(path));
    let each = "Each key figure, and each band of sizes in which something changed; the others are in the table below.";
    let mut courses: Vec<Item> = section::charts(over_time::figures(path, &shown)).collect();
    if !courses.is_empty() {
        courses.insert(0, Item::Note(each.to_owned()));
    }
    let changed =
        section::tables([events(path, &shown)]).chain(remarks(path, &shown).into_iter().map(Item::Note));
    let of = |part, id, heading, items| Section::new(part, id, heading, items);
    let sections = vec![
        of(Part::Result, "changes", "What changed", changed.collect()),
        of(
            Part::Charts,
            "heat",
            "Size against time",
            scale.into_iter().chain(section::charts(heats.figures)).collect(),
        ),
        of(Part::Charts, "courses", "Figures over time", courses),
        of(
            Part::Charts,
            "sides",
            "Before and after the last change",
            section::charts(sides::figures(path, &shown)).collect(),
        ),
        of(
            Part::Tables,
            "levels",
            "The last stable level of each figure",
            section::tables([levels]).collect(),
        ),
        of(
            Part::Environment,
            "path",
            "The path",
            vec![Item::Facts(facts(path)), Item::Note("Times of day are UTC.".to_owned())],
        ),
    ];
    page(Document::new(plain(&path.name), sections), None)
}

fn facts(path: &PathHistory) -> Vec<Entry> {
    let own = [
        ("path".to_owned(), plain(&path.id)),
        ("runs".to_owned(), extent(path)),
        ("verdict".to_owned(), words::verdict(&path.changes, words::Detail::Named)),
    ];
    let fields = path.fields.iter().map(|(name, value)| (plain(name), plain(value)));
    entries(own.into_iter().chain(fields))
}

/// What changed, the latest first: a row for each figure.
fn events(path: &PathHistory, shown: &Shown<'_>) -> TableView {
    let headings =
        ["when", "figure", "change (95 % interval)", "", "p", "standing", "not the same beside it"];
    let rows = shown.events.iter().rev().flat_map(|event| of_event(path, event)).collect();
    let table = TableView::of_rows("", headings.map(str::to_owned).to_vec());
    TableView { rows, ..table }.noted(vec!["Beside a change does not mean because of it.".to_owned()])
}

fn of_event(path: &PathHistory, shown: &ShownEvent<'_>) -> Vec<Vec<Cell>> {
    let run = path.runs.get(shown.event.at);
    let to = path.runs.get(shown.to()).filter(|_| shown.to() > shown.event.at);
    let to = to.map(|run| format!(" to {}", dates::day(run.started_us))).unwrap_or_default();
    let when = run.map(|run| dates::minute(run.started_us)).unwrap_or_default() + &to;
    let id = run.map(|run| words::short_run(&run.id)).unwrap_or_default();
    let beside = match words::beside(shown).join("; ") {
        none if none.is_empty() => "nothing that the runs know of".to_owned(),
        facts => facts,
    };
    let row = |(nth, it): (usize, &super::shown::ShownMember<'_>)| {
        let first = |text: String| if nth == 0 { text } else { String::new() };
        let said = it.said.map(|said| format!("\npeople say: {}", plain(said))).unwrap_or_default();
        let direction = words::direction(it.member.worse);
        vec![
            first(format!("{when}\n{id}")).into(),
            format!("{} {}", words::name(it.key()), words::kind(it.member.kind)).into(),
            words::size(it).into(),
            Cell::toned(direction, if direction == "worse" { Tone::Bad } else { Tone::Plain }),
            words::p(it.member.p).into(),
            (words::standing(it, path.runs.len()) + &said).into(),
            first(beside.clone()).into(),
        ]
    };
    shown.members.iter().enumerate().map(row).collect()
}

/// That nothing changed, what is muted, and what is off and came back.
fn remarks(path: &PathHistory, shown: &Shown<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    if shown.events.is_empty() && shown.muted == 0 {
        let mut nothing = words::nothing(path.runs.len(), &path.changes);
        nothing[..1].make_ascii_uppercase();
        remarks.push(format!("{nothing}."));
    }
    if shown.muted > 0 {
        remarks.push(format!("{} muted and not shown.", count(shown.muted as u64, "change")));
    }
    let off = outliers(path);
    let mut told: Vec<String> = off
        .iter()
        .take(OUTLIERS)
        .map(|(key, outlier)| {
            let when = path.runs.get(outlier.first).map_or(0, |run| run.started_us);
            format!("{} {} {}", dates::day(when), words::name(key), words::by(key, outlier.change))
        })
        .collect();
    if off.len() > OUTLIERS {
        told.push(format!("and {} more", off.len() - OUTLIERS));
    }
    if !told.is_empty() {
        remarks.push(format!("Outliers, which came back: {}.", told.join("; ")));
    }
    remarks
}
