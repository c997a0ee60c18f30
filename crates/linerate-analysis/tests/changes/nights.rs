//! A path that is searched after every night: how often a steady one ever raises an alarm, and how soon a change does.

use std::num::NonZeroUsize;
use std::thread;

use linerate_analysis::changes::{Event, FigureValues, Path, Standing, changes};

use super::noise::{ALL, COUNTS, Noise, Normal, white};
use super::rates::assert_at_most;
use super::{days, figure};

/// No seed that the rule was fitted with is odd.
pub(super) fn judged(count: u64) -> Vec<u64> {
    (0..count).map(|nth| 1001 + 2 * nth).collect()
}

/// How many of these seeds it holds of.
pub(super) fn count(seeds: &[u64], holds: impl Fn(u64) -> bool + Sync) -> usize {
    let (workers, holds) = (thread::available_parallelism().map_or(1, NonZeroUsize::get), &holds);
    thread::scope(|scope| {
        let share = |first| seeds.iter().skip(first).step_by(workers).filter(|seed| holds(**seed)).count();
        let work = |first| scope.spawn(move || share(first));
        let all: Vec<_> = (0..workers).map(work).collect();
        all.into_iter().map(|worker| worker.join().expect("a search ends")).sum()
    })
}

/// One of these kinds, but for those of a name that the last says.
fn drawn<'a>(normal: &mut Normal, kinds: &'a [Noise], but: &[&str]) -> &'a Noise {
    let kinds: Vec<&Noise> = kinds.iter().filter(|kind| !but.contains(&kind.name)).collect();
    kinds[(normal.even() * kinds.len() as f64) as usize]
}

/// 4 to 20 figures of nights without a change: rates and latencies that differ by 1 to 3 %, in part by what the figures
/// of a night have in common, in part by themselves. One night in 100 is 5 to 10 of that worse. Up to 3 are losses.
pub(super) fn steady(seed: u64, nights: usize) -> Vec<FigureValues> {
    // A swing over a month is a change, and so are nights of which one in ten is off: in five in a row some time.
    let but = ["sine of a month", "last run a spike", "spikes, 5 %", "spikes, 10 %"];
    let mut normal = Normal::new(seed);
    let common = drawn(&mut normal, &ALL[..4], &but).series(&mut normal, nights);
    let mut crowded = || if normal.even() < 0.01 { 5.0 + 5.0 * normal.even() } else { 0.0 };
    let crowded: Vec<f64> = (0..nights).map(|_| crowded()).collect();
    let (figures, losses) = (4 + (17.0 * normal.even()) as usize, (4.0 * normal.even()) as usize);
    let mut one = |index: usize| {
        if index < losses {
            let values = drawn(&mut normal, &COUNTS, &[]).series(&mut normal, nights);
            return figure(&format!("load {index}/loss-send"), &values);
        }
        let own = drawn(&mut normal, &ALL, &but).series(&mut normal, nights);
        let (share, sd) = ((1.2 * normal.even() - 0.2).max(0.0), 0.01 * 3.0_f64.powf(normal.even()));
        let (name, worse) = if normal.even() < 0.5 { ("rate-send", -1.0) } else { ("latency", 1.0) };
        let value = |night: usize| {
            let noise = share * common[night] + (1.0 - share * share).sqrt() * own[night] + crowded[night];
            940.0 * (worse * sd * noise).exp()
        };
        figure(&format!("load {index}/{name}"), &(0..nights).map(value).collect::<Vec<f64>>())
    };
    (0..figures).map(&mut one).collect()
}

/// What is found after so many nights.
fn found_after(figures: &[FigureValues], nights: usize) -> Vec<Event> {
    let first =
        |it: &FigureValues| FigureValues { key: it.key.clone(), values: it.values[..nights].to_vec() };
    let path = Path::new("1:5f1c", days(nights), figures.iter().map(first).collect());
    changes(&[path.expect("as many values as runs")]).remove(0).events
}

/// As `linerate history changes --exit-code` has it.
fn is_alarm(event: &Event) -> bool {
    event.standing == Standing::Confirmed && event.members.iter().any(|member| member.worse == Some(true))
}

pub(super) fn ever_raises_an_alarm(figures: &[FigureValues], nights: usize) -> bool {
    (10..=nights).any(|nights| found_after(figures, nights).iter().any(is_alarm))
}

/// A steady path whose last figure differs by `sd` from night to night, and from some night after the 60th on is worse by
/// 10 %, at once or `slowly`, over so many nights. Whether that is an alarm after `within` nights or before.
pub(super) fn is_alarm_within(within: usize, sd: f64, slowly: usize, seed: u64) -> bool {
    const NIGHTS: usize = 365;
    let mut normal = Normal::new(seed);
    let at = 60 + (normal.even() * (NIGHTS - 60 - within) as f64) as usize;
    let mut figures = steady(seed, NIGHTS);
    let noise = white(&mut normal, NIGHTS).into_iter().enumerate();
    let worse =
        |night: usize| ((night + 1).saturating_sub(at) as f64 / slowly as f64).min(1.0) * 1.1_f64.ln();
    let values: Vec<f64> = noise.map(|(night, noise)| (sd * noise + worse(night)).exp()).collect();
    let last = figures.len() - 1;
    figures[last] = figure("changed/latency", &values);
    let reach = if slowly > 1 { slowly } else { 3 };
    let is_it = |event: &Event| {
        is_alarm(event)
            && event.members.iter().any(|member| member.figure == last && member.at.abs_diff(at) <= reach)
    };
    // A drift is looked for at the end alone.
    let first = if slowly > 1 { within } else { 5 };
    (first..=within).any(|after| found_after(&figures, at + after).iter().any(is_it))
}

#[test]
fn a_steady_path_seldom_raises_an_alarm_in_100_nights() {
    let seeds = judged(8);
    let seen = count(&seeds, |seed| ever_raises_an_alarm(&steady(seed, 100), 100));
    assert_at_most(seen as f64 / seeds.len() as f64, 0.05, seeds.len(), "paths");
}

#[test]
fn a_step_of_a_tenth_is_an_alarm_within_five_runs() {
    let seeds = judged(16);
    let found = count(&seeds, |seed| is_alarm_within(5, 0.01, 1, seed));
    assert!(found >= 14, "{found} of {}", seeds.len());
}
