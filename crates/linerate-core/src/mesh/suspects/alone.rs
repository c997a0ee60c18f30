//! What was seen of a place when its pairs were measured alone.

use std::collections::BTreeMap;

use super::super::{Mesh, Pass};
use super::candidates::Candidate;
use super::observed::{passes, segments, share};
use super::polish::usual;
use super::{Evidence, Measure, SEARCHED, Suspect, Verdict};
use crate::comm::Segments;
use crate::plan::MeshSchedule;

/// The fewest visits that say anything.
const FEWEST_VISITS: usize = 3;
/// The share of the visits that must be slow.
const ALMOST_ALL: f64 = 0.9;
/// So many standard deviations apart, two shares of visits differ.
const DEVIATIONS: f64 = 3.0;
/// The fewest packets whose loss says anything.
const FEWEST_LOST: u64 = 3;
/// What is proven fine has lost less than this part of what it should have.
const MUCH_LESS: f64 = 0.25;

/// A flow that loses so much more of its packets than others fills a queue of some five segments: 8 / (3 W^2), where W is
/// the window at which it loses one. Three duplicate acknowledgements do not follow in so few, so it stands still.
/// Source: Mathis et al. 1997, section 2; RFC 5681, section 3.2.
const OF_A_SHORT_QUEUE: f64 = 0.1;

/// What one side saw: the place, or ordinary pairs.
#[derive(Default)]
struct Side {
    values: Vec<f64>,
    /// The values of each pair, by sender and receiver.
    of_pairs: BTreeMap<(u32, u32), Vec<f64>>,
    segments: Segments,
}

impl Side {
    fn add(&mut self, pass: &Pass, one: &Candidate) {
        let value = one.measure.of(pass, one.probe);
        self.values.extend(value);
        self.of_pairs.entry((pass.from, pass.to)).or_default().extend(value);
        self.segments += segments(pass, one.probe).unwrap_or_default();
    }

    /// The place, and ordinary pairs, among these passes.
    fn both<'m>(passes: impl Iterator<Item = &'m Pass>, one: &Candidate, all: &[Candidate]) -> [Self; 2] {
        let [mut here, mut elsewhere] = [(); 2].map(|()| Self::default());
        for pass in passes {
            let (from, to) = (pass.from as usize, pass.to as usize);
            if one.place.holds(from, to) {
                // What is found within it has a verdict of its own.
                if !all.iter().any(|other| other.place.is_within(&one.place) && other.place.holds(from, to)) {
                    here.add(pass, one);
                }
            } else if !all.iter().any(|other| other.place.holds(from, to) || other.place.holds(to, from)) {
                elsewhere.add(pass, one);
            }
        }
        [here, elsewhere]
    }

    fn above(&self, limit: f64) -> f64 {
        self.values.iter().filter(|value| **value > limit).count() as f64
    }

    /// How many times as long as a tenth of the visits nearly all take, each against what is usual of its pair.
    fn unevenness(&self) -> f64 {
        let of_usual = |values: &Vec<f64>| {
            let usual = usual(values.iter().copied());
            values.iter().map(|value| value / usual).collect::<Vec<f64>>()
        };
        let mut all: Vec<f64> = self.of_pairs.values().flat_map(of_usual).collect();
        all.sort_by(f64::total_cmp);
        let last = all.len().saturating_sub(1) as f64;
        let at = |share: f64| all.get((share * last).round() as usize).copied().unwrap_or(1.0);
        at(ALMOST_ALL) / at(1.0 - ALMOST_ALL)
    }

    /// Whether it is slow because it loses what it sends: more than a queue loses that a slow port fills, which is then always
    /// as slow.
    fn is_slow_by_loss(&self, elsewhere: &Self, tolerance: f64) -> bool {
        let more = share(self.segments).zip(share(elsewhere.segments)).map(|(lost, usual)| lost - usual);
        more.is_some_and(|more| more > OF_A_SHORT_QUEUE) && self.unevenness() > 1.0 + tolerance
    }
}

