//! What only these tests ask of a lab: its wire.

use crate::support::lab::{Lab, must};

impl Lab {
    /// What the token bucket of this host's end of the wire counted.
    pub(crate) fn counters(&self) -> String {
        let name = &self.here.0;
        must("tc", &format!("-n {name} -s qdisc show dev {name}"))
    }

    /// Unplugs the wire at the other host, or plugs it in again.
    pub(crate) fn plug(&self, connected: bool) {
        let (name, state) = (&self.there.0, if connected { "up" } else { "down" });
        must("ip", &format!("-n {name} link set {name} {state}"));
    }

    /// The name of this host's end of the wire.
    pub(crate) fn interface(&self) -> &str {
        &self.here.0
    }
}
