//! `linerate experiment`: plans, the ledger, designs, commands, models. What it sets on hosts is in `experiment_hosts`.
//!
//! About 20 s in all: most cells are programs that end at once.

mod shards;

use std::fs;

use insta::assert_snapshot;
use linerate_analysis::experiment::{Ledger, Outcome};
use rustix::process::Signal;
use serde_json::Value;

use crate::support::process::wait_for;
use crate::support::{Desk, Said, unfolded};

/// A program whose number is known: the level of `base`, and 10 more with the level `on`.
pub(crate) const KNOWN: &str = r#"
about = "a test"
seed = 1
goal = "number"

[command]
run = ["sh", "-c", "echo number $(( {base} + {more} ))"]
metric.number = { pattern = "number ([0-9]+)", unit = "u" }

[design]
kind = "full"
blocks = 3

[[factor]]
name = "base"
levels = [100, 200]

[[factor]]
name = "more"
levels = [{ name = "off", value = 0 }, { name = "on", value = 10 }]
"#;

fn ledger(desk: &Desk, folder: &str) -> Ledger {
    Ledger::from_lines(&desk.read(&format!("{folder}/ledger.jsonl")))
}

fn findings(desk: &Desk, folder: &str) -> Value {
    serde_json::from_str(&desk.read(&format!("{folder}/findings.json"))).expect("JSON")
}

fn experiment(desk: &Desk, arguments: &[&str]) -> Said {
    desk.linerate(&[&["experiment"], arguments].concat())
}

#[test]
fn every_design_of_init_can_be_planned() {
    let desk = Desk::new();
    for design in ["full", "staircase", "highest-load", "smallest", "command"] {
        let plan = experiment(&desk, &["init", design]).done().stdout;
        assert!(plan.lines().any(|line| line.starts_with('#')), "it has comments: {plan}");
        desk.write("plan.toml", plan);
        let dry = experiment(&desk, &["plan.toml", "--dry-run"]).done().stdout;
        assert!(dry.contains("runs"), "{dry}");
    }
    assert!(!desk.path("plan.experiment").exists(), "a dry run writes nothing");
}

