mod metrics;

use std::slice::from_ref;

use linerate_analysis::changes::{ChangeId, Kind};
use linerate_core::plan::Rows;

use super::fixture::{found, history, hostile, listed, step, unconfirmed};
use super::{PathHistory, changes, changes_json, csv, document, json_lines, list};
use crate::fixture::HOSTILE;
use crate::text::columns;

/// A path on which nothing happens.
fn quiet(runs: usize) -> PathHistory {
    let mut path = history(runs, 12);
    path.figures.retain(|course| course.key.to_string() == "ping-pong/peak");
    path.changes = found(&path.runs, &path.figures);
    path
}

/// A path on which much happens: many steps, outliers far off, and runs that differ more from one on.
fn restless() -> PathHistory {
    let mut path = history(200, 100);
    for (nth, run) in path.runs.iter_mut().enumerate() {
        run.facts[1].value = format!("igb {}", nth / 25);
    }
    for course in &mut path.figures {
        for (run, value) in course.values.iter_mut().enumerate() {
            let step = 1.0 + 0.2 * ((run / 25) % 4) as f64;
            let off = if run % 61 == 30 { 40.0 } else { 1.0 };
            *value = value.map(|it| it * step * off);
        }
    }
    let wild = |value: f64, run: usize| value * if run >= 100 && run.is_multiple_of(2) { 1.15 } else { 1.0 };
    for (run, value) in path.figures[1].values.iter_mut().enumerate() {
        *value = Some(wild(941.0 * (1.0 + 0.001 * ((run * 37 % 11) as f64)), run));
    }
    path.figures.truncate(2);
    path.changes = found(&path.runs, &path.figures);
    path
}

fn ids(path: &PathHistory) -> Vec<String> {
    let members = path.changes.events.iter().flat_map(|event| &event.members);
    members.map(|member| member.id.to_string()).collect()
}

#[test]
fn the_list_reads_well() {
    let mut few = history(6, 12);
    few.name = "gamma, loopback, tcp, ping-pong".to_owned();
    let ended = unconfirmed();
    let mut unsearched = listed(&few);
    (unsearched.changes, unsearched.recent) = (None, None);
    let paths = [listed(&history(60, 12)), listed(&ended), listed(&few), listed(&quiet(40)), unsearched];
    insta::assert_snapshot!(format!(
        "{}\n{}",
        list(&paths).text(200, Rows::Short),
        list(&paths).text(100, Rows::Short)
    ));
}

#[test]
fn a_list_fits_the_terminal() {
    let paths = [listed(&history(60, 12)), listed(&hostile(HOSTILE))];
    for width in [80, 100, 120, 200] {
        for line in list(&paths).text(width, Rows::Short).lines() {
            assert!(columns(line) <= usize::from(width), "{width}: {line}");
        }
    }
}

#[test]
fn a_path_reads_well() {
    insta::assert_snapshot!(document(&history(60, 12), None).text(160, Rows::Short));
}

#[test]
fn a_path_shows_the_figures_asked_for_and_all_runs_if_asked() {
    let path = history(60, 12);
    let keys = ["rr/p99", "exchange/peak"].map(|key| key.parse().expect("a figure"));
    let text = document(&path, Some(&keys)).text(160, Rows::All);
    assert!(text.contains("rr p99") && !text.contains("--rows"), "{text}");
    assert!(text.contains("  not recorded: exchange peak\n"), "{text}");
    let (_, table) = text.split_once("\nRuns:\n").expect("the runs");
    assert_eq!(table.lines().filter(|line| line.starts_with("  2026-")).count(), 60);
    let short = document(&path, Some(&keys)).text(160, Rows::Short);
    let (_, table) = short.split_once("\nRuns:\n").expect("the runs");
    let (table, _) = table.split_once("\n\n").expect("its end");
    assert!(!table.contains("latency  "), "{table}");
    assert!(
        table.contains("01-13 06:30") && table.contains("outlier: rr p99"),
        "an early row says something"
    );
}

#[test]
fn a_path_of_one_run_and_of_none_can_be_shown() {
    let one = document(&history(1, 12), None).text(80, Rows::Short);
    assert!(one.contains("one run on 2026-01-01") && one.contains("Too few runs."), "{one}");
    let none = document(&history(0, 12), None).text(80, Rows::Short);
    assert!(none.contains("no run"), "{none}");
}

#[test]
fn changes_read_well() {
    insta::assert_snapshot!(changes(&[history(120, 12), quiet(40), history(6, 12)]).text(100, Rows::Short));
}

#[test]
fn that_nothing_changed_is_said() {
    let text = changes(&[quiet(40)]).text(120, Rows::Short);
    assert!(text.contains("Nothing changed in 40 runs of one figure."), "{text}");
    let text = changes(&[history(6, 12)]).text(120, Rows::Short);
    assert!(text.contains("Too few runs to tell: 6, and 10 are needed."), "{text}");
}

