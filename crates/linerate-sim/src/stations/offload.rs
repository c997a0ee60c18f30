//! Segments that the host handles together: cut by its adaptor (TSO), merged by its driver (GRO).

use linerate_core::trace::Point;
use linerate_core::units::{Span, Time};

use super::place::Place;
use super::{Event, Stations, host};
use crate::frame::{Content, Frame, Station};
use crate::ip::Codepoint;
use crate::kernel::{Includes, Kernel};
use crate::machine::{Machine, Piece};
use crate::points::Passed;
use crate::slab::Slab;
use crate::tcp::{Flags, SackBlocks, Segment};

/// A driver merges the segments of so many flows at a time. Source: from memory, of Linux.
const MOST_FLOWS: usize = 8;

impl Place<'_> {
    /// The frames that follow `frame` from the same work of the protocol, of `left` bytes of payload
    /// at most: as many as are new data by now.
    pub(super) fn transmit_rest(
        &mut self,
        frame: Frame,
        mut left: u64,
        kernel: &mut Kernel<impl Includes<Event>>,
    ) {
        let clock = self.machine.clock(kernel.now());
        let mut piece = Piece { ends: false, ..Piece::whole(frame) };
        loop {
            let fits = |length: &u32| u64::from(*length) <= left;
            let Some(length) = self.own().connection.next_new().filter(fits) else { break };
            let Some(segment) = self.own().connection.next_segment(clock) else { break };
            left -= u64::from(length);
            let next = self.frame(&segment, kernel.now());
            let before = std::mem::replace(
                &mut piece,
                Piece { frame: next, moved: length, begins: false, ends: false },
            );
            self.machine.transmit_piece(before, kernel);
        }
        self.machine.transmit_piece(Piece { ends: true, ..piece }, kernel);
    }
}

/// What a driver has merged so far of one flow, or would go on merging.
#[derive(Clone, Copy, Debug)]
struct Merging {
    /// The frame of the first segment, which stands for all.
    frame: Frame,
    cost: Span,
    /// Payload of its first segment. Unit: bytes.
    unit: u32,
    /// A segment that came after it cannot join.
    is_closed: bool,
}

impl Stations {
    /// The driver of a station looks at its receive ring, and merges what it finds in one look up to
    /// `most` bytes of payload.
    pub(super) fn look_and_merge(&mut self, station: Station, most: u64, now: Time) {
        let Self { stations, segments, hosts, points, .. } = self;
        let machine = stations[host(station, *hosts)].machine.as_mut().expect("its driver looks");
        let mut held: Vec<Merging> = Vec::new();
        let mut lost = Vec::new();
        while let Some(frame) = machine.next_stored() {
            if let Some(points) = points {
                points.extend(Passed::of(&frame, segments, Point::Handed, now));
            }
            let Some((flow, segment)) = data(&frame, segments) else {
                let cost = machine.times().receive_acknowledgement;
                // What came before it of its flow stays before it.
                let of_flow = |merging: &Merging| flow_of(&merging.frame) == flow_of(&frame);
                if let Some(place) = held.iter().position(of_flow) {
                    pass(machine, held.remove(place), &mut lost);
                }
                if !machine.queue_received(frame, cost) {
                    lost.push(frame);
                }
                continue;
            };
            let place = held.iter().position(|merging| flow_of(&merging.frame) == Some(flow));
            if let Some(place) = place {
                if joins(&held[place], &segment, segments, most) {
                    held[place].cost += machine.times().merge_data(segment.length);
                    join(&mut held[place], &frame, &segment, segments);
                    continue;
                }
                pass(machine, held.remove(place), &mut lost);
            } else if held.len() == MOST_FLOWS {
                pass(machine, held.remove(0), &mut lost);
            }
            let cost = machine.times().receive_data(segment.length);
            let is_closed = segment.flags.push;
            held.push(Merging { frame, cost, unit: segment.length, is_closed });
        }
        for merging in held {
            pass(machine, merging, &mut lost);
        }
        for frame in lost {
            self.drop_segment(&frame);
        }
    }
}

/// What was merged goes to the protocol's queue.
fn pass(machine: &mut Machine, merging: Merging, lost: &mut Vec<Frame>) {
    if !machine.queue_received(merging.frame, merging.cost) {
        lost.push(merging.frame);
    }
}

fn flow_of(frame: &Frame) -> Option<(u32, bool)> {
    match frame.content {
        Content::Segment { flow, forward, .. } => Some((flow, forward)),
        _ => None,
    }
}

/// The segment in a frame, if it is one with payload that may be merged.
fn data(frame: &Frame, segments: &Slab<Segment>) -> Option<((u32, bool), Segment)> {
    let Content::Segment { flow, forward, number, ecn } = frame.content else { return None };
    let segment = Segment { ecn, ..segments[number.0] };
    let Flags { syn, fin, reset, .. } = segment.flags;
    (segment.length > 0 && !syn && !fin && !reset).then_some(((flow, forward), segment))
}

/// Whether a segment joins what was merged of its flow: it follows it, and says the same but for its place
/// and PSH. Source: from memory, of Linux.
fn joins(merging: &Merging, segment: &Segment, segments: &Slab<Segment>, most: u64) -> bool {
    let Content::Segment { number, ecn, .. } = merging.frame.content else { return false };
    let before = &segments[number.0];
    let flags = |segment: &Segment| Flags { push: false, ..segment.flags };
    !merging.is_closed
        && segment.sequence == before.end()
        && segment.length <= merging.unit
        && u64::from(before.length) + u64::from(segment.length) <= most
        && flags(segment) == flags(before)
        && !segment.flags.cwr
        && [segment.acknowledgement, u64::from(segment.window)]
            == [before.acknowledgement, u64::from(before.window)]
        && segment.timestamps == before.timestamps
        && segment.sack == SackBlocks::NONE
        && before.sack == SackBlocks::NONE
        && is_marked(segment.ecn) == is_marked(ecn)
}

fn is_marked(ecn: Codepoint) -> bool {
    ecn == Codepoint::Experienced
}

/// It does; its own frame ends here.
fn join(merging: &mut Merging, frame: &Frame, segment: &Segment, segments: &mut Slab<Segment>) {
    let (Content::Segment { number: first, .. }, Content::Segment { number, .. }) =
        (merging.frame.content, frame.content)
    else {
        return;
    };
    segments.remove(number.0);
    let whole = &mut segments[first.0];
    whole.length += segment.length;
    whole.parts += 1;
    whole.flags.push |= segment.flags.push;
    merging.is_closed = segment.flags.push || segment.length < merging.unit;
}
