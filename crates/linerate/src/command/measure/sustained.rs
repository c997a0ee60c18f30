//! What the path sustains one way, after a curve of round trips.

use linerate_core::measure::{Method, measure};
use linerate_core::run::{Run, Source};
use linerate_core::series::Series;

use super::explained::Quiet;
use super::subject::CurveSubject;
use crate::command::conduct::Underway;

/// The curve's method, and what is measured after it where a shaper may be on the way: over a real network, by streams.
pub(super) fn divided(method: Method, run: &Run) -> (Method, Option<Method>) {
    let modelled = matches!(run.source, Source::Modelled(_));
    if !modelled && run.crosses_network() && !run.plan.common.transport.is_datagram() {
        method.and_sustained()
    } else {
        (method, None)
    }
}

/// Measures it over the connection that there is. One that fails or is interrupted costs nothing that was measured, and
/// gives nothing.
pub(super) fn look(subject: &mut impl CurveSubject, method: &Method, underway: &mut Underway<'_>) {
    // A trial that was ended has taken the connection with it.
    if underway.run.series.iter().any(|series| series.late.is_some()) {
        return;
    }
    underway.line.doing("messages one way, to see what the path sustains");
    let outcome = measure(subject.bench(), method, &mut Quiet(underway));
    underway.run.sustained = Some(outcome.series).filter(|series: &Series| series.timed().next().is_some());
}
