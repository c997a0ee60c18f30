//! The server's end of a load.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

use linerate_core::kernel::{HostSample, TcpSample};
use linerate_core::traffic::{Direction, FlowRecord, Interval, Kept, Load};
use linerate_core::units::Span;

use super::client::Client;
use super::requests::WAITING;
use super::session::{Channels, Refusal, Session};
use crate::control::{Ask, PACKED_SINCE, REPORT, Reply, Side, encode};
use crate::flow::{Answered, Counter, PATIENCE};
use crate::observe::{HostClock, is_free};
use crate::traffic::{Carried, FlowReport, FlowSet, bulk, channels, patience};

/// The number of an account's intervals or samples that always fit into one message.
const CHUNK: usize = 50;
/// What is sent at once, if it is not one message: less than a second on a path of 64 kb/s when it is packed. Unit: bytes
/// of JSON.
const TOGETHER: usize = 16 << 10;
/// Samples of all TCP connections that receive together: of one as many as there are looks.
const SAMPLES: usize = 256;
/// Of each at least so many.
const LEAST_SAMPLES: usize = 8;
/// How many flows one such message is about: it always fits.
const REPORTED: usize = 2048;
/// How often reports come at most,
const OFTEN: Span = Span::from_ms(125);
/// how many of one load at this pace, so that they do not fill the client's memory,
const MOST_REPORTS: u64 = 4_800;
/// and which part of what was moved they may take, with the headers of each. Unit of the headers: bytes.
const REPORTED_PART: u64 = 64;
const HEADERS: u64 = 100;
/// How long after the time that it is about a report is due.
const LAG: Span = Span::from_ms(5);
/// How many loads one conversation may have.
const MOST_LOADS: u32 = 1000;

