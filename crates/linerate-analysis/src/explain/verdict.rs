//! What opens every result: what a run reached, and what limits it.

#[cfg(test)]
mod tests;

use serde::{Serialize, Serializer};

use super::band::{Band, Certainty};
use super::bound::Bound;
use super::candidate::Candidate;
use super::settle::{Advice, WORTH};
use super::settled::Settled;
use super::{ExplainedCurve, ExplainedLoad, Explanation, Unexplained, explain};
use crate::assessment::slower_later;
use crate::derive;
use crate::facts::Unit;
use crate::report::load_name;
use linerate_core::run::Run;
use linerate_core::series::Series;
use linerate_core::stats::Histogram;
use linerate_core::traffic::{Class, Direction, Ended, Latency, Transfer};
use linerate_core::units::{Rate, Span};

/// What a history calls the bottleneck of a run among the facts that may vary.
pub const LIMITED_BY: &str = "limited by";

/// What a run reached, and what limits that, as the parts of one sentence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunVerdict {
    /// The curve or the load that it is about, if the run has several; otherwise empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// The number that counts: of a curve its peak, of a stream its rates, of requests their medians. Empty if there
    /// is none.
    pub reached: Vec<Reached>,
    /// What limits it, by the name that does not change. Absent if it cannot be told.
    pub bottleneck: Option<&'static str>,
    /// The same as people call it, after "limited by".
    pub limited_by: Option<String>,
    /// How sure that is.
    pub certainty: Certainty,
    /// The share of the time that it accounts for, 0 to 1.
    pub share: Option<f64>,
    /// What that share is computed from.
    pub evidence: Option<String>,
    /// Where it cannot be told: the bounds between which it is open, the likelier first, at most two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<Rival>,
    /// Why nothing can be said of what limits it, in a few words. Absent where something can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// What was changed to confirm it, and whether it did. Absent if nothing was, or that could not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tried: Option<Tried>,
    /// What confirms it, or tells what it is between apart; and what makes it faster.
    #[serde(flatten)]
    pub advice: Option<Advice>,
}

/// What came of changing one thing to confirm a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// As flags say it.
    pub change: String,
    /// Whether what must move if the verdict is right did.
    pub confirmed: bool,
}

/// A bound of which it cannot be told whether it limits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rival {
    /// By the name that does not change.
    pub bottleneck: &'static str,
    /// As people call it.
    pub name: String,
    /// The share of the time that it accounts for, 0 to 1.
    pub share: f64,
    /// What that is computed from.
    pub evidence: String,
}

/// A number that a run reached.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reached {
    /// Such as `peak`.
    pub what: &'static str,
    /// Of which load or direction it is, if there are several; otherwise empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub of: String,
    /// In its unit.
    pub value: f64,
    /// Mb/s of payload, or us.
    #[serde(serialize_with = "symbol")]
    pub unit: Unit,
    /// The message that reached it, of a curve. Unit: bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn symbol<S: Serializer>(unit: &Unit, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(unit.symbol())
}

/// What is said of a bound among others: of a band, or of a load.
struct Found<'a> {
    verdict: Option<Bound>,
    certainty: Certainty,
    candidates: &'a [Candidate],
}

impl RunVerdict {
    /// The verdict of `run`. Absent for kinds of runs that are not explained: a mesh, an application, traced messages.
    #[must_use]
    pub fn of(run: &Run) -> Option<Self> {
        match explain(run) {
            Ok(explanation) => Some(Self::new(run, &explanation)),
            Err(Unexplained::Nothing) if run.plan.curve().is_some() || run.plan.has_loads() => {
                Some(Self::unknown("nothing was timed"))
            }
            Err(_) => None,
        }
    }

    /// The verdict of `run`, of which this is the explanation: of a curve about the sizes that reach its peak, of several
    /// streams about the fastest, of requests about the first.
    #[must_use]
    pub fn new(run: &Run, explanation: &Explanation) -> Self {
        if let Some(curve) = explanation.curves.first() {
            let subject =
                if explanation.curves.len() > 1 { curve.pattern.to_string() } else { String::new() };
            return Self { subject, ..Self::of_curve(run, curve, &explanation.settled) };
        }
        let reached: Vec<Vec<Reached>> = run.transfers.iter().map(reached_by).collect();
        let all = 0..run.transfers.len().min(explanation.loads.len());
        let Some(chosen) = chosen(run, &explanation.loads) else { return Self::unknown("nothing was timed") };
        let transfer = &run.transfers[chosen];
        let verdict = Self::of_load(transfer, &explanation.loads[chosen], &explanation.settled);
        if all.len() == 1 {
            return Self { reached: reached.into_iter().flatten().collect(), ..verdict };
        }
        let name = |nth: usize| load_name(&run.transfers[nth].label, &run.transfers[nth].load);
        let named = |nth: usize| {
            let of = |it: &Reached| match it.of.is_empty() {
                true => name(nth),
                false => format!("{}, {}", name(nth), it.of),
            };
            reached[nth].iter().map(|it| Reached { of: of(it), ..it.clone() }).collect::<Vec<_>>()
        };
        // Medians under load stand beside the idle one; rates of other rows are in the tables.
        let shown: Vec<Reached> = match transfer.latencies.is_empty() {
            true => named(chosen),
            false => all.clone().take(MOST_MEDIANS).flat_map(named).collect(),
        };
        Self { subject: name(chosen), reached: shown, ..verdict }
    }

