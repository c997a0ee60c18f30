//! A switch with the rules written out: all cells of the run in one list, the queue as a list of
//! instants, and for each VC the receiver's list of cells. Gives when what arrives.

use std::collections::VecDeque;

use linerate_sim::atm::Switch;
use linerate_sim::frame::{Destination, Station};

use crate::support::stations::Offer;

/// Cell and unit of time of OC-3c: 331 250 000 / 117 picoseconds.
const CELL: u128 = 331_250_000;
const PER_PS: u128 = 117;

#[derive(Clone, Copy)]
pub(crate) struct Cell {
    at: u128,
    input: u32,
    output: u32,
    pdu: usize,
    place: u32,
    of: u32,
}

/// The cells as they come to the switch without delay.
pub(crate) fn cells(stations: u32, offers: &[Offer]) -> Vec<Cell> {
    let mut free = vec![0_u128; stations as usize];
    let mut cells = Vec::new();
    for (pdu, (input, destination, data_bytes, at)) in offers.iter().enumerate() {
        let Destination::Station(Station(output)) = *destination else { continue };
        let free = &mut free[*input as usize];
        let offered = u128::from(*at) * PER_PS;
        // What is offered within a picosecond after the line became free follows at once.
        let start = if *free > 0 && offered < *free + PER_PS { *free } else { offered };
        let of = (data_bytes + 16).div_ceil(48);
        cells.extend((0..of).map(|place| {
            let at = start + CELL * u128::from(place + 1);
            Cell { at, input: *input, output, pdu, place, of }
        }));
        *free = start + CELL * u128::from(of);
    }
    cells
}

/// When each PDU arrives; none if it does not.
pub(crate) fn outcome(stations: u32, switch: Switch, pdus: usize, mut cells: Vec<Cell>) -> Vec<Option<u64>> {
    let mut arrives = vec![None; pdus];
    for output in 0..stations {
        let mut here: Vec<Cell> = cells.extract_if(.., |cell| cell.output == output).collect();
        let mut last = stations - 1;
        // Instants at which what is in the queue leaves.
        let mut queue: VecDeque<u128> = VecDeque::new();
        let mut damaged = vec![false; pdus];
        let mut refused = vec![false; pdus];
        let mut vcs: Vec<Vec<Cell>> = vec![Vec::new(); stations as usize];
        let mut free = 0;
        while !here.is_empty() {
            let turn = |cell: &Cell| (cell.input + stations - last - 1) % stations;
            let first = (0..here.len()).min_by_key(|place| (here[*place].at, turn(&here[*place])));
            let cell = here.remove(first.expect("there is a cell"));
            while queue.front().is_some_and(|leaves| *leaves <= cell.at) {
                queue.pop_front();
            }
            let end = cell.place + 1 == cell.of;
            if let Some(threshold) = switch.early_packet_discard {
                refused[cell.pdu] |= cell.place == 0 && queue.len() >= threshold as usize;
                if refused[cell.pdu] || (damaged[cell.pdu] && !end) {
                    continue;
                }
            }
            if queue.len() >= switch.queue_cells as usize {
                damaged[cell.pdu] = true;
                continue;
            }
            free = cell.at.max(free) + CELL;
            queue.push_back(free);
            last = cell.input;
            let vc = &mut vcs[cell.input as usize];
            vc.push(cell);
            if end {
                let whole = vc.len() == cell.of as usize && vc.iter().all(|other| other.pdu == cell.pdu);
                arrives[cell.pdu] = whole.then(|| free.div_ceil(PER_PS) as u64);
                vc.clear();
            }
        }
    }
    arrives
}
