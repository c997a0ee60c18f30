//! Plans from files and flags.

use std::io;
use std::path::Path;

use linerate_core::plan::Plan;

use crate::cli::PlanArgs;
use crate::screen::show;
use crate::store;
use crate::trouble::Trouble;

/// The plan in the given file, if any. It must have the task of `verb`; a plan without a task
/// serves every verb.
pub(super) fn given(args: &PlanArgs, verb: &str) -> Result<Option<Plan>, Trouble> {
    let plan = args.plan.as_deref().map(read).transpose()?;
    plan.map(|plan| fitting(plan, verb)).transpose()
}

/// Refuses a plan whose task is another than `verb`'s.
pub(super) fn fitting(plan: Plan, verb: &str) -> Result<Plan, Trouble> {
    let other = plan.task.verb();
    if other == verb || !(plan.has_loads() || plan.is_of_ranks()) {
        return Ok(plan);
    }
    let what = match verb {
        "stream" => "move bulk",
        "rr" => "ask requests",
        "mesh" => "measure a mesh",
        "app" => "run an application",
        _ => "measure a curve",
    };
    Err(Trouble::new(
        format!("failed to {what}: the plan asks for [{other}]"),
        format!("run `linerate {other} --plan FILE`, or take [{other}] out of the plan"),
    ))
}

/// Prints the effective plan if that was requested; returns whether it was.
pub(super) fn printed(args: &PlanArgs, plan: &Plan) -> Result<bool, Trouble> {
    if args.print_plan {
        show(&plan.to_toml())?;
    }
    Ok(args.print_plan)
}

/// The plan in a TOML file, or on standard input.
fn read(path: &Path) -> Result<Plan, Trouble> {
    let text = store::bytes(path).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    });
    let text = text.map_err(|error| {
        Trouble::file("read the plan", path, &error, "name a TOML file; `--print-plan` writes one")
    })?;
    Plan::from_toml(&text).map_err(|error| Trouble::plan(error, Some((path, text))))
}

/// Refuses a transport that only another program has.
pub(super) fn built_in(plan: &Plan) -> Result<(), Trouble> {
    let transport = plan.common.transport;
    if transport.is_built_in() {
        return Ok(());
    }
    Err(Trouble::new(
        format!(
            "failed to use the transport {transport}: linerate is built without an MPI, so that it runs anywhere"
        ),
        "run `mpirun -n 2 linerate-mpi measure`, which writes the same run file; docs/mpi.md says how to build it",
    ))
}
