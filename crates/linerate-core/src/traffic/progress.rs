//! What passed at one end of a bulk flow, and when.

use super::{Bound, HalfAccount, Pace, StreamPlan};
use crate::units::{Span, Time};

/// How long a flow may move no byte before it is given up: longer than TCP needs to retransmit
/// after 15 seconds without a path (RFC 6298 doubles its timer each time).
pub const PATIENCE: Span = Span::from_ms(45_000);

/// What passed at one end of a bulk flow, and when.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    origin: Time,
    warm_up: Span,
    first: Option<Time>,
    last: Option<Time>,
    bytes: u64,
    messages: u64,
    warm: Option<Warm>,
    /// Bytes that waited in the socket when this end began.
    backlog: u64,
    silence: Span,
    /// How long a paced flow lasts after its warm-up, if time ends it.
    lasting: Option<Span>,
    /// Whether all has come that was sent.
    whole: bool,
}

/// The first arrival after the warm-up.
#[derive(Clone, Copy, Debug)]
struct Warm {
    at: Time,
    /// Bytes until then, without and with it.
    before: u64,
    bytes: u64,
}

impl Progress {
    /// Nothing yet, of a load that began at `origin` at this end. The rate leaves out the time
    /// `warm_up` after the first byte.
    #[must_use]
    pub const fn new(origin: Time, warm_up: Span) -> Self {
        Self {
            origin,
            warm_up,
            first: None,
            last: None,
            bytes: 0,
            messages: 0,
            warm: None,
            backlog: 0,
            silence: Span::ZERO,
            lasting: None,
            whole: false,
        }
    }

    /// Nothing yet of a flow of `stream`, in a load that began at `origin` and lasts for `time`.
    #[must_use]
    pub fn of(stream: &StreamPlan, time: Span, origin: Time) -> Self {
        let lasting = (stream.lasts() && stream.rate.is_some()).then_some(time);
        Self { lasting, ..Self::new(origin, stream.warm_up) }
    }

    /// An end that began to receive when so many bytes waited in its socket already. They came before, and would make the
    /// rate that of memory: its time begins when they are read. A pace counts them, for they are part of it.
    #[must_use]
    pub const fn behind(mut self, backlog: u64) -> Self {
        if self.lasting.is_none() {
            self.backlog = backlog;
        }
        self
    }

    /// Notes that a sender begins to hand over its first bytes.
    #[inline]
    pub fn begin(&mut self, now: Time) {
        self.first.get_or_insert(now);
        self.last.get_or_insert(now);
    }

    /// Whether the flow has begun.
    #[inline]
    #[must_use]
    pub const fn has_begun(&self) -> bool {
        self.first.is_some()
    }

    /// Notes that `bytes` passed by `now`, and with them the last of so many `messages`; whether the warm-up ended
    /// with them.
    #[inline]
    pub fn moved(&mut self, messages: u64, bytes: u64, now: Time) -> bool {
        match self.last {
            None => self.first = Some(now),
            Some(last) => self.silence = self.silence.max(now.since(last)),
        }
        self.last = Some(now);
        let before = self.bytes;
        self.bytes += bytes;
        self.messages += messages;
        let warm = self.warm.is_none()
            && self.bytes >= self.backlog
            && self.first.is_some_and(|first| now.since(first) >= self.warm_up);
        if warm {
            self.warm = Some(Warm { at: now, before, bytes: self.bytes });
        }
        warm && self.warm_up > Span::ZERO
    }

    /// Notes that nothing more comes, and whether that is the `whole` of what was sent.
    pub fn end(&mut self, whole: bool, now: Time) {
        self.whole = whole;
        self.silence = self.silence.max(now.since(self.still_since()));
    }

    /// Bytes that have passed.
    #[inline]
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Messages that have passed whole.
    #[must_use]
    pub const fn messages(&self) -> u64 {
        self.messages
    }

    /// The moment since which nothing moves.
    #[must_use]
    pub fn still_since(&self) -> Time {
        self.last.unwrap_or(self.origin)
    }

