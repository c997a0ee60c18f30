//! What a station does: it sends one packet after the other, with a copy to each receiver if it is
//! for everyone.

use linerate_core::units::Time;

use super::parameters::{check_packet, packet_bytes};
use super::{Event, Myrinet, Worm};
use crate::fabric::{Client, Loss, MacCounters, Seen};
use crate::frame::{Destination, Port};
use crate::kernel::{Includes, Kernel};

/// A station's interface.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Station {
    pub(super) counters: MacCounters,
    /// The frame being sent, and who gets the next copy of it.
    sending: Option<(u32, Option<u32>)>,
    /// Since when its channel is stopped.
    stopped: Option<Time>,
}

impl Station {
    /// STOP or GO has come.
    pub(super) fn regulated(&mut self, stop: bool, now: Time) {
        if let Some(since) = self.stopped.take() {
            self.counters.paused += now.since(since);
        }
        self.stopped = stop.then_some(now);
    }
}

impl Myrinet {
    /// Sends the next packet of `station`, if it has one and is not sending.
    pub(super) fn begin<E: Includes<Event>>(
        &mut self,
        station: u32,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        if self.channels[self.routes.up(station) as usize].owner.is_some() {
            return;
        }
        let Some((carried, to)) = self.next_copy(station, kernel, client) else { return };
        let data_bytes = self.carried.frame(carried).data_bytes;
        let length = packet_bytes(data_bytes, self.routes.hops(station, to)) * self.marks.byte;
        let worm = self.worms.insert(Worm { carried, to, length });
        let (number, output) = (self.routes.down(station), self.routes.up(station));
        let buffer = &mut self.buffers[number as usize];
        buffer.advance(kernel.now().as_ps());
        buffer.load(worm, length);
        buffer.output = Some(output);
        self.channels[output as usize].take(number);
        self.settle(number, kernel);
    }

    /// The tail of a packet has left the station.
    pub(super) fn sent<E: Includes<Event>>(
        &mut self,
        station: u32,
        worm: u32,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let frame = self.carried.frame(self.worms[worm].carried);
        self.stations[station as usize].counters.sent += 1;
        client.observe(Port(station), frame, Seen::Sent, kernel);
        client.left(Port(station), frame, kernel.now());
        self.begin(station, kernel, client);
    }

    /// The next copy of the frame being sent, or of the client's next frame: which, and for whom.
    fn next_copy<E: Includes<Event>>(
        &mut self,
        station: u32,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) -> Option<(u32, u32)> {
        if let Some((carried, Some(to))) = self.stations[station as usize].sending {
            self.stations[station as usize].sending = Some((carried, self.after(station, to)));
            return Some((carried, to));
        }
        loop {
            let frame = client.next(Port(station), kernel)?;
            let count = self.stations.len() as u32;
            let (receivers, to) = match frame.destination {
                Destination::Station(to) => (u32::from(to.0 < count), Some(to.0)),
                Destination::Everyone => (count - 1, self.after(station, u32::MAX)),
                // The other end of the link is a switch, which takes no packets.
                Destination::Link => (0, None),
            };
            if let Some(to) = to.filter(|_| receivers > 0 && check_packet(frame.data_bytes).is_ok()) {
                let carried = self.carried.take(frame, Port(station));
                self.carried.copy(carried, receivers);
                let more = (receivers > 1).then(|| self.after(station, to)).flatten();
                self.stations[station as usize].sending = Some((carried, more));
                return Some((carried, to));
            }
            client.lost(Port(station), frame, Loss::Error, kernel);
        }
    }

    /// The station that gets a copy after `to`, or the first if `to` is the highest number: each
    /// but the sender.
    fn after(&self, station: u32, to: u32) -> Option<u32> {
        let next = to.wrapping_add(1);
        let next = if next == station { next + 1 } else { next };
        (next < self.stations.len() as u32).then_some(next)
    }
}
