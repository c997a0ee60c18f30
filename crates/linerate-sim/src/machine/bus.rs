//! The time of a transfer between memory and adaptor, and the order of transfers.

use linerate_core::units::{Span, Time};

use super::profile;

/// Towards the wire, or from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Out,
    In,
}

/// A bus, first come first served. A parallel one is one resource for both directions; lanes are
/// one for each.
#[derive(Clone, Debug)]
pub(super) struct Bus {
    law: Law,
    free: [Time; 2],
    busy: Span,
    /// What the last transfer took, by direction, and how many bytes it had: most are alike.
    last: [(u64, Span); 2],
}

/// What a transfer takes. Unit: picoseconds.
#[derive(Clone, Copy, Debug)]
struct Law {
    setup: Span,
    byte: f64,
    burst: u64,
    overhead: f64,
    shared: bool,
}

impl Bus {
    pub(super) fn new(bus: &profile::Bus) -> Self {
        let law = match *bus {
            profile::Bus::Pci { width_bits, clock_mhz, burst, overhead_clocks, setup } => {
                let clock = 1e6 / clock_mhz;
                let byte = clock * 8.0 / f64::from(width_bits);
                let overhead = clock * overhead_clocks;
                Law { setup, byte, burst: burst.bytes(), overhead, shared: true }
            }
            profile::Bus::Pcie { lane_mbps, lanes, payload, overhead, setup } => {
                let byte = 8e6 / (lane_mbps * f64::from(lanes));
                let overhead = byte * f64::from(overhead);
                Law { setup, byte, burst: payload.bytes(), overhead, shared: false }
            }
            profile::Bus::Memory => {
                Law { setup: Span::ZERO, byte: 0.0, burst: u64::MAX, overhead: 0.0, shared: false }
            }
        };
        let nothing = (0, law.span(0));
        Self { law, free: [Time::ZERO; 2], busy: Span::ZERO, last: [nothing; 2] }
    }

    /// Transfers `bytes` as soon as the bus is free; returns when that is done.
    pub(super) fn transfer(&mut self, bytes: u64, direction: Direction, now: Time) -> Time {
        let lane = if self.law.shared { 0 } else { direction as usize };
        let last = &mut self.last[direction as usize];
        if last.0 != bytes {
            *last = (bytes, self.law.span(bytes));
        }
        let span = last.1;
        self.occupy(lane, span, now)
    }

    /// The same for a further part of what was set up before, on its way out.
    pub(super) fn continues(&mut self, bytes: u64, now: Time) -> Time {
        self.occupy(Direction::Out as usize, self.law.moving(bytes), now)
    }

    fn occupy(&mut self, lane: usize, span: Span, now: Time) -> Time {
        self.busy += span;
        self.free[lane] = self.free[lane].max(now) + span;
        self.free[lane]
    }

    /// How long it was busy, both directions together.
    pub(super) const fn busy(&self) -> Span {
        self.busy
    }
}

impl Law {
    /// The time of a transfer once it has the bus.
    fn span(&self, bytes: u64) -> Span {
        self.setup + self.moving(bytes)
    }

    /// That without its setup.
    fn moving(&self, bytes: u64) -> Span {
        let bursts = bytes.div_ceil(self.burst);
        let moving = bytes as f64 * self.byte + bursts as f64 * self.overhead;
        Span::from_seconds(moving / 1e12)
    }
}

#[cfg(test)]
mod tests {
    use linerate_core::units::Size;

    use super::*;

    fn pci(burst: u64) -> Bus {
        Bus::new(&profile::Bus::Pci {
            width_bits: 32,
            clock_mhz: 100.0 / 3.0,
            burst: Size(burst),
            overhead_clocks: 8.0,
            setup: Span::ZERO,
        })
    }

    /// Share of the bus's rate that is data. Source: reference notes D1: bursts of 8, 64 and 128
    /// words with 8 clocks of overhead each give 50, 89 and 94 %.
    #[test]
    fn longer_bursts_use_more_of_the_bus() {
        for (words, percent) in [(8, 50.0), (64, 88.9), (128, 94.1)] {
            let bus = pci(words * 4);
            let rate = 4096.0 / bus.law.span(4096).as_seconds();
            let share = rate / (4.0 * 1e8 / 3.0) * 100.0;
            assert!((share - percent).abs() < 0.1, "{words} words: {share} %");
        }
    }

    #[test]
    fn a_parallel_bus_is_shared_and_lanes_are_not() {
        let mut bus = pci(4096);
        let first = bus.transfer(1000, Direction::Out, Time::ZERO);
        assert_eq!(bus.transfer(1000, Direction::In, Time::ZERO).since(first), bus.law.span(1000));
        let mut lanes = Bus::new(&profile::Bus::Pcie {
            lane_mbps: 8000.0,
            lanes: 4,
            payload: Size(256),
            overhead: 24,
            setup: Span::ZERO,
        });
        let first = lanes.transfer(1000, Direction::Out, Time::ZERO);
        assert_eq!(lanes.transfer(1000, Direction::In, Time::ZERO), first);
        // Four packets' headers go with it: 1,096 B at 4 GB/s.
        assert_eq!(first, Time::ZERO + Span::from_ps(274_000));
    }

    #[test]
    fn memory_takes_no_time() {
        let mut bus = Bus::new(&profile::Bus::Memory);
        assert_eq!(bus.transfer(9000, Direction::Out, Time::from_ps(5)), Time::from_ps(5));
    }
}
