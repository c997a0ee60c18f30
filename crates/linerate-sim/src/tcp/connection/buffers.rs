//! Buffers that grow: dynamic right-sizing (Fisk and Feng 2001); automatic tuning of send buffers
//! (Semke, Mahdavi and Mathis 1998).

use linerate_core::units::Time;

use super::{Connection, Segment};

impl Connection {
    /// Data came in order: the receive buffer may have to grow.
    pub(super) fn watch_receive_buffer(&mut self, segment: &Segment, now: Time) {
        let Some(mut sizing) = self.sizing.take() else { return };
        if self.agreed.timestamps {
            // Of full segments only: others may have waited at their sender.
            if segment.length >= self.agreed.mss
                && let Some(round_trip) = self.echoed(segment, now)
            {
                sizing.echoed(round_trip);
            }
        } else {
            sizing.passed(self.queue.expected(), self.offer.edge(), now);
        }
        if let Some(window) = sizing.wanted(self.queue.taken(), u64::from(self.agreed.mss), now) {
            self.offer.grow(&self.settings.rules.window, window);
        }
        self.sizing = Some(sizing);
    }

    /// The send buffer takes two congestion windows, as far as it may grow.
    pub(super) fn grow_send_buffer(&mut self) {
        let writer = &mut self.writer;
        if writer.granted >= writer.ceiling {
            return;
        }
        let (rules, mss) = (&self.settings.rules.send_buffer, u64::from(self.agreed.mss));
        let wanted = rules.for_window(self.congestion.window.bytes, mss).min(writer.ceiling);
        if wanted > writer.granted {
            writer.granted = wanted;
            writer.capacity = rules.capacity(wanted, mss);
        }
    }
}
