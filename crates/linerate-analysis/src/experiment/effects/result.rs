//! Effects as values: estimates, tests, and why there is none.

use serde::Serialize;
use thiserror::Error;

use super::columns::Term;
use super::least_squares::Contrast;
use super::model::Model;
use super::strata::{Errors, Strata};
use crate::experiment::distribution::{fisher_p, student_limit, student_p};
use crate::inference::holm;

/// What an experiment found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effects {
    /// For each factor what its levels do.
    pub factors: Vec<FactorEffects>,
    /// For each two factors whether they depend on each other, in order (0, 1), (0, 2), ...
    pub pairs: Vec<PairEffect>,
    /// The noise of one value within a plot (without hard factors: within a block); by Lenth the standard
    /// error of an effect.
    pub noise: Result<Noise, Untested>,
    /// The noise of plots, in the unit of one value: only with hard factors.
    pub plot_noise: Option<Result<Noise, Untested>>,
    /// Whether the noise was taken from the small effects, since nothing was repeated.
    pub by_lenth: bool,
    /// For each observation what no effect, block or plot explains.
    pub residuals: Vec<f64>,
    /// For each observation the same in its standard deviations; 0 where it is fitted exactly.
    pub standardised: Vec<f64>,
}

impl Effects {
    /// The observations that are too far from the fit for noise of the normal kind: their residual, judged
    /// against the noise of the others, has a probability of `alpha` over the number of observations at
    /// most. One outlier widens every interval; repeat such a measurement rather than drop it.
    /// Source: Cook and Weisberg, Residuals and Influence in Regression (1982), section 2.2.2.
    #[must_use]
    pub fn outliers(&self, alpha: f64) -> Vec<usize> {
        let Ok(noise) = self.noise else { return Vec::new() };
        let count = self.standardised.len() as f64;
        let limit = alpha / count;
        let is_far = |value: f64| {
            let left = noise.freedom - value * value;
            let without = value * ((noise.freedom - 1.0) / left.max(f64::MIN_POSITIVE)).sqrt();
            !self.by_lenth && noise.freedom > 1.0 && student_p(without, noise.freedom - 1.0) <= limit
        };
        (0..self.standardised.len()).filter(|index| is_far(self.standardised[*index])).collect()
    }
}

/// What a factor does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FactorEffects {
    /// For each level above 0 its effect.
    pub levels: Vec<Effect>,
    /// Whether the levels differ at all.
    pub test: Result<VarianceTest, Untested>,
    /// Factors and pairs that share its estimate.
    pub aliases: Vec<Vec<usize>>,
}

/// What two factors do together beyond what each does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairEffect {
    /// The positions of the factors.
    pub factors: [usize; 2],
    /// Half the difference between the effects of one at both levels of the other. Only for two levels each.
    pub effect: Option<Effect>,
    /// Whether they depend on each other at all.
    pub test: Result<VarianceTest, Untested>,
    /// The probability of `test`, corrected for all questions of the experiment.
    pub adjusted: Option<f64>,
    /// Factors and pairs that share its estimate.
    pub aliases: Vec<Vec<usize>>,
}

/// One difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// The difference, in the unit of the values. Absent if it cannot be estimated.
    pub estimate: Option<f64>,
    /// How sure it is.
    pub evidence: Result<Evidence, Untested>,
}

/// A test of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// Standard error of the difference.
    pub error: f64,
    /// Degrees of freedom.
    pub freedom: f64,
    /// The difference in standard errors. Infinite where there is no noise at all, as in some models.
    pub t: f64,
    /// The probability of one as large, either way, where there is none.
    pub p: f64,
    /// The same, corrected for all questions of the experiment.
    pub adjusted: f64,
    /// The interval that leaves out the alpha asked for. Not corrected.
    pub interval: [f64; 2],
}

/// A test of several differences at once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct VarianceTest {
    /// The squares that the levels explain.
    pub squares: f64,
    /// The mean square over that of the noise. Infinite without noise.
    pub f: f64,
    /// Degrees of freedom of the levels and of the noise.
    pub freedom: [f64; 2],
    /// The probability of one as large where there is no difference.
    pub p: f64,
}

/// How much equal measurements differ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Noise {
    /// Standard deviation.
    pub deviation: f64,
    /// Degrees of freedom behind it.
    pub freedom: f64,
}

/// Why there is no test. The text fits after "no test: ".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Untested {
    /// A hard factor had one plot at each level, so plots that differ for other reasons look the same.
    #[error("each level had one plot only; set the levels again in another block")]
    OnePlotALevel,
    /// As many effects as measurements.
    #[error("nothing was repeated; measure another block")]
    NoRepetition,
    /// The measured cells cannot tell it from other effects.
    #[error("the measured cells cannot tell it from other effects; measure more cells")]
    Confounded,
    /// The level, or the base, has no result.
    #[error("the level or the base was not measured")]
    NotMeasured,
}

/// Tests every term.
pub(super) fn collect(model: &Model<'_>, strata: &Strata<'_, '_>, errors: &Errors, alpha: f64) -> Effects {
    let judge = Judge { model, strata, errors, alpha };
    let count = model.factors.levels.len();
    let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| [one, other]));
    let (residuals, standardised) = strata.residuals();
    Effects {
        factors: (0..count).map(|factor| judge.factor(factor)).collect(),
        pairs: pairs.map(|factors| judge.pair(factors)).collect(),
        noise: errors.residual,
        plot_noise: model.factors.any_hard().then_some(errors.plots),
        by_lenth: errors.lenth,
        residuals,
        standardised,
    }
}

