//! Files keep their promises: what linerate did not make is not lost, what it made is made again, and half a file is
//! never seen.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use linerate_core::run::Run;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use rustix::process::Signal;

use crate::support::process::wait_for;
use crate::support::{Desk, PROGRAM, Said};

/// Another number in each run of the tests, which they print.
fn random() -> Pcg64 {
    let seed = u64::from(std::process::id()).wrapping_mul(2_654_435_761);
    eprintln!("seed {seed}");
    Pcg64::seed_from_u64(seed)
}

/// A host that was calibrated on a virtual machine, and a run there.
const HOST: &str = include_str!("predict/host.toml");
const LAB: &str = include_str!("predict/lab.run.json");
/// An experiment of a moment.
const EXPERIMENT: &str = "\
[task]
schedule = \"list:1,8\"
[bench]
model = \"gigabit\"
[design]
kind = \"full\"
blocks = 1
[[factor]]
name = \"MTU\"
key = \"model.network.mtu\"
levels = [1500, 9000]
";
/// An output of a verb: the verb, its flag, what names of such files end in (one of them is drawn), and what else is
/// on the command line.
struct Output(&'static str, &'static str, &'static [&'static str], &'static str, Made);

/// How often it is made here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    /// Never: it takes a minute, or rights.
    Never,
    /// Once: it is then lost only with --force.
    Once,
    /// Again and again.
    Again,
}
use Made::{Again, Never, Once};

const MODEL: &str = "--model gigabit --max-size 8 --no-report --quiet";
const ALONE: &str = "--model gigabit --max-size 8 --out /dev/null --quiet";
const MD: &str = "md --model gigabit --ranks 1 --out /dev/null --no-report --quiet";

#[rustfmt::skip]
const OUTPUTS: [Output; 26] = [
    Output("measure", "out", &["run.json", "run.json.zst", "x"], MODEL, Once),
    Output("measure", "report", &["html", "csv", "json", "md", "prom", "svg"], ALONE, Again),
    Output("measure", "trace", &["pcapng"], "--model gigabit --max-size 8 --out /dev/null --no-report", Again),
    Output("stream", "out", &["run.json"], "--model gigabit --time 1s --no-report --quiet", Once),
    Output("rr", "hdr", &["hlog"], "--model gigabit --out /dev/null --no-report --quiet", Again),
    Output("mesh", "report", &["html", "svg"], "--model gigabit --ranks 2 --out /dev/null --quiet", Again),
    Output("mesh", "out", &["run.json"], "--model gigabit --ranks 2 --no-report --quiet", Once),
    Output("app", "show", &["xyz"], MD, Again),
    Output("app", "out", &["run.json"], "md --model gigabit --ranks 1 --no-report --quiet", Once),
    Output("trace", "perfetto", &["json"], "--model gigabit --out /dev/null --no-report --quiet", Again),
    Output("trace", "pcapng", &["pcapng"], "--model gigabit --out /dev/null --no-report --quiet", Never),
    Output("calibrate", "out", &["toml"], "", Never),
    Output("host", "out", &["json"], "--quick", Never),
    Output("host", "report", &["html"], "--quick", Never),
    Output("predict", "report", &["html"], "--host host.toml lab.run.json", Again),
    Output("explain", "report", &["json"], "lab.run.json", Again),
    Output("report", "report", &["html", "csv", "json", "md", "prom", "svg"], "lab.run.json --quiet", Again),
    Output("report", "report", &["np"], "lab.run.json --quiet", Once),
    Output("compare", "report", &["html", "json"], "lab.run.json --with other.run.json --anyway", Again),
    Output("model load", "report", &["html"], "gigabit", Again),
    Output("model load", "trace", &["pcapng"], "gigabit", Again),
    Output("model check", "report", &["html"], "F001", Again),
    Output("history report", "report", &["html"], "1:8f612722 --history own.db", Again),
    Output("history export", "out", &["csv", "jsonl"], "--history own.db", Again),
    Output("history export", "prometheus", &["prom"], "--history own.db", Again),
    Output("experiment report", "report", &["html", "json", "csv"], "mine", Again),
];

/// Flags that name a file or a folder that is written.
const FLAGS: [&str; 8] = ["out", "report", "trace", "hdr", "perfetto", "pcapng", "show", "prometheus"];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("host.toml", HOST);
    desk.write("lab.run.json", LAB);
    desk.write("plan.toml", EXPERIMENT);
    desk.linerate(&["history", "import", "lab.run.json", "--history", "own.db"]).done();
    let other =
        ["measure", "--model", "gigabit", "--max-size", "64KiB", "--out", "other.run.json", "--no-report"];
    desk.linerate(&other).done();
    desk.linerate(&["experiment", "plan.toml", "--folder", "mine", "--quiet"]).done();
    desk
}

