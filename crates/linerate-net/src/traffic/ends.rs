//! Which of a load's channels is which flow.

use linerate_core::plan::Plan;
use linerate_core::traffic::{Direction, Load};
use linerate_core::units::Span;

use super::FlowEnd;
use crate::control::Side;
use crate::flow::{GIVE_UP, PATIENCE};
use crate::line::Line;

/// How long the channels of `load` may move no byte. A lost datagram delays a request by as much.
pub(crate) fn patience(load: &Load, plan: &Plan) -> Span {
    let may_lose = load.stream.is_none() && plan.common.transport.is_datagram();
    if may_lose { GIVE_UP } else { PATIENCE }
}

/// How many channels `load` needs: the bulk flows of each direction first, then the requests.
pub(crate) fn channels(load: &Load) -> u32 {
    let bulk = load.stream.as_ref().map_or(0, |stream| {
        stream.flows.saturating_mul(u32::try_from(stream.direction.parts().len()).unwrap_or(2))
    });
    let requests = load.rr.as_ref().map_or(0, |rr| if rr.connect { 0 } else { rr.flows });
    bulk.saturating_add(requests)
}

/// The bulk flows among `lines`, which are in the order of their numbers, as `side` sees them; what
/// is left in `lines` is the requests'.
pub(crate) fn bulk(load: &Load, lines: &mut Vec<Box<dyn Line>>, side: Side) -> Vec<FlowEnd> {
    let Some(stream) = &load.stream else { return Vec::new() };
    let parts = stream.direction.parts();
    let numbered = parts.iter().flat_map(|part| (0..stream.flows).map(move |flow| (flow, *part)));
    let taken = (stream.flows as usize * parts.len()).min(lines.len());
    let ends = numbered.zip(lines.drain(..taken));
    ends.map(|((flow, direction), line)| {
        let sends = (direction == Direction::Send) == (side == Side::Beginning);
        FlowEnd { flow, direction, sends, line }
    })
    .collect()
}
