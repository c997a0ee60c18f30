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

/// The places of the points of a layer.
fn points(layer: &Layer) -> Vec<(f64, f64)> {
    let found = layer.marks.iter().find_map(|mark| match mark {
        Mark::Points { at, .. } => Some(at.clone()),
        _ => None,
    });
    found.expect("it has points")
}

/// Where the lines of changes stand.
fn rules(layer: &Layer) -> Vec<f64> {
    let rule = |mark: &Mark| if let Mark::Rule { at, .. } = mark { Some(*at) } else { None };
    layer.marks.iter().filter_map(rule).collect()
}

#[test]
fn every_run_has_its_point_and_its_tooltip_and_an_outlier_is_hollow() {
    let path = history(60, 12);
    let charts = charts(&path);
    let p99 = layer(chart(&charts, "rr p99"), "runs").expect("it has runs");
    let known = path.figures[8].values.iter().flatten().count();
    let off = path.changes.figures[8].outliers.iter().map(|it| it.last - it.first + 1).sum::<usize>();
    assert!(off > 0, "the run that takes 1.8 times as long is one");
    assert_eq!(points(p99).len(), known - off);
    assert_eq!((p99.svg.matches("<circle").count(), p99.aims.len()), (off, known));
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
    let changes = layer(latency, "changes").expect("it changed");
    assert_eq!(rules(changes), [step(60) as f64 - 0.5]);
    let changes = &changes.svg;
    assert!(changes.contains("initiator kernel: 6.1.0-28-amd64 -&gt; 6.12.9-amd64"), "{changes}");
    let by = path.changes.figures[0].steps[0].change.value;
    assert!(changes.contains(&format!("\nstep {:+.1} %\n", (by - 1.0) * 100.0)), "{changes}");
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
    let levels = &layer(latency, "levels").expect("there are levels").marks;
    let [Mark::Line { through: before, .. }, Mark::Line { through: after, .. }] = &levels[..] else {
        panic!("two levels: {levels:?}")
    };
    assert!(after[0].1 > before[0].1, "what takes longer is higher");
    // Half of the runs of a stretch lie on each side of its level.
    let points = points(layer(latency, "runs").expect("it has runs"));
    let first = &points[..step(60) - 2];
    let above = first.iter().filter(|(_, y)| *y > before[0].1).count();
    assert!((first.len() / 4..first.len() * 3 / 4).contains(&above), "{above} of {}", first.len());
    assert!(layer(latency, "baseline").is_some());
}

#[test]
fn an_unconfirmed_change_is_dashed_and_says_so() {
    let path = unconfirmed();
    let open = path.changes.figures[0].steps.last().expect("a step");
    assert_eq!(open.standing, Standing::Unconfirmed);
    let charts = charts(&path);
    let open = layer(chart(&charts, "ping-pong latency"), "unconfirmed changes").expect("it changed");
    assert!(open.svg.contains("unconfirmed") && open.look.dashes != "none", "{}", open.svg);
}

#[test]
fn one_run_and_none_can_be_drawn() {
    for runs in [0, 1, 2, 6] {
        let charts = charts(&history(runs, 12));
        assert_eq!(charts.is_empty(), runs == 0, "{runs}");
    }
}
