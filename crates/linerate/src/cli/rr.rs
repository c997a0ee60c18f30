//! The flags of `linerate rr`.

use std::path::PathBuf;

use linerate_core::plan::{Common, Plan, Task};
use linerate_core::traffic::{DATAGRAM_TAG, RrPlan};
use linerate_core::units::{Size, Span};

use super::lab::InLabArgs;
use super::path::PathArgs;
use super::shared::{
    ExplainArgs, OnModelArgs, OutputArgs, PeerArgs, PlanArgs, lay, lay_option, parse_switch,
};

/// Default of `--rate` beside bulk. Unit: requests a second.
const UNDER_LOAD: f64 = 200.0;
/// Default of `--time` for requests.
const TIME: Span = Span::from_ms(10_000);

#[derive(Debug, Default, clap::Args)]
pub(crate) struct RrArgs {
    /// Host that runs `linerate serve` [default: loopback]
    ///
    /// With --model, this is the number of the responding station [default: the last].
    #[arg(value_name = "HOST[:PORT]")]
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
    /// Also write the latencies as an HdrHistogram log
    #[arg(long, value_name = "X.hlog", help_heading = "Output", hide_short_help = true)]
    pub(crate) hdr: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Question")]
struct QuestionArgs {
    /// Send requests for this long [default: 10s]
    ///
    /// Warm-up does not count.
    #[arg(long, short, value_name = "TIME", conflicts_with = "count")]
    time: Option<Span>,
    /// Send exactly this many requests in each flow
    #[arg(long, value_name = "N", hide_short_help = true)]
    count: Option<u64>,
    /// Bytes per request [default: 1; 16 on datagrams]
    #[arg(long, value_name = "SIZE")]
    request: Option<Size>,
    /// Bytes per response [default: 1; 16 on datagrams]
    #[arg(long, value_name = "SIZE")]
    response: Option<Size>,
    /// Concurrent flows, one pinned thread each [default: 1]
    #[arg(long, short = 'P', value_name = "N", hide_short_help = true)]
    flows: Option<u32>,
    /// Requests in flight in each flow [default: 1]
    #[arg(long, value_name = "K", conflicts_with = "rate", hide_short_help = true)]
    depth: Option<u32>,
    /// Send this many requests a second (an open loop)
    ///
    /// The rate is that of all flows together, and does not wait for responses. Each latency counts
    /// from the moment at which the request was due.
    #[arg(long, value_name = "PER_SECOND", hide_short_help = true)]
    rate: Option<f64>,
    /// Open a new connection for every transaction
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on",
          value_parser = parse_switch, hide_short_help = true)]
    connect: Option<bool>,
    /// Measure again beside N bulk flows
    ///
    /// First with bulk in one direction, then in the other. The requests then come at 200 a second, unless --rate or --depth is given.
    #[arg(long, value_name = "N")]
    under_load: Option<u32>,
    #[command(flatten)]
    explain: ExplainArgs,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Certainty")]
struct CertaintyArgs {
    /// Exclude this initial period from the latencies [default: 0s]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    warm_up: Option<Span>,
}

impl RrArgs {
    /// What is done if nothing is asked.
    pub(crate) fn usual() -> Plan {
        Plan { common: Common { time: TIME, ..Common::default() }, ..Plan::default() }
    }

    /// The plan in `base` with the given flags over it. If `base` has another task, the requests
    /// have their defaults.
    pub(crate) fn over(&self, base: Plan) -> Plan {
        let Plan { mut common, task } = base;
        let mut rr = if let Task::Requests(rr) = task { rr } else { RrPlan::default() };
        lay_option(&self.host, &mut common.host);
        self.path.over(&mut common);
        lay(self.question.time.as_ref(), &mut common.time);
        self.question.over(&mut rr);
        self.question.explain.over(&mut common);
        lay(self.certainty.warm_up.as_ref(), &mut rr.warm_up);
        self.output.over(&mut common.output);
        if common.transport.is_datagram() {
            // Each carries its number, so that a late response is not taken for the next.
            rr.request = rr.request.max(Size(DATAGRAM_TAG));
            rr.response = rr.response.max(Size(DATAGRAM_TAG));
            lay(self.question.request.as_ref(), &mut rr.request);
            lay(self.question.response.as_ref(), &mut rr.response);
        }
        Plan { common, task: Task::Requests(rr) }
    }
}

impl QuestionArgs {
    fn over(&self, rr: &mut RrPlan) {
        if self.time.is_some() || self.count.is_some() {
            rr.count = self.count;
        }
        lay(self.request.as_ref(), &mut rr.request);
        lay(self.response.as_ref(), &mut rr.response);
        lay(self.flows.as_ref(), &mut rr.flows);
        lay(self.depth.as_ref(), &mut rr.depth);
        lay_option(&self.rate, &mut rr.rate);
        lay(self.connect.as_ref(), &mut rr.connect);
        lay(self.under_load.as_ref(), &mut rr.under_load);
        // A closed loop sends most of its requests while the queue is empty, and so sees little of
        // it.
        if rr.under_load > 0 && rr.rate.is_none() && self.depth.is_none() {
            rr.rate = Some(UNDER_LOAD);
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};

    fn args(flags: &str) -> RrArgs {
        let words = ["linerate", "rr"].into_iter().chain(flags.split_whitespace());
        let Ok(Cli { command: Command::Rr(args), .. }) = Cli::try_parse_from(words) else {
            panic!("{flags} is an rr command");
        };
        *args
    }

    fn plan(flags: &str) -> Plan {
        args(flags).over(RrArgs::usual())
    }

    #[test]
    fn every_flag_reaches_its_field_of_the_plan() {
        let asked = plan(
            "node7 --count 9 --request 4KiB --response 2 --flows 3 --rate 1000.5 --connect --warm-up 1s --under-load 4",
        );
        let expected = "host = 'node7'\ntime = '10s'\n[rr]\ncount = 9\nrequest = 4096\nresponse = 2\nflows = 3\n\
             rate = 1000.5\nconnect = true\nwarm-up = '1s'\nunder-load = 4";
        assert_eq!(asked, Plan::from_toml(expected).expect("a plan"));
        assert_eq!(plan("--depth 8").requests().expect("requests").depth, 8);
    }

    #[test]
    fn connect_can_be_turned_on_and_off() {
        let base = Plan::from_toml("[rr]\nconnect = true").expect("a plan");
        let over = |flags: &str| args(flags).over(base.clone());
        assert!(!over("--connect=off").requests().expect("requests").connect);
        assert_eq!(over("--connect"), base);
        assert_eq!(over(""), base);
    }
}
