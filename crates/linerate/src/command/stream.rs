//! `linerate stream`.

use std::process::ExitCode;

use linerate_core::plan::Plan;

use super::conduct::exit_status;
use super::laboratory::Entered;
use super::loads;
use super::modelled::Chosen;
use super::planned::{self, Asked, Planned};
use crate::cli::StreamArgs;
use crate::context::Context;
use crate::trouble::Trouble;

pub(super) fn run(args: &StreamArgs, context: &Context) -> Result<ExitCode, Trouble> {
    let model = Chosen::read(&args.model)?;
    let base = model.as_ref().map(|chosen| loads::base(chosen, "stream"));
    let ground = planned::ground(&args.peer, &args.lab, &args.model);
    let (usual, plain) = (StreamArgs::usual(), &|base| over(&StreamArgs::default(), base));
    let asked = Asked { args: &args.plan, verb: "stream", ground, usual, plain, of_model: base };
    let planned = Planned::of(asked, |base| {
        let mut plan = over(args, base)?;
        args.peer.note_in(&mut plan);
        Ok(plan)
    })?
    .at_port(args.peer.port)?;
    loads::check(&planned.plan)?;
    if planned.printed(&args.plan)? {
        return Ok(ExitCode::SUCCESS);
    }
    let Planned { mut plan, key_file, .. } = planned;
    let lab = Entered::into(&args.lab, &mut plan, context)?;
    let progress = args.plan.shows(args.output.quiet);
    let report = match model {
        Some(chosen) => loads::on_model(chosen, plan, context, progress)?,
        None => {
            let peer = args.peer.or_key_in(key_file);
            loads::between_hosts(plan, &peer, lab.as_ref(), context, progress)?
        }
    };
    Ok(ExitCode::from(exit_status(&report)))
}

/// The plan in `base` with the flags over it.
fn over(args: &StreamArgs, base: Plan) -> Result<Plan, Trouble> {
    args.over(base).map_err(|error| {
        Trouble::new(
            format!("failed to make the table: {error}"),
            "write buffers=8KiB,64KiB messages=1KiB,64KiB",
        )
    })
}
