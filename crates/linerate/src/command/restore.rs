//! `linerate restore`.

use std::io;
use std::process::ExitCode;

use linerate_net::settings::{self, Found, Standing, discard, guard, journals, restore_orphan, stand_apart};

use crate::cli::RestoreArgs;
use crate::screen::{note, show};
use crate::settings::{folder, sentence};
use crate::trouble::Trouble;

/// Something could not be put back.
const FINDING: u8 = 1;

pub(super) fn run(args: &RestoreArgs) -> Result<ExitCode, Trouble> {
    if let Some(journal) = &args.guard {
        stand_apart().map_err(|error| {
            Trouble::new(format!("failed to leave the terminal: {error}"), "report this, with the command")
        })?;
        let outcomes = guard(journal, io::stdin(), io::stdout())?;
        return Ok(said(&outcomes));
    }
    let found = journals(&folder())?;
    let mut left = false;
    let mut any = false;
    for journal in found {
        if journal.standing == Standing::Living {
            show(&format!("{}\n", living(&journal)))?;
            continue;
        }
        if journal.settings.is_empty() && !matches!(journal.standing, Standing::Unreadable(_)) {
            // Its process ended before it changed anything.
            if !args.list {
                discard(&journal.path)?;
            }
            continue;
        }
        any = true;
        if args.list {
            show(&listed(&journal))?;
        } else if args.discard {
            discard(&journal.path)?;
            show(&format!("{}: forgotten\n", journal.path.display()))?;
        } else {
            left |= restored(&journal, args.force)?;
        }
    }
    if !any {
        show("nothing is to be put back\n")?;
    }
    Ok(ExitCode::from(if left { FINDING } else { 0 }))
}

/// Puts back what a journal says. Whether something is left.
fn restored(journal: &Found, force: bool) -> Result<bool, Trouble> {
    if let Standing::Unreadable(reason) = &journal.standing {
        note(format_args!("! {reason}"));
        return Ok(true);
    }
    let outcomes = restore_orphan(&journal.path, force)?;
    for outcome in &outcomes {
        show(&format!("{}\n", sentence(outcome)))?;
    }
    Ok(outcomes.iter().any(|outcome| !outcome.is_done()))
}

fn said(outcomes: &[settings::Outcome]) -> ExitCode {
    for outcome in outcomes {
        note(format_args!("linerate: {}", sentence(outcome)));
    }
    ExitCode::from(if outcomes.iter().all(settings::Outcome::is_done) { 0 } else { FINDING })
}

fn living(journal: &Found) -> String {
    let (pid, what) =
        journal.about.as_ref().map_or((0, String::new()), |about| (about.pid(), about.what.clone()));
    format!("process {pid} holds {} settings and puts them back itself: {what}", journal.settings.len())
}

fn listed(journal: &Found) -> String {
    let state = match &journal.standing {
        Standing::Orphaned => "its process has ended".to_owned(),
        Standing::Restarted => "the host has started anew since".to_owned(),
        Standing::Gone => "its network namespace has gone".to_owned(),
        Standing::Unreadable(reason) => reason.clone(),
        Standing::Living => "its process runs".to_owned(),
    };
    let (what, place) = journal
        .about
        .as_ref()
        .map_or((String::new(), String::new()), |about| (about.what.clone(), about.place()));
    let settings: String =
        journal.settings.iter().map(|(setting, original)| format!("  {setting} was {original}\n")).collect();
    format!("{what} ({place}; {state})\n{settings}")
}
