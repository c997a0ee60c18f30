//! The highest level at which no more than a share is lost.

use linerate_analysis::experiment::search::{HighestPass, Passing, Places};
use linerate_analysis::experiment::{ExperimentPlan, Measured, SearchFound, Slot, TriedLevel, WayFound};

use super::Source;
use crate::command::experiment::conductor::Stop;
use crate::trouble::Trouble;

/// Levels above the answer that are tried, to see whether one passes there.
pub(super) const PROBES: usize = 1;

pub(super) fn walk(
    plan: &ExperimentPlan,
    loss: f64,
    repeats: u32,
    source: &mut impl Source,
) -> Result<WayFound, Stop> {
    let factor = &plan.factor[0];
    let places = Places::Levels((0..factor.levels.len()).map(|level| level as f64).collect());
    let passing = Passing { limit: loss, repeats: repeats as usize, probes: PROBES };
    let mut machine = HighestPass::new(places, passing).map_err(|error| refused(&error))?;
    let mut tried: Vec<Vec<f64>> = vec![Vec::new(); factor.levels.len()];
    let mut broken = None;
    while let Some(place) = machine.next() {
        let level = place as usize;
        let slot = Slot { block: u32::try_from(tried[level].len()).unwrap_or(u32::MAX), ..Slot::default() };
        let doing = format!("is {} {} without loss", factor.name, factor.levels[level].name);
        let Some(run) = source.run(&[level], slot, &doing)? else {
            broken = source.failure().map(|reason| (level, reason));
            break;
        };
        let lost = lost(&run).ok_or_else(|| no_loss(&run))?;
        tried[level].push(lost);
        machine.told(lost).map_err(|error| refused(&error))?;
    }
    let passes = |values: &[f64]| {
        let all = values.iter().all(|lost| *lost <= loss);
        (!all || values.len() >= repeats as usize).then_some(all)
    };
    let shown = tried.iter().zip(&factor.levels).filter(|(values, _)| !values.is_empty());
    let shown = shown.map(|(values, level)| TriedLevel {
        level: level.name.clone(),
        values: values.clone(),
        interval: None,
        passes: passes(values),
    });
    let name = |place: f64| factor.levels[place as usize].name.clone();
    let found = machine.found();
    let remark = match (&found, &broken) {
        (_, Some((level, reason))) => {
            Some(format!("{} could not be measured: {reason}", factor.levels[*level].name))
        }
        (None, None) => None,
        (Some(found), None) => Some(match (found.value, found.fails, found.not_monotone) {
            (_, _, Some([fails, passes])) => format!(
                "{} loses more and {} above it does not: loss does not depend on the level alone, so measure again",
                name(fails),
                name(passes)
            ),
            (None, _, None) => "even the lowest level loses more".to_owned(),
            (Some(_), None, None) => "the highest level passes: the limit lies beyond".to_owned(),
            (Some(_), Some(fails), None) => format!("{} loses more", name(fails)),
        }),
    };
    Ok(WayFound::Search(SearchFound {
        factor: factor.name.clone(),
        question: format!("the highest {} that loses at most {} %", factor.name, loss * 100.0),
        answer: found.and_then(|found| found.value).map(name),
        remark,
        tried: shown.collect(),
        figure: "loss".to_owned(),
        unit: "share".to_owned(),
    }))
}

/// What the run lost, in either direction.
fn lost(run: &Measured) -> Option<f64> {
    let losses = run.values.iter().filter(|(key, _)| key.contains("/loss-")).map(|(_, value)| *value);
    losses.reduce(f64::max)
}

fn refused(error: &impl std::fmt::Display) -> Stop {
    Stop::Trouble(Trouble::new(
        format!("failed to plan the search: {error}"),
        "change the levels or [design]",
    ))
}

fn no_loss(run: &Measured) -> Stop {
    let known: Vec<&str> = run.values.keys().map(String::as_str).collect();
    Stop::Trouble(Trouble::new(
        format!("failed to search by loss: the run does not say what was lost; it has {}", known.join(", ")),
        "give the task a stream over datagrams: task.transport = \"udp\" and [task.stream]",
    ))
}
