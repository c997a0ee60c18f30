//! A part of a run measured again with one thing changed.

use std::ops::ControlFlow;

use linerate_analysis::explain::{Change, changes};
use linerate_core::carrier::{CarriedLoad, Carrier, LoadWatch, Look};
use linerate_core::measure::{Ended, Method, Progress, Watch, measure};
use linerate_core::plan::Plan;
use linerate_core::run::{Changed, Turns};
use linerate_core::series::Series;
use linerate_core::traffic::Transfer;
use linerate_core::units::Span;

use super::conduct::{Stopped, Subject, Underway};
use super::loads::LoadSubject;
use super::measure::CurveSubject;
use crate::trouble::Trouble;

/// Turns of each change: as asked and changed, one after the other.
const TURNS: u32 = 3;
/// One measurement of a turn lasts at least this long.
const LEAST: Span = Span::from_ms(300);

/// If the plan asks for it, measures a part of the run again, in turns as asked and with one thing changed, and keeps what came of
/// it: `once` measures as a plan says, in a turn of this number. A change that this host cannot make is kept with the reason. The
/// run's hosts stay as the run saw them.
pub(super) fn settle<S: Subject>(
    subject: &mut S,
    underway: &mut Underway<'_>,
    once: impl Fn(&mut S, (&Plan, u32), &Underway<'_>) -> Result<Turns, String>,
) -> Result<(), Stopped> {
    let changes = if underway.run.plan.common.explain { changes(&underway.run) } else { Vec::new() };
    if changes.is_empty() {
        return Ok(());
    }
    // The server has one conversation at a time.
    subject
        .finish(underway.context)
        .map_err(|trouble| Stopped::Failed { reason: trouble.to_string(), trouble })?;
    let parts = u64::from(2 * TURNS) * changes.len() as u64;
    let time = (underway.run.plan.common.time / parts).max(LEAST);
    for change in &changes {
        underway.line.doing(&format!("the same with {change}, to confirm {}", change.bound));
        let Some(result) = turns(&*subject, (change, time), underway, &once) else { return Ok(()) };
        underway.run.changed.push(result);
        underway.save();
        if underway.go_on().is_break() {
            return Err(Stopped::Interrupted);
        }
    }
    Ok(())
}

/// All turns of a change, each of this time. Absent where nothing can be changed.
fn turns<S: Subject>(
    subject: &S,
    (change, time): (&Change, Span),
    underway: &Underway<'_>,
    once: &impl Fn(&mut S, (&Plan, u32), &Underway<'_>) -> Result<Turns, String>,
) -> Option<Changed> {
    let words = |trouble: Trouble| trouble.to_string();
    let over_new_connections = |plan: &Plan, turn| {
        plan.check().map_err(|error| error.to_string())?;
        let Some(mut another) = subject.another(plan).map_err(words)? else { return Ok(None) };
        let result = once(&mut another, (plan, turn), underway)?;
        another.finish(underway.context).map_err(words)?;
        Ok(Some(result))
    };
    let run = &underway.run;
    let plans = [change.usual(run, time), change.changed(run, time)];
    let mut both = [change.no_turns(run), change.no_turns(run)];
    let mut failed: Option<String> = None;
    'turns: for turn in 0..TURNS {
        for (all, plan) in both.iter_mut().zip(&plans) {
            match over_new_connections(plan, turn) {
                Ok(of_turn) => all.add(turn, of_turn?),
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

/// One turn of a curve.
pub(super) fn measured<S: CurveSubject>(
    subject: &mut S,
    (plan, turn): (&Plan, u32),
    underway: &Underway<'_>,
) -> Result<Turns, String> {
    let curve = plan.curve().cloned().unwrap_or_default();
    let method = subject.method(&plan.common, &curve).map_err(|error| error.to_string())?;
    let method = Method { seed: method.seed.wrapping_add(turn.into()), ..method };
    let outcome = measure(subject.bench(), &method, &mut Quiet(underway));
    match outcome.ended {
        Ended::Complete => Ok(Turns::Sizes(outcome.series)),
        Ended::Interrupted => Err("interrupted".to_owned()),
        Ended::Failed(error) => Err(error.to_string()),
    }
}

/// One turn of a load.
pub(super) fn carried<S: LoadSubject>(
    subject: &mut S,
    (plan, _): (&Plan, u32),
    underway: &Underway<'_>,
) -> Result<Turns, String> {
    let mut loads = Vec::new();
    for asked in plan.loads().map_err(|error| error.to_string())? {
        let CarriedLoad { transfer, ended } = subject.carrier().carry(&asked.load, &mut Quiet(underway));
        ended.map_err(|error| error.to_string())?;
        loads.extend(transfer.map(Transfer::without_course));
        if underway.go_on().is_break() {
            return Err("interrupted".to_owned());
        }
    }
    Ok(Turns::Loads(loads))
}

/// Ends a turn when the user asks, and shows nothing.
pub(super) struct Quiet<'a, 'b>(pub(super) &'a Underway<'b>);

impl Watch for Quiet<'_, '_> {
    fn trial_done(&mut self, _progress: &Progress) -> ControlFlow<()> {
        self.0.go_on()
    }

    fn round_done(&mut self, _series: &mut Series) {}
}

impl LoadWatch for Quiet<'_, '_> {
    fn interval(&mut self, _look: &Look) {}

    fn go_on(&mut self) -> ControlFlow<()> {
        self.0.go_on()
    }
}
