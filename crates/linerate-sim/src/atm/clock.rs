//! Instants of cells, exactly: a cell takes no whole number of picoseconds.

use linerate_core::units::{Span, Time};

use super::parameters::{CELL_BYTES, Line};

/// An instant or a span in the unit of a [`Clock`].
pub(super) type Ticks = u128;

/// Counts in fractions of a picosecond that fit the time of a cell.
///
/// The time of each cell is kept, not only when a line becomes free, because cells of other
/// stations come between at a switch; what is rounded is what is shown to the kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Unit: ticks a picosecond.
    per_ps: u128,
    /// Unit: ticks.
    cell: Ticks,
}

impl Clock {
    pub(super) const fn of(line: Line) -> Self {
        let cell = CELL_BYTES as u128 * 8 * 1_000_000_000_000;
        let rate = line.payload_bits_per_second as u128;
        let (mut a, mut b) = (cell, rate);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        Self { per_ps: rate / a, cell: cell / a }
    }

    /// The time of so many cells.
    pub(super) const fn cells(self, count: u32) -> Ticks {
        self.cell * count as u128
    }

    pub(super) const fn instant(self, time: Time) -> Ticks {
        time.as_ps() as u128 * self.per_ps
    }

    pub(super) const fn span(self, span: Span) -> Ticks {
        span.as_ps() as u128 * self.per_ps
    }

    /// The picosecond in which `instant` lies, rounded up.
    pub(super) const fn shown(self, instant: Ticks) -> Time {
        Time::from_ps(instant.div_ceil(self.per_ps) as u64)
    }

    /// When a line that is free from `free` begins what it is given at `now`. A line that became
    /// free within the present picosecond has not been idle.
    pub(super) const fn begin(self, free: Ticks, now: Time) -> Ticks {
        let now = self.instant(now);
        if free > now || (free > 0 && now - free < self.per_ps) { free } else { now }
    }
}
