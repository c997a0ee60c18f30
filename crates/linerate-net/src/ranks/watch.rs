//! What a rank sees of itself and its host while a mesh is measured.

use std::net::{IpAddr, Ipv4Addr};

use linerate_core::environment::{Environment, Fact};
use linerate_core::mesh::RankAccount;
use linerate_core::trial::Tally;

use super::comm::TcpComm;
use crate::observe::{CLOCK_READS, HostClock, Observer, check_clock, current_cpu, environment};

/// A watch over a rank, on the thread that measures.
#[derive(Debug)]
pub struct RankWatch {
    clock: HostClock,
    observer: Observer,
    environment: Environment,
    address: Option<IpAddr>,
}

impl RankWatch {
    /// Starts to watch a rank that has joined.
    #[must_use]
    pub fn start(comm: &TcpComm, clock: HostClock) -> Self {
        let address = comm.own_address();
        let local = address.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let mut observer = Observer::start(&clock, check_clock(&clock, CLOCK_READS), local);
        observer.saw(&Tally::default(), current_cpu());
        Self { clock, observer, environment: environment(address), address }
    }

    /// Ends the watch over a rank of a mesh whose ranks count from `first`: what rank 0 is told. Takes half a second, in which the rank's own noise is watched.
    #[must_use]
    pub fn finish(mut self, comm: &TcpComm, first: usize) -> RankAccount {
        for cpu in comm.cpus().iter().copied().chain(current_cpu()) {
            self.observer.saw(&Tally::default(), Some(cpu));
        }
        let [far, near] = comm.moved(first);
        RankAccount {
            environment: self.environment,
            observation: self.observer.finish(&self.clock, Fact::unknown("ranks have many connections")),
            address: self.address.map(|address| address.to_string()).unwrap_or_default(),
            far,
            near,
            segments: comm.sent_segments(first),
        }
    }
}
