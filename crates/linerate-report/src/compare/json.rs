//! A comparison as JSON.

use linerate_analysis::compare::{Comparison, Outcome};
use linerate_core::generator::GENERATOR;
use serde::Serialize;

use super::verdict;
use crate::error::RenderError;

/// The version of this form.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct View<'a> {
    format: u32,
    generator: &'static str,
    /// Whether something is worse by more than the threshold.
    finding: bool,
    /// The first sentence.
    verdict: String,
    #[serde(flatten)]
    outcome: Outcome,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

/// `comparison` as indented JSON: ratios and differences are of the candidate to the base, times are
/// one-way in us, sizes in bytes, shares from 0 to 1.
///
/// # Errors
///
/// [`RenderError::Json`] when a field has no JSON form.
pub fn json(comparison: &Comparison) -> Result<String, RenderError> {
    let finding = comparison.findings().next().is_some();
    let (verdict, outcome) = (verdict::sentence(comparison), comparison.outcome(false));
    let view = View { format: FORMAT, generator: GENERATOR, finding, verdict, outcome, comparison };
    Ok(serde_json::to_string_pretty(&view)? + "\n")
}
