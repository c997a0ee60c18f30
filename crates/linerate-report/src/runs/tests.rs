use linerate_core::environment::Fact;
use linerate_core::run::{Path, Source, State};

use super::super::fixture::{self, HOSTILE};
use super::*;
use crate::golden;

fn page() -> String {
    html(&fixture::two()).expect("it has a page")
}

/// The text between the first `open` after `from` and the next `close`.
fn between<'a>(text: &'a str, open: &str, close: &str) -> &'a str {
    let (_, rest) = text.split_once(open).expect(open);
    rest.split_once(close).expect(close).0
}

#[test]
fn it_asks_the_network_for_nothing() {
    let page = page();
    crate::golden::asks_for_nothing(&page);
    let links = page.match_indices("href=\"").map(|(at, found)| &page[at + found.len()..]);
    assert!(links.into_iter().all(|target| target.starts_with('#') || target.starts_with("data:")));
    let policy = between(&page, "Content-Security-Policy\" content=\"", "\"");
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
    assert!(!policy.contains('*') && !policy.contains("http"), "{policy}");
}

#[test]
fn a_hostile_name_is_text_and_not_markup() {
    let mut report = fixture::two();
    report.runs[0].name = HOSTILE.to_owned();
    report.curves[0].name = format!("{HOSTILE}</script><!--");
    let page = html(&report).expect("it has a page");
    assert!(!page.contains("<script>alert"), "the name became an element");
    assert!(page.contains("&#60;script&#62;alert(1)"), "the name is not shown");
    assert!(!page.contains('\u{1b}'), "a control character came through");
    assert_eq!(page.matches("<script").count(), 2, "data and script");
    assert_eq!(page.matches("</script").count(), 2, "data and script");
    let data = between(&page, "id=\"data\">", "</script>");
    let data: serde_json::Value = serde_json::from_str(data).expect("the data are JSON");
    let name = data["graphs"][0]["layers"][0]["name"].as_str().expect("a name");
    assert!(name.starts_with(&plain(&report.curves[0].name)), "{name}");
}

#[test]
fn the_data_match_the_graphs() {
    let report = fixture::two();
    let page = page();
    let data = between(&page, "id=\"data\">", "</script>");
    let data: serde_json::Value = serde_json::from_str(data).expect("the data are JSON");
    for (index, curve) in report.curves.iter().enumerate() {
        let timed = curve.timed().count();
        for graph in 0..3 {
            let layer = &data["graphs"][graph]["layers"][index];
            assert_eq!(layer["curve"], index);
            assert_eq!(layer["values"].as_array().map(Vec::len), Some(timed));
            assert_eq!(layer["points"].as_array().map(Vec::len), Some(timed));
        }
    }
    assert_eq!(page.matches("<g class=\"curve c0\" data-curve=\"0\"").count(), 3);
    assert_eq!(page.matches("<g class=\"curve c1\" data-curve=\"1\"").count(), 3);
}

#[test]
fn everything_is_said_without_a_script() {
    let report = fixture::two();
    let page = page();
    let (body, _) = page.split_once("<script").expect("there is a script");
    for caution in report.runs.iter().flat_map(|named| &named.run.cautions) {
        assert!(body.contains(caution.advice().as_ref()), "{caution}");
    }
    for said in ["settled within", "grade B", "grade C", "N1/2", "Dips", "130000 B", "65000 B", "rx-usecs"] {
        assert!(body.contains(said), "{said}");
    }
    assert!(body.contains("unknown (the driver does not say)"));
    assert!(body.contains("8388611"), "sizes that were not timed are listed too");
    assert_eq!(body.matches("class=\"graph\"").count(), 3);
}

#[test]
fn what_is_unknown_is_said_to_be_unknown_and_why() {
    let page = html(&fixture::bare()).expect("it has a page");
    for said in
        ["Imported from NetPIPE 3.7.2", "unknown (not looked for)", "unknown (not recorded)", "is not known"]
    {
        assert!(page.contains(said), "{said}");
    }
    assert!(!page.contains("0 B in 0 messages"), "what was not counted is not zero");
}

#[test]
fn a_speed_that_a_driver_makes_up_is_no_ceiling() {
    let report = fixture::veth();
    assert!(report.ceilings.is_empty(), "{:?}", report.ceilings);
    let page = html(&report).expect("it has a page");
    assert!(!page.contains("link rate 10"), "it is no link rate");
    assert!(page.contains("10000 Mb/s, which veth states and nothing enforces"));
}

