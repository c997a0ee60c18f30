//! Why a report cannot be rendered.

/// Why a report cannot be rendered. The texts fit "failed to ...".
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// NetPIPE's file has no place for a second curve, nor for none.
    #[error("write NetPIPE's np.out: np holds one curve and there are {curves}; report the runs one by one")]
    OneCurve {
        /// Curves in the report.
        curves: usize,
    },
    /// A CSV line could not be written.
    #[error("write CSV: {0}")]
    Csv(#[from] ::csv::Error),
    /// The report has no JSON form.
    #[error("write JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The graph library refused.
    #[error("draw the {graph} graph: {reason}")]
    Draw {
        /// Which graph.
        graph: String,
        /// Why, in the library's words.
        reason: String,
    },
    /// The page's template could not be filled.
    #[error("fill the page: {0}")]
    Page(#[from] askama::Error),
}
