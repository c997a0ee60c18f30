//! What the path sustains one way, after a curve of round trips.

use linerate_core::measure::{Ended, Method, measure};
use linerate_core::run::{Run, Source};
use linerate_core::series::Series;
use linerate_core::units::Span;

use super::subject::CurveSubject;
use crate::command::conduct::{Stopped, Underway};
use crate::command::explained::Quiet;

/// The curve's method, and what is measured after it where a shaper may be on the way: over a real network, by streams.
pub(super) fn divided(method: Method, run: &Run) -> (Method, Option<Method>) {
    let modelled = matches!(run.source, Source::Modelled(_));
    if !modelled && run.crosses_network() && !run.plan.common.transport.is_datagram() {
        method.and_sustained()
    } else {
        (method, None)
    }
}

/// Measures it over the connection that the pass has.
///
/// # Errors
///
/// The path or the peer went away meanwhile.
pub(super) fn look(
    subject: &mut impl CurveSubject,
    method: &Method,
    pass: u32,
    underway: &mut Underway<'_>,
) -> Result<(), Stopped> {
    let Some(curve) = underway.run.series.last() else { return Ok(()) };
    // A trial that was ended has taken the connection with it.
    if curve.late.is_some() {
        return Ok(());
    }
    if method.time == Span::ZERO {
        if let Some(sustained) = &mut underway.run.sustained {
            sustained.needed = method.time_for_sustained(subject.bench(), None);
        }
        return Ok(());
    }
    // All passes with the size of the first.
    let earlier = underway.run.sustained.take().filter(|sustained| !sustained.points.is_empty());
    let all = method;
    let method = match &earlier {
        Some(earlier) => {
            Method { sizes: earlier.points.iter().map(|point| point.size).collect(), ..all.clone() }
        }
        None => all.clone().at_best_size(curve),
    };
    let mut sustained = earlier.unwrap_or_else(|| Series::new(method.pattern, &method.sizes));
    underway.line.doing("messages one way, to see what the path sustains");
    let outcome = measure(subject.bench(), &method, &mut Quiet(underway));
    let mut found = outcome.series;
    found.needed = all.time_for_sustained(subject.bench(), Some(&found));
    sustained.add_pass(pass, found);
    underway.run.sustained = Some(sustained);
    match outcome.ended {
        Ended::Failed(error) => Err(Stopped::Broken { reason: error.to_string() }),
        Ended::Complete | Ended::Interrupted => Ok(()),
    }
}
