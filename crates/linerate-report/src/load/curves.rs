//! Charts of a sweep: each numeric key against what it changes.

use linerate_core::units::{Size, Span};
use linerate_study::{Estimate, Measure, Study, value_text};
use toml::Value;

use super::super::figure::axis::{Unit, from_zero, shares, swept};
use super::super::figure::curve::{self, Curve, Point};
use super::super::figure::{Figure, Title};
use super::super::text::{digits, percent, plain};
use crate::error::RenderError;

/// The most curves that can be distinguished: six colours, three kinds of dashes.
const MOST_CURVES: usize = 18;

/// What is drawn against every numeric key.
struct Subject {
    measure: &'static str,
    /// Its axis.
    axis: &'static str,
    /// Its name within a sentence.
    noun: &'static str,
    /// Whether it is a share.
    share: bool,
    /// What stands under the chart.
    caption: &'static str,
}

const SUBJECTS: [Subject; 3] = [
    Subject {
        measure: "efficiency",
        axis: "Efficiency (share of one line)",
        noun: "Efficiency",
        share: true,
        caption: "Bits of the frames that arrived, preamble and gap left out, as a share of what one line carries.",
    },
    Subject {
        measure: "throughput_mbps",
        axis: "Throughput (Mb/s)",
        noun: "Throughput",
        share: false,
        caption: "Bits of all frames that arrived, preamble and gap left out.",
    },
    Subject {
        measure: "delay_p99_us",
        axis: "Delay, 99th percentile (us)",
        noun: "Delay (p99)",
        share: false,
        caption: "From offered to arrived; from a saturated sender, since its MAC took the frame.",
    },
];

/// The charts of every numeric key of `study` with at least two values.
///
/// # Errors
///
/// [`RenderError::Draw`] when the graph library refuses.
pub(super) fn figures(study: &Study) -> Result<Vec<Figure>, RenderError> {
    let mut figures = Vec::new();
    for key in 0..study.keys.len() {
        let Some((unit, values)) = numeric(study, key) else { continue };
        for subject in &SUBJECTS {
            figures.extend(figure(study, key, unit, &values, subject)?);
        }
    }
    Ok(figures)
}

/// The values of a key at every point, if all are numbers of one kind and not all alike.
fn numeric(study: &Study, key: usize) -> Option<(Unit, Vec<f64>)> {
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
    differ.then_some((unit, values))
}

/// The chart of one subject against one key. Absent if no point has it.
fn figure(
    study: &Study,
    key: usize,
    unit: Unit,
    values: &[f64],
    subject: &Subject,
) -> Result<Option<Figure>, RenderError> {
    let mut drawn: Vec<Curve> = Vec::new();
    for (point, x) in study.points.iter().zip(values) {
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
        return Ok(None);
    }
    drawn.iter_mut().for_each(|curve| curve.points.sort_by(|one, other| one.x.total_cmp(&other.x)));
    let more = drawn.len().saturating_sub(MOST_CURVES);
    drawn.truncate(MOST_CURVES);
    let tops = drawn.iter().flat_map(|curve| &curve.points);
    let highest = tops.map(|point| point.interval.map_or(point.y, |ends| ends[1])).fold(0.0, f64::max);
    let y = if subject.share { shares(subject.axis, highest) } else { from_zero(subject.axis, highest) };
    let name = plain(&study.keys[key]);
    let x = swept(&axis_title(&name), unit, values);
    let mut caption = subject.caption.to_owned();
    if study.seeds() > 1 {
        caption += " Bars are 95 % intervals of the mean over seeds.";
    }
    if more > 0 {
        caption += &format!(" {more} more curves are in the table only.");
    }
    let title = Title {
        id: format!("{}-{}", subject.measure, name.replace('.', "-")),
        title: format!("{} against {}", subject.noun, noun(&name)),
        caption,
    };
    curve::figure(title, [&x, &y], &drawn, true).map(Some)
}

