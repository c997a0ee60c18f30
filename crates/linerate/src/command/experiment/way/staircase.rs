//! A staircase: each change tried on top of the best so far.

use linerate_analysis::experiment::sequential::Spending;
use linerate_analysis::experiment::staircase::{Pair, Question, Staircase, Step, Total, Verdict};
use linerate_analysis::experiment::{
    ExperimentPlan, FigureName, Measured, Slot, Stairs, StepFound, StepVerdict, TotalFound, WayFound,
};

use linerate_analysis::inference::Relevance;

use super::Source;
use crate::command::experiment::conductor::Stop;
use crate::trouble::Trouble;

/// False alarms over all changes and looks together.
const ALPHA: f64 = 0.05;
/// Pairs of base and best in the end, at least: fewer leave a wide interval.
const FEWEST_FRESH: usize = 5;

/// Pairs of base and best in the end: as many as a change can get, so that the total is as sure as its steps.
pub(super) fn fresh_pairs([pairs, looks]: [u32; 2]) -> usize {
    ((pairs * looks) as usize).max(FEWEST_FRESH)
}

/// A change: a factor and one of its levels.
type Change = (usize, usize);

/// Tries every change, as far as the source has runs.
pub(super) fn walk(
    plan: &ExperimentPlan,
    size: [u32; 2],
    source: &mut impl Source,
) -> Result<WayFound, Stop> {
    let changes: Vec<Change> = plan
        .factor
        .iter()
        .enumerate()
        .flat_map(|(factor, of)| (1..of.levels.len()).map(move |level| (factor, level)))
        .collect();
    let question = Question {
        candidates: changes.len(),
        looks: size[1] as usize,
        pairs: size[0] as usize,
        fresh_pairs: fresh_pairs(size),
        alpha: ALPHA,
        spending: Spending::ObrienFleming,
    };
    let machine = Staircase::new(question).map_err(|error| refused(&error))?;
    let mut walk =
        Walk { plan, changes, machine, slot: 0, goal: None, now: Values::default(), told: Vec::new() };
    while let Some(pair) = walk.machine.next() {
        if !walk.pair(&pair, source)? {
            break;
        }
    }
    Ok(WayFound::Staircase(walk.found()))
}

fn refused(error: &impl std::fmt::Display) -> Stop {
    Stop::Trouble(Trouble::new(
        format!("failed to plan the staircase: {error}"),
        "change pairs or looks under [design]",
    ))
}

struct Walk<'a> {
    plan: &'a ExperimentPlan,
    changes: Vec<Change>,
    machine: Staircase,
    /// Runs that were asked for so far.
    slot: u32,
    goal: Option<FigureName>,
    /// The values of the step under way.
    now: Values,
    /// Those of each step that ended, and of the last comparison.
    told: Vec<Values>,
}

/// The scaled values of the pairs of a step: without and with its change.
#[derive(Clone, Debug, Default)]
struct Values([Vec<f64>; 2]);

impl Values {
    fn means(&self, figure: &FigureName) -> Option<[f64; 2]> {
        let mean = |values: &[f64]| {
            (!values.is_empty()).then(|| figure.unscaled(values.iter().sum::<f64>() / values.len() as f64))
        };
        Some([mean(&self.0[0])?, mean(&self.0[1])?])
    }
}

/// What became of a change that was neither kept nor worse.
fn unseen(goal: &FigureName, step: &Step) -> StepVerdict {
    let relevance = step.interval.map(|ends| Relevance::of(false, ends, goal.margin()));
    if relevance == Some(Relevance::Negligible) { StepVerdict::Small } else { StepVerdict::Inconclusive }
}

