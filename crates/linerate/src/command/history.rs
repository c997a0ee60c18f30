//! `linerate history`.

mod changes;
mod confirm;
mod edit;
mod export;
mod import;
mod list;
mod load;
mod page;
mod prune;

use std::process::ExitCode;

use linerate_store::{Access, Store, StoreError};

use crate::cli::{Conditions, HistoryArgs, HistoryVerb};
use crate::context::Context;
use crate::history;
use crate::trouble::Trouble;

pub(super) fn run(args: &HistoryArgs, context: &Context) -> Result<ExitCode, Trouble> {
    let Some(verb) = &args.verb else { return list::list(&args.conditions, context) };
    if args.conditions != Conditions::default() {
        return Err(Trouble::new(
            "failed to choose runs: the conditions stand before the verb",
            "write them after it, such as `linerate history changes --since 30d`",
        ));
    }
    match verb {
        HistoryVerb::Show { path, figure, rows, conditions } => {
            list::show(path, figure, (*rows, conditions), context)
        }
        HistoryVerb::Changes { path, exit_code, format, conditions } => {
            changes::run(path.as_deref(), *exit_code, *format, (conditions, context))
        }
        HistoryVerb::Confirm { change, runs, folder, unmeasured } => {
            if *unmeasured {
                confirm::say(change, context)
            } else {
                confirm::run(change, *runs, folder, context)
            }
        }
        HistoryVerb::Mute { change, undo } => confirm::mute(change, *undo, context),
        HistoryVerb::Report { path, report, conditions } => page::run(path, report, conditions, context),
        HistoryVerb::Import { from, renew } => import::run(from, *renew, context),
        HistoryVerb::Export { out, prometheus, conditions } => {
            export::run(out.as_deref(), prometheus.as_deref(), conditions, context)
        }
        HistoryVerb::Prune { older, every, dry_run } => prune::run(*older, *every, *dry_run, context),
        other => edit::run(other, context),
    }
}

/// Opens the history that must be there.
fn opened(context: &Context) -> Result<Store, Trouble> {
    context.history.open(Access::Existing)
}

/// The error as a user sees it.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` takes")]
fn failed(error: StoreError) -> Trouble {
    history::trouble(&error)
}
