//! Meshes of models, whose faults are planted: what is named is what is wrong.

use insta::assert_snapshot;
use linerate_core::mesh::suspects::{Place, Verdict, suspects};
use linerate_core::run::Run;

use crate::support::{Desk, timeless};

/// The mesh of a model, and with which code it ended.
fn measured(plan: &str, options: &[&str]) -> (Run, Option<i32>) {
    let desk = Desk::new();
    desk.write("net.toml", plan);
    let arguments = ["mesh", "--model", "net.toml", "--visit", "8ms", "--repeat", "2"];
    let files = ["--out", "x.run.json", "--no-report"];
    let said = desk.linerate(&[&arguments[..], options, &files].concat());
    assert!(said.code != Some(2), "{}", said.stderr);
    (desk.run_file("x.run.json"), said.code)
}

/// What is named in it.
fn named(run: &Run) -> Vec<(Place, Verdict)> {
    let mesh = run.mesh.as_ref().expect("a mesh");
    let found = suspects(mesh, run.plan.mesh().expect("its plan").tolerance);
    found.into_iter().map(|suspect| (suspect.place, suspect.verdict)).collect()
}

/// Eight stations on a switch, one of them by another cable.
fn switch(odd: &str) -> String {
    let mut plan = "[network]\nmedium = 'ethernet'\ntopology = 'graph'\nstations = 8\nqueue = '1MiB'\n\
        [[network.relay]]\nname = 'w'\nkind = 'switch'\n"
        .to_owned();
    for station in 0..8 {
        let phy = if station == 3 { odd } else { "1000BASE-T" };
        plan += &format!("[[network.cable]]\nbetween = ['s{station}', 'w']\nphy = '{phy}'\n");
    }
    plan
}

#[test]
fn where_nothing_is_wrong_nothing_is_named() {
    let (run, code) = measured(&switch("1000BASE-T"), &[]);
    assert_eq!((named(&run), code), (vec![], Some(0)));
}

#[test]
fn a_slow_port_is_a_bad_rank() {
    let (run, code) = measured(&switch("100BASE-TX"), &[]);
    assert_eq!((named(&run), code), (vec![(Place::Rank(3), Verdict::Slow)], Some(1)));
}

#[test]
fn a_slow_node_is_a_bad_rank() {
    let slow = format!("{}[[impair]]\nstations = [5]\ndelay = '50us'\n", switch("1000BASE-T"));
    let (run, code) = measured(&slow, &["--throughput", "1KiB"]);
    let found = named(&run);
    assert!(found.contains(&(Place::Rank(5), Verdict::Slow)), "{found:?}");
    assert!(found.iter().all(|(place, _)| place.holds(5, 0) || place.holds(0, 5)), "nothing else: {found:?}");
    assert_eq!(code, Some(1));
}

#[test]
fn a_shared_way_between_switches_is_congested_and_no_link_is_bad() {
    // One gigabit for four pairs at once; alone each pair has all of it.
    let line =
        "[network]\nmedium = 'ethernet'\ntopology = 'line'\nstations = 8\nrelays = 2\nqueue = '4MiB'\n";
    let (run, code) = measured(line, &["--latency", "1", "--throughput", "256KiB"]);
    let found = named(&run);
    let congested: Vec<_> = found.iter().filter(|(_, verdict)| *verdict == Verdict::Congested).collect();
    let [(Place::Between(groups), _)] = congested[..] else { panic!("{found:?}") };
    assert_eq!(groups.len(), 2, "{groups:?}");
    assert!(found.iter().all(|(_, verdict)| *verdict != Verdict::Slow) && code == Some(0), "{found:?}");
}

/// On a repeater all pairs of a round share one line: rates are that of the line over the pairs that talk at once.
#[test]
fn pairs_on_a_repeater_share_one_line() {
    let plan = |topology: &str| {
        format!(
            "[network]\nmedium = 'ethernet'\ntopology = '{topology}'\nstations = 6\npause = 'asymmetric'\nqueue = '1MiB'\n\
             [transport]\nwindow = '64K'\n"
        )
    };
    let median = |topology: &str| {
        let (run, _) = measured(&plan(topology), &[]);
        let mesh = run.mesh.expect("a mesh");
        let matrix = linerate_core::mesh::matrix::Matrix::of(&mesh, 1, &mesh.phases);
        1_048_576.0 * 8.0 / 1e6 / matrix.median().expect("it was measured")
    };
    let (switch, repeater) = (median("switch"), median("distributor"));
    let ratio = switch / repeater;
    assert!((2.4..3.6).contains(&ratio), "three pairs share it: {switch} and {repeater} Mb/s");
}

/// What rank 0 says passes beside the network, however short the visits are.
#[test]
fn a_large_healthy_switch_has_no_suspects_and_equal_visits_are_made_once() {
    for visit in ["10us", "1ms"] {
        let desk = Desk::new();
        let arguments =
            ["mesh", "--model", "cluster-switch", "--set", "network.stations=64", "--latency", "1"];
        let options = ["--throughput", "1KiB", "--visit", visit, "--out", "x.run.json", "--no-report"];
        let said = desk.linerate(&[&arguments[..], &options].concat()).done().stdout;
        let run = desk.run_file("x.run.json");
        assert_eq!(named(&run), []);
        // All of the first round are simulated, and nothing else, with three repetitions.
        let mesh = run.mesh.as_ref().expect("a mesh");
        assert_eq!(mesh.copied, 3 * 64 * 63 - 64);
        assert!(said.contains("copied") && said.contains("12032 visits not simulated"), "{said}");
    }
    // Switches in a line have ways that pairs share: all is simulated.
    let line = "[network]\nmedium = 'ethernet'\ntopology = 'line'\nstations = 4\nrelays = 2\n";
    let (run, _) = measured(line, &["--throughput", "1KiB"]);
    assert_eq!(run.mesh.expect("a mesh").copied, 0);
}

#[test]
fn a_model_gives_the_same_mesh_again() {
    let options = ["--collectives", "allreduce,alltoall:pairwise", "--collective-sizes", "1KiB"];
    let (first, _) = measured(&switch("1000BASE-T"), &options);
    let (second, _) = measured(&switch("1000BASE-T"), &options);
    assert_eq!(first.mesh, second.mesh);
    assert_eq!(first.mesh.expect("a mesh").collectives.len(), 4);
}

/// What `linerate mesh` prints of a shipped plan. Exact models: the same every time.
fn printed(plan: &str, options: &[&str]) -> String {
    let desk = Desk::new();
    let arguments = ["mesh", "--model", plan, "--repeat", "1", "--visit", "1ms", "--recheck", "3"];
    let said = desk.linerate(&[&arguments[..], options, &["--out", "x.run.json", "--no-report"]].concat());
    assert!(said.code != Some(2), "{}", said.stderr);
    format!("{}\nexit code {}", timeless(&said.stdout).trim_end(), said.code.expect("it ended by itself"))
}

/// A stripe is a node: its row and its column, and nothing else.
#[test]
fn the_text_of_a_slow_port_shows_a_stripe() {
    assert_snapshot!("slow-port", printed("cluster-slow-port", &["--ranks", "10"]));
}

/// Blocks are a way that many share: fast within each group, slow between them, and fast there alone.
#[test]
fn the_text_of_a_shared_uplink_shows_blocks() {
    let options = ["--latency", "1", "--throughput", "256KiB"];
    assert_snapshot!("shared-uplink", printed("cluster-shared-uplink", &options));
}