#[test]
fn what_people_muted_is_counted_and_not_shown_and_what_they_confirmed_is_said() {
    let mut path = history(60, 12);
    let all = ids(&path);
    path.said = all.iter().map(|id| (id.clone(), "muted".to_owned())).collect();
    let text = changes(from_ref(&path)).text(200, Rows::Short);
    assert!(text.contains(&format!("{} changes muted and not shown", all.len())), "{text}");
    assert!(!text.contains("history confirm") && !text.contains("+12"), "{text}");
    let json: serde_json::Value =
        serde_json::from_str(&changes_json(from_ref(&path)).expect("a form")).expect("JSON");
    assert_eq!(json["paths"][0]["muted"], all.len());
    assert_eq!(json["paths"][0]["events"].as_array().map(Vec::len), Some(0));
    path.said.insert(all[0].clone(), "confirmed".to_owned());
    let text = changes(&[path]).text(120, Rows::Short);
    assert!(text.contains("people say: confirmed") && text.contains("history confirm"), "{text}");
}

/// The shell's own reading of what is to be copied.
#[test]
fn the_id_of_a_change_can_be_copied_into_a_shell() {
    for path in [history(60, 12), hostile("it's `a` $(b) \"c\"")] {
        let text = changes(from_ref(&path)).text(80, Rows::Short);
        let commands: Vec<&str> = text.lines().filter(|line| line.contains("history confirm")).collect();
        assert_eq!(commands.len(), path.changes.events.len());
        for command in commands {
            let id = command.trim().replacen("linerate history confirm", "printf %s", 1);
            let said = std::process::Command::new("sh").args(["-c", &id]).output().expect("a shell");
            let said = String::from_utf8(said.stdout).expect("text");
            let shorts =
                path.changes.events.iter().flat_map(|event| &event.members).map(|member| member.id.short());
            assert!(shorts.collect::<Vec<String>>().contains(&said), "{said}");
        }
    }
}

#[test]
fn no_line_of_the_changes_is_wider_than_the_terminal_but_what_is_copied() {
    for width in [60, 80, 120] {
        for line in changes(&[history(120, 12), hostile(HOSTILE)]).text(width, Rows::Short).lines() {
            let copied = line.contains("history confirm");
            assert!(copied || columns(line) <= usize::from(width), "{width}: {line}");
        }
    }
}

#[test]
fn json_tells_each_change_with_what_is_beside_it() {
    let path = history(60, 12);
    let json: serde_json::Value =
        serde_json::from_str(&changes_json(from_ref(&path)).expect("a form")).expect("JSON");
    let of_path = &json["paths"][0];
    let events = of_path["events"].as_array().expect("events");
    let event =
        events.iter().find(|event| event["run"] == path.runs[step(60)].id.as_str()).expect("the step");
    assert_eq!(event["started"], "2026-02-06T06:30:00.000000Z");
    assert_eq!(event["beside"][0]["name"], "initiator kernel");
    let changes = event["changes"].as_array().expect("changes");
    let latency = changes.iter().find(|it| it["figure"] == "ping-pong/latency").expect("the latency");
    let number = |name: &str| latency["change"][name].as_f64().expect("a number");
    assert!(number("low") < 1.12 && 1.12 < number("high") && latency["worse"] == true, "{latency}");
    assert_eq!((&latency["kind"], &latency["scale"]), (&"step".into(), &"ratio".into()));
    let id: ChangeId = latency["id"].as_str().expect("an id").parse().expect("it is one");
    assert_eq!((id.kind, id.run), (Kind::Step, path.runs[step(60)].id.clone()));
    assert_eq!(of_path["outliers"][0]["figure"], "rr/p99");
    assert_eq!(of_path["levels"].as_array().map(Vec::len), Some(path.figures.len()));
}

#[test]
fn csv_has_a_row_for_each_figure_of_a_run() {
    let path = history(20, 12);
    let text = csv(from_ref(&path)).expect("it has a form");
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let rows: Vec<_> = reader.records().map(|row| row.expect("a row")).collect();
    let values = path.figures.iter().flat_map(|course| course.values.iter().flatten());
    assert_eq!(rows.len(), values.count());
    let column = |name: &str| header.iter().position(|it| it == name).expect(name);
    let of_peak = |row: &&::csv::StringRecord| &row[column("figure")] == "ping-pong/peak";
    for (row, run) in rows.iter().filter(of_peak).zip((0..20).filter(|run| run % 17 != 5)) {
        assert_eq!(&row[column("run")], path.runs[run].id.as_str());
        assert_eq!(row[column("value")].parse().ok(), path.figures[1].values[run]);
        assert_eq!(row[column("low")].parse().ok(), path.figures[1].intervals[run].map(|ends| ends[0]));
        assert_eq!(&row[column("unit")], "Mb/s");
        assert_eq!(&row[column("tags")], if run.is_multiple_of(4) { "{\"site\":\"lab\"}" } else { "{}" });
    }
    assert_eq!(&rows[0][column("started")], "2026-01-01T06:30:00.000000Z");
    assert!(
        rows.iter()
            .filter(|row| &row[column("figure")] == "stream/loss-send")
            .all(|row| row[column("low")].is_empty())
    );
}

