//! The loads that one look at requests needs.

use super::{Direction, Load, Phase, StreamPlan};
use crate::plan::Plan;
use crate::units::Span;

/// How long the bulk runs before the requests beside it begin, so that it has filled the queues.
const HEAD_START: Span = Span::from_ms(1_000);
/// How much longer than the requests it runs: the last of them wait in its queue.
const TAIL: Span = Span::from_ms(500);

/// The loads of `plan`'s requests, in their order: alone, and if it asks for latency under load,
/// beside bulk flows to the peer, and beside as many from it. None of a plan without requests.
///
/// The bulk begins before the requests and ends after them. Its warm-up is as much longer as that,
/// so that its rate counts as long as the requests do.
#[must_use]
pub fn phases(plan: &Plan) -> Vec<Load> {
    let Some(rr) = &plan.rr else { return Vec::new() };
    let idle = Load { rr: Some(rr.clone()), socket: plan.socket.clone(), time: plan.time, ..Load::default() };
    let loaded = |direction| {
        let warm_up = HEAD_START + rr.warm_up + TAIL;
        let stream = StreamPlan { flows: rr.under_load, direction, warm_up, ..StreamPlan::default() };
        Load { stream: Some(stream), head_start: HEAD_START, ..idle.clone() }
    };
    let mut loads = vec![idle.clone()];
    if rr.under_load > 0 {
        loads.extend([Direction::Send, Direction::Receive].map(loaded));
    }
    loads
}

impl Load {
    /// Which phase of a look at latency under load it is.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        match (&self.stream, &self.rr) {
            (Some(stream), Some(_)) => Phase::Loaded(stream.direction),
            _ => Phase::Idle,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::{Bound, RrPlan};

    fn plan(under_load: u32) -> Plan {
        let rr = RrPlan { under_load, warm_up: Span::from_ms(300), ..RrPlan::default() };
        Plan { rr: Some(rr), time: Span::from_ms(2_000), ..Plan::default() }
    }

    #[test]
    fn the_bulk_begins_before_the_requests_and_ends_after_them() {
        let loads = phases(&plan(3));
        assert_eq!((&loads[0].stream, loads[0].phase()), (&None, Phase::Idle));
        for (load, direction) in loads[1..].iter().zip([Direction::Send, Direction::Receive]) {
            let stream = load.stream.as_ref().expect("bulk");
            assert_eq!((stream.flows, stream.direction), (3, direction));
            let requests = load.head_start + Span::from_ms(300) + load.time;
            assert_eq!(stream.bound(load.time), Bound::Time(requests + TAIL));
            assert_eq!((&load.rr, load.phase()), (&loads[0].rr, Phase::Loaded(direction)));
        }
    }

    #[test]
    fn without_bulk_there_is_one_phase_and_without_requests_none() {
        assert_eq!(phases(&plan(0)).len(), 1);
        assert_eq!(phases(&Plan::default()), []);
    }
}
