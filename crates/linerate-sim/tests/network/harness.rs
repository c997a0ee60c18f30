//! Stations with something to send, and a record of what became of it.

use std::collections::VecDeque;

use linerate_core::units::{Span, Time};
use linerate_sim::ethernet::network::{Network, NetworkEvent, QueueReport};
use linerate_sim::ethernet::parameters::HEADER_AND_FCS_BYTES;
use linerate_sim::ethernet::topology::Topology;
use linerate_sim::fabric::{Client, Fabric as _, Loss};
use linerate_sim::frame::{Content, Destination, Frame, Port, Station};
use linerate_sim::kernel::{Class, Includes, Kernel};
use linerate_sim::pace::Pace;
use linerate_sim::random::{Purpose, stream};
use rand::Rng as _;
use rand_pcg::Pcg64;

pub(crate) const GIGABIT: Pace = Pace::of_bits_per_second(1_000_000_000);
pub(crate) const MEGABIT_100: Pace = Pace::of_bits_per_second(100_000_000);
pub(crate) const MEGABIT_10: Pace = Pace::of_bits_per_second(10_000_000);
pub(crate) const GIGABIT_10: Pace = Pace::of_bits_per_second(10_000_000_000);

/// Client data of a MAC frame of this many bytes.
pub(crate) fn data(frame_bytes: u64) -> u32 {
    (frame_bytes - HEADER_AND_FCS_BYTES) as u32
}

/// A frame's time on the wire with preamble and gap, at 1 Gb/s.
pub(crate) fn period(frame_bytes: u64) -> Span {
    GIGABIT.span((frame_bytes + 20) * 8)
}

pub(crate) fn to(station: u32) -> Destination {
    Destination::Station(Station(station))
}

/// What a station always has to send: the next of `turns`, round and round.
#[derive(Clone, Debug, Default)]
pub(crate) struct Endless {
    turns: Vec<(Destination, u32)>,
    next: usize,
}

/// Frames at random times: this many, on average `mean` apart.
pub(crate) struct Poisson {
    pub(crate) destination: Destination,
    pub(crate) mean: Span,
    /// Draws the size of the next frame. Unit: bytes of client data.
    pub(crate) size: fn(&mut Pcg64) -> u32,
    pub(crate) left: u32,
}

struct Offers {
    poisson: Poisson,
    arrival: Pcg64,
    size: Pcg64,
}

#[derive(Default)]
struct Source {
    queue: VecDeque<Frame>,
    endless: Endless,
    scripted: VecDeque<(Time, Destination, u32)>,
    offers: Option<Offers>,
    sent: u64,
}

/// A frame that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) at: Time,
    pub(crate) station: u32,
    pub(crate) frame: Frame,
}

/// The stations of a network.
#[derive(Default)]
pub(crate) struct Stations {
    sources: Vec<Source>,
    pub(crate) taken: u64,
    pub(crate) arrivals: Vec<Arrival>,
    pub(crate) losses: Vec<(Frame, Loss)>,
    /// Data frames that were seen coming in, whether for the station or not.
    pub(crate) seen: u64,
}

/// A network and its stations.
pub(crate) struct Bench {
    pub(crate) kernel: Kernel<Event>,
    pub(crate) network: Network,
    pub(crate) stations: Stations,
    seed: u64,
}

impl Bench {
    pub(crate) fn new(topology: &Topology) -> Self {
        Self::with_seed(topology, 1)
    }

    pub(crate) fn with_seed(topology: &Topology, seed: u64) -> Self {
        let network = Network::new(topology, seed).expect("the topology is a network");
        let mut stations = Stations::default();
        stations.sources.resize_with(network.ports(), Source::default);
        Self { kernel: Kernel::new(), network, stations, seed }
    }

    /// `from` always has a frame of this many bytes for `destination`; of several, in turns.
    pub(crate) fn saturate(&mut self, from: u32, destination: Destination, frame_bytes: u64) {
        let turn = (destination, data(frame_bytes));
        self.stations.sources[from as usize].endless.turns.push(turn);
        self.network.wake(Port(from), &mut self.kernel, &mut self.stations);
    }

    /// `from` offers a frame of this many bytes at an instant. Instants in order.
    pub(crate) fn offer(&mut self, at: Time, from: u32, destination: Destination, frame_bytes: u64) {
        let offer = (at, destination, data(frame_bytes));
        self.stations.sources[from as usize].scripted.push_back(offer);
        self.kernel.at(at, Class::Offer, Event::Offer(from));
    }

    /// `from` offers frames at random times.
    pub(crate) fn offer_at_random(&mut self, from: u32, poisson: Poisson) {
        let draws = |purpose| stream(self.seed, from, purpose);
        let mut offers = Offers { poisson, arrival: draws(Purpose::Arrival), size: draws(Purpose::Size) };
        offers.set_next(from, &mut self.kernel);
        self.stations.sources[from as usize].offers = Some(offers);
    }

