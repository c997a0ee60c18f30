//! What a run should not have, and may.

use linerate_analysis::report::Report;
use linerate_core::app::{Account, AppFigure, AppRun, Axis, Check, Course, Phase};
use linerate_core::plan::{Level, Rows};
use linerate_core::run::State;

use super::super::fixture;
use crate::fixture::HOSTILE;
use crate::{csv, html, json, svg, text};

/// Renders `report` in every form, and refuses what could command a terminal or a browser, and what is no number.
fn is_safe(report: &Report) {
    let page = html(report).expect("it has a page");
    let meshes = if report.meshes.is_empty() { 0 } else { 2 };
    assert_eq!([page.matches("<script").count(), page.matches("</script").count()], [2 + meshes; 2]);
    let mut texts = vec![page];
    texts.extend(svg(report));
    let drawn = texts.len();
    texts.push(csv(report, Level::Point).expect("it has rows"));
    texts.push(json(report, Level::Point).expect("it has a form"));
    for width in [0, 1, 40, 80, 200] {
        texts.extend([Rows::Short, Rows::All].map(|rows| text(report, width, rows)));
    }
    for text in &texts {
        assert!(!text.contains('\u{1b}'));
        // The packed numbers of a mesh may spell anything.
        let is_number = !["NaN", ">inf", " inf "].iter().any(|it| text.contains(it));
        assert!(is_number || meshes > 0, "{text}");
    }
    assert!(texts[..drawn].iter().all(|text| !text.contains("<script>alert")));
}

#[test]
fn without_one_rank_there_is_no_speed_up() {
    let report = Report::new(vec![fixture::named(fixture::GIGABIT, &[2, 4])]);
    is_safe(&report);
    let words = text(&report, 80, Rows::Short);
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(line.contains("there is no speed-up, because it was not run on one rank"), "{words}");
    let page = html(&report).expect("it has a page");
    assert!(!page.contains("id=\"speed-up-0\"") && page.contains("id=\"merit-0\""));
    assert!(page.contains("There is no speed-up: it was not run on one rank."));
    let file = svg(&report).expect("it can be drawn");
    assert_eq!(file.matches("class=\"axes\"").count(), 1);
}

#[test]
fn one_number_of_ranks_is_no_curve() {
    let report = Report::new(vec![fixture::named(fixture::GIGABIT, &[1])]);
    is_safe(&report);
    let page = html(&report).expect("it has a page");
    assert!(!page.contains("id=\"merit-0\"") && page.contains("id=\"step-0-0\""));
    assert!(text(&report, 80, Rows::Short).contains("thousand atom-steps/s on one rank"));
    assert!(svg(&report).expect("it can be drawn").contains("on one rank"));
}

#[test]
fn a_run_that_was_ended_says_so_and_so_does_its_row() {
    let mut named = fixture::named(fixture::GIGABIT, &[1, 2]);
    named.run.state = State::Interrupted;
    named.run.app.as_mut().expect("it has one").cases[3].interrupted = true;
    let report = Report::new(vec![named]);
    is_safe(&report);
    let words = text(&report, 80, Rows::Short);
    assert!(words.starts_with("INTERRUPTED: ") && words.contains("ENDED EARLY"), "{words}");
    let page = html(&report).expect("it has a page");
    assert!(page.contains("<h1>INTERRUPTED: ") && page.contains(">ENDED EARLY</td>"));
}

#[test]
fn a_run_without_a_case_says_that_nothing_was_run() {
    let empty = fixture::changed(|app| app.cases.clear());
    is_safe(&empty);
    assert!(text(&empty, 80, Rows::Short).contains("nothing was run to its end"));
    let mut named = fixture::named(fixture::GIGABIT, &[1, 2]);
    (named.run.app, named.run.state) = (None, State::Failed("connect to n1".to_owned()));
    let none = Report::new(vec![named]);
    is_safe(&none);
    let words = text(&none, 80, Rows::Short);
    assert!(words.contains("FAILED: connect to n1") && words.contains("Nothing was run."), "{words}");
    assert!(html(&none).expect("it has a page").contains("Nothing was run."));
    assert!(svg(&none).is_err());
}

