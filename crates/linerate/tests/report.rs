//! `linerate report`, `completions` and `man`.

use std::path::Path;

use insta::assert_snapshot;
use linerate_analysis::netpipe_file;
use linerate_core::run::Run;
use rstest::rstest;
use serde_json::Value;

use crate::support::{self, Desk, missing, unfolded};

/// A run file of the first version, and result files of NetPIPE.
const RUN: &str = include_str!("../../linerate-analysis/tests/runs/format-1.run.json");
const NETPIPE: &str = include_str!("../../linerate-analysis/tests/netpipe/3.7.2-loopback.out");

/// A folder with two runs of linerate and one of NetPIPE.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("before.run.json", RUN);
    desk.write("after.run.json", RUN);
    desk.write("np.out", NETPIPE);
    desk
}

fn run() -> Run {
    Run::from_json(RUN).expect("it is read for ever")
}

#[test]
fn without_a_file_the_report_is_text_of_80_columns() {
    let said = desk().linerate(&["report", "before.run.json", "np.out"]).done();
    assert!(said.stdout.lines().all(|line| line.chars().count() <= 80), "{}", said.stdout);
    assert!(said.stdout.contains("before") && said.stdout.contains("np"), "{}", said.stdout);
    assert_eq!(said.stderr, "");
}

#[test]
fn a_table_of_many_sizes_is_short_unless_all_are_asked_for() {
    let desk = desk();
    let rows = |options: &[&str]| {
        let said = desk.linerate(&[&["report", "np.out"], options].concat()).done().stdout;
        let note = said.lines().find(|line| line.contains("sizes; --rows all")).map(str::to_owned);
        let table = said.lines().skip_while(|line| !line.contains("median us")).skip(1);
        let is_row = |line: &&str| line.starts_with("  ") && !line.trim_start().starts_with(['(', '*', '-']);
        (table.take_while(is_row).count(), note)
    };
    let (all, none) = rows(&["--rows", "all"]);
    let (short, note) = rows(&[]);
    let note = note.expect("it says what is missing");
    assert_eq!(none, None);
    assert!(all > 80 && short < 40, "{short} of {all}");
    assert!(note.contains(&format!("{short} of {all} sizes")), "{note}");
}

/// What `compare` says of it is said again.
#[test]
fn a_comparison_is_reported_alone_and_beside_runs() {
    let desk = desk();
    let sides = ["compare", "before.run.json", "--with", "after.run.json"];
    let table = desk.linerate(&sides).stdout;
    desk.write("x.json", desk.linerate(&[&sides[..], &["--format", "json"]].concat()).stdout);
    assert_eq!(desk.linerate(&["report", "x.json"]).done().stdout, table);
    let both = ["report", "before.run.json", "x.json", "--report", "x.html", "--report", "x.md"];
    assert!(desk.linerate(&both).done().stdout.ends_with(&table));
    for file in ["x.html", "x.md"] {
        let page = desk.read(file);
        assert!(page.contains("Numbers: after against before"), "{page}");
    }
    let refused = desk.linerate(&["report", "x.json", "--format", "csv"]).fails(2).stderr;
    assert!(refused.contains("failed to show a comparison"), "{refused}");
}

#[test]
fn quiet_says_only_what_went_wrong() {
    let desk = desk();
    let said = desk.linerate(&["report", "np.out", "--report", "x.html", "-q"]).done();
    let table = desk.linerate(&["report", "np.out"]).done().stdout;
    assert_eq!((said.stdout, said.stderr), (table, String::new()));
    let options = ["measure", "--time", "200ms", "--schedule", "list:1", "-q", "--out", "x.run.json"];
    let said = desk.linerate(&options).done();
    assert!(said.stdout.contains("median us") && said.stderr.is_empty(), "{}{}", said.stdout, said.stderr);
    let options = ["stream", "--time", "300ms", "--interval", "100ms", "-q", "--out", "y.run.json"];
    let said = desk.linerate(&options).done();
    assert!(
        said.stdout.contains("\nstream over tcp") && said.stderr.is_empty(),
        "{}{}",
        said.stdout,
        said.stderr
    );
}

