//! Why a factor may do what it does: the counters of the runs that changed with it.

use super::analyse::{ALPHA, Runs, SAME};
use super::effects::{Factors, Observation, effects};
use super::findings::Explanation;
use super::measured::Measured;
use crate::inference::holm;

impl Runs<'_> {
    /// The counters that changed between the base of a factor and a level of it.
    pub(super) fn explained(&self, factor: usize, level: usize) -> Vec<Explanation> {
        let (levels, hard) = (self.levels(), self.hard());
        let factors = Factors { levels: &levels, hard: &hard };
        let mut counters: Vec<&String> = self.runs.iter().flat_map(|run| run.evidence.keys()).collect();
        counters.sort();
        counters.dedup();
        let mut found: Vec<(Explanation, f64)> = Vec::new();
        for counter in counters {
            let of = |run: &Measured| run.evidence.get(counter).copied();
            let values: Vec<(usize, &Measured, f64)> =
                self.runs.iter().enumerate().filter_map(|(nth, run)| Some((nth, run, of(run)?))).collect();
            let is_ratio = values.iter().all(|(_, _, value)| *value > 0.0);
            let scaled = |value: f64| if is_ratio { value.ln() } else { value };
            let observations: Vec<Observation<'_>> =
                values.iter().map(|(nth, run, value)| self.observation(*nth, run, scaled(*value))).collect();
            let Ok(result) = effects(&observations, factors, ALPHA) else { continue };
            let Some(effect) = result.factors.get(factor).and_then(|factor| factor.levels.get(level - 1))
            else {
                continue;
            };
            let mean = |wanted: usize| {
                let at = values.iter().filter(|(_, run, _)| run.cell[factor] == wanted);
                let at: Vec<f64> = at.map(|(_, _, value)| *value).collect();
                at.iter().sum::<f64>() / at.len().max(1) as f64
            };
            let means = [mean(0), mean(level)];
            match effect.evidence {
                Ok(evidence) if !self.is_exact => {
                    found.push((
                        Explanation { counter: counter.clone(), means, p: Some(evidence.p) },
                        -evidence.t.abs(),
                    ));
                }
                _ if self.is_exact && (means[1] - means[0]).abs() > SAME * means[0].abs() => {
                    let change = (means[1] / means[0].max(f64::MIN_POSITIVE)).abs().ln().abs();
                    found.push((Explanation { counter: counter.clone(), means, p: None }, -change));
                }
                _ => {}
            }
        }
        let p: Vec<f64> = found.iter().filter_map(|(one, _)| one.p).collect();
        let mut corrected = holm(&p).into_iter();
        for (one, _) in found.iter_mut().filter(|(one, _)| one.p.is_some()) {
            one.p = corrected.next();
        }
        found.retain(|(one, _)| one.p.is_none_or(|p| p <= ALPHA));
        found.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        found.into_iter().map(|(one, _)| one).collect()
    }
}
