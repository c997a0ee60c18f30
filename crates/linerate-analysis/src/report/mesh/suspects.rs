//! What is slow, in words.

use serde::Serialize;

use super::probe_name;
use linerate_core::mesh::Mesh;
use linerate_core::mesh::suspects::{Place, Suspect, Verdict};

/// Something slow, in words.
#[derive(Clone, Debug, Serialize)]
pub struct SuspectRow {
    /// Where, such as `n3, all it sends and receives`.
    pub place: String,
    /// Of what it was found, such as `throughput of 1 MiB`.
    pub probe: String,
    /// How many times as long as usual.
    pub times_slower: f64,
    /// The same alone, if that was measured.
    pub alone: Option<f64>,
    /// `bad`, `congested` or `unconfirmed`.
    pub verdict: &'static str,
    /// Whether it is slow alone as well.
    #[serde(skip)]
    pub is_bad: bool,
}

/// A suspect in words; `name` gives the names of ranks.
pub(super) fn row(mesh: &Mesh, one: &Suspect, name: &dyn Fn(usize) -> String) -> SuspectRow {
    let place = match &one.place {
        Place::Between(groups) => {
            let named = |group: &Vec<usize>| format!("{{{}}}", members(group, name));
            let groups: Vec<String> = groups.iter().map(named).collect();
            format!("between {}", groups.join(" and "))
        }
        Place::Rank(rank) => format!("{}: all it sends and receives", name(*rank)),
        Place::Sends(rank) => format!("{}: all it sends", name(*rank)),
        Place::Receives(rank) => format!("{}: all it receives", name(*rank)),
        Place::Link(a, b) => format!("{} - {}: both ways", name(*a), name(*b)),
        Place::OneWay { from, to } => format!("{} to {}", name(*from), name(*to)),
    };
    let verdict = match one.verdict {
        Verdict::Bad => "bad",
        Verdict::Congested => "congested",
        Verdict::Unconfirmed => "unconfirmed",
    };
    SuspectRow {
        place,
        probe: mesh.probes.get(one.probe).map(probe_name).unwrap_or_default(),
        times_slower: one.times_slower,
        alone: one.alone,
        verdict,
        is_bad: one.verdict == Verdict::Bad,
    }
}

/// `n0, n1, n2` or, of many, `n0, n1, .. n9`.
fn members(group: &[usize], name: &dyn Fn(usize) -> String) -> String {
    const SHOWN: usize = 6;
    let names: Vec<String> = group.iter().map(|rank| name(*rank)).collect();
    match &names[..] {
        all if all.len() <= SHOWN => all.join(", "),
        [first, second, .., last] => format!("{first}, {second}, .. {last}"),
        all => all.join(", "),
    }
}
