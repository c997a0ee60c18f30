use linerate_analysis::report::{Ceiling, Report};

use super::graph::Graph;
use super::graphs;
use crate::figure::Figure;
use crate::fixture;
use crate::plot::{ACROSS, Axis, Mark, Scale, Shape, Sign, UP, axes, spot, svg as drawn};

/// A linear axis between two values, labelled at both.
fn axis(title: &str, ends: [f64; 2]) -> Axis {
    Axis::new(title.to_owned(), Scale::Linear, ends, &ends, |value| format!("<{value}>"))
}

/// In pixels of 960 by 440: a margin of 24 at the right and 12 above; 6 and 104 for the labels at the
/// left, 4 and 58 for those below. The units at the right and at the bottom are the last within.
#[test]
fn a_graph_leaves_room_for_its_labels() {
    let (x, y) = (axis("x", [0.0, 10.0]), axis("y", [0.0, 100.0]));
    let spots = [(0.0, 0.0), (10.0, 100.0), (5.0, 25.0)].map(|place| spot([&x, &y], place));
    let [left, right, top, bottom] = [(6 + 104) * 4, (960 - 24) * 4 - 1, 12 * 4, (440 - 4 - 58) * 4 - 1];
    assert_eq!((ACROSS, UP), ([left, right], [bottom, top]));
    let quarter = bottom - (f64::from(bottom - top) / 4.0).round() as i32;
    assert_eq!(spots, [(left, bottom), (right, top), ((left + right + 1) / 2, quarter)]);
}

#[test]
fn marks_are_in_the_colour_of_their_group() {
    let (x, y) = (axis("x", [0.0, 10.0]), axis("y", [0.0, 100.0]));
    let layer = drawn([&x, &y], &[Mark::line([(0.0, 0.0), (10.0, 100.0)], 2)]);
    assert!(layer.starts_with("<polyline") && layer.ends_with("/>"), "{layer}");
    assert!(layer.contains("stroke=\"currentColor\"") && !layer.contains("#000000"), "{layer}");
    assert!(layer.contains("points=\"440,1511 3743,48 \""), "{layer}");
}

#[test]
fn axes_have_their_titles_their_labels_and_pale_lines() {
    let svg = axes([&axis("along", [0.0, 10.0]), &axis("up", [0.0, 100.0])]);
    for text in ["\nalong\n", "\nup\n", "\n<0>\n".replace('<', "&lt;").replace('>', "&gt;").as_str()] {
        assert!(svg.contains(text), "{text} in {svg}");
    }
    assert_eq!(svg.matches("10&gt;").count(), 1, "{svg}");
    assert!(svg.contains("#DDDDDD") && !svg.contains("#000000"), "{svg}");
}

/// Four sizes of which the third has no interval, and the fourth has not settled.
fn four() -> Report {
    let mut report = fixture::one();
    let curve = &mut report.curves[0];
    curve.points.retain(|point| [64, 1024, 16_384, 65_536].contains(&point.size));
    for (nth, point) in curve.points.iter_mut().enumerate() {
        let timed = point.timed.as_mut().expect("the fixture times it");
        timed.settled = nth < 3;
        (timed.interval_us, timed.mbps_interval) = if nth == 2 {
            (None, None)
        } else {
            (Some([timed.median_us * 0.9, timed.median_us * 1.1]), Some([timed.mbps * 0.9, timed.mbps * 1.1]))
        };
    }
    curve.derived.dips.clear();
    curve.derived.saturation = None;
    report
}

fn picture(report: &Report, graph: Graph) -> Figure {
    graphs(report).into_iter().find(|figure| figure.id == graph.name()).expect("every graph is drawn")
}

fn svg(report: &Report, graph: Graph) -> String {
    picture(report, graph).layers.remove(0).svg
}

#[test]
fn points_are_filled_where_they_have_settled() {
    for graph in Graph::ALL {
        let svg = svg(&four(), graph);
        let circles: Vec<&str> = svg.lines().filter(|line| line.contains("<circle")).collect();
        let hollow: Vec<bool> = circles.iter().map(|line| line.contains("fill=\"none\"")).collect();
        assert_eq!(hollow, [false, false, false, true], "{svg}");
        assert!(circles.iter().all(|line| line.contains("r=\"10\"")), "{svg}");
        assert!(circles[3].contains("stroke-width=\"4\""), "{svg}");
    }
}

#[test]
fn intervals_are_a_band_between_neighbours_and_a_bar_for_one_alone() {
    let bars = |svg: &str| svg.lines().filter(|line| line.contains("opacity=\"0.35\"")).count();
    let bands = |svg: &str| svg.matches("<polygon").count();
    for (graph, expected) in
        [(Graph::Throughput, (1, 1)), (Graph::Saturation, (1, 1)), (Graph::Signature, (0, 3))]
    {
        let svg = svg(&four(), graph);
        assert_eq!((bands(&svg), bars(&svg)), expected, "{graph:?}: {svg}");
    }
    // The band goes along the lower ends and back along the upper ones.
    let svg = svg(&four(), Graph::Saturation);
    let band = svg.lines().find(|line| line.contains("<polygon")).expect("a band");
    let (_, points) = band.split_once("points=\"").expect("points");
    let corners: Vec<Vec<i32>> = points
        .split_once('"')
        .expect("an end")
        .0
        .split_whitespace()
        .map(|corner| corner.split(',').map(|it| it.parse().expect("a number")).collect())
        .collect();
    let [one, two, upper_two, upper_one] = &corners[..] else { panic!("four corners: {corners:?}") };
    assert!(one[0] < two[0] && two[0] == upper_two[0] && one[0] == upper_one[0], "{corners:?}");
    assert!(one[1] > upper_one[1] && two[1] > upper_two[1], "the longer time is higher up: {corners:?}");
}

