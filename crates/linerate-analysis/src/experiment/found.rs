//! From an experiment's plan and its runs to everything that is shown.

use std::collections::BTreeMap;

use super::analyse::Runs;
use super::costs::{Costs, Offer};
use super::findings::{DriftVerdict, FactorShown, FigureFound, Findings, SettingShown, Trade};
use super::front::{Choice, Standing, standings};
use super::measured::Measured;
use super::prices::Count;
use super::way::WayFound;
use super::{ExperimentPlan, Prices};
use crate::figures::Better;
use linerate_core::caution::Caution;

/// What is asked of the runs of an experiment.
#[derive(Debug)]
pub struct Question<'a> {
    /// Its name.
    pub name: &'a str,
    /// As it was planned.
    pub plan: &'a ExperimentPlan,
    /// The runs with a result.
    pub runs: &'a [Measured],
    /// The runs without: the cell and why.
    pub failed: Vec<[String; 2]>,
    /// How many runs the design asks for, if that is known beforehand.
    pub planned: Option<usize>,
    /// What is doubtful already.
    pub cautions: Vec<String>,
    /// What a design found that finds its own way.
    pub way: Option<WayFound>,
    /// What was set on hosts.
    pub settings: Vec<SettingShown>,
}

impl Findings {
    /// Everything that the runs say.
    #[must_use]
    pub fn of(question: Question<'_>) -> Self {
        let Question { name, plan, runs, failed, planned, cautions, way, settings } = question;
        let is_exact = plan.is_modelled() && repeats_itself(runs);
        let all = Runs::new(plan, runs, is_exact);
        let figures = all.figures();
        let costs = plan.prices.as_ref().and_then(|prices| costs(prices, &all, figures.first()?));
        let doubtful = doubtful(runs);
        let mut findings = Self {
            name: name.to_owned(),
            about: plan.about.clone(),
            design: plan.design.name(),
            bench: bench(plan),
            blocks: if plan.design.finds_its_way() { 1 } else { plan.blocks() },
            seed: plan.seed,
            is_exact,
            factors: plan.factor.iter().map(shown).collect(),
            trade: trade(&figures),
            cells: all.cells,
            figures,
            way,
            costs,
            settings,
            failed,
            cautions,
            planned,
            done: runs.len(),
        };
        findings.cautions.extend(doubtful);
        findings.doubt();
        findings
    }

    /// Adds what is doubtful in the numbers themselves.
    fn doubt(&mut self) {
        let mut cautions = Vec::new();
        for found in &self.figures {
            let title = &found.figure.title;
            if let Some(drift) = found.drift.filter(|drift| drift.verdict == DriftVerdict::Matters) {
                let change = if found.figure.is_ratio {
                    format!("x{:.3}", drift.change)
                } else {
                    format!("{:+.3}", drift.change)
                };
                cautions.push(format!(
                    "{title} of the base changed by {change} during the experiment; small effects may be that drift, so add blocks"
                ));
            }
        }
        if let Some(goal) = self.figures.first() {
            for [cell, file] in &goal.outliers {
                cautions.push(format!(
                    "one run of {cell} is far from the others ({file}); it widens every interval, so look at it and measure it again"
                ));
            }
            if goal.by_lenth {
                cautions.push(
                    "nothing was repeated: the noise is taken from the small effects (Lenth), which holds only if few factors matter"
                        .to_owned(),
                );
            }
        }
        self.cautions.extend(cautions);
    }
}

/// What was doubtful in the runs themselves: how many of them say so, and what the first of them says.
fn doubtful(runs: &[Measured]) -> Vec<String> {
    let mut kinds: Vec<(std::mem::Discriminant<Caution>, &Caution, usize)> = Vec::new();
    for run in runs {
        let mut of_run = Vec::new();
        for caution in &run.cautions {
            let kind = std::mem::discriminant(caution);
            // Said of both ends, it is still one run.
            if of_run.contains(&kind) {
                continue;
            }
            of_run.push(kind);
            match kinds.iter_mut().find(|(known, _, _)| *known == kind) {
                Some((_, _, count)) => *count += 1,
                None => kinds.push((kind, caution, 1)),
            }
        }
    }
    let sentence = |(_, caution, count): (_, &Caution, usize)| {
        format!("{count} of {} runs: {}; {}", runs.len(), caution.finding(), caution.advice())
    };
    kinds.into_iter().map(sentence).collect()
}

/// Whether runs of equal cells give equal numbers: models without random numbers do.
fn repeats_itself(runs: &[Measured]) -> bool {
    let mut first: BTreeMap<&[usize], &BTreeMap<String, f64>> = BTreeMap::new();
    runs.iter().all(|run| *first.entry(&run.cell).or_insert(&run.values) == &run.values)
}

fn shown(factor: &super::Factor) -> FactorShown {
    FactorShown {
        name: factor.name.clone(),
        levels: factor.levels.iter().map(|level| level.name.clone()).collect(),
        hard: factor.is_hard(),
    }
}

