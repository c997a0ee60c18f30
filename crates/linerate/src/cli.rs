//! The command line: flags become plain data here and nowhere else.

mod calibrate;
mod measure;
mod model;
mod predict;
mod rr;
mod serve;
mod shared;
mod stream;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

pub(crate) use calibrate::CalibrateArgs;
pub(crate) use measure::MeasureArgs;
pub(crate) use model::{
    CheckArgs, CheckFormat, ListArgs, ListFormat, LoadArgs, LoadFormat, LoadOutput, ModelArgs, ModelVerb,
};
pub(crate) use predict::{Change, Changed, PredictArgs, PredictFormat};
pub(crate) use rr::RrArgs;
pub(crate) use serve::ServeArgs;
pub(crate) use shared::{KeyArgs, PlanArgs};
pub(crate) use stream::StreamArgs;

/// How close to line rate is a path at every message size, and what is in the way?
///
/// Alone, `linerate` measures this host's loopback against a peer process that it starts, as
/// `linerate measure` does. Between two hosts: `linerate serve` there, and here `linerate measure
/// HOST --key K` with the key that it prints.
///
/// Exit codes: 0 done, 1 a finding, 2 could not.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure latency and throughput at every message size.
    Measure(Box<MeasureArgs>),
    /// Move bulk through any number of flows, bounded by time, bytes or messages.
    Stream(Box<StreamArgs>),
    /// Ask and answer: latency of requests and responses, idle and under load.
    Rr(Box<RrArgs>),
    /// Answer measurements from other hosts until Ctrl-C.
    Serve(ServeArgs),
    /// Model a network and put it under load: no host takes part.
    Model(ModelArgs),
    /// Find out what this host's calls, copies, packets and wake-ups cost, as a profile for models.
    Calibrate(CalibrateArgs),
    /// Lay what a calibrated host should have taken over a run, and say what a change would do.
    Predict(PredictArgs),
    /// Show one or more runs: as text, or as a file whose name says its form.
    Report(ReportArgs),
    /// Print a completion script for a shell.
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, as roff for `man -l -`.
    Man,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// Run files of linerate, or result files of NetPIPE 2.4, 3.x, 4.0 or 5.x.
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<PathBuf>,
    /// Write the report to a file named *.html, *.csv or *.json, or, for curves only, *.svg or *.np;
    /// may be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) to: Vec<PathBuf>,
}
