//! What an experiment found, as sections.

mod tables;

use linerate_analysis::experiment::{EffectFound, FigureFound, Findings, WayFound};
use linerate_analysis::report::Report;

use super::clean::cleaned;
use super::{costs, forest, heat, overlay, search, stairs, trade, views, words};
use crate::figure::Figure;
use crate::section::{self, Cell, Document, Entry, Item, Part, Section, TableView, Warning, entries};

/// Most pairs in a chart; the table has all.
const PAIRS: usize = 24;

/// How effects are read.
const READ: &str = "An effect is what a level does against the base, averaged over the other factors; a pair is what two factors do together beyond what each does. The unit of repetition is the run. Intervals are of 95 % and each for itself; p is corrected for everything that was asked. No difference seen is no proof that there is none.";

/// `findings` in every form: what was found and what limits it, staircase or search, effects, two factors against each
/// other, rate against latency, costs, and every number. `curves` has one run of each cell, named after the cell, for the
/// curves over each other.
pub fn document(findings: &Findings, curves: Option<&Report>) -> Document {
    let findings = &cleaned(findings);
    let cautions: Vec<Warning> = findings.cautions.iter().map(|caution| Warning::new(caution, "")).collect();
    let cautions = (!cautions.is_empty()).then_some(Item::Cautions(cautions));
    let found = Item::Lead(words::sentences(findings).join(" "));
    let about = section::note(&findings.about);
    let limits = words::limits(findings).join("; ");
    let limits = (!limits.is_empty()).then(|| Item::Facts(entries([("limited by", limits)])));
    let overlay = curves.map(overlay::figures).unwrap_or_default();
    let has_effects = findings.figures.iter().any(|figure| !figure.effects.is_empty());
    let numbers =
        section::tables(tables::all(findings)).chain(has_effects.then(|| Item::Note(READ.to_owned())));
    let result = [found].into_iter().chain(limits).chain(about).collect();
    let mut sections = vec![Section::new(Part::Result, "result", "", result)];
    sections.extend(figures(findings));
    sections.extend([
        Section::new(Part::Charts, "curves", "Curves of the cells", section::charts(overlay).collect()),
        Section::new(Part::Doubts, "cautions", "Cautions", cautions.into_iter().collect()),
        Section::new(Part::Doubts, "failed", "Runs that failed", failed(findings)),
        Section::new(Part::Tables, "numbers", "Numbers", numbers.collect()),
        Section::new(Part::Method, "design", "Design", vec![Item::Facts(facts(findings))]),
    ]);
    let more = "`linerate experiment report FOLDER --rows all`";
    Document { full: "the page", more, ..Document::new(findings.name.clone(), sections) }
}

/// Runs that failed: the cell and why.
fn failed(findings: &Findings) -> Vec<Item> {
    let rows = findings.failed.iter().map(|row| row.clone().map(Cell::from).to_vec()).collect();
    section::tables([TableView::of("", &[("cell", 0), ("why", 0)], rows)]).collect()
}

fn facts(findings: &Findings) -> Vec<Entry> {
    let mut facts = vec![("design".to_owned(), words::extent(findings))];
    if let Some(goal) = findings.figures.first() {
        let name = &goal.figure;
        let title = words::titled(&name.title, &name.unit);
        facts.push(("goal".to_owned(), format!("{title}, {}", words::better(name))));
        facts.extend(words::drift(goal).map(|text| ("drift".to_owned(), text)));
        facts.extend(words::outliers(goal).map(|text| ("outliers".to_owned(), text)));
    }
    for factor in &findings.factors {
        let hard = if factor.hard { "; hard to change" } else { "" };
        let levels = factor.levels.iter().enumerate();
        let levels: Vec<String> = levels
            .map(|(nth, level)| if nth == 0 { format!("{level} (base)") } else { level.clone() })
            .collect();
        facts.push((factor.name.clone(), format!("{}{hard}", levels.join(", "))));
    }
    facts.extend(words::naming(findings).map(|text| ("names".to_owned(), text.to_owned())));
    if !findings.bench.is_empty() {
        facts.push(("ran on".to_owned(), findings.bench.clone()));
    }
    facts.push(("seed".to_owned(), findings.seed.to_string()));
    entries(facts)
}

/// The charts, those that answer the question first.
fn figures(findings: &Findings) -> Vec<Section> {
    let way = match &findings.way {
        Some(WayFound::Staircase(found)) => stairs::figure(findings, found),
        Some(WayFound::Search(found)) => search::figure(found),
        None => None,
    };
    let is_search = matches!(findings.way, Some(WayFound::Search(_)));
    let goal = findings.figures.first();
    let effects = goal.into_iter().flat_map(|goal| effects(goal, 0)).collect();
    // A design that finds its own way leaves most combinations out.
    let heat = goal.filter(|_| findings.way.is_none()).and_then(|goal| heat::figure(findings, goal));
    let trade = findings.trade.as_ref().and_then(|found| trade::figure(findings, found));
    let costs = findings.costs.as_ref().and_then(|found| costs::figure(findings, found));
    let others =
        findings.figures.iter().enumerate().skip(1).flat_map(|(nth, figure)| effects_of(figure, nth));
    let section = |id, title, figures: Vec<Figure>| {
        Section::new(Part::Charts, id, title, section::charts(figures).collect())
    };
    vec![
        section("way", if is_search { "The search" } else { "Step by step" }, way.into_iter().collect()),
        section("effects", "Effects", effects),
        section("factors", "Two factors", heat.into_iter().collect()),
        section("trades", "Rate against latency", trade.into_iter().collect()),
        section("price", "Price and performance", costs.into_iter().collect()),
        section("others", "Effects on other figures", others.collect()),
    ]
}

/// The effects of a figure, and its pairs.
fn effects(figure: &FigureFound, nth: usize) -> Vec<Figure> {
    let pairs = forest::figure(figure, &views::pairs(figure, PAIRS), &format!("pairs-{nth}"));
    effects_of(figure, nth).into_iter().chain(pairs).collect()
}

fn effects_of(figure: &FigureFound, nth: usize) -> Option<Figure> {
    let effects: Vec<&EffectFound> = figure.effects.iter().collect();
    forest::figure(figure, &effects, &format!("effects-{nth}"))
}