#[rstest]
fn an_overlay_names_both_runs(#[values("x.html", "x.svg", "x.csv", "x.json")] to: &str) {
    let desk = desk();
    let said =
        desk.linerate(&["report", "before.run.json", "after.run.json", "np.out", "--report", to]).done();
    assert_eq!(said.stderr, format!("report: {to}\n"));
    assert!(said.stdout.contains("\nbefore (ping-pong)\n"), "the table too: {}", said.stdout);
    let text = desk.read(to);
    for name in ["before", "after", "np"] {
        assert!(text.contains(name), "{name} is not in {to}");
    }
}

#[test]
fn one_command_writes_every_form() {
    let desk = desk();
    let files = ["x.html", "x.svg", "x.csv", "x.json", "x.np"];
    let to: Vec<&str> = files.iter().flat_map(|file| ["--report", file]).collect();
    desk.linerate(&[&["report", "before.run.json"], &to[..]].concat()).done();
    assert!(files.iter().all(|file| !desk.read(file).is_empty()));
}

#[test]
fn one_run_given_twice_is_told_apart() {
    let desk = desk();
    desk.linerate(&["report", "np.out", "np.out", "--report", "x.json"]).done();
    let json: Value = serde_json::from_str(&desk.read("x.json")).expect("it is JSON");
    let name = |index: usize| json["curves"][index]["name"].as_str().expect("a name");
    assert_ne!(name(0), name(1));
}

#[test]
fn csv_and_json_carry_the_same_sizes() {
    let desk = desk();
    let files = ["--report", "x.csv", "--report", "x.json"];
    desk.linerate(&[&["report", "before.run.json", "np.out"], &files[..]].concat()).done();
    let text = desk.read("x.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let column = reader.headers().expect("a header").iter().position(|name| name == "size_bytes");
    let column = column.expect("a column of sizes");
    let in_csv: Vec<u64> =
        reader.records().map(|line| line.expect("a line")[column].parse().expect("a size")).collect();
    let json: Value = serde_json::from_str(&desk.read("x.json")).expect("it is JSON");
    let rows = json["rows"].as_array().expect("rows");
    let in_json: Vec<u64> = rows.iter().filter_map(|row| row["size_bytes"].as_u64()).collect();
    assert_eq!(in_csv, in_json);
    let imported = netpipe_file::read(NETPIPE).expect("it is NetPIPE's").remove(0);
    assert!(in_csv.len() > imported.series[0].points.len(), "both runs are there");
}

#[test]
fn rows_can_be_rounds_and_a_level_that_the_runs_lack_is_refused() {
    let desk = desk();
    desk.linerate(&["report", "before.run.json", "--report", "x.csv", "--level", "round"]).done();
    let text = desk.read("x.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    assert!(
        header.iter().any(|name| name == "round") && header.iter().any(|name| name == "id"),
        "{header:?}"
    );
    let run = Run::from_json(RUN).expect("a run");
    let rounds: usize = run.series[0].points.iter().map(|point| point.rounds.len()).sum();
    assert_eq!(reader.records().count(), rounds);
    let said = desk.linerate(&["report", "before.run.json", "--report", "y.csv", "--level", "interval"]);
    assert!(said.complaint().contains("ask for the level run, point or round"), "{}", said.stderr);
    assert!(!desk.path("y.csv").exists());
}

#[test]
fn two_runs_are_no_np_out() {
    let said = desk().linerate(&["report", "before.run.json", "np.out", "--report", "x.np"]);
    assert_snapshot!(said.complaint(), @"
    x.np: failed to write NetPIPE's np.out: np holds one curve and there are 2; report the runs one by one
    help: give other runs, or another format
    ");
}

/// `np.out` has 8 decimals of a second and 6 of NetPIPE's 2^20 bit/s: the better of them is read.
#[test]
fn an_np_out_comes_back_as_it_went() {
    let desk = desk();
    desk.linerate(&["report", "before.run.json", "--report", "x.np"]).done();
    desk.linerate(&["report", "x.np", "--report", "y.np"]).done();
    assert_eq!(desk.read("y.np"), desk.read("x.np"));
    let read = netpipe_file::read(&desk.read("x.np")).expect("it is an np.out").remove(0);
    let original = run();
    let before = original.series[0].timed().map(|point| (point.size, point.least_mean().expect("timed")));
    let after = read.series[0].timed().map(|point| (point.size, point.least_mean().expect("timed")));
    let (before, after): (Vec<_>, Vec<_>) = (before.collect(), after.collect());
    assert_eq!(before.len(), after.len());
    for ((size, time), (size_again, time_again)) in before.into_iter().zip(after) {
        assert_eq!(size, size_again);
        let rate = size as f64 * 8.0 / f64::powi(2.0, 20) / time.as_seconds();
        // Half a unit of the last decimal, of whichever column is the finer.
        let bound = (0.5e-6 / rate).min(0.5e-8 / time.as_seconds()) * 1.01;
        let error = (time_again.as_seconds() / time.as_seconds() - 1.0).abs();
        assert!(error <= bound, "{size} B: {time} came back as {time_again}");
    }
}

/// Every version of NetPIPE whose file is kept with linerate-core.
#[test]
fn every_netpipe_file_has_a_report() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../linerate-analysis/tests/netpipe");
    let files: Vec<_> = folder.read_dir().expect("it is in the repository").flatten().collect();
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        let desk = Desk::new();
        std::fs::copy(file.path(), desk.path("np.out")).expect("the folder is ours");
        let said = desk.linerate(&["report", "np.out"]).done();
        assert!(unfolded(&said.stdout).contains("Imported from NetPIPE"), "{}", said.stdout);
        assert!(unfolded(&said.stdout).contains("recorded no hosts"), "the caution: {}", said.stdout);
        desk.linerate(&["report", "np.out", "--report", "x.html"]).done();
    }
}

