//! Molecular dynamics against closed forms and published numbers.

mod energy;
mod motion;
mod parts;
mod refused;
mod times;

use linerate_apps::md::{Md, Start};

/// 256 atoms that need no random numbers.
pub(crate) fn fixture() -> Md {
    Md { cells: [4; 3], start: Start::Waves, ..Md::default() }
}
