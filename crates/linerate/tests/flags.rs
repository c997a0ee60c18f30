//! Walks over all verbs: what their help offers is accepted, and does something there.

use std::collections::BTreeSet;

use crate::support::Desk;
use crate::support::server::Server;

/// Every verb that has --format, asked for as little as it can do.
const COMMANDS: [&[&str]; 15] = [
    &["measure", "--model", "gigabit", "--schedule", "list:1,64", "--out", "m.run.json", "--force"],
    &["stream", "--model", "bufferbloat", "--time", "1s", "--out", "s.run.json", "--force"],
    &["rr", "--model", "bufferbloat", "--time", "1s", "--out", "r.run.json", "--force"],
    &["mesh", "--model", "cluster-switch", "--ranks", "3", "--repeat", "1", "--out", "h.run.json", "--force"],
    &[
        "app",
        "hint",
        "--model",
        "cluster-switch",
        "--ranks",
        "2",
        "--unit-cost",
        "1us",
        "--out",
        "a.run.json",
        "--force",
    ],
    &["trace", "--model", "acenic", "--sizes", "1", "--messages", "20", "--out", "t.run.json", "--force"],
    &["report", "x.run.json"],
    &["explain", "x.run.json"],
    &["compare", "x.run.json", "--with", "y.run.json"],
    &["host", "--quick", "--time", "500ms"],
    &["history", "changes", "--history", "h.db"],
    &["predict", "lab.run.json", "--host", "host.toml"],
    &["model", "load", "ten-base-t", "--set", "load.warm-up='1ms'", "--set", "load.time='10ms'"],
    &["model", "check", "F063"],
    &["model", "list"],
];

/// The folder in which these commands can be run.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("host.toml", include_str!("predict/host.toml"));
    desk.write("lab.run.json", include_str!("predict/lab.run.json"));
    for out in ["x.run.json", "y.run.json"] {
        let run =
            ["measure", "--model", "gigabit", "--schedule", "list:1,64", "--history", "h.db", "--out", out];
        desk.linerate(&run).done();
    }
    desk
}

/// The verbs by the words on their command line, with the page of each.
fn pages(desk: &Desk) -> Vec<(String, String)> {
    desk.linerate(&["man", "--folder", "man"]).done();
    let files = std::fs::read_dir(desk.path("man")).expect("a folder");
    let names = files.map(|file| file.expect("a file").file_name().into_string().expect("text"));
    let verb = |name: &str| Some(name.strip_prefix("linerate-")?.strip_suffix(".1")?.replace('-', " "));
    names
        .filter_map(|name| Some((verb(&name)?, desk.read(&format!("man/{name}")).replace('\\', ""))))
        .collect()
}

/// The values that `command` offers for `flag`.
fn offered(desk: &Desk, command: &[&str], flag: &str) -> Vec<String> {
    let said = desk.linerate(&[command, &[flag, "no-such-value"]].concat()).fails(2).stderr;
    let values = said.split_once("[possible values: ").and_then(|(_, rest)| rest.split_once(']'));
    values.map_or_else(Vec::new, |(values, _)| values.split(", ").map(str::to_owned).collect())
}

#[test]
fn every_format_and_level_that_is_offered_is_accepted() {
    let desk = desk();
    let with_format = pages(&desk).into_iter().filter(|(_, page)| page.contains("--format"));
    let with_format: BTreeSet<String> = with_format.map(|(verb, _)| verb).collect();
    let known = COMMANDS.map(|command| {
        let verbs = command.iter().take(2).copied().collect::<Vec<_>>().join(" ");
        if with_format.contains(&verbs) { verbs } else { command[0].to_owned() }
    });
    assert_eq!(BTreeSet::from(known), with_format, "every verb that has it");
    for command in COMMANDS {
        let formats = offered(&desk, command, "--format");
        assert!(formats.len() > 1, "{command:?}");
        for format in formats {
            let said = desk.linerate(&[command, &["--format", &format]].concat());
            assert!(said.code < Some(2), "{command:?} --format {format}: {}", said.stderr);
        }
        if command[0] == "report" {
            continue; // Its levels are those of any run.
        }
        for level in offered(&desk, command, "--level") {
            let said = desk.linerate(&[command, &["--format", "csv", "--level", &level]].concat());
            assert!(said.code < Some(2), "{command:?} --level {level}: {}", said.stderr);
        }
    }
}

