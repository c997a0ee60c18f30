//! The queue of a switch's output: by hand, and against a naive one.

use linerate_core::units::Span;
use linerate_sim::atm::Switch;
use linerate_sim::fabric::{Fabric as _, Loss};
use linerate_sim::frame::{Destination, Port};
use proptest::prelude::*;

use super::{Parameters, cells, naive, prepare, run, switched};
use crate::support::stations::{Offer, Run, number_of, to};

#[test]
fn an_uncontended_switch_makes_two_events_a_pdu_and_a_contended_one_three() {
    let count = 2_000;
    let alone: Vec<Offer> = (0..count).map(|_| (0, to(1), 9_180, 0)).collect();
    let Run { kernel, .. } = run(switched(3, Switch::default()), &alone);
    assert_eq!(kernel.happened() as usize, count + 2 * count);
    let contended: Vec<Offer> = (0..count).map(|number| (number as u32 % 2, to(2), 9_180, 0)).collect();
    let roomy = Switch { queue_cells: u32::MAX, ..Switch::default() };
    let Run { fabric: atm, kernel, stations, .. } = run(switched(3, roomy), &contended);
    assert!(kernel.happened() as usize <= count + 3 * count, "{}", kernel.happened());
    // The output never rests from the first cell on.
    assert_eq!(stations.delivered.last().map(|(at, ..)| *at), Some(cells(1 + 192 * count as u64)));
    assert_eq!(atm.cells(Port(2)).map(|counters| counters.taken), Some(192 * count as u64));
}

#[test]
fn cells_that_come_at_one_instant_are_taken_in_turn() {
    // Two stations in step: their PDUs of three cells leave the switch as 0 1 0 1 0 1.
    let Run { stations, .. } =
        run(switched(3, Switch::default()), &[(0, to(2), 100, 0), (1, to(2), 100, 0), (1, to(2), 100, 0)]);
    let seen: Vec<(u64, u32)> =
        stations.delivered.iter().map(|(at, _, frame)| (*at, frame.source.0)).collect();
    assert_eq!(seen, [(cells(1 + 5), 0), (cells(1 + 6), 1), (cells(1 + 9), 1)]);
}

#[test]
fn a_lost_cell_loses_its_pdu_and_a_lost_end_the_next_one_too() {
    // No room to wait, and two stations in step: one of each pair of cells is lost. The turn
    // goes over, so station 0 keeps its cells 0 and 2, and station 1 its cell 1, of three each.
    let switch = Switch { queue_cells: 1, ..Switch::default() };
    let pair = [(0, to(2), 100, 0), (1, to(2), 100, 0)];
    // Station 1 then sends another, alone: AAL5 joins it to the cell without an end.
    let alone = [(1, to(2), 100, cells(10)), (1, to(2), 60, cells(20))];
    let Run { fabric: atm, stations, .. } = run(switched(3, switch), &[&pair[..], &alone[..]].concat());
    assert_eq!(stations.losses(), [(Loss::Overflow, 0), (Loss::Overflow, 1), (Loss::Error, 2)]);
    assert_eq!(stations.delivered.len(), 1);
    assert_eq!(atm.counters(Port(2)).errors, 2, "ends after damage: those of frames 0 and 2");
    assert_eq!(atm.cells(Port(2)).map(|counters| [counters.taken, counters.discarded]), Some([3 + 3 + 2, 3]));
}

#[test]
fn early_packet_discard_keeps_cells_that_would_go_in_vain_off_the_line() {
    let count = 3_000;
    let offers: Vec<Offer> = (0..count).map(|number| (number as u32 % 3, to(3), 9_180, 0)).collect();
    let useful = |early_packet_discard| {
        let switch = Switch { queue_cells: 1_000, early_packet_discard, ..Switch::default() };
        let Run { fabric: atm, stations, .. } = run(switched(4, switch), &offers);
        assert_eq!(stations.delivered.len() + stations.lost.len(), count);
        let taken = atm.cells(Port(3)).map_or(0, |counters| counters.taken);
        stations.delivered.len() as f64 * 192.0 / taken as f64
    };
    let [plain, early] = [useful(None), useful(Some(400))];
    assert!(plain < 0.2, "plain overflow damages nearly every PDU: {plain}");
    // The three trains under way need at most 2 * 192 cells more than the threshold.
    assert!((early - 1.0).abs() < 1e-12, "{early}");
}

