//! `linerate rr`.

use std::process::ExitCode;

use linerate_core::plan::Plan;
use linerate_core::traffic::{Load, phases};
use linerate_net::observe::HostClock;

use super::planned;
use super::traffic::{self, Asked};
use crate::cli::RrArgs;
use crate::screen::show;
use crate::trouble::Trouble;

pub(super) fn run(args: &RrArgs, clock: HostClock) -> Result<ExitCode, Trouble> {
    let base = args.plan.as_deref().map(planned::read).transpose()?;
    let plan = args.over(base);
    traffic::check(&plan)?;
    if args.print_plan {
        show(&plan.to_toml())?;
        return Ok(ExitCode::SUCCESS);
    }
    let loads = loads(&plan);
    let report = traffic::conduct(plan, &loads, &args.key, clock)?;
    traffic::conclude(&report)
}

/// The phases of the plan.
fn loads(plan: &Plan) -> Vec<Asked> {
    let asked = |load: Load| Asked { label: String::new(), phase: load.phase(), load };
    phases(plan).into_iter().map(asked).collect()
}
