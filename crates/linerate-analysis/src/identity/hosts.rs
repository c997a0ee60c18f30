//! The hosts of many ranks as fields: each once for all of them, however many there are.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::{Field, List, Role};
use linerate_core::options::{Granted, SocketOptions};
use linerate_core::run::{End, Node, Run};

/// The most values of a field that are written out; more are a number and a hash.
const MOST_VALUES: usize = 4;

/// The fields of all hosts: `hosts' kernel` is `Linux 6.18`, or `Linux 6.18 (15), Linux 6.12 (1)`. Machines are told
/// apart without their order.
pub(super) fn fields(run: &Run) -> Vec<Field> {
    let mut values: BTreeMap<String, (Role, BTreeMap<String, usize>)> = BTreeMap::new();
    let granted = Granted::default();
    for Node { environment, observation, .. } in &run.nodes {
        let mut one = List(Vec::new());
        one.node("", End { environment, granted: &granted, observation }, &SocketOptions::default());
        for Field { name, value, role } in one.0 {
            // Which processor a name stands for differs from host to host.
            let (_, counts) =
                values.entry(format!("hosts'{name}")).or_insert_with(|| (role, BTreeMap::new()));
            *counts.entry(value).or_default() += 1;
        }
    }
    let hosts = run.nodes.len().to_string();
    let count = Field { name: "hosts".to_owned(), value: hosts, role: Role::Hardware };
    let ranks = run.ranks().map_or(0, <[_]>::len).to_string();
    let ranks = Field { name: "ranks".to_owned(), value: ranks, role: Role::Task };
    let of_hosts =
        values.into_iter().map(|(name, (role, counts))| Field { name, value: written(&counts), role });
    [count, ranks].into_iter().chain(of_hosts).collect()
}

fn written(counts: &BTreeMap<String, usize>) -> String {
    let mut all: Vec<(&String, &usize)> = counts.iter().collect();
    if let [(value, _)] = all[..] {
        return value.clone();
    }
    if all.len() > MOST_VALUES {
        let mut hash = Sha256::new();
        counts.iter().for_each(|(value, count)| hash.update(format!("{}:{value}{count}\n", value.len())));
        let hash: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        return format!("{} values, {hash}", counts.len());
    }
    all.sort_by(|one, other| other.1.cmp(one.1).then_with(|| one.0.cmp(other.0)));
    let named: Vec<String> = all.into_iter().map(|(value, count)| format!("{value} ({count})")).collect();
    named.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Fingerprint;
    use linerate_core::environment::Fact;
    use linerate_core::mesh::{Mesh, Rank, RankAccount};
    use linerate_core::plan::Plan;
    use linerate_core::run::Source;

    fn run(hosts: &[(&str, &str)]) -> Run {
        let mut run = Run::new(Source::Measured, Plan::default());
        let rank = |host: &(&str, &str)| Rank { name: host.0.to_owned(), ..Rank::default() };
        run.mesh = Some(Mesh { ranks: hosts.iter().map(rank).collect(), ..Mesh::default() });
        let account = |(machine, kernel): &(&str, &str)| {
            let mut account = RankAccount::default();
            account.environment.machine = Fact::Known((*machine).to_owned());
            account.environment.boot_id = Fact::Known((*machine).to_owned());
            account.environment.kernel = Fact::Known((*kernel).to_owned());
            Some(account)
        };
        run.set_ranks(hosts.iter().map(account).collect());
        run
    }

    fn value(run: &Run, name: &str) -> String {
        fields(run).into_iter().find(|field| field.name == name).expect(name).value
    }

    #[test]
    fn what_all_have_in_common_is_one_value_and_what_differs_is_counted() {
        let mesh = run(&[("a", "6.1"), ("b", "6.1"), ("c", "6.2")]);
        assert_eq!(value(&mesh, "hosts' kernel"), "6.1 (2), 6.2 (1)");
        assert_eq!(value(&mesh, "hosts' machine"), "a (1), b (1), c (1)");
        assert_eq!((value(&mesh, "hosts"), value(&mesh, "ranks")), ("3".to_owned(), "3".to_owned()));
        let many = run(&[("a", "6"), ("b", "6"), ("c", "6"), ("d", "6"), ("e", "6")]);
        assert_eq!(value(&many, "hosts' kernel"), "6");
        assert!(value(&many, "hosts' machine").starts_with("5 values, "));
    }

    #[test]
    fn the_same_hosts_in_another_order_are_the_same_path() {
        let hash = |hosts: &[(&str, &str)]| Fingerprint::of(&run(hosts)).hash;
        let first = hash(&[("a", "6.1"), ("b", "6.1")]);
        assert_eq!(first, hash(&[("b", "6.2"), ("a", "6.1")]), "a kernel may change");
        assert_ne!(first, hash(&[("a", "6.1"), ("c", "6.1")]));
        assert_ne!(first, hash(&[("a", "6.1"), ("b", "6.1"), ("c", "6.1")]));
    }
}
