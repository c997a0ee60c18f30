//! Where runs begin to differ more or less than before. It is asked first: a wilder stretch has levels
//! of its own by chance.

use super::candidates::candidates;
use super::drift::Limits;
use super::neighbours::{difference_scale, local_medians};
use super::pieces::{Piece, levels};
use super::settle::{Rule, settle};
use super::significance::{Search, over_search, single_limit};
use super::sums::Sums;
use super::take_back::join_idle;

/// A stretch of its own spread has at least this many runs.
const LEAST_SPREAD: usize = 15;
/// The logarithm of a residual over the spread counts no further from zero than this.
const LOG_BOUND: f64 = 1.5;
/// The spread of the whole counts as much as this many runs of a stretch's own.
const WHOLE_COUNTS: f64 = 10.0;

/// How much runs differ from their neighbours, over a series.
#[derive(Clone, Debug)]
pub(super) struct Spread {
    /// Where that changes, in order.
    pub(super) changes: Vec<SpreadChange>,
    /// The spread at each run.
    pub(super) sigma: Vec<f64>,
}

/// From here on, runs differ by another amount.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SpreadChange {
    /// The first run after it.
    pub(super) at: usize,
    /// Over the whole search.
    pub(super) p: f64,
}

impl Spread {
    /// The level of ln|residual| around the local median, searched as the level of values is.
    /// Changes have a p of at most `limit` over the whole search. Runs differ by at least `least`.
    pub(super) fn of(x: &[f64], least: f64, limit: f64) -> Self {
        let whole = difference_scale(x).max(least);
        let mut spread = Self { changes: Vec::new(), sigma: vec![whole; x.len()] };
        if x.len() < 2 * LEAST_SPREAD {
            return spread;
        }
        let residual =
            |(value, around): (&f64, f64)| ((value - around).abs() / whole).ln().clamp(-LOG_BOUND, LOG_BOUND);
        let logs: Vec<f64> = x.iter().zip(local_medians(x)).map(residual).collect();
        let cuts = candidates(&logs);
        let count = logs.len();
        let sums = Sums::new(logs, (0..count).collect(), vec![1.0; count]);
        let mut pieces = levels(&sums, cuts);
        let single = single_limit(Search::Spread, limit, count);
        settle(&sums, &mut pieces, Rule { least: LEAST_SPREAD, limit: single, by_residuals: true });
        let noise = join_idle(&sums, &mut pieces, Limits { step: single, drift: 0.0 });
        let change = |pair: &[Piece]| SpreadChange {
            at: pair[1].from,
            p: over_search(Search::Spread, noise.p_between(&sums, pair), count),
        };
        spread.changes = pieces.windows(2).map(change).collect();
        if pieces.len() > 1 {
            for piece in &pieces {
                let (own, count) = (difference_scale(&x[piece.from..piece.to]), piece.len() as f64);
                let own = (count * own * own + WHOLE_COUNTS * whole * whole) / (count + WHOLE_COUNTS);
                spread.sigma[piece.from..piece.to].fill(own.sqrt().max(least));
            }
        }
        spread
    }
}
