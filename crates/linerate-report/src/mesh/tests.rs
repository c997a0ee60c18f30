//! The whole of a mesh in every form.

use linerate_analysis::report::Report;
use linerate_core::mesh::Mesh;
use linerate_core::plan::{Level, MeshSchedule, Rows};

use super::fixture;
use crate::fixture::HOSTILE;
use crate::{RenderError, csv, golden, html, json, np, svg, text};

/// For looking at: `LINERATE_PAGES=/tmp/x cargo test -p linerate-report mesh::tests::to_look_at -- --ignored`.
#[test]
#[ignore = "writes files for a person to look at"]
fn to_look_at() {
    let folder = std::path::PathBuf::from(std::env::var_os("LINERATE_PAGES").expect("it names a folder"));
    for (name, report) in [
        ("small", fixture::small()),
        ("sixteen", fixture::of(16)),
        ("crowd", fixture::of(200)),
        ("lossy", fixture::lossy()),
        ("gone", fixture::gone()),
        ("both", Report::new([fixture::small().runs, crate::fixture::one().runs].concat())),
    ] {
        let write = |form: &str, text: String| {
            std::fs::write(folder.join(name).with_extension(form), text).expect("the folder is there");
        };
        write("html", html(&report).expect("it has a page"));
        write("svg", svg(&report).expect("it can be drawn"));
        write("csv", csv(&report, Level::Point).expect("it has rows"));
        write("txt", text(&report, 80, Rows::Short));
        write("all.txt", text(&report, 140, Rows::All));
    }
}

#[test]
fn the_texts_read_well() {
    for (name, report) in [
        ("small", fixture::small()),
        ("sixteen", fixture::of(16)),
        ("lossy", fixture::lossy()),
        ("gone", fixture::gone()),
    ] {
        insta::assert_snapshot!(format!("the_text_of_{name}"), text(&report, 80, Rows::Short));
    }
    insta::assert_snapshot!("the_text_of_small_with_all_rows", text(&fixture::small(), 140, Rows::All));
}

#[test]
fn a_text_has_room_on_one_screen_and_keeps_its_width() {
    for width in [60, 80, 120] {
        for report in [fixture::small(), fixture::of(16), fixture::of(200), fixture::lossy()] {
            for line in text(&report, width, Rows::Short).lines() {
                assert!(crate::text::columns(line) <= usize::from(width), "{width}: {line}");
            }
        }
    }
    assert!(text(&fixture::of(16), 80, Rows::Short).lines().count() <= 66);
    assert!(text(&fixture::of(200), 80, Rows::Short).contains("a cell is the worst of 9 x 9 pairs"));
}

#[test]
fn the_pages_read_well() {
    for (name, report) in [("small", fixture::small()), ("lossy", fixture::lossy())] {
        let page = html(&report).expect("it has a page");
        insta::assert_snapshot!(format!("the_page_of_{name}"), golden::page(&page));
    }
}

/// 200 ranks, whose two maps have 80,000 cells.
#[test]
fn a_page_takes_less_than_three_bytes_a_cell() {
    let page = html(&fixture::of(200)).expect("it has a page");
    assert!(page.len() < 3 * 80_000 + 170_000, "{}", page.len());
    crate::golden::asks_for_nothing(&page);
}

