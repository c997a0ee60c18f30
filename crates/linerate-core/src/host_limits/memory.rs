//! Rates of memory: a variant of STREAM, and copies by working set.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::Fact;
use crate::stats::{Estimate, median_interval};
use crate::units::Span;

/// Rates of memory and caches. A rate is of bytes that a loop reads and writes, as STREAM counts them: what a cache
/// reads before it is written (write-allocate) does not count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MemoryLimits {
    /// Data caches that the usable processors have, from the first level to the last.
    pub caches: Fact<Vec<Cache>>,
    /// Each of the three arrays. Unit: bytes.
    pub array_bytes: u64,
    /// The kernels of STREAM with 1, 2, 4 and so on threads, and with one on each usable processor.
    pub threads: Vec<ThreadsRate>,
    /// Memory nodes (NUMA).
    pub nodes: Fact<Vec<MemoryNode>>,
    /// Threads of one node on memory of each node. Empty where there is only one node.
    pub across_nodes: Vec<NodesRate>,
    /// One thread on working sets from a small part of the first cache to beyond the last.
    pub working_sets: Vec<WorkingSet>,
}

/// A level of data caches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cache {
    /// From 1.
    pub level: u32,
    /// One of them. Unit: bytes.
    pub bytes: u64,
    /// How many there are for the processors that may be used.
    pub instances: u32,
}

/// A loop of STREAM over arrays of doubles.
///
/// Source: McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers", IEEE TCCA
/// Newsletter, December 1995.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// c = a
    Copy,
    /// b = s c
    Scale,
    /// c = a + b
    Add,
    /// a = b + s c
    Triad,
}

impl Kernel {
    /// All, in the order of a pass.
    pub const ALL: [Self; 4] = [Self::Copy, Self::Scale, Self::Add, Self::Triad];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Scale => "scale",
            Self::Add => "add",
            Self::Triad => "triad",
        }
    }

    /// Bytes that it reads and writes for each element.
    #[must_use]
    pub const fn bytes_per_element(self) -> u64 {
        match self {
            Self::Copy | Self::Scale => 16,
            Self::Add | Self::Triad => 24,
        }
    }
}

/// The rate of one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KernelRate {
    /// The best pass after the first, as STREAM reports it.
    pub best_bytes_per_second: f64,
    /// The median over the passes after the first, and its 95 % interval.
    pub bytes_per_second: Estimate,
}

impl KernelRate {
    /// From the times of all passes over `elements`. Absent with fewer than two passes.
    #[must_use]
    pub fn of(kernel: Kernel, elements: u64, times: &[Span]) -> Option<Self> {
        let bytes = elements.saturating_mul(kernel.bytes_per_element()) as f64;
        let timed = times.get(1..)?.iter().filter(|time| **time > Span::ZERO);
        let rates: Vec<f64> = timed.map(|time| bytes / time.as_seconds()).collect();
        let best_bytes_per_second = rates.iter().copied().reduce(f64::max)?;
        Some(Self { best_bytes_per_second, bytes_per_second: median_interval(&rates)? })
    }
}

/// The rates of all kernels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StreamRates {
    /// Passes over the arrays, with the first, which does not count.
    pub passes: u32,
    /// c = a: 16 bytes an element.
    pub copy: KernelRate,
    /// b = s c: 16 bytes an element.
    pub scale: KernelRate,
    /// c = a + b: 24 bytes an element.
    pub add: KernelRate,
    /// a = b + s c: 24 bytes an element.
    pub triad: KernelRate,
}

impl StreamRates {
    /// From the times of the kernels, [`Kernel::ALL`], in each pass. Absent with fewer than two passes.
    #[must_use]
    pub fn of(elements: u64, passes: &[[Span; 4]]) -> Option<Self> {
        let rate = |kernel: Kernel| {
            let times: Vec<Span> = passes.iter().map(|times| times[kernel as usize]).collect();
            KernelRate::of(kernel, elements, &times)
        };
        Some(Self {
            passes: u32::try_from(passes.len()).unwrap_or(u32::MAX),
            copy: rate(Kernel::Copy)?,
            scale: rate(Kernel::Scale)?,
            add: rate(Kernel::Add)?,
            triad: rate(Kernel::Triad)?,
        })
    }

    /// The rate of one kernel.
    #[must_use]
    pub const fn rate(&self, kernel: Kernel) -> &KernelRate {
        match kernel {
            Kernel::Copy => &self.copy,
            Kernel::Scale => &self.scale,
            Kernel::Add => &self.add,
            Kernel::Triad => &self.triad,
        }
    }
}

/// The rates of a number of threads together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadsRate {
    /// How many.
    pub threads: u32,
    /// Of all of them.
    pub rates: StreamRates,
}

/// A memory node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryNode {
    /// Its number.
    pub node: u32,
    /// Its processors that may be used.
    pub cpus: Vec<u32>,
    /// Its memory. Unit: bytes.
    pub memory_bytes: Fact<u64>,
}

/// Threads of one node on memory of a node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodesRate {
    /// Where the threads run.
    pub threads_on: u32,
    /// Whose threads touched the memory first, so that it is there.
    pub memory_on: u32,
    /// How many threads.
    pub threads: u32,
    /// Of all of them.
    pub rates: StreamRates,
}

/// One thread that goes through the same memory again and again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkingSet {
    /// All arrays of the loop together. Unit: bytes.
    pub bytes: u64,
    /// Of c = a, over two arrays.
    pub copy_bytes_per_second: Estimate,
    /// Of a = b + s c, over three arrays.
    pub triad_bytes_per_second: Estimate,
}