#[test]
fn a_report_of_nothing_is_a_page() {
    let page = html(&Report::new(Vec::new())).expect("it has a page");
    assert!(page.contains("0 runs compared"));
}

#[test]
fn a_graph_is_as_wide_as_its_page_and_no_wider() {
    let page = page();
    let css = include_str!("../../templates/page.css");
    let rule = between(css, "svg.graph {", "}");
    assert!(rule.contains("width: 100%") && !rule.contains("min-width"), "it would be cut at 400 px: {rule}");
    for graph in page.split("class=\"graph\"").skip(1) {
        let element = graph.split_once('>').expect("it ends").0;
        assert!(element.contains("viewBox=\"0 0 3840 1760\""), "{element}");
        assert!(!element.contains(" width=") && !element.contains(" height="), "{element}");
    }
    // Letters of 13 px in a graph of 960 would be 5 px high at 400.
    let narrow = between(css, "@media (max-width: 640px)", "}");
    let size: f64 = between(narrow, "font-size: ", "px").parse().expect("a number");
    assert!(size * 370.0 / 3_840.0 >= 8.0, "{size}");
}

#[test]
fn a_page_of_a_run_that_failed_says_so_first() {
    let failed = |mut report: Report| {
        report.runs[0].run.state = State::Failed("the peer closed the connection".to_owned());
        html(&report).expect("it has a page")
    };
    for page in [failed(fixture::one()), failed(fixture::loads(Vec::new()))] {
        assert!(between(&page, "<h1>", "</h1>").starts_with("FAILED: "), "{page}");
        assert!(between(&page, "<title>", "</title>").starts_with("FAILED: "));
        let first = between(&page, "<main>", "</section>");
        let state = between(first, "<p class=\"state\">", "</p>");
        assert_eq!(state, "FAILED: the peer closed the connection");
        assert!(
            first.trim_start().starts_with("<section id=\"result\"")
                && first
                    .find("class=\"state\"")
                    .is_some_and(|at| first.find("<dl").is_none_or(|list| at < list)),
            "{first}"
        );
    }
    let mut cut = fixture::two();
    cut.runs[1].run.state = State::Interrupted;
    let page = html(&cut).expect("it has a page");
    assert!(between(&page, "<h1>", "</h1>").starts_with("1 of 2 runs failed or unfinished"), "{page}");
    assert!(!html(&fixture::one()).expect("a page").contains("class=\"state\""));
}

#[test]
fn each_peer_heads_its_own_column() {
    let mut report = fixture::loads(Vec::new());
    let run = &mut report.runs[0].run;
    let node = run.nodes[1].clone();
    run.nodes.push(node);
    let path = Path { to: 2, to_address: "10.0.0.3:5003".to_owned(), ..run.paths[0].clone() };
    run.paths.push(path);
    for (place, name) in [(1, "beta"), (2, "gamma")] {
        run.nodes[place].environment.hostname = Fact::Known(name.to_owned());
    }
    let page = html(&report).expect("it has a page");
    let (first, second) = page.split_once("Peer 2 (10.0.0.3:5003): Hosts").expect("its own tables");
    assert!(first.contains("beta (peer 1)") && !first.contains("gamma (peer 2)"));
    assert!(second.contains("gamma (peer 2)") && !second.contains("beta (peer 1)"), "{second}");
    assert!(
        first.contains("peer 1 grade") && first.contains("peer 2 grade"),
        "each is said to be quiet or not"
    );
}

/// All that a reader sees but the pictures: five sizes of two curves, one of which was not timed.
#[test]
fn the_page_of_two_curves_reads_well() {
    insta::assert_snapshot!(golden::page(&html(&fixture::small()).expect("it has a page")));
}

#[test]
fn the_page_of_an_imported_curve_reads_well() {
    let mut report = fixture::bare();
    report.curves[0].points.truncate(3);
    insta::assert_snapshot!(golden::page(&html(&report).expect("it has a page")));
}

/// Of a model only what it has is shown: no hosts, no interfaces, no system calls.
#[test]
fn the_page_of_a_modelled_curve_reads_well() {
    let mut report = fixture::bare();
    let run = &mut report.runs[0].run;
    (run.source, run.model) = (Source::Modelled("gigabit".to_owned()), Some(fixture::model()));
    report.curves[0].points.truncate(3);
    insta::assert_snapshot!(golden::page(&html(&report).expect("it has a page")));
}

