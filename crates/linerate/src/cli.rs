//! The command line: flags become plain data here and nowhere else.

mod app;
mod calibrate;
mod compare;
mod configured;
mod examples;
mod experiment;
mod explain;
mod groups;
mod history;
mod host_limits;
mod lab;
mod line;
mod measure;
mod mesh;
mod model;
mod path;
mod predict;
mod rr;
mod serve;
mod settings;
mod shards;
mod shared;
mod spelling;
mod stream;
mod trace;
#[cfg(test)]
mod walk;
mod words;
mod wrong_flag;

use std::path::PathBuf;

use clap::{CommandFactory, Parser, Subcommand};
use linerate_core::plan::{Level, Rows};
use linerate_report::Form;

pub(crate) use app::AppArgs;
pub use app::WhichAppArgs;
pub(crate) use calibrate::CalibrateArgs;
pub(crate) use compare::{CompareArgs, CompareFormat, Inconclusive};
pub use configured::configure;
pub(crate) use experiment::{ExperimentArgs, ExperimentVerb, HowToRun, InitDesign, RunExperiment};
pub(crate) use explain::{ExplainArgs, ExplainFormat};
pub(crate) use history::{Conditions, HistoryArgs, HistoryVerb};
pub(crate) use host_limits::{HostArgs, HostFormat};
pub(crate) use lab::{InLabArgs, LabArgs, LabVerb};
pub(crate) use line::Color;
pub use line::{Given, Program, Unread};
pub(crate) use measure::MeasureArgs;
pub use measure::{EffortArgs, SizeArgs};
pub use mesh::MeshQuestionArgs;
pub(crate) use mesh::{HostList, MeshArgs, RanksArgs};
pub(crate) use model::{
    CheckArgs, CheckFormat, ListArgs, ListFormat, LoadArgs, LoadFormat, LoadOutput, ModelArgs, ModelVerb,
};
pub(crate) use predict::{Change, Changed, PredictArgs, PredictFormat};
pub(crate) use rr::RrArgs;
pub(crate) use serve::ServeArgs;
pub(crate) use settings::{RestoreArgs, SettingsArgs, SettingsVerb};
pub(crate) use shards::{ShardArgs, ShardChoice};
pub(crate) use shared::{KeyArgs, OnModelArgs, PeerArgs};
pub use shared::{OutputArgs, PlanArgs, ProgressForm, lay, lay_option, of_curves, of_ranks};
pub use spelling::OldSpelling;
pub(crate) use stream::StreamArgs;
pub(crate) use trace::TraceArgs;

