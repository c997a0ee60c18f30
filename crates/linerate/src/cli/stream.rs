//! The flags of `linerate stream`.

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use linerate_core::grid::{Axis, Grid, TwiceError};
use linerate_core::plan::{Common, Plan, StreamTask, Task};
use linerate_core::traffic::{Direction, StreamPlan};
use linerate_core::units::{Rate, Size, Span};

use super::shared::{KeyArgs, LoadPathArgs, PlanArgs, lay, lay_option};

/// Default of `--time` for a stream.
const TIME: Span = Span::from_ms(10_000);

#[derive(Debug, Default, clap::Args)]
pub(crate) struct StreamArgs {
    /// The peers, where `linerate serve` runs with the same key, each with flows of its own: one host
    /// to many, or with --direction receive many to one. Without any, one is started on this host's
    /// loopback.
    #[arg(value_name = "HOST[:PORT]")]
    hosts: Vec<String>,
    #[command(flatten)]
    pub(crate) key: KeyArgs,
    #[command(flatten)]
    bulk: BulkArgs,
    #[command(flatten)]
    path: LoadPathArgs,
    /// One transfer for each value, or each pair of values, as rows of a table: `buffers=8KiB,64KiB`
    /// (asked of both buffers at both ends; `auto` leaves them) and `messages=1KiB,64KiB`.
    #[arg(long, value_name = "KEY=A,B,..", num_args = 1..=2, value_parser = parse_axis)]
    pub(crate) table: Vec<Axis>,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Bulk")]
struct BulkArgs {
    /// Send for so long, warm-up not counted [default: 10s].
    #[arg(long, value_name = "TIME", conflicts_with_all = ["bytes", "count"])]
    time: Option<Span>,
    /// Send exactly so many bytes in each flow.
    #[arg(long, value_name = "SIZE", conflicts_with = "count")]
    bytes: Option<Size>,
    /// Send exactly so many messages in each flow.
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Bytes that one call hands over [default: 128KiB; on datagrams what fits a packet].
    #[arg(long, value_name = "SIZE")]
    message: Option<Size>,
    /// Flows in each direction, to each host [default: 1].
    #[arg(long, value_name = "N")]
    flows: Option<u32>,
    /// Share so many threads among the flows, instead of a pinned thread for each.
    #[arg(long, value_name = "N")]
    threads: Option<u32>,
    /// Which way the bulk goes [default: send].
    #[arg(long, value_parser = direction_parser())]
    direction: Option<Direction>,
    /// Keep to this rate of payload, over all flows of a direction and all hosts: 100M, 2.5G (10^6, 10^9 bit/s).
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    rate: Option<Rate>,
    /// Say what passed so often [default: 1s].
    #[arg(long, value_name = "TIME")]
    interval: Option<Span>,
    /// Count the bytes of the first so much time, but leave them out of the rate [default: 0s].
    #[arg(long, value_name = "TIME")]
    warm_up: Option<Span>,
    /// A flow of which no byte moves for so long has stalled [default: 1s].
    #[arg(long, value_name = "TIME")]
    stall: Option<Span>,
}

impl StreamArgs {
    /// The plan in `base` with every flag that was given laid over it. If `base` has another task,
    /// the bulk is the usual one.
    ///
    /// # Errors
    ///
    /// When the table has a key twice.
    pub(crate) fn over(&self, base: Option<Plan>) -> Result<Plan, TwiceError> {
        let base = base.unwrap_or_else(|| Plan {
            common: Common { time: TIME, ..Common::default() },
            ..Plan::default()
        });
        let Plan { mut common, task } = base;
        let mut stream = if let Task::Stream(stream) = task { stream } else { StreamTask::default() };
        if let Some((first, others)) = self.hosts.split_first() {
            common.host = Some(first.clone());
            stream.more_hosts = others.to_vec();
        }
        lay(self.bulk.time.as_ref(), &mut common.time);
        self.bulk.over(&mut stream.bulk);
        if !self.table.is_empty() {
            stream.table = Grid::new(self.table.clone())?;
        }
        self.path.over(&mut common);
        Ok(Plan { common, task: Task::Stream(stream) })
    }
}

impl BulkArgs {
    fn over(&self, stream: &mut StreamPlan) {
        if self.time.is_some() || self.bytes.is_some() || self.count.is_some() {
            (stream.bytes, stream.count) = (self.bytes, self.count);
        }
        lay_option(&self.message, &mut stream.message);
        lay(self.flows.as_ref(), &mut stream.flows);
        lay_option(&self.threads, &mut stream.threads);
        lay(self.direction.as_ref(), &mut stream.direction);
        lay_option(&self.rate, &mut stream.rate);
        lay(self.interval.as_ref(), &mut stream.interval);
        lay(self.warm_up.as_ref(), &mut stream.warm_up);
        lay(self.stall.as_ref(), &mut stream.stall);
    }
}

fn direction_parser() -> impl clap::builder::TypedValueParser<Value = Direction> {
    PossibleValuesParser::new(Direction::ALL.map(Direction::name)).try_map(|text| text.parse::<Direction>())
}

/// `100M`, `2.5G`, `64k`, `1000000`: bits a second, in powers of 1000.
pub(super) fn parse_rate(text: &str) -> Result<Rate, String> {
    let bad = || format!("`{text}` is no rate; write 100M or 2.5G for 10^6 or 10^9 bit/s");
    let (number, unit) = match text.char_indices().last() {
        Some((place, 'k' | 'K')) => (&text[..place], 1e3),
        Some((place, 'M')) => (&text[..place], 1e6),
        Some((place, 'G')) => (&text[..place], 1e9),
        Some((place, 'T')) => (&text[..place], 1e12),
        _ => (text, 1.0),
    };
    let number: f64 = number.trim().parse().map_err(|_| bad())?;
    if number.is_finite() && number > 0.0 {
        Ok(Rate::from_bits_per_second(number * unit))
    } else {
        Err(bad())
    }
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
        let Ok(Cli { command: Some(Command::Stream(args)) }) = Cli::try_parse_from(words) else {
            panic!("{flags} is a stream command");
        };
        *args
    }

