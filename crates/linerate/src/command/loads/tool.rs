//! Loads with the server of another tool.

use linerate_analysis::report::Report;
use linerate_core::host_limits::HostLimits;
use linerate_core::plan::{Plan, Tool};
use linerate_core::run::{Run, Source};
use linerate_net::peers::Iperf3;

use super::super::conduct::{Subject, Surroundings, go_on};
use super::{LoadSubject, carry};
use crate::cli::PeerArgs;
use crate::context::Context;
use crate::trouble::Trouble;

/// Carries the plan's loads between this host and the server of `tool` at `address`.
pub(super) fn with_tool(
    (tool, address): (Tool, &str),
    plan: Plan,
    peer: &PeerArgs,
    limits: Option<HostLimits>,
    around: Surroundings<'_>,
) -> Result<Report, Trouble> {
    if peer.key.key.is_some() || peer.key.key_file.is_some() {
        let what = format!("failed to prove the key to {}: it has none", tool.scheme());
        return Err(Trouble::new(what, "leave --key and --key-file out"));
    }
    let clock = around.context.clock;
    let address = address.to_owned();
    match tool {
        Tool::Iperf3 => {
            let server = Iperf3::open(&address, &plan, clock, || go_on(around.interrupt))?;
            carry(Server { server, address, around, limits, finished: false }, plan, around)
        }
    }
}

/// An iperf3 server.
struct Server<'a> {
    server: Iperf3,
    address: String,
    around: Surroundings<'a>,
    limits: Option<HostLimits>,
    finished: bool,
}

impl Subject for Server<'_> {
    fn source(&self) -> Source {
        Source::Measured
    }

    fn set_hosts(&self, run: &mut Run) {
        let (beginning, answering) = self.server.ends();
        run.set_star(beginning, answering);
        self.limits.iter().for_each(|limits| run.set_limits(limits));
    }

    fn finish(&mut self, _: &Context) -> Result<(), Trouble> {
        if !std::mem::replace(&mut self.finished, true) {
            self.server.finish();
        }
        Ok(())
    }

    fn another(&self, plan: &Plan) -> Result<Option<Self>, Trouble> {
        let around = self.around;
        let server = Iperf3::open(&self.address, plan, around.context.clock, || go_on(around.interrupt))?;
        let (address, limits) = (self.address.clone(), self.limits.clone());
        Ok(Some(Self { server, address, around, limits, finished: false }))
    }
}

impl LoadSubject for Server<'_> {
    type Carrier = Iperf3;

    fn carrier(&mut self) -> &mut Iperf3 {
        &mut self.server
    }
}