    /// The account of it, but for what only its owner knows.
    #[must_use]
    pub fn account(&self) -> HalfAccount {
        let since = |time: Time| time.since(self.origin);
        let account = HalfAccount {
            bytes: self.bytes,
            messages: self.messages,
            first: self.first.map(since),
            last: self.last.map(since),
            warm: self.warm.map(|warm| (since(warm.at), warm.bytes)),
            silence: self.silence,
            ..HalfAccount::default()
        };
        // A message of a paced flow may arrive within microseconds, and the next one is due much later:
        // between arrivals such a flow is as fast as its bursts, and over its time as fast as its pace.
        let account = match self.window() {
            Some((begins, before, ends)) => {
                HalfAccount { warm: Some((since(begins), before)), until: Some(since(ends)), ..account }
            }
            None => account,
        };
        let warm_up = account.warm.filter(|_| self.warm_up > Span::ZERO).map_or(0, |(_, bytes)| bytes);
        HalfAccount { warm_up, ..account }
    }

    /// The time of a paced flow that kept its pace, and how much had passed when it began: more comes after its
    /// time only if the path is slower.
    fn window(&self) -> Option<(Time, u64, Time)> {
        let begins = self.first? + self.warm_up;
        let ends = begins + self.lasting?;
        (self.whole && self.last? <= ends).then_some((begins, self.warm?.before, ends))
    }
}

/// What passed at the end that sends, and what ends it.
#[derive(Debug)]
pub struct SendProgress {
    /// What has passed.
    pub progress: Progress,
    /// When the next message is due. If absent, as soon as there is room for it.
    pub pace: Option<Pace>,
    bound: Bound,
    acknowledged: Option<Time>,
}

impl SendProgress {
    /// Nothing yet of a flow that `bound` ends.
    #[must_use]
    pub const fn new(progress: Progress, bound: Bound, pace: Option<Pace>) -> Self {
        Self { progress, pace, bound, acknowledged: None }
    }

    /// A flow of `stream` with messages of so many bytes, in a load that began at `origin` and lasts
    /// for `time`.
    #[must_use]
    pub fn of(stream: &StreamPlan, time: Span, message: u64, origin: Time) -> Self {
        let progress = Progress::new(origin, stream.warm_up);
        Self::new(progress, stream.bound(time), Pace::of(stream, message))
    }

    /// Whether its bound is reached.
    #[inline]
    #[must_use]
    pub fn is_over(&self) -> bool {
        match self.bound {
            Bound::Bytes(bytes) => self.progress.bytes >= bytes,
            Bound::Count(count) => self.progress.messages >= count,
            Bound::Time(_) => self.ends_at().is_some_and(|end| self.progress.last >= Some(end)),
        }
    }

    /// When a flow that is bounded in time ends, once it has begun.
    #[inline]
    #[must_use]
    pub fn ends_at(&self) -> Option<Time> {
        match self.bound {
            Bound::Time(span) => Some(self.progress.first? + span),
            Bound::Bytes(_) | Bound::Count(_) => None,
        }
    }

    /// How many messages its pace allows at `now`, at most `most`.
    #[inline]
    #[must_use]
    pub fn due_by(&self, now: Time, most: usize) -> usize {
        self.pace.as_ref().map_or(most, |pace| pace.due_by(now, most))
    }

    /// Notes that `messages` departed at `now`.
    #[inline]
    pub fn departed(&mut self, now: Time, messages: u64) {
        if let Some(pace) = &mut self.pace {
            pace.departed(now, messages);
        }
    }

    /// When its pace allows the next message, or its time is over, if that is later than `now`.
    #[inline]
    #[must_use]
    pub fn held_until(&self, now: Time) -> Option<Time> {
        let due = self.pace.as_ref()?.due()?;
        let until = self.ends_at().map_or(due, |end| end.min(due));
        (until > now).then_some(until)
    }

    /// Whether its bound is reached at `now`. A paced flow lasts until its time is over, though its last message
    /// left before.
    #[inline]
    #[must_use]
    pub fn is_over_at(&self, now: Time) -> bool {
        self.is_over() || self.ends_at().is_some_and(|end| end <= now)
    }

    /// How long the next message is, of so many bytes each: the last one before a bound in bytes may
    /// be shorter.
    #[inline]
    #[must_use]
    pub fn next_length(&self, message: u64) -> u64 {
        match self.bound {
            Bound::Bytes(bytes) => message.min(bytes - self.progress.bytes),
            Bound::Time(_) | Bound::Count(_) => message,
        }
    }

    /// How many whole messages of so many bytes may still depart.
    #[must_use]
    pub fn whole_messages(&self, message: u64) -> u64 {
        match self.bound {
            Bound::Time(_) => u64::MAX,
            Bound::Bytes(bytes) => bytes.saturating_sub(self.progress.bytes) / message.max(1),
            Bound::Count(count) => count.saturating_sub(self.progress.messages),
        }
    }

