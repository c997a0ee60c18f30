//! What an experiment found, as JSON.

use linerate_analysis::experiment::Findings;
use linerate_core::generator::GENERATOR;
use serde::Serialize;

use crate::error::RenderError;

/// The version of this form.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct View<'a> {
    format: u32,
    generator: &'static str,
    #[serde(flatten)]
    findings: &'a Findings,
}

/// `findings` as indented JSON: the first figure is the goal, levels and cells are numbered from 0, an effect is a
/// ratio where its figure has `is_ratio` and else a difference in the figure's unit.
///
/// # Errors
///
/// [`RenderError::Json`] when a field has no JSON form.
pub fn json(findings: &Findings) -> Result<String, RenderError> {
    let view = View { format: FORMAT, generator: GENERATOR, findings };
    Ok(serde_json::to_string_pretty(&view)? + "\n")
}
