//! The steps of a staircase, from the base up to what the kept ones do together.

use linerate_analysis::experiment::{Findings, Stairs, StepFound, StepVerdict};

use super::draw::{Anchor, Head, Kind, LINE, Pen, WIDTH, around, lines};
use super::words;
use crate::plot::Axis;
use crate::section::Drawing;

/// Room of the labels at the left, over the stairs, and below them. Unit: pixels.
const LEFT: f64 = 78.0;
const TOP: f64 = 66.0;
const TALL: f64 = 300.0;
const NAMES: f64 = 4.0 * LINE + 10.0;
/// The least width of a step, in which its interval can be read.
const LEAST: f64 = 96.0;
/// Half the width of an interval's end.
const CAP: f64 = 5.0;
/// How dark the field behind the total is.
const SHADE: f64 = 0.1;

/// A tread: where a column of the chart ends up.
struct Tread {
    name: String,
    /// The goal without and with it.
    values: Option<[f64; 2]>,
    /// Of the goal with it.
    interval: Option<[f64; 2]>,
    kind: Kind,
    /// Whether the next step begins here.
    carries: bool,
    /// Whether it is what all do together.
    is_total: bool,
    /// What it did, and what followed.
    words: [String; 2],
}

/// The chart of a staircase. Absent if nothing has a value.
pub(super) fn drawing(findings: &Findings, stairs: &Stairs) -> Option<Drawing> {
    let treads = treads(findings, stairs);
    let values: Vec<f64> = treads
        .iter()
        .flat_map(|it| it.values.into_iter().flatten().chain(it.interval.into_iter().flatten()))
        .collect();
    if values.is_empty() {
        return None;
    }
    let axis = around(&stairs.goal, &stairs.unit, &values);
    let each = ((WIDTH - LEFT - 16.0) / treads.len() as f64).max(LEAST);
    let width = LEFT + each * treads.len() as f64 + 16.0;
    let mut pen = Pen::default();
    frame(&mut pen, &axis, width);
    let y = |value: f64| TOP + (1.0 - axis.share(value).clamp(0.0, 1.0)) * TALL;
    let mut level: Option<(f64, f64)> = None;
    for (nth, tread) in treads.iter().enumerate() {
        let left = LEFT + each * nth as f64;
        if let (Some((from, value)), Some(_)) = (level, tread.values) {
            pen.line("zero", (from, y(value)), (left + each * 0.2, y(value)));
        }
        draw(&mut pen, tread, [left, each], &y);
        if let Some([_, with]) = tread.values.filter(|_| tread.carries) {
            level = Some((left + each * 0.8, with));
        }
    }
    let head = Head {
        id: "staircase".to_owned(),
        title: format!("{}, step by step on top of what was kept", stairs.goal),
        caption: caption(stairs),
    };
    Some(head.over(pen, [width, TOP + TALL + NAMES + 8.0]))
}

fn caption(stairs: &Stairs) -> String {
    let total = match &stairs.total {
        Some(_) => {
            " Shaded: the best against the base by runs of their own, without the luck that chose the steps."
        }
        None => "",
    };
    format!(
        "Each step from the goal without the change to the goal with it, in the same pairs of runs, and the interval of the effect. Blue: kept. Grey: taken back.{total} The axis does not begin at zero where all values are far from it."
    )
}

fn treads(findings: &Findings, stairs: &Stairs) -> Vec<Tread> {
    let goal = words::goal_of(findings, stairs);
    let scaled =
        |from: f64, ends: [f64; 2]| ends.map(|end| if goal.is_ratio { from * end } else { from + end });
    let base = Tread {
        name: "base".to_owned(),
        values: stairs.base.filter(|base| base.is_finite()).map(|base| [base; 2]),
        interval: None,
        kind: Kind::Plain,
        carries: true,
        is_total: false,
        words: [
            stairs.base.map_or_else(String::new, |it| words::value(it, None, &stairs.unit)),
            String::new(),
        ],
    };
    let step = |step: &StepFound| Tread {
        name: step.change.clone(),
        values: sound(step.values),
        interval: sound(sound(step.values).zip(step.interval).map(|([from, _], ends)| scaled(from, ends))),
        kind: if step.verdict == StepVerdict::Kept { Kind::Plain } else { Kind::Pale },
        carries: step.verdict == StepVerdict::Kept,
        is_total: false,
        words: [
            step.effect.map_or_else(|| words::step(&step.verdict).to_owned(), |by| words::change(by, &goal)),
            step.effect
                .zip(step.interval)
                .map_or_else(String::new, |(by, ends)| words::interval(by, ends, &goal)),
        ],
    };
    let total = stairs.total.as_ref().map(|total| Tread {
        name: "together".to_owned(),
        values: sound(Some(total.values)),
        interval: sound(total.interval.map(|ends| scaled(total.values[0], ends))),
        kind: Kind::Plain,
        carries: false,
        is_total: true,
        words: [
            words::change(total.effect, &goal),
            total.interval.map_or_else(String::new, |ends| words::interval(total.effect, ends, &goal)),
        ],
    });
    [base].into_iter().chain(stairs.steps.iter().map(step)).chain(total).collect()
}

