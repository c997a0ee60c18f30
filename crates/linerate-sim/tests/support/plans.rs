//! Models from plans as people write them.

use linerate_sim::plan::ModelPlan;

/// The plan in `text`.
pub(crate) fn plan(text: &str) -> ModelPlan {
    ModelPlan::from_toml(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}
