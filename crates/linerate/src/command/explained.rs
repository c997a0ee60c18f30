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

/// Turns of each part: as asked and with each of its changes, one after the other.
const TURNS: u32 = 3;
/// One measurement of a turn lasts at least this long.
const LEAST: Span = Span::from_ms(300);

/// If the plan asks for it, measures parts of the run again, in turns as asked and with one thing changed, and keeps what came of
/// it: `once` measures as a plan says, in a turn of this number. Changes of one part share what is as asked. A change that this
/// host cannot make is kept with the reason. The run's hosts stay as the run saw them.
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
    let parts = || changes.chunk_by(|one, next| one.of == next.of);
    let measured = u64::from(TURNS) * (parts().count() + changes.len()) as u64;
    let time = (underway.run.plan.common.time / measured).max(LEAST);
    for part in parts() {
        let results = turns(&*subject, (part, time), underway, &once);
        underway.run.changed.extend(results);
        underway.save();
        if underway.go_on().is_break() {
            return Err(Stopped::Interrupted);
        }
    }
    Ok(())
}

/// All turns of one part's changes, each of this time. None where nothing can be changed.
fn turns<S: Subject>(
    subject: &S,
    (changes, time): (&[Change], Span),
    underway: &Underway<'_>,
    once: &impl Fn(&mut S, (&Plan, u32), &Underway<'_>) -> Result<Turns, String>,
) -> Vec<Changed> {
    let words = |trouble: Trouble| trouble.to_string();
    let over_new_connections = |plan: &Plan, turn| -> Result<Option<Turns>, String> {
        plan.check().map_err(|error| error.to_string())?;
        let Some(mut another) = subject.another(plan).map_err(words)? else { return Ok(None) };
        let result = once(&mut another, (plan, turn), underway)?;
        another.finish(underway.context).map_err(words)?;
        Ok(Some(result))
    };
    let run = &underway.run;
    let Some(first) = changes.first() else { return Vec::new() };
    let as_asked = first.usual(run, time);
    let mut usual = first.no_turns(run);
    let mut results: Vec<Changed> = changes
        .iter()
        .map(|change| {
            let none = change.no_turns(run);
            Changed { change: change.to_string(), usual: none.clone(), changed: none, failed: None }
        })
        .collect();
    for turn in 0..TURNS {
        underway.line.doing(&format!("the same again, turn {} of {TURNS}", turn + 1));
        match over_new_connections(&as_asked, turn) {
            Ok(Some(of_turn)) => usual.add(turn, of_turn),
            Ok(None) => return Vec::new(),
            Err(reason) => {
                results.iter_mut().for_each(|result| _ = result.failed.get_or_insert(reason.clone()));
                break;
            }
        }
        for (change, result) in changes.iter().zip(&mut results).filter(|(_, result)| result.failed.is_none())
        {
            underway.line.doing(&format!("the same with {change}, to confirm {}", change.bound));
            match over_new_connections(&change.changed(run, time), turn) {
                Ok(Some(of_turn)) => result.changed.add(turn, of_turn),
                Ok(None) => {}
                Err(reason) => result.failed = Some(reason),
            }
        }
        if underway.go_on().is_break() {
            break;
        }
    }
    results.iter_mut().for_each(|result| result.usual = usual.clone());
    results
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
