//! TCP on machines: what an application's calls, the protocol's timers and finished work lead to.

use super::place::Place;
use super::tcp_flow::TcpFlow;
use super::{Broken, Event, Flow, Stations, host};
use linerate_core::trace::Point;
use linerate_core::units::Time;

use crate::frame::{Content, Frame, Port, Station};
use crate::kernel::{Includes, Kernel};
use crate::machine::{End, Job, Machine, Wire};
use crate::points::Passed;
use crate::slab::Slab;
use crate::stack::Side;
use crate::tcp::{Segment, Settings};

impl Stations {
    /// Puts a machine at a station.
    ///
    /// # Panics
    ///
    /// If the station does not exist.
    pub fn equip(&mut self, station: Station, machine: Machine) {
        self.stations[station.index()].machine = Some(machine);
    }

    /// The machine at a station, if there is one: that of its host.
    #[must_use]
    pub fn machine(&self, station: Station) -> Option<&Machine> {
        self.stations.get(self.host(station))?.machine.as_ref()
    }

    /// The machine at an end of a TCP flow.
    #[must_use]
    pub fn machine_at(&self, flow: u32, side: Side) -> Option<&Machine> {
        match self.flows.get(flow as usize)? {
            Flow::Tcp(flow) => self.machine(flow.stations[side as usize]),
            Flow::Plain(_) => None,
        }
    }

    fn machine_mut(&mut self, station: Station) -> &mut Machine {
        let host = self.host(station);
        self.stations[host].machine.as_mut().expect("only a station with a machine is asked for it")
    }

    /// Adds a TCP connection between two stations with machines, the first of which connects;
    /// returns its number.
    ///
    /// # Panics
    ///
    /// If a station does not exist or has no machine.
    pub fn connect_tcp(
        &mut self,
        stations: [Station; 2],
        settings: [Settings; 2],
        kernel: &mut Kernel<impl Includes<Event>>,
    ) -> u32 {
        let number = u32::try_from(self.flows.len()).expect("fewer than 2^32 flows");
        for (station, side) in stations.into_iter().zip([Side::First, Side::Second]) {
            assert!(self.machine(station).is_some(), "TCP runs on a machine");
            self.stations[station.index()].ends.push((number, side));
        }
        self.flows.push(Flow::Tcp(TcpFlow::new(stations, settings)));
        self.place(End { flow: number, side: Side::First }).progress(kernel);
        number
    }

    /// The protocol at an end of a TCP flow.
    #[must_use]
    pub fn connection(&self, flow: u32, side: Side) -> Option<&crate::tcp::Connection> {
        match self.flows.get(flow as usize)? {
            Flow::Tcp(flow) => Some(&flow.ends[side as usize].connection),
            Flow::Plain(_) => None,
        }
    }

