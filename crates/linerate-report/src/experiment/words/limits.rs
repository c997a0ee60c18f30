//! What limits what an experiment found.

use linerate_analysis::experiment::{DriftVerdict, EffectVerdict, FigureFound, Findings};

use super::{change, counted, numbers};

/// What limits the findings, the gravest first; of figures only the goal. Empty if nothing does.
pub(in super::super) fn limits(findings: &Findings) -> Vec<String> {
    let mut limits = Vec::new();
    if findings.done == 0 {
        limits.push("no run has a result yet".to_owned());
    }
    if !findings.failed.is_empty() {
        limits.push(format!("{} failed", counted(findings.failed.len(), "run")));
    }
    let altered = findings.settings.iter().filter(|it| it.restored == Some(false)).count();
    if altered > 0 {
        limits.push(format!("{} NOT RESTORED", counted(altered, "setting")));
    }
    if let Some(planned) = findings.planned.filter(|planned| findings.done < *planned) {
        limits.push(format!("{} of {} have no result", planned - findings.done, counted(planned, "run")));
    }
    if findings.is_exact {
        limits.push(
            "models repeat themselves, so differences have no noise, no interval and no p: how well the model fits is another question"
                .to_owned(),
        );
    }
    limits.extend(findings.figures.first().into_iter().flat_map(of_goal));
    if !findings.cautions.is_empty() {
        limits.push(format!("{} below", counted(findings.cautions.len(), "caution")));
    }
    limits
}

fn of_goal(goal: &FigureFound) -> Vec<String> {
    let mut limits = Vec::new();
    let effects = || goal.effects.iter().chain(&goal.pairs);
    let untested = effects().filter(|effect| effect.verdict == EffectVerdict::Untested).count();
    if untested > 0 {
        let tested = if untested == effects().count() {
            "no effect is tested".to_owned()
        } else {
            format!("{untested} of {} not tested", counted(effects().count(), "effect"))
        };
        limits.push(tested);
    }
    if goal.by_lenth {
        limits.push(
            "nothing was repeated: the noise was taken from the small effects (Lenth's method)".to_owned(),
        );
    }
    if effects().any(|effect| !effect.aliases.is_empty()) {
        limits.push("some effects cannot be separated from others: their cells are the same".to_owned());
    }
    if let Some(drift) = goal.drift.filter(|drift| drift.verdict == DriftVerdict::Matters) {
        limits.push(format!(
            "the base drifted by {} meanwhile, enough to doubt small effects",
            change(drift.change, &goal.figure)
        ));
    }
    if !goal.outliers.is_empty() {
        limits.push(counted(goal.outliers.len(), "outlier"));
    }
    limits
}

/// What the cell that was measured again and again says.
pub(in super::super) fn drift(figure: &FigureFound) -> Option<String> {
    let drift = figure.drift?;
    let p = drift.p.map_or_else(String::new, |p| format!(", {}", numbers::p_is(p)));
    let follows = match drift.verdict {
        DriftVerdict::Matters => "small effects are in doubt",
        DriftVerdict::Small => "too little to matter",
        DriftVerdict::Inconclusive => "inconclusive; add blocks",
    };
    let ends =
        drift.interval.map(|ends| format!(" ({})", numbers::interval(drift.change, ends, &figure.figure)));
    Some(format!(
        "{}{} from the first to the last run of the cell that was repeated{p}: {follows}",
        change(drift.change, &figure.figure),
        ends.unwrap_or_default()
    ))
}

/// The outliers of a figure: the cell and the file of each.
pub(in super::super) fn outliers(figure: &FigureFound) -> Option<String> {
    let each: Vec<String> = figure.outliers.iter().map(|[cell, file]| format!("{cell} ({file})")).collect();
    (!each.is_empty()).then(|| format!("{}; they are counted all the same", each.join("; ")))
}
