//! A learning, store-and-forward switch.
//!
//! A frame that has wholly arrived is put, after the forwarding latency, into the queue of each
//! port that it goes to. Queues hold no frames but places in the switch's memory, so a flooded
//! frame is stored, and counted against the port it came in by, once.

use std::collections::VecDeque;

use linerate_core::units::Time;

use super::input::Input;
use super::interface::{Interface, Order, Outbox, Whereabouts};
use super::marking::{Marker, Verdict, Waiting};
use super::{Event, NetworkEvent, QueueReport, What};
use crate::ethernet::parameters::frame_bytes;
use crate::ethernet::pause::{Filled, Gauge};
use crate::ethernet::topology::SwitchParameters;
use crate::frame::{Destination, Frame};
use crate::kernel::{Class, Includes, Kernel};
use crate::slab::Slab;

/// A learning switch.
#[derive(Debug)]
pub(super) struct Switch {
    number: u32,
    parameters: SwitchParameters,
    ports: Vec<Port>,
    /// The port on which each station was last seen.
    table: Vec<Option<u32>>,
    memory: Slab<Stored>,
    /// What has arrived and is not forwarded yet, oldest first.
    arrived: VecDeque<u32>,
}

#[derive(Debug)]
struct Port {
    /// What waits to leave, the frame that is being sent not counted.
    queue: VecDeque<Queued>,
    level: Gauge,
    marker: Option<Marker>,
    input: Option<Input>,
}

/// A place in the memory, in one of the queues.
#[derive(Clone, Copy, Debug)]
struct Queued {
    place: u32,
    /// This queue marked the packet: its copies in others are not.
    marked: bool,
}

#[derive(Clone, Copy, Debug)]
struct Stored {
    frame: Frame,
    /// By which port it came.
    port: u32,
    /// In how many queues it is.
    copies: u32,
}

impl Switch {
    /// A switch with the owner's `number`; `ports` has the buffer of each port's input, if inputs are
    /// limited, and what marks at its output. `table` has a place for each station.
    pub(super) fn new(
        number: u32,
        parameters: SwitchParameters,
        ports: Vec<(Option<Input>, Option<Marker>)>,
        table: Vec<Option<u32>>,
    ) -> Self {
        let port = |(input, marker)| Port {
            queue: VecDeque::new(),
            level: Gauge::without_pause(parameters.output_bytes),
            marker,
            input,
        };
        Self {
            number,
            parameters,
            ports: ports.into_iter().map(port).collect(),
            table,
            memory: Slab::new(),
            arrived: VecDeque::new(),
        }
    }

    /// A frame came in whole.
    pub(super) fn receive(
        &mut self,
        port: u32,
        frame: Frame,
        kernel: &mut Kernel<impl Includes<NetworkEvent>>,
        outbox: &mut Outbox,
    ) {
        if let Some(place) = self.table.get_mut(frame.source.index()) {
            *place = Some(port);
        }
        if let Some(input) = &mut self.ports[port as usize].input
            && !input.fill(frame_bytes(frame.data_bytes), kernel, outbox)
        {
            outbox.overflows.push_back((frame, Whereabouts::Entered(self.interface(port))));
            return;
        }
        let place = self.memory.insert(Stored { frame, port, copies: 0 });
        self.arrived.push_back(place);
        if self.parameters.latency.as_ps() == 0 {
            self.forward(kernel, outbox);
        } else {
            let when = kernel.now() + self.parameters.latency;
            kernel.at(when, Class::Arrive, NetworkEvent::Node(Event(What::Forward { relay: self.number })));
        }
    }

    /// Puts the oldest frame that has arrived into the queues that it goes to.
    pub(super) fn forward(&mut self, kernel: &mut Kernel<impl Includes<NetworkEvent>>, outbox: &mut Outbox) {
        let place = self.arrived.pop_front().expect("what is forwarded has arrived");
        let Stored { frame, port: from, .. } = self.memory[place];
        let known = match frame.destination {
            Destination::Station(station) => self.table.get(station.index()).copied().flatten(),
            Destination::Everyone => None,
            // A frame for this MAC alone is not forwarded, not even as one for an unknown address.
            Destination::Link => Some(from),
        };
        match known {
            Some(port) if port == from => {}
            Some(port) => self.enqueue(place, port, kernel.now(), outbox),
            None => {
                for port in (0..self.ports.len() as u32).filter(|port| *port != from) {
                    self.enqueue(place, port, kernel.now(), outbox);
                }
            }
        }
        self.release_unless_queued(place, kernel, outbox);
    }

