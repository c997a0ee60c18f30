//! The density matrix without eigenvalues: second-order spectral projection (Niklasson, Phys. Rev. B 66, 155115, 2002).

use linerate_core::comm::algorithm::Broadcast;
use linerate_core::comm::collective::{SumOfDoubles, broadcast, reduce};
use linerate_core::comm::{Comm, CommError};

use super::share::{Distribution, Share};
use super::square::Squarer;
use crate::atoms::doubles;
use crate::work::Work;

/// More products than this are only needed if levels are full and empty at the same energy, or nearly so.
const MOST_PRODUCTS: u32 = 100;

/// What is left of a difference between a matrix and its square, for each row.
const TOLERANCE: f64 = 1e-10;

/// The projector on the occupied levels.
#[derive(Clone, Debug, PartialEq)]
pub struct Purified {
    /// This rank's share of it.
    pub elements: Vec<f64>,
    /// Products that it took.
    pub products: u32,
    /// Its trace: as many as there are occupied levels.
    pub trace: f64,
}

/// Sums over all ranks, the same at each: up a binomial tree, and down.
pub(super) async fn add_up(comm: &mut impl Comm, values: &mut [f64]) -> Result<(), CommError> {
    let mut bytes = Vec::new();
    doubles::append(&mut bytes, values);
    reduce(comm, 0, &mut bytes, &SumOfDoubles).await?;
    broadcast(comm, Broadcast::Binomial, 0, &mut bytes).await?;
    doubles::read(values, &bytes);
    Ok(())
}

/// The Hamiltonian turned and squeezed, so that its levels are between 1, the lowest, and 0.
fn squeezed(mut elements: Vec<f64>, share: &Share, [low, high]: [f64; 2]) -> Vec<f64> {
    let scale = -1.0 / (high - low);
    elements.iter_mut().for_each(|element| *element *= scale);
    for place in share.rows().filter_map(|row| share.place(row, row)) {
        elements[place] -= high * scale;
    }
    elements
}

/// Finds the projector on the `occupied` lowest levels of the Hamiltonian whose share is `hamiltonian` and whose levels are
/// within `bounds`. Messages: those of a square, and a sum of two numbers, for each product. The inner value is nothing if
/// there is no gap above the occupied levels.
///
/// # Errors
///
/// The carrier's.
pub async fn purify<C: Comm>(
    work: &mut Work<'_, C>,
    how: (Distribution, Share),
    hamiltonian: &[f64],
    occupied: f64,
    bounds: [f64; 2],
) -> Result<Option<Purified>, CommError> {
    let share = how.1;
    let mut matrix = work.compute("start", 0, || squeezed(hamiltonian.to_vec(), &share, bounds)).await;
    let mut square = vec![0.0; share.len()];
    let mut squarer = Squarer::default();
    for products in 1..=MOST_PRODUCTS {
        squarer.square(work, how, &matrix, &mut square).await?;
        let mut traces = [&matrix, &square].map(|elements| share.trace(elements));
        add_up(work, &mut traces).await?;
        let [trace, of_square] = traces;
        if (trace - of_square).abs() < TOLERANCE * share.order as f64 {
            // Half a level at least, if the wrong number of levels is full.
            let is_right = (trace - occupied).abs() < 0.25;
            return Ok(is_right.then_some(Purified { elements: matrix, products, trace }));
        }
        // Of the two the one whose trace is nearer; the square has lower levels, the other one higher ones.
        let other = 2.0 * trace - of_square;
        let takes_square = (of_square - occupied).abs() < (other - occupied).abs();
        work.compute("next", 0, || next(&mut matrix, &square, takes_square)).await;
    }
    Ok(None)
}

fn next(matrix: &mut [f64], square: &[f64], takes_square: bool) {
    if takes_square {
        matrix.copy_from_slice(square);
    } else {
        for (element, square) in matrix.iter_mut().zip(square) {
            *element = 2.0 * *element - square;
        }
    }
}
