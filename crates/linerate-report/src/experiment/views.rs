//! The columns of the tables of an experiment, for the text and for the page.

use linerate_analysis::experiment::{
    CellValue, Costs, EffectFound, FigureFound, FigureName, Findings, Offer, SearchFound, Stairs, StepFound,
    TriedLevel,
};
use linerate_analysis::figures::Better;

use super::words;
use crate::columns::Column;

/// Heading of intervals.
const INTERVAL: &str = "95 % interval";
/// Values within this factor have the same decimals.
const ALIKE: f64 = 20.0;

/// Effects of one figure: the change, how sure it is, and what follows.
pub(super) fn effects(figure: &FigureName, shown: &[&EffectFound], heading: &str) -> Vec<Column> {
    let cells =
        |of: &dyn Fn(&EffectFound) -> String| shown.iter().map(|effect| of(effect)).collect::<Vec<String>>();
    vec![
        Column::of_words(heading, 0, cells(&|it| it.what.clone())),
        Column::new("change", 0, cells(&|it| words::change_of(figure, it))),
        Column::new(INTERVAL, 1, cells(&|it| words::interval_of(figure, it))),
        Column::new("p", 2, cells(&|it| words::p(it.p))),
        Column::of_words("verdict", 0, cells(&|it| it.verdict.name().to_owned())),
    ]
}

/// The pairs of factors that do something.
pub(super) fn telling(figure: &FigureFound) -> impl Iterator<Item = usize> {
    let says = |nth: &usize| figure.pairs[*nth].verdict.is_seen();
    (0..figure.pairs.len()).filter(says)
}

/// The pairs of factors: of more than `most` those that do something, so many of them.
pub(super) fn pairs(figure: &FigureFound, most: usize) -> Vec<&EffectFound> {
    match figure.pairs.len() > most {
        true => telling(figure).take(most).map(|nth| &figure.pairs[nth]).collect(),
        false => figure.pairs.iter().collect(),
    }
}

/// The cells that have a value, the best first; where neither way is better, in their order.
pub(super) fn by_value(figure: &FigureFound) -> Vec<usize> {
    let value = |cell: &usize| figure.cells[*cell].as_ref().map(|it| it.value);
    let mut known: Vec<usize> = (0..figure.cells.len()).filter(|cell| value(cell).is_some()).collect();
    match figure.figure.better {
        Better::Neither => {}
        Better::Less => known.sort_by(|one, other| total(value(one), value(other))),
        Better::More => known.sort_by(|one, other| total(value(other), value(one))),
    }
    known
}

fn total(one: Option<f64>, other: Option<f64>) -> std::cmp::Ordering {
    one.unwrap_or(f64::NAN).total_cmp(&other.unwrap_or(f64::NAN))
}

/// These cells with the value of a figure.
pub(super) fn cells(findings: &Findings, figure: &FigureFound, shown: &[usize]) -> Vec<Column> {
    let unit = &figure.figure.unit;
    let cells = |of: &dyn Fn(&CellValue) -> String| {
        let one = |cell: &usize| figure.cells[*cell].as_ref().map_or_else(|| "-".to_owned(), of);
        shown.iter().map(one).collect::<Vec<String>>()
    };
    let names = shown.iter().map(|index| words::cell(findings, *index)).collect();
    let common = common(figure, shown);
    let digits = |ends: Option<[f64; 2]>| ends.map(|ends| common.unwrap_or(ends));
    let ends_of = |ends: Option<[f64; 2]>| {
        let text = |ends: [f64; 2]| ends.map(|end| words::value(end, digits(Some(ends)), unit)).join(" to ");
        ends.map_or_else(|| "-".to_owned(), text)
    };
    vec![
        Column::of_words("cell", 0, names),
        Column::new(words::heading(unit), 0, cells(&|it| words::value(it.value, digits(it.interval), unit))),
        Column::new(INTERVAL, 1, cells(&|it| ends_of(it.interval))),
        Column::new("runs", 2, cells(&|it| it.runs.len().to_string())),
    ]
}

/// The narrowest interval of these cells, whose digits all have: where values are alike, so are their digits.
pub(super) fn common(figure: &FigureFound, shown: &[usize]) -> Option<[f64; 2]> {
    let known: Vec<&CellValue> = shown.iter().filter_map(|cell| figure.cells[*cell].as_ref()).collect();
    let sizes = known.iter().map(|it| it.value.abs());
    let [low, high] = sizes.fold([f64::INFINITY, 0.0], |[low, high], it| [low.min(it), high.max(it)]);
    let ends = known.iter().filter_map(|it| it.interval).filter(|ends| ends[1] > ends[0]);
    let narrowest = ends.min_by(|one, other| (one[1] - one[0]).total_cmp(&(other[1] - other[0])));
    narrowest.filter(|_| low > 0.0 && high < low * ALIKE)
}

