//! Why a design cannot be made.

use thiserror::Error;

use super::MOST_CELLS;

/// Why a design cannot be made. The text fits after "failed to choose cells: ". Factors are counted from 0
/// in the fields and from 1 in the text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DesignError {
    /// Nothing is varied.
    #[error("no factor is given: name at least one")]
    NoFactors,
    /// A factor has nothing to be set to.
    #[error("factor {} has no level: give it at least one", .factor + 1)]
    NoLevels {
        /// Its position.
        factor: usize,
    },
    /// The design is one of two-level factors.
    #[error("factor {} has {levels} levels and this design takes exactly two: give it two, or ask for the \
             full design", .factor + 1)]
    NotTwoLevels {
        /// The position of the first such factor.
        factor: usize,
        /// How many levels it has.
        levels: usize,
    },
    /// There is no such fraction.
    #[error("no fraction of {runs} runs is known for {factors} factors: {}", advice(.possible))]
    NoFraction {
        /// How many factors there are.
        factors: usize,
        /// How many runs were asked for.
        runs: usize,
        /// The numbers of runs that exist for so many factors; may be empty.
        possible: Vec<usize>,
    },
    /// A design of no cell was asked for.
    #[error("a design of 0 cells measures nothing: ask for at least one")]
    NoCells,
    /// The design is too large.
    #[error("it would have {} cells and the most is {MOST_CELLS}: take fewer levels, or a random or Latin \
             hypercube design", written(.cells.as_ref()))]
    TooManyCells {
        /// How many cells it would have. Absent above 2^128.
        cells: Option<u128>,
    },
    /// More cells were asked for than combinations exist.
    #[error(
        "{asked} different cells were asked for and only {there} exist: ask for at most {there}, or for \
             the full design"
    )]
    MoreThanThere {
        /// How many were asked for.
        asked: usize,
        /// How many combinations there are.
        there: u128,
    },
}

fn advice(possible: &[usize]) -> String {
    let numbers: Vec<String> = possible.iter().map(ToString::to_string).collect();
    match numbers.as_slice() {
        [] => "fractions exist for 3 to 7 factors; ask for the two-level design, or a random one".to_owned(),
        [one] => format!("ask for {one}"),
        [first @ .., last] => format!("ask for {} or {last}", first.join(", ")),
    }
}

fn written(cells: Option<&u128>) -> String {
    cells.map_or_else(|| "more than 2^128".to_owned(), ToString::to_string)
}