/// Corrects all probabilities together.
pub(super) fn adjust(effects: &mut Effects) {
    let levels = effects.factors.iter_mut().flat_map(|factor| &mut factor.levels);
    let mut evidence: Vec<&mut Evidence> = levels.filter_map(|level| level.evidence.as_mut().ok()).collect();
    let pairs = effects.pairs.iter().filter_map(|pair| pair.test.ok());
    let p: Vec<f64> = evidence.iter().map(|one| one.p).chain(pairs.map(|test| test.p)).collect();
    let mut adjusted = holm(&p).into_iter();
    for (one, value) in evidence.iter_mut().zip(&mut adjusted) {
        one.adjusted = value;
    }
    for pair in effects.pairs.iter_mut().filter(|pair| pair.test.is_ok()) {
        pair.adjusted = adjusted.next();
        if let (Some(Effect { evidence: Ok(evidence), .. }), Some(value)) = (&mut pair.effect, pair.adjusted)
        {
            evidence.adjusted = value;
        }
    }
}

struct Judge<'r, 'm, 'a> {
    model: &'r Model<'a>,
    strata: &'r Strata<'m, 'a>,
    errors: &'r Errors,
    alpha: f64,
}

impl Judge<'_, '_, '_> {
    fn factor(&self, factor: usize) -> FactorEffects {
        let term = Term::Main(factor);
        let levels = (1..self.model.factors.levels[factor]).map(|level| self.level(factor, level)).collect();
        FactorEffects { levels, test: self.test(term), aliases: self.model.aliases(term) }
    }

    fn level(&self, factor: usize, level: usize) -> Effect {
        let measured = &self.model.coding.measured[factor];
        let place = measured.iter().position(|other| *other == level);
        let (Some(place), Some(0)) = (place, measured.first()) else {
            return Effect { estimate: None, evidence: Err(Untested::NotMeasured) };
        };
        // The coefficient of level 0 is the opposite of the sum of the others.
        let weight = |column: usize| if column + 1 == place { 2.0 } else { 1.0 };
        let weights: Vec<f64> = (0..measured.len() - 1).map(weight).collect();
        self.effect(Term::Main(factor), &weights)
    }

    fn pair(&self, [one, other]: [usize; 2]) -> PairEffect {
        let term = Term::Pair(one, other);
        let test = self.test(term);
        let two_levels = [one, other].iter().all(|factor| self.model.factors.levels[*factor] == 2);
        let effect = two_levels.then(|| self.effect(term, &[2.0]));
        PairEffect { factors: [one, other], effect, test, adjusted: None, aliases: self.model.aliases(term) }
    }

    fn noise(&self, term: Term) -> Result<Noise, Untested> {
        if term.is_hard(self.model.factors) { self.errors.plots } else { self.errors.residual }
    }

    /// Whether the noise of this term is that of an effect itself.
    fn by_lenth(&self, term: Term) -> bool {
        self.errors.lenth && !term.is_hard(self.model.factors)
    }

    fn absent(&self, term: Term) -> Untested {
        if self.model.left_out.contains(&term) { Untested::Confounded } else { Untested::NotMeasured }
    }

    fn effect(&self, term: Term, weights: &[f64]) -> Effect {
        if !self.model.terms.contains(&term) {
            return Effect { estimate: None, evidence: Err(self.absent(term)) };
        }
        let Some(contrast) = self.strata.contrast(term, weights) else {
            return Effect { estimate: None, evidence: Err(Untested::Confounded) };
        };
        let evidence = self.noise(term).map(|noise| self.evidence(contrast, noise, self.by_lenth(term)));
        Effect { estimate: Some(contrast.estimate), evidence }
    }

    fn evidence(&self, contrast: Contrast, noise: Noise, by_lenth: bool) -> Evidence {
        let variance = if by_lenth { 1.0 } else { contrast.variance };
        let error = noise.deviation * variance.sqrt();
        let t = if contrast.estimate == 0.0 { 0.0 } else { contrast.estimate / error };
        let p = student_p(t, noise.freedom);
        let reach = student_limit(self.alpha, noise.freedom) * error;
        let interval = [contrast.estimate - reach, contrast.estimate + reach];
        Evidence { error, freedom: noise.freedom, t, p, adjusted: p, interval }
    }

    fn test(&self, term: Term) -> Result<VarianceTest, Untested> {
        if !self.model.terms.contains(&term) {
            return Err(self.absent(term));
        }
        let (squares, freedom) = self.strata.explained(term).ok_or(Untested::Confounded)?;
        let noise = self.noise(term)?;
        let error = if self.by_lenth(term) {
            // An effect of N measurements explains N/4 of its square.
            noise.deviation.powi(2) * self.model.observations.len() as f64 / 4.0
        } else {
            noise.deviation.powi(2)
        };
        let f = if squares == 0.0 { 0.0 } else { squares / freedom as f64 / error };
        let freedom = [freedom as f64, noise.freedom];
        Ok(VarianceTest { squares, f, freedom, p: fisher_p(f, freedom) })
    }
}
