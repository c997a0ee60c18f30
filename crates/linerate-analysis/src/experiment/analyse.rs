//! From the runs of an experiment to its findings.

use std::collections::BTreeMap;

use super::ExperimentPlan;
use super::distribution::student_limit;
use super::drift::Drift;
use super::effects::{Effect, Factors, Observation, Untested, best, effects};
use super::findings::{
    BestFound, CellFound, CellValue, DriftFound, DriftVerdict, EffectFound, EffectVerdict, Elsewhere,
    FigureFound,
};
use super::measured::{FigureName, Measured};
use crate::figures::Better;
use crate::inference::{Relevance, holm};

/// Probability of a false alarm among all effects of a figure, and what intervals leave out.
pub(super) const ALPHA: f64 = 0.05;
/// Modelled values that differ by less than this share are called the same: nobody would pay for it.
pub(super) const SAME: f64 = 1e-3;

/// The runs of an experiment, and what is known of them together.
pub(super) struct Runs<'a> {
    pub(super) plan: &'a ExperimentPlan,
    pub(super) runs: &'a [Measured],
    /// For each run the plot that it belongs to.
    plots: Vec<usize>,
    pub(super) cells: Vec<CellFound>,
    pub(super) is_exact: bool,
}

impl<'a> Runs<'a> {
    pub(super) fn new(plan: &'a ExperimentPlan, runs: &'a [Measured], is_exact: bool) -> Self {
        let mut by_cell: BTreeMap<&[usize], Vec<String>> = BTreeMap::new();
        for run in runs {
            by_cell.entry(&run.cell).or_default().push(run.file.clone());
        }
        let cell = |(levels, files): (&[usize], Vec<String>)| CellFound {
            levels: levels.to_vec(),
            name: plan.cell_name(levels),
            files,
        };
        let cells = by_cell.into_iter().map(cell).collect();
        Self { plan, runs, plots: plots(plan, runs), cells, is_exact }
    }

    pub(super) fn figures(&self) -> Vec<FigureFound> {
        let mut figures: Vec<FigureFound> =
            FigureName::all(self.plan, self.runs).into_iter().map(|figure| self.figure(figure)).collect();
        self.correct(&mut figures);
        let others: Vec<(FigureName, Vec<Option<CellValue>>)> =
            figures.iter().map(|found| (found.figure.clone(), found.cells.clone())).collect();
        for (nth, found) in figures.iter_mut().enumerate() {
            if let Some(best) = &mut found.best {
                best.elsewhere = elsewhere(&others, nth, best.cell, self.base());
            }
        }
        figures
    }

    /// The base cell, if it has results.
    pub(super) fn base(&self) -> Option<usize> {
        self.cells.iter().position(|cell| cell.levels.iter().all(|level| *level == 0))
    }

