//! Weighted least squares, the intervals of the fitted values, and the error of the model itself.

use std::cell::RefCell;

use levenberg_marquardt::LevenbergMarquardt;
use linerate_core::units::Span;
use nalgebra::{DMatrix, DVector};

use super::gap::gap;
use super::posterior::{draws, interval};
use super::problem::{Problem, log_ratio, logs_of, profile_at};
use super::{Conditions, Evidence, Parameter, Predicted};
use crate::machine::Profile;

/// First guess of the model's own error, of a time's logarithm.
const FIRST_GAP: f64 = 0.1;
/// The model's error and the parameters are found in turn, at most this many times.
const MOST_TURNS: usize = 12;
/// The turns end when the model's error changes by less than this, of a time's logarithm.
const SETTLED: f64 = 1e-3;
/// The costs of packets start at these multiples of their first guess.
const STARTS: [f64; 3] = [1.0, 0.35, 2.8];
/// The solver restarts at most this many times, as long as each restart gains this share.
const MOST_STARTS: usize = 4;
const WORTH_IT: f64 = 0.02;
/// How many steps of the solver per parameter, at most.
const PATIENCE: usize = 30;
/// The same for a first look from each start.
const FIRST_PATIENCE: usize = 1;
/// Changes smaller than this share are ignored: the model itself changes in steps, from event to
/// event.
const TOLERANCE: f64 = 1e-4;

/// What a fit found.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The profile.
    pub profile: Profile,
    /// The 95 % interval of each parameter in its unit, in the order of [`Parameter::ALL`]. It
    /// holds the fitted value.
    pub intervals: Vec<[f64; 2]>,
    /// Equally likely sets of the logarithms of the parameters, each in that order.
    pub draws: Vec<Vec<f64>>,
    /// Standard deviation of the model itself, of a time's logarithm: what neither the parameters
    /// nor the errors of measurement explain.
    pub discrepancy: f64,
    /// With how many degrees of freedom that was estimated.
    pub freedom: f64,
    /// The model's time for each measured one.
    pub predicted: Vec<Span>,
}

/// Why the fit failed. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError<E> {
    /// The model gave no answer.
    #[error("run the model: {0}")]
    Model(E),
    /// No observation depends on the parameter.
    #[error("fit {key}: no observation depends on it")]
    Unobserved {
        /// The parameter's key.
        key: &'static str,
    },
    /// The start or an observation is not positive or not finite.
    #[error("fit {key}: it starts at {value}, which is not above zero")]
    Start {
        /// The parameter's key.
        key: &'static str,
        /// Its value.
        value: f64,
    },
    /// The observations leave some parameters undetermined.
    #[error("find intervals: the observations do not distinguish the parameters")]
    Singular,
}

/// Finds the parameters of `start` with which the model `predict` comes closest to `evidence`.
///
/// Minimises the squares of `ln(model / measured) / sigma` over the measured times and of the
/// beliefs' residuals, where sigma holds both the error of the measurement and that of the model.
/// The latter is estimated in turn, until it settles. Then `draws` sets of parameters are found
/// that are about as likely, for intervals and bands; each takes a fit.
///
/// # Errors
///
/// [`FitError`]: the model failed, or the evidence does not determine the parameters.
pub fn fit<F, E>(start: &Profile, evidence: &Evidence, draws: usize, predict: F) -> Result<Fit, FitError<E>>
where
    F: Fn(&Profile, &[Conditions]) -> Result<Vec<Predicted>, E>,
{
    check(start, evidence)?;
    let mut problem = Problem {
        base: start,
        evidence,
        predict: &predict,
        discrepancy: FIRST_GAP,
        logs: logs_of(start),
        errors: DVector::zeros(evidence.pieces()),
        failure: RefCell::new(None),
    };
    for turn in 0..MOST_TURNS {
        problem = if turn == 0 { from_everywhere(problem) } else { minimized(problem) };
        let (discrepancy, _) = assess(&problem)?.gap;
        let settled = (discrepancy - problem.discrepancy).abs() < SETTLED;
        problem.discrepancy = discrepancy;
        if settled || evidence.measured.is_empty() {
            break;
        }
    }
    conclude(problem, draws)
}

/// The least squares from the start in `problem`, with a limit on the steps because each one runs
/// the model. Where the order of two events changes, the model has a small step at which the solver
/// stops too early, so it restarts there as long as that helps.
fn minimized<'a, F, E>(mut problem: Problem<'a, F, E>) -> Problem<'a, F, E>
where
    F: Fn(&Profile, &[Conditions]) -> Result<Vec<Predicted>, E>,
{
    let mut before = f64::INFINITY;
    for _ in 0..MOST_STARTS {
        let (found, reached) = solved(problem, PATIENCE);
        problem = found;
        let helped = reached < before * (1.0 - WORTH_IT);
        before = reached;
        if !helped {
            break;
        }
    }
    problem
}

