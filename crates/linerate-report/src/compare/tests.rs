use linerate_analysis::compare::Bottlenecks;
use linerate_analysis::compare::Verdict::{Better, Worse};
use linerate_core::plan::Rows;

use super::fixture::{comparison, question, run};
use super::{document, json};
use crate::fixture::HOSTILE;

#[test]
fn the_text_reads_well() {
    insta::assert_snapshot!(document(&comparison(4)).text(100, Rows::Short));
}

#[test]
fn the_text_of_one_run_each_says_that_it_has_no_verdict() {
    insta::assert_snapshot!(document(&comparison(1)).text(80, Rows::Short));
}

#[test]
fn the_first_sentence_says_by_how_much_and_whether_the_bottleneck_moved() {
    let mut comparison = comparison(4);
    let lead = |comparison: &_| {
        let text = document(comparison).text(400, Rows::Short);
        text.lines().nth(2).expect("a sentence").to_owned()
    };
    let by =
        "after-1 and 3 more are 0.956 ± 0.011 times as fast as before-1 and 3 more at the ping-pong peak";
    for (bottlenecks, moved) in [
        (None, ""),
        (Some((["x", "x"], false)), "; bottleneck unchanged (x)"),
        (Some((["x", "y"], true)), "; bottleneck moved from x to y"),
    ] {
        comparison.bottlenecks =
            bottlenecks.map(|(names, moved)| Bottlenecks { names: names.map(str::to_owned), moved });
        assert_eq!(lead(&comparison), format!("{by}{moved}."));
    }
    // An interval that reaches much further one way has its ends.
    for figure in &mut comparison.figures {
        figure.change.alone = Some([0.4, 3.2]);
    }
    assert!(lead(&comparison).contains("1.0 (0.4 to 3.2) times as fast"), "{}", lead(&comparison));
    comparison.figures.retain(|figure| figure.key.figure.to_string() == "latency");
    assert!(lead(&comparison).contains(" times the ping-pong latency of before-1"), "{}", lead(&comparison));
    comparison.figures.clear();
    assert!(lead(&comparison).starts_with("No figure is known of every run"), "{}", lead(&comparison));
}

#[test]
fn no_line_of_the_text_is_wider_than_the_terminal() {
    for each in [1, 2, 4] {
        let comparison = comparison(each);
        for width in [60, 80, 120] {
            let text = document(&comparison).text(width, Rows::Short);
            for line in text.lines() {
                assert!(crate::text::columns(line) <= usize::from(width).max(78), "{width}: {line}");
            }
        }
    }
}

#[test]
fn all_rows_are_all_sizes() {
    let comparison = comparison(4);
    let text = document(&comparison).text(120, Rows::All);
    for size in &comparison.curves[0].sizes {
        assert!(text.contains(&format!("{:>9}", size.size).trim_start().to_owned()), "{}", size.size);
    }
    assert!(text.lines().count() > comparison.curves[0].sizes.len());
}

#[test]
fn json_holds_the_verdict_every_size_and_what_differs() {
    let comparison = comparison(4);
    let json: serde_json::Value = serde_json::from_str(&json(&comparison).expect("a form")).expect("JSON");
    assert_eq!(json["finding"], true);
    assert_eq!((&json["outcome"], &json["more_runs"]), (&"worse".into(), &serde_json::Value::Null));
    assert!(
        json["verdict"].as_str().is_some_and(|it| it.starts_with("after-1 and 3 more are ")),
        "{}",
        json["verdict"]
    );
    assert_eq!(json["method"]["test"], "permutation");
    assert_eq!(json["curves"][0]["sizes"].as_array().map(Vec::len), Some(comparison.curves[0].sizes.len()));
    assert_eq!(json["differences"][0]["name"], "initiator kernel");
    let figures = json["figures"].as_array().expect("figures");
    let band = figures.iter().find(|figure| figure["key"]["figure"] == "band-256KiB").expect("a band");
    assert_eq!((&band["change"]["verdict"], &band["change"]["beyond"]), (&"worse".into(), &true.into()));
    let end = |nth: usize| band["change"]["interval"][nth].as_f64().expect("an end");
    assert!(end(0) < 1.2 && 1.2 < end(1), "{band}");
}

#[test]
fn the_page_shows_both_sides_and_the_ratio_and_asks_the_network_for_nothing() {
    let page = document(&comparison(4)).html().expect("it has a page");
    crate::golden::asks_for_nothing(&page);
    for id in ["overlay-ping-pong", "ratio-ping-pong", "What differs", "initiator kernel", "6.12.0"] {
        assert!(page.contains(id), "{id}");
    }
    assert_eq!(
        page.matches("<g class=\"curve ").count(),
        7,
        "of two kinds of key figures, two sides, the ratio, and two lines at 1"
    );
}

#[test]
fn a_hostile_name_is_text_and_not_markup() {
    let (mut base, candidate) = (run(0, 0), run(1, 0));
    base.name = HOSTILE.to_owned();
    base.run.nodes[0].environment.kernel = linerate_core::environment::Fact::Known(HOSTILE.to_owned());
    let comparison =
        linerate_analysis::compare::compare(&[base], &[candidate], &question()).expect("comparable");
    let page = document(&comparison).html().expect("it has a page");
    assert!(!page.contains("<script>alert") && !page.contains('\u{1b}'));
    let text = document(&comparison).text(80, Rows::All);
    assert!(!text.contains('\u{1b}'));
}

/// For looking at: `LINERATE_PAGES=/tmp/x cargo test -p linerate-report comparison_to_look_at -- --ignored`.
#[test]
#[ignore = "writes files for a person to look at"]
fn comparison_to_look_at() {
    let folder = std::path::PathBuf::from(std::env::var_os("LINERATE_PAGES").expect("it names a folder"));
    for each in [1, 2, 4, 5] {
        let page = document(&comparison(each)).html().expect("it has a page");
        std::fs::write(folder.join(format!("compare-{each}.html")), page).expect("the folder is there");
    }
}

#[test]
fn key_figures_are_grouped_by_what_they_are_of_and_coloured_by_their_verdict() {
    let comparison = comparison(4);
    let figures = super::forest::figures(&comparison);
    let [figure] = &figures[..] else { panic!("one curve: {}", figures.len()) };
    let of = |verdict| comparison.figures.iter().filter(|figure| figure.change.verdict == verdict).count();
    assert!(of(Worse) >= 2, "the bands from 64 KiB on, and the peak");
    let points = figure.layers.iter().map(|layer| layer.svg.matches("<circle").count()).collect::<Vec<_>>();
    let rest = comparison.figures.len() - of(Worse) - of(Better);
    assert_eq!(
        (points, of(Better)),
        (vec![rest, of(Worse), 0], 0),
        "a legend names nothing that is not drawn"
    );
    assert_eq!(figure.layers[2].name, "no change");
    // A page counts from its top.
    let one = figure.layers[2].aims[0].y;
    let worse = &figure.layers[1].aims;
    let above = worse.iter().filter(|aim| aim.y < one).count();
    assert!(above > 0 && above < worse.len(), "times are longer and the peak is lower");
}