#[test]
fn a_dry_run_shows_cells_order_and_time() {
    let desk = Desk::new();
    let text = experiment(&desk, &["init"]).done().stdout.replace("blocks = 4", "blocks = 1");
    desk.write("mine.toml", text);
    assert_snapshot!(experiment(&desk, &["mine.toml", "--dry-run"]).done().stdout, @r"
    mine: does the MTU matter, and does the socket buffer?
    design full, seed 1

      MTU: 1500, 9000
      buffer: 64KiB, large

    4 cells, 1 blocks, 4 runs
    about 12 s, of 3 s each and what connecting takes

       1  block 1  MTU = 9000, buffer = 64KiB
       2  block 1  MTU = 1500, buffer = 64KiB
       3  block 1  MTU = 1500, buffer = large
       4  block 1  MTU = 9000, buffer = large
    ");
}

#[test]
fn every_shipped_experiment_is_listed_shown_and_can_be_planned() {
    let desk = Desk::new();
    let listed = experiment(&desk, &["list"]).done().stdout;
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plans/experiments");
    assert_eq!(names.len(), fs::read_dir(folder).expect("they are committed").count(), "{listed}");
    for name in names {
        let shown = experiment(&desk, &["show", name]).done().stdout;
        assert!(shown.contains("[[factor]]"), "{shown}");
        experiment(&desk, &[name, "--dry-run"]).done();
    }
    assert_snapshot!(experiment(&desk, &["show", "no-such"]).complaint(), @r"
    failed to find the experiment `no-such`: it is no shipped experiment
    help: `linerate experiment list` names the experiments that come with linerate
    ");
}

#[test]
fn what_is_measured_is_kept_and_not_run_again() {
    let desk = Desk::new();
    desk.write("known.toml", KNOWN);
    experiment(&desk, &["known.toml"]).done();
    let first = ledger(&desk, "known.experiment");
    assert_eq!(first.entries.len(), 12);
    let found = findings(&desk, "known.experiment");
    let values: Vec<f64> = found["figures"][0]["cells"]
        .as_array()
        .expect("cells")
        .iter()
        .map(|cell| cell["value"].as_f64().expect("a number"))
        .collect();
    for (value, expected) in values.iter().zip([100.0, 110.0, 200.0, 210.0]) {
        assert!((value - expected).abs() < 1e-9, "{values:?}");
    }
    assert_eq!(
        found["cells"][found["figures"][0]["best"]["cell"].as_u64().expect("one") as usize]["name"],
        "base = 200, more = on"
    );
    assert!(desk.read("known.experiment/index.html").contains("<svg"));

    experiment(&desk, &["known.toml"]).done();
    assert_eq!(ledger(&desk, "known.experiment"), first, "nothing is run twice");

    // A level that is added later asks for its own cells only.
    desk.write("known.toml", KNOWN.replace("levels = [100, 200]", "levels = [100, 200, 300]"));
    experiment(&desk, &["known.toml"]).done();
    let more = ledger(&desk, "known.experiment");
    assert_eq!(more.entries.len(), 18);
    assert_eq!(more.entries[..12], first.entries);
    assert!(more.entries[12..].iter().all(|entry| entry.levels["base"] == "300"));

    // Another task is another cell; what was measured of the first stays, and is not mixed in.
    desk.write("known.toml", KNOWN.replace("echo number", "echo the number"));
    experiment(&desk, &["known.toml"]).done();
    assert_eq!(ledger(&desk, "known.experiment").entries.len(), 30);
    let said = experiment(&desk, &["report", "known.experiment"]).done().stdout;
    let words = unfolded(&said);
    assert!(words.contains("18 runs of an earlier form of the plan are left out"), "{said}");
}

#[test]
fn two_cells_under_the_same_conditions_are_measured_apart() {
    let desk = Desk::new();
    let twins = KNOWN.replace(
        "levels = [100, 200]",
        "levels = [{ name = 'a', value = 100 }, { name = 'b', value = 100 }]",
    );
    desk.write("twins.toml", twins);
    experiment(&desk, &["twins.toml"]).done();
    let kept = ledger(&desk, "twins.experiment").entries;
    assert_eq!(kept.len(), 12);
    let files: std::collections::BTreeSet<_> =
        kept.iter().map(|entry| format!("{:?}", entry.outcome)).collect();
    assert_eq!(files.len(), 12, "each has a file of its own");
    assert_eq!(findings(&desk, "twins.experiment")["cells"].as_array().map(Vec::len), Some(4));
}

#[test]
fn a_factor_that_comes_later_had_its_base() {
    let desk = Desk::new();
    let one = "task = { schedule = 'list:64' }\nbench = { model = 'gigabit' }\n[design]\nkind = 'full'\n\
        [[factor]]\nname = 'MTU'\nkey = 'model.network.mtu'\nlevels = [1500, 9000]\n";
    desk.write("later.toml", one);
    experiment(&desk, &["later.toml"]).done();
    let first = ledger(&desk, "later.experiment").entries;
    assert_eq!(first.len(), 2);
    let other = "[[factor]]\nname = 'cable'\nlevels = [{ name = 'as it is' }, { name = 'long', set = { 'model.network.length-m' = 1000 } }]\n";
    desk.write("later.toml", format!("{one}{other}"));
    experiment(&desk, &["later.toml"]).done();
    let all = ledger(&desk, "later.experiment").entries;
    assert_eq!((all.len(), &all[..2]), (4, &first[..]), "only the other cable is measured");
    assert_eq!(findings(&desk, "later.experiment")["done"], 4);
}

#[test]
fn a_cell_that_fails_is_named_and_the_rest_goes_on() {
    let desk = Desk::new();
    let broken = KNOWN
        .replace("echo number $(( {base} + {more} ))", "test {base} = 100 || exit 3; echo number {more}5");
    desk.write("broken.toml", &broken);
    let said = experiment(&desk, &["broken.toml"]).fails(1).stderr;
    assert!(said.contains("! base = 200, more = off: failed to run to its end: exit status: 3"), "{said}");
    assert!(
        said.contains("6 runs failed; `linerate experiment resume broken.experiment` tries them again"),
        "{said}"
    );
    let kept = ledger(&desk, "broken.experiment");
    let failed = kept.entries.iter().filter(|entry| matches!(entry.outcome, Outcome::Failed(_))).count();
    assert_eq!((kept.entries.len(), failed), (12, 6));
    // It works now: only what failed is run.
    desk.write("broken.experiment/plan.toml", broken.replace("test {base} = 100 || exit 3; ", ""));
    desk.write("stop.toml", broken.replace("[design]", "[budget]\non-failure = 'stop'\n\n[design]"));
    let said = experiment(&desk, &["stop.toml"]).fails(1).stderr;
    assert!(said.contains("stopped, because a run failed"), "{said}");
    assert!(ledger(&desk, "stop.experiment").entries.len() < 12);
}

#[test]
fn output_without_the_number_and_a_program_that_is_not_there_are_failures() {
    let desk = Desk::new();
    desk.write("words.toml", KNOWN.replace("echo number", "echo count"));
    let said = experiment(&desk, &["words.toml"]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("read the metric number: it is not in the output"), "{}", said.stderr);
    assert!(said.stderr.contains("failed to measure any cell: every run failed"), "{}", said.stderr);
    desk.write("gone.toml", KNOWN.replace("\"sh\"", "\"no-such-program\""));
    let said = experiment(&desk, &["gone.toml"]);
    assert!(said.stderr.contains("failed to start no-such-program"), "{}", said.stderr);
}

#[test]
fn a_run_that_takes_too_long_is_ended_and_has_failed() {
    let desk = Desk::new();
    let slow = KNOWN.replace("echo number", "test {more} = 0 || sleep 60; echo number");
    desk.write(
        "slow.toml",
        slow.replace("[design]", "[budget]\ncell = '300ms'\n\n[design]").replace("blocks = 3", "blocks = 1"),
    );
    let said = experiment(&desk, &["slow.toml"]).fails(1).stderr;
    assert!(said.contains("base = 100, more = on: failed to end within 0 s"), "{said}");
}

#[test]
fn an_experiment_that_is_killed_goes_on_where_it_was() {
    let desk = Desk::new();
    desk.write("known.toml", KNOWN.replace("echo number", "sleep 0.2; echo number"));
    let mut running = desk.start(&["experiment", "known.toml"]);
    let path = desk.path("known.experiment/ledger.jsonl");
    let lines = || fs::read_to_string(&path).map_or(0, |text| text.lines().count());
    wait_for("some runs", || (lines() >= 3).then_some(()));
    running.signal(Signal::KILL);
    running.wait(std::time::Duration::from_secs(5));
    let kept = ledger(&desk, "known.experiment").entries;
    assert!((3..12).contains(&kept.len()), "{}", kept.len());
    // The last line is torn, as by a crash of the host.
    fs::write(&path, desk.read("known.experiment/ledger.jsonl") + "{\"conditions\":\"12").expect("written");
    experiment(&desk, &["resume", "known.experiment"]).done();
    let all = ledger(&desk, "known.experiment");
    assert_eq!((all.entries.len(), all.unread.len()), (12, 1));
    assert_eq!(all.entries[..kept.len()], kept);
}

#[test]
fn when_its_time_is_over_it_begins_no_run() {
    let desk = Desk::new();
    desk.write("known.toml", KNOWN.replace("echo number", "sleep 0.2; echo number"));
    let said = experiment(&desk, &["known.toml", "--time", "500ms"]).fails(1).stderr;
    let done = ledger(&desk, "known.experiment").entries.len();
    assert!((1..12).contains(&done), "{done}");
    assert!(said.contains(&format!("its time is over with {} runs to go", 12 - done)), "{said}");
}

#[test]
fn a_plan_that_takes_thirty_days_asks_first() {
    let desk = Desk::new();
    desk.write(
        "long.toml",
        "task = { time = '1h' }\n[design]\nkind = 'full'\nblocks = 360\n[[factor]]\nname = 'seed'\nkey = 'task.seed'\nlevels = [1, 2]",
    );
    assert_snapshot!(experiment(&desk, &["long.toml"]).complaint(), @r"
    failed to begin long: its runs ask for 30.0 days
    help: use fewer levels, blocks or a shorter task.time; or say how long it may take with --time or budget.time, and go on later with `linerate experiment resume`
    ");
}

#[test]
fn plans_that_make_no_sense_are_refused_with_what_to_do() {
    let desk = Desk::new();
    desk.write("bad.toml", "[[factor]]\nname = 'MTU'\nkey = 'mtu'\nlevels = [1500, 9000]");
    assert_snapshot!(experiment(&desk, &["bad.toml"]).complaint(), @r"
    failed to plan the experiment bad.toml: factor MTU: 'mtu' is no key; write task.KEY, model, model.KEY, lab, lab.KEY, here.SETTING or there.SETTING, such as task.socket.sndbuf or here.mtu
    help: correct the plan; `linerate experiment init` prints one with comments
    ");
    desk.write("bad.toml", "[[factor]]\nname = 'x'\nkey = 'task.nosuchkey'\nlevels = [1, 2]");
    let said = experiment(&desk, &["bad.toml"]).complaint();
    assert!(
        said.contains("failed to plan the cell x = 1: the task cannot be read: unknown field `nosuchkey`"),
        "{said}"
    );
    desk.write(
        "bad.toml",
        "[bench]\nmodel = 'gigabit'\n[[factor]]\nname = 'x'\nkey = 'model.nosuchkey'\nlevels = [1, 2]",
    );
    let said = experiment(&desk, &["bad.toml"]).complaint();
    assert!(said.starts_with("failed to find the key `nosuchkey` in the plan"), "{said}");
    desk.write(
        "bad.toml",
        "[bench]\nlab = 'pair'\n[[factor]]\nname = 'x'\nkey = 'lab.mtu'\nlevels = [1500, 10]",
    );
    let said = experiment(&desk, &["bad.toml"]).complaint();
    assert!(said.starts_with("failed to plan the cell x = 10: the laboratory cannot be made: "), "{said}");
    desk.write(
        "bad.toml",
        "[design]\nkind = 'two-level'\n[[factor]]\nname = 'x'\nkey = 'task.seed'\nlevels = [1, 2, 3]",
    );
    let said = experiment(&desk, &["bad.toml"]).complaint();
    assert!(said.starts_with("failed to plan the design two-level: "), "{said}");
    assert!(experiment(&desk, &["no-such"]).complaint().contains("neither a shipped experiment nor a file"));
    assert!(
        experiment(&desk, &["resume", "no-such"]).complaint().contains("failed to read no-such/plan.toml")
    );
    assert!(
        experiment(&desk, &["report", "no-such"]).complaint().contains("name the folder of an experiment")
    );
}

#[test]
fn two_experiments_on_one_host_are_one_too_many() {
    let desk = Desk::new();
    desk.write("one.toml", KNOWN.replace("echo number", "sleep 1; echo number"));
    desk.write("other.toml", KNOWN);
    let running = desk.start(&["experiment", "one.toml"]);
    wait_for("the first", || desk.path("one.experiment/runs").exists().then_some(()));
    wait_for("a run of it", || {
        (fs::read_dir(desk.path("one.experiment/runs")).ok()?.count() > 0).then_some(())
    });
    let said = experiment(&desk, &["other.toml"]).complaint();
    let pid = running.pid().as_raw_nonzero();
    assert_eq!(
        said,
        format!(
            "failed to change settings: process {pid} does so in this network namespace: experiment one\n\
             help: wait until process {pid} has ended; it puts its settings back"
        )
    );
    let said = experiment(&desk, &["one.toml"]).complaint();
    assert!(said.starts_with("failed to use one.experiment: another process runs this experiment"), "{said}");
}

#[test]
fn a_person_is_asked_and_the_environment_is_checked() {
    let desk = Desk::new();
    let by_hand = KNOWN.replace(
        "levels = [100, 200]",
        "manual = 'Put the {level} card in.'\nlevels = [{ name = 'old', value = 100 }, { name = 'new', value = 200 }]",
    );
    desk.write("card.toml", by_hand.replace("blocks = 3", "blocks = 1"));
    let said = experiment(&desk, &["card.toml"]).fails(1).stderr;
    assert!(said.contains("the next level is set by a person:"), "{said}");
    let first = if said.contains("Put the old card in.") { "old" } else { "new" };
    assert!(!desk.path("card.experiment/index.html").exists(), "nothing is measured yet");
    let said = experiment(&desk, &["resume", "card.experiment"]).fails(1).stderr;
    let second = if first == "old" { "new" } else { "old" };
    assert!(said.contains(&format!("Put the {second} card in.")), "{said}");
    assert_eq!(ledger(&desk, "card.experiment").entries.len(), 2, "both cells of the first card");
    experiment(&desk, &["resume", "card.experiment"]).done();
    assert_eq!(ledger(&desk, "card.experiment").entries.len(), 4);

    // A run whose environment is not what the level says does not count.
    desk.write(
        "kernel.toml",
        "task = { schedule = 'list:64', time = '100ms' }\n[design]\nkind = 'full'\nblocks = 1\n[[factor]]\nname = 'kernel'\nmanual = 'Start {level}.'\n\
         levels = [{ name = 'one', expect = { 'initiator kernel' = 'no such kernel' } }, { name = 'other', expect = { 'initiator kernel' = 'no such kernel' } }]",
    );
    experiment(&desk, &["kernel.toml"]).fails(1);
    let said = experiment(&desk, &["resume", "kernel.experiment"]);
    assert!(
        said.stderr.contains("failed to find the level in force: initiator kernel is"),
        "{}",
        said.stderr
    );
}

#[test]
fn a_modelled_experiment_is_exact_and_a_staircase_climbs() {
    let desk = Desk::new();
    let plan = "goal = 'one-way/peak'\ntask = { pattern = 'one-way', schedule = 'list:64KiB,1MiB' }\nbench = { model = 'gigabit' }\n\
        [design]\nkind = 'staircase'\npairs = 2\nlooks = 1\n\
        [[factor]]\nname = 'MTU'\nkey = 'model.network.mtu'\nlevels = [1500, 9000]\n\
        [[factor]]\nname = 'cable'\nkey = 'model.network.length-m'\nlevels = [10, 100000]";
    desk.write("climb.toml", plan);
    let said = experiment(&desk, &["climb.toml"]).done().stdout;
    let way = &findings(&desk, "climb.experiment")["way"]["staircase"];
    let steps = way["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 2, "{said}");
    assert_eq!((&steps[0]["verdict"], &steps[1]["verdict"]), (&"kept".into(), &"worse".into()), "{said}");
    // 8948 of 9038 B instead of 1448 of 1538.
    let ratio = steps[0]["effect"].as_f64().expect("a ratio");
    assert!((ratio - 8948.0 / 9038.0 / (1448.0 / 1538.0)).abs() < 0.01, "{ratio}");
    let total = way["total"]["effect"].as_f64().expect("a ratio");
    assert!((total / ratio - 1.0).abs() < 1e-9, "the total is that of the one change that was kept");
    // What was measured is told again, and nothing is run.
    let before = ledger(&desk, "climb.experiment");
    experiment(&desk, &["resume", "climb.experiment"]).done();
    assert_eq!(ledger(&desk, "climb.experiment"), before);
}

#[test]
fn searches_find_what_is_there() {
    let desk = Desk::new();
    let search = KNOWN.replace("kind = \"full\"\nblocks = 3", "kind = 'smallest'\nkeep = 0.9\nrepeats = 2");
    let (head, _) = search.split_once("[[factor]]").expect("factors");
    // 1000 from 64 on, and half of that below.
    let head =
        head.replace("$(( {base} + {more} ))", "$(( {buffer} < 64 ? 500 + {buffer} : 1000 + {buffer} % 3 ))");
    desk.write("smallest.toml", head + "[[factor]]\nname = 'buffer'\nlevels = [8, 16, 32, 64, 128, 256]");
    experiment(&desk, &["smallest.toml"]).done();
    assert_eq!(findings(&desk, "smallest.experiment")["way"]["search"]["answer"], "64");
    // Loss is what datagrams have: a command has none, and says what it has.
    let plan = fs::read_to_string(desk.path("smallest.toml")).expect("written");
    desk.write("loss.toml", plan.replace("kind = 'smallest'\nkeep = 0.9", "kind = 'highest-load'"));
    let said = experiment(&desk, &["loss.toml"]).complaint();
    assert!(
        said.starts_with("failed to search by loss: the run does not say what was lost; it has number"),
        "{said}"
    );
}

#[test]
fn reports_are_written_in_every_form() {
    let desk = Desk::new();
    desk.write("known.toml", KNOWN);
    experiment(&desk, &["known.toml", "--quiet"]).done();
    let to = |file: &str| experiment(&desk, &["report", "known.experiment", "--report", file]);
    to("x.json").done();
    to("x.csv").done();
    to("x.html").done();
    let mut rows = csv::Reader::from_path(desk.path("x.csv")).expect("CSV");
    assert_eq!(rows.records().count(), 12);
    let value: Value = serde_json::from_str(&desk.read("x.json")).expect("JSON");
    assert_eq!(value["name"], "known");
    assert!(to("x.pdf").complaint().contains("end the file's name in .html, .json or .csv"));
}

#[test]
fn runs_are_labelled_and_recorded_in_the_history() {
    let desk = Desk::new();
    desk.write(
        "seeds.toml",
        "task = { schedule = 'list:64,1024' }\nbench = { model = 'gigabit' }\n[design]\nkind = 'full'\n[[factor]]\nname = 'MTU'\nkey = 'model.network.mtu'\nlevels = [1500, 9000]",
    );
    desk.linerate(&["experiment", "seeds.toml", "--record", "--history", "h.db"]).done();
    desk.linerate(&["history", "export", "--history", "h.db", "--out", "rows.csv"]).done();
    assert!(desk.read("rows.csv").contains("ping-pong/peak"), "{}", desk.read("rows.csv"));
    let kept = ledger(&desk, "seeds.experiment");
    let Outcome::Run(file) = &kept.entries[0].outcome else { panic!("a run") };
    let shown = desk.linerate(&["report", &format!("seeds.experiment/{file}")]).done().stdout;
    assert!(!shown.is_empty());
}

#[test]
fn the_same_plan_runs_on_another_bench() {
    let desk = Desk::new();
    desk.write(
        "sizes.toml",
        "goal = 'one-way/peak'\ntask = { pattern = 'one-way' }\nbench = { lab = 'pair' }\n[design]\nkind = 'full'\n\
         [[factor]]\nname = 'size'\nkey = 'task.schedule'\nlevels = ['list:1KiB', 'list:64KiB']",
    );
    experiment(&desk, &["sizes.toml", "--model", "lab:slow-port"]).done();
    let found = findings(&desk, "sizes.experiment");
    assert_eq!(found["bench"], "on the model lab:slow-port");
    let peak = found["figures"][0]["cells"][1]["value"].as_f64().expect("a number");
    // 100BASE-TX, 1448 of 1538 B.
    assert!((peak - 94.1).abs() < 0.5, "{peak}");
    // The folder remembers it.
    experiment(&desk, &["resume", "sizes.experiment"]).done();
    assert_eq!(ledger(&desk, "sizes.experiment").entries.len(), 2);
    let said = experiment(&desk, &["mtu-and-buffer", "--lab", "pair", "--dry-run"]).complaint();
    assert!(said.contains("the experiment has no model; name one under [bench]"), "{said}");
}
