//! The client's end of requests.

use std::sync::atomic::AtomicBool;

use linerate_core::plan::Plan;
use linerate_core::traffic::{Ended, Latency, Load, RrPlan};
use linerate_core::units::{Span, Time};

use crate::line::Line;
use crate::observe::{HostClock, LinkWatch};
use crate::traffic::rr::{Askers, Held, places};
use crate::transport::{Setup, TransportError};

/// An open loop starts this much later for every flow, so that all threads run by then.
const THREAD: Span = Span::from_us(100);

/// The flows of requests of `load`, which began at `origin`, or `None` without requests. Their threads
/// are pinned if the processors are `free`.
pub(super) fn askers<'a>(
    load: &'a Load,
    plan: &Plan,
    (clock, origin): (HostClock, Time),
    free: bool,
    stop: &'a AtomicBool,
) -> Option<Askers<'a>> {
    let rr = load.rr.as_ref()?;
    let threads = if rr.rate.is_some() { THREAD * u64::from(rr.flows) } else { Span::ZERO };
    Some(Askers {
        clock,
        origin,
        begin: origin + load.head_start + threads,
        plan: rr,
        time: rr.lasts(load.time, load.stream.is_some()),
        beside_bulk: load.stream.is_some(),
        datagrams: plan.common.transport.is_datagram(),
        cpus: places(plan.common.local.pin, load.stream.is_some(), free),
        nagle: !load.socket.nodelay,
        link: LinkWatch::default(),
        stop,
    })
}

/// Puts the channel of a single transaction in the group of its setup.
pub(super) fn held(setup: &Setup, line: Box<dyn Line>) -> Result<Held, TransportError> {
    let handle =
        line.channel().handle().map_err(TransportError::system("hold the channel to break it off"))?;
    Ok((line, setup.cancel.register(handle)))
}

/// Accounts of flows that never began, because their thread failed.
pub(super) fn none(plan: Option<&RrPlan>) -> Vec<Latency> {
    let ended = || Ended::Failed("the threads of the requests panicked".to_owned());
    let flows = 0..plan.map_or(0, |plan| plan.flows);
    flows.map(|flow| Latency { flow, ended: ended(), ..Latency::default() }).collect()
}
