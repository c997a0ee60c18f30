//! The curve of `measure`, or those of a window one way and both ways.

use linerate::{Stopped, Underway, measure_pass};
use linerate_core::bench::RunError;
use linerate_core::measure::Method;
use linerate_core::pattern::Pattern;
use linerate_core::plan::Plan;

use super::{AllRanks, failed, failed_to};
use crate::bench::{Conductor, Ranks};
use crate::host::Watching;

/// The patterns of a window.
pub(super) const OF_WINDOW: [Pattern; 2] = [Pattern::OneWay, Pattern::Exchange];
const LESS: &str = "lower --max-size or --working-set";

impl AllRanks {
    /// A curve of each of these `patterns`, or of the plan's own.
    pub(super) fn curves(
        &self,
        plan: &Plan,
        patterns: &[Pattern],
        watching: &mut Watching,
        underway: Option<&mut Underway<'_>>,
    ) -> Result<(), Stopped> {
        let common = &plan.common;
        let cost = watching.clock_cost();
        let largest = plan.largest().unwrap_or(1);
        let ranks = Ranks::new(&self.group, self.clock, largest, (common.mpi, &common.memory), watching);
        // Either all have the memory or none goes on.
        let there = self.group.collect(ranks.is_ok()).and_then(|all| {
            let own = (self.group.rank() == 0).then(|| all.into_iter().all(|there| there));
            self.group.share(own)
        });
        let mut ranks = ranks.map_err(|error| failed_to(error, LESS))?;
        if !there.map_err(|error| failed(error.into()))? {
            return Err(failed_to("hold the messages at another rank", LESS));
        }
        let Some(underway) = underway else { return ranks.follow().map_err(|error| failed(error.into())) };
        // Once it is dropped, the others no longer follow.
        let mut bench = Conductor::new(ranks);
        let asked = plan.curve().cloned().unwrap_or_default();
        let method = Method::of(common, &asked, cost)
            .map_err(|error| failed_to(format_args!("carry out the plan: {error}"), "change the sizes"))?;
        let own = [asked.pattern];
        for pattern in if patterns.is_empty() { &own } else { patterns } {
            bench.begin_again();
            let method = Method { pattern: *pattern, ..method.clone() };
            measure_pass(&mut bench, &method, underway, |_: &RunError| "the results so far are kept")?;
        }
        Ok(())
    }
}
