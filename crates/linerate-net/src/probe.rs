//! Micro-measurements of this host: what a call, a copied byte, a checksum and a wake-up cost.
//!
//! Each is many samples, not one number: their median and its interval show how certain it is.

pub(crate) mod call;
pub(crate) mod checksum;
mod copy;
mod place;
pub(crate) mod wake;

use std::io;

use linerate_core::stats::{Estimate, median_interval};
use linerate_core::units::Span;

use crate::observe::HostClock;

pub use place::{Place, place};

/// Fewer samples give no useful interval.
const FEWEST: usize = 15;
/// More add no information.
const MOST: usize = 2_000;

/// A micro-measurement.
#[derive(Clone, Debug)]
pub struct Probe {
    /// What was measured, in a few words.
    pub name: &'static str,
    /// Unit of the samples: `ns` or `ns/B`.
    pub unit: &'static str,
    /// In the order in which they were taken, the warm-up left out.
    pub samples: Vec<f64>,
}

/// All of them.
#[derive(Clone, Debug)]
pub struct Probes {
    /// A call of send or receive that moves nothing. Unit: ns.
    pub system_call: Probe,
    /// A byte from the application into the kernel. Unit: ns/B.
    pub copy_in: Probe,
    /// A byte from the kernel to the application. Unit: ns/B.
    pub copy_out: Probe,
    /// A byte copied within the application, in the cache. Unit: ns/B.
    pub copy_near: Probe,
    /// A byte copied within the application, beyond the last cache. Unit: ns/B.
    pub copy_far: Probe,
    /// A byte of a 16-bit one's complement sum, in the cache. Unit: ns/B.
    pub checksum: Probe,
    /// A byte written into a pipe and read from it by one thread. Unit: ns for both calls.
    pub pipe_turn: Probe,
    /// The same from one thread to another that sleeps, on another processor if there is one.
    /// Unit: ns one way.
    pub pipe_trip: Probe,
}

/// What could not be measured. Displayed after "failed to ...".
#[derive(Debug, thiserror::Error)]
#[error("measure {what}: {source}")]
pub struct ProbeError {
    /// Which.
    what: &'static str,
    /// What the operating system said.
    source: io::Error,
}

impl Probe {
    /// The median of the samples with its 95 % interval between two order statistics.
    ///
    /// # Panics
    ///
    /// Never: there are samples.
    #[must_use]
    pub fn estimate(&self) -> Estimate {
        median_interval(&self.samples).expect("a probe has samples")
    }
}

impl Probes {
    /// Takes all of them, which takes about `time`.
    ///
    /// # Errors
    ///
    /// Which one could not be taken, and why.
    pub fn take(clock: &HostClock, time: Span) -> Result<Self, ProbeError> {
        let sampler = Sampler { clock, time: time / 7 };
        let [copy_in, copy_out] = copy::kernel(&sampler)?;
        Ok(Self {
            system_call: call::system_call(&sampler)?,
            copy_in,
            copy_out,
            copy_near: copy::near(&sampler),
            copy_far: copy::far(&sampler),
            checksum: checksum::checksum(&sampler),
            pipe_turn: wake::turn(&sampler)?,
            pipe_trip: wake::trip(&sampler)?,
        })
    }

    /// Every one, in a fixed order.
    #[must_use]
    pub fn all(&self) -> [&Probe; 8] {
        [
            &self.system_call,
            &self.copy_in,
            &self.copy_out,
            &self.copy_near,
            &self.copy_far,
            &self.checksum,
            &self.pipe_turn,
            &self.pipe_trip,
        ]
    }
}

/// Takes samples for a time.
pub(crate) struct Sampler<'a> {
    pub(crate) clock: &'a HostClock,
    pub(crate) time: Span,
}

impl Sampler<'_> {
    /// Samples of `one` until the time is over. The first is warm-up.
    pub(crate) fn sample<T, E>(&self, mut one: impl FnMut() -> Result<T, E>) -> Result<Vec<T>, E> {
        one()?;
        let start = self.clock.now();
        let mut samples = Vec::with_capacity(MOST);
        while samples.len() < FEWEST || (samples.len() < MOST && self.clock.now().since(start) < self.time) {
            samples.push(one()?);
        }
        Ok(samples)
    }

    /// What `work` takes. Unit: nanoseconds.
    pub(crate) fn nanoseconds<E>(&self, work: impl FnOnce() -> Result<(), E>) -> Result<f64, E> {
        let start = self.clock.now();
        work()?;
        Ok(self.clock.now().since(start).as_ps() as f64 / 1e3)
    }
}

/// Names what failed.
fn failed(what: &'static str) -> impl Fn(io::Error) -> ProbeError {
    move |source| ProbeError { what, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_probe_has_samples_and_an_interval_that_holds_its_median() {
        let probes = Probes::take(&HostClock::start(), Span::from_ms(70)).expect("this host can be probed");
        for probe in probes.all() {
            let estimate = probe.estimate();
            assert!(probe.samples.len() >= FEWEST && probe.samples.len() <= MOST, "{}", probe.name);
            let [low, high] = estimate.interval.expect("there are enough samples");
            assert!(low <= estimate.median && estimate.median <= high, "{}: {estimate:?}", probe.name);
            assert!(probe.samples.iter().all(|sample| sample.is_finite()), "{}", probe.name);
            println!("{}: {:.3} {} ({low:.3} to {high:.3})", probe.name, estimate.median, probe.unit);
        }
        // What one thread does is less than the same with a second to wake.
        assert!(probes.pipe_trip.estimate().median > 0.0 && probes.system_call.estimate().median > 0.0);
    }
}
