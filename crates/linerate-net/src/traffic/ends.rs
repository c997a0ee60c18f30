//! Which of a load's channels is which flow.

use linerate_core::plan::Plan;
use linerate_core::traffic::{Direction, Load};
use linerate_core::units::Span;

use super::FlowEnd;
use crate::control::Side;
use crate::flow::{GIVE_UP, PATIENCE};
use crate::line::Line;

/// The least time that what was sent may take to arrive once the time is over, and that the account of it may take
/// then. With the conversation around it a load lasts 2 s longer than its time at most, or 4 round trips.
const GRACE: Span = Span::from_ms(500);
const LAST_WORD: Span = Span::from_ms(1_200);
/// TCP sends again after one round trip or more, and then waits twice as long each time (RFC 6298).
const SILENT_ROUND_TRIPS: u64 = 32;

/// How long the channels of `load` may move no byte on a path of this round trip. A lost datagram delays a
/// request by as much.
pub(crate) fn patience(load: &Load, plan: &Plan, round_trip: Span) -> Span {
    let Some(stream) = &load.stream else {
        let may_lose = plan.common.transport.is_datagram();
        return if may_lose {
            GIVE_UP.max(round_trip * 2)
        } else {
            PATIENCE.max(round_trip * SILENT_ROUND_TRIPS)
        };
    };
    let paced = stream.step().unwrap_or_default() * 2;
    PATIENCE.max(round_trip * SILENT_ROUND_TRIPS).max(paced)
}

/// How long what was sent until the time was over may take to arrive on a path of this round trip.
pub(crate) fn grace(round_trip: Span) -> Span {
    GRACE.max(round_trip * 2)
}

/// How long the account of a server may take on a path of this round trip once the load has ended here.
pub(crate) fn last_word(round_trip: Span) -> Span {
    LAST_WORD.max(round_trip * 2)
}

/// How many channels `load` needs: the bulk flows of each direction first, then the requests.
pub(crate) fn channels(load: &Load) -> u32 {
    let bulk = load.stream.as_ref().map_or(0, |stream| {
        stream.flows.saturating_mul(u32::try_from(stream.direction.parts().len()).unwrap_or(2))
    });
    let requests = load.rr.as_ref().map_or(0, |rr| if rr.connect { 0 } else { rr.flows });
    bulk.saturating_add(requests)
}

/// The numbers and directions of the bulk flows of `load` with one peer, in the order of their channels.
pub(crate) fn bulk_flows(load: &Load) -> impl Iterator<Item = (u32, Direction)> {
    let stream = load.stream.iter();
    stream.flat_map(|stream| {
        let parts = stream.direction.parts();
        parts.iter().flat_map(|part| (0..stream.flows).map(move |flow| (flow, *part)))
    })
}

/// The bulk flows among `lines`, which are in the order of their numbers, as `side` sees them; what
/// is left in `lines` is the requests'.
pub(crate) fn bulk(load: &Load, lines: &mut Vec<Box<dyn Line>>, side: Side) -> Vec<FlowEnd> {
    let taken = bulk_flows(load).count().min(lines.len());
    let ends = bulk_flows(load).zip(lines.drain(..taken));
    ends.map(|((flow, direction), line)| {
        let sends = (direction == Direction::Send) == (side == Side::Beginning);
        FlowEnd { flow, direction, sends, line }
    })
    .collect()
}
