//! The flags of `linerate rr`.

use std::path::PathBuf;

use linerate_core::plan::{Common, Plan, Task};
use linerate_core::traffic::{DATAGRAM_TAG, RrPlan};
use linerate_core::units::{Size, Span};

use super::shared::{KeyArgs, LoadPathArgs, PlanArgs, lay, lay_option};

/// Default of `--rate` beside bulk. Unit: requests a second.
const UNDER_LOAD: f64 = 200.0;
/// Default of `--time` for requests.
const TIME: Span = Span::from_ms(10_000);

#[derive(Debug, Default, clap::Args)]
pub(crate) struct RrArgs {
    /// The peer, where `linerate serve` runs; without it one is started on this host's loopback.
    #[arg(value_name = "HOST[:PORT]")]
    host: Option<String>,
    #[command(flatten)]
    pub(crate) key: KeyArgs,
    #[command(flatten)]
    requests: RequestArgs,
    #[command(flatten)]
    path: LoadPathArgs,
    /// Also write the latencies as a log of HdrHistogram, which its tools read.
    #[arg(long, value_name = "X.hlog")]
    pub(crate) hdr: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Requests")]
struct RequestArgs {
    /// Ask for so long, warm-up not counted [default: 10s].
    #[arg(long, value_name = "TIME", conflicts_with = "count")]
    time: Option<Span>,
    /// Ask exactly so often in each flow.
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Bytes of a request [default: 1; 16 on datagrams].
    #[arg(long, value_name = "SIZE")]
    request: Option<Size>,
    /// Bytes of a response [default: 1; 16 on datagrams].
    #[arg(long, value_name = "SIZE")]
    response: Option<Size>,
    /// Flows that ask at the same time, a pinned thread each [default: 1].
    #[arg(long, value_name = "N")]
    flows: Option<u32>,
    /// Requests under way at the same time in each flow [default: 1].
    #[arg(long, value_name = "K", conflicts_with = "rate")]
    depth: Option<u32>,
    /// Ask so often a second over all flows, whether or not responses have come (an open loop);
    /// the latency counts from the moment at which the request was due.
    #[arg(long, value_name = "PER_SECOND")]
    rate: Option<f64>,
    /// Make a connection for every transaction.
    #[arg(long)]
    connect: bool,
    /// Count the transactions of the first so much time, but leave them out of the latencies
    /// [default: 0s].
    #[arg(long, value_name = "TIME")]
    warm_up: Option<Span>,
    /// Then ask again beside N bulk flows, in one direction and in the other; then 200 a second
    /// unless --rate or --depth says otherwise.
    #[arg(long, value_name = "N")]
    under_load: Option<u32>,
}

impl RrArgs {
    /// The plan in `base` with every flag that was given laid over it. If `base` has another task,
    /// the requests are the usual ones.
    pub(crate) fn over(&self, base: Option<Plan>) -> Plan {
        let base = base.unwrap_or_else(|| Plan {
            common: Common { time: TIME, ..Common::default() },
            ..Plan::default()
        });
        let Plan { mut common, task } = base;
        let mut rr = if let Task::Requests(rr) = task { rr } else { RrPlan::default() };
        lay_option(&self.host, &mut common.host);
        lay(self.requests.time.as_ref(), &mut common.time);
        self.requests.over(&mut rr);
        self.path.over(&mut common);
        if common.transport.is_datagram() {
            // Each carries its number, so that a late response is not taken for the next.
            rr.request = rr.request.max(Size(DATAGRAM_TAG));
            rr.response = rr.response.max(Size(DATAGRAM_TAG));
            lay(self.requests.request.as_ref(), &mut rr.request);
            lay(self.requests.response.as_ref(), &mut rr.response);
        }
        Plan { common, task: Task::Requests(rr) }
    }
}

impl RequestArgs {
    fn over(&self, rr: &mut RrPlan) {
        if self.time.is_some() || self.count.is_some() {
            rr.count = self.count;
        }
        lay(self.request.as_ref(), &mut rr.request);
        lay(self.response.as_ref(), &mut rr.response);
        lay(self.flows.as_ref(), &mut rr.flows);
        lay(self.depth.as_ref(), &mut rr.depth);
        lay_option(&self.rate, &mut rr.rate);
        rr.connect |= self.connect;
        lay(self.warm_up.as_ref(), &mut rr.warm_up);
        lay(self.under_load.as_ref(), &mut rr.under_load);
        // A closed loop asks most often while the queue happens to be empty, and sees little of it.
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

    fn plan(flags: &str) -> Plan {
        let words = ["linerate", "rr"].into_iter().chain(flags.split_whitespace());
        let Ok(Cli { command: Some(Command::Rr(args)) }) = Cli::try_parse_from(words) else {
            panic!("{flags} is an rr command");
        };
        args.over(None)
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
}