    pub(super) fn observation<'r>(&self, nth: usize, run: &'r Measured, y: f64) -> Observation<'r> {
        Observation { block: run.slot.block as usize, plot: self.plots[nth], cell: &run.cell, y }
    }

    pub(super) fn levels(&self) -> Vec<usize> {
        self.plan.factor.iter().map(|factor| factor.levels.len()).collect()
    }

    pub(super) fn hard(&self) -> Vec<bool> {
        self.plan.factor.iter().map(super::Factor::is_hard).collect()
    }

    fn figure(&self, figure: FigureName) -> FigureFound {
        let scaled = |run: &Measured| run.values.get(&figure.key).and_then(|value| figure.scaled(*value));
        let with: Vec<(usize, &Measured, f64)> =
            self.runs.iter().enumerate().filter_map(|(nth, run)| Some((nth, run, scaled(run)?))).collect();
        let value = |cell: &CellFound| {
            let value = value(&figure, &with, &cell.levels)?;
            Some(CellValue { interval: value.interval.filter(|_| !self.is_exact), ..value })
        };
        let cells = self.cells.iter().map(value).collect();
        let mut found = FigureFound {
            figure,
            cells,
            effects: Vec::new(),
            pairs: Vec::new(),
            best: None,
            drift: None,
            outliers: Vec::new(),
            by_lenth: false,
        };
        self.test(&mut found, &with);
        found
    }

    /// Fills in what the observations say of the factors.
    fn test(&self, found: &mut FigureFound, with: &[(usize, &Measured, f64)]) {
        // A design that finds its own way chose its cells by their results: its steps say what they are worth.
        if self.plan.design.finds_its_way() {
            return;
        }
        let (levels, hard) = (self.levels(), self.hard());
        let factors = Factors { levels: &levels, hard: &hard };
        let observations: Vec<Observation<'_>> =
            with.iter().map(|(nth, run, y)| self.observation(*nth, run, *y)).collect();
        let Ok(result) = effects(&observations, factors, ALPHA) else { return };
        for (nth, factor) in result.factors.iter().enumerate() {
            for (level, effect) in factor.levels.iter().enumerate() {
                let mut shown = self.effect(&found.figure, effect);
                let Some(plan) = self.plan.factor.get(nth) else { continue };
                shown.what = format!("{} = {}", plan.name, plan.levels[level + 1].name);
                shown.factors = vec![nth];
                shown.level = Some(level + 1);
                shown.aliases = self.aliases(&factor.aliases);
                found.effects.push(shown);
            }
        }
        for pair in &result.pairs {
            // Without noise there is no test of more than two levels together, and the cells say it all.
            if self.is_exact && pair.effect.is_none() {
                continue;
            }
            let mut shown = match &pair.effect {
                Some(effect) => self.effect(&found.figure, effect),
                None => joint(&pair.test, pair.adjusted),
            };
            shown.what = self.names(&pair.factors);
            shown.factors = pair.factors.to_vec();
            shown.aliases = self.aliases(&pair.aliases);
            found.pairs.push(shown);
        }
        found.by_lenth = result.by_lenth && !self.is_exact;
        let far = if self.is_exact { Vec::new() } else { result.outliers(ALPHA) };
        let name = |run: &Measured| [self.plan.cell_name(&run.cell), run.file.clone()];
        found.outliers = far.into_iter().map(|index| name(with[index].1)).collect();
        found.best = self.best(&found.figure, &observations, factors);
        found.drift = self.drift(found, with);
    }

    fn effect(&self, figure: &FigureName, effect: &Effect) -> EffectFound {
        let change = effect.estimate.map(|estimate| figure.unscaled(estimate));
        let evidence = effect.evidence.as_ref().ok().filter(|_| !self.is_exact);
        let estimate = effect.estimate.unwrap_or(0.0);
        let exact = self.is_exact && effect.estimate.is_some();
        let relevance = match evidence {
            Some(evidence) => Some(relevance(figure, evidence.interval, evidence.adjusted)),
            None if exact && estimate.abs() > SAME => Some(Relevance::Effect),
            None => exact.then_some(Relevance::Negligible),
        };
        let tested = relevance.is_some();
        EffectFound {
            change,
            interval: evidence.map(|evidence| evidence.interval.map(|end| figure.unscaled(end))),
            p: evidence.map(|evidence| evidence.adjusted),
            verdict: verdict(figure, estimate, relevance),
            untested: effect.evidence.as_ref().err().filter(|_| !tested).map(Untested::to_string),
            ..nothing()
        }
    }

    fn best(&self, figure: &FigureName, all: &[Observation<'_>], factors: Factors<'_>) -> Option<BestFound> {
        if figure.better == Better::Neither {
            return None;
        }
        let found = best(all, factors, figure.better == Better::More).ok()?;
        let place = |levels: &[usize]| self.cells.iter().position(|cell| cell.levels == levels);
        // A modelled cell is as good only if it is equal.
        let equal = |difference: Option<f64>| difference.is_some_and(|difference| difference.abs() <= SAME);
        let as_good: Vec<&[usize]> = if self.is_exact {
            found.others.iter().filter(|other| equal(other.difference)).map(|other| &*other.cell).collect()
        } else {
            found.as_good(ALPHA).map(|other| &*other.cell).collect()
        };
        Some(BestFound {
            cell: place(&found.cell)?,
            as_good: as_good.into_iter().filter_map(place).collect(),
            elsewhere: Vec::new(),
        })
    }

    /// The drift of the base cell, which every block measures.
    fn drift(&self, found: &FigureFound, with: &[(usize, &Measured, f64)]) -> Option<DriftFound> {
        if self.is_exact {
            return None;
        }
        let checked = with.iter().filter(|(_, run, _)| run.cell.iter().all(|level| *level == 0));
        let times: Vec<(f64, f64)> = checked.map(|(_, run, y)| (run.started_s, *y)).collect();
        let drift = Drift::new(&times)?;
        let seen = found.effects.iter().filter(|effect| effect.verdict.is_seen());
        let sizes = seen.filter_map(|effect| found.figure.scaled(effect.change?));
        let smallest = sizes.fold(found.figure.margin(), |least, effect| least.min(effect.abs()));
        let verdict = match drift.relevance(smallest) {
            Relevance::Effect => DriftVerdict::Matters,
            Relevance::SmallEffect | Relevance::Negligible => DriftVerdict::Small,
            Relevance::Inconclusive => DriftVerdict::Inconclusive,
        };
        let unscaled = |value: f64| found.figure.unscaled(value);
        let interval = Some(drift.interval(ALPHA).map(unscaled));
        let interval = interval.filter(|ends| ends.iter().all(|end| end.is_finite()));
        Some(DriftFound { change: unscaled(drift.total()), interval, p: Some(drift.p), verdict })
    }

    fn names(&self, factors: &[usize]) -> String {
        let names: Vec<&str> = factors.iter().map(|factor| &*self.plan.factor[*factor].name).collect();
        names.join(" x ")
    }

    fn aliases(&self, aliases: &[Vec<usize>]) -> Vec<String> {
        aliases.iter().map(|alias| self.names(alias)).collect()
    }

    /// Corrects the probabilities of the figures behind the goal for all of them together, and says what explains what
    /// was seen. The goal is the question that was asked; the others are asked beside it.
    fn correct(&self, figures: &mut [FigureFound]) {
        if let Some((_, others)) = figures.split_first_mut() {
            let mut shown: Vec<(FigureName, &mut EffectFound)> = others
                .iter_mut()
                .flat_map(|found| {
                    let figure = found.figure.clone();
                    found
                        .effects
                        .iter_mut()
                        .chain(&mut found.pairs)
                        .map(move |effect| (figure.clone(), effect))
                })
                .filter(|(_, effect)| effect.p.is_some())
                .collect();
            let p: Vec<f64> = shown.iter().filter_map(|(_, effect)| effect.p).collect();
            let corrected = holm(&p);
            for ((figure, effect), p) in shown.iter_mut().zip(corrected) {
                effect.p = Some(p);
                let scaled = |value: f64| figure.scaled(value);
                let estimate = effect.change.and_then(scaled).unwrap_or(0.0);
                let ends = effect.interval.and_then(|[low, high]| Some([scaled(low)?, scaled(high)?]));
                effect.verdict = match ends {
                    Some(ends) => verdict(figure, estimate, Some(relevance(figure, ends, p))),
                    None => unsized_effect(p),
                };
            }
        }
        for found in figures.iter_mut() {
            for effect in &mut found.effects {
                let seen = effect.verdict.is_seen();
                if let (true, [factor], Some(level)) = (seen, &*effect.factors, effect.level) {
                    effect.explained_by = self.explained(*factor, level);
                }
            }
        }
    }
}

