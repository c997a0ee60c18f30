//! ATM: the closed forms of cells and rates; the switch has its own file.

mod naive;
mod switch;

use linerate_core::units::Span;
use linerate_sim::atm::{Atm, Encapsulation, Line, Parameters, ParametersError, Switch, Topology};

use crate::support::stations::{Offer, Run, to};

/// Time of a cell of OC-3c: 424 bits at 149.76 Mb/s. Unit: picoseconds, as a fraction.
const CELL: [u128; 2] = [424_000_000_000_000, 149_760_000];

/// When this many cells of OC-3c have passed, to the picosecond in which that lies.
fn cells(count: u64) -> u64 {
    (u128::from(count) * CELL[0]).div_ceil(CELL[1]) as u64
}

fn prepare(parameters: Parameters, offers: &[Offer]) -> Run<Atm> {
    let atm = Atm::new(parameters).expect("such a network can be");
    Run::new(atm, offers)
}

/// Makes all offers.
fn run(parameters: Parameters, offers: &[Offer]) -> Run<Atm> {
    prepare(parameters, offers).finished()
}

fn switched(stations: u32, switch: Switch) -> Parameters {
    Parameters::switched(stations, switch)
}

/// Payload in Mb/s when each of `count` PDUs of `data_bytes` carries this much of it; their times
/// are held to the picosecond on the way.
fn saturated_mbps(encapsulation: Encapsulation, data_bytes: u32, payload_bytes: u32) -> f64 {
    let count = 20_000;
    let delay = Span::from_us(5);
    let parameters = Parameters { encapsulation, delay, ..Parameters::default() };
    let Run { kernel, stations, .. } = run(parameters, &vec![(0, to(1), data_bytes, 0); count as usize]);
    let size = u64::from(encapsulation.cells(data_bytes));
    for (number, at) in stations.instants().into_iter().enumerate() {
        assert_eq!(at, cells(size * (number as u64 + 1)) + delay.as_ps());
    }
    assert_eq!(stations.delivered.len() as u64, count);
    // One event for each offer; the rest are the network's.
    assert_eq!(kernel.happened() - count, 2 * count, "two events a PDU");
    let end = stations.delivered.last().map_or(0, |(at, ..)| *at) - delay.as_ps();
    f64::from(payload_bytes) * 8.0 * count as f64 / end as f64 * 1e6
}

#[test]
fn a_saturated_line_carries_what_the_cells_leave() {
    let llc = Encapsulation::LlcSnap;
    for (name, encapsulation, data_bytes, payload_bytes, expected) in [
        ("TCP, MTU 1500", llc, 1_500, 1_460, 128.921),
        ("TCP, MTU 9180", llc, 9_180, 9_140, 134.513),
        ("TCP with timestamps, MTU 9180", llc, 9_180, 9_128, 134.337),
        ("UDP, MTU 9180", llc, 9_180, 9_152, 134.690),
        ("payload of IP, MTU 9180", llc, 9_180, 9_160, 134.808),
        ("all that the cells carry", Encapsulation::VcMultiplexed, 9_160, 9_168, 135.632),
    ] {
        let mbps = saturated_mbps(encapsulation, data_bytes, payload_bytes);
        assert!((mbps - expected).abs() < 0.000_6, "{name}: {mbps}");
    }
}

#[test]
fn padding_and_cells_are_those_of_aal5() {
    let cells = |data_bytes| Encapsulation::LlcSnap.cells(data_bytes);
    // 9180 + 8 + 8 = 9196 bytes and 20 of padding; an acknowledgement of 40 bytes does not fit one cell.
    assert_eq!([cells(9_180), 192 * 48 - 9_196], [192, 20]);
    assert_eq!([cells(1_500), cells(40), cells(32), cells(33), cells(0)], [32, 2, 1, 2, 1]);
    let multiplexed = |data_bytes| Encapsulation::VcMultiplexed.cells(data_bytes);
    assert_eq!([multiplexed(40), multiplexed(41), multiplexed(0), multiplexed(65_535)], [1, 2, 1, 1_366]);
    let [llc, none] =
        [Encapsulation::LlcSnap, Encapsulation::VcMultiplexed].map(Encapsulation::max_data_bytes);
    assert_eq!([llc, none], [65_527, 65_535]);
}

