//! A full-duplex link between two MACs: two directions that do not disturb each other, except
//! that each end may ask the other to stop (PAUSE, IEEE 802.3 annex 31B).
//!
//! Unlike in all other media, a capture sees a frame go out when it begins ([`Seen::Sent`]), and
//! counters count it then: a transmission that has begun always finishes. That saves an event for
//! every frame.

mod mac;
mod parameters;

pub use parameters::{Parameters, Side};

use linerate_core::units::Span;

use self::mac::Mac;
use super::parameters::{PREAMBLE_BITS, frame_bytes};
use crate::fabric::{Client, Fabric, MacCounters, Seen};
use crate::frame::{Content, Port};
use crate::kernel::{Class, Includes, Kernel};

/// What happens on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Which link, as its owner counts them.
    pub link: u32,
    /// Which direction, by the port that sends; of a pause, the port that is paused.
    side: u8,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Frame and gap are out.
    Free,
    /// The oldest frame on its way has arrived.
    Arrived,
    /// The time of the last PAUSE has run out.
    Expired,
}

/// A full-duplex link. Its ports are 0 and 1.
///
/// Order at one instant ([`Class`]): a free line begins its next frame before a PAUSE that arrives
/// then takes effect, and a PAUSE that arrives just when an earlier one expires takes effect before
/// that.
#[derive(Debug)]
pub struct Link {
    number: u32,
    delay: Span,
    macs: [Mac; 2],
}

impl Link {
    /// A link with the number that its owner gives it.
    #[must_use]
    pub fn new(number: u32, parameters: Parameters) -> Self {
        let [first, second] = parameters.sides;
        let macs = [Mac::new(parameters.pace, first), Mac::new(parameters.pace, second)];
        Self { number, delay: parameters.delay, macs }
    }

    /// Asks the end opposite `port` to stop for this many quanta of 512 bit times, or with 0 to go
    /// on: for the owner of a receive buffer at `port`.
    ///
    /// The MAC control frame goes out as soon as a frame in progress and its gap are out: before
    /// any data, and also while `port` itself is paused. A request that has not gone out yet is
    /// replaced. Nothing happens if this side may not send PAUSE ([`Side::flow`]). The
    /// frame's source is the port's number, because a link knows no stations.
    pub fn send_pause<E: Includes<Event>>(
        &mut self,
        port: Port,
        quanta: u16,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let mac = &mut self.macs[port.index()];
        if mac.flow().sends {
            mac.request(quanta);
            self.begin(port.0 as u8, kernel, client);
        }
    }

    /// Begins the next frame of `side`, if there is one, the line is free and the side is not
    /// paused.
    fn begin<E: Includes<Event>>(&mut self, side: u8, kernel: &mut Kernel<E>, client: &mut impl Client<E>) {
        let port = Port(u32::from(side));
        let mac = &mut self.macs[usize::from(side)];
        let Some(frame) = mac.next(port, kernel, client) else { return };
        let bits = PREAMBLE_BITS + frame_bytes(frame.data_bytes) * 8;
        let [end, free] = mac.transmit(frame, bits, kernel.now());
        client.observe(port, &frame, Seen::Sent, kernel);
        if !matches!(frame.content, Content::Pause { .. }) {
            client.left(port, &frame, end);
        }
        kernel.at(end + self.delay, Class::Arrive, self.event(side, What::Arrived));
        kernel.at(free, Class::Finish, self.event(side, What::Free));
    }

    fn arrive<E: Includes<Event>>(&mut self, side: u8, kernel: &mut Kernel<E>, client: &mut impl Client<E>) {
        let frame = self.macs[usize::from(side)].arrived();
        let to = 1 - side;
        let port = Port(u32::from(to));
        let counters = self.macs[usize::from(to)].counters_mut();
        if let Content::Pause { quanta } = frame.content {
            counters.pause_received += 1;
            client.observe(port, &frame, Seen::Received, kernel);
            self.obey(to, quanta, kernel, client);
        } else {
            counters.received += 1;
            client.observe(port, &frame, Seen::Received, kernel);
            client.deliver(port, frame, kernel);
        }
    }

    /// `side` has received a whole PAUSE frame.
    fn obey<E: Includes<Event>>(
        &mut self,
        side: u8,
        quanta: u16,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let expired = self.event(side, What::Expired);
        let mac = &mut self.macs[usize::from(side)];
        if !mac.flow().obeys {
            return;
        }
        if quanta == 0 {
            mac.resume(kernel);
            self.begin(side, kernel, client);
        } else {
            mac.pause(quanta, expired, kernel);
        }
    }

    const fn event(&self, side: u8, what: What) -> Event {
        Event { link: self.number, side, what }
    }
}

impl Fabric for Link {
    type Event = Event;

    fn ports(&self) -> usize {
        2
    }

    fn wake<E: Includes<Event>>(&mut self, port: Port, kernel: &mut Kernel<E>, client: &mut impl Client<E>) {
        self.begin(port.0 as u8, kernel, client);
    }

    fn handle<E: Includes<Event>>(
        &mut self,
        event: Event,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let mac = &mut self.macs[usize::from(event.side)];
        match event.what {
            What::Arrived => return self.arrive(event.side, kernel, client),
            What::Free => mac.freed(),
            What::Expired => mac.resume(kernel),
        }
        self.begin(event.side, kernel, client);
    }

    /// Frames sent are counted when they begin, the time paused when the pause ends.
    fn counters(&self, port: Port) -> MacCounters {
        self.macs[port.index()].counters()
    }

    fn held(&self) -> u64 {
        let [a, b] = self.macs.each_ref().map(Mac::counters);
        a.sent + b.sent - a.received - b.received
    }
}
