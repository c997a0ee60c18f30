//! What an application says, in words.

use linerate_analysis::report::{AppResult, AppRow, NamedRun, Report, describe};
use linerate_core::app::{AppCase, AppRun};
use linerate_core::run::Source;

use crate::text::{capital, count, digits, plain, shortened, time_text};

/// The longest name within a sentence or a table. Unit: characters.
const LONGEST: usize = 48;

/// The longest unit of work in a sentence of its own. Unit: characters.
const LONGEST_UNIT: usize = 120;

/// A merit or a figure is shown in a thousand of its unit, or more, from here on.
const LARGE: f64 = 1e5;

/// A name from a file, safe to show and not too long.
pub(super) fn name(text: &str) -> String {
    shortened(&plain(text), LONGEST)
}

/// The unit in which merits up to `highest` are shown, and how many of the application's own are one of it:
/// `10^6 photons/s` and a million.
pub(super) fn merit_unit(unit: &str, highest: f64) -> (String, f64) {
    let power = if highest < LARGE || !highest.is_finite() { 0 } else { highest.log10() as i32 / 3 * 3 };
    let unit = name(unit);
    if power == 0 {
        (if unit.is_empty() { "figure of merit".to_owned() } else { unit }, 1.0)
    } else {
        (format!("10^{power} {unit}"), 10_f64.powi(power))
    }
}

/// The highest merit of all runs that are measured by the same as this one, which are shown in one unit.
pub(super) fn highest(report: &Report, app: &AppResult) -> f64 {
    let like = report.apps.iter().filter(|other| other.merit == app.merit);
    like.flat_map(|app| &app.rows).map(|row| row.merit).fold(0.0, f64::max)
}

/// `2.345 million photons/s`.
pub(super) fn merit(unit: &str, value: f64) -> String {
    let unit = name(unit);
    let said = match value {
        small if small < LARGE => digits(value),
        value if value < 1e6 => format!("{} thousand", digits(value / 1e3)),
        value if value < 1e9 => format!("{} million", digits(value / 1e6)),
        value if value < 1e12 => format!("{} billion", digits(value / 1e9)),
        _ => format!("{value:.3e}"),
    };
    format!("{said} {unit}").trim_end().to_owned()
}

/// A value of a figure: four digits, and a power of ten where it is very large or small.
pub(super) fn figure(value: f64) -> String {
    let size = value.abs();
    match size {
        whole if whole < 1e9 && value.fract() == 0.0 => format!("{value:.0}"),
        usual if (1e-3..1e6).contains(&usual) => digits(value),
        _ => format!("{value:.3e}"),
    }
}

/// A share without decimals; near nothing and near all with one.
pub(super) fn share(share: f64) -> String {
    let percent = share * 100.0;
    let is_near_an_end = (percent > 0.0 && percent < 0.95) || (percent > 99.05 && percent < 100.0);
    if is_near_an_end { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// The application of a result's run.
pub(super) fn run_of<'a>(report: &'a Report, app: &AppResult) -> Option<&'a AppRun> {
    report.runs.get(app.run)?.run.app.as_ref()
}

/// The case that is shown of a row.
pub(super) fn case_of<'a>(report: &'a Report, app: &AppResult, row: &AppRow) -> Option<&'a AppCase> {
    run_of(report, app)?.cases.get(row.case)
}

/// What people call it.
pub(super) fn title(app: &AppResult) -> String {
    let title = name(&app.title);
    if title.is_empty() { name(&app.app) } else { capital(&title) }
}

/// `Lennard-Jones MD on 1 to 8 ranks, modelled: cluster-fast`.
pub(crate) fn headline(app: &AppResult, named: &NamedRun) -> String {
    let ranks = match &app.rows[..] {
        [] => String::new(),
        [row] => format!(" on {}", count(u64::from(row.ranks), "rank")),
        [first, .., last] => format!(" on {} to {} ranks", first.ranks, last.ranks),
    };
    format!("{}{ranks}, {}", title(app), plain(&describe(&named.run)))
}

