//! What only these tests ask of a lab: its wire, and a process on it.

use linerate_net::lab::{WIRE, shape, switch};

use crate::support::lab::{Lab, Limit, rate, size};
use crate::support::process::Process;
use crate::support::{Desk, output_of};

impl Lab {
    /// Starts linerate on this host of the lab and leaves it running.
    pub(crate) fn start(&self, desk: &Desk, arguments: &[&str]) -> Process {
        self.0.here(|| desk.start(arguments)).expect("entered")
    }

    /// What the token bucket of this host's end of the wire counted.
    pub(crate) fn counters(&self) -> String {
        let show = ["-s", "qdisc", "show", "dev", WIRE];
        self.0.here(|| output_of("tc", &show)).expect("entered")
    }

    /// Gives both ends of the wire a queue of this size, such as `32kb`, instead of the deep one.
    pub(crate) fn queue(&self, Limit { mbps, burst }: Limit, queue: &str) {
        let shallow = || shape(rate(mbps), size(burst), size(queue));
        for shaped in [self.0.here(shallow), self.0.there(shallow)] {
            shaped.expect("entered").expect("the wire takes it");
        }
    }

    /// Unplugs the wire at the other host, or plugs it in again.
    pub(crate) fn plug(&self, connected: bool) {
        self.0.there(|| switch(connected)).expect("entered").expect("the wire is ours");
    }
}
