//! Charts of a sweep: each numeric key against what it changes.

use linerate_core::units::{Size, Span};
use linerate_sim::model::Ceiling;
use linerate_study::{Estimate, Measure, PLAN, Study, value_text};
use toml::Value;

use super::super::figure::axis::{Unit, from_zero, parts, rates_by_decades, shares, swept, times, words};
use super::super::figure::curve::{self, Curve, Point, Style};
use super::super::figure::{Figure, Title};
use super::super::plot::{Axis, PALETTE, Sign};
use super::super::text::{digits, percent, plain};

/// The most curves that can be distinguished: six colours, three kinds of dashes.
const MOST_CURVES: usize = 18;
/// The most lines of theory: as many as there are colours.
const MOST_BOUNDS: usize = 6;
/// Rates this many times apart are spread by powers of ten.
const FAR: f64 = 20.0;

/// What is drawn against every key.
struct Subject {
    measure: &'static str,
    /// Its axis.
    axis: &'static str,
    /// Its name within a sentence.
    noun: &'static str,
    spread: Spread,
    /// What stands under the chart.
    caption: &'static str,
}

/// What the values of a subject are, and how they are spread over its axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spread {
    /// A share, from 0 to at least 1.
    Share,
    /// A share, from 0 to the largest.
    Part,
    /// A rate, from 0, or by powers of ten where the least would not be seen.
    Rate,
    /// A time in us, by powers of ten.
    Time,
    /// A number, from 0.
    Number,
    /// A number from 0 to 1.
    Index,
}

const NO_DELAY: &str = "From offered to arrived; from a saturated sender, since the frame before left it. \
                        Lost frames have no delay.";

const SUBJECTS: [Subject; 7] = [
    Subject {
        measure: "efficiency",
        axis: "Efficiency (share of one line)",
        noun: "Efficiency",
        spread: Spread::Share,
        caption: "Bits of the frames that arrived, from header to check sequence, as a share of what one line carries.",
    },
    Subject {
        measure: "throughput_mbps",
        axis: "Throughput (Mb/s)",
        noun: "Throughput",
        spread: Spread::Rate,
        caption: "Bits of all frames that arrived, from header to check sequence.",
    },
    Subject {
        measure: "goodput_mbps",
        axis: "Goodput (Mb/s)",
        noun: "Goodput",
        spread: Spread::Rate,
        caption: "Bits of the IP packets in all frames that arrived.",
    },
    Subject {
        measure: "delay_p99_us",
        axis: "Delay, 99th percentile (us)",
        noun: "Delay (p99)",
        spread: Spread::Time,
        caption: NO_DELAY,
    },
    Subject {
        measure: "lost_share",
        axis: "Lost (share of the frames offered)",
        noun: "Loss",
        spread: Spread::Part,
        caption: "Frames that did not arrive, for whatever cause; the table says which.",
    },
    Subject {
        measure: "collisions_per_frame",
        axis: "Collisions for each delivered frame",
        noun: "Collisions",
        spread: Spread::Number,
        caption: "Transmissions that collided, of frames that were given up later too.",
    },
    Subject {
        measure: "jain",
        axis: "Fairness (Jain's index)",
        noun: "Fairness",
        spread: Spread::Index,
        caption: "1 when all senders have the same throughput, 1/n when one of n has all.",
    },
];

/// A key with a value at every point, as numbers.
struct Against {
    /// Which key.
    key: usize,
    unit: Unit,
    values: Vec<f64>,
    /// The values as words, in the order of their numbers, if words they are.
    words: Vec<String>,
}

/// The charts of every numeric key of `study` with at least two values; without one, those of its
/// other keys.
pub(super) fn figures(study: &Study) -> Vec<Figure> {
    let mut keys: Vec<Against> = (0..study.keys.len()).filter_map(|key| numeric(study, key)).collect();
    if keys.is_empty() {
        keys = (0..study.keys.len()).filter_map(|key| worded(study, key)).collect();
    }
    let mut figures = Vec::new();
    for against in &keys {
        for subject in SUBJECTS.iter().filter(|subject| is_worth(study, subject)) {
            figures.extend(figure(study, against, subject));
        }
    }
    figures
}

