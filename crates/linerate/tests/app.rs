//! `linerate app`: ranks here, as threads, by an agent, on servers, by a launcher and on a model. About 40 s.

mod physics;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use linerate_core::app::{AppCase, AppRun};
use linerate_core::caution::Caution;
use linerate_core::run::{Run, Source, State};
use rstest::rstest;
use rustix::process::Signal;

use crate::support::process::{Process, wait_for};
use crate::support::server::Server;
use crate::support::{Desk, PATIENCE, PROGRAM, Said};

/// An application that is short on any number of ranks up to four.
const SHORT: [(&str, &[&str]); 4] = [
    ("hint", &["largest=2048", "trials=1", "run-time=1ms"]),
    ("photon", &["scene=small-room", "photons=20000"]),
    ("md", &["steps=20", "cells=6,6,6"]),
    ("tbmd", &["cells=1,1,1", "steps=3"]),
];
const FILES: [&str; 3] = ["--out", "x.run.json", "--no-report"];

fn app(desk: &Desk, name: &str, options: &[&str]) -> Said {
    let own = SHORT.iter().find(|(short, _)| *short == name).map_or(&[][..], |(_, own)| own);
    desk.linerate(&[&["app", name], own, options, &FILES].concat())
}

/// The application of a run that went to its end, and whose results are right.
#[track_caller]
fn whole(run: &Run) -> &AppRun {
    assert_eq!(run.state, State::Complete);
    let app = run.app.as_ref().expect("an application");
    for case in &app.cases {
        assert_eq!(case.accounts.len(), case.ranks as usize);
        assert!(case.merit > 0.0 && case.seconds() > 0.0 && !case.checks.is_empty(), "{case:?}");
        assert_eq!(case.failed_checks().next(), None);
    }
    app
}

fn ranks(app: &AppRun) -> Vec<u32> {
    app.cases.iter().map(|case| case.ranks).collect()
}

/// What each rank sent to each: messages and bytes.
fn sent(case: &AppCase) -> Vec<(Vec<u64>, Vec<u64>)> {
    case.accounts.iter().map(|account| (account.messages.clone(), account.bytes.clone())).collect()
}

const SWITCH: &str = "[network]\nmedium = 'ethernet'\ntopology = 'switch'\nstations = 4\nqueue = '1MiB'\n";

#[rstest]
fn an_application_sends_the_same_over_tcp_and_on_a_model(
    #[values("hint", "photon", "md", "tbmd")] name: &str,
) {
    let desk = Desk::new();
    app(&desk, name, &["--ranks", "3", "--repeat", "2"]).done();
    let measured = desk.run_file("x.run.json");
    let here = whole(&measured);
    assert_eq!((ranks(here), &measured.source), (vec![1, 2, 3, 1, 2, 3], &Source::Loopback));
    assert_eq!((here.cost, here.ranks.len(), measured.nodes.len()), (None, 3, 1));
    assert!(measured.cautions.contains(&Caution::RanksShareHost { ranks: 3, of: 3 }));
    assert!(here.cases[0].communication_share() < 0.01, "one rank has nobody to talk to");
    let one = &measured.plan.app().expect("its plan").options;
    assert!(one.len() > 8, "every default is filled in: {one:?}");

    desk.write("sw.toml", SWITCH);
    let model = ["--model", "sw.toml", "--ranks", "3", "--unit-cost", "50ns", "--force"];
    app(&desk, name, &model).done();
    let modelled = desk.run_file("x.run.json");
    let there = whole(&modelled);
    assert_eq!(ranks(there), [1, 2, 3], "a model is asked once");
    let cost = there.cost.expect("a model has one");
    assert_eq!((cost.unit_ps, cost.measured), (50_000.0, false));
    // HINT sums once more each time that it is patient, and so often as time has it.
    if name != "hint" {
        for (one, other) in here.cases.iter().zip(&there.cases) {
            assert_eq!(sent(one), sent(other), "{name} on {} ranks", one.ranks);
        }
    }
    let alone = &there.cases[0];
    assert_eq!((alone.communication_share(), alone.messages()), (0.0, 0));
    app(&desk, name, &model).done();
    assert_eq!(desk.run_file("x.run.json").app, modelled.app, "a model gives the same again");
}

