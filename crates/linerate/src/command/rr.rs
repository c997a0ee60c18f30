//! `linerate rr`.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use linerate_core::traffic::hdr_log;

use super::conduct::exit_status;
use super::laboratory::Entered;
use super::loads;
use super::modelled::Chosen;
use super::planned::{self, Asked, Planned};
use crate::cli::RrArgs;
use crate::context::Context;
use crate::screen::note;
use crate::trouble::Trouble;

pub(super) fn run(args: &RrArgs, context: &Context) -> Result<ExitCode, Trouble> {
    let model = Chosen::read(&args.model)?;
    let base = model.as_ref().map(|chosen| loads::base(chosen, "rr"));
    let ground = planned::ground(&args.peer, &args.lab, &args.model);
    let (usual, plain) = (RrArgs::usual(), &|base| Ok(RrArgs::default().over(base)));
    let asked = Asked { args: &args.plan, verb: "rr", ground, usual, plain, of_model: base };
    let planned = Planned::of(asked, |base| {
        let mut plan = args.over(base);
        args.peer.note_in(&mut plan);
        Ok(plan)
    })?
    .at_port(args.peer.port)?;
    super::measure::one_peer(&args.peer)?;
    loads::check(&planned.plan)?;
    if planned.printed(&args.plan)? {
        return Ok(ExitCode::SUCCESS);
    }
    let Planned { mut plan, key_file, .. } = planned;
    let lab = Entered::into(&args.lab, &mut plan, context)?;
    if let Some(path) = &args.hdr {
        // Finds a path that cannot be written before anything is measured.
        context.files.writable(path)?;
    }
    let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let quiet = args.output.quiet;
    let progress = args.plan.shows(quiet);
    let report = match model {
        Some(chosen) => loads::on_model(chosen, plan, context, progress)?,
        None => {
            let peer = args.peer.or_key_in(key_file);
            loads::between_hosts(plan, &peer, lab.as_ref(), context, progress)?
        }
    };
    if let Some(path) = &args.hdr {
        context.files.replace(path, &hdr_log(began, &report.runs[0].run.transfers))?;
        if !quiet {
            note(format_args!("latencies: {}", path.display()));
        }
    }
    Ok(ExitCode::from(exit_status(&report)))
}
