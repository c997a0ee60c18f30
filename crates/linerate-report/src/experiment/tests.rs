use std::path::PathBuf;

use linerate_analysis::experiment::{Findings, StepVerdict, WayFound};
use linerate_analysis::report::Report;
use linerate_core::plan::Rows;

use super::{csv, document, fixture, json, plans};
use crate::fixture::{GIGABIT, HOSTILE, SLOW_START};
use crate::text::columns;

fn rows(all: bool) -> Rows {
    if all { Rows::All } else { Rows::Short }
}

#[test]
fn the_texts_read_well() {
    for (name, findings) in fixture::all() {
        insta::assert_snapshot!(
            format!("the_text_of_{name}"),
            document(&findings, None).text(80, Rows::Short)
        );
    }
}

#[test]
fn the_text_with_every_figure_reads_well() {
    insta::assert_snapshot!(document(&fixture::full(), None).text(100, Rows::All));
}

#[test]
fn the_pages_read_well() {
    for (name, findings) in fixture::all() {
        let page = document(&findings, None).html().expect("it has a page");
        insta::assert_snapshot!(format!("the_page_of_{name}"), crate::golden::page(&page));
    }
}

/// `findings` with other names for everything that has one.
fn renamed(mut findings: Findings, name: &dyn Fn(&str) -> String) -> Findings {
    let change = |text: &mut String| *text = name(text);
    [&mut findings.name, &mut findings.about, &mut findings.bench].into_iter().for_each(change);
    for factor in &mut findings.factors {
        change(&mut factor.name);
        factor.levels.iter_mut().for_each(change);
    }
    for cell in &mut findings.cells {
        change(&mut cell.name);
        cell.files.iter_mut().for_each(change);
    }
    for figure in &mut findings.figures {
        [&mut figure.figure.title, &mut figure.figure.unit].into_iter().for_each(change);
        for effect in figure.effects.iter_mut().chain(&mut figure.pairs) {
            change(&mut effect.what);
            effect.untested.iter_mut().chain(&mut effect.aliases).for_each(change);
            effect.explained_by.iter_mut().for_each(|it| change(&mut it.counter));
        }
        figure.outliers.iter_mut().flatten().for_each(change);
        figure.best.iter_mut().flat_map(|best| &mut best.elsewhere).for_each(|it| change(&mut it.figure));
    }
    match &mut findings.way {
        Some(WayFound::Staircase(stairs)) => {
            [&mut stairs.goal, &mut stairs.unit].into_iter().for_each(change);
            for step in &mut stairs.steps {
                change(&mut step.change);
                if let StepVerdict::Failed(why) = &mut step.verdict {
                    change(why);
                }
            }
            stairs.total.iter_mut().for_each(|total| change(&mut total.best));
        }
        Some(WayFound::Search(found)) => {
            [&mut found.factor, &mut found.question, &mut found.figure, &mut found.unit]
                .into_iter()
                .for_each(change);
            found.answer.iter_mut().chain(&mut found.remark).for_each(change);
            found.tried.iter_mut().for_each(|tried| change(&mut tried.level));
        }
        None => {}
    }
    if let Some(costs) = &mut findings.costs {
        [&mut costs.currency, &mut costs.date, &mut costs.source, &mut costs.merit, &mut costs.unit]
            .into_iter()
            .for_each(change);
        costs.offers.iter_mut().flat_map(|offer| &mut offer.bill.items).for_each(|item| change(&mut item.0));
    }
    findings.trade.iter_mut().flat_map(|trade| &mut trade.figures).for_each(change);
    for setting in &mut findings.settings {
        [&mut setting.host, &mut setting.setting, &mut setting.original].into_iter().for_each(change);
        setting.values.iter_mut().for_each(change);
    }
    findings.failed.iter_mut().flatten().chain(&mut findings.cautions).for_each(change);
    findings
}