/// What it ran on, in a few words.
fn bench(plan: &ExperimentPlan) -> String {
    let varies = |key: &str| plan.factor.iter().any(|factor| factor.sets(key));
    match (&plan.bench.host, &plan.bench.lab, &plan.bench.model) {
        (Some(host), _, _) => format!("between this host and {host}"),
        (_, Some(lab), _) => format!("in the laboratory {lab}"),
        (_, _, Some(model)) => format!("on the model {model}"),
        _ if varies("model") || plan.is_modelled() => "on models".to_owned(),
        _ if varies("lab") => "in laboratories".to_owned(),
        _ if plan.command.is_some() => "by a program of this host".to_owned(),
        _ => "on this host's loopback".to_owned(),
    }
}

/// The cells that nothing beats in rate and latency together, of the first figures of either kind.
fn trade(figures: &[FigureFound]) -> Option<Trade> {
    let rate = figures.iter().find(|found| found.figure.better == Better::More)?;
    let is_time = |found: &&FigureFound| found.figure.better == Better::Less && found.figure.unit == "us";
    let time = figures.iter().find(is_time)?;
    let both: Vec<(usize, Choice)> = rate
        .cells
        .iter()
        .zip(&time.cells)
        .enumerate()
        .filter_map(|(cell, (rate, time))| {
            let (rate, time) = (rate.as_ref()?, time.as_ref()?);
            Some((cell, Choice { merit: rate.value, cost: time.value, interval: None }))
        })
        .collect();
    let choices: Vec<Choice> = both.iter().map(|(_, choice)| *choice).collect();
    let mut front: Vec<(usize, Choice)> = both
        .into_iter()
        .zip(standings(&choices))
        .filter_map(|(one, standing)| matches!(standing, Standing::OnFront).then_some(one))
        .collect();
    front.sort_by(|(_, one), (_, other)| other.merit.total_cmp(&one.merit));
    let cells: Vec<usize> = front.into_iter().map(|(cell, _)| cell).collect();
    let figures = [rate.figure.title.clone(), time.figure.title.clone()];
    (cells.len() > 1).then_some(Trade { figures, cells })
}

/// What the cells cost, and which of them nothing beats.
fn costs(prices: &Prices, runs: &Runs<'_>, goal: &FigureFound) -> Option<Costs> {
    if goal.figure.better == Better::Neither {
        return None;
    }
    let mut offers = Vec::new();
    for (cell, value) in goal.cells.iter().enumerate() {
        let Some(value) = value else { continue };
        let mut parts: BTreeMap<String, Count> = BTreeMap::new();
        let mut hosts = None;
        for (factor, level) in runs.plan.factor.iter().zip(&runs.cells[cell].levels) {
            let level = &factor.levels[*level];
            parts.extend(level.parts.clone());
            hosts = level.hosts.or(hosts);
        }
        // The plan was checked: every part has a price.
        let Ok(bill) = prices.bill(&parts, hosts) else { continue };
        // Of what is better when it is less, the reverse is the merit.
        let merit = |value: f64| if goal.figure.better == Better::Less { 1.0 / value } else { value };
        let interval = value.interval.map(|ends| ends.map(merit));
        let interval = interval.map(|[one, other]| [one.min(other), one.max(other)]);
        let (merit, cost) = (merit(value.value), bill.total());
        let merit_per_cost = if cost > 0.0 { merit / cost } else { f64::INFINITY };
        offers.push(Offer {
            cell,
            bill,
            cost,
            merit,
            interval,
            merit_per_cost,
            beaten_by: Vec::new(),
            uncertain: false,
        });
    }
    offers.sort_by(|one, other| one.cost.total_cmp(&other.cost).then(other.merit.total_cmp(&one.merit)));
    let choices: Vec<Choice> = offers
        .iter()
        .map(|offer| Choice { merit: offer.merit, cost: offer.cost, interval: offer.interval })
        .collect();
    let places = standings(&choices);
    let cells: Vec<usize> = offers.iter().map(|offer| offer.cell).collect();
    for (offer, standing) in offers.iter_mut().zip(places) {
        let (by, uncertain) = match standing {
            Standing::OnFront => continue,
            Standing::Beaten(by) => (by, false),
            Standing::PerhapsBeaten(by) => (by, true),
        };
        offer.beaten_by = by.into_iter().map(|place| cells[place]).collect();
        offer.uncertain = uncertain;
    }
    let unit = if goal.figure.better == Better::Less {
        format!("1/{}", goal.figure.unit)
    } else {
        goal.figure.unit.clone()
    };
    (!offers.is_empty()).then(|| Costs {
        currency: prices.currency.clone(),
        date: prices.date.clone(),
        source: prices.source.clone(),
        merit: goal.figure.title.clone(),
        unit,
        offers,
    })
}

#[cfg(test)]
mod tests;
