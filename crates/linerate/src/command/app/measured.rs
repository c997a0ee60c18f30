//! An application on ranks over TCP.

use linerate_apps::catalogue::App;
use linerate_apps::run::{self, Asked, Stop};
use linerate_core::comm::Comm;
use linerate_core::endpoint::run_ready;
use linerate_core::mesh;
use linerate_core::plan::Plan;

use super::shown::Shown;
use super::watcher::Watcher;
use crate::command::conduct::{Stopped, Underway};
use crate::command::ranks::{ACCOUNT, Ranks};
use crate::trouble::Trouble;

/// Runs `app` on the ranks of the run that is under way.
pub(super) fn conduct(
    ranks: &mut Ranks,
    app: &App,
    shown: &Shown,
    underway: &mut Underway<'_>,
) -> Result<(), Stopped> {
    shown.writable(underway).map_err(failed)?;
    let Ranks { patience, first, .. } = *ranks;
    let all = ranks.comm.size() - first;
    let cases = cases(&underway.run.plan, all, None)?;
    let asked = Asked { app, cost: None, first, patience };
    let mut app_run = run::begun(app, None, ranks.named());
    underway.run.app = Some(app_run.clone());
    let watch = ranks.watch();
    let mut watcher = Watcher::of(underway);
    let wants = shown.is_wanted();
    let conducted = run::conduct(&mut ranks.comm, asked, &mut app_run, &cases, wants, &mut watcher);
    let (stop, file) = run_ready(conducted);
    if !matches!(stop, Stop::Failed(_)) {
        underway.line.doing("what the ranks saw");
        let told = run_ready(mesh::collect_from(&mut ranks.comm, first, ACCOUNT, |_| false));
        ranks.keep(told.into_iter().map(|text| text?.ok()), watch);
    }
    underway.run.app = Some(app_run);
    ended(stop, "start it again; look at the host of the rank that is named")?;
    shown.write(&file, underway).map_err(failed)
}

/// The cases that `plan` asks for on `all` ranks; `repeat` wins over what it says.
///
/// # Errors
///
/// When they are more than there are.
///
/// # Panics
///
/// When `plan` is not one of an application.
pub fn cases(plan: &Plan, all: usize, repeat: Option<u32>) -> Result<Vec<run::Case>, Stopped> {
    let Some(asked) = plan.app() else { unreachable!("the plan of this verb is one of an application") };
    let numbers = asked.cases(u32::try_from(all).unwrap_or(u32::MAX));
    let numbers = numbers.map_err(|error| failed(Trouble::plan(error, None)))?;
    Ok(run::cases(&numbers, repeat.unwrap_or(asked.repeat)))
}

/// Why the run ended before all of it was done, if it did.
///
/// # Errors
///
/// That reason, with `help`.
pub fn ended(stop: Stop, help: &str) -> Result<(), Stopped> {
    match stop {
        Stop::Done => Ok(()),
        Stop::Interrupted => Err(Stopped::Interrupted),
        Stop::Failed(reason) => {
            Err(Stopped::Failed { trouble: Trouble::new(format!("failed to {reason}"), help), reason })
        }
    }
}

pub(super) fn failed(trouble: Trouble) -> Stopped {
    Stopped::Failed { reason: trouble.reason(), trouble }
}
