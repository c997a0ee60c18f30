//! The flags of `linerate stream`.

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use linerate_core::grid::{Axis, Grid, TwiceError};
use linerate_core::plan::{Common, Plan, StreamTask, Task};
use linerate_core::traffic::{Direction, StreamPlan};
use linerate_core::units::{Rate, Size, Span};

use super::lab::InLabArgs;
use super::path::PathArgs;
use super::shared::{ExplainArgs, OnModelArgs, OutputArgs, PeerArgs, PlanArgs, lay, lay_option};

/// Default of `--time` for a stream.
const TIME: Span = Span::from_ms(10_000);

#[derive(Debug, Default, clap::Args)]
pub(crate) struct StreamArgs {
    /// Hosts that serve, or iperf3://HOST [default: loopback]
    ///
    /// They run `linerate serve`, with the same key; iperf3:// is a server of iperf3 (`iperf3 -s`), alone. Each gets
    /// its own flows: one host to many, or many to one with --direction receive. With --model, these are the numbers
    /// of the responding stations, such as 1 2 3 [default: the last].
    #[arg(value_name = "HOST[:PORT]")]
    hosts: Vec<String>,
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
    /// Send for this long [default: 10s]
    ///
    /// Warm-up does not count.
    #[arg(long, short, value_name = "TIME", conflicts_with_all = ["bytes", "count"])]
    time: Option<Span>,
    /// Send exactly this many bytes in each flow
    #[arg(long, short = 'n', value_name = "SIZE", conflicts_with = "count", hide_short_help = true)]
    bytes: Option<Size>,
    /// Send exactly this many messages in each flow
    #[arg(long, value_name = "N", hide_short_help = true)]
    count: Option<u64>,
    /// Bytes per send call [default: 128KiB; one packet's worth on datagrams]
    #[arg(long, short = 'l', value_name = "SIZE", hide_short_help = true)]
    message: Option<Size>,
    /// Flows in each direction, to each host [default: 1]
    #[arg(long, short = 'P', value_name = "N")]
    flows: Option<u32>,
    /// Share this many threads among the flows [default: one per flow; above 64 flows, one per processor]
    #[arg(long, value_name = "N", hide_short_help = true)]
    threads: Option<u32>,
    /// Direction: send, receive (-R) or both [default: send]
    #[arg(long, value_name = "WAY", value_parser = direction_parser(), hide_possible_values = true)]
    direction: Option<Direction>,
    /// The same as --direction receive
    #[arg(short = 'R', conflicts_with = "direction", hide_short_help = true)]
    reverse: bool,
    /// Limit the payload rate, such as 100M or 2.5G bit/s
    ///
    /// The limit holds for all flows of a direction and all hosts together. k, M, G and T are powers of 1000.
    #[arg(long, short = 'b', value_name = "RATE")]
    rate: Option<Rate>,
    /// Read no faster than this in the receiving application, such as 100M
    ///
    /// The receiver pauses after each read, as a slow application does, so its buffer fills. The limit holds for
    /// all flows of a direction and all hosts together, in bit/s of payload. It first reads out what the buffers
    /// hold when the time is over.
    #[arg(long, value_name = "RATE", hide_short_help = true)]
    read_rate: Option<Rate>,
    /// Report a flow as stalled if no byte moves for this long [default: 1s]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    stall: Option<Span>,
    /// Run one transfer per value, or per pair of values, as rows of a table
    ///
    /// `buffers=8KiB,64KiB` sets the send and receive buffers at both ends; `auto` leaves them to the
    /// kernel. `messages=1KiB,64KiB` sets the bytes per send call.
    #[arg(long, value_name = "KEY=A,B,..", num_args = 1..=2, value_parser = parse_axis, hide_short_help = true)]
    table: Vec<Axis>,
    #[command(flatten)]
    explain: ExplainArgs,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Certainty")]
struct CertaintyArgs {
    /// Exclude this initial period from the rate [default: 0s]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    warm_up: Option<Span>,
    /// Print progress this often [default: 1s]
    ///
    /// The intervals also show how steady the rate was.
    #[arg(long, short, value_name = "TIME", hide_short_help = true)]
    interval: Option<Span>,
}

impl StreamArgs {
    /// What is done if nothing is asked.
    pub(crate) fn usual() -> Plan {
        Plan { common: Common { time: TIME, ..Common::default() }, ..Plan::default() }
    }