    fn place(&mut self, end: End) -> Place<'_> {
        let Flow::Tcp(flow) = &mut self.flows[end.flow as usize] else {
            unreachable!("only TCP ends work on machines")
        };
        let station = flow.stations[end.side as usize];
        let host = host(station, self.hosts);
        let machine = self.stations[host].machine.as_mut().expect("it was there to connect");
        Place { end, flow, machine, segments: &mut self.segments }
    }

    /// The application at an end calls send; returns what a finished call has sent.
    pub(super) fn tcp_write(
        &mut self,
        end: End,
        data: &[u8],
        kernel: &mut Kernel<impl Includes<Event>>,
    ) -> Result<usize, Broken> {
        let mut place = self.place(end);
        if place.flow.closed[end.side.other() as usize] {
            return Err(place.flow.broken().unwrap_or(Broken::Closed));
        }
        let (sent, begun) = place.call_send(data.len() as u64, kernel)?;
        if begun {
            place.flow.keep(end.side, data);
        }
        Ok(usize::try_from(sent).unwrap_or(usize::MAX))
    }

    /// The same for bytes that are only counted.
    pub(super) fn tcp_send(
        &mut self,
        end: End,
        bytes: u64,
        kernel: &mut Kernel<impl Includes<Event>>,
    ) -> Result<u64, Broken> {
        self.place(end).call_send(bytes, kernel).map(|(sent, _)| sent)
    }

    /// The application at an end calls receive; returns what a finished call has received.
    pub(super) fn tcp_read(
        &mut self,
        end: End,
        data: &mut [u8],
        kernel: &mut Kernel<impl Includes<Event>>,
    ) -> Result<usize, Broken> {
        let mut place = self.place(end);
        let received = place.call_receive(data.len() as u64, kernel)?;
        let len = usize::try_from(received).unwrap_or(usize::MAX).min(data.len());
        if len > 0 {
            place.flow.give(end.side, &mut data[..len]);
        }
        Ok(len)
    }

    /// The same for up to this many bytes that are only counted.
    pub(super) fn tcp_receive(
        &mut self,
        end: End,
        most: u64,
        kernel: &mut Kernel<impl Includes<Event>>,
    ) -> Result<u64, Broken> {
        self.place(end).call_receive(most, kernel)
    }

    /// The application at an end sends nothing more: FIN follows what it wrote.
    pub(super) fn tcp_finish(&mut self, end: End, kernel: &mut Kernel<impl Includes<Event>>) {
        let mut place = self.place(end);
        place.own().connection.close();
        place.progress(kernel);
    }

    /// Carries out the result of a host's event.
    pub(super) fn machine_event(
        &mut self,
        event: crate::machine::Event,
        kernel: &mut Kernel<impl Includes<Event>>,
    ) {
        let station = event.station;
        match self.machine_mut(station).handle(event, kernel) {
            Wire::Quiet => {}
            Wire::Ready => {
                self.wakes.push(Port(station.0));
                self.pump_starved(station, kernel);
            }
            Wire::Received(frame) => {
                self.receive(&frame, kernel);
                if self.machine(station).is_some_and(Machine::polls) {
                    self.look(station, kernel.now());
                }
                self.go_on(station, kernel);
            }
            Wire::Done(job) => {
                self.done(station, job, kernel);
                self.go_on(station, kernel);
            }
        }
    }

    fn go_on(&mut self, station: Station, kernel: &mut Kernel<impl Includes<Event>>) {
        self.machine_mut(station).go_on(kernel);
    }

    fn done(&mut self, station: Station, job: Job, kernel: &mut Kernel<impl Includes<Event>>) {
        match job {
            Job::Interrupt => self.look(station, kernel.now()),
            Job::Transmit(end) => self.place(end).transmit(kernel),
            Job::Wake => {}
            Job::Send(end) => {
                self.place(end).send(kernel);
                self.tell(end);
            }
            Job::Recv(end) => {
                self.place(end).recv(kernel);
                self.tell(end);
            }
        }
    }

    /// The driver of a station looks at its receive ring.
    fn look(&mut self, station: Station, now: Time) {
        let offload = self.machine(station).and_then(Machine::receive_offload);
        if let Some(most) = offload {
            return self.look_and_merge(station, most, now);
        }
        let Self { stations, segments, hosts, points, .. } = self;
        let machine = stations[host(station, *hosts)].machine.as_mut().expect("its driver looks");
        let mut lost = Vec::new();
        machine.look(
            |times, frame| {
                points.iter_mut().for_each(|points| {
                    points.extend(Passed::of(frame, segments, Point::Handed, now));
                });
                match segment_of(frame, segments) {
                    Some(segment) if segment.length > 0 => times.receive_data(segment.length),
                    _ => times.receive_acknowledgement,
                }
            },
            |frame| lost.push(frame),
        );
        for frame in lost {
            self.drop_segment(&frame);
        }
    }

    /// The protocol of a station takes a frame.
    fn receive(&mut self, frame: &Frame, kernel: &mut Kernel<impl Includes<Event>>) {
        let Content::Segment { flow, forward, number, ecn } = frame.content else { return };
        if self.machine(frame.source).is_some_and(Machine::holds_both_ends) {
            // It passed no port.
            self.note(frame, Point::Queued, frame.offered);
        }
        self.note(frame, Point::Ready, kernel.now());
        let segment = Segment { ecn, ..self.segments.remove(number.0) };
        let side = if forward { Side::Second } else { Side::First };
        let end = End { flow, side };
        let mut place = self.place(end);
        let charge = place.machine.charge().saturating_mul(segment.parts);
        let clock = place.machine.clock(kernel.now());
        let own = place.own();
        own.connection.arrived(&segment, charge, clock);
        // A call that is under way has begun to send.
        own.begins |= !own.send.is_running();
        place.progress(kernel);
        self.tell(end);
    }

    /// The processor of an end's thread knows that it was woken.
    pub(super) fn tcp_woken(&mut self, end: End, kernel: &mut Kernel<impl Includes<Event>>) {
        self.place(end).woken(kernel);
    }

    /// A frame with a segment came from the wire.
    pub(super) fn segment_arrived(
        &mut self,
        station: Station,
        frame: Frame,
        kernel: &mut Kernel<impl Includes<Event>>,
    ) {
        if !self.machine_mut(station).receive(station, frame, kernel) {
            self.drop_segment(&frame);
        }
    }

    /// A segment will not arrive: its sender finds out by itself.
    pub(super) fn drop_segment(&mut self, frame: &Frame) {
        if let Content::Segment { number, .. } = frame.content {
            self.segments.remove(number.0);
        }
    }

    /// The adaptor of a station has a frame for the wire.
    pub(super) fn machine_frame(
        &mut self,
        station: Station,
        kernel: &mut Kernel<impl Includes<Event>>,
    ) -> Option<Frame> {
        let host = self.host(station);
        self.stations[host].machine.as_mut()?.take(station, kernel)
    }

    /// A transmit descriptor of a station is free again: the ends that waited for one go on.
    fn pump_starved(&mut self, station: Station, kernel: &mut Kernel<impl Includes<Event>>) {
        if !self.machine_mut(station).take_starved(station) {
            return;
        }
        for index in 0..self.stations[station.index()].ends.len() {
            let (flow, side) = self.stations[station.index()].ends[index];
            if let Flow::Tcp(_) = self.flows[flow as usize] {
                self.place(End { flow, side }).pump(kernel);
            }
        }
    }

    /// The protocol's timers at an end may have run out.
    pub(super) fn tcp_timer(&mut self, end: End, kernel: &mut Kernel<impl Includes<Event>>) {
        let mut place = self.place(end);
        place.own().timer = None;
        let clock = place.machine.clock(kernel.now());
        if place.own().connection.next_timer().is_some_and(|when| when <= clock) {
            place.own().connection.expire(clock);
        }
        place.progress(kernel);
        self.tell(end);
    }
}

/// The segment that a frame carries, if it is one.
pub(super) fn segment_of<'a>(frame: &Frame, segments: &'a Slab<Segment>) -> Option<&'a Segment> {
    match frame.content {
        Content::Segment { number, .. } => Some(&segments[number.0]),
        _ => None,
    }
}