/// The steps of a staircase.
pub(super) fn steps(findings: &Findings, stairs: &Stairs) -> Vec<Column> {
    let goal = words::goal_of(findings, stairs);
    let cells = |of: &dyn Fn(&StepFound) -> String| stairs.steps.iter().map(of).collect::<Vec<String>>();
    let side = |nth: usize| {
        move |it: &StepFound| {
            it.values.map_or_else(|| "-".to_owned(), |values| words::value(values[nth], None, &stairs.unit))
        }
    };
    let interval = |it: &StepFound| match (it.effect, it.interval) {
        (Some(effect), Some(ends)) => words::interval(effect, ends, &goal),
        _ => "-".to_owned(),
    };
    vec![
        Column::of_words("step", 0, cells(&|it| it.change.clone())),
        Column::new("without", 3, cells(&side(0))),
        Column::new("with", 2, cells(&side(1))),
        Column::new(
            "change",
            0,
            cells(&|it| it.effect.map_or_else(|| "-".to_owned(), |by| words::change(by, &goal))),
        ),
        Column::new("interval", 1, cells(&interval)),
        Column::new("pairs", 5, cells(&|it| it.pairs.to_string())),
        Column::new("looks", 6, cells(&|it| it.looks.to_string())),
        Column::of_words("verdict", 0, cells(&|it| words::step(&it.verdict).to_owned())),
    ]
}

/// The levels that a search tried.
pub(super) fn tried(found: &SearchFound) -> Vec<Column> {
    let cells = |of: &dyn Fn(&TriedLevel) -> String| found.tried.iter().map(of).collect::<Vec<String>>();
    let value = |value: f64| words::value(value, None, &found.unit);
    let extent = |it: &TriedLevel| {
        let [low, high] = it
            .values
            .iter()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], it| [low.min(*it), high.max(*it)]);
        match it.values.len() {
            0 => "-".to_owned(),
            _ if low == high => value(low),
            _ => format!("{} to {}", value(low), value(high)),
        }
    };
    let interval =
        |it: &TriedLevel| it.interval.map_or_else(|| "-".to_owned(), |ends| words::range(ends, &found.unit));
    let verdict = |it: &TriedLevel| match it.passes {
        Some(true) if found.answer.as_ref() == Some(&it.level) => "fits: the answer",
        Some(true) => "fits",
        Some(false) => "does not fit",
        None => "inconclusive",
    };
    vec![
        Column::of_words(found.factor.clone(), 0, cells(&|it| it.level.clone())),
        Column::new(words::heading(&found.unit), 0, cells(&extent)),
        Column::new(INTERVAL, 1, cells(&interval)),
        Column::new("runs", 2, cells(&|it| it.values.len().to_string())),
        Column::of_words("verdict", 0, cells(&|it| verdict(it).to_owned())),
    ]
}

/// What cells cost and give.
pub(super) fn offers(findings: &Findings, costs: &Costs) -> Vec<Column> {
    let cells = |of: &dyn Fn(&Offer) -> String| costs.offers.iter().map(of).collect::<Vec<String>>();
    let [merit, currency] = [&costs.unit, &costs.currency].map(|unit| words::heading(unit));
    let each = format!("{merit}/{currency}");
    vec![
        Column::of_words("cell", 0, cells(&|it| words::cell(findings, it.cell))),
        Column::new(currency, 0, cells(&|it| words::money(it.cost))),
        Column::new(merit, 0, cells(&|it| words::value(it.merit, it.interval, &costs.unit))),
        Column::new(each, 1, cells(&|it| words::number(it.merit_per_cost))),
        Column::of_words("beaten by", 0, cells(&|it| beaten(findings, it))),
    ]
}

/// What gives more for less: the first, and how many others.
pub(super) fn beaten(findings: &Findings, offer: &Offer) -> String {
    let perhaps = if offer.uncertain { "perhaps " } else { "" };
    match &offer.beaten_by[..] {
        [] => "nothing".to_owned(),
        [one] => format!("{perhaps}{}", crate::text::shortened(&words::brief(findings, *one), 20)),
        several => format!("{perhaps}{} others", several.len()),
    }
}
