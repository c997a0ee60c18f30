//! Experiments on models in parts: several processes, one folder. About 10 s.

use std::fs;

use insta::assert_snapshot;

use super::{experiment, ledger};
use crate::support::process::wait_for;
use crate::support::{Desk, PROGRAM};

/// 2 x 3 cells in 2 blocks: 12 runs of a modelled curve. The first factor is expensive to change.
const PLAN: &str = "goal = 'one-way/peak'\ntask = { pattern = 'one-way', schedule = 'list:64KiB' }\n\
    bench = { model = 'gigabit' }\n[design]\nkind = 'full'\nblocks = 2\n\
    [[factor]]\nname = 'MTU'\nkey = 'model.network.mtu'\nlevels = [1500, 9000]\nhard = true\n\
    [[factor]]\nname = 'cable'\nkey = 'model.network.length-m'\nlevels = [10, 1000, 100000]";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("x.toml", PLAN);
    desk
}

/// How many runs the ledgers of a folder have.
fn runs(desk: &Desk, folder: &str) -> usize {
    let entries = fs::read_dir(desk.path(folder)).expect("the folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text"));
    let ledgers = names.filter(|name| name.starts_with("ledger"));
    ledgers.map(|name| ledger_of(desk, folder, &name)).sum()
}

fn ledger_of(desk: &Desk, folder: &str, name: &str) -> usize {
    let ledger = linerate_analysis::experiment::Ledger::from_lines(&desk.read(&format!("{folder}/{name}")));
    assert!(ledger.unread.is_empty(), "{name}");
    ledger.entries.len()
}

#[test]
fn parts_side_by_side_lose_no_cell_and_find_what_one_process_finds() {
    let desk = desk();
    for folder in ["one", "all"] {
        fs::create_dir(desk.path(folder)).expect("new");
    }
    let one = experiment(&desk, &["x.toml", "--folder", "one/x.experiment", "--quiet"]).done();
    let part = |part: &str| {
        let arguments = ["experiment", "x.toml", "--folder", "all/x.experiment", "--shard", part];
        desk.command(PROGRAM, &arguments).spawn().expect("it starts")
    };
    // Three of four at once; the fourth is lost.
    for mut process in ["1/4", "3/4", "4/4"].map(part) {
        assert!(process.wait().expect("it ends").success());
    }
    assert_eq!(runs(&desk, "all/x.experiment"), 9);
    assert!(!desk.path("all/x.experiment/index.html").exists(), "a part shows nothing");
    let said = experiment(&desk, &["report", "all/x.experiment"]).done().stdout;
    assert!(said.contains("9 of 12 runs"), "{said}");
    let all = experiment(&desk, &["resume", "all/x.experiment", "--quiet"]).done();
    assert_eq!(runs(&desk, "all/x.experiment"), 12);
    assert_eq!(one.stdout, all.stdout);
    let findings = |folder: &str| desk.read(&format!("{folder}/x.experiment/findings.json"));
    assert_eq!(findings("one"), findings("all"));
    assert_eq!(ledger(&desk, "all/x.experiment").entries.len(), 3, "resume ran what was missing");
}

#[test]
fn a_part_that_is_killed_loses_its_run_only_and_goes_on() {
    let desk = desk();
    let arguments = ["experiment", "x.toml", "--shard", "2/2"];
    let mut process = desk.command(PROGRAM, &arguments).spawn().expect("it starts");
    let own = "x.experiment/ledger-2-of-2.jsonl";
    let has = || fs::read_to_string(desk.path(own)).is_ok_and(|text| text.lines().count() >= 2);
    wait_for("two runs", || has().then_some(()));
    process.kill().expect("it runs");
    process.wait().expect("it ends");
    let before = ledger_of(&desk, "x.experiment", "ledger-2-of-2.jsonl");
    let said = desk.linerate(&arguments).done().stderr;
    assert!(said.starts_with("shard 2/2: 6 of 6 runs have a result\n"), "{said}");
    assert!(before >= 2 && ledger_of(&desk, "x.experiment", "ledger-2-of-2.jsonl") == 6, "none twice");
}

#[test]
fn what_has_no_parts_says_so() {
    let desk = desk();
    let refused = |plan: &str, arguments: &[&str]| {
        desk.write("y.toml", plan);
        experiment(&desk, &[&["y.toml", "--shard", "1/2"], arguments].concat()).complaint()
    };
    let elsewhere =
        PLAN.replace("bench = { model = 'gigabit' }", "bench = { lab = 'pair' }").replace("model.", "lab.");
    let elsewhere =
        elsewhere.replace("lab.network.mtu", "lab.mtu").replace("lab.network.length-m", "task.socket.sndbuf");
    assert_snapshot!(refused(&elsewhere, &[]), @"
    failed to run a part of y: its runs are not on a model, and would disturb each other
    help: leave --shard out; it is for experiments on models (--model) whose runs are all known at the beginning
    ");
    let stairs = PLAN.replace("\nhard = true", "");
    let stairs = stairs.replace("kind = 'full'\nblocks = 2", "kind = 'staircase'\npairs = 2\nlooks = 1");
    assert_snapshot!(refused(&stairs, &[]), @"
    failed to run a part of y: its design decides on each run by the results of those before
    help: leave --shard out; it is for experiments on models (--model) whose runs are all known at the beginning
    ");
    let by_hand = PLAN.to_owned()
        + "\n[[factor]]\nname = 'card'\nmanual = 'Put in {level}.'\nlevels = [{ name = 'one' }, { name = 'other' }]";
    assert!(refused(&by_hand, &[]).contains("a person sets levels of it, one after the other"));
    assert!(!desk.path("y.experiment").exists(), "nothing was begun");
    experiment(&desk, &["x.toml", "--shard", "3/2"]).fails(2);
}

#[test]
fn a_folder_of_another_plan_or_in_use_is_refused() {
    let desk = desk();
    experiment(&desk, &["x.toml", "--shard", "1/12"]).done();
    desk.write("y.toml", PLAN.replace("blocks = 2", "blocks = 3"));
    assert_snapshot!(experiment(&desk, &["y.toml", "--shard", "1/12", "--folder", "x.experiment"]).complaint(), @"
    failed to use x.experiment: these results are of another plan
    help: give another folder with --folder; or run the plan there without --shard first
    ");
    let folder = desk.path("x.experiment");
    let locked = |name: &str| fs::File::open(folder.join(name)).and_then(|file| file.lock().map(|()| file));
    let held = locked("ledger.jsonl").expect("nobody has it");
    let said = experiment(&desk, &["x.toml", "--shard", "2/12"]).complaint();
    assert!(said.contains("another process runs this experiment as a whole"), "{said}");
    drop(held);
    let held = locked("ledger-1-of-12.jsonl").expect("nobody has it");
    let said = experiment(&desk, &["resume", "x.experiment", "--shard", "1/12"]).complaint();
    assert!(said.contains("another process runs shard 1/12 of this experiment"), "{said}");
    experiment(&desk, &["resume", "x.experiment", "--shard", "2/12"]).done();
    drop(held);
}
