//! A receive buffer with watermarks for PAUSE.

use linerate_core::units::Time;

use super::interface::{Interface, Order, Outbox};
use super::{Event, NetworkEvent, QueueReport, What};
use crate::ethernet::pause::{self, Filled, Gauge, MAX_QUANTA, Resume};
use crate::ethernet::topology::{Buffer, Wire};
use crate::kernel::{Class, Includes, Kernel, Timer};

/// A receive buffer that asks for PAUSE.
#[derive(Debug)]
pub(super) struct Input {
    interface: Interface,
    gauge: Gauge,
    /// When PAUSE is to be asked for again.
    refresh: Option<Timer>,
}

impl Input {
    /// The buffer of `interface`, which is at the end `side` of a cable.
    pub(super) fn new(interface: Interface, buffer: Buffer, wire: &Wire, side: usize) -> Self {
        let watermarks = buffer.watermarks.filter(|_| wire.sides[side].flow.sends);
        let gauge = match watermarks.map(|watermarks| Gauge::new(buffer.capacity, watermarks)) {
            // Half of the time asked for is left for the next PAUSE frame to wait for the line.
            Some(Ok(gauge)) => gauge.asking(MAX_QUANTA, Some(pause::span(MAX_QUANTA, wire.pace) / 2)),
            None | Some(Err(_)) => Gauge::without_pause(buffer.capacity),
        };
        Self { interface, gauge, refresh: None }
    }

    /// Stores `bytes`; false if there is no room, which it counts.
    pub(super) fn fill(
        &mut self,
        bytes: u64,
        kernel: &mut Kernel<impl Includes<NetworkEvent>>,
        outbox: &mut Outbox,
    ) -> bool {
        match self.gauge.fill(kernel.now(), bytes) {
            Filled::Overflow => return false,
            Filled::Stored => {}
            Filled::StoredAndPause => self.ask(kernel, outbox),
        }
        true
    }

    /// Lets out `bytes`.
    pub(super) fn drain(
        &mut self,
        bytes: u64,
        kernel: &mut Kernel<impl Includes<NetworkEvent>>,
        outbox: &mut Outbox,
    ) {
        if let Some(Resume) = self.gauge.drain(kernel.now(), bytes) {
            if let Some(timer) = self.refresh.take() {
                kernel.cancel(timer);
            }
            outbox.orders.push_back(Order::Pause(self.interface, 0));
        }
    }

    /// The last PAUSE is about to expire, and the sender must still wait.
    pub(super) fn refresh(&mut self, kernel: &mut Kernel<impl Includes<NetworkEvent>>, outbox: &mut Outbox) {
        if self.gauge.refresh_due(kernel.now()) {
            self.ask(kernel, outbox);
        }
    }

    /// Its row in a table.
    pub(super) fn report(&self, name: String, now: Time) -> QueueReport {
        QueueReport::of(&self.gauge, name, now)
    }

    fn ask(&mut self, kernel: &mut Kernel<impl Includes<NetworkEvent>>, outbox: &mut Outbox) {
        outbox.orders.push_back(Order::Pause(self.interface, self.gauge.quanta()));
        let event = NetworkEvent::Node(Event(What::Refresh(self.interface)));
        self.refresh = self.gauge.refresh_at().map(|when| kernel.timer(when, Class::Expire, event));
    }
}
