//! What was seen of a slow place when its pairs were measured alone.

use super::super::Mesh;
use super::candidates::Candidate;
use super::polish::usual;
use super::{Suspect, Verdict};
use crate::plan::MeshSchedule;

/// The fewest visits that say anything.
const FEWEST_VISITS: usize = 3;
/// The share of the visits that must be slow.
const ALMOST_ALL: f64 = 0.9;

/// `one` of the candidates `all`, with its verdict.
pub(super) fn judged(mesh: &Mesh, one: &Candidate, all: &[Candidate], tolerance: f64) -> Suspect {
    let phases = mesh.phases_of(&[MeshSchedule::Recheck]);
    let passes = phases.flat_map(|phase| &phase.rounds).flat_map(|round| &round.passes);
    let (mut here, mut elsewhere) = (Vec::new(), Vec::new());
    for pass in passes {
        let Some(time) = pass.times.get(one.probe).copied().flatten() else { continue };
        let (from, to) = (pass.from as usize, pass.to as usize);
        if one.place.holds(from, to) {
            here.push(time.as_seconds());
        } else if !all.iter().any(|other| other.place.holds(from, to) || other.place.holds(to, from)) {
            elsewhere.push(time.as_seconds());
        }
    }
    let Candidate { place, probe, times_slower } = one.clone();
    if here.len().min(elsewhere.len()) < FEWEST_VISITS {
        return Suspect { place, probe, times_slower, alone: None, verdict: Verdict::Unconfirmed };
    }
    let expected = usual(elsewhere);
    let limit = expected * (1.0 + tolerance);
    let slow = here.iter().filter(|time| **time > limit).count();
    let verdict =
        if slow as f64 >= ALMOST_ALL * here.len() as f64 { Verdict::Bad } else { Verdict::Congested };
    Suspect { place, probe, times_slower, alone: Some(usual(here) / expected), verdict }
}
