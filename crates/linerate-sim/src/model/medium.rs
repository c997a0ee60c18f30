//! From a plan's network to a medium: the one choice of it.

use super::{Built, ethernet, media};
use crate::plan::{ModelError, Network};

/// Builds the medium of a plan; `seed` is that of everything random in it.
pub(super) fn build(network: &Network, seed: u64) -> Result<Built, ModelError> {
    match network {
        Network::Ethernet(plan) => ethernet::build(plan, seed),
        Network::Atm(plan) => media::atm(plan),
        Network::Fddi(plan) => media::fddi(plan),
        Network::FibreChannel(plan) => media::fibre_channel(plan),
        Network::Myrinet(plan) => media::myrinet(plan),
    }
}
