//! The command line, and the plan that it makes.

mod app;
mod output;

use linerate_core::comm::call::Call;
use linerate_core::options::{Receive, Waiting};
use linerate_core::pattern::Pattern;
use linerate_core::plan::{Common, CurvePlan, MeshPlan, MeshSchedule, Plan, Task};
use linerate_core::schedule::Schedule;
use linerate_core::transport::Transport;
use linerate_core::units::{Size, Span};
use linerate_net::memory::working_set;
use linerate_net::observe::caches;

pub use app::AppArgs;
pub use output::OutputArgs;

/// Messages of a window unless the user says otherwise.  Source: the OSU micro-benchmarks, option `-W`.
const DEFAULT_WINDOW: u32 = 64;
/// The largest message of a window unless the user says otherwise.  Source: the same, option `-m`.
const LARGEST_OF_WINDOW: Size = Size(4 << 20);
/// How long each direction of a window is measured unless the user says otherwise.
const WINDOW_TIME: Span = Span::from_ms(10_000);

/// Measure what an MPI does between its ranks. Start it with mpirun: mpirun -n 2 linerate-mpi measure
#[derive(Debug, clap::Parser)]
#[command(name = "linerate-mpi", version, arg_required_else_help = true)]
pub struct Cli {
    /// What is measured.
    #[command(subcommand)]
    pub command: Command,
}

/// What is measured.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Message-size curve between two ranks, by the method of `linerate measure`
    Measure(MeasureArgs),
    /// Rate of a window of messages: one way, then both ways; of all pairs (i, i + P/2) together
    Bandwidth(BandwidthArgs),
    /// Collectives of all ranks: the library's beside algorithms by name
    Collectives(CollectivesArgs),
    /// Every pair of the ranks
    Mesh(MeshArgs),
    /// An application on 1, 2, 4 and so on of the ranks: hint, photon, md or tbmd
    App(AppArgs),
}

