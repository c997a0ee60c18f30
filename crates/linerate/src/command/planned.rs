//! Plans from files and flags.

use std::path::Path;

use linerate_core::plan::Plan;

use crate::cli::PlanArgs;
use crate::screen::show;
use crate::trouble::Trouble;

/// The plan in the file that is given, if one is.
pub(super) fn given(args: &PlanArgs) -> Result<Option<Plan>, Trouble> {
    args.plan.as_deref().map(read).transpose()
}

/// Prints the effective plan if nothing else is asked for; whether it was.
pub(super) fn printed(args: &PlanArgs, plan: &Plan) -> Result<bool, Trouble> {
    if args.print_plan {
        show(&plan.to_toml())?;
    }
    Ok(args.print_plan)
}

/// The plan in a TOML file.
fn read(path: &Path) -> Result<Plan, Trouble> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Trouble::file("read the plan", path, &error, "name a TOML file; `--print-plan` writes one")
    })?;
    Plan::from_toml(&text).map_err(|error| Trouble::plan(error, Some((path, text))))
}
