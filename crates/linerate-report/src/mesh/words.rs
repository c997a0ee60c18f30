//! What a mesh says, in words.

use linerate_analysis::facts::Unit;
use linerate_analysis::report::{MeshResult, MeshUnit, MeshView, NamedRun, Packets, PairValue, SuspectRow};
use linerate_core::plan::MeshSchedule;
use linerate_core::run::{Run, Source};

use super::columns::LONGEST_PLACE;
use crate::numbers::{Shown, quantity};
use crate::text::{count, digits, plain, shortened};

/// The longest name of a rank within a sentence or a table. Unit: characters.
const LONGEST: usize = 32;

/// The unit in which values of pairs are shown, the same for all of a view.
#[derive(Clone, Copy)]
pub(super) struct InUnit(Shown);

impl InUnit {
    /// What fits these values.
    pub(super) fn of(unit: MeshUnit, values: impl IntoIterator<Item = f64>) -> Self {
        let unit = match unit {
            MeshUnit::Microseconds => Unit::Microseconds,
            MeshUnit::Mbps => Unit::Mbps,
        };
        Self(Shown::scale(unit, values))
    }

    /// Such as `Gb/s`.
    pub(super) const fn name(&self) -> &'static str {
        self.0.name
    }

    /// A value in this unit.
    pub(super) const fn scaled(&self, value: f64) -> f64 {
        value / self.0.one
    }

    /// The same in at most three significant digits.
    pub(super) fn number(&self, value: f64) -> String {
        significant(self.scaled(value))
    }

    /// The same with the unit.
    pub(super) fn with_unit(&self, value: f64) -> String {
        format!("{} {}", self.number(value), self.name())
    }
}

/// In which unit the values of a view are shown.
pub(super) fn shown(view: &MeshView) -> InUnit {
    InUnit::of(view.unit, view.sorted.iter().map(|pair| pair.value))
}

/// A number of three significant digits: more of them are noise.
pub(super) fn significant(value: f64) -> String {
    digits(format!("{value:.2e}").parse().unwrap_or(value))
}

/// How many times worse than `usual` a value is: above 1 is worse.
pub(super) fn times_worse(unit: MeshUnit, value: f64, usual: f64) -> f64 {
    match unit {
        MeshUnit::Microseconds => value / usual,
        MeshUnit::Mbps => usual / value,
    }
}

/// The name of a rank, safe to show and not too long.
pub(super) fn rank(mesh: &MeshResult, rank: usize) -> String {
    mesh.ranks.get(rank).map_or_else(|| rank.to_string(), |name| shortened(&plain(name), LONGEST))
}

/// `n3 to n5`.
pub(super) fn pair(mesh: &MeshResult, pair: PairValue) -> String {
    format!("{} to {}", rank(mesh, pair.from), rank(mesh, pair.to))
}

/// What a view is called: `latency of 1 B, pairs`.
pub(super) fn view_name(view: &MeshView) -> String {
    format!("{}, {}", view.title, view.schedule)
}

/// What happens at the same time in a schedule.
pub(super) const fn meanwhile(schedule: MeshSchedule) -> &'static str {
    match schedule {
        MeshSchedule::Pairs => "many pairs at once, each rank in one of them",
        MeshSchedule::Serial | MeshSchedule::Recheck => "one pair at a time",
        MeshSchedule::Shifts => "all ranks send at once, each to another one",
        MeshSchedule::FanIn => "all others send to one rank",
        MeshSchedule::FanOut => "one rank sends to all others",
        MeshSchedule::Ring => "all ranks send to the next one",
        MeshSchedule::RandomRing => "all ranks send to the next one of a random order",
        MeshSchedule::Bisection => "random halves send to each other",
        MeshSchedule::Victim => "some ask beside the load of the others",
    }
}

