//! Molecular dynamics against closed forms and published numbers.

mod energy;
mod motion;
mod nist;
mod parts;
mod refused;
mod times;

use std::ops::Range;

use linerate_apps::md::{Md, Start};

/// 256 atoms that need no random numbers.
pub(crate) fn fixture() -> Md {
    Md { cells: [4; 3], start: Start::Waves, ..Md::default() }
}

/// Atoms that each of 2 x 2 x 2 parts of a crystal of 20 x 20 x 20 cells at rest sends in its three stages, down and up. The
/// crystal's sites are at whole multiples of half a cell, 0.84, whose sum is even. A part has the planes 0 to 19 along each
/// axis: within 2.8 of its lower face are four of them, of its upper face three, and so of the parts beside it.
pub(crate) fn sent_at_rest() -> [[u64; 2]; 3] {
    let sites = |x: Range<i64>, y: Range<i64>, z: Range<i64>| {
        let columns = x.flat_map(|x| y.clone().map(move |y| x + y));
        columns.map(|sum| z.clone().filter(|z| (sum + z) % 2 == 0).count() as u64).sum::<u64>()
    };
    let (down, up, own, all) = (0..4, 17..20, 0..20, -3..24);
    [
        [&down, &up].map(|planes| sites(planes.clone(), own.clone(), own.clone())),
        [&down, &up].map(|planes| sites(all.clone(), planes.clone(), own.clone())),
        [&down, &up].map(|planes| sites(all.clone(), all.clone(), planes.clone())),
    ]
}
