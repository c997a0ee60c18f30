//! What is shown and written.

use rstest::rstest;
use rustix::process::Signal;
use serde_json::Value;

use super::desk;
use crate::support::Desk;

const SWEEP: [&str; 8] =
    ["model", "load", "x.toml", "--sweep", "frame=64,512,1518", "--sweep", "station-load=0.3,0.9", "--seeds"];

fn json(desk: &Desk, arguments: &[&str]) -> Value {
    let said = desk.linerate(&[arguments, &["--format", "json"]].concat()).done();
    serde_json::from_str(&said.stdout).expect("it is JSON")
}

/// The minimum frame takes 84 byte times and 64 of them are frame; the largest 1538 and 1518.
#[rstest]
#[case("64", 64.0 / 84.0)]
#[case("1518", 1518.0 / 1538.0)]
fn saturated_lines_carry_what_preamble_and_gap_leave(#[case] frame: &str, #[case] share: f64) {
    let json = json(&desk(), &["model", "load", "x.toml", "--set", &format!("frame={frame}")]);
    let derived = &json["points"][0]["runs"][0]["derived"];
    // Two lines, each in one direction; a frame at either end of the count is not whole.
    let efficiency = derived["efficiency"].as_f64().expect("a share") / 2.0;
    assert!((efficiency / share - 1.0).abs() < 0.02, "{efficiency} instead of {share}");
    assert_eq!(derived["lost_share"].as_f64(), Some(0.0));
}

#[test]
fn results_are_in_the_order_of_the_grid_and_the_same_for_any_number_of_jobs() {
    let desk = desk();
    let run = |jobs: &str, format: &str| {
        desk.linerate(&[&SWEEP[..], &["3", "--jobs", jobs, "--format", format]].concat()).done().stdout
    };
    for format in ["table", "json", "csv"] {
        let one = run("1", format);
        assert_eq!(run("2", format), one);
        assert_eq!(run("7", format), one);
    }
    let csv = run("2", "csv");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header: Vec<String> = reader.headers().expect("a header").iter().map(str::to_owned).collect();
    assert_eq!(header[..3], ["load.frame", "load.station-load", "seed"]);
    let rows: Vec<Vec<String>> =
        reader.records().map(|row| row.expect("a row").iter().take(3).map(str::to_owned).collect()).collect();
    assert_eq!(rows.len(), 3 * 2 * 3);
    assert_eq!(rows[0], ["64", "0.3", "0"]);
    assert_eq!(rows[1], ["64", "0.3", "1"]);
    assert_eq!(rows[3], ["64", "0.9", "0"]);
    assert_eq!(rows[17], ["1518", "0.9", "2"]);
}

#[test]
fn seeds_differ_and_are_summed_up_with_an_interval() {
    let json = json(&desk(), &["model", "load", "x.toml", "--set", "total-load=0.5", "--seeds", "4"]);
    let point = &json["points"][0];
    let runs = point["runs"].as_array().expect("runs");
    let offered: Vec<_> = runs.iter().map(|run| run["offered"].as_u64()).collect();
    assert!(offered.windows(2).any(|pair| pair[0] != pair[1]), "{offered:?}");
    assert_eq!(runs.iter().map(|run| run["seed"].as_u64()).collect::<Vec<_>>(), [0, 1, 2, 3].map(Some));
    let summary = &point["summary"]["efficiency"];
    assert_eq!(summary["runs"].as_u64(), Some(4));
    assert!(summary["half-width"].as_f64().is_some_and(|half| half > 0.0), "{summary}");
}

#[test]
fn what_is_printed_as_the_plan_is_what_is_run() {
    let desk = desk();
    let set =
        ["--set", "time=2ms", "--set", "network.phy=1000BASE-X", "--set", "load.frame=[[64, 7], [1518, 1]]"];
    let plan =
        desk.linerate(&[&["model", "load", "x.toml", "--print-plan"], &set[..]].concat()).done().stdout;
    assert!(plan.contains("time = \"0.002s\"") && plan.contains("1000BASE-X"), "{plan}");
    desk.write("y.toml", &plan);
    let runs = |plan: Value| plan["points"][0]["runs"].clone();
    let direct = runs(json(&desk, &[&["model", "load", "x.toml"], &set[..]].concat()));
    assert_eq!(runs(json(&desk, &["model", "load", "y.toml"])), direct);
}

#[test]
fn the_page_and_the_table_are_of_the_same_run() {
    let desk = desk();
    let said = desk.linerate(&["model", "load", "x.toml", "--report", "x.html"]).done();
    assert_eq!(said.stderr, "report:   x.html\n");
    assert!(said.stdout.lines().all(|line| line.chars().count() <= 80), "{}", said.stdout);
    let page = desk.read("x.html");
    let line = said.stdout.lines().find(|line| line.contains("throughput")).expect("a throughput");
    let value = line.trim().trim_start_matches("throughput").trim();
    assert!(page.contains(value), "{value} is not on the page");
    assert_eq!(page.matches("<figure").count(), 2, "stations and delays; there is no queue");
}

#[test]
fn the_list_names_what_a_plan_can_name() {
    let desk = Desk::new();
    let text = desk.linerate(&["model", "list"]).done().stdout;
    for word in ["1000BASE-T", "hub", "switch", "distributor", "gigabit"] {
        assert!(text.contains(word), "{word} is not in the list");
    }
    let json = desk.linerate(&["model", "list", "--format", "json"]).done().stdout;
    let json: Value = serde_json::from_str(&json).expect("it is JSON");
    let rate = |name: &str| {
        let links = json["links"].as_array().expect("links").iter();
        links.filter(|link| link["name"] == name).find_map(|link| link["rate"].as_f64())
    };
    assert_eq!(rate("1000BASE-T"), Some(1e9));
    // Every plan that is listed can be shown, and what is shown can be run.
    for plan in json["plans"].as_array().expect("plans") {
        let name = plan["name"].as_str().expect("a name");
        desk.write("shown.toml", desk.linerate(&["model", "show", name]).done().stdout);
        let short = ["--set", "load.time=1ms", "--set", "load.warm-up=100us"];
        let of = |plan: &str| {
            let said =
                desk.linerate(&[&["model", "load", plan, "--format", "csv"], &short[..]].concat()).done();
            said.stdout
        };
        assert_eq!(of(name), of("shown.toml"));
    }
}

/// The first run ends at once and the second would take minutes; that Ctrl-C comes between them is
/// known by the processor time that only the second takes.
#[test]
fn ctrl_c_shows_what_was_done() {
    let desk = desk();
    let sweep = ["--sweep", "load.time=1ms,100s", "--jobs", "1", "--format", "csv"];
    let process = desk.start(&[&["model", "load", "x.toml"], &sweep[..]].concat());
    process.works_for(100);
    process.signal(Signal::INT);
    let said = process.finish();
    assert!(said.complaint().starts_with("interrupted"), "{}", said.stderr);
    assert_eq!(said.stdout.lines().count(), 2, "{}", said.stdout);
    assert!(said.stdout.lines().nth(1).is_some_and(|line| line.starts_with("1ms,")), "{}", said.stdout);
}

#[test]
fn the_manual_has_the_verbs_of_the_model() {
    let page = Desk::new().linerate(&["man"]).done().stdout;
    for verb in ["linerate model", "linerate model load", "linerate model list", "linerate model show"] {
        let title = verb.replace('-', "\\-");
        assert!(page.lines().any(|line| line.starts_with(&title)), "{verb} is not in the manual");
    }
    assert!(page.contains("\\-\\-sweep"));
}
