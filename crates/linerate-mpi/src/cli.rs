//! The command line, and the plan that it makes.

mod app;
mod curve;
mod mesh;

use clap::CommandFactory as _;
use linerate::{
    Asked, Ground, OldSpelling, OutputArgs, PlanArgs, Planned, Program, Trouble, configure, of_curves,
    of_ranks, read_app, refuse_np,
};
use linerate_core::options::Waiting;
use linerate_core::plan::{Plan, Rows, Task};
use linerate_core::transport::Transport;

pub use app::AppArgs;
pub use curve::{BandwidthArgs, MeasureArgs};
pub use mesh::{CollectivesArgs, MeshArgs};

const OLD: [OldSpelling; 3] = [
    OldSpelling { old: "--from", new: "--min-size", verbs: &["measure", "bandwidth"] },
    OldSpelling { old: "--to", new: "--max-size", verbs: &["measure", "bandwidth"] },
    OldSpelling {
        old: "--tag",
        new: "--label",
        verbs: &["measure", "bandwidth", "collectives", "mesh", "app"],
    },
];

/// Measure what an MPI does between its ranks. Start it with mpirun: mpirun -n 2 linerate-mpi measure
#[derive(Debug, clap::Parser)]
#[command(name = "linerate-mpi", version, arg_required_else_help = true, max_term_width = 100)]
pub struct Cli {
    /// What is measured.
    #[command(subcommand)]
    pub command: Command,
}

/// What is measured.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Message-size curve between two ranks, by the method of `linerate measure`
    Measure(Box<Asks<MeasureArgs>>),
    /// Rate of a window of messages: one way, then both ways
    ///
    /// All pairs (i, i + P/2) of P ranks send together.
    Bandwidth(Box<Asks<BandwidthArgs>>),
    /// Collectives of all ranks: the library's beside algorithms by name
    Collectives(Box<Asks<CollectivesArgs>>),
    /// Every pair of the ranks
    Mesh(Box<Asks<MeshArgs>>),
    /// An application on 1, 2, 4 and so on of the ranks: hint, photon, md or tbmd
    App(Box<Asks<AppArgs>>),
}

/// Options that every verb has: those of `linerate`.
#[derive(Debug, Default, clap::Args)]
pub struct CommonArgs {
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    /// The same as --rows all
    #[arg(long, hide = true, conflicts_with = "rows")]
    all_rows: bool,
}

/// What flags of `linerate` say of themselves here: flag and text, of one verb or of each.
const SAYS: [(Option<&str>, &str, &str); 6] = [
    (None, "out", "Run file [default: linerate-mpi-TIME.run.json]"),
    (Some("measure"), "time", "Time to verify and measure [default: 20s]"),
    (Some("bandwidth"), "time", "Time of each direction [default: 10s]"),
    (Some("bandwidth"), "schedule", "Sizes: netpipe, octave:N (default octave:1) or list:A,B,.."),
    (Some("bandwidth"), "max_size", "Largest size [default: 4MiB]"),
    (Some("app"), "options", "Its own options, such as steps=1000: see `linerate app NAME --describe`"),
];

/// The program: this command line, as `linerate` reads it.
#[must_use]
pub fn program() -> Program {
    let formats = |verb: clap::Command| match verb.get_name() {
        "measure" | "bandwidth" => of_curves(verb),
        _ => of_ranks(verb),
    };
    let texts = |verb: clap::Command| {
        let name = verb.get_name().to_owned();
        let is_of = |of: Option<&str>| of.is_none_or(|of| of == name);
        verb.mut_args(|arg| match SAYS.iter().find(|(of, flag, _)| is_of(*of) && arg.get_id() == *flag) {
            Some((_, _, text)) => arg.help(*text).long_help(*text),
            None => arg,
        })
    };
    Program::of(Cli::command().mut_subcommands(|verb| texts(formats(verb))), &OLD)
}

/// What a verb is asked: by flags of its own, and by those that every verb has.
#[derive(Debug, Default, clap::Args)]
pub struct Asks<V: clap::Args> {
    #[command(flatten)]
    own: V,
    #[command(flatten)]
    common: CommonArgs,
}

/// The flags of a verb.
pub trait Verb: clap::Args + Default {
    /// The verb of `linerate` that has the same task.
    const TASK: &'static str;

    /// What is asked if nothing else is.
    #[must_use]
    fn usual() -> Plan {
        Plan::default()
    }

    /// The plan in `base` with the given flags over it.
    ///
    /// # Errors
    ///
    /// When a value means nothing here.
    fn over(&self, base: Plan) -> Result<Plan, Trouble>;
}

impl<V: Verb> Asks<V> {
    fn over(&self, base: Plan) -> Result<Plan, Trouble> {
        let mut plan = self.own.over(base)?;
        plan.common.transport = Transport::Mpi;
        // What an MPI does anyway.
        plan.common.socket.wait = Waiting::Spin;
        let CommonArgs { output, all_rows, .. } = &self.common;
        output.over(&mut plan.common.output);
        if *all_rows {
            plan.common.output.rows = Rows::All;
        }
        Ok(plan)
    }

    fn planned(&self) -> Result<Planned, Trouble> {
        let plain = &|base| Self::default().over(base);
        let (args, usual) = (&self.common.plan, V::usual());
        let asked = Asked { args, verb: V::TASK, ground: Ground::Mpi, usual, plain, of_model: None };
        Planned::of(asked, |base| self.over(base))
    }
}

impl Command {
    /// The options that every verb has.
    #[must_use]
    pub const fn common(&self) -> &CommonArgs {
        match self {
            Self::Measure(args) => &args.common,
            Self::Bandwidth(args) => &args.common,
            Self::Collectives(args) => &args.common,
            Self::Mesh(args) => &args.common,
            Self::App(args) => &args.common,
        }
    }

    /// Reads the configuration, and fills in the flags that it gives.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn configure(&mut self) -> Result<(), Trouble> {
        let CommonArgs { output, plan, .. } = match self {
            Self::Measure(args) => &mut args.common,
            Self::Bandwidth(args) => &mut args.common,
            Self::Collectives(args) => &mut args.common,
            Self::Mesh(args) => &mut args.common,
            Self::App(args) => &mut args.common,
        };
        configure(plan, output)
    }

    /// Everything that is asked, checked.
    ///
    /// # Errors
    ///
    /// When it cannot be carried out.
    pub fn plan(&self) -> Result<Planned, Trouble> {
        let mut planned = match self {
            Self::Measure(args) => args.planned(),
            Self::Bandwidth(args) => args.planned(),
            Self::Collectives(args) => args.planned(),
            Self::Mesh(args) => args.planned(),
            Self::App(args) => args.planned(),
        }?;
        let plan = &mut planned.plan;
        plan.check().map_err(|error| Trouble::plan(error, None))?;
        match &plan.task {
            Task::Curve(_) => curve::refuse_mixed(plan)?,
            Task::App(_) => drop(read_app(plan, false)?),
            _ => refuse_np(plan)?,
        }
        Ok(planned)
    }
}

#[cfg(test)]
mod tests;