/// How close is a path to line rate at every message size, and what is in the way?
///
/// Without a verb, linerate measures: the path to HOST, or this host's loopback. Run `linerate serve` on HOST first;
/// it prints a key.
///
/// Exit codes: 0 success, 1 a finding (a stalled flow, a failed claim), 2 an error, 3 inconclusive (of a comparison).
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, disable_help_subcommand = true, disable_version_flag = true)]
#[command(after_help = examples::LINERATE, after_long_help = examples::with_environment())]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print version
    #[arg(short = 'V', long, action = clap::ArgAction::Version)]
    version: Option<bool>,
    /// What every verb is given.
    #[arg(skip)]
    pub(crate) given: Given,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure latency and throughput at every message size
    #[command(after_help = examples::MEASURE)]
    Measure(Box<MeasureArgs>),
    /// Send bulk data in 1 to 4096 flows: throughput, fairness, stalls
    #[command(after_help = examples::STREAM)]
    Stream(Box<StreamArgs>),
    /// Time requests and responses, idle and under load
    #[command(after_help = examples::RR)]
    Rr(Box<RrArgs>),
    /// Measure every pair of many hosts: which node or link is slow
    ///
    /// Starts a rank on each of --hosts over ssh, or is started on all of them by srun or mpirun, or asks the servers of
    /// --servers, or measures the stations of a model. Then it measures each pair both ways, in rounds in which every rank
    /// is in one pair, measures what was slow again alone, and names it: a node, a link, a direction, or a way that many
    /// share. Without hosts, it starts two ranks here.
    ///
    /// Exit codes: 0 done, 1 a rank was lost or something is slow also when it is alone, 2 an error.
    #[command(after_help = examples::MESH)]
    Mesh(Box<MeshArgs>),
    /// Run a parallel application: what the network costs it
    ///
    /// HINT, photons through a scene, molecular dynamics of a Lennard-Jones liquid, or of carbon with tight binding. It runs
    /// on 1, 2, 4 and so on ranks: processes on this host (--ranks), on --hosts over ssh, under srun or mpirun, on the
    /// servers of --servers, or on the stations of a model. Each run says how much of the ranks' time was communication, who
    /// sent how much to whom, and checks its own result.
    ///
    /// Exit codes: 0 done, 1 a result is wrong, 2 an error.
    #[command(after_help = examples::APP)]
    App(Box<AppArgs>),
    /// Show where messages spend their time: call, TCP, driver, wake-up
    ///
    /// Sends messages there and back and follows the last byte of each: send call, TCP, queue, driver, the other host's
    /// kernel, TCP, wake-up, receive call. Programs at the kernels' tracepoints tell (eBPF; needs root, BTF, and
    /// `serve --allow-trace` at the other end), or else the kernels' timestamps, which have fewer points; the output says
    /// which. What the trace itself costs is measured in the same run, in turn. A model has the same stages.
    #[command(after_help = examples::TRACE)]
    Trace(Box<TraceArgs>),
    /// Answer measurements from other hosts until Ctrl-C
    #[command(after_help = examples::SERVE)]
    Serve(ServeArgs),
    /// Load a modelled network; compare models with published claims
    Model(ModelArgs),
    /// Build networks of namespaces on this host, from a plan
    ///
    /// A laboratory has hosts, switches (bridges) and routers, each a network namespace, and links (veth) with a rate,
    /// a queue, an MTU and a delay. `--lab PLAN` of `measure`, `stream` and `rr` makes one for a single run; `lab up`
    /// makes one that stays. `--model lab:PLAN` models the same network. Needs root.
    #[command(after_help = examples::LAB)]
    Lab(LabArgs),
    /// Vary settings in a planned order; find what helps, and how much
    ///
    /// A plan names factors with their levels, a design that chooses their combinations, and what is run in each: any
    /// curve, stream or rr, on hosts, in a laboratory or on a model, or a program of your own. Runs are in blocks, in an
    /// order drawn by chance. Everything is kept in a folder; an experiment that stops goes on with `resume`.
    ///
    /// Exit codes: 0 every run has a result, 1 runs failed or are still to be made, 2 an error.
    #[command(after_help = examples::EXPERIMENT)]
    Experiment(Box<ExperimentArgs>),
    /// List settings of this host; change some while a command runs
    ///
    /// MTU, queues, offloads, rings, coalescing, channels, flow control, interrupts, governor, idle states and sysctls, by
    /// name. What a setting was is kept on disk before it is changed, and put back at the end, also after Ctrl-C or
    /// SIGKILL (by a guardian) and after a crash of the host (by `linerate restore`). To set needs root.
    #[command(after_help = examples::SETTINGS)]
    Settings(SettingsArgs),
    /// Restore settings that a crash left changed
    Restore(RestoreArgs),
    /// Measure what this host could reach, in a minute
    ///
    /// Memory (a variant of STREAM) and caches, copies and checksums by size, calls, wake-ups, received packets and the PCI
    /// links of network adaptors, each with its 95 % interval, and how quiet the host was. Needs no root and no other host.
    /// With --host-limits, `measure`, `stream` and `rr` keep the same of this host with their runs.
    #[command(after_help = examples::HOST)]
    Host(HostArgs),
    /// Measure what calls, copies, packets and wake-ups cost here
    ///
    /// Measures single operations, then messages over TCP between two network namespaces: over a
    /// virtual wire, at several MTUs, with offloads off. It then fits a modelled host to the results.
    ///
    /// Needs root. It changes nothing outside its two namespaces, and removes them when it ends.
    #[command(after_help = examples::CALIBRATE)]
    Calibrate(CalibrateArgs),
    /// Compare a run with a calibrated model; predict a change
    ///
    /// Models every size of the run under its own conditions. 95 % of measurements should fall inside
    /// the predicted band. Sizes that the calibration used cannot test it, so the result also says
    /// how many held-out points fall inside the band.
    #[command(after_help = examples::PREDICT)]
    Predict(PredictArgs),
    /// Show runs as tables, or write HTML, SVG, CSV, JSON or np.out
    #[command(after_help = examples::REPORT)]
    Report(ReportArgs),
    /// Show the bottleneck at each message size: link, window, CPU, path
    ///
    /// From the run file alone: what both ends' processors and TCP did at each size, what was granted, what the
    /// interfaces state, and how the time grows with the size. Each verdict names its evidence, what else takes part,
    /// what is ruled out, and what would settle it. Where two bounds account for as much, it says so.
    #[command(after_help = examples::EXPLAIN)]
    Explain(ExplainArgs),
    /// Compare runs: what changed, and is it noise?
    ///
    /// Opens with one sentence: how much faster the second side is, and whether the bottleneck moved. Then what
    /// differs between the sides beside the numbers, and the ratio of every key figure and every size with its
    /// 95 % interval and a verdict. The unit of repetition is the run: with one run a side there is no verdict
    /// (the passes of one run with --repeat stand for runs), with four a side and more whole runs are exchanged
    /// between the sides.
    ///
    /// Exit codes: 0 the sides are shown to be the same within --within, or the second is better; 1 something is worse
    /// by more, or with --any changed; 2 an error; 3 inconclusive: it says how many more runs would decide.
    #[command(after_help = examples::COMPARE)]
    Compare(CompareArgs),
    /// Keep runs for years; find when a path changed
    ///
    /// Without a verb, lists the paths of the history. A path is what runs have in common: both hosts'
    /// hardware, the link, and what was asked. Kernel, driver, settings and labels may vary on it. The
    /// verdict in the list is that of one figure over the last 60 runs; `changes` searches all.
    #[command(after_help = examples::HISTORY)]
    History(Box<HistoryArgs>),
    /// Print the JSON Schema of run files, plans or host limits
    Schema {
        /// Of which
        #[arg(value_enum)]
        of: SchemaOf,
    },
    /// Print completions for a shell
    Completions {
        /// Shell
        #[arg(required_unless_present = "folder")]
        shell: Option<clap_complete::Shell>,
        /// Write a file to this folder instead, for each shell if none is named
        #[arg(long, value_name = "DIR")]
        folder: Option<PathBuf>,
    },
    /// Print the manual page, for `man -l -`
    Man {
        /// Write a page for every verb to this folder instead
        #[arg(long, value_name = "DIR")]
        folder: Option<PathBuf>,
    },
    /// Print the help of a verb
    #[command(hide = true)]
    Help {
        /// The verb, and one of its own
        verbs: Vec<String>,
    },
}

