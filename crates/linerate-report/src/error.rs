//! Why a report cannot be rendered.

use linerate_analysis::report::{NamedRun, Report};
use linerate_core::plan::Level;

/// Why a report cannot be rendered. The texts fit "failed to ...".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// NetPIPE's file holds exactly one curve.
    #[error("write NetPIPE's np.out: np holds one curve and there are {curves}; report the runs one by one")]
    OneCurve {
        /// Curves in the report.
        curves: usize,
    },
    /// The format holds only curves, and the runs are of loads, meshes or applications.
    #[error(
        "write {form}: {form} holds curves and the runs are of loads{}, which .html, .csv and .json can hold",
        if *form == "svg" { "" } else { ", meshes or applications" }
    )]
    NoCurve {
        /// The format's name.
        form: &'static str,
    },
    /// The runs have no rows of the level that was asked for.
    #[error("list each {level}: none of the runs has any; ask for the level {}", either(possible))]
    NoLevel {
        /// What was asked for.
        level: Level,
        /// What there is.
        possible: Vec<String>,
    },
    /// A CSV line could not be written.
    #[error("write CSV: {0}")]
    Csv(#[from] ::csv::Error),
    /// The report has no JSON form.
    #[error("write JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The page's template could not be filled.
    #[error("fill the page: {0}")]
    Page(#[from] askama::Error),
}

/// Refuses a report without a curve, all of whose runs are of loads, meshes or applications, for a form that holds curves.
///
/// # Errors
///
/// [`RenderError::NoCurve`].
pub(crate) fn refuse_loads_alone(report: &Report, form: &'static str) -> Result<(), RenderError> {
    let is_other = |named: &NamedRun| named.has_loads() || named.has_mesh() || named.has_app();
    let others_alone = !report.runs.is_empty() && report.runs.iter().all(is_other);
    if others_alone && report.curves.is_empty() { Err(RenderError::NoCurve { form }) } else { Ok(()) }
}

/// `a, b or c`.
fn either(words: &[String]) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}