#[test]
fn no_line_is_wider_than_the_terminal_however_long_the_names_are() {
    for (which, findings) in fixture::all() {
        for (length, gap) in [(0, 0), (10, 1), (33, 3), (60, 7), (90, 100), (300, 9)] {
            let longer = |name: &str| {
                let tail: String =
                    (0..length).map(|nth| if gap > 0 && nth % gap == 0 { ' ' } else { 'w' }).collect();
                format!("{name}{tail}")
            };
            let findings = renamed(findings.clone(), &longer);
            for (width, all) in [(80, false), (80, true), (100, true), (120, false)] {
                let text = document(&findings, None).text(width, rows(all));
                for line in text.lines() {
                    assert!(columns(line) <= usize::from(width), "{which} {length} {gap} {width}: {line}");
                }
            }
        }
    }
}

#[test]
fn no_word_is_cut_where_names_are_of_usual_words() {
    for (which, findings) in fixture::all() {
        let text = document(&findings, None).text(80, Rows::All);
        for effect in findings.figures.iter().flat_map(|figure| &figure.effects) {
            for word in effect.what.split_whitespace() {
                assert!(
                    text.split_whitespace().any(|it| it.trim_matches(['(', ')', ';', ',', '.']) == word),
                    "{which}: {word}"
                );
            }
        }
    }
}

#[test]
fn hostile_names_are_text_and_neither_markup_nor_commands() {
    for (which, findings) in fixture::all() {
        let findings = renamed(findings, &|name| format!("{HOSTILE}\n<img src=x>{name}"));
        let page = document(&findings, None).html().expect("it has a page");
        assert!(
            !page.contains("<script>alert") && !page.contains("<img") && !page.contains('\u{1b}'),
            "{which}"
        );
        assert_eq!(page.matches("<script").count(), 2, "{which}: data and script");
        assert!(page.contains("&#60;script") || page.contains("&lt;script"), "{which}: it is shown");
        let text = document(&findings, None).text(80, Rows::All);
        assert!(!text.contains('\u{1b}') && text.contains("<script>"), "{which}");
        assert!(json(&findings).is_ok() && csv(&findings).is_ok(), "{which}");
    }
}

#[test]
fn numbers_that_are_none_do_not_panic() {
    for (_, mut findings) in fixture::all() {
        for odd in [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e300, 1e-300] {
            for figure in &mut findings.figures {
                for cell in figure.cells.iter_mut().flatten() {
                    (cell.value, cell.interval) = (odd, Some([odd, odd]));
                }
                for effect in figure.effects.iter_mut().chain(&mut figure.pairs) {
                    (effect.change, effect.interval, effect.p) = (Some(odd), Some([odd, odd]), Some(odd));
                }
            }
            for offer in findings.costs.iter_mut().flat_map(|costs| &mut costs.offers) {
                (offer.cost, offer.merit) = (odd, odd);
            }
            if let Some(WayFound::Staircase(stairs)) = &mut findings.way {
                stairs.base = Some(odd);
                stairs.steps.iter_mut().for_each(|step| step.values = Some([odd, odd]));
            }
            let page = document(&findings, None).html().expect("it has a page");
            assert!(!page.contains("=\"NaN") && !page.contains("inf\""), "a place is a number");
            for line in document(&findings, None).text(80, Rows::All).lines() {
                assert!(columns(line) <= 80, "{odd}: {line}");
            }
        }
    }
}

#[test]
fn cells_and_levels_that_are_not_there_do_not_panic() {
    for (_, mut findings) in fixture::all() {
        findings.cells.truncate(1);
        findings.cells.iter_mut().for_each(|cell| cell.levels = vec![99]);
        findings.factors.truncate(1);
        assert!(document(&findings, None).html().is_ok());
        assert!(!document(&findings, None).text(80, Rows::All).is_empty());
        assert!(csv(&findings).is_ok());
    }
}

/// The rows of a text table whose first words are `what`.
fn row(text: &str, what: &str) -> String {
    let row = text
        .lines()
        .find(|line| line.trim_start().starts_with(what))
        .unwrap_or_else(|| panic!("{what}: {text}"));
    row.split_whitespace().collect::<Vec<&str>>().join(" ")
}

