//! How long an experiment may take, and what becomes of it when a cell fails.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use linerate_core::units::{Span, SpanText, optional_span};

/// How long an experiment may take, and what becomes of it when a cell fails.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Budget {
    /// It begins no other run after this; `experiment resume` goes on later. If absent, no limit is set, but a plan of
    /// more than a day asks for one.
    #[serde(with = "optional_span", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<SpanText>")]
    pub time: Option<Span>,
    /// A run that takes longer than this is ended, and has failed. If absent, ten minutes beyond what its task asks
    /// for.
    #[serde(with = "optional_span", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<SpanText>")]
    pub cell: Option<Span>,
    /// Wait this long before every run, for what the one before left behind.
    #[serde(with = "optional_span", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<SpanText>")]
    pub pause: Option<Span>,
    /// When a run fails.
    #[serde(skip_serializing_if = "OnFailure::is_go_on")]
    pub on_failure: OnFailure,
}

/// What becomes of an experiment when a run fails, or a level cannot be applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// Name the cell, and go on with the rest.
    #[default]
    GoOn,
    /// Stop. What is measured is kept, and `experiment resume` tries again.
    Stop,
}

impl OnFailure {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    const fn is_go_on(&self) -> bool {
        matches!(self, Self::GoOn)
    }
}
