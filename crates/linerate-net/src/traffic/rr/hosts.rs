//! What the host does while requests have the path to themselves.

use std::sync::Arc;

use linerate_core::kernel::HostSample;
use linerate_core::traffic::Cadence;
use linerate_core::units::{Span, Time};

use super::super::{Sampler, Watched};
use crate::observe::HostClock;

/// How often the host is sampled: the default interval of bulk. Looks within it would delay requests.
const INTERVAL: Span = Span::from_ms(1_000);

/// Does `work` and samples the host meanwhile, every second from `origin` on and at the end.
pub(crate) fn watched<T>(clock: HostClock, origin: Time, work: impl FnOnce() -> T) -> (T, Vec<HostSample>) {
    let no_flows = Watched { counters: Arc::new([]), remotes: Vec::new() };
    let sampler = Sampler::start(clock, origin, Cadence::every(INTERVAL), no_flows, None);
    let done = work();
    // Without a thread for it there are no samples.
    (done, sampler.map(Sampler::finish).unwrap_or_default().host)
}