/// For each run its plot: what ran between two changes of the factors that are expensive to change. The order in which
/// runs were made decides, not the one that was planned: levels may have been added later.
fn plots(plan: &ExperimentPlan, runs: &[Measured]) -> Vec<usize> {
    let hard = |run: &Measured| -> Vec<usize> {
        let of = plan.factor.iter().zip(&run.cell).filter(|(factor, _)| factor.is_hard());
        of.map(|(_, level)| *level).collect()
    };
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by(|one, other| runs[*one].started_s.total_cmp(&runs[*other].started_s));
    let mut plots = vec![0; runs.len()];
    for pair in order.windows(2) {
        let (before, run) = (&runs[pair[0]], &runs[pair[1]]);
        let changed = before.slot.block != run.slot.block || hard(before) != hard(run);
        plots[pair[1]] = plots[pair[0]] + usize::from(changed);
    }
    plots
}

fn value(figure: &FigureName, with: &[(usize, &Measured, f64)], levels: &[usize]) -> Option<CellValue> {
    let scaled: Vec<f64> = with.iter().filter(|(_, run, _)| run.cell == levels).map(|(_, _, y)| *y).collect();
    let mean = (!scaled.is_empty()).then(|| scaled.iter().sum::<f64>() / scaled.len() as f64)?;
    let interval = interval(&scaled, mean).map(|ends| ends.map(|end| figure.unscaled(end)));
    let runs = scaled.iter().map(|y| figure.unscaled(*y)).collect();
    Some(CellValue { value: figure.unscaled(mean), interval, runs })
}

