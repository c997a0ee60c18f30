use super::super::fixture;
use super::*;

#[test]
fn each_numeric_key_has_its_charts_with_a_curve_for_each_value_of_the_others() {
    let figures = figures(&fixture::sweep());
    let titles: Vec<&str> = figures.iter().map(|figure| figure.title.as_str()).collect();
    assert_eq!(titles[0], "Efficiency against stations");
    assert_eq!(titles[5], "Efficiency against frame size");
    let rates = titles.iter().filter(|title| title.starts_with("Throughput") || title.starts_with("Goodput"));
    assert_eq!(rates.count(), 0, "they would be the chart of the efficiency again");
    let layers = figures.iter().map(|figure| figure.layers.len()).collect::<Vec<_>>();
    // By stations: what framing leaves of three sizes, and what contention does. By sizes framing
    // is one line for all, and contention would be one too many.
    assert_eq!(layers, [3 + 6, 3, 3, 3, 3, 6 + 1, 6, 6, 6, 6]);
    assert_eq!(figures[0].layers[3].name, "at most, frame size 64");
    assert_eq!(figures[0].layers[6].name, "Metcalfe and Boggs, frame size 64");
    assert_eq!(figures[0].layers[1].name, "frame size 512");
    let aims = &figures[0].layers[0].aims;
    assert!(aims.len() == 6 && aims.windows(2).all(|pair| pair[0].x < pair[1].x));
    assert_eq!(aims[0].lines[0], "network.stations = 2");
}

#[test]
fn intervals_are_drawn_and_cross_their_points() {
    let figures = figures(&fixture::sweep());
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
    let sizes = numeric(&study, 0).expect("sizes");
    assert_eq!((sizes.unit, sizes.values[0]), (Unit::Bytes, 65_536.0));
    assert!(numeric(&study, 1).is_none());
    study.points[0].set[0] = Value::String("5us".to_owned());
    assert!(numeric(&study, 0).is_none(), "a time among sizes");
}

#[test]
fn plans_side_by_side_have_charts_over_their_names() {
    let figures = figures(&fixture::media());
    assert_eq!(figures[0].title, "Efficiency against plan");
    let names = ["ethernet", "fddi", "ten-gigabit"];
    assert!(names.iter().all(|name| figures[0].axes().contains(name)), "{}", figures[0].axes());
    let rates = figures.iter().find(|figure| figure.title.starts_with("Throughput")).expect("rates");
    let [slow, ring, fast] = &rates.layers[0].aims[..] else { panic!("three plans") };
    // 10 Mb/s and 10 Gb/s are a thousand apart: on a scale of powers of ten both show.
    assert!(slow.y - ring.y > 100 && ring.y - fast.y > 2 * (slow.y - ring.y) - 100);
}

#[test]
fn what_is_nothing_has_no_place_among_powers_of_ten() {
    let mut study = fixture::media();
    study.points[1].runs[0].stations.iter_mut().for_each(|station| {
        station.throughput = linerate_core::units::Rate::from_mbps(0.0);
    });
    let figures = figures(&study);
    let rates = figures.iter().find(|figure| figure.title.starts_with("Throughput")).expect("rates");
    assert_eq!(rates.layers[0].aims.len(), 2);
}

#[test]
fn delays_are_spread_by_powers_of_ten() {
    let mut study = fixture::sweep();
    for (nth, point) in study.points.iter_mut().enumerate() {
        let us = [10, 100, 1_000][nth / 6];
        point.runs.iter_mut().for_each(|run| run.delay.p99 = Some(Span::from_us(us)));
    }
    let figures = figures(&study);
    let delays = figures.iter().find(|figure| figure.title == "Delay (p99) against stations").expect("one");
    let y: Vec<i32> = delays.layers[0].aims.iter().step_by(2).map(|aim| aim.y).collect();
    assert!((y[0] - y[1]).abs_diff(y[1] - y[2]) <= 2, "{y:?}");
    assert!(delays.caption.contains("Lost frames have no delay"));
}

/// The subject of this measure.
fn subject(measure: &str) -> &'static Subject {
    SUBJECTS.iter().find(|subject| subject.measure == measure).expect("there is one")
}

fn points(values: &[f64]) -> Vec<Point> {
    let point = |y: &f64| Point { x: 0.0, y: *y, interval: None, lines: Vec::new() };
    values.iter().map(point).collect()
}

#[test]
fn rates_are_spread_by_powers_of_ten_where_the_least_would_not_be_seen() {
    let logarithmic =
        |measure: &str, values: &[f64]| vertical(subject(measure), points(values).iter()).is_logarithmic();
    assert!(
        !logarithmic("throughput_mbps", &[10.0, 200.0]) && logarithmic("throughput_mbps", &[10.0, 201.0])
    );
    assert!(!logarithmic("throughput_mbps", &[0.0, 100.0]), "nothing is not the least");
    assert!(
        logarithmic("delay_p99_us", &[10.0, 11.0]) && !logarithmic("collisions_per_frame", &[1.0, 1_000.0])
    );
    // Ends of intervals count too.
    let mut wide = points(&[100.0]);
    wide[0].interval = Some([1.0, 150.0]);
    assert!(vertical(subject("goodput_mbps"), wide.iter()).is_logarithmic());
}

