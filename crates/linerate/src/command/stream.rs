//! `linerate stream`.

use std::process::ExitCode;

use linerate_net::observe::HostClock;

use super::laboratory::Entered;
use super::modelled::Chosen;
use super::{loads, planned};
use crate::cli::StreamArgs;
use crate::trouble::Trouble;

pub(super) fn run(args: &StreamArgs, clock: HostClock) -> Result<ExitCode, Trouble> {
    let model = Chosen::read(&args.model)?;
    let base = model.as_ref().map(|chosen| loads::base(chosen, "stream"));
    let plan = args.over(planned::given(&args.plan, "stream")?.or(base));
    let mut plan = plan.map_err(|error| {
        Trouble::new(
            format!("failed to make the table: {error}"),
            "write buffers=8KiB,64KiB messages=1KiB,64KiB",
        )
    })?;
    args.peer.note_in(&mut plan);
    loads::check(&plan)?;
    if planned::printed(&args.plan, &plan)? {
        return Ok(ExitCode::SUCCESS);
    }
    let lab = Entered::into(&args.lab, &mut plan)?;
    let progress = args.plan.progress.unless(args.output.quiet);
    let report = match model {
        Some(chosen) => loads::on_model(chosen, plan, progress)?,
        None => loads::between_hosts(plan, &args.peer, lab.as_ref(), clock, progress)?,
    };
    Ok(loads::conclude(&report))
}
