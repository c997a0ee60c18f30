//! Measuring what this host could reach, in about a minute.
//!
//! Each number is the median over several passes, which are spread over the time, and its interval holds that of every
//! pass: a host is not the same from second to second. What cannot be measured is a
//! [`Fact`] with the reason. `docs/host.md` says how each is taken, and what it is not.

mod adaptors;
mod arrays;
mod calls;
mod context;
mod copies;
mod kernels;
mod memory;
mod packets;
mod state;
mod team;
mod topology;
mod wake;
mod working_set;

use std::fmt::Display;
use std::ops::ControlFlow;

use linerate_core::environment::Fact;
use linerate_core::host_limits::{HostLimits, Kernel, LimitCaution, NOT_REACHED};
use linerate_core::observation::Grade;
use linerate_core::stats::{Estimate, median_interval};
use linerate_core::units::Span;

use self::context::Context;
use self::state::StateWatch;
use crate::observe::HostClock;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// About how long it may take. With very little time it takes longer: each number needs a few samples.
    pub time: Span,
    /// Fewer sizes and numbers of threads.
    pub quick: bool,
}

impl Asked {
    /// All sizes, in a minute.
    pub const FULL: Self = Self { time: Span::from_ms(60_000), quick: false };
    /// Fewer of them, in ten seconds.
    pub const QUICK: Self = Self { time: Span::from_ms(10_000), quick: true };
}

/// Sees how far the measurement is, and may end it.
pub trait LimitsWatch: Send + Sync {
    /// Part `number` of `all`, from 0, begins.
    fn part(&mut self, what: &str, number: usize, all: usize);

    /// Whether it goes on. If not, what was measured until then is kept.
    fn go_on(&self) -> ControlFlow<()>;
}

/// A loop over memory gave a wrong result: this host cannot be trusted. Displayed after "failed to ...".
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "validate the memory that was measured: element {element} of the result of {} is {found:e}, and not {expected:e}",
    kernel.name()
)]
pub struct WrongResult {
    /// Whose result it is.
    pub kernel: Kernel,
    /// The index of the first wrong element.
    pub element: usize,
    /// What it is.
    pub found: f64,
    /// What it should be.
    pub expected: f64,
}

/// Of the time, this share in percent goes to STREAM, working sets, copies, calls and packets; the rest to noise.
const SHARES: [u64; 5] = [33, 27, 15, 15, 5];
/// So often everything is measured but the noise.
const PASSES: usize = 5;
/// Parts, as they are counted to the user.
const PARTS: [&str; 6] = [
    "memory with several threads",
    "memory by working set",
    "copies and checksums by size",
    "calls and wake-ups",
    "received packets",
    "noise",
];
/// The last of them, which is no part of a pass.
const NOISE: usize = PARTS.len() - 1;

/// Measures this host, on a thread of its own: the calling thread keeps its processors.
///
/// # Errors
///
/// When a loop over memory gave a wrong result.
pub fn measure(
    clock: &HostClock,
    asked: Asked,
    watch: &mut dyn LimitsWatch,
) -> Result<HostLimits, WrongResult> {
    std::thread::scope(|scope| {
        let measuring = scope.spawn(|| all(&mut Context::new(clock, asked, watch)));
        measuring.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Every part, one after the other, on the thread that measures.
fn all(context: &mut Context<'_>) -> Result<HostLimits, WrongResult> {
    let state = StateWatch::start(context.clock);
    let mut limits = HostLimits { quick: context.asked.quick, ..HostLimits::default() };
    limits.adaptors = adaptors::all();
    let pinned = context.pin();
    if let Err(error) = &pinned {
        limits.cautions.push(missing("pinning of threads to processors", error));
    }
    let mut memory = None;
    let mut passes = Vec::with_capacity(PASSES);
    while passes.len() < PASSES && (passes.is_empty() || !context.is_ended()) {
        passes.push(pass(context, &mut memory)?);
    }
    let passes = HostLimits::over_passes(&passes).unwrap_or_default();
    limits =
        HostLimits { quick: limits.quick, adaptors: limits.adaptors, cautions: limits.cautions, ..passes };
    let noise = context.part(NOISE);
    limits.state = state.finish(context.clock, noise);
    limits.interrupted = context.is_ended();
    limits.took = context.took();
    limits.cautions.append(&mut context.cautions);
    limits.cautions.extend(doubts(&limits, context.cpus.len()));
    Ok(limits)
}

/// Everything once. What the first pass found out of `memory` holds for all.
fn pass(context: &mut Context<'_>, memory: &mut Option<memory::Ground>) -> Result<HostLimits, WrongResult> {
    let mut of_memory = match context.part(0) {
        Some(time) => {
            let ground = match memory.take() {
                Some(known) => known,
                None => memory::Ground::of(context, time)?,
            };
            memory.insert(ground).measure(context, time)?
        }
        None => Fact::unknown(NOT_REACHED),
    };
    if let (Some(time), Fact::Known(memory)) = (context.part(1), &mut of_memory) {
        memory.working_sets = working_set::all(context, time, memory.array_bytes);
    }
    let copies = match context.part(2) {
        Some(time) => copies::all(context, time),
        None => Fact::unknown(NOT_REACHED),
    };
    let calls = match context.part(3) {
        Some(time) => Fact::Known(calls::all(context, time)),
        None => Fact::unknown(NOT_REACHED),
    };
    let packets = match context.part(4) {
        Some(time) => Fact::Known(packets::all(context, time)),
        None => Fact::unknown(NOT_REACHED),
    };
    Ok(HostLimits { memory: of_memory, copies, calls, packets, ..HostLimits::default() })
}

/// What the state of the host makes doubtful.
fn doubts(limits: &HostLimits, processors: usize) -> Vec<LimitCaution> {
    let mut found = Vec::new();
    let noise = limits.state.noise.known().filter(|noise| noise.grade() > Grade::B);
    found.extend(noise.map(|noise| LimitCaution::Noisy { lost_share: noise.share() }));
    let activity = &limits.state.activity;
    // A hundredth is what the grades of noise begin to doubt.
    let share = activity.throttled().share_of(activity.span);
    found.extend((share > 0.01).then_some(LimitCaution::Throttled { share }));
    let all = activity.span.as_seconds() * processors.max(1) as f64;
    let share = activity.steal.known().map_or(0.0, |steal| steal.as_seconds() / all.max(1e-9));
    found.extend((share > 0.01).then_some(LimitCaution::Stolen { share }));
    if !limits.interrupted {
        let memory = why(&limits.memory).map(|reason| missing("memory", reason));
        found.extend(memory.into_iter().chain(why(&limits.copies).map(|reason| missing("copies", reason))));
    }
    found
}

/// Why a fact is unknown. Absent if it is known.
fn why<T>(fact: &Fact<T>) -> Option<&str> {
    if let Fact::Unknown { unknown } = fact { Some(unknown) } else { None }
}

fn missing(part: &str, reason: impl Display) -> LimitCaution {
    LimitCaution::Missing { part: part.to_owned(), reason: reason.to_string() }
}

/// The median of the samples with its interval.
fn estimate(samples: &[f64]) -> Fact<Estimate> {
    median_interval(samples).map_or_else(|| Fact::unknown("no sample was taken"), Fact::Known)
}

#[cfg(test)]
mod tests;
