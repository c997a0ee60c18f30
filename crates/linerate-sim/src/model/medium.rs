//! From a plan's network to a medium: the one choice of it.

use super::{Built, ethernet};
use crate::media::each_medium;
use crate::medium::Medium;
use crate::medium_plan::Assembled;
use crate::plan::{ModelError, Network};

/// [`build`] of the table of media.
macro_rules! build {
    ($($(#[$doc:meta])* $medium:ident($name:literal, $fabric:ty, $event:ty, $plan:ty)),* $(,)?) => {
        /// Builds the medium of a plan; `seed` is that of everything random in it.
        pub(super) fn build(network: &Network, seed: u64) -> Result<Built, ModelError> {
            match network {
                Network::Ethernet(plan) => ethernet::build(plan, seed),
                $(Network::$medium(plan) => Ok(built(network, plan.build()?, Medium::$medium)),)*
            }
        }
    };
}

each_medium!(build);

/// What all but Ethernet have in common.
fn built<F>(network: &Network, assembled: Assembled<F>, medium: fn(F) -> Medium) -> Built {
    Built {
        medium: medium(assembled.fabric),
        line_rate: assembled.line_rate,
        framing: assembled.framing,
        header_bytes: 0,
        least_frame: 1,
        half_duplex: false,
        cautions: network.plan().cautions(),
    }
}
