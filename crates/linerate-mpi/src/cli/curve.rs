//! The options of `linerate-mpi measure` and `bandwidth`.

use linerate::{EffortArgs, SizeArgs, Trouble, lay, lay_option};
use linerate_core::options::{Receive, Waiting};
use linerate_core::pattern::Pattern;
use linerate_core::plan::{Common, CurvePlan, Plan, Task};
use linerate_core::schedule::Schedule;
use linerate_core::units::{Size, Span};
use linerate_net::memory::working_set;
use linerate_net::observe::caches;

use super::Verb;

/// Messages of a window unless the user says otherwise.  Source: the OSU micro-benchmarks, option `-W`.
const DEFAULT_WINDOW: u32 = 64;
/// The largest message of a window unless the user says otherwise.  Source: the same, option `-m`.
const LARGEST_OF_WINDOW: Size = Size(4 << 20);
/// How long each direction of a window is measured unless the user says otherwise.
const WINDOW_TIME: Span = Span::from_ms(10_000);

/// Options of `measure`.
#[derive(Debug, Default, clap::Args)]
pub struct MeasureArgs {
    /// Traffic pattern: ping-pong, one-way or exchange [default: ping-pong]
    #[arg(long)]
    pattern: Option<Pattern>,
    #[command(flatten)]
    question: QuestionArgs,
    /// Receive: called, posted or unexpected [default: called]
    ///
    /// When a message is received: called (MPI_Recv when it is wanted), posted (MPI_Irecv before it can come) or unexpected
    /// (after it has come).
    #[arg(long)]
    receive: Option<Receive>,
    /// Messages on their way at once, of one-way and exchange [default: 1]
    #[arg(long, value_name = "N")]
    window: Option<u32>,
    /// Cache: warm (every message uses the same memory) or cold (messages cycle through twice the last level)
    #[arg(long, value_parser = ["warm", "cold"], hide_short_help = true)]
    cache: Option<String>,
    /// Memory that messages cycle through: a size, or l2, llc or memory
    #[arg(long, value_name = "SIZE", conflicts_with = "cache", hide_short_help = true)]
    working_set: Option<String>,
    /// How a receiver waits: only spin, which is what an MPI does
    #[arg(long, hide_short_help = true)]
    wait: Option<Waiting>,
}

/// Which sizes, and how long.
#[derive(Debug, Default, clap::Args)]
struct QuestionArgs {
    #[command(flatten)]
    sizes: SizeArgs,
    #[command(flatten)]
    effort: EffortArgs,
    /// Seed of the order of sizes and of the payload [default: 1]
    #[arg(long, value_name = "N", help_heading = "Certainty", hide_short_help = true)]
    seed: Option<u64>,
}

/// Options of `bandwidth`.
#[derive(Debug, Default, clap::Args)]
pub struct BandwidthArgs {
    #[command(flatten)]
    question: QuestionArgs,
    /// Messages on their way at once [default: 64]
    ///
    /// Fewer where they need more than 64 MiB.
    #[arg(long, value_name = "N")]
    window: Option<u32>,
}

impl QuestionArgs {
    /// What `base` asks of a curve, with the given flags over it.
    fn over(&self, base: Plan) -> (Common, CurvePlan) {
        let Plan { mut common, task } = base;
        let mut curve = if let Task::Curve(curve) = task { curve } else { CurvePlan::default() };
        self.sizes.over(&mut curve);
        self.effort.over(&mut common, &mut curve);
        lay(self.seed.as_ref(), &mut common.seed);
        (common, curve)
    }
}

impl Verb for MeasureArgs {
    const TASK: &'static str = "measure";

    fn over(&self, base: Plan) -> Result<Plan, Trouble> {
        let (mut common, mut curve) = self.question.over(base);
        lay(self.pattern.as_ref(), &mut curve.pattern);
        lay(self.receive.as_ref(), &mut common.mpi.receive);
        lay_option(&self.window, &mut common.mpi.window);
        if self.wait == Some(Waiting::Block) {
            let help = "leave --wait out: ranks of an MPI poll while they wait, whatever is asked";
            return Err(Trouble::new("failed to wait otherwise than by polling", help));
        }
        let set =
            if self.cache.as_deref() == Some("cold") { Some("memory") } else { self.working_set.as_deref() };
        if let Some(set) = set {
            let size = working_set(set, &caches()).map_err(|error| {
                Trouble::new(format!("failed to {error}"), "give --working-set SIZE, such as 64MiB")
            })?;
            common.memory.working_set = Some(size);
        }
        Ok(Plan { common, task: Task::Curve(curve) })
    }
}

impl Verb for BandwidthArgs {
    const TASK: &'static str = "measure";

    fn usual() -> Plan {
        let curve =
            CurvePlan { schedule: Schedule::Octave(1), to: Some(LARGEST_OF_WINDOW), ..CurvePlan::default() };
        Plan { common: Common { time: WINDOW_TIME, ..Common::default() }, task: Task::Curve(curve) }
    }

    fn over(&self, base: Plan) -> Result<Plan, Trouble> {
        let (mut common, mut curve) = self.question.over(base);
        curve.pattern = Pattern::OneWay;
        common.mpi.window = self.window.or(common.mpi.window).or(Some(DEFAULT_WINDOW));
        Ok(Plan { common, task: Task::Curve(curve) })
    }
}

/// Refuses options that have no meaning together.
pub(super) fn refuse_mixed(plan: &Plan) -> Result<(), Trouble> {
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
    Err(Trouble::new(format!("failed to {what}"), help))
}