    /// The plan in `base` with the given flags over it. If `base` has another task, the bulk has
    /// its defaults.
    ///
    /// # Errors
    ///
    /// When the table has a key twice.
    pub(crate) fn over(&self, base: Plan) -> Result<Plan, TwiceError> {
        let Plan { mut common, task } = base;
        let mut stream = if let Task::Stream(stream) = task { stream } else { StreamTask::default() };
        if let Some((first, others)) = self.hosts.split_first() {
            common.host = Some(first.clone());
            stream.more_hosts = others.to_vec();
        }
        self.path.over(&mut common);
        lay(self.question.time.as_ref(), &mut common.time);
        self.question.over(&mut stream.bulk);
        self.question.explain.over(&mut common);
        if !self.question.table.is_empty() {
            stream.table = Grid::new(self.question.table.clone())?;
        }
        lay(self.certainty.warm_up.as_ref(), &mut stream.bulk.warm_up);
        lay(self.certainty.interval.as_ref(), &mut stream.bulk.interval);
        self.output.over(&mut common.output);
        Ok(Plan { common, task: Task::Stream(stream) })
    }
}

impl QuestionArgs {
    fn over(&self, stream: &mut StreamPlan) {
        if self.time.is_some() || self.bytes.is_some() || self.count.is_some() {
            (stream.bytes, stream.count) = (self.bytes, self.count);
        }
        lay_option(&self.message, &mut stream.message);
        lay(self.flows.as_ref(), &mut stream.flows);
        lay_option(&self.threads, &mut stream.threads);
        let reverse = self.reverse.then_some(&Direction::Receive);
        lay(self.direction.as_ref().or(reverse), &mut stream.direction);
        lay_option(&self.rate, &mut stream.rate);
        lay_option(&self.read_rate, &mut stream.read_rate);
        lay(self.stall.as_ref(), &mut stream.stall);
    }
}

fn direction_parser() -> impl clap::builder::TypedValueParser<Value = Direction> {
    PossibleValuesParser::new(Direction::ALL.map(Direction::name)).try_map(|text| text.parse::<Direction>())
}

fn parse_axis(text: &str) -> Result<Axis, String> {
    text.parse::<Axis>().map_err(|error| format!("{error}; write buffers=8KiB,64KiB or messages=1KiB"))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};

    fn args(flags: &str) -> StreamArgs {
        let words = ["linerate", "stream"].into_iter().chain(flags.split_whitespace());
        let Ok(Cli { command: Command::Stream(args), .. }) = Cli::try_parse_from(words) else {
            panic!("{flags} is a stream command");
        };
        *args
    }

    #[test]
    fn every_flag_reaches_its_field_of_the_plan() {
        let plan = args(
            "node7 node8:99 --count 9 --message 4KiB --flows 3 --threads 2 --direction both --rate 2.5G --read-rate 1G --interval 100ms \
             --warm-up 1s --stall 2s --transport udp --io zerocopy,truncate --working-set 4MiB --touch --offset 7 \
             --huge-pages",
        )
        .over(StreamArgs::usual())
        .expect("no key twice");
        let expected = "host = 'node7'\nmore-hosts = ['node8:99']\ntransport = 'udp'\ntime = '10s'\n\
             [stream]\ncount = 9\nmessage = 4096\nflows = 3\nthreads = 2\ndirection = 'both'\nrate = '2.5G'\nread-rate-bps = 1e9\n\
             interval = '100ms'\nwarm-up = '1s'\nstall = '2s'\n\
             [socket]\nio = 'zerocopy'\nreceive-io = 'truncate'\n\
             [memory]\nworking-set = 4194304\ntouch = true\noffset = 7\nhuge-pages = true";
        assert_eq!(plan, Plan::from_toml(expected).expect("a plan"));
    }

    #[test]
    fn letters_mean_what_they_mean_to_iperf3() {
        let plan = |flags: &str| args(flags).over(StreamArgs::usual()).expect("no key twice");
        for (letters, words) in [
            (
                "-t 5 -P 4 -R -u -b 1G -l 1K -i 1",
                "--time 5s --flows 4 --direction receive --transport udp --rate 1G --message 1KiB --interval 1s",
            ),
            ("-n 1M -J", "--bytes 1MiB --format json"),
            ("-P4 -Rut5", "--flows 4 --direction receive --transport udp --time 5s"),
        ] {
            assert_eq!(plan(letters), plan(words), "{letters}");
        }
    }

    #[test]
    fn a_bound_that_is_given_replaces_the_plans() {
        let base = Plan::from_toml("[stream]\nbytes = 5\nflows = 2").expect("a plan");
        let over = |flags: &str| args(flags).over(base.clone()).expect("no key twice");
        let plan = over("--time 3s");
        let bulk = &plan.stream().expect("a stream").bulk;
        assert_eq!((bulk.bytes, bulk.count, bulk.flows), (None, None, 2));
        assert_eq!(over(""), base);
    }

    #[test]
    fn a_table_is_a_part_of_the_plan() {
        let plan =
            args("--table buffers=auto,8KiB messages=1,2").over(StreamArgs::usual()).expect("no key twice");
        let wanted = "time = '10s'\ntable = ['buffers=auto,8KiB', 'messages=1,2']\n[stream]";
        assert_eq!(plan, Plan::from_toml(wanted).expect("a plan"));
        let twice = args("--table messages=1 messages=2").over(StreamArgs::usual());
        assert_eq!(twice.expect_err("one key").key, "messages");
    }
}
