//! The MAC at one side of a link: its transmitter and its PAUSE state.

use std::collections::VecDeque;

use linerate_core::units::{Span, Time};

use super::{Event, Side};
use crate::ethernet::parameters::GAP_BITS;
use crate::ethernet::pause::{self, FlowControl};
use crate::fabric::{Client, MacCounters};
use crate::frame::{Content, Destination, Frame, Port, Station};
use crate::kernel::{Class, Includes, Kernel, Timer};
use crate::pace::{Pace, Serial};

#[derive(Debug)]
pub(super) struct Mac {
    line: Serial,
    /// A frame or its gap is on the line.
    busy: bool,
    flow: FlowControl,
    reaction: Span,
    /// Quanta of a PAUSE frame that is to go out.
    request: Option<u16>,
    pause: Option<Pause>,
    /// Frames that have begun and not arrived, oldest first.
    travelling: VecDeque<Frame>,
    counters: MacCounters,
}

/// A PAUSE that was heard and has not run out.
#[derive(Clone, Copy, Debug)]
struct Pause {
    /// The first instant at which no frame may begin: one reaction after the PAUSE arrived.
    from: Time,
    /// When it runs out.
    timer: Timer,
}

impl Mac {
    pub(super) fn new(pace: Pace, side: Side) -> Self {
        Self {
            line: Serial::new(pace),
            busy: false,
            flow: side.flow,
            reaction: pace.span(side.reaction_bits),
            request: None,
            pause: None,
            travelling: VecDeque::new(),
            counters: MacCounters::default(),
        }
    }

    pub(super) const fn flow(&self) -> FlowControl {
        self.flow
    }

    pub(super) const fn counters(&self) -> MacCounters {
        self.counters
    }

    pub(super) const fn counters_mut(&mut self) -> &mut MacCounters {
        &mut self.counters
    }

    /// Notes a PAUSE frame to send; one that has not gone out is replaced.
    pub(super) const fn request(&mut self, quanta: u16) {
        self.request = Some(quanta);
    }

    /// The frame to begin now, if there is one: MAC control before data, and only data waits for
    /// the end of a pause.
    pub(super) fn next<E: Includes<Event>>(
        &mut self,
        port: Port,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) -> Option<Frame> {
        if self.busy {
            return None;
        }
        if let Some(quanta) = self.request.take() {
            return Some(Frame {
                source: Station(port.0),
                destination: Destination::Link,
                data_bytes: pause::DATA_BYTES,
                content: Content::Pause { quanta },
                offered: kernel.now(),
            });
        }
        let paused = self.pause.is_some_and(|pause| pause.from <= kernel.now());
        if paused { None } else { client.next(port, kernel) }
    }

    /// Puts a frame of `bits`, preamble included, on the line; returns when it and its gap end.
    pub(super) fn transmit(&mut self, frame: Frame, bits: u64, now: Time) -> [Time; 2] {
        let [_, end] = self.line.occupy(now, bits);
        let [_, free] = self.line.occupy(end, GAP_BITS);
        self.busy = true;
        if matches!(frame.content, Content::Pause { .. }) {
            self.counters.pause_sent += 1;
        } else {
            self.counters.sent += 1;
        }
        self.travelling.push_back(frame);
        [end, free]
    }

    /// Frame and gap are out.
    pub(super) const fn freed(&mut self) {
        self.busy = false;
    }

    /// The oldest frame on its way is at the other end.
    pub(super) fn arrived(&mut self) -> Frame {
        self.travelling.pop_front().expect("what arrives has begun")
    }

    /// Stops after the reaction time until `quanta` from now, when `expired` happens. This replaces
    /// an earlier pause: a transmitter that has stopped stays stopped, and one that was about to
    /// stop does so no later.
    pub(super) fn pause(&mut self, quanta: u16, expired: Event, kernel: &mut Kernel<impl Includes<Event>>) {
        let now = kernel.now();
        let reacted = now + self.reaction;
        let from = self.end_pause(kernel).map_or(reacted, |earlier| earlier.max(now).min(reacted));
        let until = now + pause::span(quanta, self.line.pace());
        let timer = kernel.timer(until, Class::Expire, expired);
        self.pause = Some(Pause { from, timer });
    }

    /// Lets data go on: the time is over, or the other end sent PAUSE(0).
    pub(super) fn resume(&mut self, kernel: &mut Kernel<impl Includes<Event>>) {
        self.end_pause(kernel);
    }

    /// Ends a pause and counts how long it held; returns when it started or would have.
    fn end_pause(&mut self, kernel: &mut Kernel<impl Includes<Event>>) -> Option<Time> {
        let pause = self.pause.take()?;
        // Harmless if this very timer has just expired.
        kernel.cancel(pause.timer);
        self.counters.paused += kernel.now().since(pause.from);
        Some(pause.from)
    }
}
