//! What others ask of the limits of a host.

use super::{CopyCost, HostLimits, Kernel, Processor, TargetState};
use crate::stats::Estimate;
use crate::units::{Rate, Span};

impl HostLimits {
    /// What it takes to copy `bytes` into the kernel and out of it, one after the other, calls included. Absent if it
    /// was not measured.
    ///
    /// Between two measured sizes the time is interpolated in size. Below the smallest it is that of the smallest, whose
    /// time is the calls'; above the largest it grows in proportion.
    #[must_use]
    pub fn copy_time(&self, bytes: u64) -> Option<Span> {
        self.cost(bytes, |cost| cost.into_kernel_ns.median + cost.out_of_kernel_ns.median)
    }

    /// What the slower of the two copies takes: what limits a stream whose ends have a processor each. Interpolated as
    /// [`copy_time`](Self::copy_time).
    #[must_use]
    pub fn slower_copy_time(&self, bytes: u64) -> Option<Span> {
        self.cost(bytes, |cost| cost.into_kernel_ns.median.max(cost.out_of_kernel_ns.median))
    }

    /// The rate at which `threads` threads read and write memory as they copy it: 16 bytes for each 8 that are copied.
    /// The most threads that were measured and are no more than these. Absent if it was not measured.
    #[must_use]
    pub fn memory_rate(&self, threads: u32) -> Option<Rate> {
        let measured = &self.memory.known()?.threads;
        let fits = measured.iter().filter(|it| it.threads <= threads);
        let found = fits.max_by_key(|it| it.threads)?;
        let bytes = found.rates.rate(Kernel::Copy).bytes_per_second.median;
        Some(Rate::from_bits_per_second(bytes * 8.0))
    }

    /// Into the kernel and back. Absent if it was not measured.
    #[must_use]
    pub fn system_call(&self) -> Option<Span> {
        self.calls.known()?.system_call_ns.known().map(median)
    }

    /// What it takes to wake a thread. Absent if it was not measured.
    #[must_use]
    pub fn wake_up(&self, processor: Processor, state: TargetState) -> Option<Span> {
        let all = &self.calls.known()?.wake_ups;
        let found = all.iter().find(|it| it.processor == processor && it.state == state)?;
        found.time_ns.known().map(median)
    }

    /// Interpolates a time in nanoseconds in size.
    fn cost(&self, bytes: u64, of: impl Fn(&CopyCost) -> f64) -> Option<Span> {
        let costs = self.copies.known()?;
        let (first, last) = (costs.first()?, costs.last()?);
        let ns = if bytes <= first.bytes {
            of(first)
        } else if bytes >= last.bytes {
            of(last) * (bytes as f64 / last.bytes as f64)
        } else {
            let pair = costs.windows(2).find(|pair| bytes <= pair[1].bytes)?;
            let share = (bytes - pair[0].bytes) as f64 / (pair[1].bytes - pair[0].bytes) as f64;
            of(&pair[0]) + share * (of(&pair[1]) - of(&pair[0]))
        };
        Some(Span::from_ps_rounded(ns.max(0.0) * 1e3))
    }
}

fn median(of: &Estimate) -> Span {
    Span::from_ps_rounded(of.median.max(0.0) * 1e3)
}
