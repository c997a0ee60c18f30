//! `linerate rr`.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use linerate_core::plan::Plan;
use linerate_core::traffic::{Load, hdr_log, phases};
use linerate_net::observe::HostClock;

use super::planned;
use super::traffic::{self, Asked};
use crate::cli::RrArgs;
use crate::store;
use crate::trouble::Trouble;

pub(super) fn run(args: &RrArgs, clock: HostClock) -> Result<ExitCode, Trouble> {
    let plan = args.over(planned::given(&args.plan)?);
    traffic::check(&plan)?;
    if planned::printed(&args.plan, &plan)? {
        return Ok(ExitCode::SUCCESS);
    }
    let loads = loads(&plan);
    if let Some(path) = &args.hdr {
        // A place that cannot be written is found before anything is measured.
        store::replace(path, "")?;
    }
    let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let report = traffic::conduct(plan, &loads, &args.key, clock)?;
    if let Some(path) = &args.hdr {
        store::replace(path, &hdr_log(began, &report.runs[0].run.traffic))?;
        eprintln!("latencies: {}", path.display());
    }
    traffic::conclude(&report)
}

/// The phases of the plan.
fn loads(plan: &Plan) -> Vec<Asked> {
    let asked = |load: Load| Asked { label: String::new(), load };
    phases(plan).into_iter().map(asked).collect()
}