#[test]
fn every_pair_is_a_row_and_a_cell_of_the_matrices() {
    let report = fixture::small();
    let rows = csv(&report, Level::Point).expect("it has rows");
    let mut reader = ::csv::Reader::from_reader(rows.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let at = |name: &str| header.iter().position(|heading| heading == name).expect(name);
    let lines: Vec<_> = reader.records().map(|line| line.expect("a line")).collect();
    let count = |kind: &str| lines.iter().filter(|line| &line[at("kind")] == kind).count();
    assert_eq!([count("pair"), count("together"), count("collective")], [4 * 56, 3, 13]);
    let slow = lines.iter().find(|line| {
        (&line[at("from")], &line[at("to")], &line[at("schedule")], &line[at("pattern")])
            == ("n1", "n2", "pairs", "one-way")
    });
    let slow = slow.expect("the slow link");
    let mbps: f64 = slow[at("throughput_mbps")].parse().expect("a rate");
    let times = 8.0 * (1.0 + f64::from((37 + 2 * 101) % 23) / 1_000.0);
    assert!((mbps / (8.0 * 1_048_576.0 / (900.0 * times)) - 1.0).abs() < 1e-9, "{mbps}");
    assert!(slow[at("latency_us")].is_empty() && slow[at("to_hosts")].is_empty());
    let json: serde_json::Value =
        serde_json::from_str(&json(&report, Level::Point).expect("it has a form")).expect("JSON");
    assert_eq!(json["meshes"][0]["views"][1]["values"][1][2], serde_json::json!(mbps));
    assert_eq!(json["rows"].as_array().map(Vec::len), Some(lines.len()));
    assert!(csv(&report, Level::Round).is_err() && csv(&report, Level::Interval).is_err());
    let pairs = csv(&report, Level::Pair).expect("it has pairs");
    assert_eq!(pairs.lines().filter(|line| line.contains(",pair,")).count(), pairs.lines().count() - 1);
    assert!(matches!(np(&report), Err(RenderError::NoCurve { .. })));
}

/// Renders `report` in every form, and refuses what could command a terminal or a browser.
fn is_safe(report: &Report) {
    let page = html(report).expect("it has a page");
    let scripts = if report.meshes.is_empty() { 2 } else { 4 };
    assert_eq!([page.matches("<script").count(), page.matches("</script").count()], [scripts; 2]);
    let mut texts = vec![page, svg(report).expect("it can be drawn")];
    texts.push(csv(report, Level::Point).expect("it has rows"));
    texts.push(json(report, Level::Point).expect("it has a form"));
    for width in [0, 1, 40, 80, 200] {
        texts.extend([Rows::Short, Rows::All].map(|rows| text(report, width, rows)));
    }
    assert!(texts.iter().all(|text| !text.contains('\u{1b}')));
    assert!(texts[..2].iter().all(|text| !text.contains("<script>alert")));
}

#[test]
fn few_ranks_no_probes_and_no_values_are_no_trouble() {
    for ranks in [0, 1, 2, 3, 13, 41] {
        is_safe(&fixture::of(ranks));
    }
    is_safe(&fixture::gone());
    is_safe(&fixture::report(Mesh::default(), vec![MeshSchedule::Pairs]));
    let changed = |change: fn(&mut Mesh)| {
        let mut named = fixture::small().runs.swap_remove(0);
        change(named.run.mesh.as_mut().expect("it has one"));
        Report::new(vec![named])
    };
    is_safe(&changed(|mesh| mesh.probes.clear()));
    is_safe(&changed(|mesh| mesh.phases.clear()));
    is_safe(&changed(|mesh| mesh.ranks.truncate(2)));
    let every = |mesh: &mut Mesh, time: Option<linerate_core::units::Span>| {
        let passes =
            mesh.phases.iter_mut().flat_map(|phase| &mut phase.rounds).flat_map(|round| &mut round.passes);
        passes.for_each(|pass| pass.times.fill(time));
    };
    let mut instant = fixture::small().runs.swap_remove(0);
    every(instant.run.mesh.as_mut().expect("it has one"), Some(linerate_core::units::Span::ZERO));
    is_safe(&Report::new(vec![instant]));
    let mut nothing = fixture::small().runs.swap_remove(0);
    every(nothing.run.mesh.as_mut().expect("it has one"), None);
    is_safe(&Report::new(vec![nothing]));
    let mut unmeasured = fixture::small().runs.swap_remove(0);
    unmeasured.run.mesh = None;
    is_safe_without(&Report::new(vec![unmeasured]));
}

/// A run that ended before its mesh began has no heat maps to draw.
fn is_safe_without(report: &Report) {
    assert!(text(report, 80, Rows::Short).contains("Nothing was measured"));
    assert!(html(report).is_ok() && svg(report).is_err());
    assert!(csv(report, Level::Point).is_ok());
}

#[test]
fn long_and_hostile_names_are_text_and_nothing_else() {
    let mut named = fixture::small().runs.swap_remove(0);
    let mesh = named.run.mesh.as_mut().expect("it has one");
    mesh.ranks[1].name = HOSTILE.to_owned();
    mesh.ranks[2].name = format!("</script><!--{}", "x".repeat(242));
    mesh.ranks[3].name = "\u{5927}".repeat(255);
    mesh.collectives[0].algorithm = format!("</script>{HOSTILE}");
    mesh.collectives[0].collective = HOSTILE.to_owned();
    mesh.lost.push(linerate_core::mesh::Lost {
        with: Some(2),
        ..linerate_core::mesh::Lost::new(1, HOSTILE.to_owned())
    });
    is_safe(&Report::new(vec![named]));
}

#[test]
fn several_meshes_and_curves_are_on_one_page() {
    let both = Report::new([fixture::small().runs, fixture::lossy().runs].concat());
    is_safe(&both);
    let page = html(&both).expect("it has a page");
    assert_eq!(page.matches("data-order=").count(), 2);
    assert_eq!(page.matches("id=\"map-").count(), 4 + 2);
    let mixed = Report::new([fixture::small().runs, crate::fixture::one().runs].concat());
    let page = html(&mixed).expect("it has a page");
    assert!(page.contains("id=\"graphs\"") && page.contains("data-order=\"0\""));
    let words = text(&mixed, 80, Rows::Short);
    assert!(words.contains("median us") && words.contains("all 56 pairs measured"));
}