/// What came of it, in a sentence: `x3.4 on 4 ranks (85 % of ideal); 14 % of the ranks' time was communication`.
pub(crate) fn answer(app: &AppResult) -> String {
    let Some(last) = app.rows.last() else { return "nothing was run to its end".to_owned() };
    let ranks = count(u64::from(last.ranks), "rank");
    let speed = match (last.speed_up, last.efficiency) {
        _ if last.ranks == 1 => format!("{} on {ranks}", merit(&app.merit, last.merit)),
        (Some(speed_up), Some(efficiency)) => {
            format!("x{} on {ranks} ({} of ideal)", short(speed_up), share(efficiency))
        }
        _ => {
            let found = merit(&app.merit, last.merit);
            format!("{found} on {ranks}; there is no speed-up, because it was not run on one rank")
        }
    };
    let communication = share(last.communication_share);
    let whose = if last.ranks == 1 { "the rank's" } else { "the ranks'" };
    let cut = if last.interrupted { "; ended early" } else { "" };
    format!("{speed}; {communication} of {whose} time was communication{}{cut}{}", fastest(app), wrong(app))
}

/// `3.42`, `0.714`, `128`.
pub(super) fn short(value: f64) -> String {
    let decimals = match value {
        value if value < 1.0 => 3,
        value if value < 10.0 => 2,
        value if value < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// That fewer ranks were faster than the most. Empty if they were not.
fn fastest(app: &AppResult) -> String {
    let (Some(last), Some(best)) =
        (app.rows.last(), app.rows.iter().max_by(|one, other| one.merit.total_cmp(&other.merit)))
    else {
        return String::new();
    };
    if best.merit <= last.merit {
        return String::new();
    }
    let ranks = count(u64::from(best.ranks), "rank");
    let speed_up = best.speed_up.filter(|_| best.ranks > 1);
    let times = speed_up.map_or_else(String::new, |times| format!(" (x{})", short(times)));
    format!("; fastest on {ranks}{times}")
}

fn wrong(app: &AppResult) -> String {
    let failed = app.rows.iter().map(|row| row.failed.len() as u64).sum::<u64>();
    if failed == 0 { String::new() } else { format!("; {} FAILED", count(failed, "check")) }
}

/// `12 of 12 checks held`. Absent if nothing was checked.
pub(super) fn checks(app: &AppResult) -> Option<String> {
    let all = app.rows.iter().map(|row| row.checks).sum::<usize>();
    let failed = app.rows.iter().map(|row| row.failed.len()).sum::<usize>();
    let checks = if all == 1 { "check" } else { "checks" };
    (all > 0).then(|| format!("{} of {all} {checks} held", all.saturating_sub(failed)))
}

/// What did not hold, and on how many ranks: `on 4 ranks: energy is conserved: 1 of 2`.
pub(super) fn failures(app: &AppResult) -> Vec<String> {
    let of = |row: &AppRow| {
        let ranks = count(u64::from(row.ranks), "rank");
        row.failed.iter().map(|it| format!("on {ranks}: {}", plain(it))).collect::<Vec<_>>()
    };
    app.rows.iter().flat_map(of).collect()
}

/// `a step of an atom takes 26.1 ns: measured here on one rank`. Absent where processors did the work.
pub(super) fn cost(app: &AppRun) -> Option<String> {
    let cost = app.cost?;
    let unit = match shortened(&plain(&app.unit), LONGEST_UNIT) {
        unit if unit.is_empty() => "unit of work".to_owned(),
        unit => unit,
    };
    let article = if unit.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    let whence = if cost.measured { "measured here on one rank" } else { "as given" };
    Some(format!("{article} {unit} takes {}: {whence}", time_text(cost.unit_ps.max(0.0))))
}

/// What was asked: labels and values.
pub(super) fn facts(named: &NamedRun) -> Vec<[String; 2]> {
    let Some(plan) = named.run.plan.app() else { return Vec::new() };
    let transport = match named.run.source {
        // Its ranks talk over what the model's plan says, which is no transport of a host.
        Source::Modelled(_) => String::new(),
        _ => plain(&named.run.path().transport),
    };
    let over = if transport.is_empty() { transport } else { format!(", over {transport}") };
    let times = match named.run.source {
        // A model gives the same every time, and is asked once.
        Source::Modelled(_) => String::new(),
        _ if plan.repeat == 1 => ", once each".to_owned(),
        _ => format!(", {} times each", plan.repeat),
    };
    let ranks = match &plan.ranks[..] {
        [] => "1, 2, 4 and so on up to all ranks".to_owned(),
        [1] => "one rank".to_owned(),
        some => {
            let numbers: Vec<String> = some.iter().map(u32::to_string).collect();
            format!("{} ranks", numbers.join(", "))
        }
    };
    let options: Vec<String> =
        plan.options.iter().map(|(key, value)| plain(&format!("{key} = {value}"))).collect();
    let mut facts = vec![["how".to_owned(), format!("{} on {ranks}{times}{over}", name(&plan.name))]];
    if !options.is_empty() {
        facts.push(["options".to_owned(), options.join(", ")]);
    }
    facts
}