    /// With what came of changing one thing at a time: a verdict is confirmed or not, and an open question is settled by what was
    /// confirmed of it, whether it was one of the two likeliest or not. Of these the one that gains most, as nothing else was changed.
    fn tried(self, settled: &[Settled], found: &Found<'_>) -> Self {
        if let Some(bottleneck) = self.bottleneck {
            return Self { tried: Settled::tried(settled, bottleneck), ..self };
        }
        let is_confirmed = |it: &&Settled| {
            let tried = it.bound.and_then(|bound| Settled::tried(settled, bound.id()));
            it.confirmed == Some(true) && tried.is_some_and(|tried| tried.confirmed)
        };
        let confirmed = settled.iter().filter(is_confirmed);
        let most = confirmed.max_by(|one, other| one.moved_by().total_cmp(&other.moved_by()));
        if let Some(bound) = most.and_then(|it| it.bound) {
            let found = Self::found(&Found { verdict: Some(bound), certainty: Certainty::Likely, ..*found });
            let tried = Settled::tried(settled, bound.id());
            return Self { subject: self.subject, reached: self.reached, tried, ..found };
        }
        let is_refuted = |it: &Candidate| Settled::tried(settled, it.bound.id()).is_some();
        let (out, left): (Vec<Candidate>, Vec<Candidate>) =
            found.candidates.iter().cloned().partition(is_refuted);
        if out.is_empty() {
            return self;
        }
        let found = Self::found(&Found { candidates: &left, ..*found });
        let names: Vec<String> = out.iter().map(|it| it.bound.in_sentence()).collect();
        let unknown = found.unknown.map(|_| format!("not {}, as changes show", names.join(" or ")));
        Self { subject: self.subject, reached: self.reached, unknown, ..found }
    }

    fn unknown(why: impl Into<String>) -> Self {
        Self {
            subject: String::new(),
            reached: Vec::new(),
            bottleneck: None,
            limited_by: None,
            certainty: Certainty::CannotTell,
            share: None,
            evidence: None,
            between: Vec::new(),
            unknown: Some(why.into()),
            tried: None,
            advice: None,
        }
    }

    /// Of a curve: about the band of sizes that has its peak, or the largest sizes.
    fn of_curve(run: &Run, curve: &ExplainedCurve, settled: &[Settled]) -> Self {
        let series = run.series.iter().find(|series| series.pattern == curve.pattern);
        let reached = series.and_then(|series| reached_on(series, run.sustained.as_ref()));
        let has_peak = |band: &&Band| {
            let size = reached.as_ref().and_then(|it| it.size_bytes);
            size.is_some_and(|size| (band.from_bytes..=band.to_bytes).contains(&size))
        };
        // Of a rate that was sustained one way, what limited that.
        let sustained = run.sustained.as_ref().filter(|it| derive::peak(it, None).is_some());
        let sustained = sustained.and_then(|series| super::explain_curve(run, series));
        let of_sustained = sustained.as_ref().and_then(|curve| curve.bands.iter().find(has_peak));
        let Some(band) = of_sustained.or(curve.bands.iter().find(has_peak)).or(curve.bands.last()) else {
            return Self::unknown("nothing was timed");
        };
        let Band { verdict, certainty, ref candidates, .. } = *band;
        let found = Found { verdict, certainty, candidates };
        // What is open of a rate one way is not settled by messages to and fro, nor by those of other bands.
        let is_of_it = |it: &&Settled| {
            verdict.is_some() || of_sustained.is_none() && it.is_about(band.from_bytes..=band.to_bytes)
        };
        let settled: Vec<Settled> = settled.iter().filter(is_of_it).cloned().collect();
        Self { reached: reached.into_iter().collect(), ..Self::found(&found) }.tried(&settled, &found)
    }

    fn of_load(transfer: &Transfer, load: &ExplainedLoad, settled: &[Settled]) -> Self {
        let ExplainedLoad { verdict, certainty, ref candidates, .. } = *load;
        if let Some(trouble) = trouble(transfer, load) {
            return Self::unknown(trouble);
        }
        if candidates.is_empty() {
            return Self::unknown("the run has no TCP statistics of it");
        }
        let found = Found { verdict, certainty, candidates };
        let found = Self::found(&found).tried(settled, &found);
        let is_paced = transfer.load.stream.as_ref().is_some_and(|stream| stream.rate.is_some());
        if verdict != Some(Bound::Application) || !is_paced {
            return found;
        }
        let faster = "a higher --rate";
        let advice =
            Advice { confirm: format!("{faster}: the throughput must grow with it"), faster: Some(faster) };
        Self { limited_by: Some("the pace that was asked".to_owned()), advice: Some(advice), ..found }
    }

