//! The least-squares problem: weighted differences of logarithms.

use linerate_core::units::Span;

use super::{Conditions, Evidence, Parameter, Predicted};
use crate::machine::Profile;

/// By how much a parameter's logarithm is changed to either side for a derivative: 8 %. With a
/// smaller step, the order of two events would look like a slope.
const STEP: f64 = 0.08;

/// What a profile predicts. Absent where the model fails.
pub(super) type Model<'a> = dyn Fn(&Profile, &[Conditions]) -> Option<Vec<Predicted>> + 'a;

/// The problem. Its unknowns are the logarithms of the parameters in the order of [`Parameter::ALL`], so that no cost
/// becomes negative.
pub(super) struct Problem<'a> {
    /// What is not fitted.
    pub(super) base: &'a Profile,
    pub(super) evidence: &'a Evidence,
    pub(super) predict: &'a Model<'a>,
    /// Standard deviation of the model itself, of a time's logarithm.
    pub(super) discrepancy: f64,
    /// What each residual is moved by: zero in the search for the best parameters.
    pub(super) errors: Vec<f64>,
}

/// `base` with the parameters whose logarithms are `logs`.
pub(super) fn profile_at(base: &Profile, logs: &[f64]) -> Profile {
    let mut profile = base.clone();
    for (parameter, log) in Parameter::ALL.into_iter().zip(logs) {
        parameter.set(&mut profile, log.exp());
    }
    profile
}

/// The logarithms of the parameters of `profile`.
pub(super) fn logs_of(profile: &Profile) -> Vec<f64> {
    Parameter::ALL.map(|it| it.of(profile).ln()).to_vec()
}

impl Problem<'_> {
    /// The model's times at `logs`, one for each measured time.
    pub(super) fn predicted(&self, logs: &[f64]) -> Option<Vec<Predicted>> {
        (self.predict)(&profile_at(self.base, logs), &self.evidence.conditions())
    }

    /// The weight of each measured time.
    pub(super) fn weights(&self) -> Vec<f64> {
        let measured = self.evidence.measured.iter();
        measured.map(|it| it.sigma.hypot(self.discrepancy).max(f64::MIN_POSITIVE).recip()).collect()
    }

    /// All residuals at `logs`: of the measured times, of the processor times beside them, then of the beliefs.
    pub(super) fn residuals(&self, logs: &[f64]) -> Option<Vec<f64>> {
        let predicted = self.predicted(logs)?;
        let profile = profile_at(self.base, logs);
        let measured = self.evidence.measured.iter().zip(&predicted).zip(self.weights());
        let times = measured.map(|((it, model), weight)| log_ratio(model.time, it.time) * weight);
        let worked = self.evidence.measured.iter().zip(&predicted).filter_map(|(it, model)| {
            let (worked, sigma) = it.worked?;
            let weight = sigma.hypot(self.discrepancy).max(f64::MIN_POSITIVE).recip();
            Some([0, 1].map(|end| log_ratio(model.worked[end], worked[end]) * weight))
        });
        let beliefs = self.evidence.beliefs.iter().map(|belief| belief.residual(&profile));
        let all = times.chain(worked.flatten()).chain(beliefs);
        Some(all.zip(&self.errors).map(|(it, error)| it + error).collect())
    }

    /// Change of each residual with each logarithm, by differences to one side: half the work.
    pub(super) fn slopes_ahead(&self, logs: &[f64]) -> Option<Vec<Vec<f64>>> {
        let here = self.residuals(logs)?;
        let column = |nth| Some(slope(&here, &self.beside(logs, nth, STEP)?, STEP));
        (0..logs.len()).map(column).collect()
    }

    /// Change of each residual with each logarithm, by differences to both sides.
    pub(super) fn slopes(&self, logs: &[f64]) -> Option<Vec<Vec<f64>>> {
        let column = |nth| {
            let above = self.beside(logs, nth, STEP)?;
            Some(slope(&self.beside(logs, nth, -STEP)?, &above, 2.0 * STEP))
        };
        (0..logs.len()).map(column).collect()
    }

    /// The residuals where a single logarithm is changed by `step`.
    fn beside(&self, logs: &[f64], nth: usize, step: f64) -> Option<Vec<f64>> {
        let mut logs = logs.to_vec();
        logs[nth] += step;
        self.residuals(&logs)
    }
}

/// The change from `before` to `after` over `step`.
fn slope(before: &[f64], after: &[f64], step: f64) -> Vec<f64> {
    before.iter().zip(after).map(|(before, after)| (after - before) / step).collect()
}

/// The logarithm of `model` over `measured`; a time of zero counts as a picosecond.
pub(super) fn log_ratio(model: Span, measured: Span) -> f64 {
    let ps = |span: Span| span.as_ps().max(1) as f64;
    (ps(model) / ps(measured)).ln()
}
