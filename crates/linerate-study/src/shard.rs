//! One part of the runs of a study: so that several processes, on several hosts, share them without talking.
//!
//! Every run has a number, and every process computes by itself which numbers are its own.

use std::fmt;
use std::str::FromStr;

use crate::error::MOST_RUNS;

/// The variables of a task of a Slurm job array. Source: sbatch(1), "OUTPUT ENVIRONMENT VARIABLES".
const TASK: &str = "SLURM_ARRAY_TASK_ID";
const FIRST: &str = "SLURM_ARRAY_TASK_MIN";
const COUNT: &str = "SLURM_ARRAY_TASK_COUNT";
const STEP: &str = "SLURM_ARRAY_TASK_STEP";

/// One of several parts of the runs of a study. Written `2/4`: the second of four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// From 0.
    place: usize,
    /// How many parts there are, at least one.
    of: usize,
}

/// Why there is no such part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShardError {
    /// It is not written as one.
    #[error("`{0}` is not I/N, such as 2/4")]
    Form(String),
    /// There are no parts, or more than any study has runs.
    #[error("the number of parts is from 1 to {MOST_RUNS}, not {0}")]
    Parts(String),
    /// There is no such part.
    #[error("the parts are numbered from 1 to {of}, so there is no part {number}")]
    Number {
        /// What was given.
        number: String,
        /// How many there are.
        of: usize,
    },
    /// A variable of Slurm is not there: this is no task of a job array.
    #[error("{0} is not set: this is not a task of a Slurm job array")]
    NoTask(&'static str),
    /// A variable of Slurm is not a number.
    #[error("{name} is `{value}`, which is not a number of a Slurm job array")]
    Variable {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// The tasks of the array do not follow each other.
    #[error("task {task} is not one of {count} that follow each other from {first} in steps of {step}")]
    Gaps {
        /// The number of the task.
        task: u64,
        /// The lowest number.
        first: u64,
        /// How many there are.
        count: u64,
        /// From one to the next.
        step: u64,
    },
}

impl Shard {
    /// Everything, as one part.
    pub const WHOLE: Self = Self { place: 0, of: 1 };

    /// How many parts there are.
    pub const fn of(self) -> usize {
        self.of
    }

    /// The part of this task of a Slurm job array: its place is how many steps its number is above the lowest, so the
    /// array may begin anywhere. `variable` reads the environment.
    ///
    /// # Errors
    ///
    /// This is no task of an array, a variable is no number, or the array has gaps: then no one else would do the rest.
    pub fn of_slurm(variable: impl Fn(&'static str) -> Option<String>) -> Result<Self, ShardError> {
        let number = |name: &'static str, text: String| {
            text.trim().parse::<u64>().map_err(|_| ShardError::Variable { name, value: text })
        };
        let needed =
            |name| variable(name).ok_or(ShardError::NoTask(name)).and_then(|text| number(name, text));
        let (task, first, count) = (needed(TASK)?, needed(FIRST)?, needed(COUNT)?);
        // Of an array in steps of 1 it may be absent.
        let step = variable(STEP).map_or(Ok(1), |text| number(STEP, text))?.max(1);
        let gaps = || ShardError::Gaps { task, first, count, step };
        let place = task.checked_sub(first).filter(|above| above % step == 0).ok_or_else(gaps)? / step;
        if place >= count {
            return Err(gaps());
        }
        let of = parts(&count.to_string())?;
        Ok(Self { place: usize::try_from(place).map_err(|_| gaps())?, of })
    }

    /// The part of so many, at least one, that has the run of this number, from 0.
    ///
    /// Of every N runs that follow each other each part has one, by turns that shift from row to row: the digits of the
    /// number in base N are added, modulo N (the Thue-Morse sequence, for N parts). Dealt out plainly, a sweep whose
    /// last key has a number of values that shares a factor with N would give all the large ones to one part.
    pub const fn having(number: usize, of: usize) -> Self {
        if of <= 1 {
            return Self::WHOLE;
        }
        let (mut rest, mut place) = (number, 0);
        while rest > 0 {
            place = (place + rest % of) % of;
            rest /= of;
        }
        Self { place, of }
    }

    /// Whether the run of this number, from 0, belongs to it.
    pub const fn has(self, number: usize) -> bool {
        Self::having(number, self.of).place == self.place
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let digits = |part: &str| !part.is_empty() && part.chars().all(|digit| digit.is_ascii_digit());
        let halves = text.trim().split_once('/').filter(|(number, of)| digits(number) && digits(of));
        let (number, of) = halves.ok_or_else(|| ShardError::Form(text.to_owned()))?;
        let of = parts(of)?;
        let place = number.parse::<usize>().ok().filter(|number| (1..=of).contains(number));
        let place = place.ok_or_else(|| ShardError::Number { number: number.to_owned(), of })?;
        Ok(Self { place: place - 1, of })
    }
}

fn parts(text: &str) -> Result<usize, ShardError> {
    let parts = text.parse::<usize>().ok().filter(|parts| (1..=MOST_RUNS).contains(parts));
    parts.ok_or_else(|| ShardError::Parts(text.to_owned()))
}

impl fmt::Display for Shard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.place + 1, self.of)
    }
}

#[cfg(test)]
mod tests;
