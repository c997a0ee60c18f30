//! The hosts of many ranks as the nodes and paths of a run.

use std::collections::BTreeMap;

use super::{Node, Path, Run};
use crate::environment::{Environment, Fact};
use crate::mesh::RankAccount;

/// What tells one host, or network namespace of a host, from another.
type Identity = (String, String);

impl Run {
    /// Takes what the ranks of its mesh tell of themselves, by rank, for its nodes and paths: a node for each host, or
    /// network namespace of a host, in the order of its first rank; a path from the first to every other. Of a rank that
    /// tells nothing only the name is known.
    pub fn set_ranks(&mut self, accounts: Vec<Option<RankAccount>>) {
        self.set_nodes(accounts, false);
    }

    /// The same of the stations of a model, each of which is a host.
    pub fn set_stations(&mut self, accounts: Vec<Option<RankAccount>>) {
        self.set_nodes(accounts, true);
    }

    fn set_nodes(&mut self, accounts: Vec<Option<RankAccount>>, each_alone: bool) {
        let Some(mut ranks) = self.ranks_mut().map(std::mem::take) else { return };
        self.nodes.clear();
        self.paths.clear();
        let mut known: BTreeMap<Identity, u32> = BTreeMap::new();
        let mut first_address = String::new();
        for (rank, account) in ranks.iter_mut().zip(accounts) {
            let silent = account.is_none();
            let account = account.unwrap_or_else(|| unknown(&rank.name));
            let RankAccount { environment, observation, address, far, near, segments } = account;
            (rank.far, rank.near, rank.segments) = (far, near, segments);
            rank.cpus.clone_from(&observation.cpus);
            rank.address.clone_from(&address);
            let next = self.nodes.len() as u32;
            let apart = silent || each_alone;
            let identity = identity(&environment, if apart { &rank.name } else { "" });
            rank.node = *known.entry(identity).or_insert(next);
            if rank.node < next {
                continue;
            }
            self.nodes.push(Node { environment, observation, limits: None });
            if next == 0 {
                first_address = address;
                continue;
            }
            let ipv6 = address.contains(':');
            let transport = self.plan.common.transport.to_string();
            let from_address = first_address.clone();
            let path =
                Path { to: next, transport, from_address, to_address: address, ipv6, ..Path::default() };
            self.paths.push(path);
        }
        if let Some(kept) = self.ranks_mut() {
            *kept = ranks;
        }
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        if self.paths.is_empty() {
            let transport = self.plan.common.transport.to_string();
            let (ipv6, to_address) = (first_address.contains(':'), first_address.clone());
            let path = Path { transport, from_address: first_address, to_address, ipv6, ..Path::default() };
            self.paths.push(path);
        }
    }
}

fn unknown(name: &str) -> RankAccount {
    let environment = Environment { hostname: Fact::Known(name.to_owned()), ..Environment::default() };
    RankAccount { environment, ..RankAccount::default() }
}

/// Where a host does not know its boot, its name has to serve; `name` is that of a rank that told nothing.
fn identity(environment: &Environment, name: &str) -> Identity {
    let Environment { boot_id, hostname, network_namespace, .. } = environment;
    let host = boot_id.known().or(hostname.known()).cloned().unwrap_or_default();
    (format!("{host}{name}"), network_namespace.known().cloned().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Mesh, Rank};
    use crate::plan::Plan;
    use crate::run::Source;

    fn account(boot: &str, namespace: &str, cpu: u32) -> RankAccount {
        let mut account = RankAccount::default();
        account.environment.boot_id = Fact::Known(boot.to_owned());
        account.environment.network_namespace = Fact::Known(namespace.to_owned());
        account.observation.cpus = vec![cpu];
        account.address = format!("10.0.0.{cpu}");
        account
    }

    fn run(accounts: Vec<Option<RankAccount>>) -> Run {
        let mut run = Run::new(Source::Measured, Plan::default());
        let rank = |number: usize| Rank { name: format!("n{number}"), ..Rank::default() };
        run.mesh = Some(Mesh { ranks: (0..accounts.len()).map(rank).collect(), ..Mesh::default() });
        run.set_ranks(accounts);
        run
    }

    fn nodes(run: &Run) -> Vec<u32> {
        run.mesh.iter().flat_map(|mesh| &mesh.ranks).map(|rank| rank.node).collect()
    }

    #[test]
    fn ranks_of_one_host_have_one_node_and_a_namespace_is_a_host() {
        let of = |boot, namespace, cpu| Some(account(boot, namespace, cpu));
        let run = run(vec![of("a", "1", 1), of("b", "1", 2), of("a", "1", 3), None, of("a", "2", 4)]);
        assert_eq!(nodes(&run), [0, 1, 0, 2, 3]);
        let paths: Vec<_> = run.paths.iter().map(|path| (path.from, path.to, &*path.to_address)).collect();
        assert_eq!(paths, [(0, 1, "10.0.0.2"), (0, 2, ""), (0, 3, "10.0.0.4")]);
        assert_eq!(run.nodes[2].environment.hostname, Fact::Known("n3".to_owned()));
        assert_eq!(Run::from_json(&run.to_json()).expect("it is a run"), run);
    }

    #[test]
    fn a_single_host_has_a_path_to_itself() {
        let run = run(vec![Some(account("a", "1", 1)), Some(account("a", "1", 2))]);
        assert_eq!((run.nodes.len(), run.paths.len()), (1, 1));
        assert_eq!(Run::from_json(&run.to_json()).expect("it is a run"), run);
    }
}
