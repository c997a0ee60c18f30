//! One end of a flow over TCP with its host: how its calls, its segments and its timer go on.

use linerate_core::units::{Span, Time};

use super::call::Step;
use super::tcp_flow::{TcpEnd, TcpFlow};
use super::{Broken, Event};
use crate::frame::{Content, Destination, Frame, SegmentNumber};
use crate::kernel::{Class, Includes, Kernel};
use crate::machine::{End, Job, Machine};
use crate::slab::Slab;
use crate::stack::Side;
use crate::tcp::{Kind, Segment};

/// An end of a flow with everything around it that its work touches.
pub(super) struct Place<'a> {
    pub(super) end: End,
    pub(super) flow: &'a mut TcpFlow,
    pub(super) machine: &'a mut Machine,
    pub(super) segments: &'a mut Slab<Segment>,
}

impl Place<'_> {
    pub(super) fn own(&mut self) -> &mut TcpEnd {
        &mut self.flow.ends[self.end.side as usize]
    }

    /// The application calls send; returns what a finished call has sent, and whether a call began.
    pub(super) fn call_send(
        &mut self,
        bytes: u64,
        kernel: &mut Kernel<impl Includes<Event>>,
    ) -> Result<(u64, bool), Broken> {
        if let Some(broken) = self.flow.broken() {
            return Err(broken);
        }
        let call = &mut self.own().send;
        if let Some(sent) = call.take_result() {
            return Ok((sent, false));
        }
        let begins = call.step == Step::Idle;
        if begins {
            call.enter(bytes);
            self.own().begins = true;
            self.machine.enters(self.end.side);
            self.begin_send(self.machine.times().system_call, kernel);
        }
        Ok((0, begins))
    }

    /// The application calls receive; returns what a finished call has received.
    pub(super) fn call_receive(
        &mut self,
        most: u64,
        kernel: &mut Kernel<impl Includes<Event>>,
    ) -> Result<u64, Broken> {
        let call = &mut self.own().recv;
        if let Some(received) = call.take_result() {
            return Ok(received);
        }
        if call.step == Step::Idle {
            call.enter(most);
            self.machine.enters(self.end.side);
            self.begin_recv(self.machine.times().receive_call, kernel);
        } else if call.step == Step::Asleep {
            if let Some(broken) = self.flow.broken() {
                return Err(broken);
            }
            let side = self.end.side;
            let gone = self.flow.closed[side.other() as usize] && self.flow.is_drained(side);
            if gone || self.own().connection.is_at_end() {
                return Err(Broken::Closed);
            }
        }
        Ok(0)
    }

    /// Continues everything that a change of the protocol's state allows.
    pub(super) fn progress(&mut self, kernel: &mut Kernel<impl Includes<Event>>) {
        self.pump(kernel);
        self.wake(kernel);
        self.set_timer(kernel);
    }

    /// Lets a processor make the next segment, if there is one to send and a descriptor for it.
    pub(super) fn pump(&mut self, kernel: &mut Kernel<impl Includes<Event>>) {
        let end = self.own();
        if end.transmitting.is_some() {
            return;
        }
        let Some(kind) = end.connection.next_kind() else { return };
        if !self.machine.has_room(self.flow.stations[self.end.side as usize]) {
            return;
        }
        let most = self.machine.segmentation_offload();
        let own = self.own();
        let at_once = match (kind, most) {
            (Kind::Data(length), Some(most)) => own.connection.ready_at_once(most).max(length.into()),
            (Kind::Data(length), None) => length.into(),
            (Kind::Bare, _) => 0,
        };
        own.transmitting = Some(at_once);
        let data = matches!(kind, Kind::Data(_));
        let begins = data && std::mem::take(&mut own.begins);
        let times = self.machine.times();
        let push = if begins { times.push } else { Span::ZERO };
        let cost = match kind {
            Kind::Data(length) if at_once > length.into() => push + times.transmit_at_once(at_once),
            Kind::Data(_) => push + times.transmit,
            Kind::Bare => times.transmit_acknowledgement,
        };
        let job = Job::Transmit(self.end);
        if data {
            self.machine.submit(job, cost, kernel);
        } else {
            self.machine.follow(job, self.end.side, cost, kernel);
        }
    }

    /// A processor has made the next segment, or several that the adaptor cuts.
    pub(super) fn transmit(&mut self, kernel: &mut Kernel<impl Includes<Event>>) {
        let at_once = self.own().transmitting.take().unwrap_or(0);
        let clock = self.machine.clock(kernel.now());
        if let Some(segment) = self.own().connection.next_segment(clock) {
            let frame = self.frame(&segment, kernel.now());
            if self.machine.holds_both_ends() {
                let times = self.machine.times();
                let cost = if segment.length > 0 {
                    times.receive_data(segment.length)
                } else {
                    times.receive_acknowledgement
                };
                self.machine.hand_over(frame, self.end.side, cost, kernel);
            } else if u64::from(segment.length) < at_once {
                let left = at_once - u64::from(segment.length);
                self.transmit_rest(frame, left, kernel);
            } else {
                self.machine.transmit(frame, kernel);
            }
        }
        self.progress(kernel);
    }

    /// A frame with a segment of this end.
    pub(super) fn frame(&mut self, segment: &Segment, now: Time) -> Frame {
        let End { flow, side } = self.end;
        let number = SegmentNumber(self.segments.insert(*segment));
        Frame {
            source: self.flow.stations[side as usize],
            destination: Destination::Station(self.flow.stations[side.other() as usize]),
            data_bytes: segment.header_bytes() + segment.length,
            content: Content::Segment { flow, forward: side == Side::First, number, ecn: segment.ecn },
            offered: now,
        }
    }

    /// Wakes the calls that sleep and may go on.
    fn wake(&mut self, kernel: &mut Kernel<impl Includes<Event>>) {
        let over = self.flow.broken().is_some() || self.own().connection.is_at_end();
        self.flow.stirred[self.end.side as usize] |= over;
        let own = self.own();
        if own.send.step == Step::Asleep && own.connection.writable() > 0 {
            own.send.step = Step::Woken;
            self.rouse(kernel);
        }
        let own = self.own();
        if own.recv.step == Step::Asleep && own.connection.readable() > 0 {
            own.recv.step = Step::Woken;
            self.rouse(kernel);
        }
    }

    /// Wakes the thread: it takes the kernel time here, and the thread's processor may know of it later.
    fn rouse(&mut self, kernel: &mut Kernel<impl Includes<Event>>) {
        let (side, wake) = (self.end.side, self.machine.times().wake);
        let delay = self.machine.wake_up_delay(side);
        if wake > Span::ZERO {
            self.machine.follow(Job::Wake, side, wake, kernel);
        }
        if delay > Span::ZERO {
            kernel.at(kernel.now() + delay, Class::Finish, Event::Woken(self.end));
        } else {
            self.woken(kernel);
        }
    }

    /// The thread's processor knows that it was woken.
    pub(super) fn woken(&mut self, kernel: &mut Kernel<impl Includes<Event>>) {
        let wake_up = self.machine.times().wake_up;
        if self.own().send.step == Step::Woken {
            self.begin_send(wake_up, kernel);
        }
        if self.own().recv.step == Step::Woken {
            self.begin_recv(wake_up, kernel);
        }
    }

    /// A call of send goes on after `before`: with its next copy, if there is room for one.
    pub(super) fn begin_send(&mut self, before: Span, kernel: &mut Kernel<impl Includes<Event>>) {
        let most = self.machine.segmentation_offload();
        let end = self.own();
        let chunk =
            most.map_or(0, |most| end.connection.worth_at_once(most)).max(end.connection.mss().into());
        let bytes = end.send.left().min(end.connection.writable()).min(chunk);
        let message = end.send.message();
        end.send.step = if bytes > 0 { Step::Copying(bytes) } else { Step::Running };
        let cost = before + self.machine.times().copy_in(bytes, message);
        self.machine.submit(Job::Send(self.end), cost, kernel);
    }

    /// A call of receive goes on after `before`: with its next copy, if there is something.
    pub(super) fn begin_recv(&mut self, before: Span, kernel: &mut Kernel<impl Includes<Event>>) {
        let most = self.machine.receive_offload();
        let end = self.own();
        let chunk = most.unwrap_or(0).max(end.connection.mss().into());
        let bytes = end.recv.left().min(end.connection.readable()).min(chunk);
        let message = end.recv.message();
        end.recv.step = if bytes > 0 { Step::Copying(bytes) } else { Step::Running };
        let times = self.machine.times();
        let take = if bytes > 0 { times.take } else { Span::ZERO };
        let cost = before + take + times.copy_out(bytes, message);
        self.machine.submit(Job::Recv(self.end), cost, kernel);
    }

    /// The next step of a call of send.
    pub(super) fn send(&mut self, kernel: &mut Kernel<impl Includes<Event>>) {
        let clock = self.machine.clock(kernel.now());
        let end = self.own();
        let copied = end.send.copied();
        if copied > 0 {
            end.connection.write(copied, end.send.left() > 0, clock);
            // Segments that this produces go before the next copy, as within a kernel's call.
            end.send.step = Step::Running;
            self.progress(kernel);
        }
        let end = self.own();
        if end.send.left() == 0 {
            end.send.step = Step::Returned;
            self.flow.stirred[self.end.side as usize] = true;
        } else if end.connection.writable() == 0 {
            end.send.step = Step::Asleep;
            self.machine.sleeps(self.end.side);
        } else {
            self.begin_send(Span::ZERO, kernel);
        }
    }

    /// The next step of a call of receive: it ends when it has everything requested, or something
    /// and there is no more.
    pub(super) fn recv(&mut self, kernel: &mut Kernel<impl Includes<Event>>) {
        let end = self.own();
        let copied = end.recv.copied();
        if copied > 0 {
            end.connection.read(copied);
        }
        if end.recv.left() > 0 && end.connection.readable() > 0 {
            self.begin_recv(Span::ZERO, kernel);
        } else if end.recv.done() > 0 {
            end.recv.step = Step::Returned;
            end.connection.read_done();
            self.flow.stirred[self.end.side as usize] = true;
            self.progress(kernel);
        } else {
            end.recv.step = Step::Asleep;
            self.machine.sleeps(self.end.side);
            // The other application may have gone.
            self.flow.stirred[self.end.side as usize] = true;
        }
    }

    /// Makes sure that an event happens no later than the protocol's next timer. An earlier or
    /// useless event stays: cancelling it each time would cost more.
    fn set_timer(&mut self, kernel: &mut Kernel<impl Includes<Event>>) {
        let end = self.end;
        let Some(wanted) = self.own().connection.next_timer() else { return };
        let wanted = self.machine.when(wanted);
        let own = self.own();
        if let Some((when, timer)) = own.timer {
            if when <= wanted {
                return;
            }
            kernel.cancel(timer);
        }
        let when = wanted.max(kernel.now());
        own.timer = Some((when, kernel.timer(when, Class::Expire, Event::Timer(end))));
    }
}
