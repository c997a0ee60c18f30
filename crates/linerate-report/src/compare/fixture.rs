//! Sides made by arithmetic.

use linerate_analysis::compare::{Comparison, Question, compare};
use linerate_analysis::report::NamedRun;
use linerate_core::environment::Fact;
use linerate_core::units::Span;

use super::super::fixture::GIGABIT;

/// `each` runs a side of the gigabit link; the candidate's take 1.2 times as long from 64 KiB on and have
/// another kernel.
pub(crate) fn comparison(each: usize) -> Comparison {
    let side = |side: usize| (0..each).map(|nth| run(side, nth)).collect::<Vec<NamedRun>>();
    compare(&side(0), &side(1), &question()).expect("they can be compared")
}

pub(super) fn question() -> Question {
    Question { began: |started| started.get(8..10)?.parse().ok(), ..Question::default() }
}

/// Run `nth` of a side, of which no two are alike.
pub(super) fn run(side: usize, nth: usize) -> NamedRun {
    let mut named = GIGABIT.run();
    named.name = format!("{}-{}", ["before", "after"][side], nth + 1);
    named.run.id = named.name.clone();
    named.run.started = format!("2026-11-{:02}T12:00:00Z", 1 + 2 * nth + side);
    named.run.nodes[0].environment.kernel = Fact::Known(["6.1.0", "6.12.0"][side].to_owned());
    let own = 1.0 + 0.004 * ((nth * 7 + side * 3) % 5) as f64;
    for point in named.run.series.iter_mut().flat_map(|series| &mut series.points) {
        let factor = if side == 1 && point.size >= 65_536 { own * 1.2 } else { own };
        let longer = |span: &mut Span| *span = Span::from_seconds(span.as_seconds() * factor);
        for round in &mut point.rounds {
            [&mut round.median, &mut round.mean, &mut round.min, &mut round.max].into_iter().for_each(longer);
        }
    }
    named
}
