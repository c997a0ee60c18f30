//! What is built of the plan of a medium, and the checks that plans share.

use linerate_core::caution::Caution;
use linerate_core::units::{Rate, Span};

use crate::error::{ModelError, require};
use crate::framing::Framing;

/// A medium that was built from its plan.
#[derive(Debug)]
pub struct Assembled<F> {
    /// What carries the frames.
    pub fabric: F,
    /// Rate of one station's line, line coding taken off.
    pub line_rate: Rate,
    /// How it frames packets.
    pub framing: Framing,
    /// Whether one line is all that the stations have together.
    pub shares_line: bool,
    /// Cautions about the plan.
    pub cautions: Vec<Caution>,
}

/// Glass fibre, one way. Unit: picoseconds per metre. Source: a refractive index of 1.5.
pub(crate) const FIBRE_PS_PER_METRE: f64 = 5_000.0;
/// The longest cable: a greater length is a mistake. Unit: metres.
const LONGEST_M: f64 = 40_000_000.0;
/// The longest latency of a station or a switch: a greater one is a mistake.
const LONGEST_LATENCY: Span = Span::from_ms(1_000);

/// The delay of the cable, one way.
pub(crate) fn delay(length_m: f64, ps_per_metre: f64) -> Result<Span, ModelError> {
    let ok = (0.0..=LONGEST_M).contains(&length_m);
    require(ok, "network.length-m", length_m, "it must be from 0 m to 40000 km")?;
    Ok(Span::from_seconds(length_m * ps_per_metre / 1e12))
}

/// Checks a latency that the plan gives under `key`.
pub(crate) fn latency(key: &'static str, latency: Span) -> Result<Span, ModelError> {
    require(latency <= LONGEST_LATENCY, key, latency, "it must be at most 1 s")?;
    Ok(latency)
}

/// What the fabric itself says against the plan's network.
pub(crate) fn refused(error: impl std::fmt::Display) -> ModelError {
    ModelError::value("network", "not possible", error.to_string())
}

/// Cautions about the keys, each with the reason, that are found to have no effect.
pub(crate) fn without_effect<const N: usize>(findings: [(&str, &str, bool); N]) -> Vec<Caution> {
    let unused = findings.into_iter().filter(|(_, _, unused)| *unused);
    unused.map(|(key, why, _)| Caution::WithoutEffect { key: key.to_owned(), why: why.to_owned() }).collect()
}