/// What a curve has that others have not: the values of the other keys.
fn others(study: &Study, point: &linerate_study::Point, key: usize) -> String {
    let pairs = study.keys.iter().zip(&point.set).enumerate().filter(|(nth, _)| *nth != key);
    let pairs: Vec<String> =
        pairs.map(|(_, (key, value))| format!("{} {}", noun(key), plain(&value_text(value)))).collect();
    pairs.join(", ")
}

fn place(x: f64, estimate: Estimate, subject: &Subject, at: &str) -> Point {
    let text = |value: f64| if subject.share { percent(value) } else { digits(value) };
    // An interval that reaches below nothing is cut there, as the axis is.
    let interval = estimate.half_width.map(|_| estimate.ends().map(|end| end.max(0.0)));
    let range =
        interval.map_or_else(String::new, |[low, high]| format!(" ({} to {})", text(low), text(high)));
    let unit = subject.axis.rsplit_once('(').map_or("", |(_, unit)| unit.trim_end_matches(')'));
    let unit = if subject.share { String::new() } else { format!(" {unit}") };
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
        key => key.rsplit('.').next().unwrap_or(key).to_owned(),
    }
}

fn axis_title(key: &str) -> String {
    match key {
        "network.stations" => "Stations".to_owned(),
        "load.frame" => "Frame size (bytes)".to_owned(),
        key => key.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn each_numeric_key_has_its_charts_with_a_curve_for_each_value_of_the_others() {
        let figures = figures(&fixture::sweep()).expect("it can be drawn");
        let titles: Vec<&str> = figures.iter().map(|figure| figure.title.as_str()).collect();
        assert_eq!(titles[0], "Efficiency against stations");
        assert_eq!(titles[3], "Efficiency against frame size");
        assert_eq!(figures.iter().map(|figure| figure.layers.len()).collect::<Vec<_>>(), [3, 3, 3, 6, 6, 6]);
        assert_eq!(figures[0].layers[1].name, "frame size 512");
        let aims = &figures[0].layers[0].aims;
        assert!(aims.len() == 6 && aims.windows(2).all(|pair| pair[0].x < pair[1].x));
        assert_eq!(aims[0].lines[0], "network.stations = 2");
    }

    #[test]
    fn intervals_are_drawn_and_cross_their_points() {
        let figures = figures(&fixture::sweep()).expect("it can be drawn");
        let study = fixture::sweep();
        let estimate = study.points[0].estimate(Measure::named("efficiency")).expect("it has runs");
        let [low, high] = estimate.ends().map(percent);
        let layer = &figures[0].layers[0];
        let aim = &layer.aims[0];
        assert_eq!(aim.lines[1], format!("{} ({low} to {high})", percent(estimate.mean)));
        // A line for the curve, and for each point a bar and two caps.
        let shapes: Vec<&str> = layer.svg.lines().filter(|line| line.contains("<polyline")).collect();
        assert_eq!(shapes.len(), 1 + 6 * 3);
        let bar = shapes.iter().find_map(|shape| {
            let (_, places) = shape.split_once("points=\"")?;
            let place = |text: &str| text.split_once(',')?.1.parse::<i32>().ok();
            let (from, to) = places.split_once('"')?.0.trim().split_once(' ')?;
            let upright = [from, to].iter().all(|end| end.starts_with(&format!("{},", aim.x)));
            upright.then_some([place(from)?, place(to)?])
        });
        let [low, high] = bar.expect("a bar stands at the first point");
        assert!(low > aim.y && aim.y > high, "{low} {} {high}", aim.y);
    }

    #[test]
    fn words_are_no_axis_and_sizes_and_times_are() {
        let mut study = fixture::sweep();
        for (nth, point) in study.points.iter_mut().enumerate() {
            point.set[0] = Value::String(["64KiB", "1MiB"][nth % 2].to_owned());
            point.set[1] = Value::String("1000BASE-T".to_owned());
        }
        assert_eq!(numeric(&study, 0).map(|(unit, values)| (unit, values[0])), Some((Unit::Bytes, 65_536.0)));
        assert!(numeric(&study, 1).is_none());
        study.points[0].set[0] = Value::String("5us".to_owned());
        assert!(numeric(&study, 0).is_none(), "a time among sizes");
    }
}
