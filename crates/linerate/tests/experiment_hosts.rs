//! `linerate experiment` in laboratories, and what it sets on hosts: in network namespaces, so that this host keeps its
//! own. About 30 s.

use std::fs;
use std::time::Duration;

use linerate_analysis::experiment::{Ledger, Outcome};
use rustix::process::Signal;
use serde_json::Value;

use crate::settings::Pair;
use crate::support::process::wait_for;
use crate::support::{Desk, PROGRAM, is_root, missing, unfolded};

/// What the MTU is, as a program sees it.
const MTU: &str = r#"
goal = "mtu"

[command]
run = ["sh", "-c", "sleep 0.1; echo mtu $(cat /sys/class/net/b/mtu)"]
metric.mtu = { pattern = "mtu ([0-9]+)" }

[design]
kind = "full"
blocks = 4

[[factor]]
name = "MTU"
levels = [{ name = "as it is" }, { name = "1300", set = { "here.mtu@b" = 1300 } }]
"#;

#[test]
fn settings_are_those_of_the_cell_and_put_back_at_the_end() {
    let desk = Desk::new();
    let Some(pair) = Pair::up(&desk, "es") else { return };
    desk.write("mtu.toml", MTU);
    pair.run(&[PROGRAM, "experiment", "mtu.toml"]).done();
    let ledger = Ledger::from_lines(&desk.read("mtu.experiment/ledger.jsonl"));
    assert_eq!(ledger.entries.len(), 8);
    for entry in &ledger.entries {
        let Outcome::Readings { readings, .. } = &entry.outcome else { panic!("{entry:?}") };
        let expected = if entry.levels["MTU"] == "1300" { 1300.0 } else { 1500.0 };
        assert!((readings.metrics["mtu"] - expected).abs() < 0.5, "{entry:?}");
    }
    assert_eq!(pair.mtu(), "1500");
    let found: Value = serde_json::from_str(&desk.read("mtu.experiment/findings.json")).expect("JSON");
    let setting = &found["settings"][0];
    assert_eq!((&setting["setting"], &setting["original"]), (&"mtu@b".into(), &"1500".into()), "{found}");
    assert_eq!((&setting["values"][0], &setting["restored"]), (&"1300".into(), &true.into()), "{found}");
}

#[test]
fn a_level_that_cannot_be_applied_fails_its_cell_and_no_other() {
    let desk = Desk::new();
    let Some(pair) = Pair::up(&desk, "el") else { return };
    desk.write("mtu.toml", MTU.replace("= 1300 }", "= 99999999 }").replace("blocks = 4", "blocks = 1"));
    let said = pair.run(&[PROGRAM, "experiment", "mtu.toml"]).fails(1).stderr;
    assert!(
        said.contains("MTU = 1300: failed to set mtu@b to 99999999: it takes a number from 68"),
        "{said}"
    );
    assert_eq!(Ledger::from_lines(&desk.read("mtu.experiment/ledger.jsonl")).entries.len(), 2);
    desk.write("unknown.toml", MTU.replace("here.mtu@b", "here.mtuu@b"));
    let said = pair.run(&[PROGRAM, "experiment", "unknown.toml"]).complaint();
    assert!(said.starts_with("failed to find a setting called mtuu"), "{said}");
}

#[test]
fn a_setting_that_somebody_else_changes_meanwhile_is_named() {
    let desk = Desk::new();
    let Some(pair) = Pair::up(&desk, "ef") else { return };
    // The cell itself plays the other.
    let other =
        MTU.replace("sleep 0.1;", "test $(cat /sys/class/net/b/mtu) = 1500 || ip link set dev b mtu 1400;");
    desk.write("mtu.toml", other.replace("blocks = 4", "blocks = 1"));
    let said = pair.run(&[PROGRAM, "experiment", "mtu.toml"]);
    let words = unfolded(&said.stderr);
    assert_eq!(said.code, Some(1), "{words}");
    assert!(words.contains("mtu@b is 1400, and was set to 1300: somebody else changed it"), "{words}");
}