/// `n3, all it sends and receives: slow, 9.99 x; 8 ranks, all 56 pairs measured; none of 52480 packets was lost`.
pub(crate) fn headline(mesh: &MeshResult, run: &Run) -> String {
    let ranks = mesh.ranks.len();
    let pairs = ranks * ranks.saturating_sub(1);
    let measured = mesh.views.iter().map(|view| view.sorted.len()).max().unwrap_or(0);
    let measured = match measured {
        0 => "no pair was measured".to_owned(),
        all if all == pairs => format!("all {pairs} pairs measured"),
        some => format!("{some} of {pairs} pairs measured"),
    };
    let (found, measured) = (found(mesh), format!("{}, {measured}", count(ranks as u64, "rank")));
    let both = if mesh.suspects.is_empty() { [measured, found] } else { [found, measured] };
    format!("{}{}; {}", absent(mesh, run), both.join("; "), lost(mesh, run))
}

/// `n3 and n7 were absent; `; of many the first ones.
fn absent(mesh: &MeshResult, run: &Run) -> String {
    const NAMED: usize = 4;
    let all = run.mesh.iter().flat_map(|mesh| &mesh.lost).filter(|lost| lost.absent);
    let names: Vec<String> = all.map(|lost| rank(mesh, lost.rank as usize)).collect();
    match &names[..] {
        [] => String::new(),
        [one] => format!("{one} was absent; "),
        [first @ .., last] if names.len() <= NAMED => {
            format!("{} and {last} were absent; ", first.join(", "))
        }
        many => format!("{} and {} more were absent; ", many[..NAMED].join(", "), many.len() - NAMED),
    }
}

/// `mesh of 8 ranks`.
pub(crate) fn short_title(mesh: &MeshResult) -> String {
    format!("mesh of {}", count(mesh.ranks.len() as u64, "rank"))
}

/// `n3, all it sends and receives: slow, 9.99 x`; of many the first, which are the worst.
fn found(mesh: &MeshResult) -> String {
    const NAMED: usize = 2;
    if mesh.suspects.is_empty() {
        return if mesh.views.is_empty() { "no suspects".to_owned() } else { "nothing is slow".to_owned() };
    }
    let said = |one: &SuspectRow| {
        let times = one.times_slower.map_or_else(String::new, |times| format!(", {} x", significant(times)));
        let place = shortened(&plain(&one.place), LONGEST_PLACE).replacen(": ", ", ", 1);
        format!("{place}: {}{times}", one.verdict)
    };
    let mut names: Vec<String> = mesh.suspects.iter().take(NAMED).map(said).collect();
    if let Some(more @ 1..) = mesh.suspects.len().checked_sub(NAMED) {
        names.push(count(more as u64, "more suspect"));
    }
    names.join("; ")
}

/// `1 rank and 2 pairs were lost; 31 of 52480 packets were lost (0.1 %)`.
fn lost(mesh: &MeshResult, run: &Run) -> String {
    let all = run.mesh.iter().flat_map(|mesh| &mesh.lost).filter(|lost| !lost.absent);
    let (pairs, ranks): (Vec<_>, Vec<_>) = all.partition(|lost| lost.with.is_some());
    let parts: Vec<String> = [(ranks.len(), "rank"), (pairs.len(), "pair")]
        .into_iter()
        .filter(|(many, _)| *many > 0)
        .map(|(many, what)| count(many as u64, what))
        .collect();
    let verb = if ranks.len() + pairs.len() == 1 { "was" } else { "were" };
    let whole = (!parts.is_empty()).then(|| format!("{} {verb} lost", parts.join(" and ")));
    let packets = match mesh.packets {
        Some(Packets { lost: 0, sent, .. }) if whole.is_none() => {
            Some(format!("none of {} was lost", count(sent, "packet")))
        }
        Some(Packets { lost, sent, lost_in_bulk, lost_besides }) if lost > 0 => {
            let share = lost_share(Some(lost as f64 / sent as f64));
            let verb = if lost == 1 { "was" } else { "were" };
            let when = match lost_besides {
                0 if lost == lost_in_bulk => ", all in bulk".to_owned(),
                0 => String::new(),
                some => format!(", {some} of them outside of the visits of pairs"),
            };
            Some(format!("{lost} of {} {verb} lost ({share}){when}", count(sent, "packet")))
        }
        None if whole.is_none() => Some("no rank or pair was lost".to_owned()),
        _ => None,
    };
    whole.into_iter().chain(packets).collect::<Vec<_>>().join("; ")
}

