//! Findings made by hand.

mod crowd;

use linerate_analysis::experiment::{
    BestFound, Bill, CellFound, CellValue, Costs, DriftFound, DriftVerdict, EffectFound, EffectVerdict,
    Elsewhere, Explanation, FactorShown, FigureFound, FigureName, Findings, Offer, SearchFound, SettingShown,
    Stairs, StepFound, StepVerdict, TotalFound, Trade, TriedLevel, WayFound,
};
use linerate_analysis::figures::Better;

pub(super) use crowd::crowd;

/// Findings of a design without anything in them.
pub(super) fn empty(design: &'static str) -> Findings {
    Findings {
        name: "mtu-and-buffers".to_owned(),
        about: String::new(),
        design,
        bench: "this host, over its loopback".to_owned(),
        blocks: 1,
        seed: 7,
        is_exact: false,
        factors: Vec::new(),
        cells: Vec::new(),
        figures: Vec::new(),
        way: None,
        costs: None,
        trade: None,
        settings: Vec::new(),
        failed: Vec::new(),
        cautions: Vec::new(),
        planned: None,
        done: 0,
    }
}

pub(super) fn factor(name: &str, levels: &[&str]) -> FactorShown {
    FactorShown {
        name: name.to_owned(),
        levels: levels.iter().map(|it| (*it).to_owned()).collect(),
        hard: false,
    }
}

