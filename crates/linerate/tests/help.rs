//! What `-h` and `--help` say, at a fixed width.

use insta::assert_snapshot;

use crate::support::{Desk, PROGRAM};

/// Every verb, as its words on the command line.
const VERBS: [&[&str]; 21] = [
    &[],
    &["measure"],
    &["stream"],
    &["rr"],
    &["mesh"],
    &["app"],
    &["trace"],
    &["serve"],
    &["model"],
    &["model", "load"],
    &["model", "check"],
    &["model", "list"],
    &["model", "show"],
    &["lab"],
    &["lab", "up"],
    &["lab", "down"],
    &["lab", "exec"],
    &["host"],
    &["calibrate"],
    &["predict"],
    &["report"],
];

const COLUMNS: usize = 80;
const LINES: usize = 25;
/// Where verbs are listed, each takes a line.
const LINES_WITH_VERBS: usize = 30;
/// That of linerate itself has a line for every verb.
const LINES_OF_ALL_VERBS: usize = 40;

fn help(verb: &[&str], flag: &str) -> String {
    let desk = Desk::new();
    let mut command = desk.command(PROGRAM, &[verb, &[flag]].concat());
    command.env("COLUMNS", COLUMNS.to_string());
    desk.finish(command).done().stdout
}

fn name(verb: &[&str], length: &str) -> String {
    [&["linerate"], verb, &[length]].concat().join("-")
}

#[test]
fn the_short_help_fits_a_screen() {
    for verb in VERBS {
        let said = help(verb, "-h");
        let (lines, columns) = (said.lines().count(), said.lines().map(str::len).max());
        let most = if verb.is_empty() { LINES_OF_ALL_VERBS } else { LINES };
        assert!(lines <= most, "{verb:?} has {lines} lines:\n{said}");
        assert!(columns <= Some(COLUMNS), "{verb:?} has {columns:?} columns:\n{said}");
        assert_snapshot!(name(verb, "short"), said);
    }
}

/// Also of the verbs without a snapshot; those that a page of the manual has.
#[test]
fn every_short_help_fits_a_screen() {
    let desk = Desk::new();
    desk.linerate(&["man", "--folder", "man"]).done();
    for page in std::fs::read_dir(desk.path("man")).expect("a folder") {
        let page = page.expect("a page").file_name().into_string().expect("text");
        let Some(verb) = page.strip_prefix("linerate-").and_then(|page| page.strip_suffix(".1")) else {
            continue;
        };
        let said = help(&verb.split('-').collect::<Vec<_>>(), "-h");
        let (lines, columns) = (said.lines().count(), said.lines().map(str::len).max());
        let most = if said.contains("\nCommands:\n") { LINES_WITH_VERBS } else { LINES };
        assert!(
            lines <= most && columns <= Some(COLUMNS),
            "{verb}: {lines} lines, {columns:?} columns:\n{said}"
        );
    }
}

#[test]
fn the_long_help_has_every_flag_under_its_heading() {
    for verb in VERBS {
        assert_snapshot!(name(verb, "long"), help(verb, "--help"));
    }
}

/// The transports, and so the flags' own lists, are the same on every build.
#[test]
fn every_measuring_verb_has_the_same_headings() {
    let wanted = [
        "Arguments",
        "Options",
        "Path",
        "Question",
        "Certainty",
        "TCP",
        "Datagrams",
        "Calls and memory",
        "Model",
        "Output",
        "Plan file",
        "Examples",
    ];
    for verb in ["measure", "stream", "rr"] {
        let said = help(&[verb], "--help");
        let headings =
            said.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| line.strip_suffix(':'));
        let mut headings: Vec<&str> = headings.collect();
        let mut wanted = wanted.to_vec();
        headings.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(headings, wanted, "{verb}");
    }
}
