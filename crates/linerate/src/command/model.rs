//! `linerate model`.

mod check;
mod given;
mod list;
mod load;
pub(in crate::command) mod traced;

pub(in crate::command) use given::Given;

use std::process::ExitCode;

use linerate_sim::machine::SHIPPED;
use linerate_sim::tcp::Personality;
use linerate_study::shipped;

use crate::cli::ModelVerb;
use crate::context::Context;
use crate::screen::show;
use crate::trouble::Trouble;

pub(super) fn run(verb: &ModelVerb, context: &Context) -> Result<ExitCode, Trouble> {
    match verb {
        ModelVerb::Load(args) => load::run(args, context),
        ModelVerb::Check(args) => check::run(args, context),
        ModelVerb::List(args) => list::run(args),
        ModelVerb::Show { name } => print(name),
    }
}

/// A shipped plan, host or kernel as it is shipped, comments included.
fn print(name: &str) -> Result<ExitCode, Trouble> {
    let plan = shipped::find(name).map(|plan| plan.text);
    let host = || SHIPPED.iter().find(|host| host.name == name).map(|host| host.text);
    let kernel = || Personality::find(name).map(|kernel| kernel.text);
    let text = plan.or_else(host).or_else(kernel);
    show(text.ok_or_else(|| given::unknown(name, "no shipped plan, host or kernel"))?)?;
    Ok(ExitCode::SUCCESS)
}
