//! A full-duplex repeater, also called a buffered distributor.
//!
//! Each port has an input FIFO. An arbiter goes round the ports: at each turn it takes one frame
//! from the next FIFO that has one, and repeats it to all other ports at once. The medium inside
//! runs at the rate of the lines, so the sum over the ports is never more than one line's rate.
//! Outputs have no queue: a frame begins when every line that it goes to can take it. A turn is
//! not passed on while its frame waits for a line, so a line that is paused stops every port.

use std::collections::VecDeque;

use linerate_core::units::Time;

use super::input::Input;
use super::interface::{Interface, Outbox, Whereabouts};
use super::{Event, NetworkEvent, QueueReport, What};
use crate::ethernet::parameters::{frame_bytes, occupied_bits};
use crate::frame::Frame;
use crate::kernel::{Class, Includes, Kernel};
use crate::pace::{Pace, Serial};

/// A full-duplex repeater.
#[derive(Debug)]
pub(super) struct Distributor {
    number: u32,
    medium: Serial,
    ports: Vec<Port>,
    /// The port that had the last turn.
    last: usize,
    /// A turn is set to happen.
    set: bool,
    /// The port that has its turn, and whose frame waits for a line.
    waiting: Option<usize>,
    outputs: Outputs,
}

#[derive(Debug)]
struct Port {
    fifo: VecDeque<Frame>,
    input: Input,
}

/// The answer to a line that asks for a frame.
#[derive(Clone, Copy, Debug)]
enum Outputs {
    /// Nothing: it is not its turn.
    Closed,
    /// Nothing: it was asked whether it can take a frame, and this many lines can.
    Asked { ready: usize },
    /// This.
    Repeating(Frame),
}

impl Distributor {
    /// A repeater with the owner's `number`, and lines of `pace`.
    pub(super) fn new(number: u32, pace: Pace, inputs: Vec<Input>) -> Self {
        let ports: Vec<_> = inputs.into_iter().map(|input| Port { fifo: VecDeque::new(), input }).collect();
        // The first turn is that of port 0.
        let last = ports.len().saturating_sub(1);
        let medium = Serial::new(pace);
        Self { number, medium, ports, last, set: false, waiting: None, outputs: Outputs::Closed }
    }

    /// A frame came in whole.
    pub(super) fn receive(
        &mut self,
        port: u32,
        frame: Frame,
        kernel: &mut Kernel<impl Includes<NetworkEvent>>,
        outbox: &mut Outbox,
    ) {
        let into = &mut self.ports[port as usize];
        if !into.input.fill(frame_bytes(frame.data_bytes), kernel, outbox) {
            let interface = Interface::Relay { relay: self.number, port };
            outbox.overflows.push_back((frame, Whereabouts::Entered(interface)));
            return;
        }
        into.fifo.push_back(frame);
        if self.waiting.is_none() {
            self.set_turn(kernel.now().max(self.medium.free_at()), kernel);
        }
    }

    /// A line that can take a frame asks for it.
    pub(super) fn next(&mut self, kernel: &mut Kernel<impl Includes<NetworkEvent>>) -> Option<Frame> {
        match &mut self.outputs {
            Outputs::Repeating(frame) => return Some(*frame),
            Outputs::Asked { ready } => *ready += 1,
            Outputs::Closed if self.waiting.is_some() => self.set_turn(kernel.now(), kernel),
            Outputs::Closed => {}
        }
        None
    }

    /// The port whose turn it is, if any port has a frame: the one that waits for lines in its
    /// turn, or the first with a frame after the last turn. The caller then wakes all lines but
    /// this port's own, and calls [`Self::begin`].
    pub(super) fn ask(&mut self) -> Option<usize> {
        self.set = false;
        let count = self.ports.len();
        let mut others = (1..=count).map(|step| (self.last + step) % count);
        let turn = self.waiting.or_else(|| others.find(|port| !self.ports[*port].fifo.is_empty()))?;
        self.outputs = Outputs::Asked { ready: 0 };
        Some(turn)
    }

    /// Takes the frame of this turn out of its FIFO if every line is ready; the caller then wakes
    /// these lines again, and calls [`Self::end`].
    pub(super) fn begin(
        &mut self,
        turn: usize,
        kernel: &mut Kernel<impl Includes<NetworkEvent>>,
        outbox: &mut Outbox,
    ) -> bool {
        let all = self.ports.len() - 1;
        let ready = matches!(self.outputs, Outputs::Asked { ready } if ready == all);
        self.outputs = Outputs::Closed;
        self.waiting = (!ready).then_some(turn);
        if !ready {
            return false;
        }
        let port = &mut self.ports[turn];
        let frame = port.fifo.pop_front().expect("whose turn it is has a frame");
        let bytes = frame_bytes(frame.data_bytes);
        port.input.drain(bytes, kernel, outbox);
        let [_, free] = self.medium.occupy(kernel.now(), occupied_bits(bytes));
        self.last = turn;
        self.outputs = Outputs::Repeating(frame);
        self.set_turn(free, kernel);
        true
    }

    /// The lines have their frame.
    pub(super) const fn end(&mut self) {
        self.outputs = Outputs::Closed;
    }

    /// The buffer of `port`.
    pub(super) fn input(&mut self, port: u32) -> &mut Input {
        &mut self.ports[port as usize].input
    }

    /// Its FIFOs, port by port.
    pub(super) fn reports(&self, name: &str, now: Time, reports: &mut Vec<QueueReport>) {
        for (number, port) in self.ports.iter().enumerate() {
            reports.push(port.input.report(format!("{name} port {number} in"), now));
        }
    }

    /// Sets the next turn, after what ends and arrives at that instant, so that frames that
    /// arrive together are taken in the order of the turns.
    fn set_turn(&mut self, when: Time, kernel: &mut Kernel<impl Includes<NetworkEvent>>) {
        if !self.set {
            self.set = true;
            kernel.at(when, Class::Start, NetworkEvent::Node(Event(What::Turn { relay: self.number })));
        }
    }
}
