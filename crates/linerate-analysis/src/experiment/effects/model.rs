//! Which factors and pairs can be told apart by the cells that were measured.

use super::columns::{Coding, Term};
use super::least_squares::Fit;
use super::{Factors, Observation, distinct};

/// The terms of a least-squares model, and the observations.
#[derive(Clone, Debug)]
pub(super) struct Model<'a> {
    pub(super) observations: &'a [Observation<'a>],
    pub(super) factors: Factors<'a>,
    pub(super) coding: Coding,
    /// The factors and pairs that the model has.
    pub(super) terms: Vec<Term>,
    /// Those that it does not have: their columns are sums of others.
    pub(super) left_out: Vec<Term>,
}

impl<'a> Model<'a> {
    pub(super) fn new(observations: &'a [Observation<'a>], factors: Factors<'a>) -> Self {
        let coding = Coding::new(observations, factors);
        let count = factors.levels.len();
        let mains = (0..count).map(Term::Main);
        let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| Term::Pair(one, other)));
        let all: Vec<Term> = mains.chain(pairs).filter(|term| coding.width(*term) > 0).collect();
        let (terms, left_out) = separable(&coding, &all, &distinct(observations));
        Self { observations, factors, coding, terms, left_out }
    }

    pub(super) fn cells(&self) -> Vec<&'a [usize]> {
        self.observations.iter().map(|observation| observation.cell).collect()
    }

    pub(super) fn values(&self) -> Vec<f64> {
        self.observations.iter().map(|observation| observation.y).collect()
    }

    /// Factors and pairs whose column equals that of this term, or its opposite: they share an estimate.
    pub(super) fn aliases(&self, term: Term) -> Vec<Vec<usize>> {
        if self.coding.width(term) != 1 {
            return Vec::new();
        }
        let cells = distinct(self.observations);
        let column = |term: Term| self.coding.columns(term, &cells).into_iter().next().unwrap_or_default();
        let own = column(term);
        let same = |other: &Term| equal(&own, &column(*other));
        let single = self.terms.iter().chain(&self.left_out).filter(|other| self.coding.width(**other) == 1);
        let shared = single.filter(|other| **other != term && same(other));
        shared
            .map(|other| match *other {
                Term::Main(factor) => vec![factor],
                Term::Pair(one, second) => vec![one, second],
            })
            .collect()
    }
}

/// The terms that can be estimated together, and the others.
///
/// If the cells cannot tell all apart, a regular fraction keeps of each set of equal columns the first.
/// Otherwise, where a pair is partly in the others, estimates would depend on which pairs come first: no
/// pair is kept, and all factors are; what they leave open has no estimate.
fn separable(coding: &Coding, all: &[Term], cells: &[&[usize]]) -> (Vec<Term>, Vec<Term>) {
    let mut columns = vec![vec![1.0; cells.len()]];
    let mut fit = Fit::new(&columns, &vec![0.0; cells.len()]);
    let mut regular = true;
    let (mut kept, mut left_out) = (Vec::new(), Vec::new());
    for term in all {
        let own = coding.columns(*term, cells);
        if fit.add_independent(columns.len(), &own) {
            columns.extend(own);
            kept.push(*term);
        } else {
            // Two-level columns of a regular fraction are equal or have nothing in common.
            regular &= own.len() == 1 && columns.iter().any(|column| equal(column, &own[0]));
            left_out.push(*term);
        }
    }
    let all_or_regular = left_out.is_empty() || (regular && orthogonal(&columns));
    if !all_or_regular {
        (kept, left_out) = all.iter().partition(|term| matches!(term, Term::Main(_)));
    }
    (kept, left_out)
}

/// Whether two columns are equal or opposite.
fn equal(one: &[f64], other: &[f64]) -> bool {
    let matches = |sign: f64| one.iter().zip(other).all(|(left, right)| *left == sign * right);
    matches(1.0) || matches(-1.0)
}

fn orthogonal(columns: &[Vec<f64>]) -> bool {
    let product = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(l, r)| l * r).sum::<f64>();
    (0..columns.len()).all(|one| (0..one).all(|other| product(&columns[one], &columns[other]) == 0.0))
}