/// `one` of the candidates `all`, with its verdict. Nothing if alone nothing was seen of it and that may be chance.
pub(super) fn judged(mesh: &Mesh, one: &Candidate, all: &[Candidate], tolerance: f64) -> Option<Suspect> {
    let [here, elsewhere] = Side::both(passes(mesh, &[MeshSchedule::Recheck]), one, all);
    let [talking, usually] = Side::both(passes(mesh, &SEARCHED), one, all);
    let is_known = here.values.len().min(elsewhere.values.len()) >= FEWEST_VISITS;
    let (mut verdict, mut alone) = (Verdict::Unconfirmed, None);
    let limit = usual(elsewhere.values.iter().copied()) * one.measure.gap(tolerance).exp();
    if is_known && one.measure == Measure::Loss {
        (verdict, alone) = loss(&[&here, &elsewhere], talking.segments);
    } else if is_known {
        alone = Some(usual(here.values.iter().copied()) / usual(elsewhere.values.iter().copied()));
        verdict = slowness(one.measure, [&here, &elsewhere], limit);
        if verdict.is_fault() && here.is_slow_by_loss(&elsewhere, tolerance) {
            verdict = Verdict::Lossy;
        }
    }
    // A few packets or long times by chance, of which nothing was seen alone, are no news.
    let is_chance = match one.measure {
        Measure::Mean => verdict != Verdict::Unsteady,
        Measure::Loss => is_known && verdict == Verdict::Unconfirmed,
        Measure::Time => false,
    };
    if is_chance {
        return None;
    }
    let Candidate { place, probe, measure, times_worse } = one.clone();
    let evidence = Evidence {
        here: here.segments + talking.segments,
        elsewhere: elsewhere.segments + usually.segments,
        slow_alone: (is_known && measure != Measure::Loss)
            .then(|| [here.above(limit) as usize, here.values.len()]),
    };
    Some(Suspect { place, probe, measure, times_slower: times_worse, alone, verdict, evidence })
}

/// Slow if nearly always; congested if proven fine; unsteady if more often than others.
fn slowness(measure: Measure, [here, elsewhere]: [&Side; 2], limit: f64) -> Verdict {
    let [n, m] = [here, elsewhere].map(|side| side.values.len() as f64);
    let [slow, others] = [here, elsewhere].map(|side| side.above(limit));
    let mean = (slow + others) / (n + m);
    let deviation = (mean * (1.0 - mean) * (1.0 / n + 1.0 / m)).sqrt();
    if slow >= ALMOST_ALL * n {
        if measure == Measure::Mean { Verdict::Unsteady } else { Verdict::Slow }
    } else if slow / n > others / m + DEVIATIONS * deviation {
        Verdict::Unsteady
    } else if usual(here.values.iter().copied()) <= limit {
        Verdict::Congested
    } else {
        Verdict::Unconfirmed
    }
}

/// What the packets say that were lost alone, and how many times as many as elsewhere. `talking` is what was lost there
/// while others talked.
fn loss([here, elsewhere]: &[&Side; 2], talking: Segments) -> (Verdict, Option<f64>) {
    let (Some(lost), Some(ordinary)) = (share(here.segments), share(elsewhere.segments)) else {
        return (Verdict::Unconfirmed, None);
    };
    let times = lost / ordinary;
    let expected = here.segments.sent as f64 * talking.retransmitted as f64 / talking.sent.max(1) as f64;
    let retransmitted = here.segments.retransmitted;
    let verdict = if retransmitted >= FEWEST_LOST && times > Measure::Loss.gap(0.0).exp() {
        Verdict::Lossy
    } else if expected > FEWEST_LOST as f64 * 2.0 && (retransmitted as f64) < MUCH_LESS * expected {
        Verdict::Congested
    } else {
        Verdict::Unconfirmed
    };
    (verdict, Some(times))
}
