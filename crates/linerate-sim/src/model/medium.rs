//! From a plan's network to a medium: the one choice of it.

use super::{Built, ethernet};
use crate::media::each_medium;
use crate::medium::Medium;
use crate::medium_plan::Assembled;
use crate::plan::{ModelError, Network};

/// The arms of [`build`].
macro_rules! built {
    ([$network:expr, $seed:expr] $($(#[$doc:meta])* $medium:ident($name:literal, $about:literal, $carrier:ty, $event:ty, $plan:ty),)*) => {
        match $network {
            Network::Ethernet(plan) => ethernet::build(plan, $seed),
            $(Network::$medium(plan) => Ok(built(plan.build()?, Medium::$medium)),)*
        }
    };
}

/// Builds the medium of a plan; `seed` is that of everything random in it.
pub(super) fn build(network: &Network, seed: u64) -> Result<Built, ModelError> {
    each_medium!(built [network, seed])
}

/// What all but Ethernet have in common.
fn built<F>(assembled: Assembled<F>, medium: fn(F) -> Medium) -> Built {
    let Assembled { fabric, line_rate, framing, shares_line, cautions } = assembled;
    Built {
        medium: medium(fabric),
        line_rate,
        framing,
        header_bytes: 0,
        least_frame: 1,
        half_duplex: false,
        shares_line,
        cautions,
    }
}
