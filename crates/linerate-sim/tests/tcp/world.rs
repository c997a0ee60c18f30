//! Connections on a path, and the loop that lets virtual time pass. The hosts cost nothing.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use linerate_core::units::{Span, Time};
use linerate_sim::tcp::{Connection, Kind, Segment, Settings, State};

use super::end::End;
use super::path::{Line, Way};
use super::task::{Step, Task};
use super::trace::{Row, What};

/// The side that connects and the side that listens, of the first flow.
pub(crate) const CLIENT: usize = 0;
pub(crate) const SERVER: usize = 1;

/// More calls than this at one instant are a connection that goes round without getting anywhere.
const MOST_AT_ONCE: u32 = 20_000;

/// One flow of a world: how its ends are set, and how it differs from the others.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    pub(crate) client: Settings,
    pub(crate) server: Settings,
    /// When it connects.
    pub(crate) start: Time,
    /// Added to the path each way.
    pub(crate) extra: Span,
}

/// Flows that share the line there and have one each back. Ends `2 i` and `2 i + 1` are client and server of flow `i`.
pub(crate) struct World {
    pub(crate) now: Time,
    pub(crate) ends: Vec<End>,
    there: Line,
    back: Vec<Line>,
    flows: Vec<Flow>,
    on_the_way: BinaryHeap<Reverse<(Time, u64)>>,
    carried: BTreeMap<u64, Carried>,
    sequence: u64,
    at_once: u32,
    /// Applications take what has come before it is acknowledged, as on a host whose reader is quicker
    /// than its protocol. Else the acknowledgement leaves first.
    pub(crate) is_eager: bool,
    /// What happened, if it is kept.
    pub(crate) trace: Option<Vec<Row>>,
}

struct Carried {
    to: usize,
    segment: Segment,
    payload: Vec<u8>,
}

impl World {
    /// One flow with equal ends over the same way there and back.
    pub(crate) fn even(settings: &Settings, way: &Way) -> Self {
        Self::pair([settings, settings], [way.clone(), way.clone()])
    }

    pub(crate) fn pair([client, server]: [&Settings; 2], ways: [Way; 2]) -> Self {
        let [client, server] = [client.clone(), server.clone()];
        Self::new(vec![Flow { client, server, start: Time::ZERO, extra: Span::ZERO }], ways)
    }

    pub(crate) fn new(flows: Vec<Flow>, [there, back]: [Way; 2]) -> Self {
        let connections = flows.iter().flat_map(|flow| {
            [Connection::connect(flow.client.clone()), Connection::listen(flow.server.clone())]
        });
        let ends = connections.zip(1..).map(|(connection, salt)| End::new(connection, salt)).collect();
        Self {
            now: Time::ZERO,
            ends,
            there: Line::new(there),
            back: (0..flows.len() as u64).map(|flow| Line::new(back.clone().salted(flow))).collect(),
            flows,
            on_the_way: BinaryHeap::new(),
            carried: BTreeMap::new(),
            sequence: 0,
            at_once: 0,
            is_eager: false,
            trace: None,
        }
    }

    /// Gives an end something to do.
    pub(crate) fn task(&mut self, end: usize, steps: Vec<Step>) -> &mut Self {
        self.ends[end].tasks.push(Task::new(steps));
        self
    }

    pub(crate) fn traced(&mut self) -> &mut Self {
        self.trace = Some(Vec::new());
        self
    }

    /// Keeps how many segments waited or were being sent whenever one came on the way there.
    pub(crate) fn gauged(&mut self) -> &mut Self {
        self.there.levels = Some(Vec::new());
        self
    }

    /// That, from `since` on.
    pub(crate) fn levels(&self, since: Time) -> impl Iterator<Item = usize> {
        let levels = self.there.levels.as_ref().expect("they are kept");
        levels.iter().filter(move |(at, _)| *at >= since).map(|(_, level)| *level)
    }

    pub(crate) fn client(&self) -> &Connection {
        &self.ends[CLIENT].connection
    }

    pub(crate) fn server(&self) -> &Connection {
        &self.ends[SERVER].connection
    }

    /// When the steps of the first task of an end were done.
    pub(crate) fn done(&self, end: usize) -> &[Time] {
        &self.ends[end].tasks[0].done
    }

    /// Until all tasks are done, which must be before `limit`; then every byte is compared.
    pub(crate) fn run(&mut self, limit: Span) {
        self.run_while(limit, |world| !world.ends.iter().all(End::is_done));
        assert!(self.ends.iter().all(End::is_done), "undone at {:?}: {}", self.now, self.text());
        self.check_bytes();
    }

    /// Until both ends of every flow are closed or have nothing more to happen.
    pub(crate) fn run_to_the_end(&mut self, limit: Span) {
        self.run(limit);
        let is_open = |end: &End| end.connection.state() != State::Closed;
        self.run_while(limit, |world| world.ends.iter().any(is_open));
    }

