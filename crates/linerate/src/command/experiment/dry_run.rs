//! `linerate experiment PLAN --dry-run`: the cells, their order and the time.

use std::fmt::Write as _;

use linerate_analysis::experiment::ExperimentPlan;
use linerate_core::units::Span;

use super::fixed::{self, Asked};
use super::given::Given;
use super::way;
use crate::trouble::Trouble;

/// Runs whose order is shown; a design may have thousands.
const SHOWN: usize = 40;

pub(super) fn text(given: &Given) -> Result<String, Trouble> {
    let plan = &given.plan;
    let schedule = fixed::schedule(plan)?;
    let prepared = fixed::prepare(plan, &schedule)?;
    let mut out = format!("{}: {}\n", given.name, plan.about);
    writeln!(out, "design {}, seed {}\n", plan.design.name(), plan.seed).expect("text grows");
    factors(&mut out, plan);
    if plan.design.finds_its_way() {
        let most = way::most(plan);
        let time = way::prepare(plan)?;
        writeln!(out, "\nat most {most} runs; which ones depends on the results\n{}", duration(time, most))
            .expect("text grows");
        return Ok(out);
    }
    let runs = schedule.len();
    let checks = schedule.iter().filter(|asked| asked.slot.check.is_some()).count();
    writeln!(out, "\n{} cells, {} blocks, {runs} runs{}", prepared.len(), plan.blocks(), checked(checks))
        .expect("text grows");
    let times: Option<Vec<u64>> = prepared.iter().map(|cell| Some(cell.asked_time()?.as_ps())).collect();
    let mean = times.map(|times| times.iter().sum::<u64>() / times.len().max(1) as u64);
    writeln!(out, "{}\n", duration(mean.map(Span::from_ps), runs)).expect("text grows");
    order(&mut out, plan, &schedule);
    Ok(out)
}

fn checked(checks: usize) -> String {
    if checks == 0 { String::new() } else { format!(", {checks} of them of the base again, to show a drift") }
}

fn factors(out: &mut String, plan: &ExperimentPlan) {
    for factor in &plan.factor {
        let levels: Vec<&str> = factor.levels.iter().map(|level| &*level.name).collect();
        let how = match (&factor.manual, factor.hard) {
            (Some(_), _) => " (set by a person)",
            (None, true) => " (expensive to change)",
            (None, false) => "",
        };
        writeln!(out, "  {}{how}: {}", factor.name, levels.join(", ")).expect("text grows");
    }
}

/// How long so many runs of this length take.
fn duration(each: Option<Span>, runs: usize) -> String {
    match each {
        Some(each) => {
            let all = each.as_seconds() * runs as f64;
            format!("about {}, of {} each and what connecting takes", people(all), each.exact())
        }
        None => "how long models and commands take is known after the first".to_owned(),
    }
}

/// A time as people say it.
fn people(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7_200.0 => format!("{:.0} minutes", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} hours", s / 3_600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

fn order(out: &mut String, plan: &ExperimentPlan, schedule: &[Asked]) {
    for (nth, asked) in schedule.iter().take(SHOWN).enumerate() {
        let check = if asked.slot.check.is_some() { " (again, for drift)" } else { "" };
        let block = asked.slot.block + 1;
        writeln!(out, "{:>4}  block {block}  {}{check}", nth + 1, plan.cell_name(&asked.cell))
            .expect("text grows");
    }
    if schedule.len() > SHOWN {
        writeln!(out, "      and {} more", schedule.len() - SHOWN).expect("text grows");
    }
}