/// Ten of fifty: the others are in the tests of the settings themselves, which need no experiment.
#[test]
fn whenever_it_is_killed_every_setting_is_as_before() {
    let desk = Desk::new();
    let Some(pair) = Pair::up(&desk, "ek") else { return };
    let arguments = pair.arguments(&[PROGRAM, "experiment", "mtu.toml"]);
    for kill in 0..10 {
        desk.write("mtu.toml", MTU);
        fs::remove_dir_all(desk.path("mtu.experiment")).unwrap_or(());
        let mut running = desk.start(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        wait_for("its beginning", || desk.path("mtu.experiment/ledger.jsonl").exists().then_some(()));
        // Moments spread over the eight runs of 0.1 s.
        std::thread::sleep(Duration::from_millis(kill * 97 % 900));
        running.signal(Signal::KILL);
        running.wait(Duration::from_secs(5));
        wait_for("the guardian's end", || {
            desk.linerate(&["restore", "--list"]).stdout.starts_with("nothing").then_some(())
        });
        assert_eq!(pair.mtu(), "1500", "after {kill}");
    }
}

#[test]
fn laboratories_are_made_for_each_cell() {
    if !is_root() {
        missing("a laboratory (not root)");
        return;
    }
    let desk = Desk::new();
    desk.write(
        "lab.toml",
        "goal = 'one-way/peak'\ntask = { pattern = 'one-way', schedule = 'list:64KiB', time = '2s' }\n\
         bench = { lab = 'pair' }\n[design]\nkind = 'in-turn'\nblocks = 2\n\
         [[factor]]\nname = 'rate'\nkey = 'lab.rate-mbps'\nlevels = [20, 200]",
    );
    desk.linerate(&["experiment", "lab.toml"]).done();
    let found: Value = serde_json::from_str(&desk.read("lab.experiment/findings.json")).expect("JSON");
    let cells = found["figures"][0]["cells"].as_array().expect("cells");
    for (cell, rate) in cells.iter().zip([20.0, 200.0]) {
        let share = cell["value"].as_f64().expect("a number") / rate;
        // 1448 of 1514 B are payload; a token bucket does not count the rest of the frame. A busy host may lose much.
        assert!((0.5..1.1).contains(&share), "{share} of {rate} Mb/s");
    }
    let change = found["figures"][0]["effects"][0]["change"].as_f64().expect("a ratio");
    assert!((5.0..20.0).contains(&change), "{change}");
}

/// The other host's MTU, over its server: what its operator allowed, and nothing else.
#[test]
fn the_other_host_is_set_as_its_operator_allows() {
    let desk = Desk::new();
    let Some(pair) = Pair::up(&desk, "eo") else { return };
    let on_b = |command: &[&str]| {
        let mut all = pair.arguments(command);
        all[2] = format!("{}.b", pair.name);
        all
    };
    let serve = on_b(&[
        PROGRAM,
        "serve",
        "--listen",
        "198.18.0.2:6000",
        "--key-file",
        "key",
        "--allow-settings",
        "mtu",
    ]);
    desk.write("key", "fdpk-33wq-mtzx\n");
    let mut server = desk.start(&serve.iter().map(String::as_str).collect::<Vec<_>>());
    server.stdout.until(|line| line.contains("6000"));
    desk.write(
        "there.toml",
        "goal = 'one-way/peak'\ntask = { pattern = 'one-way', schedule = 'list:64KiB', time = '1s' }\n\
         bench = { host = '198.18.0.2:6000', key-file = 'key' }\n[design]\nkind = 'full'\nblocks = 2\n\
         [[factor]]\nname = 'MTU there'\nlevels = [{ name = 'as it is' }, { name = '1300', set = { 'there.mtu' = 1300 } }]",
    );
    let said = pair.run(&[PROGRAM, "experiment", "there.toml"]).done().stdout;
    let kept = Ledger::from_lines(&desk.read("there.experiment/ledger.jsonl"));
    let set: Vec<&str> =
        kept.entries.iter().flat_map(|entry| &entry.settings).map(|setting| &*setting.granted).collect();
    assert_eq!(set, ["1300", "1300"], "{said}");
    let mtu = on_b(&["cat", "/sys/class/net/a/mtu"]);
    let mtu = desk.linerate(&mtu.iter().map(String::as_str).collect::<Vec<_>>()).done().stdout;
    assert_eq!(mtu.trim(), "1500", "it is put back");
    desk.write("there.toml", desk.read("there.toml").replace("there.mtu", "there.txqueuelen"));
    let said = pair.run(&[PROGRAM, "experiment", "there.toml"]).stderr;
    let words = unfolded(&said);
    assert!(
        words.contains("the server's operator does not allow it; start it with --allow-settings"),
        "{words}"
    );
    server.signal(Signal::TERM);
    server.wait(Duration::from_secs(10));
}
