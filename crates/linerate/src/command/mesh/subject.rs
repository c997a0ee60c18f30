//! The ranks of hosts as the subject of a run.

use linerate_core::comm::Comm;
use linerate_core::endpoint::run_ready;
use linerate_core::mesh::{self, Asked, Mesh, Rank, RankAccount};
use linerate_core::plan::Plan;
use linerate_core::report::Report;
use linerate_core::run::{Laboratory, Run, Source};
use linerate_core::units::Span;
use linerate_net::observe::HostClock;
use linerate_net::ranks::{RankWatch, TcpComm};

use super::watcher::Watcher;
use crate::command::conduct::{Stopped, Subject, Underway, conduct};
use crate::progress::Line;
use crate::signals::Interrupt;
use crate::trouble::Trouble;

/// How long a rank may take to tell what it saw, of which it watches its noise for half a second.
const ACCOUNT: Span = Span::from_ms(20_000);

/// Ranks that have joined.
pub(super) struct Ranks {
    pub(super) comm: TcpComm,
    /// The first that is measured.
    pub(super) first: usize,
    /// A rank that does not move a byte for so long is lost.
    pub(super) patience: Span,
    pub(super) source: Source,
    pub(super) laboratory: Option<Laboratory>,
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
    fn named(&self) -> Vec<Rank> {
        let hosts: Vec<String> = self.comm.names().skip(self.first).map(str::to_owned).collect();
        numbered(&hosts)
    }

    /// Conducts the mesh of `plan` as a run, and shows the result.
    pub(super) fn measure(self, plan: Plan, line: &Line, interrupt: &Interrupt) -> Result<Report, Trouble> {
        conduct(self, plan, line, interrupt, Self::conduct)
    }

    fn conduct(&mut self, underway: &mut Underway<'_>) -> Result<(), Stopped> {
        let plan = underway.run.plan.clone();
        let Some(mesh_plan) = plan.mesh() else { unreachable!("the plan of this verb is one of a mesh") };
        let asked =
            Asked { plan: mesh_plan, seed: plan.common.seed, patience: self.patience, first: self.first };
        let named = self.named();
        let watch = (self.first == 0).then(|| RankWatch::start(&self.comm, self.clock));
        let mut watcher = Watcher::of(underway);
        let (mut mesh, ended) = run_ready(mesh::conduct(&mut self.comm, asked, named, &mut watcher));
        underway.line.doing("what the ranks saw");
        let own = watch.map(|watch| watch.finish(&self.comm, self.first));
        let told = run_ready(mesh::collect(&mut self.comm, &mut mesh, self.first, ACCOUNT));
        self.accounts = told.into_iter().map(|text| serde_json::from_str(&text?).ok()).collect();
        if let (Some(own), Some(first)) = (own, self.accounts.first_mut()) {
            *first = Some(own);
        }
        let measured = has_any(&mesh);
        let lost = mesh.lost.first().map(|lost| lost.reason.clone());
        underway.run.mesh = Some(mesh);
        if ended.is_break() {
            return Err(Stopped::Interrupted);
        }
        if measured {
            return Ok(());
        }
        let reason =
            lost.map_or_else(|| "measure any pair".to_owned(), |lost| format!("measure any pair: {lost}"));
        let trouble = Trouble::new(
            format!("failed to {reason}"),
            "look whether the ranks reach each other at the addresses by which they reached rank 0 (firewalls, routes)",
        );
        Err(Stopped::Failed { reason, trouble })
    }
}

/// Whether a pair or a collective was measured.
pub(super) fn has_any(mesh: &Mesh) -> bool {
    let mut passes = mesh.phases.iter().flat_map(|phase| &phase.rounds).flat_map(|round| &round.passes);
    !mesh.collectives.is_empty() || passes.any(|pass| pass.times.iter().any(Option::is_some))
}

/// Ranks on these hosts.
pub(super) fn numbered(hosts: &[String]) -> Vec<Rank> {
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
        self.laboratory.clone()
    }

    fn set_hosts(&self, run: &mut Run) {
        let ranks = self.comm.size() - self.first;
        let accounts = if self.accounts.is_empty() { vec![None; ranks] } else { self.accounts.clone() };
        run.set_ranks(accounts);
    }

    fn finish(&mut self) -> Result<(), Trouble> {
        Ok(())
    }
}