    /// As long as `goes_on` and there is something to happen before `limit`.
    pub(crate) fn run_while(&mut self, limit: Span, goes_on: impl Fn(&Self) -> bool) {
        let limit = Time::ZERO + limit;
        if self.now == Time::ZERO {
            self.pump_all();
        }
        while goes_on(self) {
            let Some(next) = self.next_instant().filter(|next| *next <= limit) else { break };
            self.at_once = if next > self.now { 0 } else { self.at_once + 1 };
            assert!(self.at_once < MOST_AT_ONCE, "time stands still at {next:?}: {}", self.text());
            self.now = self.now.max(next);
            self.happen();
        }
    }

    /// Whether what was read is what was written.
    pub(crate) fn check_bytes(&self) {
        for flow in self.ends.chunks(2) {
            flow[0].check_taken(&flow[1]);
            flow[1].check_taken(&flow[0]);
        }
    }

    /// The ends, for people.
    fn text(&self) -> String {
        let ends = self.ends.iter().map(|end| {
            let tasks: Vec<_> = end.tasks.iter().map(|task| (task.step(), task.moved)).collect();
            let connection = &end.connection;
            let [state, counters] =
                [format!("{:?}", connection.state()), format!("{:?}", connection.counters())];
            format!("\n{tasks:?} {state} {counters} {:?}", connection.failure())
        });
        ends.collect()
    }

    fn next_instant(&self) -> Option<Time> {
        let arrival = self.on_the_way.peek().map(|Reverse((at, _))| *at);
        let timers = (0..self.ends.len()).filter_map(|index| {
            let end = &self.ends[index];
            let timer = end.connection.next_timer().filter(|_| self.has_started(index));
            timer.into_iter().chain(end.wakes()).min()
        });
        let starts = self.flows.iter().map(|flow| flow.start).filter(|start| *start > self.now);
        arrival.into_iter().chain(timers).chain(starts).min()
    }

    fn has_started(&self, end: usize) -> bool {
        self.flows[end / 2].start <= self.now
    }

    /// What arrives comes first, then timers, then applications.
    fn happen(&mut self) {
        if let Some(Reverse((at, key))) = self.on_the_way.peek().copied()
            && at <= self.now
        {
            self.on_the_way.pop();
            let Carried { to, segment, payload } = self.carried.remove(&key).expect("it was put there");
            self.ends[to].receives(&segment, &payload, self.now);
            while self.is_eager && self.advance(to) {}
            self.pump(to);
            return;
        }
        for end in 0..self.ends.len() {
            let connection = &mut self.ends[end].connection;
            if connection.next_timer().is_some_and(|at| at <= self.now) {
                connection.expire(self.now);
            }
        }
        self.pump_all();
    }

    fn pump_all(&mut self) {
        for end in 0..self.ends.len() {
            self.pump(end);
        }
    }

    /// Lets an end do what it can: after whatever happens to the connection, what that makes it send
    /// leaves before the applications go on.
    fn pump(&mut self, end: usize) {
        if !self.has_started(end) {
            return;
        }
        self.drain(end);
        while self.advance(end) {
            self.drain(end);
        }
    }

    fn drain(&mut self, end: usize) {
        let mut sent = 0;
        while let Some(kind) = self.ends[end].connection.next_kind() {
            let next = self.ends[end].connection.next_segment(self.now);
            let segment = next.unwrap_or_else(|| panic!("{kind:?} was announced, nothing came"));
            let announced = if segment.length > 0 { Kind::Data(segment.length) } else { Kind::Bare };
            assert_eq!(kind, announced, "{segment:?}");
            self.send(end, segment);
            sent += 1;
            assert!(sent < MOST_AT_ONCE, "{segment:?} without end");
        }
    }

    /// Lets an application of an end make a call.
    fn advance(&mut self, end: usize) -> bool {
        let at = self.now;
        let trace = &mut self.trace;
        let mut note = |text| {
            if let Some(trace) = trace {
                trace.push(Row { at, end, what: What::Note(text) });
            }
        };
        self.ends[end].advance(at, &mut note)
    }

    fn send(&mut self, end: usize, mut segment: Segment) {
        let payload = self.ends[end].sends(&segment);
        let line = if end.is_multiple_of(2) { &mut self.there } else { &mut self.back[end / 2] };
        let fate = line.take(&mut segment, self.now);
        if let Some(trace) = &mut self.trace {
            let window = self.ends[end].offer(&segment, 0);
            trace.push(Row { at: self.now, end, what: What::Sent { segment, window, fate } });
        }
        let extra = self.flows[end / 2].extra;
        for at in fate.arrivals() {
            self.sequence += 1;
            self.on_the_way.push(Reverse((at + extra, self.sequence)));
            let carried = Carried { to: end ^ 1, segment, payload: payload.clone() };
            self.carried.insert(self.sequence, carried);
        }
    }
}
