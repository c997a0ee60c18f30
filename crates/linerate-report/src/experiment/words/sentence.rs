//! What was found, in plain sentences.

use linerate_analysis::experiment::{
    BestFound, Elsewhere, FigureFound, FigureName, Findings, SearchFound, Stairs, StepVerdict, WayFound,
};

use super::{base, cell, cells, change, counted, estimate, number, numbers};

/// What was found, the answer first. Each is a sentence.
pub(in super::super) fn sentences(findings: &Findings) -> Vec<String> {
    match &findings.way {
        Some(WayFound::Staircase(stairs)) => return self::stairs(findings, stairs),
        Some(WayFound::Search(found)) => return search(found),
        None => {}
    }
    let Some(goal) = findings.figures.first() else { return vec!["There is no result yet.".to_owned()] };
    match &goal.best {
        Some(best) => self::best(findings, goal, best),
        None => vec![format!("Inconclusive: no cell is the best in {} for certain.", goal.figure.title)],
    }
}

fn best(findings: &Findings, goal: &FigureFound, best: &BestFound) -> Vec<String> {
    let mut sentences = vec![format!("The best {} is {}.", goal.figure.title, winner(findings, goal, best))];
    if !best.as_good.is_empty() {
        sentences.push(format!("Not told apart from it: {}.", cells(findings, &best.as_good)));
    }
    if !best.elsewhere.is_empty() {
        sentences.push(format!("What it costs elsewhere: {}.", elsewhere(findings, best)));
    }
    sentences
}

/// `941 Mb/s (938 to 944) with MTU = 9000, x1.42 of the base`.
pub(in super::super) fn winner(findings: &Findings, figure: &FigureFound, best: &BestFound) -> String {
    let value = |cell: usize| figure.cells.get(cell).and_then(Option::as_ref);
    let unit = &figure.figure.unit;
    let shown = value(best.cell).map_or_else(|| "-".to_owned(), |it| estimate(it.value, it.interval, unit));
    let name = cell(findings, best.cell);
    let against = base(findings).filter(|base| *base != best.cell).and_then(|base| {
        let [base, best] = [value(base)?.value, value(best.cell)?.value];
        let by = if figure.figure.is_ratio { best / base } else { best - base };
        by.is_finite().then(|| against(&figure.figure, by))
    });
    format!("{shown} with {name}{}", against.unwrap_or_default())
}

fn against(figure: &FigureName, by: f64) -> String {
    let what = if figure.is_ratio { "of" } else { "against" };
    format!(", {} {what} the base", change(by, figure))
}

/// The other figures of the best cell against the base.
pub(in super::super) fn elsewhere(findings: &Findings, best: &BestFound) -> String {
    let one = |it: &Elsewhere| {
        let figure = findings.figures.iter().find(|known| known.figure.title == it.figure);
        let by = figure.map_or_else(|| number(it.change), |figure| change(it.change, &figure.figure));
        let verdict = match it.worse {
            Some(true) => " (worse)",
            Some(false) => " (better)",
            None => "",
        };
        format!("{} {by}{verdict}", it.figure)
    };
    best.elsewhere.iter().map(one).collect::<Vec<String>>().join(", ")
}

fn stairs(findings: &Findings, stairs: &Stairs) -> Vec<String> {
    let kept: Vec<&str> = stairs
        .steps
        .iter()
        .filter(|step| step.verdict == StepVerdict::Kept)
        .map(|step| step.change.as_str())
        .collect();
    let tried = counted(stairs.steps.len(), "change");
    let mut sentences = vec![match &kept[..] {
        [] => format!("Of {tried} none made {} better with confidence.", stairs.goal),
        kept => format!("Of {tried} {} made {} better: {}.", kept.len(), stairs.goal, kept.join("; ")),
    }];
    match total(findings, stairs) {
        Some(total) => sentences.push(format!("Together: {total}.")),
        None if kept.is_empty() => {}
        None => sentences.push("What they do together was not measured by runs of its own yet.".to_owned()),
    }
    if !stairs.complete {
        sentences.push("Not every change was tried yet.".to_owned());
    }
    sentences
}

/// What all steps did together, by runs of their own.
pub(in super::super) fn total(findings: &Findings, stairs: &Stairs) -> Option<String> {
    let total = stairs.total.as_ref()?;
    let goal = goal_of(findings, stairs);
    let [from, to] = total.values.map(|value| numbers::value(value, None, &stairs.unit));
    let ends = total.interval.map(|ends| format!(" ({})", super::interval(total.effect, ends, &goal)));
    let unit = if stairs.unit == "share" { "" } else { &stairs.unit };
    Some(format!(
        "{}{}, from {from} to {to} {unit} with {}, by {} of their own",
        change(total.effect, &goal),
        ends.unwrap_or_default(),
        total.best,
        pairs(total.pairs)
    ))
}

fn pairs(number: u32) -> String {
    if number == 1 { "one pair of runs".to_owned() } else { format!("{number} pairs of runs") }
}

/// The goal of a staircase as a figure. One that is not among the figures has changes by ratio.
pub(in super::super) fn goal_of(findings: &Findings, stairs: &Stairs) -> FigureName {
    let known = findings.figures.iter().find(|figure| figure.figure.title == stairs.goal);
    known.map_or_else(
        || FigureName {
            key: stairs.goal.clone(),
            title: stairs.goal.clone(),
            unit: stairs.unit.clone(),
            better: linerate_analysis::figures::Better::More,
            is_ratio: true,
        },
        |figure| figure.figure.clone(),
    )
}

fn search(found: &SearchFound) -> Vec<String> {
    let answer = match &found.answer {
        Some(level) => format!("{}: {} = {level}.", crate::text::capital(&found.question), found.factor),
        None => {
            format!(
                "{}: no level of {} fits, as far as was tried.",
                crate::text::capital(&found.question),
                found.factor
            )
        }
    };
    let remark =
        found.remark.as_deref().map(|remark| crate::text::capital(remark.trim_end_matches('.')) + ".");
    [answer].into_iter().chain(remark).collect()
}
