//! The flags of `linerate measure`, and the plan that they and a plan file make.

use clap::builder::TypedValueParser as _;
use clap::builder::{PossibleValue, PossibleValuesParser};
use linerate_core::pattern::Pattern;
use linerate_core::plan::{Common, CurvePlan, Plan, Task};
use linerate_core::schedule::Schedule;
use linerate_core::units::{Size, Span};

use super::lab::InLabArgs;
use super::path::PathArgs;
use super::shared::{ExplainArgs, OnModelArgs, OutputArgs, PeerArgs, PlanArgs, lay, lay_option, parse_share};

#[derive(Debug, Default, clap::Args)]
pub(crate) struct MeasureArgs {
    /// Host that runs `linerate serve` [default: loopback]
    #[arg(value_name = "HOST[:PORT]", conflicts_with = "model")]
    host: Option<String>,
    #[command(flatten)]
    pub(crate) peer: PeerArgs,
    #[command(flatten)]
    question: QuestionArgs,
    #[command(flatten)]
    certainty: CertaintyArgs,
    #[command(flatten)]
    path: PathArgs,
    #[command(flatten)]
    pub(crate) lab: InLabArgs,
    #[command(flatten)]
    pub(crate) model: OnModelArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Question")]
struct QuestionArgs {
    /// Traffic pattern [default: ping-pong]
    #[arg(long, value_parser = pattern_parser(), hide_short_help = true)]
    pattern: Option<Pattern>,
    #[command(flatten)]
    sizes: SizeArgs,
    /// After the curve, show the stages of single messages, from both kernels' timestamps
    ///
    /// Times N messages at each of up to 24 sizes, none above 64 KiB [default: off; N is 50 if left out].
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "50",
          hide_short_help = true)]
    stages: Option<u32>,
    #[command(flatten)]
    explain: ExplainArgs,
}