/// Every combination of these factors, each with so many runs.
pub(super) fn crossed(factors: &[FactorShown], runs: usize) -> Vec<CellFound> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for factor in factors {
        let longer = |cell: &Vec<usize>| {
            (0..factor.levels.len()).map(|level| [cell.clone(), vec![level]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.into_iter().map(|levels| found(factors, &levels, runs)).collect()
}

fn found(factors: &[FactorShown], levels: &[usize], runs: usize) -> CellFound {
    let parts: Vec<String> = levels
        .iter()
        .zip(factors)
        .map(|(level, factor)| format!("{} = {}", factor.name, factor.levels[*level]))
        .collect();
    let name = parts.join(", ");
    let file =
        |run: usize| format!("{}-{run}.run.json", levels.iter().map(usize::to_string).collect::<String>());
    CellFound { name, files: (1..=runs).map(file).collect(), levels: levels.to_vec() }
}

/// A figure that has these values in its cells, each within so much of it over its runs.
pub(super) fn figure(
    [key, title, unit]: [&str; 3],
    better: Better,
    values: &[f64],
    (spread, runs): (f64, usize),
) -> FigureFound {
    let cell = |value: &f64| {
        let runs: Vec<f64> =
            (0..runs).map(|nth| value * (1.0 + spread * (nth as f64 - (runs as f64 - 1.0) / 2.0))).collect();
        let interval = (runs.len() > 1 && spread > 0.0)
            .then(|| [value * (1.0 - 1.5 * spread), value * (1.0 + 1.5 * spread)]);
        Some(CellValue { value: *value, interval, runs })
    };
    FigureFound {
        figure: FigureName {
            key: key.to_owned(),
            title: title.to_owned(),
            unit: unit.to_owned(),
            better,
            is_ratio: unit != "share",
        },
        cells: values.iter().map(cell).collect(),
        effects: Vec::new(),
        pairs: Vec::new(),
        best: None,
        drift: None,
        outliers: Vec::new(),
        by_lenth: false,
    }
}

/// An effect with its interval, its p and its verdict.
pub(super) fn effect(
    what: &str,
    change: f64,
    ends: [f64; 2],
    (p, verdict): (f64, EffectVerdict),
) -> EffectFound {
    EffectFound {
        what: what.to_owned(),
        factors: vec![0],
        level: Some(1),
        change: Some(change),
        interval: Some(ends),
        p: Some(p),
        verdict,
        untested: None,
        aliases: Vec::new(),
        explained_by: Vec::new(),
    }
}

fn pair(what: &str, change: f64, ends: [f64; 2], judged: (f64, EffectVerdict)) -> EffectFound {
    EffectFound { factors: vec![0, 1], level: None, ..effect(what, change, ends, judged) }
}

const PEAK: [&str; 3] = ["ping-pong/peak", "ping-pong peak", "Mb/s"];
const LATENCY: [&str; 3] = ["ping-pong/latency", "ping-pong latency", "us"];

/// Two MTUs and three buffers, each cell five times.
pub(super) fn full() -> Findings {
    let factors = vec![factor("MTU", &["1500", "9000"]), factor("buffer", &["64KiB", "128KiB", "1MiB"])];
    let cells = crossed(&factors, 5);
    let mut peak = figure(PEAK, Better::More, &[612.3, 640.8, 661.7, 870.4, 938.6, 941.2], (0.002, 5));
    peak.effects = vec![
        effect("MTU = 9000", 1.4361, [1.4213, 1.4511], (0.000_2, EffectVerdict::Better)),
        effect("buffer = 128KiB", 1.0623, [1.0487, 1.0761], (0.004, EffectVerdict::Better)),
        effect("buffer = 1MiB", 1.0817, [0.9962, 1.1745], (0.061, EffectVerdict::Inconclusive)),
    ];
    let explanation = |counter: &str, means, p| Explanation { counter: counter.to_owned(), means, p };
    peak.effects[0].explained_by = vec![
        explanation("bytes a packet", [1_448.0, 8_948.0], Some(0.000_1)),
        explanation("packets a second", [53_000.0, 12_800.0], Some(0.012)),
    ];
    peak.pairs = vec![pair("MTU x buffer", 1.0152, [0.9987, 1.0319], (0.21, EffectVerdict::Small))];
    let elsewhere = Elsewhere { figure: LATENCY[1].to_owned(), change: 1.0214, worse: Some(true) };
    peak.best = Some(BestFound { cell: 5, as_good: vec![4], elsewhere: vec![elsewhere] });
    peak.drift = Some(DriftFound {
        change: 0.9931,
        interval: Some([0.9871, 0.9992]),
        p: Some(0.032),
        verdict: DriftVerdict::Small,
    });
    peak.outliers = vec![["MTU = 9000, buffer = 64KiB".to_owned(), "10-3.run.json".to_owned()]];
    let mut latency = figure(LATENCY, Better::Less, &[28.01, 28.11, 28.42, 28.22, 28.31, 28.61], (0.004, 5));
    latency.effects = vec![
        effect("MTU = 9000", 1.0071, [1.0011, 1.0131], (0.02, EffectVerdict::Worse)),
        effect("buffer = 128KiB", 1.0034, [0.9974, 1.0094], (0.41, EffectVerdict::Small)),
        effect("buffer = 1MiB", 1.0142, [1.0081, 1.0203], (0.000_4, EffectVerdict::Worse)),
    ];
    let mut loss = figure(
        ["stream/loss-send", "stream loss, sent", "share"],
        Better::Less,
        &[0.012, 0.011, 0.0, 0.004, 0.001, 0.0],
        (0.0, 5),
    );
    loss.effects = vec![effect("MTU = 9000", -0.0062, [-0.0094, -0.0031], (0.003, EffectVerdict::Better))];
    Findings {
        about: "MTU and socket buffers over 1 Gb/s".to_owned(),
        blocks: 5,
        factors,
        cells,
        figures: vec![peak, latency, loss],
        trade: Some(Trade { figures: [PEAK[1].to_owned(), LATENCY[1].to_owned()], cells: vec![5, 4, 3, 0] }),
        settings: vec![
            SettingShown {
                host: "here".to_owned(),
                setting: "mtu@eth0".to_owned(),
                original: "1500".to_owned(),
                values: vec!["1500".to_owned(), "9000".to_owned()],
                restored: Some(true),
            },
            SettingShown {
                host: "there".to_owned(),
                setting: "mtu@eth0".to_owned(),
                original: "1500".to_owned(),
                values: vec!["1500".to_owned(), "9000".to_owned()],
                restored: Some(false),
            },
        ],
        cautions: vec!["the clock frequency of this host changed in 2 of 30 runs".to_owned()],
        planned: Some(30),
        done: 30,
        ..empty("full")
    }
}

fn step(change: &str, on_top_of: &[&str], values: [f64; 2], ends: [f64; 2]) -> StepFound {
    StepFound {
        change: change.to_owned(),
        on_top_of: on_top_of.iter().map(|it| (*it).to_owned()).collect(),
        values: Some(values),
        effect: Some(values[1] / values[0]),
        interval: Some(ends),
        pairs: 6,
        looks: 2,
        verdict: StepVerdict::Kept,
    }
}

/// Five changes, of which two are kept.
pub(super) fn staircase() -> Findings {
    let mut steps = vec![
        step("MTU = 9000", &[], [612.0, 869.0], [1.39, 1.45]),
        step("buffer = 1MiB", &["MTU = 9000"], [871.0, 941.0], [1.06, 1.10]),
        step("congestion = bbr", &["MTU = 9000", "buffer = 1MiB"], [940.0, 938.0], [0.985, 1.011]),
        step("interrupt coalescing = 0 us", &["MTU = 9000", "buffer = 1MiB"], [941.0, 902.0], [0.945, 0.973]),
        step("zero-copy = on", &["MTU = 9000", "buffer = 1MiB"], [941.0, 0.0], [0.0, 0.0]),
    ];
    steps[2].verdict = StepVerdict::Small;
    steps[3].verdict = StepVerdict::Worse;
    steps[4] = StepFound {
        values: None,
        effect: None,
        interval: None,
        verdict: StepVerdict::Failed("the interface has no room for 9000 B".to_owned()),
        ..steps[4].clone()
    };
    let factors = vec![
        factor("MTU", &["1500", "9000"]),
        factor("buffer", &["128KiB", "1MiB"]),
        factor("congestion", &["cubic", "bbr"]),
        factor("interrupt coalescing", &["50 us", "0 us"]),
        factor("zero-copy", &["off", "on"]),
    ];
    let visited = [[0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 0, 1, 0]];
    Findings {
        name: "staircase".to_owned(),
        way: Some(WayFound::Staircase(Stairs {
            goal: PEAK[1].to_owned(),
            unit: PEAK[2].to_owned(),
            base: Some(611.4),
            steps,
            total: Some(TotalFound {
                best: "MTU = 9000, buffer = 1MiB".to_owned(),
                values: [611.0, 939.0],
                effect: 939.0 / 611.0,
                interval: Some([1.50, 1.57]),
                pairs: 8,
            }),
            complete: true,
        })),
        cells: visited.iter().map(|levels| found(&factors, levels, 6)).collect(),
        figures: vec![figure(PEAK, Better::More, &[611.4, 870.0, 941.0, 938.0, 902.0], (0.002, 6))],
        factors,
        done: 64,
        ..empty("staircase")
    }
}

/// The highest load without loss.
pub(super) fn search() -> Findings {
    let tried = |level: &str, values: &[f64], passes| TriedLevel {
        level: level.to_owned(),
        values: values.to_vec(),
        interval: None,
        passes,
    };
    let tried = vec![
        tried("100Mb/s", &[0.0, 0.0], Some(true)),
        tried("500Mb/s", &[0.0, 0.0], Some(true)),
        tried("750Mb/s", &[0.0, 0.0, 0.0], Some(true)),
        tried("812Mb/s", &[0.000_1, 0.0], None),
        tried("875Mb/s", &[0.002, 0.0017], Some(false)),
        tried("1000Mb/s", &[0.061, 0.058], Some(false)),
    ];
    Findings {
        name: "highest-load".to_owned(),
        way: Some(WayFound::Search(SearchFound {
            factor: "load".to_owned(),
            question: "the highest rate with a loss of at most 0 %".to_owned(),
            answer: Some("750Mb/s".to_owned()),
            remark: Some("it lies between 750Mb/s and 875Mb/s: 812Mb/s lost in one of two runs".to_owned()),
            tried,
            figure: "stream loss, sent".to_owned(),
            unit: "share".to_owned(),
        })),
        done: 13,
        ..empty("highest-load")
    }
}

/// Four networks with prices, of which two are worth it.
pub(super) fn prices() -> Findings {
    let factors =
        vec![factor("network", &["Fast Ethernet", "Gigabit Ethernet", "Myrinet", "two Fast Ethernets"])];
    let cells = crossed(&factors, 3);
    let mut peak = figure(PEAK, Better::More, &[89.7, 341.0, 938.0, 88.9], (0.01, 3));
    peak.effects = vec![
        effect("network = Gigabit Ethernet", 3.80, [3.70, 3.91], (0.000_1, EffectVerdict::Better)),
        effect("network = Myrinet", 10.46, [10.2, 10.7], (0.000_1, EffectVerdict::Better)),
        effect("network = two Fast Ethernets", 0.991, [0.975, 1.008], (0.6, EffectVerdict::Small)),
    ];
    peak.best = Some(BestFound { cell: 2, as_good: Vec::new(), elsewhere: Vec::new() });
    let offer = |cell: usize, cost: f64, merit: f64, beaten_by: &[usize]| Offer {
        cell,
        bill: Bill {
            hosts: 4,
            items: vec![("adaptor".to_owned(), 4, cost * 0.25), ("switch".to_owned(), 1, cost * 0.75)],
        },
        cost,
        merit,
        interval: Some([merit * 0.985, merit * 1.015]),
        merit_per_cost: merit / cost,
        beaten_by: beaten_by.to_vec(),
        uncertain: !beaten_by.is_empty(),
    };
    Findings {
        name: "price-performance".to_owned(),
        about: "Networks for a cluster of four".to_owned(),
        blocks: 3,
        factors,
        cells,
        figures: vec![peak],
        costs: Some(Costs {
            currency: "USD".to_owned(),
            date: "2001-05".to_owned(),
            source: "a price list".to_owned(),
            merit: PEAK[1].to_owned(),
            unit: PEAK[2].to_owned(),
            offers: vec![
                offer(0, 480.0, 89.7, &[]),
                offer(3, 960.0, 88.9, &[0]),
                offer(1, 3_120.0, 341.0, &[]),
                offer(2, 8_940.0, 938.0, &[]),
            ],
        }),
        planned: Some(12),
        done: 12,
        ..empty("in-turn")
    }
}

/// Models, which repeat themselves.
pub(super) fn exact() -> Findings {
    let mut findings = full();
    findings.name = "modelled".to_owned();
    (findings.is_exact, findings.blocks, findings.planned, findings.done) = (true, 1, Some(6), 6);
    (findings.settings, findings.cautions) = (Vec::new(), Vec::new());
    findings.cells.iter_mut().for_each(|cell| cell.files.truncate(1));
    for figure in &mut findings.figures {
        for cell in figure.cells.iter_mut().flatten() {
            (cell.interval, cell.runs) = (None, vec![cell.value]);
        }
        for effect in figure.effects.iter_mut().chain(&mut figure.pairs) {
            (effect.interval, effect.p) = (None, None);
            effect.explained_by.iter_mut().for_each(|it| it.p = None);
        }
        (figure.drift, figure.outliers) = (None, Vec::new());
    }
    findings
}

/// Runs that failed, effects without a test, and some that cannot be told apart.
pub(super) fn failed() -> Findings {
    let mut findings = full();
    (findings.blocks, findings.done, findings.trade) = (1, 4, None);
    findings.planned = Some(6);
    findings.failed = vec![
        ["MTU = 1500, buffer = 1MiB".to_owned(), "the connection was refused".to_owned()],
        ["MTU = 9000, buffer = 1MiB".to_owned(), "the interface does not take an MTU of 9000".to_owned()],
    ];
    findings.figures.truncate(1);
    let goal = &mut findings.figures[0];
    for cell in [2, 5] {
        goal.cells[cell] = None;
    }
    (goal.best, goal.drift, goal.outliers) = (None, None, Vec::new());
    for effect in goal.effects.iter_mut().chain(&mut goal.pairs) {
        (effect.interval, effect.p, effect.verdict) = (None, None, EffectVerdict::Untested);
        effect.untested = Some("each cell was measured once".to_owned());
        effect.explained_by = Vec::new();
    }
    goal.effects[2].change = None;
    goal.effects[1].aliases = vec!["MTU x buffer".to_owned()];
    findings
}

/// All of them by name.
pub(super) fn all() -> Vec<(&'static str, Findings)> {
    vec![
        ("full", full()),
        ("staircase", staircase()),
        ("search", search()),
        ("prices", prices()),
        ("exact", exact()),
        ("failed", failed()),
        ("crowd", crowd()),
        ("empty", empty("full")),
    ]
}