#[rstest]
fn completions_know_every_verb(#[values("bash", "zsh", "fish", "elvish", "powershell")] shell: &str) {
    let desk = Desk::new();
    let script = desk.linerate(&["completions", shell]).done().stdout;
    for word in ["measure", "serve", "report", "completions", "man", "--schedule", "--max-size"] {
        let word = if shell == "fish" { word.trim_start_matches('-') } else { word };
        assert!(script.contains(word), "{word} is not in the script for {shell}");
    }
}

#[test]
fn bash_accepts_its_completions() {
    if !support::has("bash") {
        return;
    }
    let desk = Desk::new();
    desk.write("linerate.bash", desk.linerate(&["completions", "bash"]).done().stdout);
    let said = desk.finish(desk.command("bash", &["-n", "linerate.bash"])).done();
    assert_eq!(said.stderr, "");
}

#[test]
fn pages_and_completions_are_files_for_a_package() {
    let desk = Desk::new();
    desk.linerate(&["man", "--folder", "pages/man"]).done();
    for (page, word) in
        [("linerate", "measure"), ("linerate-stream", "flows"), ("linerate-model-load", "sweep")]
    {
        let text = desk.read(&format!("pages/man/{page}.1"));
        assert!(text.starts_with(".ie ") && text.contains(".TH ") && text.contains(word), "{page}: {text}");
        if support::has("groff") {
            let file = format!("pages/man/{page}.1");
            let said = desk.finish(desk.command("groff", &["-man", "-Tutf8", "-ww", "-z", &file])).done();
            assert_eq!(said.stderr, "", "{page}");
        }
    }
    assert!(!desk.path("pages/man/linerate-help.1").exists(), "it is hidden");
    desk.linerate(&["completions", "--folder", "pages/all"]).done();
    for file in ["linerate.bash", "_linerate", "linerate.fish", "linerate.elv", "_linerate.ps1"] {
        assert!(desk.read(&format!("pages/all/{file}")).contains("measure"), "{file}");
    }
    desk.linerate(&["completions", "fish", "--folder", "pages/one"]).done();
    let files = std::fs::read_dir(desk.path("pages/one")).expect("a folder").count();
    assert_eq!((files, desk.read("pages/one/linerate.fish")), (1, desk.read("pages/all/linerate.fish")));
    desk.write("file", "");
    let said = desk.linerate(&["man", "--folder", "file"]).complaint();
    assert!(said.contains("failed to write files to file"), "{said}");
}

#[test]
fn the_manual_has_every_verb_and_is_sound_roff() {
    let desk = Desk::new();
    let page = desk.linerate(&["man"]).done().stdout;
    for word in ["measure", "serve", "report", "completions", "NAME", "SYNOPSIS", "OPTIONS"] {
        assert!(page.contains(word), "{word} is not in the manual");
    }
    desk.write("linerate.1", &page);
    if Path::new("/usr/bin/groff").exists() {
        let said = desk.finish(desk.command("groff", &["-man", "-Tutf8", "-ww", "-z", "linerate.1"])).done();
        assert_eq!(said.stderr, "", "groff warns");
    } else {
        missing("groff");
    }
}
