//! What the path sustains one way, after a curve of round trips.

use linerate_core::measure::{Method, measure};
use linerate_core::run::{Run, Source};
use linerate_core::series::Series;
use linerate_core::units::Span;

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

/// Measures it over the connection that the pass has. One that fails or is interrupted costs nothing that was measured, and
/// gives nothing.
pub(super) fn look(subject: &mut impl CurveSubject, method: &Method, pass: u32, underway: &mut Underway<'_>) {
    let Some(curve) = underway.run.series.last() else { return };
    // A trial that was ended has taken the connection with it.
    if method.time == Span::ZERO || curve.late.is_some() {
        return;
    }
    // All passes with the size of the first.
    let earlier = underway.run.sustained.take().filter(|sustained| !sustained.points.is_empty());
    let method = match &earlier {
        Some(earlier) => {
            Method { sizes: earlier.points.iter().map(|point| point.size).collect(), ..method.clone() }
        }
        None => method.clone().at_best_size(curve),
    };
    let mut sustained = earlier.unwrap_or_else(|| Series::new(method.pattern, &method.sizes));
    underway.line.doing("messages one way, to see what the path sustains");
    sustained.add_pass(pass, measure(subject.bench(), &method, &mut Quiet(underway)).series);
    underway.run.sustained = Some(sustained);
}