/// A rate that is the same share of another measure at every point, but for this, has the other's chart.
const SAME: f64 = 0.02;

/// Whether there is something to see: nobody needs a chart of no loss and no collisions, or the same chart twice.
fn is_worth(study: &Study, subject: &Subject) -> bool {
    let shown_by = match subject.measure {
        "throughput_mbps" => Some("efficiency"),
        "goodput_mbps" => Some("throughput_mbps"),
        _ => None,
    };
    let is_alone = study.plans.len() == 1;
    if is_alone && shown_by.is_some_and(|other| is_proportional(study, [subject.measure, other])) {
        return false;
    }
    let values = study.points.iter().filter_map(|point| point.estimate(Measure::named(subject.measure)));
    let idle = matches!(subject.spread, Spread::Part | Spread::Number);
    !idle || values.into_iter().any(|estimate| estimate.mean > 0.0)
}

/// Whether two measures have one ratio at all points.
fn is_proportional(study: &Study, [one, other]: [&'static str; 2]) -> bool {
    let mean = |point: &linerate_study::Point, measure| Some(point.estimate(Measure::named(measure))?.mean);
    let ratios = study.points.iter().filter_map(|point| Some(mean(point, one)? / mean(point, other)?));
    let ratios = ratios.filter(|ratio| ratio.is_finite());
    let [low, high] = ratios.fold([f64::INFINITY, 0.0], |[low, high], it| [low.min(it), high.max(it)]);
    high <= low * (1.0 + SAME)
}

/// The values of a key at every point, if all are numbers of one kind and not all alike.
fn numeric(study: &Study, key: usize) -> Option<Against> {
    let values: Vec<&Value> = study.points.iter().map(|point| &point.set[key]).collect();
    let all = |read: &dyn Fn(&Value) -> Option<f64>| {
        values.iter().map(|value| read(value)).collect::<Option<Vec<f64>>>()
    };
    let number = |value: &Value| value.as_integer().map(|it| it as f64).or_else(|| value.as_float());
    let size = |value: &Value| {
        number(value).or_else(|| value.as_str()?.parse::<Size>().ok().map(|size| size.bytes() as f64))
    };
    let time = |value: &Value| value.as_str()?.parse::<Span>().ok().map(Span::as_us);
    let kinds = [(Unit::Number, all(&number)), (Unit::Bytes, all(&size)), (Unit::Time, all(&time))];
    let (unit, values) = kinds.into_iter().find_map(|(unit, values)| Some((unit, values?)))?;
    let differ = values.iter().any(|value| *value != values[0] && value.is_finite());
    differ.then_some(Against { key, unit, values, words: Vec::new() })
}

/// The values of a key at every point as words, numbered in the order in which they come, if they
/// are not all alike.
fn worded(study: &Study, key: usize) -> Option<Against> {
    let mut words: Vec<String> = Vec::new();
    let mut number = |point: &linerate_study::Point| {
        let word = plain(&value_text(&point.set[key]));
        let known = words.iter().position(|other| *other == word);
        let place = known.unwrap_or_else(|| {
            words.push(word);
            words.len() - 1
        });
        place as f64
    };
    let values = study.points.iter().map(&mut number).collect();
    (words.len() > 1).then_some(Against { key, unit: Unit::Number, values, words })
}

/// The chart of one subject against one key. Absent if no point has it.
fn figure(study: &Study, against: &Against, subject: &Subject) -> Option<Figure> {
    let key = against.key;
    let mut drawn: Vec<Curve> = Vec::new();
    for (point, x) in study.points.iter().zip(&against.values) {
        let Some(estimate) = point.estimate(Measure::named(subject.measure)) else { continue };
        let name = others(study, point, key);
        let place =
            place(*x, estimate, subject, &format!("{} = {}", study.keys[key], value_text(&point.set[key])));
        match drawn.iter_mut().find(|curve| curve.name == name) {
            Some(curve) => curve.points.push(place),
            None => drawn.push(Curve { name, points: vec![place] }),
        }
    }
    if drawn.is_empty() {
        return None;
    }
    drawn.iter_mut().for_each(|curve| curve.points.sort_by(|one, other| one.x.total_cmp(&other.x)));
    let more = drawn.len().saturating_sub(MOST_CURVES);
    drawn.truncate(MOST_CURVES);
    let theory = if subject.measure == "efficiency" { theory(study, against) } else { Vec::new() };
    if let ([only], false) = (&mut drawn[..], theory.is_empty()) {
        only.name = "modelled".to_owned();
    }
    let name = plain(&study.keys[key]);
    let x = if against.words.is_empty() {
        swept(&axis_title(&name), against.unit, &against.values)
    } else {
        words(&axis_title(&name), &against.words)
    };
    let y = vertical(subject, drawn.iter().chain(&theory).flat_map(|curve| &curve.points));
    if y.is_logarithmic() {
        drawn.iter_mut().for_each(|curve| on_decades(curve, &y));
    }
    let title = Title {
        id: format!("{}-{}", subject.measure, name.replace('.', "-")),
        title: format!("{} against {}", subject.noun, noun(&name)),
        caption: caption(subject, more, &theory),
    };
    let axes = [&x, &y];
    let mark = if against.words.is_empty() { Style::Both } else { Style::Points };
    let mut layers = curve::each(axes, &drawn, mark);
    // The colours of the first curves, in dashes that no curve has.
    let after = drawn.len().next_multiple_of(PALETTE.len());
    for (nth, curve) in theory.iter().enumerate() {
        layers.push(curve::theory(axes, (after + nth, curve), mark));
    }

    let bars = [(Sign::Bar, "Bars are 95 % intervals of the mean over seeds.")];
    Some(Figure::new(title, axes, layers).explained(&bars))
}

/// Leaves out what has no place on an axis without a zero, and cuts intervals that reach below it.
fn on_decades(curve: &mut Curve, y: &Axis) {
    curve.points.retain(|point| point.y > 0.0);
    for point in &mut curve.points {
        let lowest = y.lowest();
        point.interval = point.interval.map(|ends| ends.map(|end| end.max(lowest)));
    }
}

/// The axis of a subject over these points.
fn vertical<'a>(subject: &Subject, points: impl Iterator<Item = &'a Point>) -> Axis {
    let ends: Vec<f64> = points.flat_map(|point| point.interval.unwrap_or([point.y; 2])).collect();
    let highest = ends.iter().copied().fold(0.0, f64::max);
    let least = ends.iter().copied().filter(|end| *end > 0.0).fold(f64::INFINITY, f64::min).min(highest);
    match subject.spread {
        Spread::Share => shares(subject.axis, highest),
        Spread::Part => parts(subject.axis, highest),
        Spread::Time => times(subject.axis, least, highest),
        Spread::Rate if highest > least * FAR => rates_by_decades(subject.axis, least, highest),
        Spread::Rate | Spread::Number => from_zero(subject.axis, highest),
        Spread::Index => from_zero(subject.axis, 1.0),
    }
}

