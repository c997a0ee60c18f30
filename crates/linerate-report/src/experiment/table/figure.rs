//! One figure of an experiment as text: its effects and its cells.

use linerate_analysis::experiment::{EffectFound, FigureFound, Findings};

use super::super::{views, words};
use crate::columns::fit_wrapped;
use crate::text::{count, item, wrap};

/// At most this many pairs and cells are shown, unless all is asked for.
const ROWS: usize = 12;

/// The blocks of a figure; `all` shows every row of it.
pub(super) fn blocks(findings: &Findings, figure: &FigureFound, (width, all): (usize, bool)) -> Vec<String> {
    let name = &figure.figure;
    let title =
        wrap(&format!("{}, {}", words::titled(&name.title, &name.unit), words::better(name)), width, 2);
    let summary = summary(findings, figure, width);
    let effects = effects(figure, &figure.effects.iter().collect::<Vec<_>>(), ("effect", width, all));
    let mut blocks =
        vec![summary.join("\n"), effects, pairs(figure, (width, all)), cells(findings, figure, (width, all))];
    blocks.retain(|block| !block.is_empty());
    match blocks.first_mut() {
        Some(first) => *first = format!("{title}\n{first}"),
        None => blocks.push(title),
    }
    blocks
}

/// The best cell, and what is doubtful.
fn summary(findings: &Findings, figure: &FigureFound, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    // The first lines of the text are about the best cell of the goal.
    let told = findings.way.is_none() && findings.figures.first() == Some(figure);
    if let Some(best) = figure.best.as_ref().filter(|_| !told) {
        lines.push(item("best", &words::winner(findings, figure, best), width));
        if !best.as_good.is_empty() {
            lines.push(item(
                "",
                &format!("not told apart from it: {}", words::cells(findings, &best.as_good)),
                width,
            ));
        }
        if !best.elsewhere.is_empty() {
            lines.push(item("elsewhere", &words::elsewhere(findings, best), width));
        }
    }
    lines.extend(words::drift(figure).map(|text| item("drift", &text, width)));
    lines.extend(words::outliers(figure).map(|text| item("outliers", &text, width)));
    lines
}

fn effects(
    figure: &FigureFound,
    shown: &[&EffectFound],
    (heading, width, all): (&str, usize, bool),
) -> String {
    if shown.is_empty() {
        return String::new();
    }
    let table = fit_wrapped(views::effects(&figure.figure, shown, heading), width).0;
    [table].into_iter().chain(noted(&words::notes(shown, all), width)).collect::<Vec<String>>().join("\n")
}

/// Notes below a table, as far to the right as it.
pub(super) fn noted(notes: &[String], width: usize) -> Vec<String> {
    notes
        .iter()
        .map(|note| format!("  {}", wrap(note, width.saturating_sub(2), 2).replace('\n', "\n  ")))
        .collect()
}

/// Pairs of factors: of many those that do something.
fn pairs(figure: &FigureFound, (width, all): (usize, bool)) -> String {
    let shown = views::pairs(figure, if all { usize::MAX } else { ROWS });
    let missing = figure.pairs.len() - shown.len();
    let mut text = effects(figure, &shown, ("together, beyond each", width, all));
    if missing > 0 {
        let gap = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{gap}  {} of factors not shown", count(missing as u64, "more pair")));
    }
    text
}

/// The cells with their values: of many the best.
fn cells(findings: &Findings, figure: &FigureFound, (width, all): (usize, bool)) -> String {
    let mut shown = views::by_merit(figure);
    let known = shown.len();
    if all || known <= ROWS {
        shown.sort_unstable();
    } else {
        shown.truncate(ROWS);
    }
    if shown.is_empty() {
        return String::new();
    }
    let text = fit_wrapped(views::cells(findings, figure, &shown), width).0;
    if shown.len() == known { text } else { format!("{text}\n  the best {} of {known} cells", shown.len()) }
}
