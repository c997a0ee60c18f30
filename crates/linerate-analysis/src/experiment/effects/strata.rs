//! Least squares within plots and between them, and the error that each term is tested against.

use super::Observation;
use super::columns::Term;
use super::least_squares::{Contrast, Fit};
use super::lenth::PseudoError;
use super::model::Model;
use super::result::{Noise, Untested};

/// The fits from which terms are estimated.
#[derive(Clone, Debug)]
pub(super) struct Strata<'m, 'a> {
    model: &'m Model<'a>,
    /// Blocks and all terms.
    between: Part,
    /// Plots and the terms that vary within them. Absent without hard factors.
    within: Option<Part>,
}

/// A fit and where the columns of its terms are.
#[derive(Clone, Debug)]
struct Part {
    /// How many columns are blocks or plots: they come first.
    ground: usize,
    terms: Vec<Term>,
    fit: Fit,
}

/// Against what terms are tested.
#[derive(Clone, Debug)]
pub(super) struct Errors {
    /// Hard factors and their pairs.
    pub(super) plots: Result<Noise, Untested>,
    /// All others.
    pub(super) residual: Result<Noise, Untested>,
    /// Whether `residual` is the noise of an effect itself, by Lenth.
    pub(super) lenth: bool,
}

impl Errors {
    /// The same, with the noise of Lenth within plots.
    pub(super) fn by_lenth(self, lenth: PseudoError) -> Self {
        let noise = Noise { deviation: lenth.deviation, freedom: lenth.freedom };
        Self { residual: Ok(noise), lenth: true, ..self }
    }
}

impl<'m, 'a> Strata<'m, 'a> {
    pub(super) fn new(model: &'m Model<'a>) -> Self {
        let between = Part::new(model, blocks(model), model.terms.clone());
        let within = model.factors.any_hard().then(|| {
            let varied = model.terms.iter().copied().filter(|term| !term.is_hard(model.factors)).collect();
            Part::new(model, plots(model), varied)
        });
        Self { model, between, within }
    }

    pub(super) fn errors(&self) -> Errors {
        let last = self.within.as_ref().unwrap_or(&self.between);
        let residual = noise(last.fit.squares(), last.fit.freedom()).ok_or(Untested::NoRepetition);
        let plots = match &self.within {
            None => residual,
            Some(_) => self.plot_noise().ok_or(Untested::OnePlotALevel),
        };
        Errors { plots, residual, lenth: false }
    }

    /// What plots of equal levels differ by, beyond their blocks.
    fn plot_noise(&self) -> Option<Noise> {
        let mut columns = blocks(self.model);
        columns.extend(term_columns(self.model, &self.between.terms));
        let first = columns.len();
        columns.extend(plots(self.model));
        let fit = Fit::new(&columns, &self.model.values());
        let (squares, freedom) = fit.explained_from(first);
        noise(squares, freedom)
    }

    fn part(&self, term: Term) -> &Part {
        match &self.within {
            Some(within) if !term.is_hard(self.model.factors) => within,
            _ => &self.between,
        }
    }

    /// A weighted sum of the coefficients of a term.
    pub(super) fn contrast(&self, term: Term, weights: &[f64]) -> Option<Contrast> {
        let part = self.part(term);
        let first = part.first_column(self.model, term)?;
        let placed: Vec<(usize, f64)> =
            weights.iter().enumerate().map(|(nth, weight)| (first + nth, *weight)).collect();
        part.fit.contrast(&placed)
    }

    /// The squares that only this term explains, and their degrees of freedom. Absent if blocks or plots
    /// explain a part of it.
    pub(super) fn explained(&self, term: Term) -> Option<(f64, usize)> {
        let part = self.part(term);
        let first = part.first_column(self.model, term)?;
        part.fit.explained_by(first..first + self.model.coding.width(term))
    }

    /// What no term explains, and each residual in standard deviations of residuals. The latter are 0 where
    /// a value is fitted exactly.
    pub(super) fn residuals(&self) -> (Vec<f64>, Vec<f64>) {
        let fit = &self.within.as_ref().unwrap_or(&self.between).fit;
        let deviation = noise(fit.squares(), fit.freedom()).map_or(0.0, |noise| noise.deviation);
        let standardised = |(row, residual): (usize, &f64)| {
            let spread = deviation * (1.0 - fit.leverage(row)).max(0.0).sqrt();
            if spread > 1e-9 * deviation && spread > 0.0 { residual / spread } else { 0.0 }
        };
        (fit.residuals.clone(), fit.residuals.iter().enumerate().map(standardised).collect())
    }
}

impl Part {
    fn new(model: &Model<'_>, mut columns: Vec<Vec<f64>>, terms: Vec<Term>) -> Self {
        let ground = columns.len();
        columns.extend(term_columns(model, &terms));
        Self { ground, terms, fit: Fit::new(&columns, &model.values()) }
    }

    fn first_column(&self, model: &Model<'_>, term: Term) -> Option<usize> {
        let place = self.terms.iter().position(|other| *other == term)?;
        let before: usize = self.terms[..place].iter().map(|other| model.coding.width(*other)).sum();
        Some(self.ground + before)
    }
}

fn term_columns(model: &Model<'_>, terms: &[Term]) -> Vec<Vec<f64>> {
    let cells = model.cells();
    terms.iter().flat_map(|term| model.coding.columns(*term, &cells)).collect()
}

fn noise(squares: f64, freedom: usize) -> Option<Noise> {
    let count = freedom as f64;
    (freedom > 0).then(|| Noise { deviation: (squares / count).sqrt(), freedom: count })
}

/// A column for each block.
fn blocks(model: &Model<'_>) -> Vec<Vec<f64>> {
    indicators(&model.observations.iter().map(|observation| [observation.block, 0]).collect::<Vec<_>>())
}

/// A column for each plot. Plots of different blocks differ even if they have one number.
fn plots(model: &Model<'_>) -> Vec<Vec<f64>> {
    let group = |observation: &Observation<'_>| [observation.block, observation.plot];
    indicators(&model.observations.iter().map(group).collect::<Vec<_>>())
}

/// A column for each group: 1 where a row belongs to it.
fn indicators(groups: &[[usize; 2]]) -> Vec<Vec<f64>> {
    let mut names = groups.to_vec();
    names.sort_unstable();
    names.dedup();
    let column = |name: [usize; 2]| groups.iter().map(|group| f64::from(u8::from(*group == name))).collect();
    names.into_iter().map(column).collect()
}
