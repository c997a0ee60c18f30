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
    /// Payload of each flow since the look before. Unit: bytes.
    pub bytes: &'a [u64],
    /// What TCP says, where it carries the flow; only of the first flows
    /// ([`Looks::MOST_TCP_FLOWS`]).
    pub tcp: &'a [Option<TcpSample>],
    /// What the host did since the look before.
    pub host: &'a HostSample,
}

impl From<&Look<'_>> for linerate_core::carrier::Look {
    fn from(look: &Look<'_>) -> Self {
        let Look { until, bytes, tcp, host } = *look;
        Self { until, span: host.span, bytes: bytes.to_vec(), tcp: tcp.to_vec() }
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
        let record = Record::of(flows.counters.len());
        let host = HostWatch::start(clock.now().max(origin));
        let mut watch = Watch { clock, origin, flows, host, record, on_look };
        let interval = interval.max(LEAST_INTERVAL);
        let thread = std::thread::Builder::new().name("sampler".to_owned()).spawn(move || {
            while wait(&clock, next_look(origin, clock.now(), interval), &ended) {
                watch.look();
            }
            watch.look();
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
    record: Record,
    on_look: Option<OnLook>,
}

impl Watch {
    fn look(&mut self) {
        let totals: Vec<u64> = self.flows.counters.iter().map(Counter::load).collect();
        let at = self.clock.now();
        let until = at.since(self.origin);
        let now = || self.clock.now().since(self.origin);
        let remotes = self.flows.remotes.iter().take(Looks::MOST_TCP_FLOWS);
        let tcp = remotes.map(|remote| Some(TcpSample { at: now(), ..remote.tcp()? }));
        let tcp: Vec<Option<TcpSample>> = tcp.collect();
        let host = self.host.look(at, until);
        let bytes = self.record.grown(&totals);
        let look = Look { until, bytes: &bytes, tcp: &tcp, host: &host };
        self.record.keep(&look);
        if let Some(tell) = &mut self.on_look {
            tell(&look);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
