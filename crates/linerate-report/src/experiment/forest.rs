//! What each level does, a row each, around the line of no change.

use linerate_analysis::experiment::{EffectFound, EffectVerdict, FigureFound, FigureName};
use linerate_analysis::figures::Better;

use super::axes::{differences, ratios};
use super::draw::{Kind, Row, rows};
use super::words;
use crate::figure::{Figure, Title};

/// An interval is drawn up to this many times as far as the effects lie.
const FAR: f64 = 2.0;

/// The chart of the effects of a figure, or of its `pairs`. Absent if none has a number.
pub(super) fn figure(figure: &FigureFound, effects: &[&EffectFound], id: &str) -> Option<Figure> {
    let known: Vec<&EffectFound> =
        effects.iter().copied().filter(|it| sound(&figure.figure, it).is_some()).collect();
    if known.is_empty() {
        return None;
    }
    let name = &figure.figure;
    let axis = axis(name, &known);
    let pairs = known.iter().all(|effect| effect.factors.len() > 1);
    let title = match pairs {
        false => format!("{}: what each level does against the base", name.title),
        true => format!("{}: what two factors do together beyond what each does", name.title),
    };
    let title = Title { id: id.to_owned(), title, caption: caption(figure, &known) };
    let effects: Vec<Row> = known.iter().map(|effect| row(name, effect)).collect();
    Some(rows(title, &axis, Some(if name.is_ratio { 1.0 } else { 0.0 }), &effects))
}

/// The change of an effect, if it has a place on the axis.
fn sound(figure: &FigureName, effect: &EffectFound) -> Option<f64> {
    effect.change.filter(|it| it.is_finite() && (!figure.is_ratio || *it > 0.0))
}

fn row(figure: &FigureName, effect: &EffectFound) -> Row {
    let mut words = words::change_of(figure, effect);
    if effect.interval.is_some() {
        words = format!("{words} ({})", words::interval_of(figure, effect));
    }
    if let Some(p) = effect.p {
        words = format!("{words}, {}", words::p_is(p));
    }
    Row {
        name: effect.what.clone(),
        values: effect.change.into_iter().collect(),
        interval: effect.interval.filter(|ends| ends.iter().all(|end| end.is_finite())),
        kind: Kind::of(effect.verdict),
        what: effect.verdict.name(),
        words: format!("{words}: {}", effect.verdict.name()),
        stands_out: false,
    }
}

/// From the least to the greatest effect, with their intervals as far as they do not press the others together.
fn axis(figure: &FigureName, known: &[&EffectFound]) -> crate::plot::Axis {
    let changes: Vec<f64> = known.iter().filter_map(|it| sound(figure, it)).collect();
    let ends = known.iter().filter_map(|it| it.interval).flatten();
    let [low, high] = changes
        .iter()
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], it| [low.min(*it), high.max(*it)]);
    let sides = match figure.better {
        Better::More => "\u{2190} worse, better \u{2192}",
        Better::Less => "\u{2190} better, worse \u{2192}",
        Better::Neither => "\u{2190} less, more \u{2192}",
    };
    if figure.is_ratio {
        let ends = ends.map(|end| end.clamp(low / FAR, high * FAR));
        let title = format!("{} as a ratio to the base ({sides})", figure.title);
        return ratios(&title, &changes.iter().copied().chain(ends).collect::<Vec<f64>>());
    }
    let far = (high.max(0.0) - low.min(0.0)) * FAR;
    let ends = ends.map(|end| end.clamp(low - far, high + far));
    let title = format!("difference in {} ({sides})", figure.title);
    differences(&title, &figure.unit, &changes.iter().copied().chain(ends).collect::<Vec<f64>>())
}

fn caption(figure: &FigureFound, known: &[&EffectFound]) -> String {
    let mut parts = Vec::new();
    for (verdict, shape) in [
        (EffectVerdict::Better, "Triangle up: better"),
        (EffectVerdict::Worse, "Triangle down: worse"),
        (EffectVerdict::Differs, "Diamond: differs"),
        (EffectVerdict::Small, "Disc: too small to matter"),
        (EffectVerdict::Inconclusive, "Hollow circle: inconclusive"),
        (EffectVerdict::Untested, "Hollow circle: not tested"),
    ] {
        if known.iter().any(|it| it.verdict == verdict) {
            parts.push(format!("{shape}."));
        }
    }
    if known.iter().any(|it| it.interval.is_some()) {
        parts.push(
            "Bars: 95 % intervals, each for itself; p and the verdict allow for everything that was asked."
                .to_owned(),
        );
    }
    if figure.by_lenth {
        parts.push("The noise was taken from the small effects, since nothing was repeated.".to_owned());
    }
    if known.iter().any(|it| !it.aliases.is_empty()) {
        parts.push("Some cannot be separated from others: the notes of the table name them.".to_owned());
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::plot::Mark;

    fn drawn(figure: &FigureFound) -> Option<Figure> {
        super::figure(figure, &figure.effects.iter().collect::<Vec<_>>(), "x")
    }

    /// The places of the points of what says `what`.
    fn points(chart: &Figure, what: &str) -> Vec<f64> {
        let layer = chart.layers.iter().find(|layer| layer.name == what).expect(what);
        let point = |mark: &Mark| match mark {
            Mark::Point { at, .. } => Some(chart.x.share(at.0)),
            _ => None,
        };
        layer.marks.iter().filter_map(point).collect()
    }

    #[test]
    fn what_is_more_stands_right_of_no_change_and_shapes_say_the_verdict() {
        let full = fixture::full();
        let peak = drawn(&full.figures[0]).expect("it has numbers");
        let better = points(&peak, "better");
        assert_eq!(better.len(), 2, "MTU and one buffer");
        assert!(better[0] > better[1] && better[1] > peak.x.share(1.0), "1.44, 1.06 and 1: {better:?}");
        assert_eq!(peak.layers[0].marks, [Mark::Rule { at: 1.0, width: crate::plot::UNIT }]);
        assert_eq!(points(&peak, "inconclusive").len(), 1, "the other buffer");
        let loss = drawn(&full.figures[2]).expect("it has numbers");
        assert!(
            points(&loss, "better")[0] < loss.x.share(0.0),
            "less loss is a difference below 0, and better"
        );
    }

    #[test]
    fn a_wide_interval_does_not_press_the_effects_together() {
        let mut full = fixture::full();
        full.figures[0].effects[2].interval = Some([1e-6, 1e6]);
        let better = points(&drawn(&full.figures[0]).expect("it has numbers"), "better");
        assert!(better[0] - better[1] > 0.1, "1.44 and 1.06 can be told apart: {better:?}");
    }

    #[test]
    fn effects_without_a_number_have_no_row() {
        let mut full = fixture::full();
        full.figures[0].effects.iter_mut().for_each(|effect| effect.change = None);
        assert!(drawn(&full.figures[0]).is_none());
    }
}