#[test]
fn loads_beside_curves_are_on_the_same_page() {
    let loads = fixture::loads(vec![linerate_core::traffic::Transfer::default()]).runs;
    let report = Report::new([fixture::one().runs, loads].concat());
    let page = golden::page(&html(&report).expect("it has a page"));
    assert!(page.contains("Graphs\n") && page.contains("loads over tcp\n"), "{page}");
    let alone = golden::page(&html(&fixture::one()).expect("it has a page"));
    assert!(alone.contains("Graphs\n") && !alone.contains("loads over tcp\n"), "{alone}");
}

#[test]
fn a_caution_of_several_runs_says_which() {
    let findings = |report: &Report| {
        let doubts = doubts(report).expect("the fixtures have cautions");
        let cautions = doubts.items.into_iter().filter_map(|item| match item {
            Item::Cautions(warnings) => Some(warnings),
            _ => None,
        });
        cautions.flatten().flat_map(|warning| warning.findings).collect::<Vec<String>>()
    };
    let [one, two] = [fixture::one(), fixture::two()].map(|report| findings(&report));
    assert!(!one.is_empty() && one.iter().all(|finding| !finding.starts_with("gigabit.run.json: ")));
    assert!(!two.is_empty() && two.iter().all(|finding| finding.contains(".run.json: ")), "{two:?}");
}

#[test]
fn facts_of_each_end_by_itself_are_no_difference() {
    use rows::{Group, Row};
    let row = |local: &str, remote: &str| Row::new("a fact", [local.to_owned(), remote.to_owned()]);
    assert!(row("1", "2").differs() && !row("1", "1").differs() && !row("1", "2").own().differs());
    assert!(!row("1", "unknown (no)").differs() && row("1", "unknown (no)").is_known());
    assert!(!row("unknown (no)", "unknown (yes)").is_known());
    let group = |asked: &[&str]| Group {
        title: String::new(),
        hosts: ["a".to_owned(), "b".to_owned()],
        open: true,
        rows: asked.iter().map(|asked| Row::of_asked("x", asked, ["1".to_owned(), "1".to_owned()])).collect(),
    };
    assert!(group(&["", "5"]).has_asked() && !group(&["", ""]).has_asked() && !group(&[]).has_asked());
}

/// A run of each kind.
fn kinds() -> Vec<(&'static str, NamedRun)> {
    use linerate_core::pattern::Pattern;
    use linerate_core::plan::Task;
    use linerate_core::traffic::Transfer;
    let first = |mut report: Report| report.runs.swap_remove(0);
    let load = |task: Task| {
        let mut named = first(fixture::loads(vec![Transfer::default()]));
        named.run.plan.task = task;
        named
    };
    let mut modelled = first(fixture::bare());
    (modelled.run.source, modelled.run.model) =
        (Source::Modelled("gigabit".to_owned()), Some(fixture::model()));
    let all = [
        ("curve", first(fixture::one())),
        ("one-way", fixture::Made { pattern: Pattern::OneWay, ..fixture::GIGABIT }.run()),
        ("stages", first(fixture::staged(true))),
        ("stream", load(Task::Stream(Default::default()))),
        ("rr", load(Task::Requests(Default::default()))),
        ("mesh", first(mesh::fixture::small())),
        ("app", first(app::fixture::one())),
        ("trace", trace::fixture::measured()),
        ("model", modelled),
        ("netpipe", first(fixture::bare())),
    ];
    let named = |(kind, mut named): (&'static str, NamedRun)| {
        named.name = format!("{kind}.run.json");
        // What is shown does not depend on how many sizes there are.
        for series in &mut named.run.series {
            series.points.retain(|point| point.size.is_power_of_two() || fixture::DIP.contains(&point.size));
        }
        (kind, named)
    };
    all.into_iter().map(named).collect()
}

/// Of each section of `report` that run `of` has: its name, and how many charts, maps, tables and listings are in it.
fn contents(report: &Report, of: usize) -> Vec<(&'static str, [usize; 4])> {
    let document = document(report, &Beside::default());
    assert!(document.sections.is_sorted_by_key(|section| section.part), "the reader's order");
    let all = document.sections.iter().filter(|section| section.runs.contains(&of));
    let many = |section: &Section| {
        section.items.iter().fold([0; 4], |[charts, maps, tables, lists], item| match item {
            Item::Chart(_) => [charts + 1, maps, tables, lists],
            Item::Order(..) => [charts, maps + 1, tables, lists],
            // One run's key numbers are a list, and those of several a table.
            Item::Table(_) | Item::Keys(_) => [charts, maps, tables + 1, lists],
            Item::Listing { .. } => [charts, maps, tables, lists + 1],
            _ => [charts, maps, tables, lists],
        })
    };
    all.map(|section| (section.id, many(section))).collect()
}