#[test]
fn ranks_are_threads_where_asked() {
    let desk = Desk::new();
    app(&desk, "md", &["--ranks", "2", "--threads", "--repeat", "1"]).done();
    let run = desk.run_file("x.run.json");
    assert_eq!((ranks(whole(&run)), run.nodes.len()), (vec![1, 2], 1));
}

#[test]
fn an_agent_starts_ranks_and_servers_are_ranks() {
    let desk = Desk::new();
    let path = desk.path("agent");
    desk.write("agent", "#!/bin/sh\nshift\nexec sh -c \"$*\"\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let agent = path.display().to_string();
    let hosts = ["--hosts", "a,b", "--agent", &agent, "--program", PROGRAM, "--repeat", "1"];
    app(&desk, "photon", &hosts).done();
    let run = desk.run_file("x.run.json");
    let names: Vec<&str> = whole(&run).ranks.iter().map(|rank| rank.name.as_str()).collect();
    assert_eq!((names, &run.source), (vec!["a", "b"], &Source::Measured));

    desk.write("key", "fdpk-33wq-mtzx-2345");
    let servers = [(), ()].map(|()| Server::start(&desk, &["--key-file", "key", "--max-memory", "64MiB"]));
    let list = servers.each_ref().map(|server| server.address.as_str()).join(",");
    let with = ["--servers", &list, "--key-file", "key", "--repeat", "1", "--force"];
    app(&desk, "md", &with).done();
    assert_eq!(ranks(whole(&desk.run_file("x.run.json"))), [1, 2]);
    let much = [&["cells=60,60,60"], &with[..]].concat();
    let refused = app(&desk, "md", &much).fails(2).stderr;
    assert!(refused.contains("more than this server's 64 MiB of memory"), "{refused}");
}

#[test]
fn ranks_of_a_launcher_meet_and_rank_0_has_the_result() {
    let desk = Desk::new();
    let start = |rank: usize| {
        let own = ["app", "md", "cells=5,5,5", "steps=5", "--repeat", "1"];
        let mut command = desk.command(PROGRAM, &[&own[..], &FILES].concat());
        for name in ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_NAMESPACE"] {
            command.env_remove(name);
        }
        command.envs([
            ("SLURM_JOB_ID", "7"),
            ("SLURM_STEP_ID", "0"),
            ("SLURM_NNODES", "2"),
            ("SLURM_NTASKS", "2"),
        ]);
        command.env("SLURM_PROCID", rank.to_string());
        Process::start(command)
    };
    let said: Vec<Said> = [start(0), start(1)].map(|rank| rank.finish().done()).into();
    assert!(!said[0].stdout.is_empty() && said[1].stdout.is_empty());
    assert_eq!(ranks(whole(&desk.run_file("x.run.json"))), [1, 2]);
}

/// What it runs for long, with a case that is short before.
fn long(desk: &Desk) -> Process {
    let own = [
        "app",
        "md",
        "cells=8,8,8",
        "steps=200000",
        "--ranks",
        "2",
        "--speed-up",
        "2",
        "--out",
        "x.run.json",
    ];
    desk.start(&[&own[..], &["--no-report", "--progress", "ndjson"]].concat())
}

#[test]
fn ctrl_c_keeps_what_was_done() {
    let desk = Desk::new();
    let mut running = long(&desk);
    running.stderr.until(|line| line.contains("\"work\""));
    running.press_ctrl_c();
    assert_eq!(running.wait(PATIENCE).code(), Some(2));
    let run = desk.run_file("x.run.json");
    assert_eq!(run.state, State::Interrupted);
    let [case] = &run.app.as_ref().expect("an application").cases[..] else { panic!("one case") };
    assert!(case.interrupted && case.merit > 0.0);
}

