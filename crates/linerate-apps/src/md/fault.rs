//! Why a calculation cannot go on, so that every rank ends with the same sentence.

use linerate_core::comm::Comm;
use linerate_core::comm::algorithm::Allgather;
use linerate_core::comm::collective::allgather;

use super::neighbours::TooClose;
use crate::application::AppError;
use crate::atoms::doubles;

/// What a rank found wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    /// Two atoms overlap.
    TooClose { ids: [u32; 2], distance: f64 },
    /// An atom goes further in a step than lists allow; not a number if its place is none.
    TooFast { id: u32, way: f64, most: f64 },
}

impl From<TooClose> for Fault {
    fn from(pair: TooClose) -> Self {
        Self::TooClose { ids: pair.ids, distance: pair.squared.sqrt() }
    }
}

impl Fault {
    const NUMBERS: usize = 4;

    const fn numbers(fault: Option<Self>) -> [f64; Self::NUMBERS] {
        match fault {
            None => [0.0; Self::NUMBERS],
            Some(Self::TooClose { ids: [one, two], distance }) => [1.0, one as f64, two as f64, distance],
            Some(Self::TooFast { id, way, most }) => [2.0, id as f64, way, most],
        }
    }

    fn of(numbers: [f64; Self::NUMBERS]) -> Option<Self> {
        let [kind, one, two, three] = numbers;
        match kind as u8 {
            1 => Some(Self::TooClose { ids: [one as u32, two as u32], distance: three }),
            2 => Some(Self::TooFast { id: one as u32, way: two, most: three }),
            _ => None,
        }
    }

    fn error(self) -> AppError {
        AppError::Calculation(match self {
            Self::TooClose { ids: [one, two], distance } => format!(
                "calculate the forces: atoms {one} and {two} are {distance:.3} apart, less than half their diameter; start \
                 with a lower density, or take a shorter time step"
            ),
            Self::TooFast { id, way, most } => format!(
                "take a step: atom {id} goes {way:.3} at once, and more than half the skin, {most:.3}, is too far; take a \
                 shorter time step or a lower temperature"
            ),
        })
    }

    /// Tells every rank what each found, and gives the error of the first one that found something. Messages: 32 B from
    /// every rank to every other, around a ring.
    pub(super) async fn told(comm: &mut impl Comm, mine: Option<Self>) -> AppError {
        let mut block = Vec::new();
        doubles::append(&mut block, &Self::numbers(mine));
        let mut all = vec![0; block.len() * comm.size()];
        if let Err(error) = allgather(comm, Allgather::Ring, &block, &mut all).await {
            return error.into();
        }
        let numbers = doubles::all(&all);
        let first = numbers.as_chunks().0.iter().find_map(|numbers| Self::of(*numbers));
        let unknown = || {
            AppError::Calculation("go on: the energy is not a number; take a shorter time step".to_owned())
        };
        first.map_or_else(unknown, Self::error)
    }
}