fn linerate(desk: &Desk, output: &Output, path: &str, more: &[&str]) -> Said {
    let Output(verb, flag, _, rest, _) = output;
    let flag = format!("--{flag}");
    let words: Vec<&str> = verb.split(' ').chain(rest.split_whitespace()).collect();
    desk.linerate(&[&words, &[&*flag, path][..], more].concat())
}

/// What somebody else has in a file.
fn foreign(random: &mut Pcg64) -> Vec<u8> {
    let noise: Vec<u8> = (0..random.random_range(1..9000)).map(|_| random.random()).collect();
    match random.random_range(0..10) {
        0 => [b"SQLite format 3\0", &noise[..]].concat(),
        1 => b"# linerate measure --plan this.toml\n[task]\nhost = \"node7\"\n".to_vec(),
        2 => b"fdpk-33wq-mtzx\n".to_vec(),
        3 => b"{\n \"dependencies\": { \"linerate\": \"1\" } }\n".to_vec(),
        4 => b"<!DOCTYPE html>\n<html><head><title>x - linerate</title></head></html>\n".to_vec(),
        5 => b"run,value\n1,2\n".to_vec(),
        6 => [&[0x28, 0xb5, 0x2f, 0xfd], &noise[..]].concat(),
        7 => b"# linerate\n\nNotes on [linerate](x).\n".to_vec(),
        8 => b"# TYPE node_cpu counter\nnode_cpu 1\n".to_vec(),
        _ => noise,
    }
}

/// What is in `folder`, by name.
fn content(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let entries = fs::read_dir(folder).expect("ours").map(|entry| entry.expect("ours").path());
    entries.map(|path| (path.clone(), if path.is_file() { fs::read(path).ok() } else { None })).collect()
}

#[test]
fn no_output_loses_what_linerate_did_not_make() {
    let (mut random, desk) = (random(), desk());
    for (nth, output) in OUTPUTS.iter().enumerate() {
        let Output(verb, flag, endings, _, made) = output;
        for situation in 0..6 {
            let ending = endings.choose(&mut random).expect("one at least");
            let place = format!("place-{nth}-{situation}");
            fs::create_dir(desk.path(&place)).expect("ours");
            let mut path = format!("{place}/x.{ending}");
            let bytes = foreign(&mut random);
            match situation {
                0 => desk.write(&path, &bytes),
                1 => desk.write(&path, LAB),
                2 => fs::create_dir(desk.path(&path)).expect("ours"),
                3 => {
                    desk.write(&format!("{place}/target"), &bytes);
                    symlink("target", desk.path(&path)).expect("ours");
                }
                4 => symlink("nowhere", desk.path(&path)).expect("ours"),
                // Nobody may make a file there.
                _ => path = format!("/proc/x.{ending}"),
            }
            let before = content(&desk.path(&place));
            let case = format!("{verb} --{flag} {path}");
            let said = linerate(&desk, output, &path, &[]);
            assert_eq!(said.code, Some(2), "{case}: {}{}", said.stdout, said.stderr);
            assert!(said.stderr.contains("failed to write"), "{case}: {}", said.stderr);
            assert_eq!(content(&desk.path(&place)), before, "{case}");
            if situation > 0 && situation != 3 || *made == Never {
                continue;
            }
            let said = linerate(&desk, output, &path, &["--force"]);
            assert!(matches!(said.code, Some(0 | 1)), "{case} --force: {}", said.stderr);
            let after = content(&desk.path(&place));
            assert_eq!(after.len(), before.len(), "{case} --force");
            assert_ne!(after, before, "{case} --force");
            assert_eq!(desk.path(&path).is_symlink(), situation == 3, "{case} --force");
        }
    }
}

#[test]
fn what_linerate_made_it_makes_again() {
    let desk = desk();
    for (nth, output) in OUTPUTS.iter().enumerate().filter(|(_, output)| output.4 != Never) {
        let Output(verb, flag, endings, _, made) = output;
        for ending in *endings {
            let path = format!("{nth}.{ending}");
            let case = format!("{verb} --{flag} {path}");
            let first = linerate(&desk, output, &path, &[]);
            assert!(matches!(first.code, Some(0 | 1)), "{case}: {}", first.stderr);
            let private = fs::Permissions::from_mode(0o640);
            fs::set_permissions(desk.path(&path), private).expect("ours");
            let again = linerate(&desk, output, &path, &[]);
            assert_eq!(again.code == Some(2), *made == Once, "{case}, again: {}", again.stderr);
            let mode = fs::metadata(desk.path(&path)).expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o640, "{case}: its mode is kept");
        }
    }
    let left: Vec<_> = content(desk.folder()).into_keys().filter(|path| hidden(path)).collect();
    assert!(left.is_empty(), "{left:?}");
}