#[test]
fn a_rank_that_is_killed_is_named() {
    let desk = Desk::new();
    let mut running = long(&desk);
    running.stderr.until(|line| line.contains("\"work\""));
    let children = fs::read_dir("/proc").expect("proc").flatten().filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse::<i32>().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let parent = stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse::<i32>().ok()?;
        (parent == running.pid().as_raw_nonzero().get()).then_some(pid)
    });
    let last = children.max().and_then(rustix::process::Pid::from_raw).expect("it has started ranks");
    rustix::process::kill_process(last, Signal::KILL).expect("it is ours");
    assert_eq!(running.wait(PATIENCE).code(), Some(2));
    let run = desk.run_file("x.run.json");
    let State::Failed(reason) = &run.state else { panic!("{:?}", run.state) };
    assert!(reason.contains("reach rank"), "{reason}");
}

#[test]
fn what_it_shows_is_written() {
    let desk = Desk::new();
    app(&desk, "photon", &["--repeat", "1", "--ranks", "2", "--show", "room.png"]).done();
    let picture = fs::read(desk.path("room.png")).expect("a picture");
    assert!(picture.starts_with(b"\x89PNG"));
    app(&desk, "tbmd", &["--repeat", "1", "--ranks", "2", "--show", "c.xyz", "--force"]).done();
    let frames = desk.read("c.xyz");
    assert_eq!(frames.matches("Properties=species:S:1:pos:R:3").count(), 3, "a frame for each step");
    let scene = include_str!("../../linerate-apps/scenes/two-plates.toml");
    desk.write("mine.toml", scene.replace("two plates", "mine"));
    app(&desk, "photon", &["scene=mine.toml", "--ranks", "1", "--repeat", "1", "--force"]).done();
    let options = desk.run_file("x.run.json").plan.app().expect("its plan").options.clone();
    assert_eq!(options["own-scene"]["name"], "mine");
    desk.write("dark.toml", scene.replace("power = ", "power = 0.0 # "));
    let said = app(&desk, "photon", &["scene=dark.toml", "--force"]).complaint();
    assert!(said.starts_with("failed to"), "{said}");
    let said = app(&desk, "photon", &["scene=none.toml", "--force"]).complaint();
    assert!(said.starts_with("failed to read the scene none.toml"), "{said}");
    let said = app(&desk, "hint", &["--show", "x.png", "--force"]).complaint();
    assert!(said.starts_with("failed to show hint"), "{said}");
    let said = app(&desk, "photon", &["--show", "x.svg", "--force"]).complaint();
    assert!(said.contains("it is a .png"), "{said}");
}

#[test]
fn a_wrong_result_is_a_finding() {
    let desk = Desk::new();
    // Lists that are used for so long miss pairs, and nobody looks whether they do.
    let careless = ["check-moved=false", "rebuild=200", "steps=100", "skin=0.1"];
    let said = app(&desk, "md", &[&careless[..], &["--ranks", "1", "--repeat", "1"]].concat()).fails(1);
    let run = desk.run_file("x.run.json");
    let failed = run.app.as_ref().expect("an application").cases[0].failed_checks().count();
    assert!(failed > 0, "{}", said.stdout);
}

#[test]
fn a_plan_is_printed_and_run_again() {
    let desk = Desk::new();
    let printed = app(&desk, "md", &["--speed-up", "1,2", "--print-plan"]).done().stdout;
    desk.write("plan.toml", &printed);
    let again = desk.linerate(&["app", "--plan", "plan.toml", "--print-plan"]).done().stdout;
    let plan = |text: &str| linerate_core::plan::Plan::from_toml(text).expect("a plan");
    assert_eq!(plan(&printed), plan(&again));
    let files = ["--repeat", "1", "--out", "x.run.json", "--no-report"];
    desk.linerate(&[&["app", "--plan", "plan.toml", "steps=4"], &files[..]].concat()).done();
    let run = desk.run_file("x.run.json");
    assert_eq!(run.plan.app().expect("its plan").options["steps"], 4);
    let said = desk.linerate(&["mesh", "--plan", "plan.toml"]).complaint();
    assert!(said.starts_with("failed to measure a mesh: the plan asks for [app]"), "{said}");
}

