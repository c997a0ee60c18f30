use linerate_analysis::changes::Standing;

use super::super::fixture::{found, history, step, unconfirmed};
use super::super::shown::Shown;
use super::*;

/// The charts of a path by title.
fn charts(path: &PathHistory) -> Vec<Figure> {
    figures(path, &Shown::of(path))
}

fn chart<'a>(charts: &'a [Figure], title: &str) -> &'a Figure {
    charts.iter().find(|figure| figure.title == title).expect(title)
}

fn layer<'a>(figure: &'a Figure, name: &str) -> Option<&'a Layer> {
    figure.layers.iter().find(|layer| layer.name == name)
}

/// The numbers behind the letter of a path's command.
fn moves(svg: &str, class: &str) -> Vec<[i32; 2]> {
    let path = svg.split("<path ").find(|path| path.contains(class)).expect(class);
    let data = path.split(" d=\"").nth(1).and_then(|it| it.split('"').next()).expect("it has data");
    let number = |text: &str| -> i32 { text.parse().expect("a number") };
    let place = |piece: &str| {
        let (x, rest) = piece.split_once(' ').expect("two numbers");
        [number(x), number(rest.split(|c: char| c.is_alphabetic()).next().expect("a number"))]
    };
    data.split('M').skip(1).map(place).collect()
}

#[test]
fn every_run_has_its_point_and_its_tooltip_and_an_outlier_is_hollow() {
    let path = history(60, 12);
    let charts = charts(&path);
    let p99 = layer(chart(&charts, "rr p99"), "runs").expect("it has runs");
    let known = path.figures[8].values.iter().flatten().count();
    let off = path.changes.figures[8].outliers.iter().map(|it| it.last - it.first + 1).sum::<usize>();
    assert!(off > 0, "the run that takes 1.8 times as long is one");
    assert_eq!(moves(&p99.svg, "points").len(), known - off);
    assert_eq!((p99.svg.matches("class=\"ring\"").count(), p99.aims.len()), (off, known));
    let lines: Vec<&Vec<String>> = p99.aims.iter().map(|aim| &aim.lines).collect();
    assert!(
        lines[0][0].starts_with("2026-01-01 06:30, ") && lines[0][0].ends_with(", baseline"),
        "{lines:?}"
    );
    assert_eq!(lines.iter().filter(|lines| lines[1].ends_with(", outlier")).count(), off);
}

#[test]
fn a_change_is_a_line_between_two_runs_with_what_is_beside_it() {
    let path = history(60, 12);
    let charts = charts(&path);
    let latency = chart(&charts, "ping-pong latency");
    let changes = &layer(latency, "changes").expect("it changed").svg;
    let points = moves(&layer(latency, "runs").expect("it has runs").svg, "points");
    let at = moves(changes, "line")[0][0];
    // Without a value, runs 5, 22 and 39 have no point.
    let number = step(60) - 2;
    assert!(points[number - 1][0] < at && at < points[number][0], "{at} {points:?}");
    assert!(changes.contains("initiator kernel: 6.1.0-28-amd64 -&gt; 6.12.9-amd64"), "{changes}");
    let by = path.changes.figures[0].steps[0].change.value;
    assert!(changes.contains(&format!(">step {:+.1} %<", (by - 1.0) * 100.0)), "{changes}");
    assert!(layer(chart(&charts, "ping-pong peak"), "changes").is_none(), "nothing happened to it");
}

#[test]
fn bands_without_a_change_have_no_chart_and_key_figures_always() {
    let charts = charts(&history(60, 12));
    let titles: Vec<&str> = charts.iter().map(|figure| figure.title.as_str()).collect();
    assert!(titles.contains(&"ping-pong 1 B to 64 B") && !titles.contains(&"ping-pong 16 KiB to 256 KiB"));
    assert!(titles.contains(&"ping-pong peak") && titles.contains(&"stream loss, send"), "{titles:?}");
}

#[test]
fn of_many_figures_those_that_changed_have_a_chart() {
    let mut path = history(60, 12);
    let (latency, peak) = (path.figures[0].clone(), path.figures[1].clone());
    let named = |course: &Course, nth: usize| {
        let mut course = course.clone();
        course.key.subject = format!("load {nth}");
        course
    };
    path.figures = (0..100).map(|nth| named(if nth % 10 == 9 { &latency } else { &peak }, nth)).collect();
    path.changes = found(&path.runs, &path.figures);
    let charts = charts(&path);
    let changed = charts.iter().filter(|figure| figure.title.ends_with("latency")).count();
    assert_eq!((changed, charts.len()), (10, 10 + QUIET));
}

#[test]
fn levels_are_drawn_where_they_are() {
    let path = history(60, 12);
    let charts = charts(&path);
    let latency = chart(&charts, "ping-pong latency");
    let levels = moves(&layer(latency, "levels").expect("there are levels").svg, "line");
    let points = moves(&layer(latency, "runs").expect("it has runs").svg, "points");
    assert_eq!(levels.len(), 2);
    assert!(levels[1][1] < levels[0][1], "what takes longer is higher");
    // Half of the runs of a stretch lie on each side of its level.
    let before = &points[..step(60) - 2];
    let above = before.iter().filter(|[_, y]| *y < levels[0][1]).count();
    assert!((before.len() / 4..before.len() * 3 / 4).contains(&above), "{above} of {}", before.len());
    assert!(layer(latency, "baseline").is_some());
}

#[test]
fn an_unconfirmed_change_is_dashed_and_says_so() {
    let path = unconfirmed();
    let open = path.changes.figures[0].steps.last().expect("a step");
    assert_eq!(open.standing, Standing::Unconfirmed);
    let charts = charts(&path);
    let svg = &layer(chart(&charts, "ping-pong latency"), "changes").expect("it changed").svg;
    assert!(svg.contains("unconfirmed") && svg.contains("stroke-dasharray=\"8 12\""), "{svg}");
}

#[test]
fn one_run_and_none_can_be_drawn() {
    for runs in [0, 1, 2, 6] {
        let charts = charts(&history(runs, 12));
        assert_eq!(charts.is_empty(), runs == 0, "{runs}");
    }
}
