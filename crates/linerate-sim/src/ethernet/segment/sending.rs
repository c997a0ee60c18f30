//! How a MAC sends: when it begins, how a burst goes on, what a collision does.
//!
//! Source: IEEE 802.3, 4.2.3.2 (collisions, backoff, bursts) and 4.2.8 (TransmitLinkMgmt,
//! BitTransmitter).

use linerate_core::units::Time;

use super::mac::Sending;
use super::{Event, Segment, What};
use crate::ethernet::parameters::ATTEMPT_LIMIT;
use crate::fabric::{Client, Loss, Seen};
use crate::frame::{Frame, Port};
use crate::kernel::{Class, Includes, Kernel};

impl Segment {
    /// Gets the next frame from the client for a MAC without one; false if there is no frame.
    pub(super) fn take<E: Includes<Event>>(
        &mut self,
        port: u32,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) -> bool {
        let frame = client.next(Port(port), kernel);
        self.macs[port as usize].frame = frame;
        frame.is_some()
    }

    /// A MAC that has a frame begins, or sees when it may.
    pub(super) fn try_to_begin(&mut self, port: u32, kernel: &mut Kernel<impl Includes<Event>>) {
        let now = kernel.now();
        match self.earliest_start(port, now) {
            Some(start) if start <= now => self.begin(port, kernel),
            Some(start) => self.plan(port, start, kernel),
            None => self.waiting.push(port),
        }
    }

    fn earliest_start(&mut self, port: u32, now: Time) -> Option<Time> {
        let mac = &self.macs[port as usize];
        if mac.is_half_duplex() { self.air.earliest_start(port, now) } else { Some(mac.gap_until.max(now)) }
    }

    fn plan(&self, port: u32, start: Time, kernel: &mut Kernel<impl Includes<Event>>) {
        kernel.at(start, Class::Start, self.event(port, What::Begin));
    }

