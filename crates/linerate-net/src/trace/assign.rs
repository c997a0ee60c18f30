//! From what the programs saw of packets to the points of messages. Pure.

use linerate_core::stages::Marks;
use linerate_core::trace::{EndMarks, Point, Receiving, Sending};

use super::layout::{Event, Kind};
use super::tracer::Role;

/// What was seen while some rounds of messages of one size passed one end of a connection.
pub(super) struct Seen<'a> {
    /// The events in the order of time, by the clock of the marks.
    pub(super) events: &'a [Event],
    /// What the application noted of each round: when it called send and when it had the message.
    pub(super) rounds: &'a [Marks],
    /// Which end.
    pub(super) role: Role,
    /// The size of each message. Unit: bytes.
    pub(super) size: u64,
}

impl Seen<'_> {
    /// The marks of each round, as far as there are events of them.
    pub(super) fn marks(&self) -> Vec<EndMarks> {
        let [sent_from, came_from] = self.bases();
        let mark = |(nth, round): (usize, &Marks)| EndMarks {
            sent: self.sending(nth, round, sent_from),
            came: self.receiving(nth, round, came_from),
        };
        self.rounds.iter().enumerate().map(mark).collect()
    }

    /// The TCP numbers of the first byte of the first message that this end sent, and of the first that it took.
    /// Absent if no event tells.
    ///
    /// Each round gives one by the first event in its time, and the most frequent is taken: of a round whose event
    /// found no room, the next event gives a wrong one.
    pub(super) fn bases(&self) -> [Option<u32>; 2] {
        let size = self.size;
        let candidates = |kinds: &[Kind], window: &dyn Fn(usize) -> [u64; 2]| {
            let of_round = |nth: usize| {
                let first = self.within(window(nth)).find(|event| kinds.contains(&event.kind))?;
                Some(first.sequence.wrapping_sub(bytes_before(nth, size)))
            };
            most_frequent((0..self.rounds.len()).filter_map(of_round).collect())
        };
        [
            candidates(
                &[Kind::At(Point::Accepted), Kind::At(Point::Queued), Kind::At(Point::Driven)],
                &|nth| self.sent_within(nth),
            ),
            candidates(
                &[Kind::At(Point::Handed), Kind::At(Point::Arrived), Kind::At(Point::Segment)],
                &|nth| self.came_within(nth),
            ),
        ]
    }

    /// From the call of round `nth` to the next.
    fn sent_within(&self, nth: usize) -> [u64; 2] {
        [self.rounds[nth].sent, self.rounds.get(nth + 1).map_or(u64::MAX, |next| next.sent)]
    }

    /// From the moment at which the message could be on its way, to that at which the application had it.
    fn came_within(&self, nth: usize) -> [u64; 2] {
        let before = match self.role {
            Role::Initiator => self.rounds[nth].sent,
            Role::Responder => nth.checked_sub(1).map_or(0, |before| self.rounds[before].sent),
        };
        [before, self.rounds[nth].taken]
    }

    /// The events from the first moment to the second.
    fn within(&self, [from, to]: [u64; 2]) -> impl Iterator<Item = &Event> {
        let first = self.events.partition_point(|event| event.ns < from);
        self.events[first..].iter().take_while(move |event| event.ns <= to)
    }

    fn sending(&self, nth: usize, round: &Marks, base: Option<u32>) -> Sending {
        let called = Sending { call: round.sent, ..Sending::default() };
        let Some(base) = base else { return called };
        let (first, end) = (place(base, nth, self.size), place(base, nth + 1, self.size));
        let within = || self.within(self.sent_within(nth));
        let at = |kind: Kind, is_it: &dyn Fn(&Event) -> bool| {
            within().find(|event| event.kind == kind && is_it(event)).map(|event| event.ns)
        };
        let with_last = |event: &Event| holds(event, end.wrapping_sub(1));
        Sending {
            accepted: at(Kind::At(Point::Accepted), &|event| event.sequence == first),
            queued: at(Kind::At(Point::Queued), &with_last),
            driven: at(Kind::At(Point::Driven), &with_last),
            returned: at(Kind::Returned, &|event| reaches(event.sequence, end)),
            retransmitted: at(Kind::Retransmitted, &|_| true).is_some(),
            ..called
        }
    }

    fn receiving(&self, nth: usize, round: &Marks, base: Option<u32>) -> Receiving {
        let taken = Receiving { taken: round.taken, ..Receiving::default() };
        let Some(base) = base else { return taken };
        let end = place(base, nth + 1, self.size);
        let window = self.came_within(nth);
        let at = |from: u64, kind: Kind, is_it: &dyn Fn(&Event) -> bool| {
            self.within([from, window[1]])
                .find(|event| event.kind == kind && is_it(event))
                .map(|event| event.ns)
        };
        let with_last = |event: &Event| holds(event, end.wrapping_sub(1));
        let ready = at(window[0], Kind::At(Point::Ready), &|event| reaches(event.sequence, end));
        // The reader sleeps until then; one that did not is not woken.
        let woken = ready.and_then(|ready| at(ready, Kind::At(Point::Woken), &|_| true));
        Receiving {
            handed: at(window[0], Kind::At(Point::Handed), &with_last),
            arrived: at(window[0], Kind::At(Point::Arrived), &with_last),
            segment: at(window[0], Kind::At(Point::Segment), &with_last),
            ready,
            woken,
            running: woken.or(ready).and_then(|from| at(from, Kind::At(Point::Running), &|_| true)),
            ..taken
        }
    }
}

/// How many bytes the messages before number `nth` have, as TCP counts: modulo 2^32.
fn bytes_before(nth: usize, size: u64) -> u32 {
    (nth as u64).wrapping_mul(size) as u32
}

/// The TCP number of the first byte of message `nth`, if that of the first message has `base`.
fn place(base: u32, nth: usize, size: u64) -> u32 {
    base.wrapping_add(bytes_before(nth, size))
}

/// Whether the packet of `event` has this byte.
fn holds(event: &Event, byte: u32) -> bool {
    byte.wrapping_sub(event.sequence) < event.length
}

/// Whether a count of bytes has come to `end`. Source: RFC 9293, 3.4: numbers are compared modulo 2^32.
fn reaches(count: u32, end: u32) -> bool {
    count.wrapping_sub(end).cast_signed() >= 0
}

fn most_frequent(mut values: Vec<u32>) -> Option<u32> {
    values.sort_unstable();
    values.chunk_by(|one, other| one == other).max_by_key(|run| run.len()).map(|run| run[0])
}

#[cfg(test)]
mod tests;