fn hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".linerate-"))
}

#[test]
fn a_limit_of_file_sizes_ends_a_verb_in_a_sentence_and_keeps_what_was_there() {
    let (mut random, desk) = (random(), desk());
    for (nth, output) in OUTPUTS.iter().enumerate().filter(|(_, output)| output.4 != Never) {
        let Output(verb, flag, endings, more, _) = output;
        let ending = endings.choose(&mut random).expect("one at least");
        let place = format!("limit-{nth}");
        let path = format!("{place}/x.{ending}");
        fs::create_dir(desk.path(&place)).expect("ours");
        desk.write(&path, LAB);
        // Unit: 512 bytes in sh.
        let limit: u32 = random.random_range(0..12);
        // Standard output is a pipe, which has no such limit.
        let script = format!("ulimit -f {limit}; exec {PROGRAM} {verb} {more} --force --{flag} {path}");
        let said = desk.finish(desk.command("sh", &["-c", &script]));
        let case = format!("{script}: {:?} {}", said.code, said.stderr);
        assert!(matches!(said.code, Some(0..=2)), "{case}");
        assert_eq!(content(&desk.path(&place)).len(), 1, "{case}");
        if said.code == Some(2) {
            assert!(said.stderr.contains("failed to "), "{case}");
            assert!(!said.stderr.contains("panicked"), "{case}");
            let of_run = *flag == "out" && desk.read(&path) != LAB;
            assert!(of_run || desk.read(&path) == LAB, "{case}");
        } else {
            assert_ne!(fs::read(desk.path(&path)).expect("there"), LAB.as_bytes(), "{case}");
        }
    }
}