    /// The next frame to leave by `port`.
    pub(super) fn next(
        &mut self,
        port: u32,
        kernel: &mut Kernel<impl Includes<NetworkEvent>>,
        outbox: &mut Outbox,
    ) -> Option<Frame> {
        let out = &mut self.ports[port as usize];
        let Queued { place, marked } = out.queue.pop_front()?;
        let stored = &mut self.memory[place];
        stored.copies -= 1;
        let mut frame = stored.frame;
        if marked {
            frame.mark();
        }
        let _ = out.level.drain(kernel.now(), frame_bytes(frame.data_bytes));
        self.release_unless_queued(place, kernel, outbox);
        Some(frame)
    }

    /// The buffer of `port`, if inputs are limited.
    pub(super) fn input(&mut self, port: u32) -> Option<&mut Input> {
        self.ports[port as usize].input.as_mut()
    }

    /// Its queues and buffers, port by port.
    pub(super) fn reports(&self, name: &str, now: Time, reports: &mut Vec<QueueReport>) {
        for (number, port) in self.ports.iter().enumerate() {
            if let Some(input) = &port.input {
                reports.push(input.report(format!("{name} port {number} in"), now));
            }
            let output = QueueReport::of(&port.level, format!("{name} port {number} out"), now);
            let [marked, early] = port.marker.as_ref().map_or([0; 2], |marker| [marker.marked, marker.lost]);
            reports.push(QueueReport { marked, early, ..output });
        }
    }

    fn enqueue(&mut self, place: u32, port: u32, now: Time, outbox: &mut Outbox) {
        let interface = self.interface(port);
        let frame = self.memory[place].frame;
        let out = &mut self.ports[port as usize];
        let verdict = match &mut out.marker {
            None => Verdict::Pass,
            Some(marker) => {
                let (bytes, frames) = (out.level.level(), out.queue.len() as u64);
                let waiting = Waiting { bytes, frames, empty_since: out.level.changed() };
                marker.look(frame.ecn(), waiting, now)
            }
        };
        if verdict == Verdict::Lose || out.level.fill(now, frame_bytes(frame.data_bytes)) == Filled::Overflow
        {
            outbox.overflows.push_back((frame, Whereabouts::Leaving(interface)));
            return;
        }
        out.queue.push_back(Queued { place, marked: verdict == Verdict::Mark });
        self.memory[place].copies += 1;
        outbox.orders.push_back(Order::Wake(interface));
    }

    fn release_unless_queued(
        &mut self,
        place: u32,
        kernel: &mut Kernel<impl Includes<NetworkEvent>>,
        outbox: &mut Outbox,
    ) {
        let Stored { frame, port, copies } = self.memory[place];
        if copies > 0 {
            return;
        }
        self.memory.remove(place);
        if let Some(input) = &mut self.ports[port as usize].input {
            input.drain(frame_bytes(frame.data_bytes), kernel, outbox);
        }
    }

    const fn interface(&self, port: u32) -> Interface {
        Interface::Relay { relay: self.number, port }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Content, Station};

    #[test]
    fn what_has_left_by_every_port_is_stored_no_more() {
        let mut switch = Switch::new(
            0,
            SwitchParameters::plain(1 << 20),
            (0..3).map(|_| (None, None)).collect(),
            vec![None; 3],
        );
        let (mut kernel, mut outbox) = (Kernel::<NetworkEvent>::new(), Outbox::default());
        for number in 0..100 {
            // Flooded, known or for the port that it came by, two at a time.
            for to in [number % 3, 1] {
                let destination = Destination::Station(Station(to));
                let content = Content::Load(u64::from(number));
                let source = Station(0);
                let frame = Frame { source, destination, data_bytes: 46, content, offered: kernel.now() };
                switch.receive(0, frame, &mut kernel, &mut outbox);
            }
            assert!(switch.memory.len() <= 2, "a flooded frame is stored once");
            for port in 0..3 {
                while switch.next(port, &mut kernel, &mut outbox).is_some() {}
            }
            assert_eq!(switch.memory.len(), 0);
        }
    }
}
