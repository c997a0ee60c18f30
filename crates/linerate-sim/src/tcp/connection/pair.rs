//! Two ends and a pipe of fixed delay between them, for tests.

use std::collections::{BTreeMap, BTreeSet};

use linerate_core::units::{Size, Span, Time};

use super::{Connection, State};
use crate::ip::Codepoint;
use crate::tcp::{Rules, Segment, Settings};

/// What a pipe does to a segment.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ill {
    Lost,
    Late(Span),
    Twice,
}

/// Two ends; the first connects.
pub(super) struct Pair {
    pub(super) ends: [Connection; 2],
    pub(super) now: Time,
    delay: Span,
    /// By arrival and order: to which end, and what.
    flight: BTreeMap<(Time, u64), (usize, Segment)>,
    count: u64,
    /// Which data segments of the first end are lost, counted from 0.
    pub(super) drop: BTreeSet<u64>,
    /// Which of them a queue marks, if they can be.
    pub(super) mark: BTreeSet<u64>,
    data: u64,
    /// Which segments of either end, counted from 0, are lost, come late, or come twice.
    pub(super) ill: BTreeMap<u64, Ill>,
    /// What each end sent, and when.
    pub(super) log: Vec<(Time, usize, Segment)>,
    /// Whether each end's application reads what comes.
    pub(super) reads: [bool; 2],
    /// What each end still has to write.
    pub(super) to_write: [u64; 2],
}

pub(super) fn settings(name: &str, mtu: u32) -> Settings {
    Settings {
        rules: Rules::find(name).expect("it is shipped"),
        mtu,
        mss: None,
        receive_buffer: None,
        send_buffer: None,
        nodelay: true,
    }
}

pub(super) fn asked(mut settings: Settings, bytes: u64) -> Settings {
    settings.receive_buffer = Some(Size(bytes));
    settings.send_buffer = Some(Size(bytes));
    settings
}

impl Pair {
    /// Two ends that have shaken hands.
    pub(super) fn open(settings: &Settings, delay: Span) -> Self {
        let mut pair = Self::new([settings, settings], delay);
        pair.run(|pair| pair.ends.iter().all(|end| end.state() == State::Established));
        pair
    }

    pub(super) fn new([first, second]: [&Settings; 2], delay: Span) -> Self {
        Self {
            ends: [Connection::connect(first.clone()), Connection::listen(second.clone())],
            now: Time::ZERO,
            delay,
            flight: BTreeMap::new(),
            count: 0,
            drop: BTreeSet::new(),
            mark: BTreeSet::new(),
            data: 0,
            ill: BTreeMap::new(),
            log: Vec::new(),
            reads: [true; 2],
            to_write: [0; 2],
        }
    }

    /// Goes on until `done`, or nothing happens any more.
    pub(super) fn run(&mut self, done: impl Fn(&Self) -> bool) {
        for _ in 0..3_000_000 {
            self.pull();
            if done(self) || !self.step() {
                return;
            }
        }
        panic!("it goes on and on");
    }

    /// Applications act, and what can be sent is sent.
    fn pull(&mut self) {
        for index in [0, 1] {
            let end = &mut self.ends[index];
            let readable = end.readable();
            if self.reads[index] && readable > 0 {
                end.read(readable);
                end.read_done();
            }
            let bytes = self.to_write[index].min(end.writable());
            if bytes > 0 && end.state() != State::SynSent {
                end.write(bytes, self.to_write[index] > bytes, self.now);
                self.to_write[index] -= bytes;
            }
            while let Some(kind) = self.ends[index].next_kind() {
                let segment = self.ends[index].next_segment(self.now).expect("it has one");
                let length = match kind {
                    super::Kind::Data(length) => length,
                    super::Kind::Bare => 0,
                };
                assert_eq!(segment.length, length, "it sends what it says");
                self.send(index, segment);
            }
        }
    }

    fn send(&mut self, index: usize, mut segment: Segment) {
        self.log.push((self.now, index, segment));
        if index == 0 && segment.length > 0 {
            let number = self.data;
            self.data += 1;
            if self.mark.remove(&number) && segment.ecn == Codepoint::Capable {
                segment.ecn = Codepoint::Experienced;
            }
            if self.drop.remove(&number) {
                return;
            }
        }
        let when = match self.ill.remove(&(self.log.len() as u64 - 1)) {
            Some(Ill::Lost) => return,
            Some(Ill::Late(more)) => self.now + self.delay + more,
            Some(Ill::Twice) => {
                self.fly(self.now + self.delay * 2, 1 - index, segment);
                self.now + self.delay
            }
            None => self.now + self.delay,
        };
        self.fly(when, 1 - index, segment);
    }

    fn fly(&mut self, when: Time, index: usize, segment: Segment) {
        self.count += 1;
        self.flight.insert((when, self.count), (index, segment));
    }

    fn step(&mut self) -> bool {
        let timer = self.ends.iter().filter_map(Connection::next_timer).min();
        let arrival = self.flight.first_key_value().map(|(&(when, _), _)| when);
        match (arrival, timer) {
            (Some(arrival), timer) if timer.is_none_or(|timer| arrival <= timer) => {
                let (_, (index, segment)) = self.flight.pop_first().expect("it is there");
                self.now = arrival;
                let charge = segment.length + 104;
                self.ends[index].arrived(&segment, charge, arrival);
            }
            (_, Some(timer)) => {
                self.now = timer;
                for end in &mut self.ends {
                    if end.next_timer().is_some_and(|when| when <= timer) {
                        end.expire(timer);
                    }
                }
            }
            _ => return false,
        }
        true
    }

    /// The first end writes `bytes`; gives how long it takes until the other took them all.
    pub(super) fn transfer(&mut self, bytes: u64) -> Span {
        let begin = self.now;
        let before = self.ends[1].queue.expected();
        self.to_write[0] += bytes;
        self.run(|pair| pair.ends[1].queue.expected() >= before + bytes && pair.ends[1].readable() == 0);
        assert_eq!(self.ends[1].queue.expected(), before + bytes, "all of it arrived");
        self.now.since(begin)
    }

    /// The largest distance between what the first end sent and what it knows to be acknowledged.
    pub(super) fn most_in_flight(&self) -> u64 {
        let (mut acknowledged, mut most) = (0, 0);
        for (_, index, segment) in &self.log {
            if *index == 1 {
                acknowledged = acknowledged.max(segment.acknowledgement);
            } else {
                most = most.max(segment.end() - acknowledged.min(segment.end()));
            }
        }
        most
    }
}