/// Every pair of kinds, and every 23rd triple.
#[test]
fn what_a_run_has_by_itself_it_has_beside_others() {
    let kinds = kinds();
    let alone: Vec<_> =
        kinds.iter().map(|(_, named)| contents(&Report::new(vec![named.clone()]), 0)).collect();
    let all = 0..kinds.len();
    let pairs: Vec<Vec<usize>> =
        all.clone().flat_map(|one| all.clone().map(move |other| vec![one, other])).collect();
    let triples = pairs.iter().flat_map(|pair| all.clone().map(move |third| [&pair[..], &[third]].concat()));
    for together in pairs.iter().cloned().chain(triples.step_by(23)) {
        let report = Report::new(together.iter().map(|kind| kinds[*kind].1.clone()).collect());
        let names: Vec<&str> = together.iter().map(|kind| kinds[*kind].0).collect();
        for (index, kind) in together.iter().enumerate() {
            let beside = contents(&report, index);
            for (id, counts) in &alone[*kind] {
                let found: Vec<_> = beside.iter().filter(|(other, _)| other == id).collect();
                assert!(!found.is_empty(), "{names:?}: `{id}` of {} is gone", kinds[*kind].0);
                for (nth, alone) in counts.iter().enumerate() {
                    let most = found.iter().map(|(_, counts)| counts[nth]).max();
                    assert!(
                        most >= Some((*alone).min(1)),
                        "{names:?}: `{id}` of {}: {found:?}",
                        kinds[*kind].0
                    );
                }
            }
        }
    }
}

#[test]
fn the_limits_of_a_host_stand_beside_every_kind() {
    let file = crate::host_limits::fixture::whole();
    let own: Vec<&str> = crate::host_limits::sections_of(&file).iter().map(|section| section.id).collect();
    for (kind, named) in kinds() {
        let report = Report::new(vec![named]);
        let [alone, beside] = [&[][..], std::slice::from_ref(&file)]
            .map(|hosts| document(&report, &Beside { hosts, ..Beside::default() }));
        assert!(beside.sections.is_sorted_by_key(|section| section.part), "{kind}");
        let ids: Vec<&str> = beside.sections.iter().map(|section| section.id).collect();
        let all = alone.sections.iter().map(|section| section.id).chain(own.iter().copied());
        for id in all.filter(|id| *id != "host-cautions") {
            assert!(ids.contains(&id), "{kind}: {id} in {ids:?}");
        }
    }
}

/// What the text of a run of a kind cannot be without.
fn marks_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "curve" | "one-way" | "model" | "netpipe" => &["Throughput (", "median us"],
        "stages" => &["Throughput (", "Stages of a message"],
        "stream" => &["stream over"],
        "rr" => &["rr over"],
        "mesh" => &["8 ranks, all 56 pairs measured"],
        "app" => &["Lennard-Jones MD on"],
        _ => &["Where messages are"],
    }
}

#[test]
fn the_text_markdown_and_json_of_two_runs_have_what_those_of_each_have() {
    let kinds = kinds();
    for (one, first) in &kinds {
        for (other, second) in &kinds {
            let mut second = second.clone();
            second.name = format!("second-{other}");
            let report = Report::new(vec![first.clone(), second.clone()]);
            let text = crate::text(&report, 80, linerate_core::plan::Rows::Short);
            for mark in marks_of(one).iter().chain(marks_of(other)) {
                assert!(text.contains(mark), "{one} and {other}: {mark} in\n{text}");
            }
            let json = crate::json(&report, linerate_core::plan::Level::Point).expect("it has a form");
            let markdown = markdown(&report, &Beside::default());
            for name in [&first.name, &second.name] {
                assert!(json.contains(name.as_str()), "{one} and {other}: {name}");
                let said = name.replace('_', "\\_");
                assert!(markdown.contains(&said), "{one} and {other}: {name} in\n{markdown}");
            }
        }
    }
}

/// Writes what a person should look at, for `chromium --screenshot` and the like.
#[test]
#[ignore = "writes files for people to look at"]
fn write_for_people() {
    let folder = std::env::temp_dir().join("linerate-render");
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, report) in [
        ("one", fixture::one()),
        ("veth", fixture::veth()),
        ("two", fixture::two()),
        ("bare", fixture::bare()),
        ("many", fixture::many()),
    ] {
        let write = |kind: &str, text: String| {
            std::fs::write(folder.join(format!("{name}.{kind}")), text).expect("a file");
        };
        write("html", html(&report).expect("a page"));
        write("svg", super::super::svg(&report).expect("a file"));
        write("txt", super::super::text(&report, 80, linerate_core::plan::Rows::Short));
    }
}