#[test]
fn names_from_a_file_are_text_and_nothing_else() {
    let hostile = |report: &mut AppRun| {
        for text in [&mut report.name, &mut report.title, &mut report.merit, &mut report.unit] {
            *text = format!("{HOSTILE}</script><!--");
        }
        report.ranks[1].name = HOSTILE.to_owned();
        report.ranks[2].name = "\u{5927}".repeat(255);
        let case = report.cases.last_mut().expect("it has cases");
        case.checks.push(Check::new(HOSTILE, false, HOSTILE));
        case.figures.push(AppFigure::new(HOSTILE, 1.0, HOSTILE));
        case.accounts[0].phases[0].what = format!("</script>{HOSTILE}");
        let axis = || Axis::linear(HOSTILE, HOSTILE);
        let points = vec![[0.0, 1.0], [1.0, 2.0]];
        case.courses.push(Course { name: HOSTILE.to_owned(), x: axis(), y: axis(), points });
    };
    let mut report = fixture::changed(hostile);
    is_safe(&report);
    report.runs[0].name = HOSTILE.to_owned();
    report.apps[0].name = format!("{HOSTILE}</script>");
    is_safe(&report);
}

#[test]
fn odd_numbers_are_no_trouble() {
    let last = |change: fn(&mut linerate_core::app::AppCase)| {
        is_safe(&fixture::changed(|app| app.cases.iter_mut().for_each(change)));
    };
    last(|case| case.merit = 0.0);
    last(|case| case.merit = -1.0);
    last(|case| case.merit = 1e300);
    last(|case| case.accounts.clear());
    last(|case| case.accounts.iter_mut().for_each(|account| *account = Account::default()));
    last(|case| case.accounts.iter_mut().for_each(|account| account.messages.truncate(1)));
    last(|case| case.accounts.iter_mut().for_each(|account| account.computed_ps = account.total_ps * 2));
    last(|case| case.checks.clear());
    last(|case| case.figures.clear());
    last(|case| case.courses.iter_mut().for_each(|course| course.points.truncate(1)));
    last(|case| case.courses.iter_mut().for_each(|it| it.points.iter_mut().for_each(|at| *at = [0.0; 2])));
    last(|case| case.courses.iter_mut().for_each(|it| it.points.iter_mut().for_each(|at| at[1] = 5.0)));
    last(|case| case.courses.iter_mut().for_each(|it| it.points.iter_mut().for_each(|at| at[1] *= 1e-30)));
    last(|case| {
        let backwards = Phase { what: "back".to_owned(), begin_ps: 9, end_ps: 3 };
        let endless = Phase { what: "on".to_owned(), begin_ps: 0, end_ps: u64::MAX };
        case.accounts.iter_mut().for_each(|it| it.phases.extend([backwards.clone(), endless.clone()]));
    });
    last(|case| {
        let kinds = (0..9).map(|nth| Phase { what: format!("kind {nth}"), begin_ps: nth, end_ps: nth + 1 });
        case.accounts.iter_mut().for_each(|it| it.phases = kinds.clone().collect());
    });
    is_safe(&fixture::changed(|app| app.ranks.clear()));
}

#[test]
fn many_ranks_have_axes_of_powers_and_no_table_of_pairs() {
    let report = fixture::wide();
    is_safe(&report);
    let page = html(&report).expect("it has a page");
    assert!(page.contains("there are 128 ranks, and a table has room for 32"));
    assert!(page.contains("Of 128 ranks the first 64."));
    let line = text(&report, 80, Rows::Short).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(line.contains("x0.419 on 128 ranks (0.3 % of ideal)"), "{line}");
    assert!(line.contains("; fastest on 8 ranks (x3.90)"), "{line}");
    assert!(!page.contains("class=\"matrix\""));
}

#[test]
fn applications_have_a_chart_each_and_stand_beside_other_runs() {
    let mut other = fixture::named(fixture::FAST, &[1, 2]);
    let app = other.run.app.as_mut().expect("it has one");
    (app.name, app.title, app.merit) = ("hint".to_owned(), "HINT".to_owned(), "QUIPS".to_owned());
    let apps = [fixture::two().runs, vec![other]].concat();
    let report = Report::new(apps.clone());
    is_safe(&report);
    let page = html(&report).expect("it has a page");
    assert!(page.contains("HINT: QUIPS against ranks") && page.contains("Lennard-Jones MD: speed-up"));
    assert!(page.contains("id=\"merit-1\""));
    let loads = crate::fixture::loads(vec![linerate_core::traffic::Transfer::default()]);
    for others in [crate::fixture::one(), crate::mesh::fixture::small(), loads] {
        let mixed = Report::new([apps.clone(), others.runs].concat());
        is_safe(&mixed);
        let page = html(&mixed).expect("it has a page");
        assert!(page.contains("id=\"merit-1\"") && page.contains(" style=\"--shade: "));
        let graphs = page.matches("class=\"graph\"").count();
        let numbers = (0..graphs).all(|nth| page.matches(&format!("data-graph=\"{nth}\"")).count() == 1);
        assert!(numbers, "each graph has its own number");
    }
}
