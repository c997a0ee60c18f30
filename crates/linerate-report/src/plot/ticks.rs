//! Which values of an axis are labelled, and how.

/// Fewer labels than these leave a reader guessing between them.
pub(super) const FEWEST_LABELS: usize = 4;
/// About how many round values label less than a decade.
const MOST_WITHIN: usize = 6;

/// The least and the greatest positive value, apart from each other; `otherwise` without any.
pub(super) fn range(values: impl Iterator<Item = f64>, otherwise: [f64; 2]) -> [f64; 2] {
    let positive = values.filter(|value| *value > 0.0 && value.is_finite());
    let wide = [f64::INFINITY, 0.0];
    let [low, high] = positive.fold(wide, |[low, high], value| [low.min(value), high.max(value)]);
    match high {
        0.0 => otherwise,
        high if high <= low * 1.01 => [low / 2.0, high * 2.0],
        high => [low, high],
    }
}

/// Round values between `ends` at equal distances: about `most` of them, and at least four where
/// these are not many more.
pub(crate) fn evenly([low, high]: [f64; 2], most: usize) -> Vec<f64> {
    let most = most.max(1);
    let at = |step: f64| {
        let first = (low / step - 1e-9).ceil();
        let values = (0..).map(|nth: u32| (first + f64::from(nth)) * step);
        // What rounding adds or takes is far below a step.
        values.take_while(|tick| *tick <= high + step * 1e-9).take(1_000).collect::<Vec<f64>>()
    };
    let whole = step((high - low) / most as f64);
    let ticks = at(whole);
    if ticks.len() >= FEWEST_LABELS {
        return ticks;
    }
    let finer = at(whole / 2.0);
    if finer.len() <= most + 3 { finer } else { ticks }
}

/// Where an axis of powers of ten is labelled: at powers if there are three, and else at round values
/// between them too, at least four in all.
pub(crate) fn decimal(ends: [f64; 2]) -> Vec<f64> {
    let [low, high] = ends;
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let within = |tick: &f64| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(tick);
    let series = |factors: &'static [f64]| {
        let all = decades.clone().flat_map(|power| factors.iter().map(move |f| f * 10_f64.powi(power)));
        all.filter(within).collect::<Vec<f64>>()
    };
    let powers = series(&[1.0]);
    if powers.len() >= 3 {
        return powers;
    }
    let choices: [&[f64]; 2] = [&[1.0, 3.0], &[1.0, 2.0, 5.0]];
    let fits = |ticks: &Vec<f64>| ticks.len() >= FEWEST_LABELS;
    choices.into_iter().map(series).find(fits).unwrap_or_else(|| evenly(ends, MOST_WITHIN))
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least `least`.
pub(crate) fn step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= least)
        .unwrap_or(power)
}

/// `10 us`, `1 ms`; ends that are no round numbers get their digits.
pub(crate) fn time_label(us: f64) -> String {
    let units = [(1e6, "s"), (1e3, "ms"), (1.0, "us"), (1e-3, "ns")];
    let (one, unit) = units.into_iter().find(|(one, _)| us >= *one).unwrap_or((1e-6, "ps"));
    let number = format!("{:.3}", us / one);
    let short = number.trim_end_matches('0').trim_end_matches('.');
    format!("{short} {unit}")
}
