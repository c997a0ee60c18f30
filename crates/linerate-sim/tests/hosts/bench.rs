//! One machine, with orders at set times and a record of what it did.

use linerate_core::units::{Size, Span, Time};
use linerate_sim::frame::{Content, Destination, Frame, Station};
use linerate_sim::kernel::{Class, Includes, Kernel};
use linerate_sim::machine::{self, Bus, End, Job, Machine, Profile, Wire};
use linerate_sim::stack::Side;

pub(crate) const fn us(us: u64) -> Time {
    Time::from_ps(us * 1_000_000)
}

/// A host that costs nothing, whose adaptor interrupts for every frame.
pub(crate) fn free() -> Profile {
    let mut profile = Profile::free();
    profile.adaptor.polling = false;
    profile
}

/// A parallel bus in round numbers: 10 ns a byte, 320 ns a burst of up to 256 B, 1 us a transfer.
pub(crate) fn round_bus() -> Bus {
    Bus::Pci {
        width_bits: 32,
        clock_mhz: 25.0,
        burst: Size(256),
        overhead_clocks: 8.0,
        setup: Span::from_us(1),
    }
}

/// What a transfer takes on [`round_bus`], written out.
pub(crate) fn on_round_bus(bytes: u64) -> Span {
    Span::from_us(1) + Span::from_ns(10) * bytes + Span::from_ns(320) * bytes.div_ceil(256)
}

/// A frame with this much data, known by a number.
pub(crate) fn frame(number: u64, data_bytes: u32) -> Frame {
    Frame {
        source: Station(0),
        destination: Destination::Station(Station(0)),
        data_bytes,
        content: Content::Load(number),
        offered: Time::ZERO,
    }
}

pub(crate) fn number_of(frame: &Frame) -> u64 {
    let Content::Load(number) = frame.content else { panic!("only numbered frames are used") };
    number
}

/// A call of an application, known by a number.
pub(crate) const fn call(number: u32) -> Job {
    Job::Send(End { flow: number, side: Side::First })
}

/// Protocol's work, known by a number.
pub(crate) const fn segment(number: u32) -> Job {
    Job::Transmit(End { flow: number, side: Side::First })
}

#[derive(Clone, Copy, Debug)]
enum Order {
    Transmit(Frame),
    Receive(Frame),
    Take,
    Work(Job, Span),
}

/// A machine, and what it did.
pub(crate) struct Bench {
    pub(crate) machine: Machine,
    pub(crate) kernel: Kernel<Event>,
    orders: Vec<Order>,
    /// Whether the wire takes every frame at once.
    pub(crate) wire_is_free: bool,
    /// What the protocol's work on a received frame takes.
    pub(crate) protocol: Span,
    /// When a frame was ready for the wire.
    pub(crate) ready: Vec<Time>,
    /// When a frame was taken, and its number.
    pub(crate) taken: Vec<(Time, u64)>,
    /// When work was done.
    pub(crate) done: Vec<(Time, Job)>,
    /// When the protocol had taken frames, and their numbers.
    pub(crate) received: Vec<(Time, u64)>,
    /// Frames for which there was no descriptor, by number.
    pub(crate) refused: Vec<u64>,
    /// Frames for which there was no room in the protocol's queue, by number.
    pub(crate) dropped: Vec<u64>,
}

/// What happens: in the machine, or the order of this number is due.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    Machine(machine::Event),
    Order(u32),
}

impl Includes<machine::Event> for Event {
    fn of(event: machine::Event) -> Self {
        Self::Machine(event)
    }
}

impl Bench {
    pub(crate) fn new(profile: &Profile) -> Self {
        profile.check("host").expect("a host that could be");
        Self {
            machine: Machine::new(Station(0), profile, 1500),
            kernel: Kernel::new(),
            orders: Vec::new(),
            wire_is_free: true,
            protocol: Span::ZERO,
            ready: Vec::new(),
            taken: Vec::new(),
            done: Vec::new(),
            received: Vec::new(),
            refused: Vec::new(),
            dropped: Vec::new(),
        }
    }

    fn order(&mut self, at: Time, order: Order) {
        let number = u32::try_from(self.orders.len()).expect("few orders");
        self.orders.push(order);
        self.kernel.at(at, Class::Offer, Event::Order(number));
    }

    /// The protocol hands a frame to the transmit ring.
    pub(crate) fn transmit(&mut self, at: Time, number: u64, data_bytes: u32) {
        self.order(at, Order::Transmit(frame(number, data_bytes)));
    }

    /// A frame comes from the wire.
    pub(crate) fn receive(&mut self, at: Time, number: u64, data_bytes: u32) {
        self.order(at, Order::Receive(frame(number, data_bytes)));
    }

    /// The wire takes a frame.
    pub(crate) fn take(&mut self, at: Time) {
        self.order(at, Order::Take);
    }

    /// Somebody has work for a processor.
    pub(crate) fn work(&mut self, at: Time, job: Job, cost: Span) {
        self.order(at, Order::Work(job, cost));
    }

    /// Lets everything happen.
    pub(crate) fn run(&mut self) {
        while let Some(event) = self.kernel.advance() {
            match event {
                Event::Order(number) => self.obey(self.orders[number as usize]),
                Event::Machine(event) => match self.machine.handle(event, &mut self.kernel) {
                    Wire::Quiet => {}
                    Wire::Ready => self.is_ready(),
                    Wire::Received(frame) => self.take_in(&frame),
                    Wire::Done(job) => self.finish(job),
                },
            }
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Transmit(frame) => self.machine.transmit(frame, &mut self.kernel),
            Order::Receive(frame) => {
                if !self.machine.receive(Station(0), frame, &mut self.kernel) {
                    self.refused.push(number_of(&frame));
                }
            }
            Order::Take => self.take_one(),
            Order::Work(job, cost) => self.machine.submit(job, cost, &mut self.kernel),
        }
    }

    fn is_ready(&mut self) {
        self.ready.push(self.kernel.now());
        if self.wire_is_free {
            self.take_one();
        }
    }

    fn take_one(&mut self) {
        let frame = self.machine.take(Station(0), &mut self.kernel).expect("a frame is ready");
        self.taken.push((self.kernel.now(), number_of(&frame)));
    }

    fn finish(&mut self, job: Job) {
        self.done.push((self.kernel.now(), job));
        if job == Job::Interrupt {
            self.look();
        }
        self.machine.go_on(&mut self.kernel);
    }

    fn take_in(&mut self, frame: &Frame) {
        self.received.push((self.kernel.now(), number_of(frame)));
        if self.machine.polls() {
            self.look();
        }
        self.machine.go_on(&mut self.kernel);
    }

    fn look(&mut self) {
        let Self { machine, dropped, protocol, .. } = self;
        machine.look(|_, _| *protocol, |frame| dropped.push(number_of(&frame)));
    }

    /// When interrupts' handlers had looked.
    pub(crate) fn interrupts(&self) -> Vec<Time> {
        self.done.iter().filter(|(_, job)| *job == Job::Interrupt).map(|(at, _)| *at).collect()
    }
}
