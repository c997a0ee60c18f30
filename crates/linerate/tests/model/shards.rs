//! Sweeps in parts. About 3 s: every run takes a millisecond of the model's time.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;

use super::desk;
use crate::support::process::wait_for;
use crate::support::{Desk, PROGRAM, Said};

/// A sweep of 12 runs.
const SWEEP: [&str; 7] =
    ["model", "load", "x.toml", "--sweep", "frame=64,512,1518", "--sweep", "seed=1,2,3,4"];

fn sweep(desk: &Desk, arguments: &[&str]) -> Said {
    desk.linerate(&[&SWEEP, arguments].concat())
}

fn shard(desk: &Desk, shard: &str) -> String {
    sweep(desk, &["--shard", shard, "--folder", "results"]).done().stderr
}

/// The files of results, by name.
fn results(desk: &Desk) -> Vec<String> {
    let entries = fs::read_dir(desk.path("results")).expect("the folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text"));
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".jsonl")).collect();
    names.sort_unstable();
    names
}

#[test]
fn parts_of_any_number_merge_into_what_one_process_shows() {
    let desk = desk();
    for part in ["3/4", "1/4", "2/3", "4/4", "1/4", "2/4"] {
        let said = shard(&desk, part);
        assert!(said.starts_with(&format!("shard {part}: ")) && said.ends_with("are in results\n"), "{said}");
    }
    assert_eq!(results(&desk).len(), 12);
    assert!(shard(&desk, "1/1").starts_with("shard 1/1: 0 of 0 runs done, 12 were there before"));
    for format in ["table", "csv", "json"] {
        let one = sweep(&desk, &["--format", format, "--report", "one.html"]).done();
        let all = sweep(&desk, &["--format", format, "--report", "all.html", "--merge", "results"]).done();
        assert_eq!(one.stdout, all.stdout, "{format}");
        assert_eq!(desk.read("one.html"), desk.read("all.html"));
    }
    let list = fs::read_dir(desk.path("results")).expect("the folder").count();
    assert_eq!(list, 13, "results, what they are of, and nothing else");
}

/// Two processes that do the same at once write the same files.
#[test]
fn two_processes_may_run_the_same_part_at_once() {
    let desk = desk();
    let arguments = [&SWEEP[..], &["--shard", "1/1", "--folder", "results"]].concat();
    let mut both = [(); 2].map(|()| desk.command(PROGRAM, &arguments).spawn().expect("it starts"));
    for process in &mut both {
        assert!(process.wait().expect("it ends").success());
    }
    assert_eq!(results(&desk).len(), 12);
    assert_eq!(sweep(&desk, &[]).done().stdout, sweep(&desk, &["--merge", "results"]).done().stdout);
}

/// The page of a single run shows the distribution of its delays, so its result has it.
#[test]
fn a_single_run_keeps_the_distribution_of_its_delays() {
    let desk = desk();
    let load = |arguments: &[&str]| desk.linerate(&[&["model", "load", "x.toml"], arguments].concat()).done();
    load(&["--shard", "1/3", "--folder", "results"]);
    load(&["--report", "one.html"]);
    load(&["--merge", "results", "--report", "all.html"]);
    assert!(desk.read("one.html").contains("Distribution of delays"));
    assert_eq!(desk.read("one.html"), desk.read("all.html"));
    let idle = load(&["--shard", "2/3", "--folder", "results"]).stderr;
    assert_eq!(idle, "shard 2/3: 0 of 0 runs done; the results are in results\n");
}

#[test]
fn runs_that_are_equal_are_run_once() {
    let desk = desk();
    // The seeds of the two points are 1, 2 and 2, 3.
    let question = ["model", "load", "x.toml", "--sweep", "seed=1,2", "--seeds", "2"];
    let load = |arguments: &[&str]| desk.linerate(&[&question[..], arguments].concat()).done();
    load(&["--shard", "1/2", "--folder", "results"]);
    load(&["--shard", "2/2", "--folder", "results"]);
    assert_eq!(results(&desk).len(), 3);
    assert_eq!(load(&[]).stdout, load(&["--merge", "results"]).stdout);
}

