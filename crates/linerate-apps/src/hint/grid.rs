//! The function of the task, (1 - x)/(1 + x) for x from 0 to 1, on a grid of whole numbers.

use super::number::Number;
use super::refine::Rectangle;

/// A grid of 2^b points, b bits of a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid<D> {
    /// How many steps x has.
    width: D,
    /// How many steps the value has: as many, or twice as many.
    height: D,
    width_bits: u32,
}

impl<D: Number> Grid<D> {
    /// The grid of all bits of the number.
    pub(crate) fn full() -> Self {
        Self::of_bits(D::BITS)
    }

    /// A grid of 2^`bits` points, at most those of the number.
    pub(crate) fn of_bits(bits: u32) -> Self {
        let width_bits = bits / 2;
        Self { width: D::power_of_two(width_bits), height: D::power_of_two(bits - width_bits), width_bits }
    }

    /// The whole numbers below and above the value at `x`, where 0 < x < width.
    #[inline]
    fn value(&self, x: D) -> [D; 2] {
        let (product, divisor) = (self.height * (self.width - x), self.width + x);
        let low = product.whole_quotient(divisor);
        let high = if low * divisor == product { low } else { low + D::ONE };
        [low, high]
    }

    /// The values at `x`, ends included: there they are exact.
    fn value_anywhere(&self, x: D) -> [D; 2] {
        if x == D::ZERO {
            [self.height; 2]
        } else if x == self.width {
            [D::ZERO; 2]
        } else {
            self.value(x)
        }
    }

    /// Chunk `index` of 2^`bits` equal ones, as one subinterval.
    pub(crate) fn chunk(&self, index: u32, bits: u32) -> Rectangle<D> {
        let width = D::power_of_two(self.width_bits - bits);
        let [left, right] = [width.times(index), width.times(index) + width];
        let ([low_left, high_left], [low_right, high_right]) =
            (self.value_anywhere(left), self.value_anywhere(right));
        Rectangle {
            left,
            right,
            width,
            high_left,
            low_left,
            high_right,
            low_right,
            upper: width * high_left,
            lower: width * low_right,
        }
    }

    /// The halves of a subinterval, left and right.
    #[inline]
    pub(crate) fn halves(&self, parent: &Rectangle<D>) -> [Rectangle<D>; 2] {
        let width = parent.width.half();
        let middle = (parent.left + parent.right).half();
        let [low, high] = self.value(middle);
        let left = Rectangle {
            right: middle,
            width,
            high_right: high,
            low_right: low,
            upper: width * parent.high_left,
            lower: width * low,
            ..*parent
        };
        let right = Rectangle {
            left: middle,
            width,
            high_left: high,
            low_left: low,
            upper: width * high,
            lower: width * parent.low_right,
            ..*parent
        };
        [left, right]
    }
}
