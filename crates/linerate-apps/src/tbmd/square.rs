//! The square of a matrix that ranks share.

use linerate_core::comm::algorithm::Broadcast;
use linerate_core::comm::collective::broadcast;
use linerate_core::comm::{Comm, CommError};

use super::line::Line;
use super::product::{Matrix, Strips};
use super::share::{Distribution, Share};
use crate::atoms::doubles;
use crate::work::Work;

/// Squares a shared matrix again and again.
#[derive(Debug, Default)]
pub(super) struct Squarer {
    strips: Strips,
    out: Vec<u8>,
    into: Vec<u8>,
}

impl Squarer {
    /// Writes this rank's share of the square of the matrix whose share is `elements`.
    pub(super) async fn square<C: Comm>(
        &mut self,
        work: &mut Work<'_, C>,
        how: (Distribution, Share),
        elements: &[f64],
        square: &mut [f64],
    ) -> Result<(), CommError> {
        square.fill(0.0);
        match how.0 {
            Distribution::Ring => self.ring(work, how.1, elements, square).await,
            Distribution::Summa => self.summa(work, how.1, elements, square).await,
        }
    }

    /// Block rows go round: P - 1 messages.
    async fn ring<C: Comm>(
        &mut self,
        work: &mut Work<'_, C>,
        share: Share,
        elements: &[f64],
        square: &mut [f64],
    ) -> Result<(), CommError> {
        let (rank, ranks) = (work.rank(), work.size());
        let [rows, columns] = share.count;
        self.out.resize(8 * share.len(), 0);
        self.into.resize(8 * share.len(), 0);
        doubles::write(&mut self.out, elements);
        for step in 0..ranks {
            // Whose rows are here now: they meet as many of this rank's columns.
            let owner = Share::of(Distribution::Ring, share.order, (rank + ranks - step) % ranks, ranks);
            let there = owner.rows();
            if !there.is_empty() {
                let left = Matrix {
                    elements: &elements[there.start..],
                    rows,
                    columns: there.len(),
                    stride: columns,
                };
                let right = Matrix::whole(self.out.as_chunks().0, there.len(), columns);
                let strips = &mut self.strips;
                work.compute("product", operations(&left, &right), || {
                    strips.multiply_add(square, left, right);
                })
                .await;
            }
            if step + 1 < ranks {
                // What came is handed on.
                let (out, into) = (&mut self.out, &mut self.into);
                work.sendrecv_owned((rank + 1) % ranks, out, (rank + ranks - 1) % ranks, into).await?;
                std::mem::swap(&mut self.out, &mut self.into);
            }
        }
        Ok(())
    }

    /// Blocks are broadcast along rows and columns of ranks, one of each at a time.
    async fn summa<C: Comm>(
        &mut self,
        work: &mut Work<'_, C>,
        share: Share,
        elements: &[f64],
        square: &mut [f64],
    ) -> Result<(), CommError> {
        let side = work.size().isqrt();
        let (row, column) = (work.rank() / side, work.rank() % side);
        let block = share.count[0];
        // The block of this row of ranks, and that of this column.
        self.out.resize(8 * share.len(), 0);
        self.into.resize(8 * share.len(), 0);
        for step in 0..side {
            if column == step {
                doubles::write(&mut self.out, elements);
            }
            broadcast(&mut Line::row(work, row, side), Broadcast::Binomial, step, &mut self.out).await?;
            if row == step {
                doubles::write(&mut self.into, elements);
            }
            broadcast(&mut Line::column(work, column, side), Broadcast::Binomial, step, &mut self.into)
                .await?;
            let [left, right] =
                [&self.out, &self.into].map(|bytes| Matrix::whole(bytes.as_chunks().0, block, block));
            let strips = &mut self.strips;
            work.compute("product", operations(&left, &right), || strips.multiply_add(square, left, right))
                .await;
        }
        Ok(())
    }
}

/// Operations on two numbers: a multiplication and an addition for each element of one factor and column of the other.
const fn operations<L, R>(left: &Matrix<'_, L>, right: &Matrix<'_, R>) -> u64 {
    2 * left.rows as u64 * left.columns as u64 * right.columns as u64
}
