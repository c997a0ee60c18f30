//! Memory with several threads, and across memory nodes.

use linerate_core::environment::Fact;
use linerate_core::host_limits::{MemoryLimits, MemoryNode, NodesRate, StreamRates, ThreadsRate};
use linerate_core::units::Span;

use super::arrays::{ELEMENT, array_bytes};
use super::context::Context;
use super::team::Team;
use super::{WrongResult, topology};

/// A trial of this many elements tells how large arrays the time allows.
const TRIAL: usize = 1 << 18;
/// What memory may be slower than the trial, which fits a cache, and what touching and checking take besides:
/// in passes.
const SLOWER: f64 = 3.0;
const BESIDES: u32 = 4;
/// Passes over the arrays that the time shall allow.
const PASSES: u32 = 3;
/// More memory nodes than these are not held against each other: pairs grow with their square.
const MOST_NODES: usize = 8;

/// What is the same in all passes.
pub(super) struct Ground {
    /// Caches, nodes and the size of the arrays.
    known: MemoryLimits,
    pairs: Vec<[MemoryNode; 2]>,
    /// Numbers of threads.
    counts: Vec<usize>,
}

impl Ground {
    /// By what a pass may take.
    pub(super) fn of(context: &mut Context<'_>, time: Span) -> Result<Self, WrongResult> {
        let caches = topology::caches(&context.cpus);
        let nodes = topology::nodes(&context.cpus);
        let pairs = pairs(nodes.known().map_or(&[][..], Vec::as_slice));
        let counts = thread_counts(context.cpus.len(), context.asked.quick);
        let mut ground =
            Self { known: MemoryLimits { caches, nodes, ..MemoryLimits::default() }, pairs, counts };
        let last = ground.known.caches.known().and_then(|caches| topology::last_caches_bytes(caches));
        let (bytes, caution) = array_bytes(last, time_allows(context, ground.share(time))?);
        context.cautions.extend(caution);
        ground.known.array_bytes = bytes;
        Ok(ground)
    }

    /// What one team has of the time.
    fn share(&self, time: Span) -> Span {
        time / (self.counts.len() + self.pairs.len()).max(1) as u64
    }

    /// The rates with 1, 2, 4 and so on threads, and across nodes, which takes about `time`.
    pub(super) fn measure(
        &self,
        context: &mut Context<'_>,
        time: Span,
    ) -> Result<Fact<MemoryLimits>, WrongResult> {
        let share = self.share(time);
        let mut found = self.known.clone();
        let elements = usize::try_from(found.array_bytes / ELEMENT).unwrap_or(TRIAL);
        for threads in &self.counts {
            let cpus = &context.cpus[..*threads];
            match team(context, (cpus, cpus), elements, share)? {
                Some(rates) => found.threads.push(ThreadsRate { threads: count(*threads), rates }),
                // With one pass there is no number.
                None if !context.goes_on() => return Ok(Fact::Known(found)),
                None => return Ok(Fact::unknown("the system does not give the memory for the arrays")),
            }
            if context.is_ended() {
                return Ok(Fact::Known(found));
            }
        }
        for [on, of] in &self.pairs {
            let rates = team(context, (&of.cpus, &on.cpus), elements, share)?;
            let rate = |rates| NodesRate {
                threads_on: on.node,
                memory_on: of.node,
                threads: count(on.cpus.len()),
                rates,
            };
            found.across_nodes.extend(rates.map(rate));
            if context.is_ended() {
                break;
            }
        }
        Ok(Fact::Known(found))
    }
}

fn team(
    context: &Context<'_>,
    (touchers, runners): (&[u32], &[u32]),
    elements: usize,
    time: Span,
) -> Result<Option<StreamRates>, WrongResult> {
    Team { touchers, runners, goes_on: &|| context.goes_on() }.measure(context.clock, elements, time)
}

/// The largest array that one thread touches, goes through and checks in `share`. Unit: bytes.
fn time_allows(context: &Context<'_>, share: Span) -> Result<u64, WrongResult> {
    let first = &context.cpus[..1];
    let began = context.clock.now();
    let trial = team(context, (first, first), TRIAL, Span::ZERO)?;
    let took = context.clock.now().since(began);
    let Some(trial) = trial else { return Ok(0) };
    let pass = took.as_seconds() / f64::from(trial.passes + BESIDES) * SLOWER;
    let trials = share.as_seconds() / (pass * f64::from(PASSES + BESIDES)).max(1e-12);
    Ok((trials * (TRIAL as u64 * ELEMENT) as f64) as u64)
}

/// 1, 2, 4 and so on, and all; in a quick measurement one and all.
fn thread_counts(processors: usize, quick: bool) -> Vec<usize> {
    let doubling = std::iter::successors(Some(1), |threads| Some(threads * 2));
    let mut counts: Vec<usize> = doubling.take_while(|threads| *threads < processors).collect();
    counts.push(processors.max(1));
    if quick {
        counts.retain(|threads| *threads == 1 || *threads == processors);
    }
    counts
}

/// Every node that has processors, with every such node whose memory it reaches. Empty where there is only one.
fn pairs(nodes: &[MemoryNode]) -> Vec<[MemoryNode; 2]> {
    let with: Vec<&MemoryNode> = nodes.iter().filter(|node| !node.cpus.is_empty()).take(MOST_NODES).collect();
    if with.len() < 2 {
        return Vec::new();
    }
    with.iter().flat_map(|on| with.iter().map(|of| [(*on).clone(), (*of).clone()])).collect()
}

fn count(threads: usize) -> u32 {
    u32::try_from(threads).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_threads_double_and_end_with_all() {
        assert_eq!(thread_counts(1, false), [1]);
        assert_eq!(thread_counts(2, false), [1, 2]);
        assert_eq!(thread_counts(6, false), [1, 2, 4, 6]);
        assert_eq!(thread_counts(8, false), [1, 2, 4, 8]);
        assert_eq!(thread_counts(6, true), [1, 6]);
        assert_eq!(thread_counts(1, true), [1]);
    }

    #[test]
    fn nodes_with_processors_are_paired_both_ways_and_with_themselves() {
        let node = |node, cpus: &[u32]| MemoryNode { node, cpus: cpus.into(), memory_bytes: Fact::Known(1) };
        let numbers =
            |nodes: &[MemoryNode]| pairs(nodes).iter().map(|[on, of]| (on.node, of.node)).collect::<Vec<_>>();
        assert_eq!(numbers(&[node(0, &[0, 1])]), []);
        // Node 1 has memory alone, as persistent or device memory has.
        assert_eq!(
            numbers(&[node(0, &[0, 1]), node(1, &[]), node(2, &[2, 3])]),
            [(0, 0), (0, 2), (2, 0), (2, 2)]
        );
    }
}
