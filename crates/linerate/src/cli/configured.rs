//! What flags take from the configuration where they are not given, and no plan says.

use linerate_core::config::{Habits, Showing};

use super::shared::OutputArgs;
use super::{Command, HostList, KeyArgs, PlanArgs, ProgressForm, RanksArgs};
use crate::config::{Named, Sources};
use crate::trouble::Trouble;

impl Command {
    /// Reads the configuration, if the command takes anything from one, and fills in the flags that it gives.
    pub(crate) fn configure(&mut self) -> Result<(), Trouble> {
        match self {
            Self::Measure(args) => configure(&mut args.plan, &mut args.output),
            Self::Stream(args) => configure(&mut args.plan, &mut args.output),
            Self::Rr(args) => configure(&mut args.plan, &mut args.output),
            Self::Trace(args) => configure(&mut args.plan, &mut args.output),
            // Whoever started it has read one.
            Self::Mesh(args) if args.as_rank => Ok(()),
            Self::Mesh(args) => {
                configure(&mut args.plan, &mut args.output)?;
                find_servers(&args.plan.sources, &mut args.ranks, &mut args.key)
            }
            Self::App(args) => {
                configure(&mut args.plan, &mut args.output)?;
                find_servers(&args.plan.sources, &mut args.ranks, &mut args.key)
            }
            _ => Ok(()),
        }
    }
}

/// Reads the configuration, and fills in the flags that it gives.
///
/// # Errors
///
/// When it cannot be read, or has no such profile.
pub fn configure(plan: &mut PlanArgs, output: &mut OutputArgs) -> Result<(), Trouble> {
    if plan.no_config {
        return Ok(());
    }
    plan.sources = Sources::read(plan.profile.as_deref())?;
    let Habits { quiet, progress, record, .. } = plan.sources.habits();
    // Who asks for a form of progress is not quiet.
    output.quiet |= quiet.unwrap_or_default() && plan.progress.is_none();
    output.record |= record.unwrap_or_default();
    plan.progress = plan.progress.or(progress.map(|showing| match showing {
        Showing::Auto => ProgressForm::Auto,
        Showing::None => ProgressForm::None,
        Showing::Ndjson => ProgressForm::Ndjson,
    }));
    Ok(())
}

/// Puts the addresses of the configuration for the names of servers, and their key.
fn find_servers(sources: &Sources, ranks: &mut RanksArgs, key: &mut KeyArgs) -> Result<(), Trouble> {
    let Some(HostList(servers)) = &mut ranks.servers else { return Ok(()) };
    let asked = servers.clone();
    let named = sources.named(asked.iter().map(String::as_str));
    Sources::agree(&named)?;
    for server in servers {
        if let Some(address) = named.iter().find(|it| it.name == server).map(Named::address) {
            address.clone_into(server);
        }
    }
    key.or_in(sources.key_file(&named));
    Ok(())
}
