//! Findings whose names are safe to show: they come from plans, hosts and other programs.

use linerate_analysis::experiment::{
    BestFound, Costs, EffectFound, FigureFound, Findings, Stairs, StepVerdict, Trade, WayFound,
};

use crate::text::plain;

/// `findings` with every text as one line without control characters.
pub(super) fn cleaned(findings: &Findings) -> Findings {
    let mut clean = findings.clone();
    each([&mut clean.name, &mut clean.about, &mut clean.bench]);
    for factor in &mut clean.factors {
        each([&mut factor.name].into_iter().chain(&mut factor.levels));
    }
    for cell in &mut clean.cells {
        each([&mut cell.name].into_iter().chain(&mut cell.files));
    }
    clean.figures.iter_mut().for_each(figure);
    match &mut clean.way {
        Some(WayFound::Staircase(found)) => stairs(found),
        Some(WayFound::Search(found)) => {
            each([&mut found.factor, &mut found.question, &mut found.figure, &mut found.unit]);
            each(found.answer.iter_mut().chain(&mut found.remark));
            each(found.tried.iter_mut().map(|tried| &mut tried.level));
        }
        None => {}
    }
    clean.costs.iter_mut().for_each(costs);
    if let Some(Trade { figures, .. }) = &mut clean.trade {
        each(figures);
    }
    for setting in &mut clean.settings {
        each(
            [&mut setting.host, &mut setting.setting, &mut setting.original]
                .into_iter()
                .chain(&mut setting.values),
        );
    }
    each(clean.failed.iter_mut().flatten().chain(&mut clean.cautions));
    clean
}

fn each<'a>(texts: impl IntoIterator<Item = &'a mut String>) {
    for text in texts {
        *text = plain(text);
    }
}

fn figure(found: &mut FigureFound) {
    each([&mut found.figure.key, &mut found.figure.title, &mut found.figure.unit]);
    found.effects.iter_mut().chain(&mut found.pairs).for_each(effect);
    if let Some(BestFound { elsewhere, .. }) = &mut found.best {
        each(elsewhere.iter_mut().map(|elsewhere| &mut elsewhere.figure));
    }
    each(found.outliers.iter_mut().flatten());
}

fn effect(found: &mut EffectFound) {
    each([&mut found.what].into_iter().chain(&mut found.untested).chain(&mut found.aliases));
    each(found.explained_by.iter_mut().map(|explanation| &mut explanation.counter));
}

fn stairs(found: &mut Stairs) {
    each([&mut found.goal, &mut found.unit]);
    for step in &mut found.steps {
        each([&mut step.change].into_iter().chain(&mut step.on_top_of));
        if let StepVerdict::Failed(why) = &mut step.verdict {
            each([why]);
        }
    }
    each(found.total.iter_mut().map(|total| &mut total.best));
}

fn costs(found: &mut Costs) {
    each([&mut found.currency, &mut found.date, &mut found.source, &mut found.merit, &mut found.unit]);
    for offer in &mut found.offers {
        each(offer.bill.items.iter_mut().map(|(part, _, _)| part));
    }
}
