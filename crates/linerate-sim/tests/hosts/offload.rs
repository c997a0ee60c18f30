//! Frames that are handed to the adaptor together, by the equations of docs/models/host.md.

use linerate_core::units::Span;
use linerate_sim::frame::Station;
use linerate_sim::kernel::Kernel;
use linerate_sim::machine::{Machine, Piece};
use linerate_sim::stations::Event;

use super::bench::frame;
use crate::papers::lab::round_host;

/// Three frames of one hand-over: the first with its headers, of the others 1448 B of payload.
fn pieces() -> [Piece; 3] {
    [(1500, true, false), (1448, false, false), (1448, false, true)].map(|(moved, begins, ends)| Piece {
        frame: frame(0, 1500),
        moved,
        begins,
        ends,
    })
}

/// 10 ns a byte and 320 ns for each burst of 256 B; one setup of 1 us.
#[test]
fn what_is_handed_over_together_has_one_transfer_and_one_header_on_the_bus() {
    let mut kernel = Kernel::<Event>::new();
    let mut machine = Machine::new(Station(0), &round_host(), 1500);
    for piece in pieces() {
        machine.transmit_piece(piece, &mut kernel);
    }
    let first = 1000 + 10 * 1500 + 320 * 6;
    let other = 10 * 1448 + 320 * 6;
    assert_eq!(machine.bus_busy(), Span::from_ns(first + 2 * other));
    let mut machine = Machine::new(Station(0), &round_host(), 1500);
    for piece in pieces() {
        machine.transmit(piece.frame, &mut kernel);
    }
    assert_eq!(machine.bus_busy(), Span::from_ns(3 * first), "alone each has its own");
}

/// One descriptor, from the first to the end of the last.
#[test]
fn what_is_handed_over_together_has_one_descriptor() {
    let mut kernel = Kernel::<Event>::new();
    let mut profile = round_host();
    profile.adaptor.transmit_ring = 2;
    let mut machine = Machine::new(Station(0), &profile, 1500);
    for piece in pieces() {
        assert!(machine.has_room(Station(0)));
        machine.transmit_piece(piece, &mut kernel);
    }
    machine.transmit(frame(3, 1500), &mut kernel);
    assert!(!machine.has_room(Station(0)), "two descriptors are taken");
    let mut fetched = 0;
    while let Some(event) = kernel.advance() {
        let Event::Machine(event) = event else { panic!("{event:?} is none of the machine's") };
        machine.handle(event, &mut kernel);
        fetched += 1;
        assert_eq!(machine.has_room(Station(0)), fetched >= 3, "after {fetched}");
    }
    assert_eq!(fetched, 4);
}