impl Walk<'_> {
    /// The cell with these changes; of two levels of a factor the later one counts.
    fn cell(&self, setting: &[usize]) -> Vec<usize> {
        let mut cell = vec![0; self.plan.factor.len()];
        for change in setting {
            let (factor, level) = self.changes[*change];
            cell[factor] = level;
        }
        cell
    }

    fn name(&self, change: usize) -> String {
        let (factor, level) = self.changes[change];
        let factor = &self.plan.factor[factor];
        format!("{} = {}", factor.name, factor.levels[level].name)
    }

    /// Measures a pair and tells the machine. Whether the source had it.
    fn pair(&mut self, pair: &Pair, source: &mut impl Source) -> Result<bool, Stop> {
        let doing = match pair.candidate {
            Some(change) => format!("step {} of {}, {}", change + 1, self.changes.len(), self.name(change)),
            None => "the best against the base".to_owned(),
        };
        let mut merits = [0.0; 2];
        let mut scaled = [0.0; 2];
        let before = self.machine.steps().len();
        for (nth, setting) in pair.settings.iter().enumerate() {
            let slot = Slot { block: self.slot, ..Slot::default() };
            self.slot += 1;
            let run = source.run(&self.cell(setting), slot, &doing)?;
            let Some(values) = run.and_then(|run| self.values(&run)) else {
                let Some(reason) = source.failure() else { return Ok(false) };
                // The other run of the pair has its number too, whether it was made or not.
                self.slot += u32::from(nth == 0);
                self.machine.failed(&reason).map_err(|error| refused(&error))?;
                self.ended(before);
                return Ok(true);
            };
            (merits[nth], scaled[nth]) = values;
        }
        self.machine.told(merits).map_err(|error| refused(&error))?;
        let with_first = pair.settings[0].len() > pair.settings[1].len();
        if with_first {
            scaled.reverse();
        }
        self.now.0[0].push(scaled[0]);
        self.now.0[1].push(scaled[1]);
        self.ended(before);
        Ok(true)
    }

    /// The merit and the scaled value of a run.
    fn values(&mut self, run: &Measured) -> Option<(f64, f64)> {
        if self.goal.is_none() {
            self.goal = super::goal(self.plan, run);
        }
        let goal = self.goal.as_ref()?;
        let value = *run.values.get(&goal.key)?;
        Some((goal.merit(value)?, goal.scaled(value)?))
    }

    /// Puts the values of a step away when it has ended.
    fn ended(&mut self, before: usize) {
        if self.machine.steps().len() > before || self.machine.total().is_some() {
            self.told.push(std::mem::take(&mut self.now));
        }
    }

    fn found(self) -> Stairs {
        let none = FigureName {
            key: String::new(),
            title: self.plan.goal.clone().unwrap_or_default(),
            unit: String::new(),
            better: linerate_analysis::figures::Better::More,
            is_ratio: true,
        };
        let goal = self.goal.clone().unwrap_or(none);
        let mut kept: Vec<usize> = Vec::new();
        let mut steps: Vec<StepFound> = Vec::new();
        for (step, values) in self.machine.steps().iter().zip(&self.told) {
            steps.push(self.step(&goal, step, values, &kept));
            if step.verdict == Verdict::Kept {
                kept.push(step.candidate);
            }
        }
        if let Some(pair) = self.machine.next()
            && let Some(change) = pair.candidate
            && !self.now.0[0].is_empty()
        {
            steps.push(self.under_way(&goal, change, &kept));
        }
        let base = self.told.iter().chain([&self.now]).find_map(|values| values.means(&goal));
        Stairs {
            base: base.map(|[base, _]| base),
            total: self.total(&goal, &kept),
            complete: self.machine.next().is_none(),
            goal: goal.title,
            unit: goal.unit,
            steps,
        }
    }

    /// An estimate of merits as a change of the figure.
    fn change(goal: &FigureName, merit: f64) -> f64 {
        let less = goal.better == linerate_analysis::figures::Better::Less;
        goal.unscaled(if less { -merit } else { merit })
    }

    /// An interval of merits as one of changes. Models that repeat themselves leave nothing open, and have none.
    fn interval(goal: &FigureName, merits: [f64; 2]) -> Option<[f64; 2]> {
        let [one, other] = merits.map(|merit| Self::change(goal, merit));
        (merits[0] < merits[1]).then(|| [one.min(other), one.max(other)])
    }

    fn step(&self, goal: &FigureName, step: &Step, values: &Values, kept: &[usize]) -> StepFound {
        StepFound {
            change: self.name(step.candidate),
            on_top_of: kept.iter().map(|change| self.name(*change)).collect(),
            values: values.means(goal),
            effect: step.estimate.map(|merit| Self::change(goal, merit)),
            interval: step.interval.and_then(|merits| Self::interval(goal, merits)),
            pairs: u32::try_from(step.pairs).unwrap_or(u32::MAX),
            looks: u32::try_from(step.looks).unwrap_or(u32::MAX),
            verdict: match &step.verdict {
                Verdict::Kept => StepVerdict::Kept,
                Verdict::Worse => StepVerdict::Worse,
                Verdict::NoDifference => unseen(goal, step),
                Verdict::NotMeasured { reason } => StepVerdict::Failed(reason.clone()),
            },
        }
    }

    fn under_way(&self, goal: &FigureName, change: usize, kept: &[usize]) -> StepFound {
        StepFound {
            change: self.name(change),
            on_top_of: kept.iter().map(|change| self.name(*change)).collect(),
            values: self.now.means(goal),
            effect: None,
            interval: None,
            pairs: u32::try_from(self.now.0[0].len()).unwrap_or(u32::MAX),
            looks: 0,
            verdict: StepVerdict::UnderWay,
        }
    }

    fn total(&self, goal: &FigureName, kept: &[usize]) -> Option<TotalFound> {
        let Some(Total::Measured { estimate, interval, pairs }) = self.machine.total() else { return None };
        Some(TotalFound {
            best: self.plan.cell_name(&self.cell(kept)),
            values: self.told.last()?.means(goal)?,
            effect: Self::change(goal, *estimate),
            interval: Self::interval(goal, *interval),
            pairs: u32::try_from(*pairs).unwrap_or(u32::MAX),
        })
    }
}
