//! Orders in which cells take turns.

/// The order of so many cells in a block.
pub(super) fn turn(cells: usize, block: usize) -> Vec<usize> {
    match cells {
        0 => Vec::new(),
        2 if block.count_ones().is_multiple_of(2) => vec![0, 1],
        2 => vec![1, 0],
        _ => williams(cells, block),
    }
}

/// A row of the square of Williams for an even number of cells, and of the square and its mirror image for
/// an odd number: over all rows each cell directly follows each other one equally often.
/// Source: Williams, Experimental designs balanced for the estimation of residual effects of treatments,
/// Australian J. Scientific Research A 2 (1949).
fn williams(cells: usize, block: usize) -> Vec<usize> {
    let squares = if cells.is_multiple_of(2) { 1 } else { 2 };
    let row = block % (cells * squares);
    // 0, 1, n - 1, 2, n - 2, ...
    let zigzag = |place: usize| if place % 2 == 1 { place.div_ceil(2) } else { (cells - place / 2) % cells };
    let mut order: Vec<usize> = (0..cells).map(|place| (zigzag(place) + row) % cells).collect();
    if row >= cells {
        order.reverse();
    }
    order
}
