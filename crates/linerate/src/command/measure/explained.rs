//! The same measured again with one thing changed.

use std::ops::ControlFlow;

use linerate_analysis::explain::{Change, changes};
use linerate_core::measure::{Ended, Method, Progress, Watch, measure};
use linerate_core::plan::Plan;
use linerate_core::run::Changed;
use linerate_core::series::Series;
use linerate_core::units::Span;

use super::subject::CurveSubject;
use crate::command::conduct::{Stopped, Underway};
use crate::trouble::Trouble;

/// Turns of each change: as asked and changed, one after the other.
const TURNS: u32 = 3;
/// One measurement of a turn lasts at least this long.
const LEAST: Span = Span::from_ms(300);

/// Measures a few sizes again, in turns as asked and with one thing changed, and keeps what came of it. A change that
/// this host cannot make is kept with the reason. The run's hosts stay as the curve saw them.
pub(super) fn settle<S: CurveSubject>(subject: &mut S, underway: &mut Underway<'_>) -> Result<(), Stopped> {
    let changes = changes(&underway.run);
    if changes.is_empty() {
        return Ok(());
    }
    // The server has one conversation at a time.
    subject
        .finish(underway.context)
        .map_err(|trouble| Stopped::Failed { reason: trouble.to_string(), trouble })?;
    let plan = underway.run.plan.clone();
    let parts = u64::from(2 * TURNS) * changes.len() as u64;
    let time = (plan.common.time / parts).max(LEAST);
    for change in &changes {
        underway.line.doing(&format!("the same with {change}, to settle {}", change.bound));
        let Some(result) = (Turns { subject: &*subject, underway, time }).of(change, &plan) else {
            return Ok(());
        };
        underway.run.changed.push(result);
        underway.save();
        if underway.go_on().is_break() {
            return Err(Stopped::Interrupted);
        }
    }
    Ok(())
}

/// What it takes to measure in turns.
struct Turns<'a, 'b, S> {
    subject: &'a S,
    underway: &'a Underway<'b>,
    time: Span,
}

impl<S: CurveSubject> Turns<'_, '_, S> {
    /// All turns of a change. Absent where nothing can be changed.
    fn of(&self, change: &Change, plan: &Plan) -> Option<Changed> {
        let pattern = plan.curve().map(|curve| curve.pattern).unwrap_or_default();
        let empty = || Series::new(pattern, &change.sizes);
        let mut both = [empty(), empty()];
        let plans = [change.usual(plan, self.time), change.changed(plan, self.time)];
        let mut failed = None;
        'turns: for turn in 0..TURNS {
            for (series, plan) in both.iter_mut().zip(&plans) {
                match self.once(plan, turn) {
                    Ok(of_turn) => series.add_pass(turn, of_turn?),
                    Err(reason) => {
                        failed = Some(reason);
                        break 'turns;
                    }
                }
            }
        }
        let [usual, changed] = both;
        Some(Changed { change: change.to_string(), usual, changed, failed })
    }

    /// One measurement over new connections.
    fn once(&self, plan: &Plan, turn: u32) -> Result<Option<Series>, String> {
        let words = |trouble: Trouble| trouble.to_string();
        plan.check().map_err(|error| error.to_string())?;
        let Some(mut subject) = self.subject.another(plan).map_err(words)? else { return Ok(None) };
        let curve = plan.curve().cloned().unwrap_or_default();
        let method = subject.method(&plan.common, &curve).map_err(|error| error.to_string())?;
        let method = Method { seed: method.seed.wrapping_add(turn.into()), ..method };
        let outcome = measure(subject.bench(), &method, &mut Quiet(self.underway));
        match outcome.ended {
            Ended::Complete => {
                subject.finish(self.underway.context).map_err(words).map(|()| Some(outcome.series))
            }
            Ended::Interrupted => Err("interrupted".to_owned()),
            Ended::Failed(error) => Err(error.to_string()),
        }
    }
}

/// Ends a turn when the user asks, and shows nothing.
pub(super) struct Quiet<'a, 'b>(pub(super) &'a Underway<'b>);

impl Watch for Quiet<'_, '_> {
    fn trial_done(&mut self, _progress: &Progress) -> ControlFlow<()> {
        self.0.go_on()
    }

    fn round_done(&mut self, _series: &mut Series) {}
}
