//! The ranks of hosts as the subject of a run.

use linerate_analysis::report::Report;
use linerate_core::comm::Comm;
use linerate_core::environment::{Fact, Interface};
use linerate_core::mesh::{Rank, RankAccount};
use linerate_core::plan::Plan;
use linerate_core::run::{Laboratory, Run, Source};
use linerate_core::units::Span;
use linerate_net::observe::HostClock;
use linerate_net::ranks::{RankWatch, TcpComm};

use crate::command::conduct::{Stopped, Subject, Surroundings, Underway, conduct};
use crate::command::laboratory::Noted;
use crate::context::Context;
use crate::trouble::Trouble;

/// How long a rank may take to tell what it saw, of which it watches its noise for half a second.
pub(in crate::command) const ACCOUNT: Span = Span::from_ms(20_000);

/// Ranks that have joined.
pub(in crate::command) struct Ranks {
    pub(in crate::command) comm: TcpComm,
    /// The first that is measured.
    pub(in crate::command) first: usize,
    /// A rank that does not move a byte for so long is lost.
    pub(in crate::command) patience: Span,
    pub(super) source: Source,
    pub(super) laboratory: Option<Noted>,
    pub(super) clock: HostClock,
    /// What the ranks told of themselves, by rank.
    accounts: Vec<Option<RankAccount>>,
}

impl Ranks {
    pub(super) fn new(comm: TcpComm, first: usize, patience: Span, clock: HostClock) -> Self {
        let source = Source::Measured;
        Self { comm, first, patience, source, laboratory: None, clock, accounts: Vec::new() }
    }

    /// The ranks that are measured, by the names of their hosts: with a number where several are on one.
    pub(in crate::command) fn named(&self) -> Vec<Rank> {
        let hosts: Vec<String> = self.comm.names().skip(self.first).map(str::to_owned).collect();
        numbered(&hosts)
    }

    /// Conducts a run of `plan`, of which `work` says what rank 0 does, and shows the result.
    pub(super) fn measure(
        self,
        plan: Plan,
        around: Surroundings<'_>,
        work: impl FnOnce(&mut Self, &mut Underway<'_>) -> Result<(), Stopped>,
    ) -> Result<Report, Trouble> {
        conduct(self, plan, around, work)
    }

    /// Watches this rank, if it is measured itself.
    pub(in crate::command) fn watch(&self) -> Option<RankWatch> {
        (self.first == 0).then(|| RankWatch::start(&self.comm, self.clock))
    }

    /// Keeps what the ranks `told` of themselves, and what was seen of this one.
    pub(in crate::command) fn keep(
        &mut self,
        told: impl IntoIterator<Item = Option<String>>,
        own: Option<RankWatch>,
    ) {
        let own = own.map(|watch| watch.finish(&self.comm, self.first));
        self.accounts = told.into_iter().map(|text| serde_json::from_str(&text?).ok()).collect();
        if let (Some(own), Some(first)) = (own, self.accounts.first_mut()) {
            *first = Some(own);
        }
    }
}

/// Ranks on these hosts.
pub(in crate::command) fn numbered(hosts: &[String]) -> Vec<Rank> {
    let mut counts = std::collections::BTreeMap::new();
    for host in hosts {
        *counts.entry(host).or_insert(0_u32) += 1;
    }
    let mut given = std::collections::BTreeMap::new();
    let named = hosts.iter().enumerate().map(|(number, host)| {
        let place = given.entry(host).or_insert(0_u32);
        let name = if counts[host] == 1 { host.clone() } else { format!("{host}:{place}") };
        *place += 1;
        Rank { name, node: number as u32, ..Rank::default() }
    });
    named.collect()
}

impl Subject for Ranks {
    fn source(&self) -> Source {
        self.source.clone()
    }

    fn laboratory(&self) -> Option<Laboratory> {
        self.laboratory.as_ref().map(Noted::now)
    }

    fn set_hosts(&self, run: &mut Run) {
        let ranks = self.comm.size() - self.first;
        let accounts = if self.accounts.is_empty() { vec![None; ranks] } else { self.accounts.clone() };
        run.set_ranks(accounts);
        let nodes = run.mesh.iter().flat_map(|mesh| mesh.ranks.iter().map(|rank| rank.node as usize));
        for (rank, node) in nodes.collect::<Vec<_>>().into_iter().enumerate() {
            // A rank that is lost has told nothing but what it said when it came.
            let interface = run.nodes.get_mut(node).map(|node| &mut node.environment.interface);
            let mtu = self.comm.mtu(rank + self.first);
            if let (Some(interface), Some(mtu)) = (interface, mtu)
                && interface.known().is_none()
            {
                *interface = Fact::Known(Interface { mtu: Fact::Known(mtu), ..Interface::default() });
            }
        }
    }

    fn finish(&mut self, _: &Context) -> Result<(), Trouble> {
        Ok(())
    }
}
