//! Copies in this host's memory as what is measured.

use linerate_core::measure::Method;
use linerate_core::plan::{Plan, PlanError};
use linerate_core::run::{End, Model, Path, Source};
use linerate_net::observe::{HostClock, pin_to};
use linerate_net::pair::PairError;
use linerate_net::transport::memory::MemoryBench;

use super::subject::Subject;
use crate::trouble::Trouble;

/// Copies between distinct buffers of one process.
pub(super) struct Memory {
    bench: MemoryBench,
    ends: [End; 2],
    pinned: Option<u32>,
}

impl Memory {
    pub(super) fn prepare(plan: &Plan, clock: HostClock) -> Result<Self, Trouble> {
        if let Some(host) = &plan.host {
            return Err(Trouble::new(
                format!("failed to copy to {host}: memory has no peer"),
                "leave the host out, or choose another --transport",
            ));
        }
        if let Some(cpu) = plan.local.pin {
            pin_to(cpu).map_err(|source| PairError::Pin { cpu, source })?;
        }
        let largest = plan.largest().map_err(|error| Trouble::plan(error, None))?;
        let bench = MemoryBench::new(clock, largest, &plan.memory).map_err(PairError::from)?;
        Ok(Self { bench, ends: <[End; 2]>::default(), pinned: plan.local.pin })
    }
}

impl Subject for Memory {
    type Bench = MemoryBench;

    fn bench(&mut self) -> &mut MemoryBench {
        &mut self.bench
    }

    fn source(&self) -> Source {
        Source::Loopback
    }

    fn ends(&self) -> (End, End, Path) {
        let path = Path { transport: "memory".to_owned(), ..Path::default() };
        let [local, remote] = self.ends.clone();
        (local, remote, path)
    }

    fn model(&self) -> Option<Model> {
        None
    }

    fn method(&self, plan: &Plan) -> Result<Method, PlanError> {
        Method::of(plan, self.bench.timing_clock().cost)
    }

    fn finish(&mut self) -> Result<(), Trouble> {
        self.ends = self.bench.ends();
        self.ends.iter_mut().for_each(|end| end.granted.pinned = self.pinned);
        Ok(())
    }
}