#[test]
fn what_is_missing_is_named_with_the_part_that_has_it() {
    let desk = desk();
    shard(&desk, "1/4");
    shard(&desk, "3/4");
    let said = sweep(&desk, &["--merge", "results", "--format", "csv"]);
    assert_eq!(said.code, Some(1));
    assert_eq!(said.stdout.lines().count(), 1 + 6, "a header and what is there");
    assert_snapshot!(said.stderr, @"
    6 of 12 runs are missing:
      load.frame = 64, seed = 2 (shard 2/4)
      load.frame = 64, seed = 4 (shard 4/4)
      load.frame = 512, seed = 1 (shard 2/4)
      load.frame = 512, seed = 3 (shard 4/4)
      load.frame = 1518, seed = 2 (shard 4/4)
      load.frame = 1518, seed = 4 (shard 2/4)
    run again --shard 2/4, 4/4; or run --shard 1/1 --folder results, which does only what is missing
    ");
    // Nothing at all is there: nothing is shown.
    fs::remove_dir_all(desk.path("results")).expect("it is ours");
    shard(&desk, "12/5000");
    fs::remove_file(desk.path("results").join(&results(&desk)[0])).expect("it is ours");
    let said = sweep(&desk, &["--merge", "results"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""));
    assert!(
        said.stderr.contains("12 of 12 runs are missing:") && said.stderr.contains("  and 2 more\n"),
        "{}",
        said.stderr
    );
}

#[test]
fn damaged_and_foreign_files_are_named_and_left_out() {
    let desk = desk();
    shard(&desk, "1/1");
    let names = results(&desk);
    let path = |nth: usize| desk.path("results").join(&names[nth]);
    let text = fs::read_to_string(path(0)).expect("a result");
    fs::write(path(0), &text[..text.len() / 2]).expect("cut");
    fs::write(path(1), text.replace("\"delivered\":", "\"delivered\":1")).expect("changed");
    fs::write(path(2), [0, 159, 146, 150]).expect("no text");
    fs::copy(path(3), path(4)).expect("copied");
    fs::remove_file(path(5)).expect("removed");
    fs::create_dir(path(5)).expect("a folder in its place");
    desk.write("results/notes.txt", "mine");
    let said = sweep(&desk, &["--merge", "results"]);
    assert_eq!(said.code, Some(1));
    for (nth, reason) in [
        (0, "it is damaged or cut short"),
        (1, "it is the result of another run"),
        (2, "it is not text (UTF-8)"),
        (4, "it is the result of another run"),
        (5, "Is a directory (os error 21)"),
    ] {
        let line = format!("! {}: {reason}; it is left out\n", names[nth]);
        assert!(said.stderr.contains(&line), "{line}{}", said.stderr);
    }
    assert!(
        said.stderr.contains("! notes.txt: it is no result of this plan; it is left out\n"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("5 of 12 runs are missing:"), "{}", said.stderr);
    fs::remove_dir(path(5)).expect("it is empty");
    let again = shard(&desk, "1/1");
    assert!(
        again.ends_with("shard 1/1: 5 of 5 runs done, 7 were there before; the results are in results\n"),
        "{again}"
    );
    assert_eq!(sweep(&desk, &["--merge", "results"]).done().stdout, sweep(&desk, &[]).done().stdout);
}

/// What is there when a process is killed stays, and only the rest is run again.
#[test]
fn a_part_that_is_killed_keeps_what_it_has_done() {
    let desk = desk();
    // A second of the model's time at this load takes long enough to be interrupted.
    let long =
        ["model", "load", "gigabit", "--sweep", "seed=1,2,3,4,5,6", "--set", "load.time=1s", "--jobs", "1"];
    let arguments = [&long[..], &["--shard", "1/1", "--folder", "results"]].concat();
    let mut process = desk.command(PROGRAM, &arguments).spawn().expect("it starts");
    wait_for("a result", || {
        let there = desk.path("results").exists() && !results(&desk).is_empty();
        there.then_some(())
    });
    process.kill().expect("it runs");
    process.wait().expect("it ends");
    let kept = results(&desk).len();
    assert!((1..6).contains(&kept), "it was killed in its middle, after {kept}");
    let said = desk.linerate(&arguments).done().stderr;
    assert_eq!(
        said,
        format!(
            "shard 1/1: {} of {} runs done, {kept} were there before; the results are in results\n",
            6 - kept,
            6 - kept
        )
    );
}

#[test]
fn slurm_names_the_part_of_a_task() {
    let desk = desk();
    for task in ["10", "12", "14"] {
        let mut command =
            desk.command(PROGRAM, &[&SWEEP[..], &["--shard", "slurm", "--folder", "results"]].concat());
        command.env("SLURM_ARRAY_TASK_ID", task).env("SLURM_ARRAY_TASK_MIN", "10");
        command.env("SLURM_ARRAY_TASK_COUNT", "3").env("SLURM_ARRAY_TASK_STEP", "2");
        let said = desk.finish(command).done().stderr;
        assert!(said.contains("4 of 4 runs done"), "{said}");
    }
    sweep(&desk, &["--merge", "results"]).done();
}

#[test]
fn a_part_that_cannot_be_has_one_message() {
    let desk = desk();
    let refused = |part: &str| sweep(&desk, &["--shard", part, "--folder", "results"]).fails(2).stderr;
    for (part, reason) in [
        ("0/4", "the parts are numbered from 1 to 4, so there is no part 0"),
        ("5/4", "the parts are numbered from 1 to 4, so there is no part 5"),
        ("x", "`x` is not I/N, such as 2/4"),
        ("1/1000000000", "the number of parts is from 1 to 10000, not 1000000000"),
    ] {
        let expected = format!("error: invalid value '{part}' for '--shard <I/N|slurm>': {reason}");
        assert!(refused(part).starts_with(&expected), "{}", refused(part));
    }
    assert_snapshot!(sweep(&desk, &["--shard", "slurm", "--folder", "results"]).complaint(), @"
    failed to find this process's part: SLURM_ARRAY_TASK_ID is not set: this is not a task of a Slurm job array
    help: submit it with `sbatch --array=1-N`, without gaps, or give --shard I/N
    ");
    let mut command =
        desk.command(PROGRAM, &[&SWEEP[..], &["--shard", "slurm", "--folder", "results"]].concat());
    command
        .env("SLURM_ARRAY_TASK_ID", "many")
        .env("SLURM_ARRAY_TASK_MIN", "1")
        .env("SLURM_ARRAY_TASK_COUNT", "2");
    assert_snapshot!(desk.finish(command).complaint(), @"
    failed to find this process's part: SLURM_ARRAY_TASK_ID is `many`, which is not a number of a Slurm job array
    help: submit it with `sbatch --array=1-N`, without gaps, or give --shard I/N
    ");
    assert!(!desk.path("results").exists(), "nothing was begun");
    for arguments in [
        &["--shard", "1/2"][..],
        &["--folder", "results"],
        &["--shard", "1/2", "--folder", "r", "--merge", "r"],
    ] {
        sweep(&desk, arguments).fails(2);
    }
    for arguments in [["--format", "csv"], ["--report", "x.html"], ["--trace", "x.pcapng"]] {
        desk.linerate(
            &[&["model", "load", "x.toml", "--shard", "1/2", "--folder", "r"], &arguments[..]].concat(),
        )
        .fails(2);
    }
}

#[test]
fn a_folder_that_does_not_fit_has_one_message() {
    let desk = desk();
    desk.write("file", "");
    let to = |folder: &str| sweep(&desk, &["--shard", "1/2", "--folder", folder]).complaint();
    assert_snapshot!(to("file"), @"
    failed to write file: it is not a folder
    help: create the folder, free space there, or choose another path
    ");
    assert_snapshot!(to("file/results"), @"
    failed to write file/results: Not a directory (os error 20)
    help: create the folder, free space there, or choose another path
    ");
    assert_snapshot!(sweep(&desk, &["--merge", "none"]).complaint(), @"
    failed to find results in none: no shard has left any there
    help: name the folder that was given with --folder
    ");
    assert_snapshot!(sweep(&desk, &["--merge", "file"]).complaint(), @"
    failed to find results in file: no shard has left any there
    help: name the folder that was given with --folder
    ");
    shard(&desk, "1/2");
    let other = ["model", "load", "x.toml", "--seeds", "2", "--shard", "1/2", "--folder", "results"];
    assert_snapshot!(desk.linerate(&other).complaint(), @"
    failed to use results: these results are of another plan (model load x --sweep frame=64,512,1518 --sweep seed=1,2,3,4)
    help: give another folder; this plan is model load x --seeds 2
    ");
    let claims = ["model", "check", "F001", "--merge", "results"];
    assert!(desk.linerate(&claims).complaint().contains("these results are of another plan"));
    fs::write(desk.path("results/shards.json"), "{").expect("it is ours");
    assert_snapshot!(to("results"), @"
    failed to read results/shards.json: EOF while parsing an object at line 1 column 1
    help: shards write this file and never change it: give another folder
    ");
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    if rustix::process::geteuid().is_root() {
        // Root may write everywhere but where nobody can.
        let said = sweep(&desk(), &["--shard", "1/2", "--folder", "/proc/results"]).complaint();
        assert!(said.starts_with("failed to write /proc/results: "), "{said}");
        return;
    }
    let desk = desk();
    fs::create_dir(desk.path("results")).expect("new");
    fs::set_permissions(desk.path("results"), fs::Permissions::from_mode(0o555)).expect("it is ours");
    let said = sweep(&desk, &["--shard", "1/2", "--folder", "results"]).complaint();
    assert!(said.starts_with("failed to write results: "), "{said}");
}