    /// Notes that the receiver has read everything and said so.
    pub fn acknowledge(&mut self, now: Time) {
        let progress = &mut self.progress;
        progress.silence = progress.silence.max(now.since(progress.last.unwrap_or(now)));
        self.acknowledged = Some(now);
    }

    /// Whether the receiver has read everything.
    #[must_use]
    pub const fn is_acknowledged(&self) -> bool {
        self.acknowledged.is_some()
    }

    /// The account of it, but for what only its owner knows.
    #[must_use]
    pub fn account(self) -> HalfAccount {
        let account = self.progress.account();
        let acknowledged = self.acknowledged.map(|time| time.since(self.progress.origin));
        HalfAccount {
            last: acknowledged.or(account.last),
            departures: self.pace.map(Pace::into_departures),
            ..account
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64;

    use super::*;
    use crate::units::{Rate, Size};

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn paced(kbps: f64) -> StreamPlan {
        StreamPlan { rate: Some(Rate::from_bits_per_second(kbps * 1e3)), ..StreamPlan::default() }
    }

    /// The rate of a flow of half a second whose messages of 1,250 B arrive then, and that ends at 500 ms. Unit: kb/s.
    fn rate(whole: bool, arrivals: &[u64]) -> Option<f64> {
        let mut progress = Progress::of(&paced(100.0), Span::from_ms(500), at(0));
        for ms in arrivals {
            // In two pieces, the second of which comes at once.
            progress.moved(0, 1_000, at(*ms));
            progress.moved(1, 250, at(*ms) + Span::from_us(1));
        }
        progress.end(whole, at(500));
        progress.account().rate().map(|rate| (rate.as_mbps() * 1e6).round() / 1e3)
    }

    #[test]
    fn a_paced_flow_has_the_rate_of_its_time_and_a_slower_path_that_of_its_arrivals() {
        assert_eq!(rate(true, &[0, 100, 200, 300, 400]), Some(100.0));
        assert_eq!(rate(true, &[0]), Some(20.0), "one message in half a second, and not in a microsecond");
        // The last comes when the time is over: 1,250 B and the rest of the first in 300 ms each.
        let slow = rate(true, &[0, 300, 600]).expect("it moved");
        assert!((slow - 36.7).abs() < 0.1, "{slow}");
        let broken = rate(false, &[0, 100, 200]).expect("it moved");
        assert!((broken - 110.0).abs() < 0.1, "nobody knows what would have come: {broken}");
    }

    #[test]
    fn what_waited_before_an_end_began_is_in_no_rate() {
        let mut random = Pcg64::seed_from_u64(3);
        for _ in 0..500 {
            // A line of 8 kb/s, of which the receiver reads at most so much at once, beginning late.
            let (late, read) = (random.random_range(0..5_000), random.random_range(1..3_000));
            let mut progress = Progress::new(at(late), Span::ZERO).behind(late);
            let mut unread = late;
            for ms in late..late + 10_000 {
                unread += 1;
                while unread >= read || (unread > 0 && progress.bytes() < late) {
                    let bytes = unread.min(read);
                    progress.moved(1, bytes, at(ms));
                    unread -= bytes;
                }
            }
            let rate = progress.account().rate().expect("it moved").bits_per_second();
            assert!((rate / 8_000.0 - 1.0).abs() < 2e-3, "{rate}, {late} ms late, {read} B at once");
            assert_eq!(progress.bytes() + unread, late + 10_000, "and in the sum");
        }
        let paced = Progress::of(&paced(100.0), Span::from_ms(500), at(0));
        assert_eq!(paced.behind(7).backlog, 0);
    }

    #[test]
    fn a_paced_sender_lasts_for_its_time_though_no_more_is_due() {
        let plan = StreamPlan { message: Some(Size(12_500)), ..paced(100.0) };
        let mut sent = SendProgress::of(&plan, Span::from_ms(1_500), 12_500, at(0));
        sent.departed(at(0), 1);
        sent.progress.begin(at(0));
        sent.progress.moved(1, 12_500, at(1));
        assert_eq!(sent.held_until(at(1)), Some(at(1_000)), "the next one is due");
        sent.departed(at(1_000), 1);
        assert_eq!(sent.held_until(at(1_001)), Some(at(1_500)), "the time is over before the third is due");
        assert!(!sent.is_over_at(at(1_499)) && sent.is_over_at(at(1_500)));
    }
}
