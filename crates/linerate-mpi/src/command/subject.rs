//! The ranks of an MPI as the subject of a run, at rank 0.

use linerate::{Context, Stopped, Subject, Trouble, Underway};
use linerate_core::mesh::Rank;
use linerate_core::run::{Node, Path, Run, Source};
use mpi::traits::CommunicatorCollectives as _;

use super::{AllRanks, failed};
use crate::cli::Command;
use crate::host::Watching;

/// All ranks, each a node of the run.
pub(super) struct World<'a> {
    ranks: &'a AllRanks,
    /// Who sends to whom, as the run file says.
    pairs: Vec<[usize; 2]>,
    pub(super) watching: Watching,
    /// What each rank knows of itself, once they have met.
    nodes: Vec<Node>,
}

impl<'a> World<'a> {
    pub(super) fn new(ranks: &'a AllRanks, command: &Command) -> Self {
        let size = ranks.group.size();
        let pairs = match command {
            Command::Measure(_) | Command::Bandwidth(_) => {
                (0..size / 2).map(|from| [from, from + size / 2]).collect()
            }
            Command::Collectives(_) | Command::Mesh(_) | Command::App(_) => {
                (1..size).map(|to| [0, to]).collect()
            }
        };
        Self { ranks, pairs, watching: Watching::start(ranks.clock), nodes: Vec::new() }
    }

    /// Hears of every rank where it is, and notes it in the run.
    pub(super) fn meet(&mut self, underway: &mut Underway<'_>) -> Result<(), Stopped> {
        let nodes = self.ranks.group.collect(self.watching.node());
        self.nodes = nodes.map_err(|error| failed(error.into()))?;
        self.set_hosts(&mut underway.run);
        Ok(())
    }
}

impl Subject for World<'_> {
    fn source(&self) -> Source {
        let Some(first) = self.nodes.first() else { return Source::Measured };
        if self.nodes.iter().all(|node| is_together(node, first)) {
            Source::Loopback
        } else {
            Source::Measured
        }
    }

    fn set_hosts(&self, run: &mut Run) {
        concat!("linerate-mpi ", env!("CARGO_PKG_VERSION")).clone_into(&mut run.generator);
        let path = Path {
            library: Some(library_version()),
            transport: "mpi".to_owned(),
            ..run.paths.first().cloned().unwrap_or_default()
        };
        if self.nodes.is_empty() {
            run.paths = vec![path];
            return;
        }
        let between = |[from, to]: &[usize; 2]| Path {
            from: *from as u32,
            to: *to as u32,
            from_address: format!("rank {from}"),
            to_address: format!("rank {to}"),
            ..path.clone()
        };
        run.source = self.source();
        run.paths = self.pairs.iter().map(between).collect();
        run.nodes.clone_from(&self.nodes);
    }

    fn finish(&mut self, _: &Context) -> Result<(), Trouble> {
        let group = &self.ranks.group;
        group.communicator().barrier();
        for (node, saw) in self.nodes.iter_mut().zip(group.collect(self.watching.finish())?) {
            node.observation = saw;
        }
        Ok(())
    }
}

/// What the library calls itself, in one line.
fn library_version() -> String {
    let version = mpi::environment::library_version().unwrap_or_default();
    let first = version.lines().next().unwrap_or_default();
    let words = first.split(',').next().unwrap_or_default().replace("Version:", " ");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether two ranks are on one host, and see the same network there.
fn is_together(one: &Node, other: &Node) -> bool {
    let [one, other] = [&one.environment, &other.environment];
    one.same_host(other) == Some(true) && one.network_namespace == other.network_namespace
}

/// What ranks are called: their host, with a number if several ranks are there. Those of one host are of its first node.
pub(super) fn names(nodes: &[Node]) -> Vec<Rank> {
    let host = |node: &Node| node.environment.hostname.known().cloned().unwrap_or_else(|| "host".to_owned());
    let hosts: Vec<String> = nodes.iter().map(host).collect();
    let rank = |(number, name): (usize, &String)| {
        let before = hosts[..number].iter().filter(|other| *other == name).count();
        let alone = hosts.iter().filter(|other| *other == name).count() == 1;
        let name = if alone { name.clone() } else { format!("{name}#{before}") };
        let first = nodes.iter().position(|node| is_together(node, &nodes[number])).unwrap_or(number);
        Rank { name, node: first as u32, ..Rank::default() }
    };
    hosts.iter().enumerate().map(rank).collect()
}
