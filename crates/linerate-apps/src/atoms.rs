//! What the two applications that move atoms share: crystals, velocities, frames of a trajectory, numbers as bytes, and
//! what a run found out about its own correctness.

pub mod doubles;
pub mod frame;
pub mod lattice;
pub(crate) mod told;
pub mod velocity;

/// A place, a velocity or a force: x, y, z.
pub type Vector = [f64; 3];