/// Options of `measure`.
#[derive(Debug, clap::Args)]
pub struct MeasureArgs {
    /// Traffic pattern: ping-pong, one-way or exchange [default: ping-pong]
    #[arg(long)]
    pattern: Option<Pattern>,
    #[command(flatten)]
    sizes: SizeArgs,
    /// When a message is received: called (MPI_Recv when it is wanted), posted (MPI_Irecv before it can come) or
    /// unexpected (after it has come) [default: called]
    #[arg(long)]
    receive: Option<Receive>,
    /// Messages that are on their way at once, of one-way and exchange [default: 1]
    #[arg(long, value_name = "N")]
    window: Option<u32>,
    /// Cache: warm (every message uses the same memory) or cold (messages cycle through twice the last level)
    #[arg(long, value_parser = ["warm", "cold"])]
    cache: Option<String>,
    /// Memory that messages cycle through: a size, or l2, llc or memory
    #[arg(long, value_name = "SIZE", conflicts_with = "cache")]
    working_set: Option<String>,
    /// How a receiver waits: only spin, which is what an MPI does
    #[arg(long)]
    wait: Option<Waiting>,
    /// Read all options from a plan file (TOML); flags override it
    #[arg(long, value_name = "FILE.toml")]
    plan: Option<std::path::PathBuf>,
    /// Print the effective plan as TOML and exit
    #[arg(long)]
    pub(crate) print_plan: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Which sizes, and how long.
#[derive(Debug, clap::Args)]
struct SizeArgs {
    /// Sizes: netpipe, octave:N or list:A,B,..
    #[arg(long, value_name = "SCHEDULE")]
    schedule: Option<Schedule>,
    /// Smallest size [default: 1]
    #[arg(long = "min-size", alias = "from", value_name = "SIZE")]
    from: Option<Size>,
    /// Largest size
    #[arg(long = "max-size", alias = "to", value_name = "SIZE")]
    to: Option<Size>,
    /// Also measure this many bytes below and above each size
    #[arg(long, value_name = "BYTES")]
    perturb: Option<Size>,
    /// Time to verify and measure; of a window, each direction [default: 20s; of a window 10s]
    #[arg(long, value_name = "TIME")]
    time: Option<Span>,
    /// Target half-width of each size's 95 % interval, as a share of its median, such as 0.02 [default: 0.02]
    #[arg(long, value_name = "SHARE")]
    ci: Option<f64>,
    /// Rounds over all sizes, before the remaining time goes to the widest intervals [default: 9]
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,
    /// Seed of the order of sizes and of the payload [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// Options of `bandwidth`.
#[derive(Debug, clap::Args)]
pub struct BandwidthArgs {
    #[command(flatten)]
    sizes: SizeArgs,
    /// Messages on their way at once; fewer if they need more than 64 MiB
    #[arg(long, value_name = "N", default_value_t = DEFAULT_WINDOW)]
    window: u32,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Options of `collectives`.
#[derive(Debug, clap::Args)]
pub struct CollectivesArgs {
    /// Which: all, a collective (allreduce) or one algorithm (allreduce:ring); the library's is always beside them
    #[arg(long, value_name = "A,B,..", value_delimiter = ',', default_value = "all")]
    calls: Vec<String>,
    /// Sizes [default: 8,64,1KiB,8KiB,64KiB,1MiB]
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    sizes: Vec<Size>,
    /// A tenth of the time of one collective at one size [default: 20ms]
    #[arg(long, value_name = "TIME")]
    visit: Option<Span>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Options of `mesh`.
#[derive(Debug, clap::Args)]
pub struct MeshArgs {
    /// Who talks to whom: pairs, serial, shifts, ring, random-ring, bisection, fan-in, fan-out, victim [default: pairs]
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    schedules: Vec<MeshSchedule>,
    /// Sizes whose latency is measured [default: 1]
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    latency: Vec<Size>,
    /// Sizes whose throughput is measured [default: 1MiB]
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    throughput: Vec<Size>,
    /// How long one rank sends to another at one size [default: 20ms]
    #[arg(long, value_name = "TIME")]
    visit: Option<Span>,
    /// How often every schedule is gone through [default: 3]
    #[arg(long, value_name = "N")]
    repeat: Option<u32>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

fn lay<T: Clone>(given: Option<&T>, over: &mut T) {
    if let Some(given) = given {
        over.clone_from(given);
    }
}

fn lay_option<T: Clone>(given: Option<&T>, over: &mut Option<T>) {
    if given.is_some() {
        *over = given.cloned();
    }
}

impl SizeArgs {
    fn over(&self, common: &mut Common, curve: &mut CurvePlan) {
        lay(self.schedule.as_ref(), &mut curve.schedule);
        lay_option(self.from.as_ref(), &mut curve.from);
        lay_option(self.to.as_ref(), &mut curve.to);
        lay_option(self.perturb.as_ref(), &mut curve.perturb);
        lay(self.ci.as_ref(), &mut curve.ci);
        lay(self.rounds.as_ref(), &mut curve.rounds);
        lay(self.time.as_ref(), &mut common.time);
        lay(self.seed.as_ref(), &mut common.seed);
    }
}

impl MeasureArgs {
    /// # Errors
    ///
    /// A sentence, and what to do.
    fn plan(&self) -> Result<Plan, [String; 2]> {
        let mut plan = self.plan.as_deref().map(read).transpose()?.unwrap_or_default();
        let Task::Curve(mut curve) = plan.task else {
            return Err([
                "measure a curve: the plan asks for another task".into(),
                "give a plan of `linerate measure`".into(),
            ]);
        };
        self.sizes.over(&mut plan.common, &mut curve);
        lay(self.pattern.as_ref(), &mut curve.pattern);
        lay(self.receive.as_ref(), &mut plan.common.mpi.receive);
        lay_option(self.window.as_ref(), &mut plan.common.mpi.window);
        if self.wait == Some(Waiting::Block) {
            let help = "leave --wait out: ranks of an MPI poll while they wait, whatever is asked";
            return Err(["wait otherwise than by polling".into(), help.into()]);
        }
        let set =
            if self.cache.as_deref() == Some("cold") { Some("memory") } else { self.working_set.as_deref() };
        if let Some(set) = set {
            let size = working_set(set, &caches())
                .map_err(|error| [error.to_string(), "give --working-set SIZE, such as 64MiB".to_owned()])?;
            plan.common.memory.working_set = Some(size);
        }
        Ok(Plan { common: plan.common, task: Task::Curve(curve) })
    }
}

fn read(path: &std::path::Path) -> Result<Plan, [String; 2]> {
    let what = |error: &dyn std::fmt::Display| {
        let help = "`linerate-mpi measure --print-plan` writes a plan to begin with";
        [format!("read the plan {}: {error}", path.display()), help.to_owned()]
    };
    let text = std::fs::read_to_string(path).map_err(|error| what(&error))?;
    Plan::from_toml(&text).map_err(|error| what(&error))
}

impl BandwidthArgs {
    fn plan(&self) -> Plan {
        let mut common = Common { time: WINDOW_TIME, ..Common::default() };
        let mut curve = CurvePlan {
            pattern: Pattern::OneWay,
            schedule: Schedule::Octave(1),
            to: Some(LARGEST_OF_WINDOW),
            ..CurvePlan::default()
        };
        self.sizes.over(&mut common, &mut curve);
        common.mpi.window = Some(self.window);
        Plan { common, task: Task::Curve(curve) }
    }
}

impl CollectivesArgs {
    fn plan(&self) -> Result<Plan, [String; 2]> {
        let calls: Result<Vec<Vec<Call>>, String> = self.calls.iter().map(|text| Call::named(text)).collect();
        let calls = calls.map_err(|error| {
            [format!("choose collectives: {error}"), "give one of these names, or all".into()]
        })?;
        let mut mesh = MeshPlan {
            schedules: Vec::new(),
            collectives: calls.concat(),
            collective_sizes: self.sizes.clone(),
            recheck: 0,
            repeat: 1,
            ..MeshPlan::default()
        };
        lay(self.visit.as_ref(), &mut mesh.visit);
        Ok(Plan { common: Common::default(), task: Task::Mesh(mesh) })
    }
}

impl MeshArgs {
    fn plan(&self) -> Plan {
        let mut mesh = MeshPlan::default();
        for (given, over) in [(&self.latency, &mut mesh.latency), (&self.throughput, &mut mesh.throughput)] {
            if !given.is_empty() {
                over.clone_from(given);
            }
        }
        if !self.schedules.is_empty() {
            mesh.schedules.clone_from(&self.schedules);
        }
        lay(self.visit.as_ref(), &mut mesh.visit);
        lay(self.repeat.as_ref(), &mut mesh.repeat);
        Plan { common: Common::default(), task: Task::Mesh(mesh) }
    }
}

impl Command {
    /// The options of its output.
    #[must_use]
    pub const fn output(&self) -> &OutputArgs {
        match self {
            Self::Measure(args) => &args.output,
            Self::Bandwidth(args) => &args.output,
            Self::Collectives(args) => &args.output,
            Self::Mesh(args) => &args.output,
            Self::App(args) => args.output(),
        }
    }

