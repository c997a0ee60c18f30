//! Places where long messages never arrive and short ones do: a port with a smaller MTU that drops them without a word.

use std::collections::BTreeMap;

use super::super::{Mesh, Pass};
use super::Place;

/// The fewest pairs of a rank that say so: a single one may have been cut at this moment.
const FEWEST_PAIRS: usize = 2;

/// A rank that loses long messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// Where.
    pub place: Place,
    /// The longest message that arrived. Unit: bytes.
    pub passed_bytes: u64,
    /// The shortest that did not. Unit: bytes.
    pub lost_bytes: u64,
    /// Of how many pairs.
    pub pairs: usize,
}

/// Every rank of which several pairs broke at a longer message than they had just exchanged.
#[must_use]
pub fn too_long(mesh: &Mesh) -> Vec<TooLong> {
    let phases = mesh.phases.iter().filter(|phase| phase.schedule.is_of_pairs());
    let passes = phases.flat_map(|phase| &phase.rounds).flat_map(|round| &round.passes);
    let pair = |pass: &Pass| (pass.from.min(pass.to) as usize, pass.from.max(pass.to) as usize);
    let broken: BTreeMap<(usize, usize), [u64; 2]> =
        passes.filter_map(|pass| Some((pair(pass), ends(mesh, pass)?))).collect();
    let of = |rank: usize| broken.iter().filter(move |((one, other), _)| [*one, *other].contains(&rank));
    let most = (0..mesh.ranks.len()).map(|rank| of(rank).count()).max().unwrap_or(0);
    // What the others have in common is that they talk to it.
    let ranks = (0..mesh.ranks.len()).filter(|rank| most >= FEWEST_PAIRS && of(*rank).count() == most);
    ranks
        .map(|rank| TooLong {
            place: Place::Rank(rank),
            passed_bytes: of(rank).map(|(_, [passed, _])| *passed).max().unwrap_or(0),
            lost_bytes: of(rank).map(|(_, [_, lost])| *lost).min().unwrap_or(0),
            pairs: most,
        })
        .collect()
}

/// The longest message that arrived in a visit that broke, and the first one that did not, if that is longer.
fn ends(mesh: &Mesh, pass: &Pass) -> Option<[u64; 2]> {
    let first = pass.times.iter().position(Option::is_none)?;
    let size = |probe: usize| mesh.probes.get(probe).map(|probe| probe.size);
    let is_end = pass.times[first..].iter().all(Option::is_none);
    let [passed, lost] = [(0..first).filter_map(size).max()?, size(first)?];
    (is_end && passed < lost).then_some([passed, lost])
}