    #[test]
    fn every_flag_reaches_its_field_of_the_plan() {
        let plan = args(
            "node7 node8:99 --count 9 --message 4KiB --flows 3 --threads 2 --direction both --rate 2.5G --interval 100ms \
             --warm-up 1s --stall 2s --transport udp --io zerocopy,truncate --working-set 4MiB --touch --offset 7 \
             --huge-pages",
        )
        .over(None)
        .expect("no key twice");
        let expected = "host = 'node7'\nmore-hosts = ['node8:99']\ntransport = 'udp'\ntime = '10s'\n\
             [stream]\ncount = 9\nmessage = 4096\nflows = 3\nthreads = 2\ndirection = 'both'\nrate = 2.5e9\n\
             interval = '100ms'\nwarm-up = '1s'\nstall = '2s'\n\
             [socket]\nio = 'zerocopy'\nreceive-io = 'truncate'\n\
             [memory]\nworking-set = 4194304\ntouch = true\noffset = 7\nhuge-pages = true";
        assert_eq!(plan, Plan::from_toml(expected).expect("a plan"));
    }

    #[test]
    fn a_bound_that_is_given_replaces_the_plans() {
        let base = Plan::from_toml("[stream]\nbytes = 5\nflows = 2").expect("a plan");
        let over = |flags: &str| args(flags).over(Some(base.clone())).expect("no key twice");
        let plan = over("--time 3s");
        let bulk = &plan.stream().expect("a stream").bulk;
        assert_eq!((bulk.bytes, bulk.count, bulk.flows), (None, None, 2));
        assert_eq!(over(""), base);
    }

    #[test]
    fn a_table_is_a_part_of_the_plan() {
        let plan = args("--table buffers=auto,8KiB messages=1,2").over(None).expect("no key twice");
        let wanted = "time = '10s'\ntable = ['buffers=auto,8KiB', 'messages=1,2']\n[stream]";
        assert_eq!(plan, Plan::from_toml(wanted).expect("a plan"));
        let twice = args("--table messages=1 messages=2").over(None);
        assert_eq!(twice.expect_err("one key").key, "messages");
    }

    #[test]
    fn rates_are_read_as_people_write_them() {
        assert_eq!(parse_rate("2.5G"), Ok(Rate::from_mbps(2500.0)));
        for text in ["", "G", "-1M", "nan", "infM", "5 X"] {
            assert!(parse_rate(text).is_err(), "{text}");
        }
    }
}
