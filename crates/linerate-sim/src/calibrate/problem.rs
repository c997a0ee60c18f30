//! The least-squares problem: weighted differences of logarithms.

use std::cell::RefCell;

use levenberg_marquardt::LeastSquaresProblem;
use linerate_core::units::Span;
use nalgebra::storage::Owned;
use nalgebra::{DMatrix, DVector, Dyn};

use super::{Conditions, Evidence, Parameter, Predicted};
use crate::machine::Profile;

/// By how much a parameter's logarithm is changed to either side for a derivative: 8 %. With a
/// smaller step, the order of two events would look like a slope.
const STEP: f64 = 0.08;

/// The problem at one point. Its unknowns are the logarithms of the parameters, so that no cost
/// becomes negative.
pub(super) struct Problem<'a, F, E> {
    /// What is not fitted.
    pub(super) base: &'a Profile,
    pub(super) evidence: &'a Evidence,
    pub(super) predict: &'a F,
    /// Standard deviation of the model itself, of a time's logarithm.
    pub(super) discrepancy: f64,
    /// Logarithms of the parameters, in the order of [`Parameter::ALL`].
    pub(super) logs: DVector<f64>,
    /// What each residual is moved by. Empty in the search for the best parameters.
    pub(super) errors: DVector<f64>,
    /// The first error of the model.
    pub(super) failure: RefCell<Option<E>>,
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
pub(super) fn logs_of(profile: &Profile) -> DVector<f64> {
    DVector::from_iterator(Parameter::ALL.len(), Parameter::ALL.map(|it| it.of(profile).ln()))
}

impl<F, E> Problem<'_, F, E>
where
    F: Fn(&Profile, &[Conditions]) -> Result<Vec<Predicted>, E>,
{
    /// The model's times at `logs`, one for each measured time.
    pub(super) fn predicted(&self, logs: &DVector<f64>) -> Option<Vec<Predicted>> {
        let profile = profile_at(self.base, logs.as_slice());
        match (self.predict)(&profile, &self.evidence.conditions()) {
            Ok(times) => Some(times),
            Err(error) => {
                self.failure.borrow_mut().get_or_insert(error);
                None
            }
        }
    }

    /// The weight of each measured time.
    pub(super) fn weights(&self) -> Vec<f64> {
        let measured = self.evidence.measured.iter();
        measured.map(|it| it.sigma.hypot(self.discrepancy).max(f64::MIN_POSITIVE).recip()).collect()
    }

    /// All residuals at `logs`: of the measured times, of the processor times beside them, then of the beliefs.
    pub(super) fn residuals_at(&self, logs: &DVector<f64>) -> Option<DVector<f64>> {
        let predicted = self.predicted(logs)?;
        let profile = profile_at(self.base, logs.as_slice());
        let measured = self.evidence.measured.iter().zip(&predicted).zip(self.weights());
        let times = measured.map(|((it, model), weight)| log_ratio(model.time, it.time) * weight);
        let worked = self.evidence.measured.iter().zip(&predicted).filter_map(|(it, model)| {
            let (worked, sigma) = it.worked?;
            let weight = sigma.hypot(self.discrepancy).max(f64::MIN_POSITIVE).recip();
            Some([0, 1].map(|end| log_ratio(model.worked[end], worked[end]) * weight))
        });
        let beliefs = self.evidence.beliefs.iter().map(|belief| belief.residual(&profile));
        let all = times.chain(worked.flatten()).chain(beliefs);
        Some(DVector::from_iterator(self.errors.len(), all) + &self.errors)
    }

    /// The sum of the squares of all residuals.
    pub(super) fn squares(&self) -> Option<f64> {
        self.residuals_at(&self.logs).map(|residuals| residuals.norm_squared())
    }

    /// Change of each residual with each logarithm, by differences to one side: half the work.
    pub(super) fn slopes_ahead(&self) -> Option<DMatrix<f64>> {
        let here = self.residuals_at(&self.logs)?;
        let columns = (0..self.logs.len()).map(|nth| {
            let mut logs = self.logs.clone();
            logs[nth] += STEP;
            Some((self.residuals_at(&logs)? - &here) / STEP)
        });
        Some(DMatrix::from_columns(&columns.collect::<Option<Vec<_>>>()?))
    }

    /// Change of each residual with each logarithm, by differences to both sides.
    pub(super) fn slopes(&self) -> Option<DMatrix<f64>> {
        let columns = (0..self.logs.len()).map(|nth| {
            let beside = |step: f64| {
                let mut logs = self.logs.clone();
                logs[nth] += step;
                self.residuals_at(&logs)
            };
            Some((beside(STEP)? - beside(-STEP)?) / (2.0 * STEP))
        });
        Some(DMatrix::from_columns(&columns.collect::<Option<Vec<_>>>()?))
    }
}

/// The logarithm of `model` over `measured`; a time of zero counts as a picosecond.
pub(super) fn log_ratio(model: Span, measured: Span) -> f64 {
    let ps = |span: Span| span.as_ps().max(1) as f64;
    (ps(model) / ps(measured)).ln()
}

impl<F, E> LeastSquaresProblem<f64, Dyn, Dyn> for Problem<'_, F, E>
where
    F: Fn(&Profile, &[Conditions]) -> Result<Vec<Predicted>, E>,
{
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;
    type ParameterStorage = Owned<f64, Dyn>;

    fn set_params(&mut self, logs: &DVector<f64>) {
        self.logs.clone_from(logs);
    }

    fn params(&self) -> DVector<f64> {
        self.logs.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        self.residuals_at(&self.logs)
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        self.slopes()
    }
}
