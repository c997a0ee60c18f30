//! A path as one page that needs nothing else.

use askama::Template;

use super::super::columns::TableView;
use super::super::figure::{Figure, hover_after};
use super::super::page::{Entry, Frame, Hover, entries};
use super::super::text::{count, plain};
use super::heat::{Swatch, heats};
use super::show::{extent, levels_of};
use super::shown::{Shown, ShownEvent, outliers};
use super::{PathHistory, dates, over_time, sides, words};
use crate::error::RenderError;

/// At most this many outliers are told one by one.
const OUTLIERS: usize = 12;

#[derive(Template)]
#[template(path = "history.html")]
struct Page {
    title: String,
    frame: Frame,
    facts: Vec<Entry>,
    events: Vec<EventRow>,
    /// What is said instead of events, and beside them.
    remarks: Vec<String>,
    heats: Vec<Figure>,
    legend: Vec<Swatch>,
    courses: Vec<Figure>,
    sides: Vec<Figure>,
    levels: Vec<TableView>,
}

/// A row of the table of events.
struct EventRow {
    when: String,
    run: String,
    changes: Vec<ChangeRow>,
    beside: Vec<String>,
}

/// A change of a figure in it.
struct ChangeRow {
    what: String,
    by: String,
    direction: &'static str,
    p: String,
    standing: String,
    said: String,
}

/// `path` as one HTML page: what changed, each pattern as a heat map of size against time, each key figure
/// over time, the curves of both sides of the last change, and the level of each figure.
///
/// # Errors
///
/// [`RenderError::Draw`] when a chart cannot be drawn, [`RenderError::Json`] or [`RenderError::Page`] when
/// the page cannot be filled.
pub fn html(path: &PathHistory) -> Result<String, RenderError> {
    let shown = Shown::of(path);
    let mut heats = heats(path, &shown)?;
    let mut courses = over_time::figures(path, &shown)?;
    let mut sides = sides::figures(path, &shown)?;
    let hover = [&mut heats.figures, &mut courses, &mut sides]
        .into_iter()
        .fold(Hover::default(), |hover, figures| hover_after(hover, figures));
    let levels = TableView::new("The last stable level of each figure", levels_of(path));
    let page = Page {
        title: plain(&path.name),
        frame: Frame::new(&hover)?,
        facts: facts(path),
        events: shown.events.iter().rev().map(|shown| event(path, shown)).collect(),
        remarks: remarks(path, &shown),
        heats: heats.figures,
        legend: heats.legend,
        courses,
        sides,
        levels: if levels.rows.is_empty() { Vec::new() } else { vec![levels] },
    };
    Ok(page.render()?)
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

fn event(path: &PathHistory, shown: &ShownEvent<'_>) -> EventRow {
    let run = path.runs.get(shown.event.at);
    let to = path.runs.get(shown.to()).filter(|_| shown.to() > shown.event.at);
    let to = to.map(|run| format!(" to {}", dates::day(run.started_us))).unwrap_or_default();
    let change = |it: &super::shown::ShownMember<'_>| ChangeRow {
        what: format!("{} {}", words::name(it.key()), words::kind(it.member.kind)),
        by: words::size(it),
        direction: words::direction(it.member.worse),
        p: words::p(it.member.p),
        standing: words::standing(it, path.runs.len()),
        said: it.said.map(plain).unwrap_or_default(),
    };
    EventRow {
        when: run.map(|run| dates::minute(run.started_us)).unwrap_or_default() + &to,
        run: run.map(|run| words::short_run(&run.id)).unwrap_or_default(),
        changes: shown.members.iter().map(change).collect(),
        beside: words::beside(shown),
    }
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
