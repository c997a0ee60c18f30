//! What the host and TCP do while requests have the path to themselves.

use std::sync::Arc;

use linerate_core::kernel::{HostSample, TcpSample};
use linerate_core::traffic::Cadence;
use linerate_core::units::{Span, Time};

use super::super::{Sampler, Watched};
use crate::channel::ChannelHandle;
use crate::flow::Counter;
use crate::observe::{HostClock, LinkWatch};

/// How often the host is sampled: the default interval of bulk. Looks within it would delay requests.
const INTERVAL: Span = Span::from_ms(1_000);
/// How often connections are looked at too, where that is wanted. A look takes some 0.1 ms.
const CLOSELY: Span = Span::from_ms(50);

/// What is watched besides the host.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    pub(crate) link: LinkWatch,
    /// Connections whose samples are wanted.
    pub(crate) connections: Vec<Box<dyn ChannelHandle>>,
}

/// Does `work` and samples the host meanwhile, from `origin` on and at the end: every second, or more often if
/// connections are watched. Returns what the work did, the host's samples and each connection's.
pub(crate) fn watched<T>(
    clock: HostClock,
    origin: Time,
    beside: Beside,
    work: impl FnOnce() -> T,
) -> (T, Vec<HostSample>, Vec<Vec<TcpSample>>) {
    let Beside { link, connections } = beside;
    let cadence = Cadence::every(if connections.is_empty() { INTERVAL } else { CLOSELY });
    let counters: Arc<[Counter]> = connections.iter().map(|_| Counter::default()).collect();
    let flows = Watched { counters, remotes: connections.into(), link };
    let sampler = Sampler::start(clock, origin, cadence, flows, None);
    let done = work();
    // Without a thread for it there are no samples.
    let looks = sampler.map(|sampler| sampler.finish(false)).unwrap_or_default();
    (done, looks.host, looks.flows.into_iter().map(|flow| flow.tcp).collect())
}
