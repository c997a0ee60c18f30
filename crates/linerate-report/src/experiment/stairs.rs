//! The steps of a staircase, from the base to what the kept ones do together.

use linerate_analysis::experiment::{Findings, Stairs, StepFound, StepVerdict};

use super::axes::around;
use super::draw::{Kind, Layers};
use super::words;
use crate::figure::{Aim, Figure, Title};
use crate::plot::{self, Mark, Shape, Sign, UNIT};

/// Widths of a step, of its interval and of the way to the next. Unit: quarter pixels.
const STEP: u32 = 5 * UNIT;
const INTERVAL: u32 = 2 * UNIT;
const WAY: u32 = UNIT;
/// How dark a step and the field behind the total are.
const DARK: f64 = 0.5;
const SHADE: f64 = 0.1;
/// What the marks of a row say.
const BASE: &str = "base";
const KEPT: &str = "kept";
const DROPPED: &str = "taken back";
const TOGETHER: &str = "together";

/// A row: where a step leads to.
struct Tread {
    name: String,
    /// The goal without and with it.
    values: Option<[f64; 2]>,
    /// Of the goal with it.
    interval: Option<[f64; 2]>,
    /// What it is: the next step begins where one that is the base or kept ends.
    what: &'static str,
    /// What it did, and the interval.
    words: String,
}

/// The chart of a staircase, the base at the top. Absent if nothing has a value.
pub(super) fn figure(findings: &Findings, stairs: &Stairs) -> Option<Figure> {
    let treads = treads(findings, stairs);
    let values = treads
        .iter()
        .flat_map(|it| it.values.into_iter().flatten().chain(it.interval.into_iter().flatten()))
        .collect::<Vec<f64>>();
    if values.is_empty() {
        return None;
    }
    let x = around(&stairs.goal, &stairs.unit, &values);
    let names: Vec<String> = treads.iter().map(|it| it.name.clone()).collect();
    let y = plot::rows(&names, treads.iter().map(|it| it.words.clone()).collect());
    let mut layers = Layers::over([&x, &y]);
    let mut level: Option<(f64, f64)> = None;
    for (nth, tread) in treads.iter().enumerate() {
        let Some([from, to]) = tread.values else { continue };
        let at = |value: f64| (value, nth as f64);
        let (kind, what) = match tread.what {
            DROPPED => (Kind::Pale, DROPPED),
            TOGETHER => (Kind::Differs, TOGETHER),
            _ => (Kind::Plain, KEPT),
        };
        let mut marks = Vec::new();
        if tread.what == TOGETHER {
            let [left, right] = x.range();
            marks.push(Mark::bar([(left, nth as f64 - 0.5), (right, nth as f64 + 0.5)], SHADE));
        }
        if let Some((value, row)) = level {
            marks.push(Mark::Line { through: vec![(value, row), at(value)], width: WAY, dark: DARK });
        }
        marks.push(Mark::Line { through: vec![at(from), at(to)], width: STEP, dark: DARK });
        marks.extend(tread.interval.map(|ends| Mark::line(ends.map(at), INTERVAL)));
        marks.push(kind.mark(at(to)));
        let aim = Aim::at([&x, &y], at(to), vec![tread.name.clone(), tread.words.clone()]);
        layers.add((kind, what), marks, vec![aim]);
        if matches!(tread.what, BASE | KEPT) {
            level = Some((to, nth as f64));
        }
    }
    let title = Title {
        id: "staircase".to_owned(),
        title: format!("{}, step by step on top of what was kept", stairs.goal),
        caption: "Each step from the goal without the change to the goal with it, in the same pairs of runs, and the interval of the effect. The axis does not begin at zero where all values are far from it."
            .to_owned(),
    };
    Some(layers.figure(title).explained(&SIGNS))
}

