use std::collections::BTreeSet;

use rstest::rstest;

use super::*;
use crate::experiment::design::{Design, cells};

fn full(levels: &[usize]) -> Vec<Vec<usize>> {
    cells(&Design::Full, levels, 0).expect("a small design").cells
}

fn order<'a>(cells: &'a [Vec<usize>], hard: &'a [bool], blocks: usize) -> Order<'a> {
    Order { cells, hard, blocks, seed: 3, check: None, in_turn: false }
}

/// The cells of a block in their order.
fn of_block(slots: &[Slot], block: usize) -> Vec<usize> {
    slots.iter().filter(|slot| slot.block == block).map(|slot| slot.cell).collect()
}

#[test]
fn each_block_has_every_cell_once_and_an_order_of_its_own() {
    let cells = full(&[2, 3, 2]);
    let slots = order(&cells, &[], 5).slots();
    let orders: BTreeSet<Vec<usize>> = (0..5).map(|block| of_block(&slots, block)).collect();
    assert_eq!(orders.len(), 5);
    for mut order in orders {
        order.sort_unstable();
        assert_eq!(order, (0..12).collect::<Vec<_>>());
    }
    assert!(slots.iter().all(|slot| slot.plot == slot.block && !slot.check));
    let other = Order { seed: 4, ..order(&cells, &[], 5) }.slots();
    assert_ne!(slots, other);
}

/// Each cell is at each place equally often: 6,000 blocks of 3 cells, 2,000 times each, sd 36.5.
#[test]
fn the_shuffle_prefers_no_place() {
    let cells = full(&[3]);
    let slots = order(&cells, &[], 6_000).slots();
    for cell in 0..3 {
        for place in 0..3 {
            let times = slots.chunks(3).filter(|block| block[place].cell == cell).count();
            assert!((1_850..2_150).contains(&times), "{cell} at {place}: {times}");
        }
    }
}

#[test]
fn hard_levels_change_only_between_plots() {
    let cells = full(&[2, 3, 2]);
    let slots = order(&cells, &[true, false, true], 4).slots();
    let plots: BTreeSet<usize> = slots.iter().map(|slot| slot.plot).collect();
    assert_eq!(plots.len(), 4 * 4, "four combinations of hard levels in each block");
    for plot in plots {
        let members: Vec<&Slot> = slots.iter().filter(|slot| slot.plot == plot).collect();
        assert_eq!(members.len(), 3);
        let hard: BTreeSet<[usize; 2]> =
            members.iter().map(|slot| [cells[slot.cell][0], cells[slot.cell][2]]).collect();
        assert_eq!(hard.len(), 1);
    }
    assert!(slots.windows(2).all(|pair| pair[0].plot == pair[1].plot || pair[0].plot + 1 == pair[1].plot));
}

#[test]
fn more_blocks_and_more_levels_keep_what_was() {
    let (few, many) = (full(&[2, 2]), full(&[2, 3]));
    let hard = [true, false];
    let slots = order(&few, &hard, 3).slots();
    assert_eq!(order(&few, &hard, 5).slots()[..slots.len()], slots[..]);
    let levels = |slots: &[Slot], cells: &[Vec<usize>]| -> Vec<(usize, Vec<usize>)> {
        slots.iter().map(|slot| (slot.block, cells[slot.cell].clone())).collect()
    };
    let mut grown = levels(&order(&many, &hard, 3).slots(), &many);
    grown.retain(|(_, cell)| cell[1] < 2);
    assert_eq!(grown, levels(&slots, &few));
}

#[rstest]
#[case::one_plot(&[false], 1)]
#[case::two_plots(&[true], 2)]
fn the_check_cell_comes_at_the_beginning_the_middle_and_the_end(#[case] hard: &[bool], #[case] plots: usize) {
    let cells = full(&[2, 4]);
    let slots = Order { check: Some(5), ..order(&cells, hard, 2) }.slots();
    for block in slots.chunks(8 + 3) {
        let places: Vec<usize> = (0..11).filter(|place| block[*place].check).collect();
        assert_eq!(places, [0, 5, 10]);
        assert!(places.iter().all(|place| block[*place].cell == 5));
        let used: BTreeSet<usize> = block.iter().map(|slot| slot.plot).collect();
        assert_eq!(used.len(), if plots == 1 { 1 } else { plots + 3 });
    }
    let only = full(&[1]);
    assert_eq!(Order { check: Some(0), ..order(&only, &[], 2) }.slots().len(), 2, "the only cell");
}

/// What a drift of `power` leaves in B - A, per step.
fn left(order: &[usize], power: i32) -> f64 {
    let mean = |cell: usize| {
        let times: Vec<f64> =
            order.iter().enumerate().filter(|(_, at)| **at == cell).map(|(time, _)| time as f64).collect();
        times.iter().map(|time| time.powi(power)).sum::<f64>() / times.len() as f64
    };
    mean(1) - mean(0)
}

#[test]
fn two_cells_in_turn_cancel_drift() {
    let cells = full(&[2]);
    let slots = Order { in_turn: true, ..order(&cells, &[], 4) }.slots();
    let order: Vec<usize> = slots.iter().map(|slot| slot.cell).collect();
    assert_eq!(order, [0, 1, 1, 0, 1, 0, 0, 1]);
    assert_eq!([left(&[0, 1, 0, 1], 1), left(&[0, 1, 0, 1], 2)], [1.0, 3.0], "as it would be without");
    assert_eq!([left(&order[..4], 1), left(&order[..4], 2)], [0.0, -2.0]);
    assert_eq!([left(&order, 1), left(&order, 2)], [0.0, 0.0]);
}

#[rstest]
#[case::even(4, 4, 1)]
#[case::odd(5, 10, 2)]
#[case::three(3, 6, 2)]
fn more_cells_in_turn_follow_each_other_equally_often(
    #[case] count: usize,
    #[case] rows: usize,
    #[case] times: usize,
) {
    let cells = full(&[count]);
    let slots = Order { in_turn: true, ..order(&cells, &[], rows) }.slots();
    let orders: Vec<Vec<usize>> = (0..rows).map(|block| of_block(&slots, block)).collect();
    if count == 4 {
        assert_eq!(orders, [[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]]);
    }
    for one in 0..count {
        for other in (0..count).filter(|other| *other != one) {
            let follows =
                orders.iter().flat_map(|order| order.windows(2)).filter(|pair| **pair == [one, other]);
            assert_eq!(follows.count(), times, "{other} after {one}");
        }
        assert!((0..count).all(|place| orders.iter().filter(|order| order[place] == one).count() == times));
    }
}
