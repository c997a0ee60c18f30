//! `linerate stream`.

use std::process::ExitCode;

use linerate_net::observe::HostClock;

use super::{loads, planned};
use crate::cli::StreamArgs;
use crate::trouble::Trouble;

pub(super) fn run(args: &StreamArgs, clock: HostClock) -> Result<ExitCode, Trouble> {
    let plan = args.over(planned::given(&args.plan, "stream")?);
    let plan = plan.map_err(|error| {
        Trouble::new(
            format!("failed to make the table: {error}"),
            "write buffers=8KiB,64KiB messages=1KiB,64KiB",
        )
    })?;
    loads::check(&plan)?;
    if planned::printed(&args.plan, &plan)? {
        return Ok(ExitCode::SUCCESS);
    }
    Ok(loads::conclude(&loads::between_hosts(plan, &args.key, clock)?))
}