#[test]
fn one_pdu_takes_its_cells_and_through_a_switch_one_cell_more() {
    let [delay, latency] = [Span::from_ps(12_345), Span::from_us(7)];
    for (data_bytes, count) in [(32, 1), (40, 2), (1_500, 32), (9_180, 192), (65_527, 1_366)] {
        let offer = [(0, to(1), data_bytes, 1_000)];
        let direct = Parameters { delay, mtu_bytes: 65_527, ..Parameters::default() };
        let Run { stations, .. } = run(direct, &offer);
        assert_eq!(stations.delivered[0].0, 1_000 + cells(count) + 12_345);
        assert_eq!(stations.sent, [(1_000 + cells(count), 0)], "seen when its last bit has left");
        let switch = Switch { latency, ..Switch::default() };
        let topology = Topology::Switched { stations: 3, switch };
        let Run { stations, .. } = run(Parameters { topology, ..direct }, &offer);
        assert_eq!(stations.delivered[0].0, 1_000 + cells(count + 1) + 2 * 12_345 + latency.as_ps());
    }
}

#[test]
fn a_cell_takes_the_time_of_its_line() {
    for (line, cells_per_2_seconds) in
        [(Line::OC3C, 706_415), (Line::OC12C, 2_825_660), (Line::DS3, 192_000), (Line::E3, 160_000)]
    {
        // Rates of cells to the half: 353 207.5 a second on OC-3c (rounded down from 353 207.547...).
        assert_eq!(line.payload_bits_per_second * 2 / 424, cells_per_2_seconds);
        let Run { stations, .. } = run(Parameters { line, ..Parameters::default() }, &[(1, to(0), 32, 0)]);
        let exact = CELL[0].div_ceil(u128::from(line.payload_bits_per_second));
        assert_eq!(u128::from(stations.delivered[0].0), exact);
    }
}

#[test]
fn both_directions_and_other_outputs_do_not_disturb_each_other() {
    let one: Vec<Offer> = (0..200).map(|_| (0, to(1), 1_500, 0)).collect();
    let back: Vec<Offer> = (0..300).map(|_| (1, to(0), 700, 0)).collect();
    let both = [one.clone(), back].concat();
    for parameters in [Parameters::default(), switched(2, Switch::default())] {
        let times = |offers: &[Offer]| {
            let Run { stations, .. } = run(parameters, offers);
            stations.instants_at(1)
        };
        assert_eq!(times(&one), times(&both));
    }
}

#[test]
fn what_cannot_be_built_is_named_with_its_range() {
    let refused = |parameters| Atm::new(parameters).map(|_| ()).expect_err("it cannot be built").to_string();
    let mtu = Parameters { mtu_bytes: 65_528, ..Parameters::default() };
    assert_eq!(refused(mtu), "build an ATM network: an MTU of 65528 bytes; AAL5 carries from 1 to 65527");
    let switch = Switch::default();
    assert_eq!(
        refused(switched(0, switch)),
        "build an ATM network: 0 stations on a switch; there are from 2 to 1024"
    );
    let line = Line { payload_bits_per_second: 0 };
    assert!(refused(Parameters { line, ..Parameters::default() }).contains("from 1 to 10^12"));
    let none = Switch { queue_cells: 0, ..switch };
    assert_eq!(switched(2, none).validate(), Err(ParametersError::Queue { cells: 0 }));
    let over = Switch { queue_cells: 7, early_packet_discard: Some(8), ..switch };
    assert_eq!(switched(2, over).validate(), Err(ParametersError::Threshold { cells: 8, queue: 7 }));
}

#[test]
#[should_panic(expected = "9181 bytes, more than the MTU of 9180")]
fn a_packet_over_the_mtu_is_a_mistake_of_the_client() {
    run(Parameters::default(), &[(0, to(1), 9_181, 0)]);
}
