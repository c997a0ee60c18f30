//! Weighted least squares, the intervals of the fitted values, and the error of the model itself.

use std::cell::RefCell;

use linerate_core::units::Span;

use super::gap::gap;
use super::least_squares::{Limits, Minimum, Qr, minimize, norm};
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
    let failure = RefCell::new(None);
    let predict = |profile: &Profile, conditions: &[Conditions]| {
        let failed = |error| {
            failure.borrow_mut().get_or_insert(error);
        };
        predict(profile, conditions).map_err(failed).ok()
    };
    let problem = Problem {
        base: start,
        evidence,
        predict: &predict,
        discrepancy: FIRST_GAP,
        errors: vec![0.0; evidence.pieces()],
    };
    let found = found(problem, logs_of(start), draws);
    found.ok_or_else(|| failure.take().map_or(FitError::Singular, FitError::Model))
}

/// The result. Absent if the model fails, or if slopes do not determine the parameters.
fn found(mut problem: Problem<'_>, mut logs: Vec<f64>, draws: usize) -> Option<Fit> {
    for turn in 0..MOST_TURNS {
        logs = if turn == 0 { from_everywhere(&problem, &logs) } else { minimized(&problem, logs) };
        let (discrepancy, _) = assess(&problem, &logs)?.gap;
        let settled = (discrepancy - problem.discrepancy).abs() < SETTLED;
        problem.discrepancy = discrepancy;
        if settled || problem.evidence.measured.is_empty() {
            break;
        }
    }
    conclude(problem, &logs, draws)
}

/// The least squares from `logs` on, with a limit on the steps because each one runs the model. Where
/// the order of two events changes, the model has a small step at which the solver stops too early, so
/// it restarts there as long as that helps.
fn minimized(problem: &Problem<'_>, mut logs: Vec<f64>) -> Vec<f64> {
    let mut before = f64::INFINITY;
    for _ in 0..MOST_STARTS {
        let Some(found) = solved(problem, logs.clone(), PATIENCE) else { break };
        logs = found.at;
        if found.squares >= before * (1.0 - WORTH_IT) {
            break;
        }
        before = found.squares;
    }
    logs
}

/// One run of the solver of at most so many steps a parameter.
fn solved(problem: &Problem<'_>, logs: Vec<f64>, patience: usize) -> Option<Minimum> {
    let limits = Limits { tolerance: TOLERANCE, evaluations: patience * (logs.len() + 1) };
    minimize(logs, limits, |logs| problem.residuals(logs), |logs| problem.slopes(logs))
}

/// The least squares from several starts, of which the one that soon comes the furthest is followed: for a
/// cost that only the curve shows, the start is a guess, and it decides which of two hosts is the slower one.
fn from_everywhere(problem: &Problem<'_>, start: &[f64]) -> Vec<f64> {
    let begun = STARTS.iter().filter_map(|factor| {
        let moved = |(log, parameter): (&f64, Parameter)| {
            log + if parameter.is_of_packets() { factor.ln() } else { 0.0 }
        };
        solved(problem, start.iter().zip(Parameter::ALL).map(moved).collect(), FIRST_PATIENCE)
    });
    let best = begun.min_by(|one, other| one.squares.total_cmp(&other.squares));
    minimized(problem, best.map_or(start.to_vec(), |best| best.at))
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

fn assess(problem: &Problem<'_>, logs: &[f64]) -> Option<Assessment> {
    let predicted = problem.predicted(logs)?;
    let slopes = problem.slopes(logs)?;
    let factors = Qr::new(slopes.clone())?;
    let leverage = |row| {
        let row: Vec<f64> = slopes.iter().map(|column| column[row]).collect();
        norm(&factors.solve_transposed(&row)).powi(2)
    };
    let measured = &problem.evidence.measured;
    let leverages: Vec<f64> = (0..measured.len()).map(leverage).collect();
    let residuals: Vec<f64> =
        measured.iter().zip(&predicted).map(|(it, model)| log_ratio(model.time, it.time)).collect();
    let sigmas: Vec<f64> = measured.iter().map(|it| it.sigma).collect();
    let predicted = predicted.iter().map(|model| model.time).collect();
    Some(Assessment { predicted, gap: gap(&residuals, &sigmas, &leverages) })
}

/// The result, once the model's own error has settled.
fn conclude(problem: Problem<'_>, best: &[f64], count: usize) -> Option<Fit> {
    let Assessment { predicted, gap: (discrepancy, freedom) } = assess(&problem, best)?;
    let profile = profile_at(problem.base, best);
    let draws = draws(problem, best, count);
    let ends = |(nth, log): (usize, &f64)| {
        let drawn: Vec<f64> = draws.iter().map(|set| set[nth]).collect();
        interval(*log, &drawn, freedom).map(f64::exp)
    };
    let intervals = best.iter().enumerate().map(ends).collect();
    Some(Fit { profile, intervals, draws, discrepancy, freedom, predicted })
}

impl Fit {
    /// The parameter's 95 % interval, in its unit.
    #[must_use]
    pub fn interval(&self, parameter: Parameter) -> [f64; 2] {
        let nth = Parameter::ALL.iter().position(|it| *it == parameter).expect("ALL has every one");
        self.intervals[nth]
    }
}
