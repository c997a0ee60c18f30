//! One thread that samples every flow of a load.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;

use linerate_core::kernel::{HostSample, TcpSample};
use linerate_core::traffic::{Cadence, FlowLooks, FlowRecord, Interval, Join as _, Kept};
use linerate_core::units::{Span, Time};

use crate::channel::ChannelHandle;
use crate::flow::Counter;
use crate::observe::{HostClock, HostWatch, LinkWatch};

/// The closest looks of a load: two a tick of the coarsest kernels, and some 1 % of a processor.
pub const LEAST_PERIOD: Span = Span::from_ms(10);
/// Looks closer together than this would measure themselves.
const LEAST_INTERVAL: Span = Span::from_ms(1);

/// Everything that a sampler kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Looks {
    /// The flows, in the order in which they were given.
    pub flows: Vec<FlowLooks>,
    /// What the host did from each look to the next.
    pub host: Vec<HostSample>,
}

/// The flows of one end, as the sampler sees them.
#[derive(Debug)]
pub struct Watched {
    /// What each flow's thread counts.
    pub counters: Arc<[Counter]>,
    /// Each flow's channel, in the same order.
    pub remotes: Arc<[Box<dyn ChannelHandle>]>,
    /// The link that they cross.
    pub link: LinkWatch,
}

/// What every flow had moved at the end of an interval, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// When, since the load began at this end; the interval is the host's `span`.
    pub until: Span,
    /// Payload of each flow in the interval, as its thread counted. Unit: bytes.
    pub bytes: &'a [u64],
    /// The same as it has reached the other end: of what is sent over TCP only what was
    /// acknowledged. A call returns when the bytes are in the send buffer. Unit: bytes.
    pub arrived: &'a [u64],
    /// What TCP says, where it carries the flow; only of the first flows
    /// ([`FlowRecord::MOST_TCP`]).
    pub tcp: &'a [Option<TcpSample>],
    /// What the host did in the interval.
    pub host: &'a HostSample,
}

impl From<&Look<'_>> for linerate_core::carrier::Look {
    fn from(look: &Look<'_>) -> Self {
        let Look { until, arrived, tcp, host, .. } = *look;
        Self { until, span: host.span, bytes: arrived.to_vec(), tcp: tcp.to_vec() }
    }
}

/// Called at the end of every interval, on the sampler's thread.
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
    cut_off: Arc<AtomicBool>,
}

impl Sampler {
    /// Starts to look at `flows`, as `cadence` says; at most once a millisecond.
    ///
    /// `origin` is the moment on `clock` at which the load began at this end. `on_look` receives
    /// every interval, whatever is kept of it; while it runs, no look is taken.
    ///
    /// # Errors
    ///
    /// When the system gives no thread.
    pub fn start(
        clock: HostClock,
        origin: Time,
        cadence: Cadence,
        flows: Watched,
        on_look: Option<OnLook>,
    ) -> io::Result<Self> {
        let (end, ended) = channel();
        let count = flows.counters.len();
        // What introduced a connection is acknowledged too.
        let remotes = flows.remotes.iter().take(FlowRecord::MOST_TCP);
        let acknowledged = |sample: Option<TcpSample>| sample.map_or(0, |sample| sample.acknowledged);
        let mut watch = Watch {
            clock,
            origin,
            introduced: remotes.map(|remote| acknowledged(remote.tcp())).collect(),
            flows,
            open: true,
            cadence: if cadence.period() < LEAST_INTERVAL { Cadence::every(LEAST_INTERVAL) } else { cadence },
            last: Span::ZERO,
            counted: Totals(vec![0; count]),
            passing: Passing::new(count),
            host: HostWatch::start(clock.now().max(origin)),
            records: (0..count).map(|place| FlowRecord::new(place, count)).collect(),
            hosts: Kept::new(FlowRecord::most(count)),
            on_look,
        };
        let cut_off = Arc::new(AtomicBool::new(false));
        let was_cut_off = Arc::clone(&cut_off);
        let thread = std::thread::Builder::new().name("sampler".to_owned()).spawn(move || {
            while wait(&clock, watch.cadence.next(origin, clock.now()), &ended) {
                watch.look(false);
            }
            if was_cut_off.load(Ordering::Relaxed) {
                watch.on_look = None;
                watch.open = false;
            }
            watch.look(true);
            watch.into_looks()
        })?;
        Ok(Self { thread, end, cut_off })
    }