#[test]
fn dips_and_the_saturation_point_are_marked_where_they_are() {
    let rings = |svg: &str| -> Vec<String> {
        let rings = svg.lines().filter(|line| line.contains("r=\"28\""));
        rings.map(str::to_owned).collect()
    };
    let mut report = four();
    assert!(Graph::ALL.into_iter().all(|graph| rings(&svg(&report, graph)).is_empty()));
    let full = fixture::one();
    report.curves[0].derived.saturation = full.curves[0].derived.saturation;
    let knee = report.curves[0].derived.saturation.as_mut().expect("the fixture has one");
    // At 1 KiB, where the bytes take as long as the fixed part: twice that in all.
    (knee.size, knee.interval, knee.fixed_ps) = (1024.0, [64.0, 16_384.0], 25e6);
    let drawn = picture(&report, Graph::Saturation).layers.remove(0);
    let places: Vec<i32> = drawn.aims.iter().map(|pixel| pixel.x).collect();
    assert!(rings(&drawn.svg).is_empty(), "all have settled: {}", drawn.svg);
    let y = Graph::Saturation.y(&report).share(50.0);
    let y = UP[0] - (y * f64::from(UP[0] - UP[1])).round() as i32;
    let diamond = drawn.svg.lines().rfind(|line| line.contains("<polygon")).expect("the saturation point");
    let (x, _) = (places[1], y);
    assert!(diamond.contains(&format!(" {x},")), "{diamond} is not at {x}");
    let interval = format!("points=\"{},{y} {},{y} \"", places[0], places[2]);
    assert!(drawn.svg.contains(&interval), "{interval} in {}", drawn.svg);
    // A dip is marked at its point, where throughput is shown against size.
    report.curves[0].derived.dips = full.curves[0].derived.dips.clone();
    report.curves[0].derived.dips[0].size = 16_384;
    report.curves[0].derived.dips.truncate(1);
    let drawn = picture(&report, Graph::Throughput).layers.remove(0);
    let dips: Vec<&Mark> = drawn.marks.iter().filter(|mark| mark.is(Sign::Shape(Shape::Down))).collect();
    let [Mark::Point { at, .. }] = dips[..] else { panic!("one triangle: {:?}", drawn.marks) };
    assert_eq!(*at, drawn.aims[2].at);
    let signature = picture(&report, Graph::Signature).layers.remove(0);
    assert!(!signature.marks.iter().any(|mark| mark.is(Sign::Shape(Shape::Down))));
}

#[test]
fn a_ceiling_far_above_is_named_at_the_top_without_a_line() {
    let mut report = four();
    let highest = report.curves[0].timed().map(|(_, timed)| timed.mbps).fold(0.0, f64::max);
    let ceiling = |times: f64, label: &str| Ceiling { mbps: highest * times, label: label.to_owned() };
    report.ceilings = vec![ceiling(1.5, "near"), ceiling(100.0, "far")];
    for graph in [Graph::Throughput, Graph::Signature] {
        let picture = picture(&report, graph);
        assert_eq!(picture.ceilings_svg().matches("<polyline").count(), 1, "{}", picture.ceilings_svg());
        assert!(picture.labels_svg().contains("\nnear\n"), "{}", picture.labels_svg());
        assert!(picture.labels_svg().contains("\nfar (above)\n"), "{}", picture.labels_svg());
        // The line reaches from side to side.
        let lines = picture.ceilings_svg();
        let line = lines.lines().find(|line| line.contains("<polyline")).expect("a line");
        assert!(line.contains(&format!("points=\"{},", ACROSS[0])), "{line}");
        assert!(line.contains(&format!(" {},", ACROSS[1])), "{line}");
    }
    let saturation = picture(&report, Graph::Saturation);
    assert!(saturation.ceilings.is_empty());
}

#[test]
fn every_graph_says_what_it_is() {
    let ids: Vec<String> = graphs(&four()).into_iter().map(|figure| figure.id).collect();
    assert_eq!(ids, Graph::ALL.map(Graph::name));
    let names = Graph::ALL.map(|graph| (graph.name(), graph.title()));
    let expected = ["throughput", "signature", "saturation"]
        .map(|name| (name, name[..1].to_uppercase() + &name[1..] + " graph"));
    for ((name, title), (wanted, wanted_title)) in names.into_iter().zip(expected) {
        assert_eq!((name, title), (wanted, wanted_title.as_str()));
    }
    let drawn = graphs(&fixture::one());
    for (figure, word) in drawn.iter().zip(["dips", "latency", "saturation point"]) {
        assert!(figure.caption.contains(word), "{}", figure.caption);
    }
}

/// What a caption says of marks, its chart has.
#[test]
fn without_dips_and_a_saturation_point_no_caption_speaks_of_them() {
    let mut report = fixture::one();
    for curve in &mut report.curves {
        curve.derived.dips.clear();
        curve.derived.saturation = None;
    }
    for figure in graphs(&report) {
        figure.names_its_marks();
        assert!(
            !figure.caption.contains("riangle") && !figure.caption.contains("iamond"),
            "{}",
            figure.caption
        );
    }
}