    /// Checks once, after a transmission has ended, when the waiting stations may begin.
    fn look_at_waiting(&mut self, kernel: &mut Kernel<impl Includes<Event>>) {
        let now = kernel.now();
        // If another transmission ends at the same instant, its end checks them again.
        if !self.ended || self.waiting.is_empty() || self.air.another_ends(now) {
            return;
        }
        self.ended = false;
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|port| {
            let start = self.earliest_start(*port, now);
            if let Some(start) = start {
                self.plan(*port, start, kernel);
            }
            start.is_none()
        });
        self.waiting = waiting;
    }

    /// Begins the first frame of a burst, or a frame that is sent alone.
    fn begin(&mut self, port: u32, kernel: &mut Kernel<impl Includes<Event>>) {
        let now = kernel.now();
        let mac = &mut self.macs[port as usize];
        let half = mac.is_half_duplex();
        let frame = mac.frame.expect("a MAC begins with a frame");
        let end = now + self.times.event(&frame, half && self.parameters.extend);
        self.send(port, [now, now, end], kernel);
        self.air.begin(port, now, end);
        if half && let Some(collision) = self.air.foreign_carrier(port, [now, end]) {
            self.collide(port, collision, kernel);
        }
        for index in 0..self.air.transmissions().len() {
            let other = self.air.transmissions()[index];
            let heard = now + self.air.delays().between(port, other.source);
            let hears = other.active && self.macs[other.source as usize].is_half_duplex();
            if hears && other.source != port && heard < other.end {
                self.collide(other.source, heard, kernel);
            }
        }
    }

    /// Goes on with the next frame of a burst: extension fills the gap, so that carrier never drops.
    fn go_on(
        &mut self,
        port: u32,
        burst_start: Time,
        frame: &Frame,
        kernel: &mut Kernel<impl Includes<Event>>,
    ) {
        let now = kernel.now();
        let start = now + self.times.gap;
        let end = start + self.times.event(frame, false);
        self.send(port, [burst_start, start, end], kernel);
        self.air.move_end(port, end);
        // Whatever began meanwhile, and was to arrive after the end, now arrives before it.
        if let Some(collision) = self.air.foreign_carrier(port, [now, end]) {
            self.collide(port, collision, kernel);
        }
    }

    fn send(
        &mut self,
        port: u32,
        [burst_start, frame_start, end]: [Time; 3],
        kernel: &mut Kernel<impl Includes<Event>>,
    ) {
        let timer = kernel.timer(end, Class::Finish, self.event(port, What::End));
        let sending = Sending { burst_start, frame_start, collision: None, timer };
        self.macs[port as usize].sending = Some(sending);
    }

    /// A MAC hears, or will hear, carrier of another while it sends: the earliest counts. It then
    /// completes a preamble that it has begun, and jams.
    fn collide(&mut self, port: u32, heard: Time, kernel: &mut Kernel<impl Includes<Event>>) {
        let event = self.event(port, What::End);
        let sending = self.macs[port as usize].sending.as_mut().expect("who collides is sending");
        if sending.collision.is_some_and(|known| known <= heard) {
            return;
        }
        let filling = heard < sending.frame_start;
        let cut = if filling { heard } else { heard.max(sending.frame_start + self.times.preamble) };
        let end = cut + self.times.jam;
        kernel.cancel(sending.timer);
        sending.collision = Some(heard);
        sending.timer = kernel.timer(end, Class::Finish, event);
        self.air.move_end(port, end);
    }

    /// What a MAC was sending has ended.
    pub(super) fn end<E: Includes<Event>>(
        &mut self,
        port: u32,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let sending = self.macs[port as usize].sending.take().expect("what ends has begun");
        match sending.collision {
            None => self.end_whole(port, sending, kernel, client),
            Some(collision) => {
                self.finish(port, kernel.now());
                let first = sending.frame_start == sending.burst_start;
                let late = !first || collision > sending.burst_start + self.times.slot;
                self.leave_fragment(port, sending.frame_start, first, kernel);
                self.end_collision(port, late, kernel, client);
            }
        }
        self.look_at_waiting(kernel);
    }

    fn finish(&mut self, port: u32, now: Time) {
        self.macs[port as usize].gap_until = now + self.times.gap;
        self.air.finish(port, now);
        self.ended = true;
    }

    /// A frame is out: the burst goes on, or the MAC is done with the medium.
    fn end_whole<E: Includes<Event>>(
        &mut self,
        port: u32,
        sending: Sending,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let now = kernel.now();
        let mac = &mut self.macs[port as usize];
        let bursts = mac.is_half_duplex() && now < sending.burst_start + self.times.burst;
        mac.counters.sent += 1;
        mac.attempts = 0;
        if let Some(frame) = mac.frame.take() {
            self.fly(port, frame, [sending.frame_start, now], kernel);
            client.observe(Port(port), &frame, Seen::Sent, kernel);
            client.left(Port(port), &frame, now);
        }
        self.take(port, kernel, client);
        match self.macs[port as usize].frame {
            Some(next) if bursts => self.go_on(port, sending.burst_start, &next, kernel),
            next => {
                self.finish(port, now);
                if next.is_some() {
                    self.try_to_begin(port, kernel);
                }
            }
        }
    }

    /// The jam is out: the frame is tried again after a backoff, or given up.
    fn end_collision<E: Includes<Event>>(
        &mut self,
        port: u32,
        late: bool,
        kernel: &mut Kernel<E>,
        client: &mut impl Client<E>,
    ) {
        let mac = &mut self.macs[port as usize];
        mac.attempts += 1;
        mac.counters.collisions += 1;
        mac.counters.late_collisions += u64::from(late);
        let loss = if late && !self.parameters.retry_late {
            Loss::LateCollision
        } else if mac.attempts == ATTEMPT_LIMIT {
            mac.counters.excessive_collisions += 1;
            Loss::ExcessiveCollisions
        } else {
            let slots = mac.seat.backoff.slots(mac.attempts, &mut mac.random);
            return self.back_off(port, slots, kernel);
        };
        mac.attempts = 0;
        if let Some(frame) = mac.frame.take() {
            client.left(Port(port), &frame, kernel.now());
            client.lost(Port(port), frame, loss, kernel);
        }
        if self.take(port, kernel, client) {
            self.try_to_begin(port, kernel);
        }
    }

    /// Waits for this many slots from the end of the jam, while deference goes on.
    fn back_off(&mut self, port: u32, slots: u64, kernel: &mut Kernel<impl Includes<Event>>) {
        if slots == 0 {
            self.try_to_begin(port, kernel);
        } else {
            self.plan(port, kernel.now() + self.times.slot * slots, kernel);
        }
    }
}