    /// Everything that is asked, checked.
    ///
    /// # Errors
    ///
    /// What could not be done, to stand behind "failed to", and what to do.
    pub fn plan(&self) -> Result<Plan, [String; 2]> {
        let mut plan = match self {
            Self::Measure(args) => args.plan()?,
            Self::Bandwidth(args) => args.plan(),
            Self::Collectives(args) => args.plan()?,
            Self::Mesh(args) => args.plan(),
            Self::App(args) => args.plan()?,
        };
        plan.common.transport = Transport::Mpi;
        // What an MPI does anyway.
        plan.common.socket.wait = Waiting::Spin;
        self.output().over(&mut plan.common.output);
        plan.check().map_err(|error| {
            [
                format!("carry out the plan: {error}"),
                "change the value on the command line or in the plan file".into(),
            ]
        })?;
        refuse_mixed(&plan)?;
        Ok(plan)
    }
}

/// Refuses options that have no meaning together.
fn refuse_mixed(plan: &Plan) -> Result<(), [String; 2]> {
    let Some(curve) = plan.curve() else { return Ok(()) };
    let asked = &plan.common.mpi;
    let windowed = asked.window.is_some_and(|window| window > 1);
    let posted = windowed || asked.receive == Receive::Posted;
    let (what, help) = if curve.repeat > 1 || curve.stages.is_some() {
        ("repeat passes or show stages over an MPI", "leave --repeat and --stages out of the plan")
    } else if asked.receive == Receive::Unexpected && (windowed || curve.pattern == Pattern::Exchange) {
        (
            "receive messages unexpected where both ends send at once or many are on their way",
            "choose --pattern ping-pong or one-way, without --window",
        )
    } else if windowed && curve.pattern == Pattern::PingPong {
        (
            "have several messages on their way in a ping-pong",
            "leave --window out, or choose --pattern one-way or exchange",
        )
    } else if posted && !plan.common.memory.is_plain() {
        (
            "choose the memory of messages whose receives are posted",
            "leave --cache, --working-set and the plan's [memory] out, or --receive posted and --window",
        )
    } else {
        return Ok(());
    };
    Err([what.into(), help.into()])
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn plan(flags: &str) -> Result<Plan, [String; 2]> {
        let words = ["linerate-mpi"].into_iter().chain(flags.split_whitespace());
        Cli::try_parse_from(words).expect(flags).command.plan()
    }

    #[test]
    fn flags_reach_the_plan_and_the_plan_is_one_of_linerate() {
        let plan = plan(
            "measure --pattern exchange --schedule list:1,8 --time 3s --rounds 4 --seed 7 --receive posted",
        )
        .expect("it can be carried out");
        let expected = "transport = 'mpi'\npattern = 'exchange'\nschedule = 'list:1,8'\ntime = '3s'\nrounds = 4\nseed = 7\n\
            [mpi]\nreceive = 'posted'\n[socket]\nwait = 'spin'";
        assert_eq!(plan, Plan::from_toml(expected).expect("a plan"));
        assert_eq!(Plan::from_toml(&plan.to_toml()).expect("its own text"), plan);
    }

    #[test]
    fn what_has_no_meaning_together_is_refused() {
        for (flags, why) in [
            ("measure --wait block", "polling"),
            ("measure --receive unexpected --pattern exchange", "both ends send at once"),
            ("measure --window 8", "ping-pong"),
            ("measure --window 2000 --pattern one-way", "window is 2000"),
            ("measure --receive posted --working-set 1MiB", "memory of messages"),
            ("collectives --calls allgossip", "allgossip"),
        ] {
            let [what, help] = plan(flags).expect_err(flags);
            assert!(what.contains(why), "{flags}: {what}");
            assert!(!help.is_empty());
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }
}