/// Which sizes.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Question")]
pub struct SizeArgs {
    /// Sizes: netpipe (default), octave:N or list:A,B,..
    #[arg(long, value_name = "SCHEDULE")]
    schedule: Option<Schedule>,
    /// Smallest size [default: 1]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    min_size: Option<Size>,
    /// Largest size, such as 64KiB [default: 10 MB]
    #[arg(long, value_name = "SIZE", long_help = "Largest size [default: 10000000; all sizes of list:]")]
    max_size: Option<Size>,
    /// Also measure this many bytes below and above each size [default: 3 for netpipe, else 0]
    #[arg(long, value_name = "BYTES", hide_short_help = true)]
    perturb: Option<Size>,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Certainty")]
struct CertaintyArgs {
    #[command(flatten)]
    effort: EffortArgs,
    /// Whole passes over new connections [default: 1]
    ///
    /// With several, intervals are from pass to pass: they cover what differs between runs.
    #[arg(long, value_name = "N")]
    repeat: Option<u32>,
    /// Seed of the order of sizes and of the payload [default: 1]
    #[arg(long, value_name = "N", hide_short_help = true)]
    seed: Option<u64>,
}

/// How long, and how precisely.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Certainty")]
pub struct EffortArgs {
    /// Time to verify and measure [default: 20s]
    ///
    /// With --repeat, each pass has this time.
    #[arg(long, short, value_name = "TIME")]
    time: Option<Span>,
    /// Target half-width of each size's 95 % interval, as a share of its median [default: 2%]
    #[arg(long, value_name = "SHARE", value_parser = parse_share, hide_short_help = true)]
    ci: Option<f64>,
    /// Rounds over all sizes, before the remaining time goes to the widest intervals [default: 9]
    #[arg(long, value_name = "N", hide_short_help = true)]
    rounds: Option<u32>,
}

impl MeasureArgs {
    /// The plan in `base` with the given flags over it. If `base` has another task, the curve has
    /// its defaults.
    pub(crate) fn over(&self, base: Plan) -> Plan {
        let Plan { mut common, task } = base;
        let mut curve = if let Task::Curve(curve) = task { curve } else { CurvePlan::default() };
        lay_option(&self.host, &mut common.host);
        self.path.over(&mut common);
        self.question.over(&mut curve);
        self.question.explain.over(&mut common);
        self.certainty.over(&mut common, &mut curve);
        self.output.over(&mut common.output);
        Plan { common, task: Task::Curve(curve) }
    }
}

impl QuestionArgs {
    fn over(&self, curve: &mut CurvePlan) {
        lay(self.pattern.as_ref(), &mut curve.pattern);
        self.sizes.over(curve);
        lay_option(&self.stages, &mut curve.stages);
    }
}

impl SizeArgs {
    /// Puts the given flags over what is asked of a curve.
    pub fn over(&self, curve: &mut CurvePlan) {
        lay(self.schedule.as_ref(), &mut curve.schedule);
        lay_option(&self.min_size, &mut curve.from);
        lay_option(&self.max_size, &mut curve.to);
        lay_option(&self.perturb, &mut curve.perturb);
    }
}

impl EffortArgs {
    /// Puts the given flags over what is asked.
    pub fn over(&self, common: &mut Common, curve: &mut CurvePlan) {
        lay(self.time.as_ref(), &mut common.time);
        lay(self.ci.as_ref(), &mut curve.ci);
        lay(self.rounds.as_ref(), &mut curve.rounds);
    }
}

impl CertaintyArgs {
    fn over(&self, common: &mut Common, curve: &mut CurvePlan) {
        self.effort.over(common, curve);
        lay(self.seed.as_ref(), &mut common.seed);
        lay(self.repeat.as_ref(), &mut curve.repeat);
    }
}

fn pattern_parser() -> impl clap::builder::TypedValueParser<Value = Pattern> {
    let value = |pattern: Pattern| PossibleValue::new(pattern.name()).aliases(pattern.older_name());
    PossibleValuesParser::new(Pattern::ALL.map(value)).try_map(|text| text.parse::<Pattern>())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use linerate_core::stages::DEFAULT_MESSAGES;

    use super::*;
    use crate::cli::{Cli, Command};

    fn args(flags: &str) -> MeasureArgs {
        let words = ["linerate", "measure"].into_iter().chain(flags.split_whitespace());
        let Ok(Cli { command: Command::Measure(args), .. }) = Cli::try_parse_from(words) else {
            panic!("{flags} is a measure command");
        };
        *args
    }

    fn plan(flags: &str) -> Plan {
        args(flags).over(Plan::default())
    }

    #[test]
    fn every_flag_reaches_its_field_of_the_plan() {
        let plan = plan(
            "node7:99 --pattern exchange --schedule octave:4 --min-size 2 --max-size 64KiB --perturb 5 --time 3s --ci 5% \
             --rounds 9 --repeat 3 --seed 4 --stages=20 --sndbuf 1 --rcvbuf 2 --nodelay off --congestion reno --mss 536 --dscp 46 \
             --busy-poll 50 --wait spin --cpu-latency 0 --io sendmsg --bind 127.0.0.1 --bind-dev lo --pin 0,1 -6 --out a --report b --format np --label kernel=6.18",
        );
        let expected = "host = 'node7:99'\npattern = 'exchange'\nschedule = 'octave:4'\nfrom = 2\nto = 65536\n\
             perturb = 5\ntime = '3s'\nci = 0.05\nrounds = 9\nrepeat = 3\nseed = 4\nstages = 20\n\
             [socket]\nsndbuf = 1\nrcvbuf = 2\nnodelay = false\ncongestion = 'reno'\nmss = 536\ndscp = 46\n\
             busy-poll = 50\nwait = 'spin'\nio = 'sendmsg'\n[local]\nbind = '127.0.0.1'\nbind-dev = 'lo'\nfamily = '6'\npin = 0\ncpu-latency-us = 0\n\
             [remote]\npin = 1\ncpu-latency-us = 0\n[output]\nout = 'a'\nreport = 'b'\nformat = 'np'\nlabels = { kernel = '6.18' }";
        assert_eq!(plan, Plan::from_toml(expected).expect("a plan"));
    }

    #[test]
    fn stages_need_no_number_and_take_no_host_for_one() {
        let plan = plan("--stages node7");
        let stages = plan.curve().and_then(|curve| curve.stages);
        assert_eq!((stages, plan.common.host.as_deref()), (Some(DEFAULT_MESSAGES), Some("node7")));
    }

    #[test]
    fn a_flag_that_is_not_given_leaves_the_plan_file_alone() {
        let base = Plan::from_toml("pattern = 'stream'\n[remote]\npin = 3").expect("a plan");
        let args = MeasureArgs::default();
        assert_eq!(args.over(base.clone()), base);
    }

    #[test]
    fn the_older_name_of_a_pattern_is_understood_and_not_listed() {
        let pattern = |flags| plan(flags).curve().map(|curve| curve.pattern);
        assert_eq!(pattern("--pattern stream"), Some(Pattern::OneWay));
        assert_eq!(pattern("--pattern one-way"), Some(Pattern::OneWay));
        let refused =
            Cli::try_parse_from(["linerate", "measure", "--pattern", "x"]).expect_err("none of them");
        let said = refused.to_string();
        assert!(said.contains("one-way") && !said.contains("stream"), "{said}");
    }

    #[test]
    fn a_switch_of_the_plan_can_be_turned_on_and_off() {
        let base = Plan::from_toml(
            "transport = 'udp'\n[socket]\ngso = true\ngro = true\ndont-fragment = true\nnodelay = true\n\
             [memory]\ntouch = true\nhuge-pages = true",
        )
        .expect("a plan");
        let over = |flags: &str, base: Plan| args(flags).over(base);
        let off = over(
            "--gso=off --gro=off --dont-fragment=off --nodelay off --touch=off --huge-pages=off",
            base.clone(),
        );
        let plain = Plan::from_toml("transport = 'udp'\n[socket]\nnodelay = false").expect("a plan");
        assert_eq!(off, plain);
        let bare = over("--gso --gro --dont-fragment --nodelay on --touch --huge-pages", plain.clone());
        assert_eq!(bare, base);
        assert_eq!(
            over("--gso=on --gro=on --dont-fragment=on --nodelay on --touch=on --huge-pages=on", plain),
            base
        );
    }

    #[test]
    fn no_report_is_a_part_of_the_plan_and_quiet_is_not() {
        let none = Plan::from_toml("[output]\nreport = 'none'").expect("a plan");
        assert_eq!(plan("--no-report -q"), none);
        assert_eq!(args("--report x.html").over(none).common.output.report.as_deref(), Some("x.html"));
    }

    #[test]
    fn the_command_line_is_consistent() {
        crate::cli::command().debug_assert();
    }
}
