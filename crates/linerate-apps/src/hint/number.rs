//! The kinds of number in which HINT calculates: all of its values are whole.

use std::ops::{Add, Mul, Sub};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kinds of number, by the names that people write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DataType {
    /// 64-bit floating point: whole numbers up to 2^53.
    #[default]
    Double,
    /// 32-bit whole numbers, of which HINT uses 31 bits.
    Int,
}

impl DataType {
    /// Bits of the task's area: as many as the largest whole number has that the kind carries exactly.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Double => <f64 as Number>::BITS,
            Self::Int => <u32 as Number>::BITS,
        }
    }

    /// What a subinterval takes: nine values, its error and its index. Unit: bytes.  Source: HINT's rule for memory, nine
    /// numbers, one error and one 32-bit index for each subinterval.
    #[must_use]
    pub const fn bytes_each(self) -> u64 {
        match self {
            Self::Double => 10 * 8 + 4,
            Self::Int => 10 * 4 + 4,
        }
    }
}

/// A kind of number. Nothing that HINT asks of it is inexact, or below zero.
pub(crate) trait Number:
    Copy + Default + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// See [`DataType::bits`].
    const BITS: u32;
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// A power of two below 2^BITS.
    fn power_of_two(exponent: u32) -> Self;
    /// This one times a whole number, such as a place in the grid.
    fn times(self, factor: u32) -> Self;
    /// The whole part of this one by `divisor`.
    fn whole_quotient(self, divisor: Self) -> Self;
    /// Half of an even number.
    fn half(self) -> Self;
    /// This one less `other`, or 0.
    fn less(self, other: Self) -> Self;
    /// The same number.
    fn whole(self) -> u64;
}

impl Number for f64 {
    const BITS: u32 = 53;
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    fn power_of_two(exponent: u32) -> Self {
        (1_u64 << exponent) as Self
    }

    #[inline]
    fn times(self, factor: u32) -> Self {
        self * Self::from(factor)
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the whole part is asked for"
    )]
    fn whole_quotient(self, divisor: Self) -> Self {
        // At most 2^27 by a divisor below 2^27: the quotient is never rounded up to a whole number.
        Self::from((self / divisor) as u32)
    }

    #[inline]
    fn half(self) -> Self {
        self * 0.5
    }

    #[inline]
    fn less(self, other: Self) -> Self {
        (self - other).max(0.0)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and at most 2^53")]
    fn whole(self) -> u64 {
        self as u64
    }
}

impl Number for u32 {
    const BITS: u32 = 31;
    const ZERO: Self = 0;
    const ONE: Self = 1;

    fn power_of_two(exponent: u32) -> Self {
        1 << exponent
    }

    #[inline]
    fn times(self, factor: u32) -> Self {
        self * factor
    }

    #[inline]
    fn whole_quotient(self, divisor: Self) -> Self {
        self / divisor
    }

    #[inline]
    fn half(self) -> Self {
        self >> 1
    }

    #[inline]
    fn less(self, other: Self) -> Self {
        self.saturating_sub(other)
    }

    #[inline]
    fn whole(self) -> u64 {
        u64::from(self)
    }
}