#[test]
fn a_frame_for_everyone_comes_to_all_others_and_is_held_until_the_last() {
    let parameters = switched(4, Switch::default());
    let offers = [(1, Destination::Everyone, 1_500, 0), (0, to(3), 9_180, 0), (2, to(2), 40, 0)];
    let Run { fabric: atm, stations, .. } = run(parameters, &offers);
    assert_eq!([0, 1, 2].map(|number| stations.ports_of(number)), [vec![0, 2, 3], vec![3], vec![2]]);
    assert_eq!((atm.held(), stations.lost.len()), (0, 0));
    let nowhere = [(0, to(9), 40, 0), (0, Destination::Link, 40, 0)];
    let Run { fabric: atm, stations, .. } = run(parameters, &nowhere);
    assert_eq!(stations.losses(), [(Loss::Error, 0), (Loss::Error, 1)]);
    assert_eq!((atm.held(), atm.counters(Port(0)).sent), (0, 2));
}

/// Offers whose instants coincide often: by cells, or anywhere.
fn offers(stations: u32) -> impl Strategy<Value = Vec<Offer>> {
    let instant = prop_oneof![(0..40_u64).prop_map(cells), 0..100_000_000_u64, Just(0)];
    let offer = (0..stations, 0..stations, 0..300_u32, instant);
    prop::collection::vec(offer.prop_map(|(from, on, bytes, at)| (from, to(on), bytes, at)), 1..60).prop_map(
        |mut offers| {
            offers.sort_by_key(|(.., at)| *at);
            offers
        },
    )
}

fn any_switch() -> impl Strategy<Value = Switch> {
    (1..12_u32, prop::option::of(1..12_u32)).prop_map(|(queue_cells, threshold)| Switch {
        queue_cells,
        early_packet_discard: threshold.map(|cells| cells.min(queue_cells)),
        latency: Span::ZERO,
    })
}

proptest! {
    /// The lazy queue gives what a list of all cells gives, to the picosecond.
    #[test]
    fn the_switch_does_to_each_cell_what_the_rules_say(
        (stations, offers) in (2..6_u32).prop_flat_map(|stations| (Just(stations), offers(stations))),
        switch in any_switch(),
    ) {
        let Run { fabric: atm, kernel, stations: seen, .. } = run(switched(stations, switch), &offers);
        let expected = naive::outcome(stations, switch, offers.len(), naive::cells(stations, &offers));
        let mut arrived = vec![None; offers.len()];
        for (at, port, frame) in &seen.delivered {
            prop_assert_eq!(frame.destination, to(*port));
            prop_assert!(arrived[number_of(frame) as usize].replace(*at).is_none());
        }
        prop_assert_eq!(&arrived, &expected);
        prop_assert_eq!(seen.delivered.len() + seen.lost.len(), offers.len());
        prop_assert_eq!(atm.held(), 0);
        let counted = (0..stations).map(|port| atm.counters(Port(port)));
        let totals = counted.fold((0, 0), |sum, port| (sum.0 + port.sent, sum.1 + port.received));
        prop_assert_eq!(totals, (offers.len() as u64, seen.delivered.len() as u64));
        let cells: u64 = offers.iter().map(|(_, _, bytes, _)| u64::from(bytes + 16).div_ceil(48)).sum();
        let looked = (0..stations).filter_map(|port| atm.cells(Port(port)));
        prop_assert_eq!(looked.map(|counters| counters.taken + counters.discarded).sum::<u64>(), cells);
        prop_assert!(kernel.happened() as usize <= 4 * offers.len());
    }

    /// Offered = delivered + lost + held, whenever one looks; and the same again gives the same.
    #[test]
    fn nothing_is_lost_sight_of_on_the_way(
        offers in offers(4),
        switch in any_switch(),
        steps in 0..200_u32,
        delay in 0..50_000_000_u64,
    ) {
        let parameters = Parameters { delay: Span::from_ps(delay), ..switched(4, switch) };
        let look = || {
            let mut run = prepare(parameters, &offers);
            for _ in 0..steps {
                run.step();
            }
            run
        };
        let Run { fabric: atm, kernel, stations, .. } = look();
        let known = stations.delivered.len() + stations.lost.len() + stations.waiting();
        prop_assert_eq!(known as u64 + atm.held(), offers.len() as u64);
        let again = look();
        prop_assert_eq!((stations, kernel.now()), (again.stations, again.kernel.now()));
    }
}