    fn found(found: &Found<'_>) -> Self {
        let Found { verdict, certainty, candidates } = *found;
        let advice = Some(Advice::about(verdict, candidates));
        let is = |it: &&Candidate| verdict.is_some_and(|bound| it.bound.is_like(bound));
        if let Some(found) = candidates.iter().find(is) {
            return Self {
                bottleneck: Some(found.bound.id()),
                limited_by: Some(found.bound.in_sentence()),
                certainty,
                share: found.share,
                evidence: Some(found.evidence.clone()),
                unknown: None,
                advice,
                ..Self::unknown("")
            };
        }
        let rival = |it: &Candidate| {
            let share = it.share.filter(|share| *share >= WORTH)?;
            let (name, evidence) = (it.bound.in_sentence(), it.evidence.clone());
            Some(Rival { bottleneck: it.bound.id(), name, share, evidence })
        };
        let between: Vec<Rival> = candidates.iter().filter_map(rival).take(2).collect();
        let why = "nothing that was observed accounts for much of its time".to_owned();
        Self { unknown: between.is_empty().then_some(why), between, advice, ..Self::unknown("") }
    }
}

/// The place of the load that a verdict is about: the first with requests, or the fastest.
pub(super) fn chosen(run: &Run, loads: &[ExplainedLoad]) -> Option<usize> {
    let mut all = 0..run.transfers.len().min(loads.len());
    if run.transfers.iter().any(|transfer| !transfer.latencies.is_empty()) {
        return all.next();
    }
    let rate = |nth: usize| reached_by(&run.transfers[nth]).iter().map(|it| it.value).sum::<f64>();
    all.max_by(|one, other| rate(*one).total_cmp(&rate(*other)).then(other.cmp(one)))
}

/// The most loads whose medians stand beside each other.
const MOST_MEDIANS: usize = 4;

/// Why what is known of the flows of `transfer` is no account of what limits them, in a few words: once a flow has
/// failed, its sender has nothing to send. Absent if none failed, or if the account says why.
#[must_use]
pub fn trouble(transfer: &Transfer, load: &ExplainedLoad) -> Option<String> {
    if load.verdict == Some(Bound::LinkDown) {
        return None;
    }
    let of_flow = |flow| match transfer.class(flow) {
        Class::Failed(reason) => Some(reason),
        Class::Complete | Class::Stalled(_) => None,
    };
    let of_requests = |latency: &Latency| match &latency.ended {
        Ended::Failed(reason) => Some(reason.clone()),
        _ => None,
    };
    let requests = transfer.latencies.iter().filter_map(of_requests);
    let reasons: Vec<String> = transfer.flows.iter().filter_map(of_flow).chain(requests).collect();
    let reason = reasons.first()?;
    Some(match transfer.flows.len() + transfer.latencies.len() {
        1 => format!("the flow failed ({reason})"),
        all => format!("{} of {all} flows failed ({reason})", reasons.len()),
    })
}

/// What a curve reached: its peak, or the time of its smallest message if it has none.
fn reached_on(series: &Series, sustained: Option<&Series>) -> Option<Reached> {
    if let Some(peak) = derive::peak(series, sustained) {
        let (value, size_bytes) = (peak.throughput.as_mbps(), Some(peak.size));
        return Some(Reached { what: "peak", of: String::new(), value, unit: Unit::Mbps, size_bytes });
    }
    let latency = derive::latency(series)?;
    Some(Reached {
        what: "latency",
        of: String::new(),
        value: latency.time.median / 1e6,
        unit: Unit::Microseconds,
        size_bytes: Some(latency.size),
    })
}

/// What a load reached: the median of its requests, or the rate of each direction of its bulk.
fn reached_by(transfer: &Transfer) -> Vec<Reached> {
    if !transfer.latencies.is_empty() {
        return median(&transfer.latencies).into_iter().collect();
    }
    let sums = transfer.summaries();
    let rate = |direction: Direction, whole: Rate| {
        slower_later(transfer, direction).map_or(whole, |[_, later]| later).as_mbps()
    };
    let several = sums.len() > 1;
    sums.iter()
        .filter_map(|sum| {
            Some(Reached {
                what: "rate",
                of: match sum.direction {
                    _ if !several => String::new(),
                    Direction::Receive => "to here".to_owned(),
                    _ => "from here".to_owned(),
                },
                value: rate(sum.direction, sum.rate?),
                unit: Unit::Mbps,
                size_bytes: None,
            })
        })
        .collect()
}

/// The median of the requests of all flows: from when each was due, where that was asked.
fn median(latencies: &[Latency]) -> Option<Reached> {
    let kinds: [fn(&Latency) -> &Histogram; 3] = [|it| &it.response, |it| &it.service, |it| &it.connect];
    let merged = kinds.iter().find_map(|times| {
        let mut all = Histogram::default();
        latencies.iter().for_each(|latency| all.add(times(latency)));
        (all.count() > 0).then_some(all)
    })?;
    let median = merged.resolved(0.5).map(Span::as_us);
    let (what, value) = median.map(|us| ("median", us)).or(merged.max().map(|it| ("longest", it.as_us())))?;
    Some(Reached { what, of: String::new(), value, unit: Unit::Microseconds, size_bytes: None })
}