/// Two values that both have a place.
fn sound(pair: Option<[f64; 2]>) -> Option<[f64; 2]> {
    pair.filter(|pair| pair.iter().all(|end| end.is_finite()))
}

/// The axis at the left.
fn frame(pen: &mut Pen, axis: &Axis, width: f64) {
    for tick in &axis.ticks {
        let y = TOP + (1.0 - axis.share(tick.value)) * TALL;
        pen.line("grid", (LEFT, y), (width - 16.0, y));
        pen.text((LEFT - 8.0, y + 4.5), Anchor::End, "soft", &tick.label);
    }
    pen.text((8.0, 16.0), Anchor::Start, "soft", &axis.title);
}

/// A column: the riser, the tread with its interval, the words over it and the name below.
fn draw(pen: &mut Pen, tread: &Tread, [left, each]: [f64; 2], y: &dyn Fn(f64) -> f64) {
    let middle = left + each / 2.0;
    let strength = if tread.kind == Kind::Pale { "soft" } else { "strong" };
    let tip = format!("{}: {} {}", tread.name, tread.words[0], tread.words[1]);
    pen.tipped(&tip, |pen| {
        if tread.is_total {
            pen.field("accent solid", (left, 28.0), (each, TOP + TALL + NAMES - 28.0), SHADE);
        }
        for (nth, line) in lines(&tread.name, each - 8.0, 4).iter().enumerate() {
            pen.text((middle, TOP + TALL + LINE * (nth as f64 + 1.0) + 4.0), Anchor::Middle, strength, line);
        }
        let Some([from, to]) = tread.values else {
            pen.text((middle, TOP + TALL - 12.0), Anchor::Middle, "soft halo", &tread.words[0]);
            return;
        };
        let class = format!("bar {}", tread.kind.class());
        let (start, end) = (left + each * 0.2, left + each * 0.8);
        pen.path(&format!("thick {class}"), &[(start, y(from)), (start, y(to)), (end, y(to))]);
        let mut top = y(from).min(y(to));
        if let Some([low, high]) = tread.interval {
            pen.line(&class, (middle, y(low)), (middle, y(high)));
            for value in [low, high] {
                pen.line(&class, (middle - CAP, y(value)), (middle + CAP, y(value)));
            }
            top = top.min(y(high));
        }
        let [change, interval] = &tread.words;
        // The total stands on a field of its own colour.
        let halo = if tread.is_total { "" } else { " halo" };
        let above = if interval.is_empty() { 0.0 } else { LINE };
        let first = top - above - 8.0;
        pen.text((middle, first), Anchor::Middle, &format!("{strength}{halo}"), change);
        pen.text((middle, first + LINE), Anchor::Middle, &format!("soft{halo}"), interval);
    });
}

#[cfg(test)]
mod tests {
    use linerate_analysis::experiment::WayFound;

    use super::super::fixture;
    use super::*;

    fn stairs() -> Stairs {
        let Some(WayFound::Staircase(stairs)) = fixture::staircase().way else { panic!("it is one") };
        stairs
    }

    /// The heights of each riser and tread: from, to.
    fn treads(svg: &str, class: &str) -> Vec<[f64; 2]> {
        let open = format!("class=\"thick bar {class}\" d=\"M");
        let paths = svg.split(&open).skip(1);
        let heights = |path: &str| -> Vec<f64> {
            let places = path.split('"').next().unwrap_or_default().split('L');
            places.map(|it| it.split(' ').nth(1).and_then(|it| it.parse().ok()).expect("a height")).collect()
        };
        paths.map(heights).map(|it| [it[0], it[1]]).collect()
    }

    #[test]
    fn kept_steps_rise_and_dropped_ones_are_pale() {
        let chart = drawing(&fixture::staircase(), &stairs()).expect("it has values");
        let kept = treads(&chart.svg, "accent");
        // The base, two steps and the total; a page counts from its top.
        assert_eq!(kept.len(), 4);
        assert_eq!(kept[0][0], kept[0][1], "the base is level");
        assert!(kept[1][1] < kept[1][0] && kept[2][1] < kept[1][1], "{kept:?}");
        // 612 to 869 and 871 to 941: heights are in proportion.
        let ratio = (kept[1][0] - kept[1][1]) / (kept[2][0] - kept[2][1]);
        assert!((ratio - 257.0 / 70.0).abs() < 0.02, "{ratio}");
        assert_eq!(treads(&chart.svg, "pale").len(), 2, "the third one failed and has no value");
        assert!(chart.svg.contains(">failed</text>"));
    }

    #[test]
    fn many_steps_make_a_wide_chart_and_none_makes_no_chart() {
        let mut many = stairs();
        many.steps = vec![many.steps[0].clone(); 20];
        let chart = drawing(&fixture::staircase(), &many).expect("it has values");
        assert!(f64::from(chart.width) >= 22.0 * LEAST);
        let none = Stairs { base: None, steps: Vec::new(), total: None, ..many };
        assert!(drawing(&fixture::staircase(), &none).is_none());
    }
}