fn caption(subject: &Subject, more: usize, theory: &[Curve]) -> String {
    let mut caption = subject.caption.to_owned();
    if !theory.is_empty() {
        caption += " Dashed is theory: what framing leaves is the bound; Metcalfe and Boggs (1976) is what \
                    saturated stations reach with the best backoff, each frame alone. A station that sends again at once after \
                    a frame of its own (capture) gets more.";
    }
    if more > 0 {
        caption += &format!(" {more} more curves are in the table only.");
    }
    caption
}

/// What theory says at every point: a curve for each bound that differs from the others, if they
/// are few enough to be told apart.
fn theory(study: &Study, against: &Against) -> Vec<Curve> {
    type Of = fn(Ceiling) -> Option<f64>;
    let kinds: [(&str, Of); 2] =
        [("at most", |ceiling| Some(ceiling.framing)), ("Metcalfe and Boggs", |ceiling| ceiling.contention)];
    let mut curves: Vec<Curve> = Vec::new();
    for (kind, of) in kinds {
        let mut found: Vec<Curve> = Vec::new();
        for (point, x) in study.points.iter().zip(&against.values) {
            let Some(share) = point.ceiling.and_then(of) else { continue };
            let name = format!("{kind}, {}", others(study, point, against.key));
            let place =
                Point { x: *x, y: share, interval: None, lines: vec![kind.to_owned(), percent(share)] };
            match found.iter_mut().find(|curve| curve.name == name) {
                Some(curve) => curve.points.push(place),
                None => found.push(Curve { name, points: vec![place] }),
            }
        }
        found.iter_mut().for_each(|curve| curve.points.sort_by(|one, other| one.x.total_cmp(&other.x)));
        let places = |curve: &Curve| curve.points.iter().map(|point| [point.x, point.y]).collect::<Vec<_>>();
        let alike = found.windows(2).all(|pair| places(&pair[0]) == places(&pair[1]));
        if alike {
            found.truncate(1);
            found.iter_mut().for_each(|curve| curve.name = kind.to_owned());
        }
        if curves.len() + found.len() <= MOST_BOUNDS {
            curves.extend(found);
        }
    }
    curves
}