impl Command {
    /// Whether the run is to be recorded in the history.
    pub(crate) fn records(&self) -> bool {
        match self {
            Self::Measure(args) => args.output.record,
            Self::Stream(args) => args.output.record,
            Self::Rr(args) => args.output.record,
            Self::Mesh(args) => args.output.record,
            Self::App(args) => args.output.record,
            Self::Trace(args) => args.output.record,
            _ => false,
        }
    }
}

/// What has a schema.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum SchemaOf {
    /// Run files (`*.run.json`).
    Run,
    /// Plans of measurements (`--plan`).
    Plan,
    /// Plans of models (`--model`, `linerate model load`).
    Model,
    /// Plans of laboratories (`--lab`, `linerate lab up`).
    Lab,
    /// Plans of experiments (`linerate experiment`).
    Experiment,
    /// Limits of a host (`linerate host --out`).
    HostLimits,
    /// JSON reports (`linerate report --report X.json`).
    Report,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// Run files of linerate, results of NetPIPE 2.4, 3.x, 4.0 or 5.x, limits of hosts, or comparisons (.json); `-` is standard input
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<PathBuf>,
    /// Format of standard output
    #[arg(long, value_parser = shared::form_parser(), default_value = "table")]
    pub(crate) format: &'static Form,
    /// Write a .html, .csv, .json, .md or .prom file, or, for curves, .svg or .np; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Vec<PathBuf>,
    /// What a row of .csv and .json is: a point, a round of a curve, an interval of a load, or a pair of ranks
    #[arg(long, value_parser = shared::level_parser(Level::ALL))]
    pub(crate) level: Option<Level>,
    /// Rows of the table: short (default) or all
    #[arg(long, value_name = "WHICH", value_parser = shared::rows_parser(), hide_possible_values = true)]
    pub(crate) rows: Option<Rows>,
    /// Do not name the files that were written
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// The command with all its verbs. Loads have no peer in memory, and np holds curves: `stream` and `rr`
/// do not offer these.
#[must_use]
pub fn command() -> clap::Command {
    let loads = |verb: clap::Command| {
        verb.mut_arg("transport", |arg| arg.value_parser(path::load_transport_parser()))
            .mut_arg("format", |arg| shared::with_formats(arg, false))
            .mut_arg("level", |arg| arg.value_parser(shared::level_parser([Level::Point, Level::Interval])))
    };
    // An argument that has a place keeps it: `mut_arg` would put it last.
    let apps = |verb: clap::Command| {
        let needs = |arg: clap::Arg| arg.required_unless_present("describe");
        of_ranks(verb).mut_args(|arg| if arg.get_id() == "first" { needs(arg) } else { arg })
    };
    let traces = |verb: clap::Command| {
        // A trace is of TCP.
        let others = ["transport", "udp", "gso", "gro", "dont_fragment", "ecn", "batch"];
        verb.mut_args(|arg| if others.contains(&arg.get_id().as_str()) { arg.hide(true) } else { arg })
            .mut_arg("format", |arg| shared::with_formats(arg, false))
            .mut_arg("level", |arg| arg.value_parser(shared::level_parser([Level::Point, Level::Round])))
    };
    // What arrives marked is counted of bulk.
    let unmarked = |verb: clap::Command| verb.mut_arg("ecn", |arg| arg.hide(true));
    let command = Cli::command()
        .mut_subcommand("measure", |verb| unmarked(of_curves(verb)))
        .mut_subcommand("stream", loads)
        .mut_subcommand("rr", |verb| unmarked(loads(verb)))
        .mut_subcommand("mesh", of_ranks)
        .mut_subcommand("app", apps)
        .mut_subcommand("trace", traces);
    let command = Program::of(command, &spelling::OLD)
        .command
        .mut_subcommand("compare", |verb| verb.arg(line::history_flag()))
        .mut_subcommand("history", |verb| verb.arg(line::history_flag().global(true)));
    groups::in_help(command)
}

/// Whether the words of a command line ask for JSON on standard output, however wrong the rest may be.
pub(crate) fn asks_for_json(words: impl IntoIterator<Item = std::ffi::OsString>) -> bool {
    let words: Vec<_> = words.into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
    words.iter().any(|word| word == "-J" || word == "--format=json")
        || words.windows(2).any(|pair| pair == ["--format", "json"])
}

/// Reads the command line.
///
/// # Errors
///
/// When it asks for help, or makes no sense.
pub(crate) fn parse() -> Result<Cli, Unread> {
    let program = Program { command: command(), old: &spelling::OLD };
    let words = words::with_verb(std::env::args_os().collect(), &program.command).map_err(Unread::Wrong)?;
    program.read::<Cli>(&words).map(|(cli, given)| Cli { given, ..cli })
}
