//! The search of one series: its pieces, the runs that are off, and the noise around them.

use super::drift::{Limits, ramps_for_stairs};
use super::excursion::{Excursion, excursions, within};
use super::kept::Kept;
use super::noise::Noise;
use super::pieces::{LEAST, Piece, SHORTEST, levels};
use super::settle::{Rule, settle};
use super::significance::{Search, single_limit};
use super::spread::Spread;
use super::sums::Sums;
use super::take_back::take_back;

/// Excursions found among the pieces are taken out and the rest is searched again, at most this often.
const ROUNDS: usize = 20;

/// What the search of a series found. Runs are counted from 0 over those that have a value.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// What the levels of `pieces` are relative to.
    pub(super) origin: f64,
    pub(super) spread: Spread,
    pub(super) off: Vec<Excursion>,
    /// The runs that are not off.
    pub(super) sums: Sums,
    /// What they were cut into: one piece if nothing changed.
    pub(super) pieces: Vec<Piece>,
    pub(super) noise: Noise,
}

impl Found {
    /// Searches for changes whose p over the whole search is at most `limit`. Runs differ by at least
    /// `least`. `None` for a series too short to hold two levels, and for a constant.
    pub(super) fn search(x: &[f64], least: f64, limit: f64) -> Option<Self> {
        if x.len() < SHORTEST || x.iter().all(|value| *value == x[0]) {
            return None;
        }
        let spread = Spread::of(x, least, limit);
        let mut off = excursions(x, &spread.sigma);
        let mut stairs = Stairs::of(x, &spread, &off, limit);
        for _ in 1..ROUNDS {
            let short = within(&stairs.sums, &stairs.levels, stairs.noise.variance);
            if short.is_empty() {
                break;
            }
            off.extend(short);
            off.sort_by_key(|excursion| excursion.first);
            stairs = Stairs::of(x, &spread, &off, limit);
        }
        let Stairs { sums, cuts, .. } = stairs;
        let single = |search| single_limit(search, limit, sums.len());
        let limits = Limits { step: single(Search::Step), drift: single(Search::Drift) };
        let mut pieces = levels(&sums, cuts);
        let noise =
            settle(&sums, &mut pieces, Rule { least: LEAST, limit: limits.step, by_residuals: false });
        pieces = ramps_for_stairs(&sums, &pieces, &noise, limits);
        let noise = take_back(&sums, &mut pieces, limits);
        Some(Self { origin: x[0], spread, off, sums, pieces, noise })
    }
}

/// A series as levels alone.
struct Stairs {
    sums: Sums,
    /// Where the level may change.
    cuts: Vec<usize>,
    levels: Vec<Piece>,
    noise: Noise,
}

impl Stairs {
    fn of(x: &[f64], spread: &Spread, off: &[Excursion], limit: f64) -> Self {
        let Kept { sums, cuts } = Kept::new(x, spread, off);
        let limit = single_limit(Search::Step, limit, sums.len());
        let rule = Rule { least: LEAST, limit, by_residuals: true };
        let mut first = levels(&sums, cuts.iter().copied());
        settle(&sums, &mut first, rule);
        let sums = Kept::around(x, spread, &sums, &first);
        let mut levels = levels(&sums, first.iter().skip(1).map(|piece| piece.from));
        let noise = settle(&sums, &mut levels, rule);
        Self { sums, cuts, levels, noise }
    }
}