#[test]
fn axes_of_shares_and_of_the_index_end_at_the_whole() {
    let whole = |measure: &str, value: f64| vertical(subject(measure), points(&[value]).iter()).share(1.0);
    assert!((whole("efficiency", 0.3) - 1.0).abs() < 1e-9, "the missing part shows");
    assert!((whole("jain", 0.3) - 1.0 / 1.08).abs() < 1e-9);
    assert!(whole("lost_share", 0.3) > 1.0, "only the part that was lost");
}

#[test]
fn a_chart_of_nothing_lost_and_no_collisions_is_not_worth_drawing() {
    let mut study = fixture::single();
    let worth = |study: &Study| SUBJECTS.iter().filter(|it| is_worth(study, it)).count();
    assert_eq!(worth(&study), 5);
    let run = &mut study.points[0].runs[0];
    run.lost.clear();
    assert_eq!(worth(&study), 4);
    let run = &mut study.points[0].runs[0];
    run.stations.iter_mut().for_each(|station| station.mac.collisions = 0);
    assert_eq!(worth(&study), 3);
}

#[test]
fn a_caption_says_what_the_chart_has_besides() {
    let said = |more, theory: &[Curve]| caption(subject("jain"), more, theory);
    assert_eq!(said(0, &[]), subject("jain").caption);
    assert!(said(3, &[]).ends_with(" 3 more curves are in the table only."));
    let bound = Curve { name: String::new(), points: Vec::new() };
    assert!(said(0, &[bound]).contains(" Dashed is theory: "));
}

#[test]
fn an_interval_is_cut_where_there_is_nothing_and_a_value_has_its_unit() {
    let estimate = |half| Estimate { mean: 0.9, half_width: half, runs: 3 };
    let lines = |measure: &str, half| place(2.0, estimate(half), subject(measure), "key = 2").lines;
    assert_eq!(lines("throughput_mbps", None), ["key = 2", "0.900 Mb/s"]);
    assert_eq!(lines("delay_p99_us", Some(0.5))[1], "0.900 us (0.400 to 1.40)");
    assert_eq!(
        lines("efficiency", Some(0.5))[1],
        "90.0 % (40.0 % to 140.0 %)",
        "several lines may be above one"
    );
    assert_eq!(lines("lost_share", Some(0.5))[1], "90.0 % (40.0 % to 100.0 %)");
    assert_eq!(lines("jain", Some(2.0))[1], "0.900 (0.00 to 1.00)");
    let point = place(2.0, estimate(Some(1.0)), subject("throughput_mbps"), "");
    assert_eq!((point.x, point.y, point.interval), (2.0, 0.9, Some([0.0, 1.9])));
}

#[test]
fn words_are_numbered_as_they_come_unless_they_are_all_alike() {
    let mut study = fixture::media();
    let against = worded(&study, 0).expect("three plans");
    assert_eq!(
        (against.values, against.words.join(" ").as_str()),
        (vec![0.0, 1.0, 2.0], "ethernet fddi ten-gigabit")
    );
    study.points[2].set[0] = Value::String("ethernet".to_owned());
    assert_eq!(worded(&study, 0).expect("two plans").values, [0.0, 1.0, 0.0]);
    study.points[1].set[0] = Value::String("ethernet".to_owned());
    assert!(worded(&study, 0).is_none());
}

#[test]
fn times_and_floats_are_numbers_and_one_value_is_no_axis() {
    let mut study = fixture::interrupted();
    let mut with = |values: [Value; 3]| {
        study.points.iter_mut().zip(values).for_each(|(point, value)| point.set[0] = value);
        numeric(&study, 0).map(|it| (it.unit, it.values))
    };
    let text = |text: &str| Value::String(text.to_owned());
    assert_eq!(with([text("1ms"), text("20us"), text("1s")]), Some((Unit::Time, vec![1_000.0, 20.0, 1e6])));
    let mixed = [Value::Float(0.5), Value::Integer(2), Value::Float(1.0)];
    assert_eq!(with(mixed), Some((Unit::Number, vec![0.5, 2.0, 1.0])));
    assert_eq!(
        with([text("1KiB"), Value::Integer(2), Value::Integer(3)]),
        Some((Unit::Bytes, vec![1024.0, 2.0, 3.0]))
    );
    assert_eq!(with([Value::Integer(2), Value::Integer(2), Value::Integer(2)]), None);
}

#[test]
fn keys_have_the_names_that_readers_use() {
    for (key, in_text, on_axis) in [
        ("network.stations", "stations", "Stations"),
        ("load.frame", "frame size", "Frame size (bytes)"),
        ("load.packet", "packet size", "IP packet (bytes)"),
        ("network.length-m", "length-m", "network.length-m"),
        ("plan", "plan", "Plan"),
    ] {
        assert_eq!((noun(key).as_str(), axis_title(key).as_str()), (in_text, on_axis));
    }
}
