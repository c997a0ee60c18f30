//! The commands of README.md and docs/tour.md work as they stand there.
//!
//! What is run: lines in blocks marked `console` that begin with `$ linerate report`,
//! `$ linerate model` or `$ linerate measure`. Not run: those that name a host (`linerate measure HOST`), which need a
//! second one, and those for cargo, `./check`, `linerate serve`, `stream` and `rr`, which are tests of their own.

use std::path::Path;

use crate::support::{Desk, PROGRAM};

/// The arguments of the commands in `text` that can be run as they stand.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut console = false;
    let mut commands = Vec::new();
    for line in text.lines() {
        if let Some(kind) = line.trim_start().strip_prefix("```") {
            console = !console && kind.trim() == "console";
        } else if let Some(command) = line.trim_start().strip_prefix("$ linerate ").filter(|_| console) {
            let command = command.split(" #").next().unwrap_or_default();
            let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
            let runs = match &words[..] {
                [verb, ..] if verb == "report" || verb == "model" => true,
                [verb, rest @ ..] => {
                    verb == "measure" && rest.first().is_none_or(|first| first.starts_with('-'))
                }
                [] => false,
            };
            if runs {
                commands.push(words);
            }
        }
    }
    commands
}

#[test]
fn commands_are_found_in_console_blocks_only() {
    let text = "```sh\n$ linerate report a\n```\n$ linerate report b\n```console\n$ linerate measure node7 --key K\n\
                said\n$ linerate measure --time 1s # a word\n$ linerate report c --report d\n$ linerate serve\n```\n";
    assert_eq!(commands(text), [&["measure", "--time", "1s"][..], &["report", "c", "--report", "d"]]);
}

#[test]
fn the_commands_of_the_readme_work() {
    work("README.md");
}

#[test]
fn the_commands_of_the_tour_work() {
    work("docs/tour.md");
}

/// Runs the commands of a page in order and in one folder, as a reader would; a run file or NetPIPE file that a
/// report names and no command before it wrote is there already.
#[track_caller]
fn work(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{page}: {error}"));
    let commands = commands(&text);
    assert!(!commands.is_empty(), "{page} has no command that can be run");
    let desk = Desk::new();
    for command in commands {
        let arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        provide(&desk, &arguments);
        println!("{}", arguments.join(" "));
        desk.finish(desk.command(PROGRAM, &arguments)).done();
    }
}

/// The files that a report reads.
fn provide(desk: &Desk, arguments: &[&str]) {
    let [verb, files @ ..] = arguments else { return };
    if *verb != "report" {
        return;
    }
    for file in files.iter().take_while(|file| !file.starts_with('-')) {
        let path = desk.path(file);
        if path.exists() {
            continue;
        }
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../linerate-analysis/tests");
        let sample = if file.ends_with(".json") {
            "linerate-analysis/tests/runs/format-1.run.json"
        } else {
            "linerate-analysis/tests/netpipe/3.7.2-loopback.out"
        };
        std::fs::copy(samples.join(sample), path).expect("the sample is in the repository");
    }
}
