//! Room above the high watermark of a full-duplex repeater: the closed form against the worst that
//! stations, its own outputs and its arbiter can do together.

use linerate_core::units::{Span, Time};
use linerate_sim::ethernet::pause::{FlowControl, Headroom};
use linerate_sim::ethernet::topology::{Buffer, Relay, Topology, Wire};
use rstest::rstest;

use super::harness::{Bench, GIGABIT, period, to};

const STATIONS: u32 = 16;
const BYTES: u64 = 1518;
/// One byte more than two frames reach: the third goes beyond it by all of its bytes but one.
const HIGH: u64 = 2 * BYTES + 1;
/// Instants within a frame time at which the last station begins.
const PHASES: u64 = 12;

/// The others send without end, so that a port has a turn in 16; station 0 begins to send twelve
/// frames this many frame times and phases after them. Gives the peak of its FIFO, and how much found no room.
fn run(delay: Span, room: u64, turn: u64, phase: u64) -> (u64, usize) {
    let wire = Wire::full(GIGABIT, delay).with_flow([FlowControl::OBEYS, FlowControl::SENDS]);
    let repeater = Relay::Distributor(Buffer::new(HIGH + room, HIGH, BYTES));
    let mut bench = Bench::new(&Topology::star(STATIONS as usize, repeater, wire));
    for from in 1..STATIONS {
        bench.saturate(from, to(0), BYTES);
    }
    let frame = period(BYTES);
    let start = Time::ZERO + frame * (8 + turn) + frame * phase / PHASES;
    for _ in 0..12 {
        bench.offer(start, 0, to(1), BYTES);
    }
    bench.run_until(start + frame * 12 + delay * 4);
    (bench.queue("distributor 0 port 0 in").peak, bench.stations.losses.len())
}

fn worst(delay: Span, room: u64) -> (u64, usize) {
    let starts = (0..u64::from(STATIONS)).flat_map(|turn| (0..PHASES).map(move |phase| (turn, phase)));
    let runs = starts.map(|(turn, phase)| run(delay, room, turn, phase));
    runs.fold((0, 0), |(peak, lost), run| (peak.max(run.0), lost.max(run.1)))
}

#[rstest]
fn the_headroom_of_a_repeater_loses_nothing_and_a_frame_less_does(#[values(2, 550, 5_000)] metres: u64) {
    let delay = Span::from_ns(5 * metres);
    let headroom = Headroom::at_reaction_limit(BYTES, GIGABIT, delay);
    let (peak, lost) = worst(delay, headroom.bytes_by_frame());
    assert_eq!(lost, 0);
    // The frame that goes beyond the watermark, and those that begin until the reaction is over:
    // the port's own frame, the PAUSE frame, the cable both ways, and not the gap in which it came.
    let frame = (BYTES + 20) * 8;
    let begun = (frame + 576 + 10 * metres + headroom.reaction_bits - 96).div_ceil(frame);
    assert_eq!(peak - HIGH, BYTES - 1 + begun * BYTES);
    assert!(worst(delay, headroom.bytes_by_frame() - BYTES).1 > 0, "a frame less is still enough");
}
