//! The flags of `linerate trace`.

use std::path::PathBuf;

use linerate_core::plan::{Common, Plan, Task, TracePlan};
use linerate_core::units::{Size, Span};

use super::lab::InLabArgs;
use super::path::PathArgs;
use super::shared::{OnModelArgs, OutputArgs, PeerArgs, PlanArgs, lay, lay_option};

/// Default of `--time` for a trace.
const TIME: Span = Span::from_ms(60_000);

#[derive(Debug, Default, clap::Args)]
pub(crate) struct TraceArgs {
    /// Host that runs `linerate serve` [default: loopback]
    ///
    /// With `--allow-trace` there, programs in its kernel tell; else its timestamps.
    #[arg(value_name = "HOST[:PORT]")]
    host: Option<String>,
    #[command(flatten)]
    pub(crate) peer: PeerArgs,
    #[command(flatten)]
    question: QuestionArgs,
    #[command(flatten)]
    path: PathArgs,
    #[command(flatten)]
    pub(crate) lab: InLabArgs,
    #[command(flatten)]
    pub(crate) model: OnModelArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Also write a timeline for Perfetto
    ///
    /// In the Trace Event Format, which ui.perfetto.dev and chrome://tracing read.
    #[arg(long, value_name = "X.json", help_heading = "Output")]
    pub(crate) perfetto: Option<PathBuf>,
    /// Also write packets, with comments
    ///
    /// Those of the first messages of each size. Headers as they would be on the wire and no payload; each end is an interface. Wireshark shows the comments.
    #[arg(long, value_name = "X.pcapng", help_heading = "Output")]
    pub(crate) pcapng: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Question")]
struct QuestionArgs {
    /// Message sizes [default: 1,64,1KiB,16KiB,64KiB]
    #[arg(long, value_name = "SIZE,..", value_delimiter = ',')]
    sizes: Vec<Size>,
    /// Messages of each size, each way [default: 200]
    #[arg(long, value_name = "N")]
    messages: Option<u32>,
    /// Begin no further size after this time [default: 60s]
    #[arg(long, short, value_name = "TIME", hide_short_help = true)]
    time: Option<Span>,
    /// Only by the kernel's timestamps, without eBPF
    #[arg(long)]
    timestamps: bool,
}

impl TraceArgs {
    /// What a trace does if nothing else is asked.
    pub(crate) fn usual() -> Plan {
        Plan { common: Common { time: TIME, ..Common::default() }, ..Plan::default() }
    }

    /// The plan in `base` with the given flags over it. If `base` has another task, the trace has its defaults.
    pub(crate) fn over(&self, base: Plan) -> Plan {
        let Plan { mut common, task } = base;
        let mut trace = if let Task::Trace(trace) = task { trace } else { TracePlan::default() };
        let QuestionArgs { sizes, messages, time, timestamps } = &self.question;
        lay_option(&self.host, &mut common.host);
        self.path.over(&mut common);
        lay(time.as_ref(), &mut common.time);
        if !sizes.is_empty() {
            trace.sizes.clone_from(sizes);
        }
        lay(messages.as_ref(), &mut trace.messages);
        trace.timestamps |= timestamps;
        self.output.over(&mut common.output);
        Plan { common, task: Task::Trace(trace) }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};

    fn plan(flags: &str) -> Plan {
        let words = ["linerate", "trace"].into_iter().chain(flags.split_whitespace());
        let Ok(Cli { command: Command::Trace(args), .. }) = Cli::try_parse_from(words) else {
            panic!("{flags} is a trace command");
        };
        args.over(TraceArgs::usual())
    }

    #[test]
    fn every_flag_reaches_its_field_of_the_plan() {
        let asked = plan("node7 --sizes 1,4KiB --messages 40 --time 9s --timestamps");
        let expected =
            "host = 'node7'\ntime = '9s'\n[trace]\nsizes = [1, 4096]\nmessages = 40\ntimestamps = true";
        assert_eq!(asked, Plan::from_toml(expected).expect("a plan"));
        assert_eq!(plan("").trace(), Some(&TracePlan::default()));
    }
}
