//! Questions that share 5 % of false alarms, judged together.

use super::change::{Change, Scale, Verdict};
use super::method::{Intervals, Method};
use crate::figures::Better;
use crate::inference::{
    ALPHA, Prior, Relevance, Unit, Wanted, Welch, hierarchical, holm, joint_limit, permute, runs_needed,
    visible,
};
use linerate_core::stats::median;

/// One question: a figure, or a size of a curve.
pub(super) struct Asked {
    /// The values of each side's runs, in the figure's unit.
    pub(super) values: [Vec<f64>; 2],
    /// The values of the rounds of each run; empty where it has none.
    pub(super) rounds: [Vec<Unit>; 2],
    pub(super) scale: Scale,
    pub(super) better: Better,
    /// The change that matters: a share, or a difference.
    pub(super) margin: f64,
    /// What the history says of single runs.
    pub(super) prior: Option<Prior>,
}

impl Asked {
    /// The values in which differences are taken: logarithms, where the ratio counts.
    fn scaled(&self) -> [Vec<f64>; 2] {
        self.values.each_ref().map(|side| side.iter().map(|value| self.scale.scaled(*value)).collect())
    }

    /// The margin in the same.
    fn scaled_margin(&self) -> f64 {
        match self.scale {
            Scale::Ratio => self.margin.ln_1p(),
            Scale::Difference => self.margin,
        }
    }

    /// Each run as its rounds, or as the one value that it has.
    fn units(&self) -> [Vec<Unit>; 2] {
        let scaled = |values: &[f64]| values.iter().map(|value| self.scale.scaled(*value)).collect();
        [0, 1].map(|side| {
            let rounds = |nth: usize| self.rounds[side].get(nth).filter(|rounds| !rounds.is_empty());
            let unit = |(nth, value): (usize, &f64)| {
                rounds(nth).map_or_else(|| scaled(&[*value]), |rounds| scaled(rounds))
            };
            self.values[side].iter().enumerate().map(unit).collect()
        })
    }
}

impl Scale {
    fn scaled(self, value: f64) -> f64 {
        match self {
            Self::Ratio => value.ln(),
            Self::Difference => value,
        }
    }

    fn back(self, value: f64) -> f64 {
        match self {
            Self::Ratio => value.exp(),
            Self::Difference => value,
        }
    }

    /// A difference of the scaled values as a change: what a ratio lies above 1, or the difference.
    fn excess(self, value: f64) -> f64 {
        match self {
            Self::Ratio => value.exp_m1(),
            Self::Difference => value,
        }
    }
}

/// What the test of all questions together says.
struct Together {
    /// p of each, corrected.
    p: Vec<f64>,
    /// How many standard errors wide an interval is that holds for all together.
    limit: Option<f64>,
    /// The level at which each is tested, as if by itself.
    alpha: f64,
}

/// Judges all questions of a family. Every run of a side answers every question.
pub(super) fn judge(questions: &[Asked], method: Method) -> Vec<Change> {
    let scaled: Vec<[Vec<f64>; 2]> = questions.iter().map(Asked::scaled).collect();
    let welch: Vec<Option<Welch>> = questions
        .iter()
        .zip(&scaled)
        .map(|(asked, [base, candidate])| Welch::new(base, candidate, asked.prior))
        .collect();
    let together = match method {
        Method::Exact | Method::OneEach => None,
        Method::Welch | Method::History { .. } => Some(corrected(&welch)),
        Method::Permutation { .. } => permuted(&scaled),
    };
    let row = |(nth, asked): (usize, &Asked)| {
        let judged = Judged { asked, scaled: &scaled[nth], welch: welch[nth], method };
        judged.change(together.as_ref().map(|all| (all, all.p[nth])))
    };
    questions.iter().enumerate().map(row).collect()
}

fn corrected(welch: &[Option<Welch>]) -> Together {
    let tested: Vec<f64> = welch.iter().flatten().map(Welch::p).collect();
    let mut adjusted = holm(&tested).into_iter();
    let p = welch.iter().map(|it| if it.is_some() { adjusted.next().unwrap_or(1.0) } else { 1.0 }).collect();
    Together { p, limit: None, alpha: ALPHA / tested.len().max(1) as f64 }
}

fn permuted(scaled: &[[Vec<f64>; 2]]) -> Option<Together> {
    let [base, candidate] = [0, 1].map(|side| {
        let runs = scaled.first().map_or(0, |values| values[side].len());
        let row = |run: usize| scaled.iter().map(|values| values[side][run]).collect::<Vec<f64>>();
        (0..runs).map(row).collect::<Vec<_>>()
    });
    let permutation = permute(&base, &candidate)?;
    let alpha = ALPHA / scaled.len().max(1) as f64;
    Some(Together { p: permutation.adjusted, limit: joint_limit(&base, &candidate), alpha })
}

/// The least and the greatest.
fn range(values: &[f64]) -> [f64; 2] {
    values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], it| [low.min(*it), high.max(*it)])
}

/// One question with what its own values say.
struct Judged<'a> {
    asked: &'a Asked,
    scaled: &'a [Vec<f64>; 2],
    welch: Option<Welch>,
    method: Method,
}

