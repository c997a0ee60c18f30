//! Which cuts of a series are worth it.

use super::noise::{Noise, correlation, correlation_of_differences, skewness};
use super::pieces::{Piece, jump, welch};
use super::sums::Sums;

/// The spread of a short piece may be its own: a cut must also pass Welch's test at this.
const WELCH: f64 = 0.05;
/// Joining and moving is repeated at most this often.
const ROUNDS: usize = 8;

/// What a cut must satisfy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// A piece has at least this many values.
    pub(super) least: usize,
    /// Its p, as if it were the only test, is at most this.
    pub(super) limit: f64,
    /// Whether runs are as alike as the residuals around the pieces say, which a drift makes alike. If
    /// not, then as their differences say.
    pub(super) by_residuals: bool,
}

/// Joins adjacent pieces until every piece is long enough and every cut is significant: the shortest
/// first, then those that differ least, then those whose own spreads explain the difference. `seen` is
/// the correlation and the skewness of the noise.
fn join(sums: &Sums, pieces: &mut Vec<Piece>, rule: Rule, seen: [f64; 2]) {
    let squared = |pair: &[Piece]| {
        let (difference, variance) = jump(sums, &pair[0], &pair[1]);
        difference * difference / variance
    };
    // Of each cut: how large its difference is.
    let mut cuts: Vec<f64> = pieces.windows(2).map(squared).collect();
    while let Some(cut) = idle_cut(sums, pieces, &cuts, rule, seen) {
        let right = pieces.remove(cut + 1);
        pieces[cut] = Piece::level(sums, pieces[cut].from, right.to);
        cuts.remove(cut);
        for cut in cut.saturating_sub(1)..(cut + 1).min(cuts.len()) {
            cuts[cut] = squared(&pieces[cut..=cut + 1]);
        }
    }
}

/// The next cut to be taken back.
fn idle_cut(sums: &Sums, pieces: &[Piece], cuts: &[f64], rule: Rule, seen: [f64; 2]) -> Option<usize> {
    let weaker = |one: &usize, other: &usize| cuts[*one].total_cmp(&cuts[*other]);
    if let Some(short) = pieces.iter().position(|piece| piece.len() < rule.least) {
        return (short.saturating_sub(1)..=short).filter(|cut| *cut < cuts.len()).min_by(weaker);
    }
    let noise = Noise::around(sums, pieces, seen);
    let weakest = (0..cuts.len()).min_by(weaker);
    weakest.filter(|cut| noise.p_between(sums, &pieces[*cut..]) > rule.limit).or_else(|| {
        let alike = |cut: &usize| welch(sums, &pieces[*cut..], noise.inflation) > WELCH;
        (0..cuts.len()).find(alike)
    })
}

/// Moves each cut between levels to where they differ most, first one first. True if any moved.
pub(super) fn move_cuts(sums: &Sums, pieces: &mut [Piece], least: usize) -> bool {
    let mut moved = false;
    for cut in 1..pieces.len() {
        if pieces[cut - 1..=cut].iter().any(|piece| piece.fit.is_ramp()) {
            continue;
        }
        let (from, to) = (pieces[cut - 1].from, pieces[cut].to);
        let cost = |at: usize| sums.level(from, at).rss + sums.level(at, to).rss;
        let mut best = (pieces[cut].from, cost(pieces[cut].from));
        for at in from + least..=to.saturating_sub(least) {
            let now = cost(at);
            if now < best.1 * (1.0 - 1e-12) {
                best = (at, now);
            }
        }
        if best.0 != pieces[cut].from {
            moved = true;
            pieces[cut - 1] = Piece::level(sums, from, best.0);
            pieces[cut] = Piece::level(sums, best.0, to);
        }
    }
    moved
}

/// Joins what is not worth a cut and moves the cuts that are left, until nothing changes. What the
/// noise is like is found on the way. Returns the noise around the pieces.
pub(super) fn settle(sums: &Sums, pieces: &mut Vec<Piece>, rule: Rule) -> Noise {
    let floor = correlation_of_differences(sums, pieces);
    let alike =
        |pieces: &[Piece]| if rule.by_residuals { floor.max(correlation(sums, pieces)) } else { floor };
    for _ in 0..ROUNDS {
        join(sums, pieces, rule, [floor, 0.0]);
        // First to its place: beside it, a cut leaves residuals that lean.
        let moved = move_cuts(sums, pieces, rule.least);
        let before = pieces.len();
        let seen = [alike(pieces), skewness(sums, pieces)];
        join(sums, pieces, rule, seen);
        if !moved && pieces.len() == before {
            break;
        }
    }
    let seen = [alike(pieces), skewness(sums, pieces)];
    join(sums, pieces, rule, seen);
    Noise::around(sums, pieces, seen)
}