/// What a curve has that others have not: the values of the other keys.
fn others(study: &Study, point: &linerate_study::Point, key: usize) -> String {
    let pairs = study.keys.iter().zip(&point.set).enumerate().filter(|(nth, _)| *nth != key);
    let pair = |(key, value): (&String, &Value)| match key.as_str() {
        PLAN => plain(&value_text(value)),
        key => format!("{} {}", noun(key), plain(&value_text(value))),
    };
    let pairs: Vec<String> = pairs.map(|(_, pair_of)| pair(pair_of)).collect();
    pairs.join(", ")
}

fn place(x: f64, estimate: Estimate, subject: &Subject, at: &str) -> Point {
    let share = matches!(subject.spread, Spread::Share | Spread::Part);
    let text = |value: f64| if share { percent(value) } else { digits(value) };
    // An interval that reaches below nothing, or above all, is cut there, as the axis is.
    let most = if matches!(subject.spread, Spread::Index | Spread::Part) { 1.0 } else { f64::INFINITY };
    let interval = estimate.half_width.map(|_| estimate.ends().map(|end| end.clamp(0.0, most)));
    let range =
        interval.map_or_else(String::new, |[low, high]| format!(" ({} to {})", text(low), text(high)));
    let unit = subject.axis.rsplit_once('(').map_or("", |(_, unit)| unit.trim_end_matches(')'));
    let unit = if matches!(subject.spread, Spread::Rate | Spread::Time) {
        format!(" {unit}")
    } else {
        String::new()
    };
    Point {
        x,
        y: estimate.mean,
        interval,
        lines: vec![plain(at), format!("{}{unit}{range}", text(estimate.mean))],
    }
}

/// A key as a reader says it: of those that are swept most in words, else its last part.
fn noun(key: &str) -> String {
    match key {
        "network.stations" => "stations".to_owned(),
        "load.frame" => "frame size".to_owned(),
        "load.packet" => "packet size".to_owned(),
        key => key.rsplit('.').next().unwrap_or(key).to_owned(),
    }
}

fn axis_title(key: &str) -> String {
    match key {
        "network.stations" => "Stations".to_owned(),
        "load.frame" => "Frame size (bytes)".to_owned(),
        "load.packet" => "IP packet (bytes)".to_owned(),
        PLAN => "Plan".to_owned(),
        key => key.to_owned(),
    }
}

#[cfg(test)]
mod tests;