impl Judged<'_> {
    fn change(&self, together: Option<(&Together, f64)>) -> Change {
        let middles = self.scaled.each_ref().map(|side| self.middle(side));
        let difference = middles[1] - middles[0];
        let scale = self.asked.scale;
        let alone = together.and_then(|_| self.alone());
        let interval = together.and_then(|(all, _)| Some(self.widened(difference, alone?, all)));
        let p = together.and_then(|(_, p)| self.welch.map(|_| p));
        let verdict = self.verdict(difference, alone.zip(p));
        let beyond = matches!(verdict, Verdict::Better | Verdict::Worse | Verdict::Moved)
            && difference.abs() > self.asked.scaled_margin();
        let back = |ends: [f64; 2]| {
            Some(ends.map(|end| scale.back(end))).filter(|ends| ends.iter().all(|end| end.is_finite()))
        };
        let change = Change {
            middle: middles.map(|middle| scale.back(middle)),
            ranges: self.asked.values.each_ref().map(|side| range(side)),
            scale,
            estimate: scale.back(difference),
            interval: interval.and_then(back),
            alone: alone.and_then(back),
            p,
            visible: self.visible(together.map(|(all, _)| all)),
            verdict,
            beyond,
            runs_needed: None,
        };
        let needed = together.filter(|_| change.is_open()).zip(alone);
        let runs_needed = needed.and_then(|((all, _), alone)| self.runs_needed(difference, alone, all.alpha));
        Change { runs_needed, ..change }
    }

    /// How many runs a side would decide: that there is a change, if it is estimated to be more than the margin, or
    /// otherwise that there is none of that size. The spread is that which the interval itself comes from.
    fn runs_needed(&self, difference: f64, alone: [f64; 2], alpha: f64) -> Option<u32> {
        let [base, candidate] = self.scaled.each_ref().map(|side| side.len() as f64);
        let errors = Self::errors(self.welch?) * (1.0 / base + 1.0 / candidate).sqrt();
        let deviation = (alone[1] - alone[0]) / 2.0 / errors;
        let margin = self.asked.scaled_margin() / deviation;
        let effect = difference / deviation;
        let wanted = if effect.abs() > margin {
            Wanted::Change { effect, alpha }
        } else {
            Wanted::Small { effect, margin, alpha: ALPHA }
        };
        runs_needed(wanted)
    }

    fn bootstraps(&self) -> bool {
        self.method == Method::Permutation { intervals: Intervals::Bootstrap }
    }

    /// The middle of a side's runs.
    fn middle(&self, values: &[f64]) -> f64 {
        if !self.bootstraps() {
            return values.iter().sum::<f64>() / values.len() as f64;
        }
        median(values.iter().copied()).unwrap_or(f64::NAN)
    }

    /// The interval of this question by itself.
    fn alone(&self) -> Option<[f64; 2]> {
        let welch = self.welch?.interval(ALPHA);
        if !self.bootstraps() {
            return Some(welch);
        }
        let [base, candidate] = self.asked.units();
        Some(hierarchical(&base, &candidate).unwrap_or(welch))
    }

    /// How many standard errors wide an interval of one question is, either way.
    fn errors(welch: Welch) -> f64 {
        let [low, high] = welch.interval(ALPHA);
        (high - low) / 2.0 / welch.error
    }

    /// The interval as wide as all of the family need together, where that is known.
    fn widened(&self, difference: f64, alone: [f64; 2], together: &Together) -> [f64; 2] {
        let wider = self.welch.zip(together.limit);
        let wider = wider.map_or(1.0, |(welch, limit)| (limit / Self::errors(welch)).max(1.0));
        let wider = if wider.is_finite() { wider } else { 1.0 };
        alone.map(|end| difference + (end - difference) * wider)
    }

    /// How much worse the second side is, scaled; negative: better.
    fn worse_by(&self, difference: f64) -> f64 {
        match self.asked.better {
            Better::Less => difference,
            Better::More => -difference,
            Better::Neither => 0.0,
        }
    }

    fn verdict(&self, difference: f64, judged: Option<([f64; 2], f64)>) -> Verdict {
        let margin = self.asked.scaled_margin();
        let changed = match self.asked.better {
            Better::Neither => Verdict::Moved,
            _ if self.worse_by(difference) > 0.0 => Verdict::Worse,
            _ => Verdict::Better,
        };
        if self.method == Method::Exact {
            // The last digits come from the order of sums.
            return match difference.abs() {
                nothing if nothing < 1e-9 => Verdict::Same,
                little if little < margin => Verdict::Small,
                _ => changed,
            };
        }
        let Some((alone, p)) = judged else { return Verdict::NoVerdict };
        match Relevance::of(p <= ALPHA, alone, margin) {
            Relevance::SmallEffect => Verdict::Small,
            Relevance::Effect => changed,
            Relevance::Negligible => Verdict::Same,
            Relevance::Inconclusive => Verdict::CannotTell,
        }
    }

    fn visible(&self, together: Option<&Together>) -> Option<f64> {
        let counts = self.scaled.each_ref().map(Vec::len);
        let excess = |scaled: f64| Some(self.asked.scale.excess(scaled)).filter(|value| value.is_finite());
        match (together, self.welch) {
            (Some(_), Some(welch)) if counts == [1, 1] => {
                let [low, high] = welch.interval(ALPHA);
                excess((high - low) / 2.0)
            }
            (Some(all), Some(welch)) => excess(visible(counts, welch.freedom, all.alpha)? * welch.deviation),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
