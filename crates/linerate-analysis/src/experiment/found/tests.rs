use super::*;
use crate::experiment::{EffectVerdict, Slot};

const PLAN: &str = "task = { time = '1s' }\ngoal = 'one-way/peak'\n\
    [[factor]]\nname = 'MTU'\nkey = 'task.socket.mss'\nlevels = [1448, 8948]\n\
    [[factor]]\nname = 'buffer'\nkey = 'task.socket.sndbuf'\nlevels = ['64KiB', '1MiB']\n\
    [design]\nkind = 'full'";

fn plan(text: &str) -> ExperimentPlan {
    let plan = ExperimentPlan::from_toml(text).expect("a plan");
    plan.check().expect("it makes sense");
    plan
}

fn run(cell: &[usize], block: u32, peak: f64) -> Measured {
    let mut run =
        Measured::of_readings(cell.to_vec(), Slot { block, ..Slot::default() }, &Default::default());
    run.values =
        BTreeMap::from([("one-way/peak".to_owned(), peak), ("one-way/latency".to_owned(), 1e6 / peak)]);
    run.file = format!("{block}-{cell:?}");
    run.started_s = f64::from(block);
    run
}

/// Five blocks with a noise of 1 %: the MTU doubles the peak, the buffer does nothing.
fn measured() -> Vec<Measured> {
    let noise = [1.0, 1.01, 0.99, 1.005, 0.995, 1.008, 0.992, 1.003, 0.997, 1.001];
    let mut runs = Vec::new();
    for block in 0..5 {
        for (nth, cell) in [[0, 0], [1, 0], [0, 1], [1, 1]].into_iter().enumerate() {
            let noise = noise[(block as usize * 3 + nth * 7) % noise.len()];
            let mut run = run(&cell, block, 100.0 * noise * if cell[0] == 1 { 2.0 } else { 1.0 });
            run.evidence.insert("bytes a packet".to_owned(), [1400.0, 8000.0][cell[0]] * noise);
            run.evidence.insert("idle".to_owned(), 1.0 / noise);
            runs.push(run);
        }
    }
    runs
}

fn findings(plan: &ExperimentPlan, runs: &[Measured]) -> Findings {
    Findings::of(Question {
        name: "test",
        plan,
        runs,
        failed: Vec::new(),
        planned: Some(20),
        cautions: Vec::new(),
        way: None,
        settings: Vec::new(),
    })
}

#[test]
fn what_helps_is_found_and_explained_and_what_does_nothing_is_not() {
    let found = findings(&plan(PLAN), &measured());
    assert_eq!((found.done, found.cells.len(), found.is_exact), (20, 4, false));
    let goal = &found.figures[0];
    assert_eq!((&*goal.figure.key, &*goal.figure.unit), ("one-way/peak", "Mb/s"));
    let [mtu, buffer] = &goal.effects[..] else { panic!("two factors of two levels") };
    assert_eq!((&*mtu.what, mtu.verdict), ("MTU = 8948", EffectVerdict::Better));
    let change = mtu.change.expect("an estimate");
    let [low, high] = mtu.interval.expect("an interval");
    assert!((change - 2.0).abs() < 0.03 && low < 2.0 && 2.0 < high && high - low < 0.06, "{mtu:?}");
    assert_eq!(buffer.verdict, EffectVerdict::Small, "{buffer:?}");
    assert_eq!(mtu.explained_by[0].counter, "bytes a packet");
    assert!((mtu.explained_by[0].means[1] / 8000.0 - 1.0).abs() < 0.02);
    assert!(mtu.explained_by.iter().all(|one| one.counter != "idle"), "{:?}", mtu.explained_by);
    assert!(buffer.explained_by.is_empty());
    assert_eq!(goal.pairs[0].verdict, EffectVerdict::Small, "{:?}", goal.pairs[0]);
    let best = goal.best.as_ref().expect("a best cell");
    let name = |cell: usize| &*found.cells[cell].name;
    assert!(name(best.cell).starts_with("MTU = 8948"));
    assert_eq!(best.as_good.len(), 1, "the buffer cannot be told");
    let latency = best.elsewhere.iter().find(|other| other.figure.contains("latency")).expect("latency");
    assert!(latency.worse == Some(false) && (latency.change - 0.5).abs() < 0.02);
    assert!(found.cautions.is_empty(), "{:?}", found.cautions);
}

