//! The verbs, one file each: only glue between the crates.

mod app;
#[cfg(on_linux)]
mod calibrate;
mod compare;
mod conduct;
#[cfg(on_linux)]
mod experiment;
mod explain;
mod explained;
mod history;
mod host_limits;
mod hosts;
#[cfg(on_linux)]
mod lab;
mod lab_plan;
#[cfg(not(on_linux))]
#[path = "command/laboratory/absent.rs"]
mod laboratory;
#[cfg(on_linux)]
mod laboratory;
mod loads;
mod measure;
mod mesh;
mod model;
mod modelled;
mod modelled_ranks;
mod pages;
mod plan_file;
mod planned;
mod predict;
mod ranks;
mod report;
#[cfg(on_linux)]
mod restore;
mod results;
mod rr;
mod schema;
mod serve;
#[cfg(on_linux)]
mod settings;
mod shards;
mod stream;
mod trace;

pub use app::{AppWatcher, app_cases, app_ended, check_app, read_app};
pub use conduct::{Stopped, Subject, Surroundings, Underway, conduct, exit_status};
pub use measure::measure_pass;
pub use mesh::MeshWatcher;
pub use planned::{Asked, Ground, Planned, refuse_np};

use std::process::ExitCode;

use linerate_net::observe::HostClock;

use crate::cli::{self, Cli, Command};
use crate::context::Context;
use crate::screen::show;
use crate::trouble::Trouble;

/// Carries out the command line.
pub(crate) fn run(cli: Cli, clock: HostClock) -> Result<ExitCode, Trouble> {
    let context = Context::of(cli.given, clock)?;
    let mut command = cli.command;
    command.configure()?;
    let context = &context.recording(command.records());
    match command {
        Command::Measure(args) => measure::run(&args, context),
        Command::Stream(args) => stream::run(&args, context),
        Command::Rr(args) => rr::run(&args, context),
        Command::Mesh(args) => mesh::run(&args, context),
        Command::App(args) => app::run(&args, context),
        Command::Trace(args) => trace::run(&args, context),
        Command::Serve(args) => serve::run(&args),
        Command::Model(args) => model::run(&args.verb, context),
        #[cfg(on_linux)]
        Command::Lab(args) => lab::run(&args.verb),
        #[cfg(on_linux)]
        Command::Experiment(args) => experiment::run(&args, context),
        #[cfg(on_linux)]
        Command::Settings(args) => settings::run(&args),
        #[cfg(on_linux)]
        Command::Restore(args) => restore::run(&args),
        #[cfg(on_linux)]
        Command::Host(args) => host_limits::run(&args, context),
        #[cfg(on_linux)]
        Command::Calibrate(args) => calibrate::run(&args, context),
        #[cfg(not(on_linux))]
        Command::Lab(_)
        | Command::Experiment(_)
        | Command::Settings(_)
        | Command::Restore(_)
        | Command::Host(_)
        | Command::Calibrate(_) => Err(only_linux("do this")),
        Command::Predict(args) => predict::run(&args, context),
        Command::Report(args) => report::run(&args, context),
        Command::Explain(args) => explain::run(&args, context),
        Command::Compare(args) => compare::run(&args, context),
        Command::History(args) => history::run(&args, context),
        Command::Schema { of } => schema::run(of),
        Command::Completions { shell, folder } => pages::completions(shell, folder.as_deref(), context),
        Command::Help { verbs } => help(&verbs),
        Command::Man { folder } => pages::manual(folder.as_deref(), context),
    }
}

/// What is there on Linux only.
#[cfg(not(on_linux))]
fn only_linux(what: &str) -> Trouble {
    Trouble::new(
        format!("failed to {what}: this is there only on Linux"),
        "measure, stream, rr, serve, model and report are there on every system",
    )
}

/// The long help of a verb, or of linerate itself.
fn help(verbs: &[String]) -> Result<ExitCode, Trouble> {
    let mut command = cli::command();
    command.build();
    let mut found = &mut command;
    for verb in verbs {
        let known = found.find_subcommand_mut(verb);
        found = known.ok_or_else(|| {
            Trouble::new(format!("failed to find the verb {verb}"), "`linerate -h` lists the verbs")
        })?;
    }
    show(&found.render_long_help().to_string())?;
    Ok(ExitCode::SUCCESS)
}
