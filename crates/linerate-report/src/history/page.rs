//! A path as sections.

use linerate_analysis::changes::{FigureHistory, Verdict};
use linerate_analysis::figures::Key;

use super::super::section::{self, Cell, Document, Entry, Item, Part, Section, TableView, Tone, entries};
use super::super::text::{capital, count, plain};
use super::heat::heats;
use super::show::{levels, runs};
use super::shown::{Shown, ShownEvent, outliers};
use super::{EXPORT, PathHistory, dates, over_time, sides, words};

/// At most this many outliers are told one by one.
const OUTLIERS: usize = 12;

/// `path` in every form: what changed, each pattern as a heat map of size against time, each key figure over time, the
/// curves of both sides of the last change, its runs with the figures `keys` (without these the main ones), and the level
/// of each figure.
pub fn document(path: &PathHistory, keys: Option<&[Key]>) -> Document {
    let shown = Shown::of(path);
    let heats = heats(path, &shown);
    let scale = (!heats.figures.is_empty()).then_some(Item::Scale(heats.colours));
    let each = "Each key figure, and each band of sizes in which something changed; the others are in the table below.";
    let mut courses: Vec<Item> = section::charts(over_time::figures(path, &shown)).collect();
    if !courses.is_empty() {
        courses.insert(0, Item::Note(each.to_owned()));
    }
    let heat = scale.into_iter().chain(section::charts(heats.figures)).collect();
    let sides = section::charts(sides::figures(path, &shown)).collect();
    let verdict = Item::Lead(format!("{}.", capital(&words::at_length(&path.changes))));
    let facts = [("path", plain(&path.id)), ("runs", extent(path))];
    let mut changed = vec![Item::Facts(entries(facts))];
    changed.append(&mut changes_of(path, &shown));
    let fields: Vec<Entry> =
        path.fields.iter().map(|(name, value)| Entry::from([plain(name), plain(value)])).collect();
    let about = [Some(Item::Facts(fields)), section::note("Times of day are UTC.")];
    let of = |part, id, heading, items| Section::new(part, id, heading, items);
    let sections = vec![
        of(Part::Result, "verdict", "", vec![verdict]),
        of(Part::Result, "changes", "What changed", changed),
        of(Part::Charts, "heat", "Size against time", heat),
        of(Part::Charts, "courses", "Figures over time", courses),
        of(Part::Charts, "sides", "Before and after the last change", sides),
        of(Part::Tables, "runs", "", section::tables([runs(path, keys)]).collect()),
        of(
            Part::Tables,
            "levels",
            "The last stable level of each figure",
            section::tables([levels(path)]).collect(),
        ),
        of(Part::Method, "path", "The path", about.into_iter().flatten().collect()),
    ];
    Document { full: EXPORT, ..Document::new(plain(&path.name), sections) }
}

/// What changed on each path: when, which figures by how much, what is not the same beside them, and how to measure again.
/// Those that people muted are counted.
pub fn changes(paths: &[PathHistory]) -> Document {
    let of_path = |path: &PathHistory| {
        let heading = format!("{} ({})", plain(&path.name), words::short_path(&path.id));
        Section::new(Part::Result, "changes", heading, changes_of(path, &Shown::of(path)))
    };
    let title = format!("Changes on {}", count(paths.len() as u64, "path"));
    Document::new(title, paths.iter().map(of_path).collect())
}

/// `365 runs from 2026-01-01 to 2026-12-31, 10 of them the baseline`.
fn extent(path: &PathHistory) -> String {
    let [Some(first), Some(last)] = [path.runs.first(), path.runs.last()] else {
        return "no run".to_owned();
    };
    let baseline = path.runs.iter().filter(|run| run.baseline).count();
    let baseline = if baseline > 0 { format!(", {baseline} of them the baseline") } else { String::new() };
    let [first, last] = [first, last].map(|run| dates::day(run.started_us));
    let when = if first == last { format!("on {first}") } else { format!("from {first} to {last}") };
    format!("{} {when}{baseline}", count(path.runs.len() as u64, "run"))
}

fn changes_of(path: &PathHistory, shown: &Shown<'_>) -> Vec<Item> {
    let remarks = remarks(path, shown).into_iter().map(Item::Note);
    section::tables([events(path, shown)]).chain(remarks).collect()
}

/// What changed, the latest first: a row for each figure.
fn events(path: &PathHistory, shown: &Shown<'_>) -> TableView {
    let headings = [("when", 0), ("figure", 0), ("", 0), ("", 0), ("p", 0), ("standing", 0)];
    let rows = shown.events.iter().rev().flat_map(|event| of_event(path, event)).collect();
    let table = TableView { is_told: true, ..TableView::of("", &headings, rows) };
    let has_facts = shown.events.iter().any(|shown| !shown.event.facts.is_empty());
    let coincidence = has_facts.then(|| "Coincidence is not cause.".to_owned());
    table.noted(coincidence.into_iter().collect())
}

fn of_event(path: &PathHistory, shown: &ShownEvent<'_>) -> Vec<Vec<Cell>> {
    let run = path.runs.get(shown.event.at);
    let to = path.runs.get(shown.to()).filter(|_| shown.to() > shown.event.at);
    let to = to.map(|run| format!(" to {}", dates::minute(run.started_us))).unwrap_or_default();
    let mut when = vec![run.map(|run| dates::minute(run.started_us)).unwrap_or_default() + &to + " UTC"];
    when.extend(run.map(|run| format!("run {}", words::short_run(&run.id))));
    when.extend(words::beside(shown).iter().map(|fact| format!("with {fact}")));
    when.push(words::confirm(shown.lead()));
    let row = |(nth, it): (usize, &super::shown::ShownMember<'_>)| {
        let said = it.said.map(|said| format!("\npeople say: {}", plain(said))).unwrap_or_default();
        let direction = words::direction(it.member.worse);
        vec![
            if nth == 0 { when.join("\n").into() } else { Cell::default() },
            format!("{} {}", words::name(it.key()), words::kind(it.member.kind)).into(),
            words::size(it).into(),
            Cell::toned(direction, if direction == "worse" { Tone::Bad } else { Tone::Plain }),
            words::p(it.member.p).into(),
            (words::standing(it, path.runs.len()) + &said).into(),
        ]
    };
    shown.members.iter().enumerate().map(row).collect()
}

/// That nothing changed, what is muted, what is off and came back, and what cannot be told.
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
            let runs = count((outlier.last - outlier.first + 1) as u64, "run");
            format!("{} {} {}, {runs}", dates::minute(when), words::name(key), words::by(key, outlier.change))
        })
        .collect();
    if off.len() > OUTLIERS {
        told.push(format!("and {} more", off.len() - OUTLIERS));
    }
    if !told.is_empty() {
        remarks.push(format!("Outliers, which came back: {}.", told.join("; ")));
    }
    for figure in path.changes.figures.iter().filter(|figure| !figure.unusable.is_empty()) {
        let values = count(figure.unusable.len() as u64, "value");
        let name = words::name(&figure.key);
        remarks.push(format!("{name}: {values} not above zero, left out of the search."));
    }
    let few = |figure: &&FigureHistory| {
        figure.verdict == Verdict::TooFew && path.changes.verdict != Verdict::TooFew
    };
    let short: Vec<String> =
        path.changes.figures.iter().filter(few).map(|figure| words::name(&figure.key)).collect();
    if !short.is_empty() {
        remarks.push(format!("Too few values to tell: {}.", short.join(", ")));
    }
    remarks
}
