//! A load under way.

use linerate_core::carrier::LoadWatch;
use linerate_core::kernel::Effort;
use linerate_core::traffic::{
    Cadence, DEFAULT_MESSAGE, Direction, Ended, FlowAccount, HalfAccount, Latency, Load, PATIENCE, Progress,
    Schedule, SendProgress, StreamPlan, Transfer,
};
use linerate_core::units::{Span, Time};

use super::asking::{Answering, Asking};
use super::bulk::{Receiving, Sending};
use super::calls::Calls;
use super::looks::Looks;
use crate::effort::Before;
use crate::end;
use crate::frame::Station;
use crate::machine::End;
use crate::model::Network;
use crate::plan::ModelError;
use crate::stack::Side;
use crate::stations::{Broken, Stations};
use crate::world::World;

/// The longest time between two calls of the watch, and how often a host is sampled if no bulk says
/// otherwise. In the model's time.
const ASK: Span = Span::from_ms(100);
const INTERVAL: Span = Span::from_ms(1_000);
/// The closest looks. They cost a model nothing, but a load of unknown length begins with them.
const LEAST_PERIOD: Span = Span::from_us(100);
/// A load that has been asked to end this many times and still runs is broken off.
const MOST_ASKED: u32 = 5;
/// The most events of one load: more would take hours.
const MOST_EVENTS: u64 = 30_000_000_000;

/// A load under way. Its flows have the numbers that they have in the network: those of bulk in the
/// order of the transfer, and then those of requests.
#[derive(Debug)]
pub(super) struct Course<'a> {
    network: Network,
    load: &'a Load,
    origin: Time,
    flows: Vec<Flow>,
    looks: Looks,
    /// Ends whose applications may go on now.
    stirs: Vec<End>,
    /// Applications that must end before the load has.
    left: usize,
    stop: bool,
    asked: u32,
}

/// A flow, and the applications at its ends by side.
#[derive(Debug)]
struct Flow {
    /// Its number, and that of its responder.
    flow: u32,
    peer: u32,
    direction: Direction,
    apps: [App; 2],
    /// What its ends had done when the load began.
    before: Before,
}

/// An application, and how it ended if it has.
#[derive(Debug)]
struct App {
    does: Does,
    ended: Option<Ended>,
}

#[derive(Debug)]
enum Does {
    Send(Sending),
    Receive(Receiving),
    Ask(Box<Asking>),
    Answer(Answering),
}

impl<'a> Course<'a> {
    /// Connects the flows of `load`, and starts it when all are connected.
    pub(super) fn begin(mut network: Network, load: &'a Load) -> Self {
        let peers = u32::try_from(network.stations.len() - 1).unwrap_or(u32::MAX);
        let mut named = Vec::new();
        if let Some(stream) = &load.stream {
            for direction in stream.direction.parts() {
                for peer in 0..peers {
                    named.extend((0..stream.flows).map(|flow| (load.numbered(peer, flow), peer, *direction)));
                }
            }
        }
        let bulk = named.len();
        let requests = load.rr.as_ref().map_or(0, |rr| rr.flows);
        named.extend((0..requests).map(|flow| (flow, 0, Direction::Send)));
        let numbers: Vec<u32> = named.iter().map(|(_, peer, _)| network.connect(*peer)).collect();
        for number in numbers {
            while !network.world.stations.is_settled(number) && network.world.step() {}
        }
        let origin = network.world.kernel.now();
        let flows: Vec<Flow> = named
            .into_iter()
            .enumerate()
            .map(|(place, (flow, peer, direction))| {
                let apps =
                    if place < bulk { carries(load, direction, origin) } else { asks(load, flow, origin) };
                let before = Before::look(&network.world, place as u32);
                Flow { flow, peer, direction, apps: apps.map(|does| App { does, ended: None }), before }
            })
            .collect();
        let watched = network.stations.iter().zip(&network.priced);
        let watched: Vec<Option<Station>> =
            watched.map(|(station, priced)| priced.then_some(*station)).collect();
        let every = Cadence::every(INTERVAL);
        let cadence = load.stream.as_ref().map_or(every, |it| Cadence::of(it, load.time, LEAST_PERIOD));
        let looks = Looks::new((origin, cadence), bulk, &watched, &network.world.stations);
        let left = flows.iter().flat_map(|flow| &flow.apps).filter(|app| app.does.counts()).count();
        Self { network, load, origin, flows, looks, stirs: Vec::new(), left, stop: false, asked: 0 }
    }

