//! One thread that samples every flow of a load at intervals.

mod looks;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;

use linerate_core::kernel::{HostSample, TcpSample};
use linerate_core::units::{Span, Time};

use crate::channel::ChannelHandle;
use crate::flow::Counter;
use crate::observe::{HostClock, HostWatch};
use looks::Record;
pub use looks::{FlowLooks, Looks};

/// Samples closer together than this would measure themselves.
const LEAST_INTERVAL: Span = Span::from_ms(1);

/// The flows of one end, as the sampler sees them.
#[derive(Debug)]
pub struct Watched {
    /// What each flow's thread counts.
    pub counters: Arc<[Counter]>,
    /// Each flow's channel, in the same order.
    pub remotes: Vec<Box<dyn ChannelHandle>>,
}

/// One sample: what every flow had moved at one moment, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// When, since the load began at this end; the interval is the host's `span`.
    pub until: Span,
    /// Payload of each flow since the look before, as its thread counted. Unit: bytes.
    pub bytes: &'a [u64],
    /// The same as it has reached the other end: of what is sent over TCP only what was
    /// acknowledged. A call returns when the bytes are in the send buffer. Unit: bytes.
    pub arrived: &'a [u64],
    /// What TCP says, where it carries the flow; only of the first flows
    /// ([`Looks::MOST_TCP_FLOWS`]).
    pub tcp: &'a [Option<TcpSample>],
    /// What the host did since the look before.
    pub host: &'a HostSample,
}

impl From<&Look<'_>> for linerate_core::carrier::Look {
    fn from(look: &Look<'_>) -> Self {
        let Look { until, arrived, tcp, host, .. } = *look;
        Self { until, span: host.span, bytes: arrived.to_vec(), tcp: tcp.to_vec() }
    }
}

