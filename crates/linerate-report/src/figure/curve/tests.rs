use super::*;
use crate::plot::Scale;

fn linear(ends: [f64; 2]) -> Axis {
    Axis::new(String::new(), Scale::Linear, ends, &[], |_| String::new())
}

/// Two points, of which the second has an interval, on axes of 0 to 10 and 0 to 100. A graph lies between
/// 440 and 3743, and between 1511 (the floor) and 48.
fn drawn(mark: Style) -> Layer {
    let point = |x, y, interval| Point { x, y, interval, lines: vec![format!("{x} {y}")] };
    let points = vec![point(0.0, 0.0, None), point(5.0, 50.0, Some([25.0, 75.0]))];
    let curves =
        [Curve { name: "first".to_owned(), points: Vec::new() }, Curve { name: "second".to_owned(), points }];
    let layers = each([&linear([0.0, 10.0]), &linear([0.0, 100.0])], &curves, mark);
    layers.into_iter().nth(1).expect("two")
}

fn shapes(layer: &Layer) -> Vec<&str> {
    layer.svg.lines().filter(|line| line.starts_with('<')).collect()
}

const LINE: &str = "points=\"440,1511 2092,779 \"";

#[test]
fn a_line_joins_its_points_and_each_has_a_tooltip() {
    let layer = drawn(Style::Line);
    let [line] = &shapes(&layer)[..] else { panic!("a line alone: {}", layer.svg) };
    assert!(line.contains(LINE) && line.contains("stroke-width=\"8\""), "{line}");
    assert_eq!((layer.name.as_str(), layer.look.colour), ("second", 1));
    let aims: Vec<_> = layer.aims.iter().map(|aim| (aim.x, aim.y, aim.lines[0].as_str())).collect();
    assert_eq!(aims, [(440, 1511, "0 0"), (2092, 779, "5 50")]);
}

#[test]
fn points_have_their_intervals_with_a_cap_at_each_end() {
    for (mark, lines, radius) in [(Style::Both, 1, "r=\"10\""), (Style::Points, 0, "r=\"16\"")] {
        let layer = drawn(mark);
        let shapes = shapes(&layer);
        assert_eq!(shapes.iter().filter(|shape| shape.contains(LINE)).count(), lines, "{}", layer.svg);
        let circles: Vec<&&str> = shapes.iter().filter(|shape| shape.contains("<circle")).collect();
        assert_eq!(circles.len(), 2, "{}", layer.svg);
        assert!(circles.iter().all(|circle| circle.contains(radius)), "{}", layer.svg);
        // From 25 to 75, with caps of 5 px to either side.
        for bar in ["2092,1145 2092,414", "2072,1145 2112,1145", "2072,414 2112,414"] {
            let bar = format!("points=\"{bar} \"");
            assert_eq!(shapes.iter().filter(|shape| shape.contains(&bar)).count(), 1, "{bar}: {}", layer.svg);
        }
        assert_eq!(shapes.len(), lines + 2 + 3, "the first point has no interval: {}", layer.svg);
    }
}

/// Three tenths of the distance of two words to either side.
#[test]
fn levels_are_short_lines_at_their_points() {
    let layer = drawn(Style::Levels);
    // A word is 330.3 units from the next: 99.09 to either side of 2091.5, rounded.
    let level = "points=\"1992,779 2191,779 \"";
    assert!(shapes(&layer).iter().any(|shape| shape.contains(level)), "{level}: {}", layer.svg);
    assert_eq!(shapes(&layer).len(), 2, "{}", layer.svg);
}

#[test]
fn theory_is_a_level_on_an_axis_of_words_and_a_line_elsewhere() {
    let point = |x| Point { x, y: 50.0, interval: None, lines: Vec::new() };
    let curve = Curve { name: "bound".to_owned(), points: vec![point(0.0), point(5.0)] };
    let count = |mark| {
        let layer = theory([&linear([0.0, 10.0]), &linear([0.0, 100.0])], (6, &curve), mark);
        assert_eq!((layer.look.colour, layer.look.dashes), (0, "36 20"), "the seventh look");
        shapes(&layer).len()
    };
    assert_eq!([Style::Points, Style::Both, Style::Line].map(count), [2, 1, 1]);
}

#[test]
fn curves_are_marked_if_they_should_be() {
    let point = |x| Point { x, y: 50.0, interval: None, lines: Vec::new() };
    let curve = || [Curve { name: "one".to_owned(), points: vec![point(1.0), point(5.0)] }];
    let axes: [&Axis; 2] = [&linear([0.0, 10.0]), &linear([0.0, 100.0])];
    let circles = |marked| {
        let title = || Title { id: "a".to_owned(), title: "b".to_owned(), caption: "c".to_owned() };
        let figure = figure(title(), axes, &curve(), marked);
        assert_eq!((figure.id.as_str(), figure.title.as_str(), figure.caption.as_str()), ("a", "b", "c"));
        figure.layers[0].svg.matches("<circle").count()
    };
    assert_eq!([true, false].map(circles), [2, 0]);
}