    /// Lets the load go on to its end.
    pub(super) fn run(&mut self, watch: &mut dyn LoadWatch) -> Result<(), ModelError> {
        let interval = self.load.stream.as_ref().map_or(INTERVAL, |stream| stream.interval);
        let (mut next_look, mut next_ask) = (self.looks.next(self.origin), self.origin + ASK.min(interval));
        self.stir_all();
        loop {
            self.go_on();
            if self.left == 0 {
                break;
            }
            let World { kernel, .. } = &mut self.network.world;
            let tick = next_look.min(next_ask);
            match kernel.next_time() {
                Some(next) if next <= tick => {
                    self.network.world.step();
                    if self.network.world.kernel.happened() > MOST_EVENTS {
                        return Err(self.too_long());
                    }
                    continue;
                }
                // No event is left: the wait would last for ever.
                None => {
                    self.end_all(&Ended::Stalled(PATIENCE));
                    break;
                }
                Some(_) => {}
            }
            if tick == next_look {
                self.look((tick, false), watch);
                next_look = self.looks.next(tick);
            }
            if tick == next_ask {
                next_ask = next_ask + ASK.min(interval);
                self.ask(tick, watch);
            }
        }
        let now = self.network.world.kernel.now();
        if self.looks.since(now) > Span::ZERO {
            self.look((now, true), watch);
        }
        Ok(())
    }

    /// Runs every application that may go on, and then sends what they produced.
    fn go_on(&mut self) {
        loop {
            self.network.world.stations.take_stirs(&mut self.stirs);
            if self.stirs.is_empty() {
                break;
            }
            let mut at = 0;
            while let Some(end) = self.stirs.get(at).copied() {
                self.poll(end);
                at += 1;
            }
            self.stirs.clear();
        }
        self.network.world.settle();
    }

    fn poll(&mut self, end: End) {
        let app = &mut self.flows[end.flow as usize].apps[end.side as usize];
        if app.ended.is_some() {
            return;
        }
        let World { kernel, stations, .. } = &mut self.network.world;
        match app.does.go_on(&mut Calls { stations, kernel, end }, self.stop) {
            Ok(false) => {}
            Ok(true) => self.end(end, Ended::Complete),
            Err(broken) => self.end(end, Ended::Failed(why(broken))),
        }
    }

    fn end(&mut self, end: End, ended: Ended) {
        let app = &mut self.flows[end.flow as usize].apps[end.side as usize];
        if app.ended.is_some() {
            return;
        }
        self.left -= usize::from(app.does.counts());
        if ended != Ended::Complete {
            // It may wait for ever too.
            self.stirs.push(End { side: end.side.other(), ..end });
        }
        app.ended = Some(ended);
    }

    fn ends(&self) -> impl Iterator<Item = End> + use<> {
        let flows = 0..self.flows.len() as u32;
        flows.flat_map(|flow| [Side::First, Side::Second].map(|side| End { flow, side }))
    }

    fn end_all(&mut self, ended: &Ended) {
        for end in self.ends() {
            self.end(end, ended.clone());
        }
    }

    fn stir_all(&mut self) {
        self.stirs.extend(self.ends());
    }

    /// Asks the watch, and gives up flows that have waited for too long.
    fn ask(&mut self, now: Time, watch: &mut dyn LoadWatch) {
        for end in self.ends() {
            let app = &self.flows[end.flow as usize].apps[end.side as usize];
            let waits = app.does.waits_since().filter(|_| app.ended.is_none());
            if waits.is_some_and(|since| now.since(since) > PATIENCE) {
                self.end(end, Ended::Stalled(PATIENCE));
            }
        }
        if watch.go_on().is_break() {
            self.stop = true;
            self.asked += 1;
            self.stir_all();
        }
        if self.asked > MOST_ASKED {
            self.end_all(&Ended::Failed("it was broken off".to_owned()));
        }
    }

    /// Looks at a moment, which may be the last.
    fn look(&mut self, moment: (Time, bool), watch: &mut dyn LoadWatch) {
        let bulk = self.flows.iter().filter(|flow| flow.apps[0].does.is_bulk());
        let bytes: Vec<[u64; 2]> =
            bulk.map(|flow| [0, 1].map(|side: usize| flow.apps[side].does.bytes())).collect();
        let ended = self.looks.look(moment, &bytes, &self.network.world.stations);
        if let Some(look) = ended.filter(|_| self.load.stream.is_some()) {
            watch.interval(&look);
        }
    }

    fn too_long(&self) -> ModelError {
        let after = self.network.world.kernel.now().since(self.origin);
        let reason = format!(
            "the model reached {after} of it after {MOST_EVENTS} events, and the rest would take hours; shorten it"
        );
        ModelError::value("time", self.load.time, reason)
    }