/// Called for every sample, on the sampler's thread.
pub type OnLook = Box<dyn FnMut(&Look<'_>) + Send>;

/// Samples the flows of one end, from [`start`](Self::start) to [`finish`](Self::finish).
///
/// It only reads: a flow's counter is a plain store in its own cache line, and what TCP says comes
/// from a second descriptor of its socket. A sampler that is dropped ends too.
#[derive(Debug)]
pub struct Sampler {
    thread: JoinHandle<Looks>,
    /// Nothing is ever sent: dropping the sender is the message.
    end: Sender<()>,
}

impl Sampler {
    /// Starts to sample `flows` at whole multiples of `interval` after `origin`. A late sample does
    /// not shift the others, and a missed one is left out. Intervals are at least 1 ms.
    ///
    /// `origin` is the moment on `clock` at which the load began at this end. `on_look` receives
    /// every sample, whatever is kept of it; while it runs, no sample is taken.
    ///
    /// # Errors
    ///
    /// When the system gives no thread.
    pub fn start(
        clock: HostClock,
        origin: Time,
        interval: Span,
        flows: Watched,
        on_look: Option<OnLook>,
    ) -> io::Result<Self> {
        let (end, ended) = channel();
        let count = flows.counters.len();
        // What introduced a connection is acknowledged too.
        let remotes = flows.remotes.iter().take(Looks::MOST_TCP_FLOWS);
        let acknowledged = |sample: Option<TcpSample>| sample.map_or(0, |sample| sample.acknowledged);
        let introduced = remotes.map(|remote| acknowledged(remote.tcp())).collect();
        let [counted, arrived] = [Totals(vec![0; count]), Totals(vec![0; count])];
        let record = Record::of(count);
        let host = HostWatch::start(clock.now().max(origin));
        let mut watch = Watch { clock, origin, flows, host, introduced, counted, arrived, record, on_look };
        let interval = interval.max(LEAST_INTERVAL);
        let thread = std::thread::Builder::new().name("sampler".to_owned()).spawn(move || {
            while wait(&clock, next_look(origin, clock.now(), interval), &ended) {
                watch.look(false);
            }
            watch.look(true);
            watch.record.into_looks()
        })?;
        Ok(Self { thread, end })
    }

    /// Takes a last sample and returns everything. Call it when the flows have ended and before
    /// their channels are closed, so that the last look has everything.
    ///
    /// # Panics
    ///
    /// As the function that is told of every look did.
    #[must_use]
    pub fn finish(self) -> Looks {
        drop(self.end);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// When to look next: the first whole number of intervals after `origin` that is still to come.
fn next_look(origin: Time, now: Time, interval: Span) -> Time {
    let passed = now.since(origin).as_ps() / interval.as_ps();
    origin + interval * (passed + 1)
}

/// Waits until `due`; false if the end came before.
fn wait(clock: &HostClock, due: Time, ended: &Receiver<()>) -> bool {
    loop {
        let left = due.since(clock.now());
        if left == Span::ZERO {
            return true;
        }
        // Rounded up, so that the last nanosecond is no loop; the clocks may differ besides.
        let patience = (left + Span::from_ns(1)).to_duration();
        if ended.recv_timeout(patience) == Err(RecvTimeoutError::Disconnected) {
            return false;
        }
    }
}

/// What the sampler's thread has.
struct Watch {
    clock: HostClock,
    origin: Time,
    flows: Watched,
    host: HostWatch,
    /// What each connection had delivered before the load. Unit: bytes.
    introduced: Vec<u64>,
    counted: Totals,
    arrived: Totals,
    record: Record,
    on_look: Option<OnLook>,
}

impl Watch {
    /// Takes a sample; at the `last` one the flows have ended, and all that they sent has arrived.
    fn look(&mut self, last: bool) {
        let totals: Vec<u64> = self.flows.counters.iter().map(Counter::load).collect();
        let at = self.clock.now();
        let until = at.since(self.origin);
        let now = || self.clock.now().since(self.origin);
        let remotes = self.flows.remotes.iter().take(Looks::MOST_TCP_FLOWS);
        let tcp = remotes.map(|remote| Some(TcpSample { at: now(), ..remote.tcp()? }));
        let tcp: Vec<Option<TcpSample>> = tcp.collect();
        let host = self.host.look(at, until);
        let arrived = if last { totals.clone() } else { arrived(&totals, &tcp, &self.introduced) };
        let arrived = self.arrived.grown(&arrived);
        let bytes = self.counted.grown(&totals);
        let look = Look { until, bytes: &bytes, arrived: &arrived, tcp: &tcp, host: &host };
        self.record.keep(&look);
        if let Some(tell) = &mut self.on_look {
            tell(&look);
        }
    }
}

/// What has reached the other end of each flow, whose threads counted so much, on connections that
/// had delivered so much before. Unit: bytes.
fn arrived(totals: &[u64], tcp: &[Option<TcpSample>], introduced: &[u64]) -> Vec<u64> {
    let delivered = tcp.iter().zip(introduced).map(|(tcp, introduced)| {
        let tcp = tcp.as_ref().filter(|tcp| tcp.sends())?;
        Some(tcp.acknowledged.saturating_sub(*introduced))
    });
    let of = |(total, delivered): (&u64, Option<u64>)| match delivered {
        // The end of the stream counts as a byte.
        Some(delivered) if delivered != total + 1 => delivered,
        _ => *total,
    };
    totals.iter().zip(delivered.chain(std::iter::repeat(None))).map(of).collect()
}

/// What each flow had moved at the last look. Unit: bytes.
#[derive(Debug)]
struct Totals(Vec<u64>);

impl Totals {
    /// What each flow has moved since the last look.
    fn grown(&mut self, totals: &[u64]) -> Vec<u64> {
        let before = std::mem::replace(&mut self.0, totals.to_vec());
        totals.iter().zip(before).map(|(now, then)| now.saturating_sub(then)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_in_a_send_buffer_has_not_arrived() {
        let tcp = |acknowledged, received| Some(TcpSample { acknowledged, received, ..TcpSample::default() });
        let samples = [tcp(6_060, 1), tcp(11_060, 1), tcp(10_061, 1), tcp(60, 9_000), None];
        // The second is in the middle of a message, which counts when it is whole.
        assert_eq!(
            arrived(&[10_000, 10_000, 10_000, 8_500, 7, 8], &samples, &[60; 5]),
            [6_000, 11_000, 10_000, 8_500, 7, 8]
        );
    }

    #[test]
    fn looks_are_at_whole_intervals_whatever_was_missed() {
        let at = |ms: u64| Time::ZERO + Span::from_ms(ms);
        let next = |now| next_look(at(5), at(now), Span::from_ms(10));
        assert_eq!([5, 6, 14].map(next), [at(15); 3]);
        assert_eq!(next(15), at(25));
        assert_eq!(next(49), at(55), "three were missed");
        assert_eq!(next(0), at(15), "the load has not begun");
    }
}