#[test]
fn the_text_says_what_the_data_say() {
    let text = document(&fixture::full(), None).text(100, Rows::All);
    assert_eq!(row(&text, "MTU = 9000 "), "MTU = 9000 x1.44 1.42 to 1.45 <.001 better");
    assert_eq!(row(&text, "buffer = 1MiB  "), "buffer = 1MiB x1.082 0.996 to 1.175 .061 inconclusive");
    // 941.2 with 0.3 % on each side.
    assert_eq!(row(&text, "MTU = 9000, buffer = 1MiB"), "MTU = 9000, buffer = 1MiB 941.2 938.4 to 944.0 5");
    let best =
        "The best ping-pong peak is 941 Mb/s (938 to 944) with MTU = 9000, buffer = 1MiB, x1.54 of the";
    let flat = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(flat.contains(best), "941.2 / 612.3 = 1.537: {flat}");
    assert!(flat.contains("bytes a packet 1448 to 8948 (x6.18, p <.001)"), "{flat}");
    assert!(
        flat.contains("MTU = 9000 -0.62 % -0.94 % to -0.31 % .003 better"),
        "shares are differences: {flat}"
    );
    assert!(text.contains("NOT RESTORED") && text.contains("one outlier"));
}

#[test]
fn only_the_goal_is_shown_unless_all_is_asked_for() {
    let [short, all] = [false, true].map(|all| document(&fixture::full(), None).text(80, rows(all)));
    let title = "\nping-pong latency (us), less is better: effects:\n";
    assert!(!short.contains(title) && short.contains("also shows: ping-pong latency"), "{short}");
    assert!(all.contains(title) && !all.contains("also shows"), "{all}");
}

#[test]
fn models_have_no_interval_and_no_p_and_the_text_says_why() {
    for text in [
        document(&fixture::exact(), None).text(80, Rows::All),
        document(&fixture::exact(), None).html().expect("it has a page"),
    ] {
        assert!(!text.contains("95 % interval</th>") && !text.contains("<th scope=\"col\">p</th>"));
        assert!(
            text.split_whitespace().collect::<Vec<_>>().join(" ").contains("models repeat themselves"),
            "{text}"
        );
    }
    assert!(!document(&fixture::exact(), None).text(80, Rows::All).contains("95 % interval"));
}

#[test]
fn an_effect_that_is_not_tested_says_why() {
    let text = document(&fixture::failed(), None).text(80, Rows::Short);
    assert!(text.contains("Not tested: each cell was measured once."), "{text}");
    assert!(text.contains("buffer = 128KiB cannot be separated from MTU x buffer."), "{text}");
    assert!(text.contains("2 runs failed"), "{text}");
    let page = document(&fixture::failed(), None).html().expect("it has a page");
    assert!(page.contains("the connection was refused"));
}

#[test]
fn csv_has_a_row_for_each_run_of_each_figure() {
    let findings = fixture::full();
    let csv = csv(&findings).expect("it has a form");
    let mut reader = ::csv::Reader::from_reader(csv.as_bytes());
    let header: Vec<String> = reader.headers().expect("a header").iter().map(str::to_owned).collect();
    assert_eq!(header, ["cell", "MTU", "buffer", "figure", "unit", "run", "value"]);
    let rows: Vec<::csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), 6 * 3 * 5);
    let goal =
        rows.iter().filter(|row| &row[3] == "ping-pong/peak" && &row[1] == "9000" && &row[2] == "128KiB");
    let values: Vec<f64> = goal.clone().map(|row| row[6].parse().expect("a number")).collect();
    assert_eq!(values, findings.figures[0].cells[4].as_ref().expect("a value").runs);
    assert_eq!(goal.map(|row| row[5].to_owned()).collect::<Vec<_>>(), findings.cells[4].files);
}

