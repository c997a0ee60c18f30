//! `linerate mesh`.

mod measured;
mod modelled;
mod watcher;

pub use watcher::Watcher as MeshWatcher;

use std::process::ExitCode;

use linerate_core::plan::Plan;
use linerate_core::units::Span;

use super::conduct::{Surroundings, exit_status};
use super::modelled::Chosen;
use super::planned::{Asked, Ground, Planned, refuse_np};
use super::ranks::{self, Place};
use crate::cli::MeshArgs;
use crate::context::Context;
use crate::progress::Line;
use crate::signals::Interrupt;
use crate::trouble::Trouble;

/// Default of `--patience`.
const PATIENCE: Span = Span::from_ms(10_000);

pub(super) fn run(args: &MeshArgs, context: &Context) -> Result<ExitCode, Trouble> {
    if args.as_rank {
        return ranks::be_a_rank(context.clock);
    }
    let model = Chosen::read(&args.model)?;
    let base = model.as_ref().map(|chosen| chosen.plan.measure.clone());
    let base = base.filter(|plan| plan.mesh().is_some());
    let plain = &|base| Ok(MeshArgs::default().over(base));
    let (usual, ground) = (Plan::default(), Ground::Apart);
    let asked = Asked { args: &args.plan, verb: "mesh", ground, usual, plain, of_model: base };
    let planned = Planned::of(asked, |base| Ok(args.over(base)))?;
    check(&planned.plan)?;
    if planned.printed(&args.plan)? {
        return Ok(ExitCode::SUCCESS);
    }
    let plan = planned.plan;
    let line = Line::of(args.plan.shows(args.output.quiet));
    let report = if let Some(chosen) = model {
        let around = Surroundings { context, line: &line, interrupt: &Interrupt::listen()? };
        Some(modelled::measure(chosen, plan, args.ranks.ranks, around)?)
    } else {
        let MeshArgs { ranks, key, lab, require_all, .. } = args;
        let all = *require_all;
        let place = Place { ranks, key, lab, threads: false, patience: PATIENCE, fewest: 2, all };
        ranks::conducted(place, plan, context, &line, measured::conduct)?
    };
    Ok(report.map_or(ExitCode::SUCCESS, |report| ExitCode::from(exit_status(&report))))
}

/// Refuses options that a mesh does not support.
fn check(plan: &Plan) -> Result<(), Trouble> {
    plan.check().map_err(|error| Trouble::plan(error, None))?;
    refuse_np(plan)
}