#[test]
fn every_output_is_among_those_that_are_tried() {
    fn walk(command: &clap::Command, verb: &str, missing: &mut Vec<String>) {
        for argument in command.get_arguments().filter_map(|argument| argument.get_long()) {
            let (of_verb, of_flag) = (
                OUTPUTS.iter().any(|output| output.0 == verb),
                OUTPUTS.iter().any(|output| output.1 == argument),
            );
            if FLAGS.contains(&argument) && !(of_verb && of_flag) {
                missing.push(format!("{verb} --{argument}"));
            }
        }
        for under in command.get_subcommands() {
            walk(under, format!("{verb} {}", under.get_name()).trim(), missing);
        }
    }
    let mut missing = Vec::new();
    walk(&linerate::command(), "", &mut missing);
    // Without a verb it measures.
    missing.retain(|flag| !flag.starts_with(" --") && !flag.starts_with("path --"));
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn ranks_do_not_meet_in_a_file_that_is_not_theirs() {
    let desk = desk();
    let mut command = desk.command(PROGRAM, &["mesh", "--rendezvous", "lab.run.json"]);
    command.env("OMPI_COMM_WORLD_RANK", "0").env("OMPI_COMM_WORLD_SIZE", "2");
    let said = desk.finish(command);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert_eq!(desk.read("lab.run.json"), LAB);
}

#[test]
fn devices_pipes_and_standard_output_take_what_is_written() {
    let desk = desk();
    let report = |to: &str| desk.linerate(&["report", "lab.run.json", "--quiet", "--report", to]);
    assert!(report("/dev/null").fails(2).stderr.contains("choose a format"));
    let measured = |to: &str| {
        desk.linerate(&[
            "measure",
            "--model",
            "gigabit",
            "--max-size",
            "8",
            "--quiet",
            "--no-report",
            "--out",
            to,
        ])
    };
    assert!(measured("/dev/stdout").done().stdout.contains("\"generator\""));
    measured("/dev/null").done();
    assert!(measured("/dev/full").fails(2).stderr.contains("No space left"));
    // Standard output that is a file is added to, and not replaced behind the shell's back.
    let script = format!(
        "{PROGRAM} measure --model gigabit --max-size 8 --quiet --no-report --out /dev/stdout > to; {PROGRAM} --version >> to"
    );
    desk.finish(desk.command("sh", &["-c", &script])).done();
    let to = desk.read("to");
    assert!(to.contains("\"generator\"") && to.contains("linerate 0."), "{to}");
    let fifo = format!(
        "mkfifo p && {{ cat p > got & }} && {PROGRAM} measure --model gigabit --max-size 8 --quiet --no-report --out p && wait"
    );
    desk.finish(desk.command("sh", &["-c", &fifo])).done();
    Run::from_json(&desk.read("got")).expect("the whole run");
    assert!(!desk.path("p").is_file(), "it is still a pipe");
}

#[test]
fn a_key_that_does_not_come_is_not_waited_for_after_sigterm() {
    let desk = desk();
    desk.finish(desk.command("mkfifo", &["key"])).done();
    let key = fs::canonicalize(desk.path("key")).expect("it is there");
    for arguments in [&["measure", "localhost", "--key-file", "key"][..], &["serve", "--key-file", "key"]] {
        let waiting = desk.start(arguments);
        let process = PathBuf::from(format!("/proc/{}", waiting.pid().as_raw_nonzero()));
        let opened =
            || content(&process.join("fd")).into_keys().any(|fd| fs::read_link(fd).is_ok_and(|to| to == key));
        let sleeps = || fs::read_to_string(process.join("stat")).is_ok_and(|stat| stat.contains(") S "));
        wait_for("it to wait for the key", || (opened() && sleeps()).then_some(()));
        waiting.signal(Signal::TERM);
        let said = waiting.finish();
        assert!(matches!(said.code, Some(2) | None), "{arguments:?}: {:?} {}", said.code, said.stderr);
    }
}

#[test]
fn a_folder_of_others_is_no_experiment() {
    let desk = desk();
    for name in ["plan.toml", "runs", "ledger.jsonl"] {
        let place = format!("of-{name}");
        fs::create_dir(desk.path(&place)).expect("ours");
        desk.write(&format!("{place}/{name}"), "my own\n");
        let said = desk.linerate(&["experiment", "plan.toml", "--folder", &place, "--quiet"]);
        assert_eq!(said.code, Some(2), "{name}: {}", said.stderr);
        assert_eq!(desk.read(&format!("{place}/{name}")), "my own\n");
    }
}

/// Sources that make files without the one that is for it, and why.
const OTHERS: [(&str, &str); 5] = [
    ("linerate/src/store/writer.rs", "the place itself"),
    ("linerate/src/command/experiment/folder.rs", "ledgers, to which is only added"),
    ("linerate-net/src/place.rs", "/dev/cpu_dma_latency"),
    ("linerate-net/src/lab/", "namespaces: /proc, and files of a laboratory below /run"),
    ("linerate-net/src/settings/", "/proc and /sys; locks and a journal, to which is only added"),
];

#[test]
fn files_are_made_in_one_place() {
    const MAKES: [&str; 10] = [
        "File::create",
        "File::options",
        "fs::write(",
        "OpenOptions",
        "create_new",
        "fs::copy",
        "fs::rename",
        "tempfile_in",
        "NamedTempFile::",
        "generate_to(",
    ];
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crates");
    let mut found = Vec::new();
    for folder in fs::read_dir(crates).expect("the crates") {
        sources(&folder.expect("a crate").path().join("src"), &mut found);
    }
    let tests: Vec<PathBuf> = found.iter().flat_map(|(path, text)| test_modules(path, text)).collect();
    let mut strangers = Vec::new();
    for (path, text) in found.iter().filter(|(path, _)| !tests.contains(path)) {
        let name = path.strip_prefix(crates).expect("below").display().to_string();
        if OTHERS.iter().any(|(prefix, _)| name.starts_with(prefix)) {
            continue;
        }
        let product = before_tests(text);
        let makes = |line: &&str| {
            MAKES.iter().any(|call| line.contains(call)) && !line.trim_start().starts_with("//")
        };
        strangers.extend(product.lines().filter(makes).map(|line| format!("{name}: {}", line.trim())));
    }
    assert!(strangers.is_empty(), "write through store::Writer:\n{}", strangers.join("\n"));
}

/// The Rust files below `folder`, with their text.
fn sources(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for path in content(folder).into_keys() {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("text");
            found.push((path, text));
        }
    }
}

/// `text` without the module of its tests, which ends it.
fn before_tests(text: &str) -> &str {
    let is_module = |at: &(usize, &str)| {
        let next = text[at.0..].lines().nth(1).unwrap_or_default();
        next.contains("mod ") && next.ends_with('{')
    };
    text.match_indices("#[cfg(test)]\n").find(is_module).map_or(text, |(at, _)| &text[..at])
}

/// The files of modules that are there for tests alone.
fn test_modules(path: &Path, text: &str) -> Vec<PathBuf> {
    let folder = if path.ends_with("lib.rs") { path.with_file_name("") } else { path.with_extension("") };
    let names = text.split("#[cfg(test)]\n").skip(1).filter_map(|rest| rest.split_once(';'));
    let names = names.filter_map(|(head, _)| head.rsplit_once("mod ").map(|(_, name)| name.to_owned()));
    names.map(|name| folder.join(format!("{name}.rs"))).collect()
}