impl Session<'_> {
    /// Takes part in one load, from its channels to its accounts. With a client that loads this server `alone` it starts when the
    /// channels are open; other clients are told first, and then say so.
    pub(super) fn load(&mut self, load: &Load, alone: bool) -> Result<(), Refusal> {
        self.loads += 1;
        if self.loads > MOST_LOADS {
            return Err(Refusal::Told(format!("more than {MOST_LOADS} loads in one conversation")));
        }
        if self.loads > 1 {
            // The client waits for its channels, so it is not seen.
            self.free = is_free(self.plan.common.remote.pin);
        }
        let longest = self.server.limits.check_load(load, self.plan, self.largest).map_err(Refusal::Told)?;
        if let Some(rr) = &load.rr {
            rr.check_on(self.plan.common.transport).map_err(|error| Refusal::Told(error.to_string()))?;
        }
        // The trials' watch ends here; a load has its own, which may be longer.
        self.envelope.next_part(longest)?;
        let anew = load.rr.as_ref().is_some_and(|rr| rr.connect);
        let waiting = if anew { WAITING } else { 0 };
        let round_trip = self.client.round_trip();
        let patience = patience(load, self.plan, round_trip);
        let Channels { mut lines, more, granted } =
            self.channels_and_more(&load.socket, patience, channels(load), waiting)?;
        let ready = Reply::Ready(granted);
        // Two words would not do: TCP may hold the second one back, and bulk overtake it.
        let starts = if alone {
            ready
        } else {
            self.say(&ready)?;
            Reply::Go
        };
        self.await_start()?;
        self.reflector = None;
        self.say(&starts)?;
        let ends = bulk(load, &mut lines, Side::Answering);
        let counters: Arc<[Counter]> = ends.iter().map(|_| Counter::default()).collect();
        let stop = AtomicBool::new(false);
        let flow_set = self.flow_set(load, round_trip, &stop);
        let (client, clock) = (self.client, self.server.clock);
        let (carried, answered) = std::thread::scope(|scope| {
            let (end, ended) = channel();
            let counted = Arc::clone(&counters);
            if !counted.is_empty() {
                let interval = load.stream.as_ref().map(|stream| stream.interval);
                let every = reported_every(interval, OFTEN.max(round_trip / 2).max(load.time / MOST_REPORTS));
                scope.spawn(move || report(client, clock, every, &counted, &ended));
            }
            let carry = || flow_set.map_or_else(Carried::default, |flows| flows.run(ends, &counters, None));
            let bulk = scope.spawn(carry);
            let answered = self.answer(load, lines, more);
            let carried = bulk.join().unwrap_or_default();
            // Nothing is ever sent: dropping the sender is the message.
            drop::<Sender<()>>(end);
            (carried, answered)
        });
        let Carried { reports: told, mut host } = carried;
        let (answered, looks) = answered?;
        host.extend(looks);
        for one in &told {
            self.observer.saw(&one.tally(one.direction == Direction::Receive), one.processor);
        }
        self.tell(load, told, &answered, &host)
    }

    fn flow_set<'b>(&'b self, load: &'b Load, round_trip: Span, stop: &'b AtomicBool) -> Option<FlowSet<'b>> {
        let stream = load.stream.as_ref()?;
        Some(FlowSet {
            clock: self.server.clock,
            plan: stream,
            memory: &self.plan.common.memory,
            time: load.time,
            round_trip,
            datagrams: self.plan.common.transport.is_datagram(),
            beside_requests: load.rr.is_some(),
            side: Side::Answering,
            first_cpu: self.plan.common.remote.pin,
            free: self.free,
            shares_threads: load.socket.io.returns_at_once() && load.socket.receives().returns_at_once(),
            link: self.observer.link().clone(),
            stop,
        })
    }

    fn await_start(&self) -> Result<(), Refusal> {
        match self.next_ask()? {
            Ask::Start => Ok(()),
            _ => Err(Refusal::Told("a load is started when its channels stand".to_owned())),
        }
    }

    fn next_ask(&self) -> Result<Ask, Refusal> {
        // A peer whose own flows stall is silent until it has given them up.
        let patience = self.server.limits.idle + PATIENCE.to_duration();
        self.client.hear(patience)
    }

    /// Sends the account of every flow, what was answered, the intervals of as many flows as a chart can show, what
    /// the host did, and then the details, in pieces that fit the messages: on a slow path these may come too late.
    fn tell(
        &mut self,
        load: &Load,
        told: Vec<FlowReport>,
        answered: &[Answered],
        host: &[HostSample],
    ) -> Result<(), Refusal> {
        if let Some(rr) = &load.rr {
            self.saw_answered(rr, answered);
        }
        let most = (SAMPLES / told.len().max(1)).max(LEAST_SAMPLES) & !1;
        let (mut replies, mut courses, mut details) = (Vec::new(), Vec::new(), Vec::new());
        for (place, FlowReport { flow, direction, mut half, .. }) in told.into_iter().enumerate() {
            let more = |intervals: &[Interval], looks: &[Interval], samples: &[TcpSample]| {
                let (intervals, looks, samples) = (intervals.to_vec(), looks.to_vec(), samples.to_vec());
                Reply::More { flow, direction, intervals, looks, samples }
            };
            let intervals = std::mem::take(&mut half.intervals);
            let course = if place < FlowRecord::MOST_FINE { &mut courses } else { &mut details };
            course.extend(intervals.chunks(CHUNK).map(|chunk| more(chunk, &[], &[])));
            if self.client.version() >= PACKED_SINCE {
                let looks = std::mem::take(&mut half.looks);
                details.extend(looks.chunks(CHUNK).map(|chunk| more(&[], chunk, &[])));
            }
            let mut tcp = std::mem::take(&mut half.tcp);
            // Of an end that receives, only how often its buffer was full is asked.
            if direction == Direction::Send {
                tcp = thinned(&tcp, most);
            }
            details.extend(tcp.chunks(CHUNK).map(|chunk| more(&[], &[], chunk)));
            replies.push(Reply::Flow { flow, direction, half: Box::new(half) });
        }
        let answers = answered.iter().map(|&Answered { flow, transactions, bytes, effort }| {
            Reply::Answered { flow, transactions, bytes, effort: effort.map(Box::new) }
        });
        replies.extend(answers.chain(courses));
        replies.extend(host.chunks(CHUNK).map(|samples| Reply::Hosts(samples.to_vec())));
        replies.extend(details);
        self.say_all(replies)?;
        self.say(&Reply::Told)
    }

    /// Sends `replies` in their order, several at once to a client that can read that.
    fn say_all(&self, replies: Vec<Reply>) -> Result<(), Refusal> {
        let mut several: Vec<Reply> = Vec::new();
        let mut length = 0;
        let say = |several: &mut Vec<Reply>| match several.len() {
            0 => Ok(()),
            1 => self.say(&several.remove(0)),
            _ => self.say(&Reply::Several(std::mem::take(several))),
        };
        for reply in replies {
            let more = encode(&reply)?.len();
            if length + more > TOGETHER || self.client.version() < PACKED_SINCE {
                say(&mut several)?;
                length = 0;
            }
            length += more;
            several.push(reply);
        }
        say(&mut several)
    }
}

