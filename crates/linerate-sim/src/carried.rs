//! Frames that a network has accepted and not yet delivered to, or lost for, all their receivers.

use crate::fabric::{Client, Loss, Seen};
use crate::frame::{Frame, Port};
use crate::kernel::Kernel;
use crate::slab::Slab;

/// Frames taken from clients, each with the number of ports that it has still to come to.
#[derive(Debug)]
pub(crate) struct Carried {
    frames: Slab<Copies>,
}

#[derive(Clone, Copy, Debug)]
struct Copies {
    frame: Frame,
    source: Port,
    left: u32,
}

impl Carried {
    pub(crate) const fn new() -> Self {
        Self { frames: Slab::new() }
    }

    /// How many frames are still to be served.
    pub(crate) const fn held(&self) -> u64 {
        self.frames.len() as u64
    }

    /// Takes `frame` from `source` for one port; gives its number.
    pub(crate) fn take(&mut self, frame: Frame, source: Port) -> u32 {
        self.frames.insert(Copies { frame, source, left: 1 })
    }

    /// The frame is for this many ports, at least one.
    pub(crate) fn copy(&mut self, number: u32, copies: u32) {
        self.frames[number].left = copies;
    }

    pub(crate) fn frame(&self, number: u32) -> &Frame {
        &self.frames[number].frame
    }

    pub(crate) fn source(&self, number: u32) -> Port {
        self.frames[number].source
    }

    /// One copy arrives at `port`.
    pub(crate) fn deliver<E>(
        &mut self,
        number: u32,
        port: Port,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let Copies { frame, .. } = self.serve(number);
        client.observe(port, &frame, Seen::Received, kernel);
        client.deliver(port, frame, kernel);
    }

    /// One copy will not arrive.
    pub(crate) fn lose<E>(
        &mut self,
        number: u32,
        loss: Loss,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let Copies { frame, source, .. } = self.serve(number);
        client.lost(source, frame, loss, kernel);
    }

    fn serve(&mut self, number: u32) -> Copies {
        let copies = &mut self.frames[number];
        copies.left -= 1;
        if copies.left > 0 { *copies } else { self.frames.remove(number) }
    }
}
