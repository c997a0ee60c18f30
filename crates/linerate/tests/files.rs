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
    Output("explain", "report", &["html", "json", "md", "svg"], "lab.run.json", Again),
    Output("report", "report", &["html", "csv", "json", "md", "prom", "svg"], "lab.run.json --quiet", Again),
    Output("report", "report", &["np"], "lab.run.json --quiet", Once),
    Output("compare", "report", &["html", "json"], "lab.run.json --with other.run.json --anyway --inconclusive ok", Again),
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
            // Whoever only shows has shown nothing.
            let shows = ["report", "explain", "compare", "predict", "experiment report"].contains(verb);
            assert!(!shows || said.stdout.is_empty(), "{case}: {}", said.stdout);
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
fn a_verb_that_is_killed_leaves_the_old_file_or_the_new_one() {
    let (mut random, desk) = (random(), desk());
    for (nth, output) in OUTPUTS.iter().enumerate().filter(|(_, output)| output.4 != Never) {
        let Output(verb, flag, endings, _, _) = output;
        let ending = endings.choose(&mut random).expect("one at least");
        let path = format!("killed-{nth}.{ending}");
        let began = std::time::Instant::now();
        linerate(&desk, output, &path, &[]);
        let whole = began.elapsed();
        let new = fs::read(desk.path(&path)).expect("made");
        let end = &new[new.len().saturating_sub(9)..];
        for _ in 0..3 {
            desk.write(&path, LAB);
            let signal = *[Signal::KILL, Signal::TERM].choose(&mut random).expect("one");
            let words: Vec<&str> = verb.split(' ').chain(output.3.split_whitespace()).collect();
            let flag = format!("--{flag}");
            let running = desk.start(&[&words, &[&*flag, &*path, "--force"][..]].concat());
            std::thread::sleep(whole.mul_f64(random.random_range(0.0..1.1)));
            running.signal(signal);
            let said = running.finish();
            let case = format!("{verb} {flag} {path}, {signal:?}: {:?} {}", said.code, said.stderr);
            let left = fs::read(desk.path(&path)).expect("the old one, or the new one");
            // A run is saved after each part.
            let run = || Run::from_json(&String::from_utf8_lossy(&left)).is_ok();
            let packed =
                path.ends_with(".zst") && desk.linerate(&["report", &path, "--quiet"]).code == Some(0);
            // Who is asked to end keeps what there is by then: a shorter trace is a whole one.
            let ended = signal == Signal::TERM && !left.is_empty();
            assert!(ended || left == LAB.as_bytes() || left.ends_with(end) || run() || packed, "{case}");
            assert!(!said.stderr.contains("panicked"), "{case}");
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
    let experiment = |place: &str| desk.linerate(&["experiment", "plan.toml", "--folder", place, "--quiet"]);
    let shard =
        |place: &str| desk.linerate(&["model", "load", "gigabit", "--shard", "1/1", "--folder", place]);
    let names = ["plan.toml", "runs", "ledger.jsonl", "index.html", "findings.json", "shards.json"];
    for (nth, name) in names.into_iter().enumerate() {
        let place = format!("of-{name}");
        fs::create_dir(desk.path(&place)).expect("ours");
        desk.write(&format!("{place}/{name}"), "my own\n");
        let said = if nth + 1 < names.len() { experiment(&place) } else { shard(&place) };
        assert_eq!(said.code, Some(2), "{name}: {}", said.stderr);
        let why = format!("failed to use {place}: linerate did not make its {name}");
        assert!(said.stderr.contains(&why), "{name}: {}", said.stderr);
        assert_eq!(content(&desk.path(&place)).len(), 1, "{name}");
        assert_eq!(desk.read(&format!("{place}/{name}")), "my own\n");
    }
}

#[test]
fn an_experiment_that_was_killed_in_its_first_write_goes_on() {
    let (mut random, desk) = (random(), desk());
    let ledger = desk.read("mine/ledger.jsonl");
    let first = ledger.split_inclusive('\n').next().expect("a run");
    for cut in [0, 1, 5, random.random_range(6..first.len() - 2), first.len() - 2] {
        let place = format!("cut-{cut}");
        fs::create_dir(desk.path(&place)).expect("ours");
        desk.write(&format!("{place}/ledger.jsonl"), &first[..cut]);
        desk.linerate(&["experiment", "plan.toml", "--folder", &place, "--quiet"]).done();
        let whole = |line: &&str| serde_json::from_str::<serde_json::Value>(line).is_ok();
        assert_eq!(desk.read(&format!("{place}/ledger.jsonl")).lines().filter(whole).count(), 2, "{cut}");
    }
}

#[test]
fn off_is_no_file() {
    let desk = desk();
    for word in ["off", "none"] {
        let model = ["measure", "--model", "gigabit", "--max-size", "8", "--quiet", "--no-report", "--out"];
        let out = desk.linerate(&[&model[..], &[word]].concat());
        assert!(out.fails(2).stderr.contains("that is not a file name"));
        let path = format!("./{word}");
        desk.linerate(&[&model[..], &[&*path, "--history", word]].concat()).done();
        fs::remove_file(desk.path(word)).expect("the run alone is there");
        let mut command = desk.command(PROGRAM, &[&model[..], &["/dev/null", "--history", word]].concat());
        desk.finish({
            command.env("LINERATE_HISTORY", "all.db");
            command
        })
        .done();
        assert!(!desk.path("all.db").exists() && !desk.path(word).exists());
    }
}

/// What `ulimit` limits, and in which range something lacks; of memory, beyond what the program takes to begin at all.
const LIMITS: [(&str, std::ops::Range<u32>); 3] = [("n", 3..16), ("u", 1..12), ("v", 4_000..150_000)];

/// The address space with which the kernel and the loader bring the program to its first line. Unit: KiB.
fn least_memory(desk: &Desk) -> u32 {
    let begins = |kib: &u32| {
        let script = format!("ulimit -c 0; ulimit -v {kib}; exec {PROGRAM} --version");
        let output = desk.command("sh", &["-c", &script]).output();
        output.expect("there is a shell").status.success()
    };
    let (mut too_little, mut enough) = (1_000, 4_000_000);
    assert!(begins(&enough), "it begins with 4 GiB");
    while enough - too_little > 500 {
        let middle = u32::midpoint(too_little, enough);
        if begins(&middle) { enough = middle } else { too_little = middle }
    }
    enough
}

#[test]
fn a_limit_of_the_system_ends_a_verb_in_a_sentence() {
    let (mut random, desk) = (random(), desk());
    desk.finish(desk.command("chmod", &["-R", "777", "."])).done();
    // Root has as many processes as it likes.
    let user = if crate::support::is_root() { "setpriv --reuid=54321 --clear-groups" } else { "" };
    let live = [
        Output("measure", "out", &["run.json"], "--max-size 64 --no-report --quiet", Again),
        Output("stream", "out", &["run.json"], "--time 300ms -P 8 --no-report --quiet", Again),
    ];
    let all: Vec<&Output> = OUTPUTS.iter().chain(&live).filter(|output| output.4 != Never).collect();
    let least = least_memory(&desk);
    for nth in 0..40 {
        let Output(verb, flag, endings, more, _) = *all.choose(&mut random).expect("some");
        let ending = endings.choose(&mut random).expect("one at least");
        let (limit, range) = LIMITS.choose(&mut random).expect("one");
        let number = random.random_range(range.clone()) + if *limit == "v" { least } else { 0 };
        let path = format!("limited-{nth}.{ending}");
        let inner =
            format!("ulimit -c 0; ulimit -{limit} {number}; exec {PROGRAM} {verb} {more} --{flag} {path}");
        let script = format!("exec {user} bash -c '{inner}'");
        let said = desk.finish(desk.command("sh", &["-c", &script]));
        let case = format!("{inner}: {:?} {}", said.code, said.stderr);
        // Where not even the loader has room, it says so.
        let loaded = !said.stderr.contains("error while loading shared libraries");
        assert!(matches!(said.code, Some(0..=3)) || !loaded, "{case}");
        // Where a thread has no room for its signals, Rust's own runtime panics before any of its code runs.
        let never_began = said.stderr.contains("failed to allocate an alternative stack");
        let panicked = said.stderr.contains("panicked") && !never_began;
        assert!(!panicked && !said.stderr.contains("Aborted"), "{case}");
        if said.code == Some(2) {
            let sentence = said.stderr.contains("failed to ") || said.stderr.contains("memory allocation of");
            assert!(sentence, "{case}");
        }
    }
    let left: Vec<_> = content(desk.folder()).into_keys().filter(|path| hidden(path)).collect();
    assert!(left.is_empty(), "{left:?}");
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

/// The most bytes of memory for each byte of a file, besides [`BESIDE`]: to explain it, and to show all of it. docs/format.md
/// says them.
const MULTIPLES: [(&str, &[&str], u64); 2] = [("explain", &[], 16), ("report", &["--format", "json"], 128)];

/// What a verb takes for a small file. Unit: bytes.
const BESIDE: u64 = 64 << 20;

/// The most memory that a verb had, as far as it is seen from here. Unit: bytes.
fn peak(desk: &Desk, arguments: &[&str]) -> u64 {
    let mut command = desk.command(PROGRAM, arguments);
    let null = || std::process::Stdio::null();
    let mut child = command.stdin(null()).stdout(null()).stderr(null()).spawn().expect("it starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().expect("ours").is_none() {
        let status = fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0);
        peak = peak.max(kib << 10);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    peak
}

/// Where lists are in a text of JSON, as pointers.
fn lists(value: &serde_json::Value, at: &str, found: &mut Vec<String>) {
    let under: Vec<(String, &serde_json::Value)> = match value {
        serde_json::Value::Array(all) => {
            if !all.is_empty() {
                found.push(at.to_owned());
            }
            all.iter().take(1).map(|one| ("0".to_owned(), one)).collect()
        }
        serde_json::Value::Object(all) => all.iter().map(|(key, one)| (key.clone(), one)).collect(),
        _ => Vec::new(),
    };
    under.into_iter().for_each(|(key, one)| lists(one, &format!("{at}/{key}"), found));
}

#[test]
fn what_is_read_takes_a_stated_multiple_of_its_size() {
    let (mut random, desk) = (random(), Desk::new());
    let quiet = ["--model", "gigabit", "--no-report", "--quiet", "--out"];
    desk.linerate(&[&["measure", "--max-size", "8"], &quiet[..], &["a.run.json"]].concat()).done();
    desk.linerate(&[&["stream", "--time", "100ms"], &quiet[..], &["b.run.json"]].concat()).done();
    for name in ["a.run.json", "b.run.json"] {
        let small: serde_json::Value = serde_json::from_str(&desk.read(name)).expect("a run");
        let mut all = Vec::new();
        lists(&small, "", &mut all);
        let points =
            all.iter().find(|at| at.ends_with("/points") || at.ends_with("/flows")).expect("measured");
        let drawn: Vec<&String> = (0..3).map(|_| all.choose(&mut random).expect("some")).collect();
        for at in [points].into_iter().chain(drawn) {
            let mut large = small.clone();
            let list = large.pointer_mut(at).and_then(serde_json::Value::as_array_mut).expect("a list");
            let once = list.clone();
            let bytes = serde_json::to_string(&once).expect("JSON").len();
            (0..(1 << 21) / bytes).for_each(|_| list.extend_from_slice(&once));
            let text = large.to_string();
            desk.write("large.run.json", &text);
            for (verb, more, multiple) in MULTIPLES {
                let arguments = [&[verb, "large.run.json"], more].concat();
                let more = peak(&desk, &arguments).saturating_sub(BESIDE);
                let times = more as f64 / text.len() as f64;
                eprintln!("{name} {at}: {verb}: {times:.1} times");
                assert!(more <= multiple * text.len() as u64, "{name} {at}: {verb}: {times:.1} times");
            }
        }
    }
}