/// --force is for verbs that write files, --history and --record for those that know a history.
#[test]
fn flags_of_files_are_shown_where_files_are_written() {
    let desk = Desk::new();
    for (verb, page) in pages(&desk) {
        let has = |flag: &str| page.contains(&format!("fB{flag}fR"));
        let records = ["measure", "stream", "rr", "mesh", "app", "trace", "experiment", "experiment resume"];
        let records = records.contains(&verb.as_str());
        assert_eq!(has("--record"), records, "{verb}");
        let knows = records || verb == "compare" || verb.split(' ').next() == Some("history");
        assert_eq!(has("--history"), knows, "{verb}");
        let writes = has("--out") || has("--report") || verb == "restore";
        assert_eq!(has("--force"), writes, "{verb}");
    }
}

#[test]
fn a_host_alone_is_measured_and_letters_are_those_of_iperf3() {
    let desk = Desk::new();
    let server = Server::start(&desk, &[]);
    let (host, port) = server.address.split_once(':').expect("a port");
    let options = ["--schedule", "list:1", "--no-report", "--key", server.key(), "--out"];
    let said =
        desk.linerate(&[&["-t", "200ms", &server.address], &options[..], &["x.run.json"]].concat()).done();
    assert!(said.stdout.contains("median us"), "{}", said.stdout);
    desk.linerate(&[&[host, "-p", port, "-t", "200ms", "-J"], &options[..], &["y.run.json"]].concat()).done();
    let curves = ["x.run.json", "y.run.json"].map(|file| desk.run_file(file).path().to_address.clone());
    assert_eq!(curves, [server.address.clone(), server.address.clone()]);
}

#[test]
fn an_old_spelling_works_and_is_warned_of_once() {
    let desk = Desk::new();
    let curve = ["measure", "--model", "gigabit", "--schedule", "octave:1", "--no-report", "-q", "--out"];
    let sizes = |out: &str, largest: &[&str]| {
        let said = desk.linerate(&[&curve[..], &[out], largest].concat()).done();
        // When it began is not the same.
        let (result, _) = said.stdout.split_once("\nRecorded by ").expect("it says by which program");
        (result.to_owned(), said.stderr)
    };
    let (new, silent) = sizes("x.run.json", &["--max-size", "64"]);
    let (old, warned) = sizes("y.run.json", &["--to=64"]);
    assert_eq!((new, silent.as_str()), (old, ""));
    assert_eq!(warned, "warning: --to is now --max-size\n");
}

/// What is written is chosen by the extension; what cannot be written is refused before anything is measured.
#[test]
fn a_report_is_a_page_or_a_picture_by_its_extension() {
    let desk = Desk::new();
    let curve =
        ["measure", "--model", "gigabit", "--schedule", "octave:1", "-q", "--force", "--out", "x.run.json"];
    for (file, begins) in [("x.html", "<!"), ("x.svg", "<svg"), ("x.csv", ""), ("x.json", "{"), ("x.np", "")]
    {
        let said = desk.linerate(&[&curve[..], &["--report", file]].concat()).done();
        assert!(said.stdout.contains("median us"), "a table is printed too: {}", said.stdout);
        assert!(desk.read(file).starts_with(begins), "{file}");
    }
    let stream = ["stream", "--model", "bufferbloat", "--out", "y.run.json", "--report"];
    for file in ["y.svg", "y.np"] {
        let said = desk.linerate(&[&stream[..], &[file]].concat()).complaint();
        assert!(said.contains("that form cannot hold stream runs"), "{said}");
        assert!(!desk.path("y.run.json").exists(), "nothing was measured");
    }
}

/// Verbs and flags of other tools, drawn at random; the seed is fixed, so a failure comes again.
#[test]
fn a_flag_of_another_tool_ends_with_2_and_one_message() {
    let desk = Desk::new();
    let mut verbs: Vec<String> = pages(&desk).into_iter().map(|(verb, _)| verb).collect();
    verbs.sort();
    let flags = [
        "--udp",
        "--parallel",
        "--window=64K",
        "--zerocopy",
        "--bandwidth",
        "--client",
        "--omit",
        "-c",
        "-Z",
        "-A1",
    ];
    let mut state = 36_u64;
    let mut drawn = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % below
    };
    for _ in 0..24 {
        let (verb, flag) = (&verbs[drawn(verbs.len())], flags[drawn(flags.len())]);
        let words: Vec<&str> = verb.split(' ').chain([flag]).collect();
        let said = desk.linerate(&words);
        assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""), "{verb} {flag}");
        let messages =
            said.stderr.lines().filter(|line| line.starts_with("  ×") || line.starts_with("error:"));
        assert_eq!(messages.count(), 1, "{verb} {flag}: {}", said.stderr);
    }
}