/// The 95 % interval of a mean over runs, by Student's t; absent for one run.
fn interval(values: &[f64], mean: f64) -> Option<[f64; 2]> {
    let freedom = values.len().checked_sub(1).filter(|freedom| *freedom > 0)? as f64;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / freedom;
    let reach = student_limit(ALPHA, freedom) * (variance / values.len() as f64).sqrt();
    Some([mean - reach, mean + reach])
}

/// Of an effect with this interval, scaled, and p.
fn relevance(figure: &FigureName, interval: [f64; 2], p: f64) -> Relevance {
    Relevance::of(p <= ALPHA, interval, figure.margin())
}

/// What follows of an effect; it is not tested where nothing says whether it is there.
fn verdict(figure: &FigureName, estimate: f64, relevance: Option<Relevance>) -> EffectVerdict {
    match (relevance, figure.better) {
        (None, _) => EffectVerdict::Untested,
        (Some(Relevance::Negligible), _) => EffectVerdict::Small,
        (Some(Relevance::Inconclusive), _) => EffectVerdict::Inconclusive,
        (_, Better::Neither) => EffectVerdict::Differs,
        (_, Better::More) if estimate > 0.0 => EffectVerdict::Better,
        (_, Better::Less) if estimate < 0.0 => EffectVerdict::Better,
        _ => EffectVerdict::Worse,
    }
}

/// What follows of several effects together, of which no interval says how large they are.
fn unsized_effect(p: f64) -> EffectVerdict {
    if p <= ALPHA { EffectVerdict::Differs } else { EffectVerdict::Inconclusive }
}

/// Factors of more than two levels together: whether they depend on each other, without a number for how much.
fn joint(test: &Result<super::effects::VarianceTest, Untested>, p: Option<f64>) -> EffectFound {
    let verdict = match test {
        Ok(_) => unsized_effect(p.unwrap_or(1.0)),
        Err(_) => EffectVerdict::Untested,
    };
    EffectFound { p, verdict, untested: test.as_ref().err().map(Untested::to_string), ..nothing() }
}

fn nothing() -> EffectFound {
    EffectFound {
        what: String::new(),
        factors: Vec::new(),
        level: None,
        change: None,
        interval: None,
        p: None,
        verdict: EffectVerdict::Untested,
        untested: None,
        aliases: Vec::new(),
        explained_by: Vec::new(),
    }
}

/// What the other figures are in the best cell of one, against the base cell.
fn elsewhere(
    figures: &[(FigureName, Vec<Option<CellValue>>)],
    of: usize,
    best: usize,
    base: Option<usize>,
) -> Vec<Elsewhere> {
    let Some(base) = base.filter(|base| *base != best) else { return Vec::new() };
    let other = |(figure, cells): &(FigureName, Vec<Option<CellValue>>)| {
        let (at_best, at_base) = (cells[best].as_ref()?.value, cells[base].as_ref()?.value);
        let change = if figure.is_ratio { at_best / at_base } else { at_best - at_base };
        let (scaled_best, scaled_base) = (figure.scaled(at_best)?, figure.scaled(at_base)?);
        if (scaled_best - scaled_base).abs() <= SAME * if figure.is_ratio { 1.0 } else { scaled_base.abs() } {
            return None;
        }
        let for_more = scaled_best > scaled_base;
        let worse = match figure.better {
            Better::More => Some(!for_more),
            Better::Less => Some(for_more),
            Better::Neither => None,
        };
        Some(Elsewhere { figure: figure.title.clone(), change, worse })
    };
    figures.iter().enumerate().filter(|(nth, _)| *nth != of).filter_map(|(_, figure)| other(figure)).collect()
}
