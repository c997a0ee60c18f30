//! The commands of linerate, for its program and for `linerate-mpi`.
//!
//! Its interface follows these programs: it is what they need, and may change with every version.
#![cfg_attr(
    not(on_linux),
    expect(
        dead_code,
        unused_imports,
        reason = "verbs that are there only on Linux, of which the command line says so"
    )
)]

mod agent;
mod capture;
mod cli;
mod command;
mod config;
mod context;
mod history;
mod input;
mod notify;
mod peer;
mod progress;
mod screen;
#[cfg(on_linux)]
mod settings;
mod signals;
mod store;
mod trouble;

use std::process::ExitCode;

pub use cli::{
    EffortArgs, Given, MeshQuestionArgs, OldSpelling, OutputArgs, PlanArgs, Program, ProgressForm, SizeArgs,
    Unread, WhichAppArgs, command, configure, lay, lay_option, of_curves, of_ranks,
};
pub use command::{
    AppWatcher, Asked, Ground, MeshWatcher, Planned, Stopped, Subject, Surroundings, Underway, app_cases,
    app_ended, check_app, conduct, exit_status, measure_pass, read_app, refuse_np,
};
pub use context::Context;
pub use progress::Line;
pub use screen::note;
pub use signals::Interrupt;
pub use trouble::Trouble;

/// Carries out the command line of this process.
#[must_use]
pub fn run() -> ExitCode {
    let clock = linerate_net::observe::HostClock::start();
    signals::survive_limits(refuse);
    match cli::parse() {
        Ok(cli) => command::run(cli, clock).unwrap_or_else(|trouble| refuse(&trouble)),
        Err(unread) => not_read(&unread),
    }
}

/// Says what could not be done, to who reads JSON too.
#[must_use]
pub fn refuse(trouble: &Trouble) -> ExitCode {
    show_object(trouble);
    screen::note(trouble.laid_out());
    ExitCode::from(2)
}

/// Prints the help that was asked for, or says what is wrong with the command line.
#[must_use]
pub fn not_read(unread: &Unread) -> ExitCode {
    match unread {
        Unread::Wrong(trouble) => refuse(trouble),
        Unread::Clap(said) => {
            if said.use_stderr() {
                show_object(&Trouble::of_command_line(said));
            }
            said.print().unwrap_or(());
            ExitCode::from(u8::try_from(said.exit_code()).unwrap_or(2))
        }
    }
}

fn show_object(trouble: &Trouble) {
    if let Some(object) = trouble.to_json().filter(|_| cli::asks_for_json(std::env::args_os())) {
        screen::show(&object).unwrap_or(());
    }
}
