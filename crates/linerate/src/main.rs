//! linerate: how close to line rate is a path at every message size, and what is in the way?

mod agent;
mod capture;
mod cli;
mod command;
mod config;
mod history;
mod input;
mod notify;
mod peer;
mod progress;
mod screen;
mod settings;
mod signals;
mod store;
mod trouble;

use std::process::ExitCode;

fn main() -> ExitCode {
    let clock = linerate_net::observe::HostClock::start();
    match command::run(cli::parse(), clock) {
        Ok(code) => code,
        Err(trouble) => {
            screen::note(format_args!("{:?}", miette::Report::new(trouble)));
            ExitCode::from(2)
        }
    }
}