/// One run of the solver of so many steps a parameter at most, and half the sum of squares that it reached.
fn solved<'a, F, E>(problem: Problem<'a, F, E>, patience: usize) -> (Problem<'a, F, E>, f64)
where
    F: Fn(&Profile, &[Conditions]) -> Result<Vec<Predicted>, E>,
{
    let solver = LevenbergMarquardt::new()
        .with_patience(patience)
        .with_ftol(TOLERANCE)
        .with_xtol(TOLERANCE)
        .with_gtol(0.0);
    let (found, report) = solver.minimize(problem);
    (found, report.objective_function)
}

/// The least squares from several starts, of which the one that soon comes the furthest is followed: for a
/// cost that only the curve shows, the start is a guess, and it decides which of two hosts is the slower one.
fn from_everywhere<'a, F, E>(mut problem: Problem<'a, F, E>) -> Problem<'a, F, E>
where
    F: Fn(&Profile, &[Conditions]) -> Result<Vec<Predicted>, E>,
{
    let start = problem.logs.clone();
    let mut best: Option<(f64, DVector<f64>)> = None;
    for factor in STARTS {
        problem.logs.clone_from(&start);
        for (log, parameter) in problem.logs.iter_mut().zip(Parameter::ALL) {
            *log += if parameter.is_of_packets() { factor.ln() } else { 0.0 };
        }
        problem = solved(problem, FIRST_PATIENCE).0;
        let squares = problem.squares();
        if squares.is_some_and(|squares| best.as_ref().is_none_or(|(least, _)| squares < *least)) {
            best = squares.map(|squares| (squares, problem.logs.clone()));
        }
    }
    problem.logs = best.map_or(start, |(_, logs)| logs);
    minimized(problem)
}

fn check<E>(start: &Profile, evidence: &Evidence) -> Result<(), FitError<E>> {
    for parameter in Parameter::ALL {
        let (key, value) = (parameter.key(), parameter.of(start));
        if !(value.is_finite() && value > 0.0) {
            return Err(FitError::Start { key, value });
        }
        if !evidence.beliefs.iter().any(|belief| belief.parameter == parameter) {
            return Err(FitError::Unobserved { key });
        }
    }
    Ok(())
}

/// What is known at the best parameters.
struct Assessment {
    predicted: Vec<Span>,
    /// The model's own error, and its degrees of freedom.
    gap: (f64, f64),
}

fn assess<F, E>(problem: &Problem<'_, F, E>) -> Result<Assessment, FitError<E>>
where
    F: Fn(&Profile, &[Conditions]) -> Result<Vec<Predicted>, E>,
{
    let failed = || problem.failure.take().map_or(FitError::Singular, FitError::Model);
    let predicted = problem.predicted(&problem.logs).ok_or_else(failed)?;
    let slopes = problem.slopes().ok_or_else(failed)?;
    let covariance = (slopes.transpose() * &slopes).try_inverse().ok_or(FitError::Singular)?;
    let measured = &problem.evidence.measured;
    let leverages: Vec<f64> = (0..measured.len()).map(|row| leverage(&slopes, &covariance, row)).collect();
    let residuals: Vec<f64> =
        measured.iter().zip(&predicted).map(|(it, model)| log_ratio(model.time, it.time)).collect();
    let sigmas: Vec<f64> = measured.iter().map(|it| it.sigma).collect();
    let predicted = predicted.iter().map(|model| model.time).collect();
    Ok(Assessment { predicted, gap: gap(&residuals, &sigmas, &leverages) })
}

/// The result, once the model's own error has settled.
fn conclude<F, E>(problem: Problem<'_, F, E>, count: usize) -> Result<Fit, FitError<E>>
where
    F: Fn(&Profile, &[Conditions]) -> Result<Vec<Predicted>, E>,
{
    let Assessment { predicted, gap: (discrepancy, freedom) } = assess(&problem)?;
    let best = problem.logs.clone();
    let profile = profile_at(problem.base, best.as_slice());
    let draws = draws(problem, count);
    let ends = |(nth, log): (usize, &f64)| {
        let drawn: Vec<f64> = draws.iter().map(|set| set[nth]).collect();
        interval(*log, &drawn, freedom).map(f64::exp)
    };
    let intervals = best.iter().enumerate().map(ends).collect();
    Ok(Fit { profile, intervals, draws, discrepancy, freedom, predicted })
}

/// The leverage of a measured time: an element of the hat matrix's diagonal. Rows of `slopes` are
/// divided by their standard deviations.
fn leverage(slopes: &DMatrix<f64>, covariance: &DMatrix<f64>, row: usize) -> f64 {
    let row: DVector<f64> = slopes.row(row).transpose();
    row.dot(&(covariance * &row))
}

impl Fit {
    /// The parameter's 95 % interval, in its unit.
    #[must_use]
    pub fn interval(&self, parameter: Parameter) -> [f64; 2] {
        let nth = Parameter::ALL.iter().position(|it| *it == parameter).expect("ALL has every one");
        self.intervals[nth]
    }
}
