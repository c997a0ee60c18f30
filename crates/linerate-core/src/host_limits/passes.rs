//! Several passes over everything that a host could reach, as one: what each figure is over all of them.

use super::{
    CallCosts, CopyCost, HostLimits, KernelRate, MemoryLimits, NodesRate, PacketCosts, StreamRates,
    ThreadsRate, WakeUp, WorkingSet,
};
use crate::environment::Fact;
use crate::stats::{Estimate, over_passes};

/// What has a value over several passes. There is at least one.
trait OverPasses: Clone {
    fn over(passes: &[&Self]) -> Self;
}

impl HostLimits {
    /// The first of several passes with every figure over all that have it. Absent without a pass.
    #[must_use]
    pub fn over_passes(passes: &[Self]) -> Option<Self> {
        let first = passes.first()?;
        Some(Self {
            memory: each(passes, |it| &it.memory),
            copies: each(passes, |it| &it.copies),
            calls: each(passes, |it| &it.calls),
            packets: each(passes, |it| &it.packets),
            ..first.clone()
        })
    }
}

/// A part of every pass, over all.
fn each<T, P: OverPasses>(passes: &[T], part: impl Fn(&T) -> &P) -> P {
    P::over(&passes.iter().map(part).collect::<Vec<_>>())
}

impl OverPasses for Estimate {
    fn over(passes: &[&Self]) -> Self {
        let all: Vec<Self> = passes.iter().copied().copied().collect();
        over_passes(&all).unwrap_or(all[0])
    }
}

impl<T: OverPasses> OverPasses for Fact<T> {
    fn over(passes: &[&Self]) -> Self {
        let known: Vec<&T> = passes.iter().filter_map(|pass| pass.known()).collect();
        if known.is_empty() { passes[0].clone() } else { Self::Known(T::over(&known)) }
    }
}

/// A row of a table, known by what it is of.
trait Row: OverPasses {
    fn is_of(&self, other: &Self) -> bool;
}

impl<T: Row> OverPasses for Vec<T> {
    fn over(passes: &[&Self]) -> Self {
        let row = |first: &T| {
            let same = |pass: &&Self| pass.iter().position(|row| row.is_of(first));
            let all: Vec<&T> = passes.iter().filter_map(|pass| Some(&pass[same(pass)?])).collect();
            T::over(&all)
        };
        passes[0].iter().map(row).collect()
    }
}

impl OverPasses for KernelRate {
    fn over(passes: &[&Self]) -> Self {
        let best = passes.iter().map(|pass| pass.best_bytes_per_second).fold(0.0, f64::max);
        Self { best_bytes_per_second: best, bytes_per_second: each(passes, |it| &it.bytes_per_second) }
    }
}

impl OverPasses for StreamRates {
    fn over(passes: &[&Self]) -> Self {
        Self {
            passes: passes.iter().map(|pass| pass.passes).fold(0, u32::saturating_add),
            copy: each(passes, |it| &it.copy),
            scale: each(passes, |it| &it.scale),
            add: each(passes, |it| &it.add),
            triad: each(passes, |it| &it.triad),
        }
    }
}

impl OverPasses for MemoryLimits {
    fn over(passes: &[&Self]) -> Self {
        Self {
            threads: each(passes, |it| &it.threads),
            across_nodes: each(passes, |it| &it.across_nodes),
            working_sets: each(passes, |it| &it.working_sets),
            ..passes[0].clone()
        }
    }
}

impl OverPasses for ThreadsRate {
    fn over(passes: &[&Self]) -> Self {
        Self { rates: each(passes, |it| &it.rates), ..*passes[0] }
    }
}

impl Row for ThreadsRate {
    fn is_of(&self, other: &Self) -> bool {
        self.threads == other.threads
    }
}

impl OverPasses for NodesRate {
    fn over(passes: &[&Self]) -> Self {
        Self { rates: each(passes, |it| &it.rates), ..*passes[0] }
    }
}

impl Row for NodesRate {
    fn is_of(&self, other: &Self) -> bool {
        (self.threads_on, self.memory_on) == (other.threads_on, other.memory_on)
    }
}

impl OverPasses for WorkingSet {
    fn over(passes: &[&Self]) -> Self {
        Self {
            bytes: passes[0].bytes,
            copy_bytes_per_second: each(passes, |it| &it.copy_bytes_per_second),
            triad_bytes_per_second: each(passes, |it| &it.triad_bytes_per_second),
        }
    }
}

impl Row for WorkingSet {
    fn is_of(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl OverPasses for CopyCost {
    fn over(passes: &[&Self]) -> Self {
        Self {
            bytes: passes[0].bytes,
            within_ns: each(passes, |it| &it.within_ns),
            into_kernel_ns: each(passes, |it| &it.into_kernel_ns),
            out_of_kernel_ns: each(passes, |it| &it.out_of_kernel_ns),
            checksum_ns: each(passes, |it| &it.checksum_ns),
        }
    }
}

impl Row for CopyCost {
    fn is_of(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl OverPasses for CallCosts {
    fn over(passes: &[&Self]) -> Self {
        Self {
            system_call_ns: each(passes, |it| &it.system_call_ns),
            socket_call_ns: each(passes, |it| &it.socket_call_ns),
            context_switch_ns: each(passes, |it| &it.context_switch_ns),
            futex_call_ns: each(passes, |it| &it.futex_call_ns),
            futex_wake_ns: each(passes, |it| &it.futex_wake_ns),
            wake_ups: each(passes, |it| &it.wake_ups),
            ..passes[0].clone()
        }
    }
}

impl OverPasses for WakeUp {
    fn over(passes: &[&Self]) -> Self {
        Self { time_ns: each(passes, |it| &it.time_ns), ..passes[0].clone() }
    }
}

impl Row for WakeUp {
    fn is_of(&self, other: &Self) -> bool {
        (self.processor, self.state) == (other.processor, other.state)
    }
}

impl OverPasses for PacketCosts {
    fn over(passes: &[&Self]) -> Self {
        Self {
            delivered_ns: each(passes, |it| &it.delivered_ns),
            kept_ns: each(passes, |it| &it.kept_ns),
            received_at_most_ns: each(passes, |it| &it.received_at_most_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(bytes: &[(u64, f64)]) -> HostLimits {
        let estimate = |median: f64| Estimate { median, interval: Some([median - 1.0, median + 1.0]) };
        let cost = |(bytes, median): &(u64, f64)| CopyCost {
            bytes: *bytes,
            within_ns: estimate(*median),
            into_kernel_ns: estimate(*median),
            out_of_kernel_ns: estimate(*median),
            checksum_ns: estimate(*median),
        };
        HostLimits { copies: Fact::Known(bytes.iter().map(cost).collect()), ..HostLimits::default() }
    }

    #[test]
    fn a_figure_is_over_the_passes_that_have_it() {
        let cut =
            HostLimits { copies: Fact::unknown("the measurement ended before"), ..HostLimits::default() };
        let passes = [pass(&[(64, 10.0), (128, 20.0)]), pass(&[(64, 13.0)]), pass(&[(64, 11.0)]), cut];
        let all = HostLimits::over_passes(&passes).expect("there are passes");
        let found: Vec<(u64, Estimate)> =
            all.copies.known().expect("three have it").iter().map(|it| (it.bytes, it.checksum_ns)).collect();
        let estimate = |median, interval| Estimate { median, interval: Some(interval) };
        assert_eq!(found, [(64, estimate(11.0, [9.0, 14.0])), (128, estimate(20.0, [19.0, 21.0]))]);
        assert!(all.calls.known().is_none() && HostLimits::over_passes(&[]).is_none());
    }
}
