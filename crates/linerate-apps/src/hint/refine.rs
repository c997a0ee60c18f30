//! The work of HINT: the subinterval that has waited the longest is halved, again and again.

use super::grid::Grid;
use super::number::Number;

/// A subinterval with what bounds the area in it: nine numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rectangle<D> {
    pub(crate) left: D,
    pub(crate) right: D,
    pub(crate) width: D,
    /// The whole number above the value at the left end.
    pub(crate) high_left: D,
    pub(crate) low_left: D,
    pub(crate) high_right: D,
    pub(crate) low_right: D,
    /// What the area in it cannot exceed: the function falls.
    pub(crate) upper: D,
    pub(crate) lower: D,
}

impl<D: Number> Rectangle<D> {
    /// How much of its error halving can remove; nothing if the grid has no point inside.  Source: HINT's kernel, 1994.
    #[inline]
    pub(crate) fn removable(&self) -> D {
        let both = (self.high_left - self.high_right) + (self.low_left - self.low_right);
        let sure = self.low_left.less(self.high_right);
        both * (self.width - D::ONE) - sure * self.width.less(D::ONE + D::ONE)
    }
}

/// What the area lies between, and with how many subintervals that is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) upper: u64,
    pub(crate) lower: u64,
    /// Fewer than were asked for if nothing is left to halve.
    pub(crate) subintervals: u64,
}

impl Bounds {
    /// Both together.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            upper: self.upper + other.upper,
            lower: self.lower + other.lower,
            subintervals: self.subintervals + other.subintervals,
        }
    }
}

/// Where subintervals are kept: a rectangle for each, and two places of the queue.
pub(crate) struct Room<'m, D> {
    pub(crate) rectangles: &'m mut [Rectangle<D>],
    pub(crate) queue: Queue<'m, D>,
}

/// Subintervals in the order in which they are halved. Nothing is put in a place twice.
pub(crate) struct Queue<'m, D> {
    pub(crate) errors: &'m mut [D],
    pub(crate) indices: &'m mut [u32],
    head: usize,
    tail: usize,
}

impl<'m, D: Number> Queue<'m, D> {
    /// An empty queue.
    pub(crate) const fn new(errors: &'m mut [D], indices: &'m mut [u32]) -> Self {
        Self { errors, indices, head: 0, tail: 0 }
    }

    /// Puts a subinterval at the end, unless halving it removes nothing.
    #[inline]
    fn push(&mut self, error: D, index: u32) {
        self.errors[self.tail] = error;
        self.indices[self.tail] = index;
        self.tail += usize::from(error > D::ZERO);
    }

    #[inline]
    fn pop(&mut self) -> Option<usize> {
        let place = self.head;
        self.head += 1;
        (place < self.tail && self.errors[place] > D::ZERO).then(|| self.indices[place] as usize)
    }
}

/// Halves subintervals, from those of `start` on, until there is one for each place in the room or nothing is left to
/// halve. Those of `start` have the largest error first.
pub(crate) fn refine<D: Number>(grid: &Grid<D>, start: &[Rectangle<D>], room: Room<'_, D>) -> Bounds {
    let Room { rectangles, mut queue } = room;
    for ((index, place), chunk) in (0..).zip(rectangles.iter_mut()).zip(start) {
        *place = *chunk;
        queue.push(chunk.removable(), index);
    }
    let mut count = start.len().min(rectangles.len());
    while count < rectangles.len() {
        let Some(parent) = queue.pop() else { break };
        let [left, right] = grid.halves(&rectangles[parent]);
        rectangles[parent] = left;
        rectangles[count] = right;
        let [of_left, of_right] = [left.removable(), right.removable()];
        // A plan has at most 2^31 subintervals.
        let [left, right] = [parent as u32, count as u32];
        if of_left >= of_right {
            queue.push(of_left, left);
            queue.push(of_right, right);
        } else {
            queue.push(of_right, right);
            queue.push(of_left, left);
        }
        count += 1;
    }
    let mut bounds = Bounds { subintervals: count as u64, ..Bounds::default() };
    for rectangle in &rectangles[..count] {
        bounds.upper += rectangle.upper.whole();
        bounds.lower += rectangle.lower.whole();
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds<D: Number>(bits: u32, subintervals: usize) -> Bounds {
        let grid = Grid::<D>::of_bits(bits);
        let mut rectangles = vec![Rectangle::default(); subintervals];
        let (mut errors, mut indices) = (vec![D::ZERO; 2 * subintervals], vec![0; 2 * subintervals]);
        let room = Room { rectangles: &mut rectangles, queue: Queue::new(&mut errors, &mut indices) };
        refine(&grid, &[grid.chunk(0, 0)], room)
    }

    fn gamut<D: Number>(bits: u32, subintervals: usize) -> u64 {
        let bounds = bounds::<D>(bits, subintervals);
        bounds.upper - bounds.lower
    }

    #[test]
    fn a_grid_of_8_bits_by_hand() {
        let published = [(2, 136), (3, 96), (4, 76), (5, 64), (6, 56), (8, 46), (10, 40)];
        for (subintervals, expected) in published {
            assert_eq!(gamut::<f64>(8, subintervals), expected, "n = {subintervals}");
            assert_eq!(gamut::<u32>(8, subintervals), expected, "n = {subintervals}, whole numbers");
        }
    }

    #[test]
    fn precision_ends_what_can_be_gained() {
        for (bits, expected) in [(16, 127.25), (24, 2047.25)] {
            let found = bounds::<f64>(bits, 1 << 16);
            assert!(found.subintervals < 1 << 16, "{found:?}");
            let all = (1_u64 << bits) as f64;
            let gain = all / (found.upper - found.lower) as f64 - 1.0;
            assert!((gain - expected).abs() < 0.005, "{bits} bits: {gain}");
            assert_eq!(bounds::<u32>(bits, 1 << 16), found);
        }
    }

    #[test]
    fn both_kinds_of_number_agree_where_both_are_exact() {
        for subintervals in [2, 3, 7, 100, 1_000, 10_000] {
            assert_eq!(
                bounds::<u32>(31, subintervals),
                bounds::<f64>(31, subintervals),
                "n = {subintervals}"
            );
        }
    }
}
