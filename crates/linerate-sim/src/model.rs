//! From a plan to a model: build it, load it, measure it.

mod ceiling;
mod curve;
mod ends;
mod ethernet;
mod impairments;
mod loaded;
mod loads;
mod medium;
mod unused;

use linerate_core::caution::Caution;
use linerate_core::units::Rate;

use crate::framing::Framing;
use crate::medium::Medium;
use crate::plan::{ModelError, ModelPlan};

pub use ceiling::{Ceiling, ceiling};
pub use curve::{Curve, curve};
pub use loaded::{Loaded, check_load, load};
pub(crate) use loads::{Described, Network, describe};
pub use loads::{Ends, asked};

/// A medium that was built from a plan, and how it counts.
#[derive(Debug)]
pub struct Built {
    /// The medium.
    pub medium: Medium,
    /// Rate of one station's line, line coding taken off.
    pub line_rate: Rate,
    /// How it frames packets.
    pub framing: Framing,
    /// How much longer a size of `load.frame` is than its packet, without padding. Unit: bytes.
    pub header_bytes: u32,
    /// The shortest size of `load.frame`. Unit: bytes.
    pub least_frame: u32,
    /// Whether any of it is half duplex: then backoff is random, and one trial is not enough.
    pub half_duplex: bool,
    /// Whether one line is all that the stations have together.
    pub shares_line: bool,
    /// Cautions about it.
    pub cautions: Vec<Caution>,
}

/// Builds the plan's network.
///
/// # Errors
///
/// [`ModelError`] with the key, the reason and what is allowed.
pub fn build(plan: &ModelPlan) -> Result<Built, ModelError> {
    medium::build(&plan.network, plan.seed)
}

/// Checks that the plan can be built, and measured or loaded.
///
/// # Errors
///
/// [`ModelError`] with the key, the reason and what is allowed.
pub fn check(plan: &ModelPlan) -> Result<(), ModelError> {
    plan.measure.check()?;
    curve(plan, None).map(drop)?;
    check_load(plan)
}