#[test]
fn a_factor_called_like_a_column_has_a_column_of_its_own() {
    let mut findings = fixture::full();
    findings.factors[0].name = "value".to_owned();
    findings.figures[0].cells[0].as_mut().expect("a value").runs.pop();
    let csv = csv(&findings).expect("it has a form");
    assert!(csv.starts_with("cell,factor value,buffer,figure,unit,run,value\n"), "{csv}");
    assert!(csv.contains("64KiB\",1500,64KiB,ping-pong/peak,Mb/s,,"), "which run is missing is not known");
}

#[test]
fn json_holds_everything_with_its_version() {
    let json: serde_json::Value =
        serde_json::from_str(&json(&fixture::full()).expect("a form")).expect("JSON");
    assert_eq!((&json["format"], &json["design"], &json["done"]), (&1.into(), &"full".into(), &30.into()));
    assert_eq!(json["figures"][0]["key"], "ping-pong/peak");
    assert_eq!(json["figures"][0]["effects"][0]["change"].as_f64(), Some(1.4361));
    assert_eq!(json["figures"][0]["effects"][2]["verdict"], "inconclusive");
}

#[test]
fn a_page_asks_the_network_for_nothing_and_has_the_charts_that_it_can_have() {
    for (which, charts) in [
        ("full", &["effects-0", "pairs-0", "heat", "trade", "effects-1", "effects-2"][..]),
        ("staircase", &["staircase"]),
        ("search", &["search"]),
        ("prices", &["effects-0", "costs"]),
        ("failed", &["effects-0", "pairs-0", "heat"]),
        ("empty", &[]),
    ] {
        let (_, findings) = fixture::all().into_iter().find(|(name, _)| *name == which).expect("it is there");
        let page = document(&findings, None).html().expect("it has a page");
        crate::golden::asks_for_nothing(&page);
        for chart in charts {
            assert!(page.contains(&format!("<figure class=\"chart\" id=\"{chart}\">")), "{which}: {chart}");
        }
        assert_eq!(page.matches("<figure").count(), charts.len(), "{which}");
        assert_eq!(page.matches("role=\"img\" aria-label=").count(), charts.len(), "{which}: each has words");
    }
}

fn curves() -> Report {
    let named = |name: &str, made: crate::fixture::Made| {
        let mut named = made.run();
        named.name = name.to_owned();
        named
    };
    Report::new(vec![named("base", SLOW_START), named("MTU = 9000", GIGABIT)])
}

#[test]
fn the_curves_of_the_cells_are_drawn_over_each_other() {
    let page = document(&fixture::full(), Some(&curves())).html().expect("it has a page");
    assert!(page.contains("id=\"curves-throughput\"") && page.contains("id=\"curves-signature\""));
    let (_, curves) = page.split_once("<section id=\"curves\"").expect("it has them");
    assert_eq!(curves.matches("<g class=\"curve ").count(), 4, "two cells in two charts");
    assert!(document(&fixture::full(), Some(&Report::new(Vec::new()))).html().is_ok());
}

#[test]
fn the_list_of_plans_has_a_line_for_each() {
    let list = plans(&[("mtu", "MTU and buffers".to_owned()), ("highest-load", "a\u{1b}[2Jb".to_owned())]);
    assert_eq!(list, "  mtu           MTU and buffers\n  highest-load  a\u{fffd}[2Jb\n");
}

/// For looking at: `LINERATE_PAGES=/tmp/x cargo test -p linerate-report experiments_to_look_at -- --ignored`.
#[test]
#[ignore = "writes files for a person to look at"]
fn experiments_to_look_at() {
    let folder = PathBuf::from(std::env::var_os("LINERATE_PAGES").expect("it names a folder"));
    for (name, findings) in fixture::all() {
        let curves = (name == "full").then(curves);
        let page = document(&findings, curves.as_ref()).html().expect("it has a page");
        std::fs::write(folder.join(format!("experiment-{name}.html")), page).expect("the folder is there");
    }
}
