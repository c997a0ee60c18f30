//! `linerate rr`.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use linerate_core::traffic::hdr_log;
use linerate_net::observe::HostClock;

use super::laboratory::Entered;
use super::modelled::Chosen;
use super::{loads, planned};
use crate::cli::RrArgs;
use crate::screen::note;
use crate::store;
use crate::trouble::Trouble;

pub(super) fn run(args: &RrArgs, clock: HostClock) -> Result<ExitCode, Trouble> {
    let model = Chosen::read(&args.model)?;
    let base = model.as_ref().map(|chosen| loads::base(chosen, "rr"));
    let mut plan = args.over(planned::given(&args.plan, "rr")?.or(base));
    args.peer.note_in(&mut plan);
    super::measure::one_peer(&args.peer)?;
    loads::check(&plan)?;
    if planned::printed(&args.plan, &plan)? {
        return Ok(ExitCode::SUCCESS);
    }
    let lab = Entered::into(&args.lab, &mut plan)?;
    if let Some(path) = &args.hdr {
        // Finds a path that cannot be written before anything is measured.
        store::replace(path, "")?;
    }
    let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let quiet = args.output.quiet;
    let progress = args.plan.progress.unless(quiet);
    let report = match model {
        Some(chosen) => loads::on_model(chosen, plan, progress)?,
        None => loads::between_hosts(plan, &args.peer, lab.as_ref(), clock, progress)?,
    };
    if let Some(path) = &args.hdr {
        store::replace(path, &hdr_log(began, &report.runs[0].run.transfers))?;
        if !quiet {
            note(format_args!("latencies: {}", path.display()));
        }
    }
    Ok(loads::conclude(&report))
}
