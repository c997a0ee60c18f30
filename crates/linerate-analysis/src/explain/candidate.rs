//! A bound with the share of the time that it accounts for.

use serde::Serialize;

use super::bound::Bound;

/// A bound with the share of the time that it accounts for, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// Which.
    pub bound: Bound,
    /// The share of the time, 0 to 1. Shares overlap where work does, so their sum may be more than 1. Absent if
    /// the file does not say.
    pub share: Option<f64>,
    /// What the share is computed from, or why it is not known.
    pub evidence: String,
}

impl Candidate {
    /// With a share, limited to what a share can be.
    pub(super) fn new(bound: Bound, share: f64, evidence: impl Into<String>) -> Self {
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        Self { bound, share: Some(share), evidence: evidence.into() }
    }

    /// Without one, and the reason.
    pub(super) fn unknown(bound: Bound, why: impl Into<String>) -> Self {
        Self { bound, share: None, evidence: why.into() }
    }

    /// The share, or none at all.
    pub(super) fn known_share(&self) -> f64 {
        self.share.unwrap_or(0.0)
    }
}
