//! Curves of models, measured as a run measures them.

use linerate_core::measure::{Exact, Method, Outcome, Unwatched, measure};
use linerate_core::pattern::Pattern;
use linerate_core::units::Span;
use linerate_sim::model;

use super::plans::plan;

/// How a model in which nothing is random is measured: each of `sizes` once.
pub(crate) fn once(pattern: Pattern, sizes: &[u64]) -> Method {
    Method {
        pattern,
        sizes: sizes.to_vec(),
        time: Span::from_ms(1),
        target: 0.01,
        rounds: 7,
        seed: 1,
        clock_cost: Span::ZERO,
        reserved: Span::ZERO,
        exact: Some(Exact::AT_ONCE),
    }
}

/// Measures `sizes` once over the model of `text`.
pub(crate) fn measured(text: &str, pattern: Pattern, sizes: &[u64]) -> Outcome {
    let mut curve = model::curve(&plan(text), None).unwrap_or_else(|error| panic!("{error} in {text}"));
    measure(&mut curve.bench, &once(pattern, sizes), &mut Unwatched)
}