    /// Stops what always has something to send.
    pub(crate) fn stop(&mut self) {
        for source in &mut self.stations.sources {
            source.endless.turns.clear();
        }
    }

    pub(crate) fn run_until(&mut self, limit: Time) {
        while let Some(event) = self.kernel.advance_until(limit) {
            self.happen(event);
        }
    }

    /// Until nothing is left to happen.
    pub(crate) fn run(&mut self) {
        while let Some(event) = self.kernel.advance() {
            self.happen(event);
        }
    }

    pub(crate) fn run_for(&mut self, span: Span) {
        self.run_until(self.kernel.now() + span);
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Network(event) => self.network.handle(event, &mut self.kernel, &mut self.stations),
            Event::Offer(station) => {
                self.stations.sources[station as usize].offered(station, &mut self.kernel);
                self.network.wake(Port(station), &mut self.kernel, &mut self.stations);
            }
        }
    }

    pub(crate) fn queue(&self, name: &str) -> QueueReport {
        let reports = self.network.queues(self.kernel.now());
        let found = reports.iter().find(|report| report.name == name);
        found.unwrap_or_else(|| panic!("no {name} in {reports:?}")).clone()
    }

    /// Arrivals at `station`, from the instant `since`.
    pub(crate) fn arrivals_at(&self, station: u32, since: Time) -> impl Iterator<Item = &Arrival> {
        self.stations.arrivals.iter().filter(move |arrival| arrival.station == station && arrival.at >= since)
    }

    /// MAC frame bits that arrived after `since`, over the time to now, as a fraction of 1 Gb/s.
    pub(crate) fn rate(&self, since: Time, which: impl Fn(&Arrival) -> bool) -> f64 {
        let wanted = self.stations.arrivals.iter().filter(|arrival| arrival.at > since && which(arrival));
        let bytes: u64 =
            wanted.map(|arrival| u64::from(arrival.frame.data_bytes) + HEADER_AND_FCS_BYTES).sum();
        bytes as f64 * 8.0 / self.kernel.now().since(since).as_seconds() / 1e9
    }
}

impl Source {
    fn offered(&mut self, station: u32, kernel: &mut Kernel<Event>) {
        let now = kernel.now();
        let (destination, data_bytes) = match &mut self.offers {
            Some(offers) => {
                let frame = (offers.poisson.destination, (offers.poisson.size)(&mut offers.size));
                offers.set_next(station, kernel);
                frame
            }
            None => {
                let (_, destination, bytes) = self.scripted.pop_front().expect("an offer was set");
                (destination, bytes)
            }
        };
        let frame = self.frame(station, destination, data_bytes, now);
        self.queue.push_back(frame);
    }

    fn frame(&mut self, station: u32, destination: Destination, data_bytes: u32, offered: Time) -> Frame {
        self.sent += 1;
        let content = Content::Load(self.sent - 1);
        Frame { source: Station(station), destination, data_bytes, content, offered }
    }
}

impl Offers {
    fn set_next(&mut self, station: u32, kernel: &mut Kernel<Event>) {
        if self.poisson.left == 0 {
            return;
        }
        self.poisson.left -= 1;
        let uniform = (self.arrival.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let wait = -(1.0 - uniform).ln() * self.poisson.mean.as_ps() as f64;
        kernel.at(kernel.now() + Span::from_ps(wait as u64), Class::Offer, Event::Offer(station));
    }
}

/// What happens: in the network, or a station offers its next frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    Network(NetworkEvent),
    Offer(u32),
}

impl Includes<NetworkEvent> for Event {
    fn of(event: NetworkEvent) -> Self {
        Self::Network(event)
    }
}

impl<E> Client<E> for Stations {
    fn next(&mut self, port: Port, kernel: &mut Kernel<E>) -> Option<Frame> {
        let source = &mut self.sources[port.index()];
        let mut frame = source.queue.pop_front();
        if frame.is_none() && !source.endless.turns.is_empty() {
            let turn = source.endless.next % source.endless.turns.len();
            source.endless.next += 1;
            let (destination, data_bytes) = source.endless.turns[turn];
            frame = Some(source.frame(port.0, destination, data_bytes, kernel.now()));
        }
        self.taken += u64::from(frame.is_some());
        frame
    }

    fn deliver(&mut self, port: Port, frame: Frame, kernel: &mut Kernel<E>) {
        self.arrivals.push(Arrival { at: kernel.now(), station: port.0, frame });
    }

    fn lost(&mut self, port: Port, frame: Frame, loss: Loss, _: &mut Kernel<E>) {
        assert_eq!(port.0, frame.source.0, "a loss is said to the source");
        self.losses.push((frame, loss));
    }

    fn observe(&mut self, _: Port, frame: &Frame, seen: linerate_sim::fabric::Seen, _: &mut Kernel<E>) {
        let is_data = !matches!(frame.content, Content::Pause { .. });
        self.seen += u64::from(is_data && seen == linerate_sim::fabric::Seen::Received);
    }
}
