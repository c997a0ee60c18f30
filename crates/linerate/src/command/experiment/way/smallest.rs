//! The smallest level that keeps a share of the goal at the largest.

use linerate_analysis::experiment::search::{Enough, SmallestEnough};
use linerate_analysis::experiment::{ExperimentPlan, FigureName, SearchFound, Slot, TriedLevel, WayFound};
use linerate_analysis::figures::Better;

use super::Source;
use crate::command::experiment::conductor::Stop;
use crate::trouble::Trouble;

/// What the interval of each level leaves out.
const ALPHA: f64 = 0.05;

pub(super) fn walk(
    plan: &ExperimentPlan,
    keep: f64,
    repeats: u32,
    source: &mut impl Source,
) -> Result<WayFound, Stop> {
    let factor = &plan.factor[0];
    let enough = Enough { share: keep, repeats: repeats as usize, alpha: ALPHA };
    let mut machine = SmallestEnough::new(factor.levels.len(), enough).map_err(|error| refused(&error))?;
    let mut tried: Vec<Vec<f64>> = vec![Vec::new(); factor.levels.len()];
    let mut goal: Option<FigureName> = None;
    let mut broken = None;
    while let Some(level) = machine.next() {
        let slot = Slot { block: u32::try_from(tried[level].len()).unwrap_or(u32::MAX), ..Slot::default() };
        let doing = format!("{} {}", factor.name, factor.levels[level].name);
        let Some(run) = source.run(&[level], slot, &doing)? else {
            broken = source.failure().map(|reason| (level, reason));
            break;
        };
        if goal.is_none() {
            goal = super::goal(plan, &run);
        }
        let value = goal.as_ref().and_then(|goal| run.values.get(&goal.key).copied());
        let value = value.ok_or_else(|| no_goal(plan))?;
        tried[level].push(value);
        // Of what is better when it is less, the reverse is what is kept.
        let less = goal.as_ref().is_some_and(|goal| goal.better == Better::Less);
        machine.told(if less { 1.0 / value } else { value }).map_err(|error| refused(&error))?;
    }
    let name = |level: usize| factor.levels[level].name.clone();
    let found = machine.found();
    let remark = match (&found, &broken) {
        (_, Some((level, reason))) => Some(format!("{} could not be measured: {reason}", name(*level))),
        (None, None) => None,
        (Some(found), None) => {
            let names =
                |levels: &[usize]| levels.iter().map(|level| name(*level)).collect::<Vec<_>>().join(", ");
            let mut remarks = Vec::new();
            if let Some([loses, keeps]) = found.not_monotone {
                remarks.push(format!(
                    "{} loses more although {} keeps it: larger is not always better",
                    name(loses),
                    name(keeps)
                ));
            }
            if !found.above_peak.is_empty() {
                remarks.push(format!("{} gives more than the largest", names(&found.above_peak)));
            }
            if !found.cannot_tell.is_empty() {
                remarks
                    .push(format!("it cannot be told of {}; give more repeats", names(&found.cannot_tell)));
            }
            (!remarks.is_empty()).then(|| remarks.join("; "))
        }
    };
    let (answer, goal) = (found.map(|found| name(found.level)), goal);
    let shown = tried.iter().enumerate().filter(|(_, values)| !values.is_empty());
    let shown = shown.map(|(level, values)| TriedLevel {
        level: name(level),
        values: values.clone(),
        interval: machine.interval(level).map(|ends| ends.map(f64::exp)),
        passes: machine.keeps(level),
    });
    Ok(WayFound::Search(SearchFound {
        factor: factor.name.clone(),
        question: format!(
            "the smallest {} that keeps {} % of the goal at the largest",
            factor.name,
            keep * 100.0
        ),
        answer,
        remark,
        tried: shown.collect(),
        figure: goal.as_ref().map_or_else(String::new, |goal| goal.title.clone()),
        unit: goal.map_or_else(String::new, |goal| goal.unit),
    }))
}

fn refused(error: &impl std::fmt::Display) -> Stop {
    Stop::Trouble(Trouble::new(
        format!("failed to plan the search: {error}"),
        "change the levels or [design]",
    ))
}

fn no_goal(plan: &ExperimentPlan) -> Stop {
    let goal = plan.goal.as_deref().unwrap_or("none");
    Stop::Trouble(Trouble::new(
        format!("failed to search: the runs do not have the goal ({goal})"),
        "name one of the run's figures as goal, such as one-way/peak or stream/rate-send",
    ))
}
