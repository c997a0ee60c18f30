//! Which statistic of several passes holds for the next run, on recorded rounds: chosen on one half of the runs, judged on
//! the other.

use std::collections::BTreeMap;

use linerate_core::stats::{Estimate, median, median_interval, over_passes};

const RECORDED: &str = include_str!("passes.txt");

/// The rounds of each pass of a run.
type Passes = BTreeMap<u32, Vec<f64>>;

/// What a run says.
type Statistic = fn(&Passes) -> Estimate;

/// The runs of each kind and headline.
fn recorded() -> BTreeMap<(&'static str, &'static str), Vec<Passes>> {
    let mut all: BTreeMap<_, BTreeMap<u32, Passes>> = BTreeMap::new();
    for line in RECORDED.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let [kind, run, headline, pass, rounds @ ..] = &words[..] else { panic!("{line}") };
        let rounds = rounds.iter().map(|round| round.parse().expect("a number")).collect();
        let runs = all.entry((*kind, *headline)).or_default();
        runs.entry(run.parse().expect("its number"))
            .or_default()
            .insert(pass.parse().expect("a number"), rounds);
    }
    all.into_iter().map(|(key, runs)| (key, runs.into_values().collect())).collect()
}

/// What a pass says by itself; one of few rounds counts with all of them.
fn of_pass(rounds: &[f64]) -> Estimate {
    let estimate = median_interval(rounds).expect("there are rounds");
    let ends = || rounds.iter().fold([f64::INFINITY, 0.0], |[low, high], it| [it.min(low), it.max(high)]);
    Estimate { interval: estimate.interval.or_else(|| Some(ends())), ..estimate }
}

fn of_passes(passes: &Passes) -> Vec<Estimate> {
    passes.values().map(|rounds| of_pass(rounds)).collect()
}

/// That of the product.
fn whole(passes: &Passes) -> Estimate {
    over_passes(&of_passes(passes)).expect("there are passes")
}

/// The extremes of the medians of the passes: the order statistic of six to eight.
fn extremes(passes: &Passes) -> Estimate {
    let bare: Vec<_> =
        of_passes(passes).into_iter().map(|pass| Estimate { interval: None, ..pass }).collect();
    over_passes(&bare).expect("there are passes")
}

/// Geometric mean with Student's t of six passes (2.571), as it was.
fn geometric(passes: &Passes) -> Estimate {
    let logarithms: Vec<f64> = of_passes(passes).iter().map(|pass| pass.median.ln()).collect();
    let count = logarithms.len() as f64;
    let mean = logarithms.iter().sum::<f64>() / count;
    let squares: f64 = logarithms.iter().map(|it| (it - mean).powi(2)).sum();
    let reach = 2.571 * (squares / (count - 1.0).max(1.0) / count).sqrt();
    Estimate { median: mean.exp(), interval: Some([(mean - reach).exp(), (mean + reach).exp()]) }
}

/// All rounds as if they were of one pass.
fn together(passes: &Passes) -> Estimate {
    of_pass(&passes.values().flatten().copied().collect::<Vec<_>>())
}

/// How many of the intervals of `runs` hold the value of another run, of how many; and their middle width over the
/// spread of the values.
fn judged(runs: &[&Passes], statistic: Statistic) -> (u32, u32, f64) {
    let found: Vec<Estimate> = runs.iter().map(|run| statistic(run)).collect();
    let (mut held, mut all) = (0, 0);
    for (place, one) in found.iter().enumerate() {
        let Some([low, high]) = one.interval else { continue };
        for other in found.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, it)| it.median) {
            all += 1;
            held += u32::from(low <= other && other <= high);
        }
    }
    let medians = || found.iter().map(|it| it.median);
    let spread = medians().fold(0.0, f64::max) - medians().fold(f64::INFINITY, f64::min);
    let width = median(found.iter().filter_map(|it| it.interval).map(|[low, high]| high - low));
    (held, all, width.unwrap_or(0.0) / spread)
}

/// The share over the runs whose place is even, or odd.
fn share(kind: &str, odd: bool, statistic: Statistic) -> f64 {
    let all = recorded();
    let of_kind = all.iter().filter(|((of, _), _)| of.starts_with(kind));
    let (held, of) = of_kind.fold((0, 0), |(held, of), (_, runs)| {
        let half: Vec<&Passes> = runs.iter().skip(usize::from(odd)).step_by(2).collect();
        let (more, of_these, _) = judged(&half, statistic);
        (held + more, of + of_these)
    });
    f64::from(held) / f64::from(of)
}

/// Among which one half of the runs chooses.
const STATISTICS: [(&str, Statistic); 4] =
    [("whole", whole), ("extremes", extremes), ("geometric", geometric), ("together", together)];

#[test]
fn the_interval_of_six_passes_holds_the_next_run_four_times_in_five() {
    for (key, runs) in recorded() {
        let runs: Vec<&Passes> =
            runs.iter().filter(|run| run.len() > 1 || key.0.starts_with("one")).collect();
        for (name, statistic) in STATISTICS {
            let (held, all, width) = judged(&runs, statistic);
            println!("{key:?} {name}: {:.2}, {width:.2} x as wide", f64::from(held) / f64::from(all));
        }
    }
    for odd in [false, true] {
        let best = STATISTICS.into_iter().map(|(name, statistic)| (share("six", odd, statistic), name));
        let best = best.max_by(|one, other| one.0.total_cmp(&other.0)).expect("there are four");
        assert_eq!(best.1, "whole", "chosen on one half: {best:?}");
        let other = share("six", !odd, whole);
        println!("{best:?}; of the other half {other:.2}; of one pass {:.2}", share("one", odd, whole));
        assert!(other >= 0.8, "{other}");
    }
}