#[test]
fn json_lines_are_a_run_each() {
    let path = history(20, 12);
    let text = json_lines(from_ref(&path)).expect("it has a form");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(lines.len(), 20);
    for (line, run) in lines.iter().zip(&path.runs) {
        assert_eq!((&line["run"], &line["started_us"]), (&run.id.as_str().into(), &run.started_us.into()));
        assert_eq!(line["facts"]["initiator driver"], "igb");
    }
    assert_eq!(lines[0]["figures"]["ping-pong/peak"]["value"].as_f64(), path.figures[1].values[0]);
    assert!(lines[5]["figures"].get("ping-pong/peak").is_none(), "it has none");
}

#[test]
fn a_hostile_text_commands_no_terminal() {
    let path = hostile(&format!("{HOSTILE}\n\u{202e}\u{9b}1m"));
    let texts = [
        list(&[listed(&path)]).text(120, Rows::Short),
        document(&path, None).text(120, Rows::All),
        changes(from_ref(&path)).text(120, Rows::Short),
        super::prometheus(&[path]),
    ];
    for text in texts {
        assert!(!text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{text}");
    }
}

#[test]
fn a_page_reads_well() {
    insta::assert_snapshot!(crate::golden::page(
        &document(&history(60, 100), None).html().expect("it has a page")
    ));
}

#[test]
fn a_page_asks_the_network_for_nothing() {
    for path in [history(60, 100), history(1, 10), history(0, 10), hostile(HOSTILE)] {
        let page = document(&path, None).html().expect("it has a page");
        crate::golden::asks_for_nothing(&page);
        assert!(!page.contains("NaN") && !page.contains("inf\""), "every coordinate is a number");
    }
}

#[test]
fn a_page_has_every_part() {
    let path = history(60, 100);
    let page = document(&path, None).html().expect("it has a page");
    for part in ["heat-ping-pong", "figure-0", "sides-ping-pong", "sides-ratio-ping-pong", "id=\"levels\""] {
        assert!(page.contains(part), "{part}");
    }
    let changes: usize = path.changes.events.iter().map(|event| event.members.len()).sum();
    let (_, changed) = page.split_once("<section id=\"changes\"").expect("it says what changed");
    let (changed, _) = changed.split_once("</section>").expect("it ends");
    assert_eq!(changed.matches("<tr>").count(), changes + 1, "a row for each, and the headings");
    let calm = document(&quiet(40), None).html().expect("it has a page");
    assert!(calm.contains("Nothing changed in 40 runs of one figure.") && !calm.contains("id=\"sides\""));
}

#[test]
fn a_hostile_text_is_no_markup() {
    let page = document(&hostile(&format!("{HOSTILE}\u{202e}]]>")), None).html().expect("it has a page");
    assert!(!page.contains("<script>alert") && !page.contains('\u{1b}') && !page.contains('\u{202e}'));
    assert_eq!(page.matches("<script").count(), 2, "the data and the page's own");
}

/// A year of daily runs of a whole schedule, and a page of many patterns and runs.
#[test]
fn a_page_stays_small() {
    let bytes = |runs, sizes| document(&history(runs, sizes), None).html().expect("it has a page").len();
    let year = bytes(365, 100);
    assert!(year < 2_000_000, "{year}");
    let many = bytes(3_000, 100);
    assert!(many < 4_000_000, "{many}");
}

/// For looking at: `LINERATE_PAGES=/tmp/x cargo test -p linerate-report history_to_look_at -- --ignored`.
#[test]
#[ignore = "writes files for a person to look at"]
fn history_to_look_at() {
    let folder = std::path::PathBuf::from(std::env::var_os("LINERATE_PAGES").expect("it names a folder"));
    let write =
        |name: &str, page: String| std::fs::write(folder.join(name), page).expect("the folder is there");
    let paths = [1, 6, 60, 365, 3_000].map(|runs| (runs.to_string(), history(runs, 100)));
    let others = [("open", unconfirmed()), ("restless", restless()), ("hostile", hostile(HOSTILE))];
    for (name, path) in paths.into_iter().chain(others.map(|(name, path)| (name.to_owned(), path))) {
        let page = document(&path, None).html().expect("it has a page");
        write(&format!("history-{name}-dark.html"), page.replacen("<html ", "<html data-theme=\"dark\" ", 1));
        write(&format!("history-{name}.html"), page);
    }
}
