//! The columns of factors and pairs.

use super::{Factors, Observation, distinct};

/// A factor, or two of them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Term {
    Main(usize),
    Pair(usize, usize),
}

impl Term {
    pub(super) fn is_hard(self, factors: Factors<'_>) -> bool {
        match self {
            Self::Main(factor) => factors.is_hard(factor),
            Self::Pair(one, other) => factors.is_hard(one) && factors.is_hard(other),
        }
    }
}

/// For each factor the levels that were measured. The columns of a factor are those of all but the first.
#[derive(Clone, Debug)]
pub(super) struct Coding {
    pub(super) measured: Vec<Vec<usize>>,
}

impl Coding {
    pub(super) fn new(observations: &[Observation<'_>], factors: Factors<'_>) -> Self {
        let cells = distinct(observations);
        let of = |factor: usize, count: usize| {
            (0..count).filter(|level| cells.iter().any(|cell| cell[factor] == *level)).collect()
        };
        Self {
            measured: factors.levels.iter().enumerate().map(|(factor, count)| of(factor, *count)).collect(),
        }
    }

    /// How many columns a term has.
    pub(super) fn width(&self, term: Term) -> usize {
        match term {
            Term::Main(factor) => self.measured[factor].len() - 1,
            Term::Pair(one, other) => self.width(Term::Main(one)) * self.width(Term::Main(other)),
        }
    }

    /// The columns of a term over these cells.
    pub(super) fn columns(&self, term: Term, cells: &[&[usize]]) -> Vec<Vec<f64>> {
        let over =
            |value: &dyn Fn(&[usize]) -> f64| cells.iter().map(|cell| value(cell)).collect::<Vec<f64>>();
        match term {
            Term::Main(factor) => self.measured[factor][1..]
                .iter()
                .map(|level| over(&|cell| self.code(factor, *level, cell)))
                .collect(),
            Term::Pair(one, other) => {
                let products = |first: &usize| -> Vec<Vec<f64>> {
                    let product = |second: &usize| {
                        over(&|cell| self.code(one, *first, cell) * self.code(other, *second, cell))
                    };
                    self.measured[other][1..].iter().map(product).collect()
                };
                self.measured[one][1..].iter().flat_map(products).collect()
            }
        }
    }

    /// 1 at this level, -1 at the first one, 0 at others: the coefficients of all levels sum to zero.
    fn code(&self, factor: usize, level: usize, cell: &[usize]) -> f64 {
        if cell[factor] == level {
            1.0
        } else if cell[factor] == self.measured[factor][0] {
            -1.0
        } else {
            0.0
        }
    }
}
