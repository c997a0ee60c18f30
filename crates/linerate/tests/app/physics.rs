//! What a network is worth to each application, on models: only the order, which no constant of a model changes. About 3 s.

use linerate_core::run::Run;

use crate::support::Desk;

/// Four stations on a switch, each packet so late that both rates have nearly the same latency.
fn switch(phy: &str) -> String {
    format!(
        "[network]\nmedium = 'ethernet'\ntopology = 'switch'\nstations = 4\nqueue = '1MiB'\nphy = '{phy}'\n\
         [[impair]]\nstations = [0, 1, 2, 3]\ndelay = '50us'\n"
    )
}

/// The merit on four ranks over that on one.
fn speed_up(plan: &str, words: &str) -> f64 {
    let desk = Desk::new();
    desk.write("net.toml", plan);
    let files = ["--model", "net.toml", "--speed-up", "1,4", "--out", "x.run.json", "--no-report"];
    let words: Vec<&str> = words.split_whitespace().collect();
    desk.linerate(&[&["app"], &words[..], &files].concat()).done();
    let run: Run = desk.run_file("x.run.json");
    let app = run.app.expect("an application");
    app.cases[1].merit / app.cases[0].merit
}

/// What a tenth of the rate leaves of the speed-up.
fn left(words: &str) -> f64 {
    speed_up(&switch("100BASE-TX"), words) / speed_up(&switch("1000BASE-T"), words)
}

const HINT: &str = "hint largest=200000 --unit-cost 400ns";
const SPATIAL: &str = "md cells=10,10,10 steps=10 --unit-cost 10us";
const REPLICATED: &str = "md cells=10,10,10 steps=10 decomposition=replicated --unit-cost 10us";
const TBMD: &str = "tbmd steps=1 --unit-cost 2ns";

#[test]
fn hint_feels_latency_only_and_matrices_feel_bandwidth_most() {
    let [hint, spatial, replicated, tbmd] = [HINT, SPATIAL, REPLICATED, TBMD].map(left);
    assert!(hint > 0.95, "HINT sends a few bytes: {hint}");
    assert!(hint > spatial && spatial > replicated && replicated > tbmd, "{spatial} {replicated} {tbmd}");
    assert!(tbmd < 0.7, "{tbmd}");
}

#[test]
fn photons_in_small_batches_feel_latency_and_in_large_ones_bandwidth() {
    let [small, large] = [10, 1000].map(|batch| {
        left(&format!("photon scene=small-room photons=16000 per-round={batch} --unit-cost 1us"))
    });
    assert!(small > large + 0.05, "batches of 10: {small}, of 1000: {large}");
    let plan = switch("1000BASE-T");
    let [small, large] = [10, 1000].map(|batch| {
        speed_up(&plan, &format!("photon scene=small-room photons=16000 per-round={batch} --unit-cost 1us"))
    });
    assert!(large > small, "fewer rounds wait less: {small} and {large}");
}

/// A repeater gives all stations one line, and a switch one each.
#[test]
fn a_repeater_costs_each_application_what_it_sends() {
    let [hint, spatial, tbmd] = [HINT, SPATIAL, TBMD]
        .map(|words| speed_up_on("cluster-repeater", words) / speed_up_on("cluster-switch", words));
    assert!(hint > spatial && spatial > tbmd, "{hint} {spatial} {tbmd}");
    // At a fifth of the price it gives more for it, whatever is run.
    assert!(tbmd > 0.2, "{tbmd}");
}

/// The merit on eight stations of a shipped cluster over that on one.
fn speed_up_on(model: &str, words: &str) -> f64 {
    let desk = Desk::new();
    let words: Vec<&str> = words.split_whitespace().collect();
    let files = ["--model", model, "--speed-up", "1,8", "--out", "x.run.json", "--no-report"];
    desk.linerate(&[&["app"], &words[..], &files].concat()).done();
    let app = desk.run_file("x.run.json").app.expect("an application");
    app.cases[1].merit / app.cases[0].merit
}
