//! Copies in this host's memory as the subject of a measurement.

use linerate_core::host_limits::HostLimits;
use linerate_core::measure::Method;
use linerate_core::plan::{Common, CurvePlan, Plan, PlanError};
use linerate_core::run::{Answering, EndState, Path, Run, Source};
use linerate_net::observe::{HostClock, pin_to};
use linerate_net::pair::PairError;
use linerate_net::transport::memory::MemoryBench;

use super::subject::CurveSubject;
use crate::command::conduct::Subject;
use crate::context::Context;
use crate::trouble::Trouble;

/// Copies between distinct buffers of one process.
pub(super) struct Memory {
    bench: MemoryBench,
    ends: [EndState; 2],
    pinned: Option<u32>,
    clock: HostClock,
    limits: Option<HostLimits>,
}

impl Memory {
    pub(super) fn prepare(
        plan: &Plan,
        clock: HostClock,
        limits: Option<HostLimits>,
    ) -> Result<Self, Trouble> {
        if let Some(host) = &plan.common.host {
            return Err(Trouble::new(
                format!("failed to copy to {host}: memory has no peer"),
                "leave the host out, or choose another --transport",
            ));
        }
        if let Some(cpu) = plan.common.local.pin {
            pin_to(cpu).map_err(|source| PairError::Pin { cpu, source })?;
        }
        let largest = plan.largest().map_err(|error| Trouble::plan(error, None))?;
        let bench = MemoryBench::new(clock, largest, &plan.common.memory).map_err(PairError::from)?;
        Ok(Self { bench, ends: <[EndState; 2]>::default(), pinned: plan.common.local.pin, clock, limits })
    }
}

impl Subject for Memory {
    fn source(&self) -> Source {
        Source::Loopback
    }

    fn set_hosts(&self, run: &mut Run) {
        let path = Path { transport: "memory".to_owned(), ..Path::default() };
        let [local, end] = self.ends.clone();
        run.set_star(local, vec![Answering { end, path }]);
        self.limits.iter().for_each(|limits| run.set_limits(limits));
    }

    fn finish(&mut self, _: &Context) -> Result<(), Trouble> {
        self.ends = self.bench.ends();
        self.ends.iter_mut().for_each(|end| end.granted.pinned = self.pinned);
        Ok(())
    }
}

impl CurveSubject for Memory {
    type Bench = MemoryBench;

    fn bench(&mut self) -> &mut MemoryBench {
        &mut self.bench
    }

    fn begin_again(&mut self, plan: &Plan, _pass: u32) -> Result<(), Trouble> {
        *self = Self::prepare(plan, self.clock, self.limits.take())?;
        Ok(())
    }

    fn method(&self, common: &Common, curve: &CurvePlan) -> Result<Method, PlanError> {
        Method::of(common, curve, self.bench.timing_clock().cost)
    }
}