    /// Takes a last sample and returns everything. Call it when the flows have ended and before
    /// their channels are closed, so that the last look has everything. If they were `cut_off`, it is not known how
    /// much of what was sent has arrived, and nobody is told of the last interval.
    ///
    /// # Panics
    ///
    /// As the function that is told of every look did.
    #[must_use]
    pub fn finish(self, cut_off: bool) -> Looks {
        self.cut_off.store(cut_off, Ordering::Relaxed);
        drop(self.end);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
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
    /// False when the connections were aborted: TCP has forgotten them.
    open: bool,
    cadence: Cadence,
    /// The last look, since the load began.
    last: Span,
    host: HostWatch,
    /// What each connection had delivered before the load. Unit: bytes.
    introduced: Vec<u64>,
    counted: Totals,
    passing: Passing,
    records: Vec<FlowRecord>,
    hosts: Kept<HostSample>,
    on_look: Option<OnLook>,
}

/// What has passed since the last interval ended.
struct Passing {
    counted: Totals,
    arrived: Totals,
    host: Option<HostSample>,
}

impl Passing {
    fn new(flows: usize) -> Self {
        let [counted, arrived] = [Totals(vec![0; flows]), Totals(vec![0; flows])];
        Self { counted, arrived, host: None }
    }

    fn saw(&mut self, host: &HostSample) {
        match &mut self.host {
            Some(before) => before.join(host),
            None => self.host = Some(host.clone()),
        }
    }
}

impl Watch {
    /// Looks; at the `last` time the flows have ended, and all that they sent has arrived.
    fn look(&mut self, last: bool) {
        let totals: Vec<u64> = self.flows.counters.iter().map(Counter::load).collect();
        let at = self.clock.now();
        let until = at.since(self.origin);
        let ends = last || self.cadence.ends_interval(self.last, until);
        self.last = until;
        let now = || self.clock.now().since(self.origin);
        let wanted = self
            .flows
            .remotes
            .iter()
            .zip(&self.records)
            .take_while(|(_, it)| self.open && it.wants_tcp(ends));
        let tcp = wanted.map(|(remote, _)| Some(TcpSample { at: now(), ..remote.tcp()? }));
        let tcp: Vec<Option<TcpSample>> = tcp.collect();
        let mut host = self.host.look(at, until);
        let grown = self.counted.grown(&totals);
        // A link that carries something is up, and asking takes a while.
        if grown.iter().all(|bytes| *bytes == 0) && self.flows.link.is_down() {
            host.link_down = host.span;
        }
        for (place, (record, bytes)) in self.records.iter_mut().zip(grown).enumerate() {
            let sample = tcp.get(place).and_then(Option::as_ref);
            record.look(Interval { until, bytes }, sample, ends);
        }
        self.hosts.push(&host);
        self.passing.saw(&host);
        if ends {
            self.tell(until, &tcp, &totals, last);
        }
        if self.cadence.coarsen(self.hosts.len()) {
            self.hosts.pair();
            self.records.iter_mut().for_each(FlowRecord::pair);
        }
    }

    /// Tells of an interval that ended.
    fn tell(&mut self, until: Span, tcp: &[Option<TcpSample>], totals: &[u64], last: bool) {
        let Some(host) = self.passing.host.take() else { return };
        let arrived = if last { totals.to_vec() } else { arrived(totals, tcp, &self.introduced) };
        let arrived = self.passing.arrived.grown(&arrived);
        let bytes = self.passing.counted.grown(totals);
        if let Some(tell) = &mut self.on_look {
            tell(&Look { until, bytes: &bytes, arrived: &arrived, tcp, host: &host });
        }
    }

    fn into_looks(self) -> Looks {
        let fine = self.cadence.is_fine();
        let flows = self.records.into_iter().map(|record| record.into_looks(fine)).collect();
        Looks { flows, host: self.hosts.into_entries() }
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
}
