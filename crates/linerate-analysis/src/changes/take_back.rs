//! What is not significant once everything has its place.

use super::drift::{Limits, best_ramp};
use super::noise::{Noise, noise_around};
use super::pieces::{LEAST, Piece};
use super::settle::move_cuts;
use super::sums::Sums;

/// Taking back and moving is repeated at most this often.
const ROUNDS: usize = 8;

/// Takes back what is not significant against the noise around all pieces and moves the cuts that are
/// left, until nothing changes. Returns that noise.
pub(super) fn take_back(sums: &Sums, pieces: &mut Vec<Piece>, limits: Limits) -> Noise {
    for _ in 0..ROUNDS {
        join_idle(sums, pieces, limits);
        if !move_cuts(sums, pieces, LEAST) {
            break;
        }
    }
    join_idle(sums, pieces, limits)
}

/// Makes levels of ramps that are not significant, and joins pieces where their cut has the largest p,
/// until all of it is significant against the noise around all pieces. Returns that noise.
pub(super) fn join_idle(sums: &Sums, pieces: &mut Vec<Piece>, limits: Limits) -> Noise {
    loop {
        let noise = noise_around(sums, pieces);
        let idle = |piece: &Piece| piece.fit.is_ramp() && noise.p_of_slope(&piece.fit) > limits.drift;
        if let Some(ramp) = pieces.iter_mut().find(|piece| idle(piece)) {
            *ramp = Piece::level(sums, ramp.from, ramp.to);
            continue;
        }
        let p = pieces.windows(2).map(|pair| noise.p_between(sums, pair));
        let weakest = p.enumerate().max_by(|(_, one), (_, other)| one.total_cmp(other));
        let Some((cut, _)) = weakest.filter(|(_, p)| *p > limits.step) else { return noise };
        let right = pieces.remove(cut + 1);
        pieces[cut] = joined(sums, &pieces[cut], &right, &noise, limits.drift);
    }
}

/// One piece in the place of two: a ramp if one of them was and the whole is.
fn joined(sums: &Sums, left: &Piece, right: &Piece, noise: &Noise, drift: f64) -> Piece {
    let (from, to) = (left.from, right.to);
    let ramp =
        if left.fit.is_ramp() || right.fit.is_ramp() { best_ramp(sums, from, to, noise) } else { None };
    match ramp {
        Some((fit, _)) if noise.p_of_slope(&fit) <= drift => Piece { from, to, fit },
        _ => Piece::level(sums, from, to),
    }
}
