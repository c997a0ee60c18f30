//! What is written at the changes of a chart.

use linerate_analysis::changes::{Kind, Standing};

use super::super::super::figure::{Aim, Layer};
use super::super::super::plot::{Axis, Mark, Side, UNIT, look_of};
use super::super::super::text::shortened;
use super::super::shown::{Shown, ShownEvent};
use super::super::words;
use super::PathHistory;

/// The longest line. Unit: characters.
const LONGEST: usize = 58;
/// At most this many facts are written at a change.
const FACTS: usize = 2;
/// At most this many lines of text are above each other.
const LINES: usize = 8;
/// About how wide a character is. Unit: pixels.
const CHARACTER: f64 = 6.8;
/// How wide the inside of a chart is, and the gap beside the line of a change. Unit: pixels.
const INSIDE: f64 = 826.0;
const GAP: f64 = 10.0;
/// How dark a drift is.
const DRIFT: f64 = 0.1;

/// A change of the figure of a chart.
pub(super) struct Note {
    /// The first run after it.
    at: usize,
    /// The last run of a drift.
    to: usize,
    kind: Kind,
    standing: Standing,
    lines: Vec<String>,
}

/// A note with its place: the first of its lines of text, counted from the top.
pub(super) struct Placed<'a> {
    note: &'a Note,
    line: usize,
    /// How many of its lines there is room for.
    shown: usize,
}

/// The notes of figure `nth`.
pub(super) fn of(path: &PathHistory, shown: &Shown<'_>, nth: usize) -> Vec<Note> {
    let mut notes = Vec::new();
    for event in &shown.events {
        let members = event.members.iter().filter(|it| it.member.figure == nth);
        for (first, it) in members.enumerate().map(|(index, it)| (index == 0, it)) {
            let open = if it.member.standing == Standing::Unconfirmed { ", unconfirmed" } else { "" };
            let mut lines = vec![format!("{}{open}", words::change(it))];
            lines.extend(facts(event).into_iter().filter(|_| first));
            let [at, to] = [it.member.at, it.member.to].map(|run| run.min(path.runs.len()));
            notes.push(Note { at, to, kind: it.member.kind, standing: it.member.standing, lines });
        }
    }
    notes
}

/// What is not the same beside an event for certain.
fn facts(event: &ShownEvent<'_>) -> Vec<String> {
    let clear: Vec<_> = event.event.facts.iter().filter(|fact| fact.is_clear()).collect();
    let told = clear.iter().take(FACTS).map(|fact| shortened(&words::difference(fact), LONGEST));
    let more = (clear.len() > FACTS).then(|| format!("and {} more", clear.len() - FACTS));
    told.chain(more).collect()
}

/// Each note where its text covers no other's; of a note without room the first line, or none.
pub(super) fn placed<'a>(notes: &'a [Note], x: &Axis) -> Vec<Placed<'a>> {
    let mut taken: Vec<([f64; 2], [usize; 2])> = Vec::new();
    let place = |note: &'a Note| {
        let at = x.share(note.at as f64 - 0.5);
        let left = at > 0.5;
        for shown in [note.lines.len(), 1] {
            let longest = note.lines[..shown].iter().map(|line| line.chars().count()).max().unwrap_or(0);
            let wide = (longest as f64 * CHARACTER + GAP) / INSIDE;
            let across = if left { [at - wide, at] } else { [at, at + wide] };
            let free = |line: &usize| {
                let down = [*line, line + shown];
                let apart = |(other, rows): &([f64; 2], [usize; 2])| {
                    other[1] < across[0] || across[1] < other[0] || rows[1] <= down[0] || down[1] <= rows[0]
                };
                taken.iter().all(apart)
            };
            if let Some(line) = (0..=LINES.saturating_sub(shown)).find(free) {
                taken.push((across, [line, line + shown]));
                return Placed { note, line, shown };
            }
        }
        Placed { note, line: 0, shown: 0 }
    };
    notes.iter().map(place).collect()
}

/// How many lines of text there are above each other.
pub(super) fn lines(placed: &[Placed<'_>]) -> usize {
    placed.iter().map(|it| it.line + it.shown).max().unwrap_or(0)
}

/// Vertical lines with their text, those that are not confirmed in a layer of dashes; a drift as a field from its first
/// run to its last.
pub(super) fn layers(axes: [&Axis; 2], placed: &[Placed<'_>]) -> Vec<Layer> {
    let [low, high] = axes[1].range();
    let mut layers = Vec::new();
    for (is_open, name) in [(false, "changes"), (true, "unconfirmed changes")] {
        let here = |it: &&Placed<'_>| (it.note.standing == Standing::Unconfirmed) == is_open;
        let (mut marks, mut aims) = (Vec::new(), Vec::new());
        for Placed { note, line, shown } in placed.iter().filter(here) {
            let (at, top) = (note.at as f64 - 0.5, high);
            if note.kind == Kind::Drift {
                marks.push(Mark::bar([(at, low), (note.to as f64 + 0.5, high)], DRIFT));
            }
            marks.push(Mark::Rule { at, width: 3 * UNIT / 2 });
            let lines = note.lines[..*shown].to_vec();
            marks.push(Mark::Text { at: (at, top), side: Side::Top(*line), lines });
            aims.push(Aim::at(axes, (at, top), note.lines.clone()));
        }
        if !marks.is_empty() {
            let layer = Layer::new((3, name), axes, marks, aims);
            layers.push(Layer { look: look_of(3, if is_open { 2 } else { 0 }), ..layer });
        }
    }
    layers
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::history;
    use super::super::super::run_axis;
    use super::*;

    #[test]
    fn notes_do_not_cover_each_other() {
        let lines = || ["step +1.0 %", "kernel: 6.1 -> 6.2"].map(str::to_owned).into();
        let note = |at| Note { at, to: at, kind: Kind::Step, standing: Standing::Confirmed, lines: lines() };
        let notes: Vec<Note> = [10, 12, 14, 50].map(note).into();
        let placed = placed(&notes, &run_axis(&history(60, 12)));
        let first: Vec<usize> = placed.iter().map(|it| it.line).collect();
        assert_eq!(first, [0, 2, 4, 0]);
        assert_eq!(super::lines(&placed), 6);
        let crowd: Vec<Note> = [10, 10, 10, 10, 10, 11].map(note).into();
        let shown: Vec<usize> =
            super::placed(&crowd, &run_axis(&history(60, 12))).iter().map(|it| it.shown).collect();
        assert_eq!(shown, [2, 2, 2, 2, 0, 0], "there is room for eight lines");
    }
}