/// At most so many of `samples`: neighbours are joined.
fn thinned(samples: &[TcpSample], most: usize) -> Vec<TcpSample> {
    let mut kept = Kept::new(most);
    samples.iter().for_each(|sample| kept.push(sample));
    kept.into_entries()
}

/// At most `often` and [`REPORT`], and a whole number of the client's intervals or a part of one: what it shows of an
/// interval is then what was reported at its end.
fn reported_every(interval: Option<Span>, often: Span) -> Span {
    let often = often.min(Span::from(REPORT)).as_ps();
    Span::from_ps(match interval.unwrap_or_default().as_ps() {
        0 => often,
        short if short <= often => often / short * short,
        long => long / long.div_ceil(often),
    })
}

/// Tells the client what the flows have moved here, and at last when the load has `ended`: if this end is lost or its
/// account comes too late, that is what is known of it. A report that would cost too large a part of what was moved waits
/// for the next one, up to a second. A client that has gone is noticed elsewhere.
fn report(client: Client<'_>, clock: HostClock, every: Span, counters: &[Counter], ended: &Receiver<()>) {
    let began = clock.now();
    let (mut before, mut reported) = (vec![0; counters.len()], Span::ZERO);
    // Each a little after the client's interval, which may end late.
    let mut due = (1..).map(|nth| began + every * nth + LAG);
    loop {
        let now = clock.now();
        let left = due.find(|due| *due > now).map_or(every, |due| due.since(now));
        let over = ended.recv_timeout(left.to_duration()) == Err(RecvTimeoutError::Disconnected);
        let totals: Vec<u64> = counters.iter().map(Counter::load).collect();
        let until = clock.now().since(began);
        let grown: Vec<u64> = totals.iter().zip(&before).map(|(now, then)| now - then).collect();
        let looks = (0..).step_by(REPORTED).zip(grown.chunks(REPORTED));
        let looks: Vec<Reply> =
            looks.map(|(first, bytes)| Reply::Look { until, first, bytes: bytes.to_vec(), over }).collect();
        let cost = looks
            .iter()
            .map(|look| encode(look).map_or(0, |frame| frame.len() as u64) + HEADERS)
            .sum::<u64>();
        let dear = cost * REPORTED_PART > grown.iter().sum();
        if dear && !over && until + every / 2 <= reported + Span::from(REPORT) {
            continue;
        }
        (before, reported) = (totals, until);
        if looks.iter().any(|look| client.say_within(look, REPORT).is_err()) || over {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn reports_meet_the_clients_intervals_and_come_as_often_as_asked(
            ms in 1..100_000_u64,
            often in 1..10_000_u64,
        ) {
            let every = reported_every(Some(Span::from_ms(ms)), Span::from_ms(often)).as_ps();
            let [longer, shorter] = [every.max(ms * 1_000_000_000), every.min(ms * 1_000_000_000)];
            // Where an interval is no whole number of picoseconds' parts, less than one is lost in each.
            prop_assert!(longer % shorter <= longer / shorter, "{every} ps for {ms} ms");
            let most = Span::from_ms(often.min(1_000)).as_ps();
            prop_assert!((most / 2..=most).contains(&every), "{every} ps for {ms} ms");
        }
    }
}