#[test]
fn models_that_repeat_themselves_have_no_noise_and_no_interval() {
    let text = PLAN.replace("task = { time = '1s' }", "bench = { model = 'gigabit' }");
    let mut runs = measured();
    for run in &mut runs {
        let peak = if run.cell[0] == 1 { 200.0 } else { 100.0 };
        run.values = BTreeMap::from([("one-way/peak".to_owned(), peak)]);
    }
    let found = findings(&plan(&text), &runs);
    assert!(found.is_exact);
    let [mtu, buffer] = &found.figures[0].effects[..] else { panic!("two effects") };
    assert_eq!((mtu.verdict, mtu.interval, mtu.p), (EffectVerdict::Better, None, None));
    assert!((mtu.change.expect("an estimate") - 2.0).abs() < 1e-9);
    assert_eq!(buffer.verdict, EffectVerdict::Small);
    let best = found.figures[0].best.as_ref().expect("a best cell");
    assert_eq!(best.as_good.len(), 1, "the other buffer is equal");
}

#[test]
fn offers_that_others_beat_say_so() {
    let text = "task = { time = '1s' }\ngoal = 'one-way/peak'\n\
        [[factor]]\nname = 'net'\nkey = 'task.seed'\nlevels = [{ value = 1, parts = { nic = 'host' } }, \
        { value = 2, parts = { nic = 'host', switch = 'host' } }, { value = 3, parts = { gold = 1 } }]\n\
        [prices]\ncurrency = 'USD'\ndate = '1998'\nhosts = 12\n\
        part = { nic = { price = 10 }, switch = { price = 100, ports = 8 }, gold = { price = 1000 } }";
    let runs: Vec<Measured> =
        [100.0, 300.0, 250.0].into_iter().enumerate().map(|(level, peak)| run(&[level], 0, peak)).collect();
    let costs = findings(&plan(text), &runs).costs.expect("prices");
    let offers: Vec<(usize, f64, &[usize])> =
        costs.offers.iter().map(|offer| (offer.cell, offer.cost, &*offer.beaten_by)).collect();
    // Two switches of 8 ports for 12 hosts.
    assert_eq!(offers, [(0, 120.0, &[][..]), (1, 320.0, &[][..]), (2, 1000.0, &[1][..])]);
    assert!((costs.offers[0].merit_per_cost - 100.0 / 120.0).abs() < 1e-9);
}

#[test]
fn doubts_of_runs_are_counted_once_for_each_run() {
    let mut runs = measured();
    for run in runs.iter_mut().take(3) {
        run.cautions = vec![Caution::SameHost { apart: false }, Caution::SameHost { apart: false }];
    }
    let found = findings(&plan(PLAN), &runs);
    assert_eq!(found.cautions.len(), 1);
    assert!(found.cautions[0].starts_with("3 of 20 runs: both ends run on one host"), "{:?}", found.cautions);
}

/// Ten reboots to each kernel differ by 10 % of themselves, whichever kernel it is; runs between two reboots are alike.
#[test]
fn a_factor_that_is_hard_to_change_is_tested_against_its_plots() {
    let hard = PLAN.replace("levels = [1448, 8948]", "levels = [1448, 8948]\nhard = true");
    let boots = [100.0, 112.0, 96.0, 118.0];
    let mut runs = Vec::new();
    for (boot, peak) in boots.into_iter().enumerate() {
        for (nth, buffer) in [0, 1].into_iter().enumerate() {
            let mut run =
                run(&[boot % 2, buffer], (boot / 2) as u32, peak * if nth == 0 { 1.0 } else { 1.02 });
            run.started_s = (boot * 2 + nth) as f64;
            runs.push(run);
        }
    }
    let found = findings(&plan(&hard), &runs);
    let [kernel, buffer] = &found.figures[0].effects[..] else { panic!("two effects") };
    assert_eq!(kernel.verdict, EffectVerdict::Inconclusive, "two boots a level say little: {kernel:?}");
    assert_eq!(buffer.verdict, EffectVerdict::Better, "within a boot it is sure: {buffer:?}");
}