/// `0.013 %`; `-` if it is not known.
pub(super) fn lost_share(share: Option<f64>) -> String {
    match share {
        None => "-".to_owned(),
        Some(0.0) => "none".to_owned(),
        Some(share) => format!("{} %", significant(share * 100.0)),
    }
}

/// The key numbers: labels and values.
pub(super) fn keys(mesh: &MeshResult) -> Vec<[String; 2]> {
    let of = |unit| move |view: &&MeshView| view.unit == unit;
    let latency = mesh.views.iter().find(of(MeshUnit::Microseconds));
    // The largest message of the first schedule: what the others did at the same time is in their own view.
    let throughputs = || mesh.views.iter().filter(of(MeshUnit::Mbps));
    let first = throughputs().next().map(|view| view.schedule);
    let throughput = throughputs().rfind(|view| Some(view.schedule) == first);
    let views = [("latency", latency), ("throughput", throughput)];
    let mut keys: Vec<[String; 2]> =
        views.into_iter().filter_map(|(label, view)| Some([label.to_owned(), key(mesh, view?)])).collect();
    keys.extend(mesh.together.iter().filter(|it| it.schedule == MeshSchedule::Bisection).map(|it| {
        let rate = format!(
            "{} a rank, the mean of {}",
            quantity(Unit::Mbps, it.mean_mbps),
            count(it.rounds as u64, "matching")
        );
        ["bisection".to_owned(), rate]
    }));
    keys.extend(mesh.victims.map(|it| {
        let slower = format!(
            "beside a load p99 is {} times as long (median of {}; the worst {})",
            significant(it.p99_slowdown),
            count(it.pairs as u64, "pair"),
            significant(it.worst_p99_slowdown)
        );
        ["victims".to_owned(), slower]
    }));
    keys
}

fn key(mesh: &MeshResult, view: &MeshView) -> String {
    let [median, worst] = [view.median, view.worst.value].map(|it| shown(view).with_unit(it));
    let size = view.title.rsplit(" of ").next().unwrap_or_default();
    let times = significant(times_worse(view.unit, view.worst.value, view.median));
    format!(
        "median {median}; worst {worst} ({times} x), {}; {size}, {}",
        pair(mesh, view.worst),
        view.schedule
    )
}

/// What was asked: labels and values.
pub(super) fn facts(named: &NamedRun) -> Vec<[String; 2]> {
    let Some(plan) = named.run.plan.mesh() else { return Vec::new() };
    let schedules: Vec<&str> = plan.schedules.iter().map(|schedule| schedule.name()).collect();
    let times = if plan.repeat == 1 { "once".to_owned() } else { format!("{} times", plan.repeat) };
    let transport = match named.run.source {
        // Its ranks talk over what the model's plan says, which is no transport of a host.
        Source::Modelled(_) => String::new(),
        _ => plain(&named.run.path().transport),
    };
    let over = if transport.is_empty() { transport } else { format!(", over {transport}") };
    // Collectives alone have no schedule.
    let how = if schedules.is_empty() {
        format!("collectives of all ranks{over}")
    } else {
        format!("{}, {times}, {} for each size of a pair{over}", schedules.join(", "), plan.visit)
    };
    let mut facts = vec![["how".to_owned(), how]];
    let copied = named.run.mesh.as_ref().map_or(0, |mesh| mesh.copied);
    if copied > 0 {
        let equal = "stations that are alike take exactly as long in this model";
        facts.push(["copied".to_owned(), format!("{} not simulated: {equal}", count(copied, "visit"))]);
    }
    facts
}