/// What the user reads of a page, and of Markdown, without what stands for marks there.
fn unescaped(text: &str) -> String {
    let marks = [("&#39;", "'"), ("&#34;", "\""), ("&#38;", "&"), ("&#60;", "<"), ("&#62;", ">"), ("\\", "")];
    marks.iter().fold(text.to_owned(), |text, (mark, letter)| text.replace(mark, letter))
}

/// The sentence that says what a run reached and what limits it opens every form that has room for one, of every kind.
#[test]
fn the_verdict_opens_every_form_of_every_kind() {
    use crate::form::{FORMS, Shown};
    use linerate_core::plan::{Level, Rows};
    for (kind, named) in kinds() {
        let report = Report::new(vec![named]);
        let sentence = opening(&report, 0).map(|it| it.sentence);
        assert_eq!(sentence.is_some(), kind != "trace", "{kind}");
        let Some(sentence) = sentence else { continue };
        assert!(sentence.ends_with('.') && !sentence.contains(".."), "{kind}: {sentence}");
        let levels = [Level::Point, Level::Run].into_iter();
        let shown = |level| Shown {
            report: &report,
            beside: Beside::default(),
            width: 60,
            rows: Rows::Short,
            level,
            began: |_| None,
        };
        for form in &FORMS {
            // Not each holds each kind, nor rows of each level.
            let Some(text) = levels.clone().find_map(|level| form.write(&shown(level)).ok()) else {
                continue;
            };
            let first = match (form.name, form.endings) {
                ("table", _) => text.split("\n\n").next().map(str::to_owned),
                ("markdown", _) => text.split("\n\n").nth(1).map(unescaped),
                ("json", _) => {
                    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
                    value["runs"][0]["verdict"]["sentence"].as_str().map(str::to_owned)
                }
                (_, ["html"]) => {
                    let main = between(&text, "<main>", "</section>");
                    assert!(main.find("class=\"lead\"") < main.find("<dl"), "{kind}: before the numbers");
                    Some(unescaped(between(main, "<p class=\"lead\">", "</p>")))
                }
                _ => continue,
            };
            let first = first.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(first.starts_with(&sentence), "{kind}, {}: {first}", form.about);
        }
    }
}

/// Of several runs each has its sentence, in the order given.
#[test]
fn several_runs_have_a_verdict_each() {
    let report = Report::new(kinds().into_iter().map(|(_, named)| named).collect());
    let page = unescaped(&golden::page(&html(&report).expect("it has a page")));
    let mut at = 0;
    for (index, named) in report.runs.iter().enumerate() {
        let Some(opening) = opening(&report, index).filter(|it| it.verdict.is_some()) else { continue };
        let line = format!("{}: {}", named.name, opening.short());
        at = page.find(&line).filter(|found| *found > at).unwrap_or_else(|| panic!("{line} in {page}"));
    }
}

#[test]
fn a_failure_stands_before_the_verdict_and_takes_its_place() {
    use linerate_core::plan::{Load, Rows, Task};
    use linerate_core::traffic::{Direction, Ended, FlowAccount, HalfAccount, StreamPlan, Transfer};
    let half = |ended| HalfAccount { ended, bytes: 1_000_000, ..HalfAccount::default() };
    let flow = FlowAccount {
        flow: 0,
        peer: 0,
        direction: Direction::Send,
        sender: half(Ended::Failed("the connection was reset".to_owned())),
        receiver: half(Ended::Complete),
    };
    let load = Load { stream: Some(StreamPlan::default()), ..Load::default() };
    let transfer = Transfer { load, flows: vec![flow], ..Transfer::default() };
    let mut report = fixture::loads(vec![transfer]);
    report.runs[0].run.plan.task = Task::Stream(Default::default());
    report.runs[0].run.state = State::Failed("the peer closed the connection".to_owned());
    let text = crate::text(&report, 200, Rows::Short);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("FAILED: the peer closed the connection"), "{text}");
    let verdict = lines.next().unwrap_or_default();
    assert!(
        verdict.contains("ot known what limits it: the flow failed (the connection was reset)."),
        "{text}"
    );
    assert!(!text.contains("sending application") && !text.contains("held back"), "{text}");
}
