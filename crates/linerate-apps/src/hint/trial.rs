//! One trial: every rank refines its share again and again, and each time all sum their bounds.

use std::hint::black_box;

use linerate_core::comm::algorithm::Broadcast;
use linerate_core::comm::collective::{barrier, broadcast};
use linerate_core::comm::{Comm, CommError};
use linerate_core::units::Span;

use super::number::Number;
use super::refine::Bounds;
use super::share::Share;
use super::sum::GlobalSum;
use crate::application::AppError;
use crate::work::Work;

/// What rank 0 tells all ranks to do next, in 24 B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Nothing more.
    End,
    /// A trial.
    Trial(Asked),
}

/// One trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Of all ranks together.
    pub(crate) subintervals: u64,
    /// How often it is evaluated.
    pub(crate) laps: u64,
    /// Whether the phases of the first lap are kept.
    pub(crate) recorded: bool,
}

impl Order {
    /// Rank 0 says it, the others hear it, whatever they said: a broadcast along a binomial tree.
    pub(crate) async fn shared(self, comm: &mut impl Comm) -> Result<Self, CommError> {
        let numbers = match self {
            Self::End => [0; 3],
            Self::Trial(asked) => [asked.subintervals, asked.laps, u64::from(asked.recorded)],
        };
        let mut numbers = numbers.map(u64::to_le_bytes);
        broadcast(comm, Broadcast::Binomial, 0, numbers.as_flattened_mut()).await?;
        let [subintervals, laps, recorded] = numbers.map(u64::from_le_bytes);
        let asked = Asked { subintervals, laps, recorded: recorded > 0 };
        Ok(if laps == 0 { Self::End } else { Self::Trial(asked) })
    }
}

/// What a rank found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    /// How long one lap took, on this rank's clock. Unit: seconds.
    pub(crate) seconds: f64,
    /// How long all laps took.
    pub(crate) elapsed: Span,
    /// Of all ranks.
    pub(crate) bounds: Bounds,
    /// Whether every lap gave the same bounds.
    pub(crate) steady: bool,
}

/// Runs a trial. All ranks begin together, after a barrier; what the memory of the trial takes to get is not timed.
pub(crate) async fn trial<D: Number, C: Comm>(
    work: &mut Work<'_, C>,
    share: &mut Share<D>,
    sum: GlobalSum,
    asked: Asked,
) -> Result<Trial, AppError> {
    let own = share.resize(asked.subintervals)?;
    barrier(work).await?;
    if asked.recorded {
        work.record_step();
    }
    let begin = work.now();
    let (bounds, steady) = if work.size() == 1 {
        // Nothing to say to anybody: the clock is not read in between.
        work.compute("refine", own * asked.laps, || laps(share, asked.laps)).await
    } else {
        laps_together(work, share, sum, asked, own).await?
    };
    let elapsed = work.now().since(begin);
    work.end_step();
    let [subintervals] = sum.of(work, [bounds.subintervals]).await?;
    let seconds = elapsed.as_seconds() / asked.laps as f64;
    Ok(Trial { seconds, elapsed, bounds: Bounds { subintervals, ..bounds }, steady })
}

fn laps<D: Number>(share: &mut Share<D>, laps: u64) -> (Bounds, bool) {
    let first = black_box(share.evaluate());
    let mut steady = true;
    for _ in 1..laps {
        steady &= black_box(share.evaluate()) == first;
    }
    (first, steady)
}

/// The bounds of all ranks, but this rank's subintervals; and whether they were the same in every lap.
async fn laps_together<D: Number, C: Comm>(
    work: &mut Work<'_, C>,
    share: &mut Share<D>,
    sum: GlobalSum,
    asked: Asked,
    own: u64,
) -> Result<(Bounds, bool), AppError> {
    let mut first = None;
    let mut steady = true;
    for _ in 0..asked.laps {
        let mine = work.compute("refine", own, || share.evaluate()).await;
        let [upper, lower] = sum.of(work, [mine.upper, mine.lower]).await?;
        let bounds = Bounds { upper, lower, subintervals: mine.subintervals };
        if first.is_none() {
            work.end_step();
        }
        steady &= *first.get_or_insert(bounds) == bounds;
    }
    Ok((first.unwrap_or_default(), steady))
}
