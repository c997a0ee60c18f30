//! What is written at the changes of a chart.

use std::fmt::Write as _;

use linerate_analysis::changes::{Kind, Standing};

use super::super::super::plot::{Axis, UNIT, UP};
use super::super::super::text::{escaped, shortened};
use super::super::shown::{Shown, ShownEvent};
use super::super::words;
use super::PathHistory;

/// The longest line. Unit: characters.
const LONGEST: usize = 58;
/// At most this many facts are written at a change.
const FACTS: usize = 2;
/// At most this many lines of text are above each other.
const LINES: usize = 8;
/// About how wide a character is, and how far lines are from each other. Unit: quarter pixels.
const CHARACTER: f64 = 6.4 * UNIT as f64;
/// How wide the inside of a chart is. Unit: quarter pixels.
const INSIDE: f64 = 826.0 * UNIT as f64;
const PITCH: i32 = 16 * UNIT as i32;
/// From the line of a change to its text. Unit: quarter pixels.
const GAP: i32 = 5 * UNIT as i32;

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
    /// Whether its text ends at the line of the change, which is far to the right.
    left: bool,
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
            let wide = (longest as f64 * CHARACTER + f64::from(2 * GAP)) / INSIDE;
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
                return Placed { note, line, shown, left };
            }
        }
        Placed { note, line: 0, shown: 0, left }
    };
    notes.iter().map(place).collect()
}

/// How many lines of text there are above each other.
pub(super) fn lines(placed: &[Placed<'_>]) -> usize {
    placed.iter().map(|it| it.line + it.shown).max().unwrap_or(0)
}

/// Vertical lines with their text; a drift as a field from its first run to its last.
pub(super) fn drawn(axes: [&Axis; 2], placed: &[Placed<'_>]) -> String {
    let mut svg = String::new();
    for Placed { note, line, shown, left } in placed {
        let x = |run: f64| super::place(axes, run, 0.0).0;
        let (at, [top, bottom]) = (x(note.at as f64 - 0.5), [UP[1], UP[0]]);
        if note.kind == Kind::Drift {
            let to = x(note.to as f64 + 0.5);
            let _ = write!(svg, "<path class=\"drift\" d=\"M{at} {top}H{to}V{bottom}H{at}z\"/>");
        }
        let dashes = if note.standing == Standing::Unconfirmed { " stroke-dasharray=\"8 12\"" } else { "" };
        let _ = write!(svg, "<path class=\"line\" stroke-width=\"6\"{dashes} d=\"M{at} {top}V{bottom}\"/>");
        let (beside, anchor) = if *left { (at - GAP, "end") } else { (at + GAP, "start") };
        for (nth, text) in note.lines.iter().take(*shown).enumerate() {
            let y = top + PITCH * (*line + nth + 1) as i32;
            let _ = write!(
                svg,
                "<text x=\"{beside}\" y=\"{y}\" text-anchor=\"{anchor}\">{}</text>",
                escaped(text)
            );
        }
    }
    svg
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
        assert!(placed[3].left && !placed[0].left, "far to the right, the text is on the left");
    }
}