    /// The result of the load, how long its network ran, and the state of its hosts.
    pub(super) fn finish(mut self) -> (Transfer, Span, Stations) {
        let (mut flows, mut latencies) = (Vec::new(), Vec::new());
        for (number, Flow { flow, peer, direction, apps, before }) in
            (0..).zip(std::mem::take(&mut self.flows))
        {
            let [first, second] = apps;
            if let Does::Ask(asking) = first.does {
                let latency = asking.account(first.ended.unwrap_or_default());
                let effort = self.spent(&before, number, &latency);
                latencies.push(Latency { effort, ..latency });
                continue;
            }
            let [first, second] = [(Side::First, first), (Side::Second, second)].map(|(side, app)| {
                let granted = self.network.granted_of(number, side);
                let half = HalfAccount { granted, ..app.account() };
                self.looks.give(number as usize, side, half)
            });
            let (sender, receiver) =
                if direction == Direction::Send { (first, second) } else { (second, first) };
            flows.push(FlowAccount { flow, peer, direction, sender, receiver });
        }
        let hosts = self.looks.into_hosts();
        let World { kernel, stations: left, .. } = self.network.world;
        let transfer = Transfer { load: self.load.clone(), flows, latencies, hosts, ..Transfer::default() };
        (transfer, kernel.now().since(Time::ZERO), left)
    }
}

impl Course<'_> {
    /// What both ends of a flow of requests spent on them: a host's processors work for all of its flows alike.
    fn spent(&self, before: &Before, flow: u32, latency: &Latency) -> Option<Box<[Effort; 2]>> {
        let flows = u64::from(self.load.rr.as_ref().map_or(1, |rr| rr.flows.max(1)));
        let messages = 2 * latency.transactions + latency.lost;
        let [first, second] = before.since(&self.network.world, flow, [messages; 2], false);
        let part = |effort: Effort| Effort { cpu: effort.cpu / flows, ..effort };
        Some(Box::new([part(first?), part(second?)]))
    }
}

/// The applications of a bulk flow, by side.
fn carries(load: &Load, direction: Direction, origin: Time) -> [Does; 2] {
    let usual = StreamPlan::default();
    let stream = load.stream.as_ref().unwrap_or(&usual);
    let message = stream.message_bytes(DEFAULT_MESSAGE);
    let sends = Does::Send(Sending::new(message, SendProgress::of(stream, load.time, message, origin)));
    let receives = Does::Receive(Receiving::new(message, Progress::of(stream, load.time, origin)));
    if direction == Direction::Send { [sends, receives] } else { [receives, sends] }
}

/// The applications of a flow of requests, by side.
fn asks(load: &Load, flow: u32, origin: Time) -> [Does; 2] {
    let rr = load.rr.clone().unwrap_or_default();
    let lasts = rr.lasts(load.time, load.stream.is_some());
    let schedule = Schedule::new(&rr, origin + load.head_start, lasts, flow);
    [Does::Ask(Box::new(Asking::new(&rr, schedule))), Does::Answer(Answering::new(&rr))]
}

impl App {
    fn account(self) -> HalfAccount {
        let half = match self.does {
            Does::Send(sending) => sending.account(),
            Does::Receive(receiving) => receiving.account(),
            Does::Ask(_) | Does::Answer(_) => HalfAccount::default(),
        };
        HalfAccount { ended: self.ended.unwrap_or_default(), ..half }
    }
}

impl Does {
    fn go_on(&mut self, calls: &mut Calls<'_>, stop: bool) -> Result<bool, Broken> {
        match self {
            Self::Send(sending) => sending.go_on(calls, stop),
            Self::Receive(receiving) => receiving.go_on(calls),
            Self::Ask(asking) => asking.go_on(calls, stop),
            Self::Answer(answering) => answering.go_on(calls),
        }
    }

    /// Whether the load lasts until it has ended.
    const fn counts(&self) -> bool {
        !matches!(self, Self::Answer(_))
    }

    const fn is_bulk(&self) -> bool {
        matches!(self, Self::Send(_) | Self::Receive(_))
    }

    const fn bytes(&self) -> u64 {
        match self {
            Self::Send(sending) => sending.bytes(),
            Self::Receive(receiving) => receiving.bytes(),
            Self::Ask(_) | Self::Answer(_) => 0,
        }
    }

    /// Since when it waits for bytes to move. Absent while it waits for a time of its own.
    fn waits_since(&self) -> Option<Time> {
        match self {
            Self::Send(sending) => sending.waits_since(),
            Self::Receive(receiving) => Some(receiving.waits_since()),
            Self::Ask(asking) => asking.waits_since(),
            Self::Answer(_) => None,
        }
    }
}

/// Why no more bytes pass.
fn why(broken: Broken) -> String {
    end::broken(broken).to_string()
}