/// What its marks mean.
const SIGNS: [(Sign, &str); 3] = [
    (Sign::Shape(Shape::Disc), "A dot is where a step ends."),
    (Sign::Shape(Shape::Ring), "Hollow and grey: the step was taken back."),
    (
        Sign::Shape(Shape::Diamond),
        "Shaded, with a diamond: the best against the base by runs of their own, without the luck that chose the steps.",
    ),
];

fn treads(findings: &Findings, stairs: &Stairs) -> Vec<Tread> {
    let goal = words::goal_of(findings, stairs);
    let scaled =
        |from: f64, ends: [f64; 2]| ends.map(|end| if goal.is_ratio { from * end } else { from + end });
    let change = |by: f64, ends: Option<[f64; 2]>| {
        let ends = ends.map_or_else(String::new, |ends| format!(" ({})", words::interval(by, ends, &goal)));
        words::change(by, &goal) + &ends
    };
    let base = Tread {
        name: "base".to_owned(),
        values: stairs.base.filter(|base| base.is_finite()).map(|base| [base; 2]),
        interval: None,
        what: BASE,
        words: stairs.base.map_or_else(String::new, |it| words::value(it, None, &stairs.unit)),
    };
    let step = |step: &StepFound| Tread {
        name: step.change.clone(),
        values: sound(step.values),
        interval: sound(sound(step.values).zip(step.interval).map(|([from, _], ends)| scaled(from, ends))),
        what: if step.verdict == StepVerdict::Kept { KEPT } else { DROPPED },
        words: step
            .effect
            .map_or_else(|| words::step(&step.verdict).to_owned(), |by| change(by, step.interval)),
    };
    let total = stairs.total.as_ref().map(|total| Tread {
        name: "together".to_owned(),
        values: sound(Some(total.values)),
        interval: sound(total.interval.map(|ends| scaled(total.values[0], ends))),
        what: TOGETHER,
        words: change(total.effect, total.interval),
    });
    [base].into_iter().chain(stairs.steps.iter().map(step)).chain(total).collect()
}

/// Two values that both have a place.
fn sound(pair: Option<[f64; 2]>) -> Option<[f64; 2]> {
    pair.filter(|pair| pair.iter().all(|end| end.is_finite()))
}

#[cfg(test)]
mod tests {
    use linerate_analysis::experiment::WayFound;

    use super::super::fixture;
    use super::*;
    use crate::figure::Layer;

    fn stairs() -> Stairs {
        let Some(WayFound::Staircase(stairs)) = fixture::staircase().way else { panic!("it is one") };
        stairs
    }

    /// From where to where the steps of a layer go.
    fn steps(layer: &Layer) -> Vec<[f64; 2]> {
        let step = |mark: &Mark| match mark {
            Mark::Line { through, width: STEP, .. } => Some([through[0].0, through[1].0]),
            _ => None,
        };
        layer.marks.iter().filter_map(step).collect()
    }

    #[test]
    fn kept_steps_rise_and_dropped_ones_are_pale() {
        let chart = figure(&fixture::staircase(), &stairs()).expect("it has values");
        let [kept, dropped, together] = &chart.layers[..] else { panic!("three kinds") };
        let [base, one, other] = steps(kept)[..] else { panic!("the base and two steps") };
        assert_eq!(base[0], base[1], "the base is level");
        assert_eq!([one, other], [[612.0, 869.0], [871.0, 941.0]]);
        assert_eq!(steps(dropped).len(), 2, "the third one failed and has no value");
        assert_eq!((dropped.look.colour, steps(together).len()), (6, 1));
        assert!(chart.axes().contains("\nfailed\n"));
    }

    #[test]
    fn many_steps_make_a_tall_chart_and_none_makes_no_chart() {
        let mut many = stairs();
        many.steps = vec![many.steps[0].clone(); 20];
        let chart = figure(&fixture::staircase(), &many).expect("it has values");
        assert!(chart.height() > 22 * 28 * UNIT);
        let none = Stairs { base: None, steps: Vec::new(), total: None, ..many };
        assert!(figure(&fixture::staircase(), &none).is_none());
    }
}
