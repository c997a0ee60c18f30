//! A whole model: the clock, the medium, the stations.

use linerate_core::units::Time;

use crate::event::Event;
use crate::kernel::Kernel;
use crate::medium::Medium;
use crate::stations::Stations;

/// A model under way.
#[derive(Debug)]
pub struct World {
    /// The clock, and what is still to happen.
    pub kernel: Kernel<Event>,
    /// What connects the stations.
    pub medium: Medium,
    /// The stations.
    pub stations: Stations,
}

impl World {
    /// A model at time zero.
    #[must_use]
    pub fn new(medium: Medium, stations: Stations) -> Self {
        Self { kernel: Kernel::new(), medium, stations }
    }

    /// Handles the next event; false if there is no event.
    ///
    /// Frames that stations send because of it go out at the same instant, but only with the next
    /// call: before that an application may read what arrived, so that the acknowledgement includes
    /// the freed window.
    pub fn step(&mut self) -> bool {
        self.settle();
        let Some(event) = self.kernel.advance() else { return false };
        self.happen(event);
        true
    }

    /// Handles all events up to and at `limit`, or until `enough` frames of load arrived.
    pub fn run_until(&mut self, limit: Time, enough: u64) {
        self.settle();
        while self.stations.meter.all_delivered() < enough
            && let Some(event) = self.kernel.advance_until(limit)
        {
            self.happen(event);
            self.settle();
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Station(event) => self.stations.handle(event, &mut self.kernel),
            event => self.medium.handle(event, &mut self.kernel, &mut self.stations),
        }
    }

    /// Tells the medium of every station that has something to send.
    pub fn settle(&mut self) {
        while let Some(port) = self.stations.next_wake() {
            self.medium.wake(port, &mut self.kernel, &mut self.stations);
        }
    }
}