#[test]
fn what_cannot_be_done_is_one_clear_sentence() {
    let desk = Desk::new();
    desk.write("sw.toml", SWITCH);
    desk.write("np.toml", "[output]\nformat = 'np'\n[app]\nname = 'md'");
    for (arguments, expected) in [
        (&["app", "mud"][..], "failed to find the application `mud`: there are hint, photon, md, tbmd"),
        (&["app", "md", "stepz=3"], "failed to understand stepz=3 of md: unknown field `stepz`"),
        (&["app", "md", "steps=soon"], "failed to understand steps=soon of md: invalid type"),
        (&["app", "md", "cells=2,2,2"], "failed to calculate in a box with a side of"),
        (&["app", "tbmd", "charge=1"], "failed to put 255 electrons"),
        (&["app", "photon", "photons=0"], "failed to trace photons with 0 photons"),
        (&["app", "hint", "growth=1"], "failed to grow by a factor of 1"),
        (&["app", "tbmd", "distribution=summa", "--ranks", "2"], "failed to stand 2 ranks in a square"),
        (&["app", "md", "--ranks", "2", "--speed-up", "1,3"], "speed-up is 3, of 2 ranks"),
        (
            &["app", "md", "--model", "sw.toml", "--ranks", "9"],
            "failed to have 9 ranks: the model has 4 stations",
        ),
        (&["app", "--plan", "np.toml"], "failed to choose a format: np holds only curves"),
    ] {
        let said = desk.linerate(arguments);
        let complaint = said.complaint();
        assert!(complaint.contains(expected), "{arguments:?}: {complaint}");
        assert!(!desk.path("x.run.json").exists());
    }
    let said = desk.linerate(&["app"]).stderr;
    assert!(said.contains("<NAME>") || said.contains("required"), "{said}");
}

#[test]
fn the_history_and_experiments_follow_an_application() {
    let desk = Desk::new();
    desk.write("sw.toml", SWITCH);
    let history = desk.path("h.db").display().to_string();
    for out in ["0.run.json", "1.run.json"] {
        let own = ["app", "md", "cells=6,6,6", "steps=4", "--model", "sw.toml", "--unit-cost", "30ns"];
        let files = ["--record", "--no-report", "--history", &history, "--out", out];
        desk.linerate(&[&own[..], &files].concat()).done();
    }
    let list = desk.linerate(&["history", "--history", &history]).done().stdout;
    assert!(list.contains("app") && list.contains('2'), "{list}");
    let compared = desk.linerate(&["compare", "0.run.json", "--with", "1.run.json"]).done().stdout;
    assert!(compared.contains("md on 4 ranks"), "{compared}");

    desk.write(
        "networks.toml",
        "goal = 'md on 4 ranks/merit'\n\
         task = { app = { name = 'md', ranks = [4], unit-cost-ps = 3e4, options = { cells = [6, 6, 6], steps = 4, decomposition = 'replicated' } } }\n\
         bench = { model = 'sw.toml' }\n[design]\nkind = 'full'\nblocks = 2\n\
         [[factor]]\nname = 'link'\nkey = 'model.network.phy'\nlevels = ['100BASE-TX', '1000BASE-T']",
    );
    desk.linerate(&["experiment", "networks.toml"]).done();
    let found: serde_json::Value =
        serde_json::from_str(&desk.read("networks.experiment/findings.json")).expect("JSON");
    let change = found["figures"][0]["effects"][0]["change"].as_f64().expect("a ratio");
    assert!(change > 1.2, "replicated data feels bandwidth: {change}");
}

#[test]
fn a_run_goes_on_in_the_file_while_it_lasts() {
    let desk = Desk::new();
    let own =
        ["app", "md", "cells=5,5,5", "steps=20", "--ranks", "2", "--repeat", "1000", "--out", "x.run.json"];
    let mut running = desk.start(&[&own[..], &["--no-report"]].concat());
    wait_for("two cases in the run file", || {
        let run = Run::from_json(&fs::read_to_string(desk.path("x.run.json")).ok()?).ok()?;
        run.app.filter(|app| app.cases.len() >= 2)
    });
    running.press_ctrl_c();
    assert_eq!(running.wait(PATIENCE).code(), Some(2));
}
