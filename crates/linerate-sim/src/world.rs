//! A whole model: the clock, the medium, the stations.

use linerate_core::units::Time;

use crate::event::Event;
use crate::fabric::Fabric as _;
use crate::hosts::Hosts;
use crate::kernel::Kernel;
use crate::medium::Medium;

/// A model under way.
#[derive(Debug)]
pub struct World {
    /// The clock, and what is still to happen.
    pub kernel: Kernel,
    /// What connects the stations.
    pub medium: Medium,
    /// The stations.
    pub hosts: Hosts,
}

impl World {
    /// A model at time zero.
    #[must_use]
    pub fn new(medium: Medium, hosts: Hosts) -> Self {
        Self { kernel: Kernel::new(), medium, hosts }
    }

    /// Lets the next event happen; false if there is none.
    ///
    /// What stations send because of it goes out in the same instant, but only with the next call:
    /// an application may read what arrived before, so that the acknowledgement tells of its room.
    pub fn step(&mut self) -> bool {
        self.settle();
        let Some(event) = self.kernel.advance() else { return false };
        self.happen(event);
        true
    }

    /// Lets everything happen up to and at `limit`, or until `enough` frames of load arrived.
    pub fn run_until(&mut self, limit: Time, enough: u64) {
        self.settle();
        while self.hosts.meter.all_delivered() < enough
            && let Some(event) = self.kernel.advance_until(limit)
        {
            self.happen(event);
            self.settle();
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Host(event) => self.hosts.handle(event, &mut self.kernel),
            event => self.medium.handle(event, &mut self.kernel, &mut self.hosts),
        }
    }

    /// Tells the medium of every station that has something to send.
    pub fn settle(&mut self) {
        while let Some(port) = self.hosts.next_wake() {
            self.medium.wake(port, &mut self.kernel, &mut self.hosts);
        }
    }
}
