//! The receive side of a slow host: a buffer that it empties at its own pace.

use std::collections::VecDeque;

use super::input::Input;
use super::interface::Outbox;
use super::{Event, NetworkEvent, What};
use crate::ethernet::parameters::frame_bytes;
use crate::frame::Frame;
use crate::kernel::{Class, Includes, Kernel};
use crate::pace::{Pace, Serial};

/// A receive buffer and the host that empties it.
#[derive(Debug)]
pub(super) struct Receiver {
    station: u32,
    pub(super) input: Input,
    host: Serial,
    /// What the host has not taken wholly, oldest first.
    waiting: VecDeque<Frame>,
}

impl Receiver {
    pub(super) fn new(station: u32, input: Input, drain: Pace) -> Self {
        Self { station, input, host: Serial::new(drain), waiting: VecDeque::new() }
    }

    /// A frame for this station came in whole; false if there was no room.
    pub(super) fn receive(
        &mut self,
        frame: Frame,
        kernel: &mut Kernel<impl Includes<NetworkEvent>>,
        outbox: &mut Outbox,
    ) -> bool {
        if !self.input.fill(frame_bytes(frame.data_bytes), kernel, outbox) {
            return false;
        }
        self.waiting.push_back(frame);
        if self.waiting.len() == 1 {
            self.work(kernel);
        }
        true
    }

    /// The host has taken the oldest frame; gives it.
    pub(super) fn take(
        &mut self,
        kernel: &mut Kernel<impl Includes<NetworkEvent>>,
        outbox: &mut Outbox,
    ) -> Frame {
        let frame = self.waiting.pop_front().expect("what was taken was waiting");
        self.input.drain(frame_bytes(frame.data_bytes), kernel, outbox);
        if !self.waiting.is_empty() {
            self.work(kernel);
        }
        frame
    }

    /// The host begins with the oldest frame.
    fn work(&mut self, kernel: &mut Kernel<impl Includes<NetworkEvent>>) {
        let bits = frame_bytes(self.waiting[0].data_bytes) * 8;
        let [_, end] = self.host.occupy(kernel.now(), bits);
        // A frame that arrives as the host finishes one finds the room of that one.
        kernel.at(end, Class::Finish, NetworkEvent::Node(Event(What::Taken { station: self.station })));
    }
}
