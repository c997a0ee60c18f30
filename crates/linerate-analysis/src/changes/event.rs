//! Changes of several figures at one time, and what changed beside them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::change_id::ChangeId;
use super::figure_history::{FigureHistory, Shift, Standing, Verdict};
use super::path::{Path, Run};
use super::pieces::LEAST;
use crate::figures::{Better, Key};
use crate::identity::{Difference, Field, differences};

/// Changes of one event are at most this many runs apart.
const REACH: usize = 2;
/// Of steady paths that are searched after every run, at most this share ever raises an alarm.
const ALARM: f64 = 0.05;
/// What changed is asked of at most this many runs on each side.
const NEAR: usize = 10;
/// Runs next to a change may belong to its other side. They are asked only if fewer than this many
/// others are.
const ENOUGH: usize = 3;

/// What kind a change is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// [`super::Step`].
    Step,
    /// [`super::Drift`].
    Drift,
    /// [`super::SpreadChange`].
    Spread,
}

/// One change of one figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Member {
    /// Index into the figures of the path.
    pub figure: usize,
    /// What kind.
    pub kind: Kind,
    /// The first run after it, or that of the drift.
    pub at: usize,
    /// The last run of a drift, otherwise the same as `at`.
    pub to: usize,
    /// How large it is. Absent for a change of spread.
    pub change: Option<Shift>,
    /// Whether it is for the worse. Absent if neither way is: of a change of spread, and of a figure that
    /// tells where something lies.
    pub worse: Option<bool>,
    /// Over the search of its series.
    pub p: f64,
    /// Whether it may raise an alarm: enough runs follow, and its event is sure.
    pub standing: Standing,
    /// What it is known by.
    pub id: ChangeId,
}

/// Changes of one path that belong together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// The first run after it: that of its surest member.
    pub at: usize,
    /// Its members, by figure.
    pub members: Vec<Member>,
    /// Confirmed if a member is sure over all searches of the path that could have found it.
    pub standing: Standing,
    /// What is not the same in the runs before and after it: first what differs for certain
    /// ([`Difference::is_clear`]). Beside a change is not because of it.
    pub facts: Vec<Difference>,
}

/// Every change of a figure of a path.
fn members_of<'a>(
    path: &'a Path,
    figure: usize,
    history: &'a FigureHistory,
) -> impl Iterator<Item = Member> + 'a {
    let member = move |kind, runs: [usize; 2], change, p, standing| Member {
        figure,
        kind,
        at: runs[0],
        to: runs[1],
        change,
        worse: change.and_then(|change| is_worse(&history.key, change)),
        p,
        standing,
        id: ChangeId::new(path, &history.key, kind, runs),
    };
    let steps = history.steps.iter();
    let steps =
        steps.map(move |step| member(Kind::Step, [step.at; 2], Some(step.change), step.p, step.standing));
    let drifts = history.drifts.iter().map(move |drift| {
        member(Kind::Drift, [drift.from, drift.to], Some(drift.change), drift.p, Standing::Confirmed)
    });
    let spreads = history.spread_changes.iter();
    let spreads =
        spreads.map(move |spread| member(Kind::Spread, [spread.at; 2], None, spread.p, Standing::Confirmed));
    steps.chain(drifts).chain(spreads)
}

fn is_worse(key: &Key, change: Shift) -> Option<bool> {
    let none = if key.figure.is_ratio() { 1.0 } else { 0.0 };
    match key.figure.better() {
        Better::Less => Some(change.value > none),
        Better::More => Some(change.value < none),
        Better::Neither => None,
    }
}

/// The events of a path in order. The surest change takes those beside it, then the surest that is
/// left. Drifts belong together if most of the shorter lies within the longer.
pub(super) fn events(path: &Path, figures: &[FigureHistory]) -> Vec<Event> {
    let searched = figures.iter().filter(|history| history.verdict != Verdict::TooFew).count();
    let members = figures.iter().enumerate();
    let mut left: Vec<Member> =
        members.flat_map(|(figure, history)| members_of(path, figure, history)).collect();
    left.sort_by(|one, other| {
        one.p.total_cmp(&other.p).then(one.at.cmp(&other.at)).then(one.figure.cmp(&other.figure))
    });
    let mut events = Vec::new();
    while let Some(surest) = left.first().cloned() {
        let (mut members, others): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|other| belongs(&surest, other));
        left = others;
        members.sort_by_key(|member| (member.figure, member.at));
        let sure = members.iter().any(|member| is_sure(member, &figures[member.figure], searched));
        let standing = if sure { Standing::Confirmed } else { Standing::Unconfirmed };
        members.iter_mut().for_each(|member| member.standing = member.standing.max(standing));
        events.push(Event { at: surest.at, members, standing, facts: Vec::new() });
    }
    events.sort_by_key(|event| event.at);
    let extents: Vec<Range<usize>> = events.iter().map(extent).collect();
    let mut from = 0;
    for (index, event) in events.iter_mut().enumerate() {
        let to = extents.get(index + 1).map_or(path.runs().len(), |next| next.start);
        let [before, after] = sides(from.min(extents[index].start), &extents[index], to);
        event.facts = facts_beside(&path.runs()[before], &path.runs()[after]);
        from = from.max(extents[index].end);
    }
    events
}

/// Whether chance makes such a change seldom enough for an alarm, one of `searched` figures.
///
/// After every further run the path is searched again, and each search is another chance for a mistake. The nth of those
/// that have five runs after the change may spend 1/(n (n + 1)) of what all of them may: these shares add up to 1.
fn is_sure(member: &Member, history: &FigureHistory, searched: usize) -> bool {
    let nth = history.runs_after(member.at).map_or(1, |runs| runs.saturating_sub(LEAST) + 1) as f64;
    member.standing == Standing::Confirmed && member.p * searched as f64 * nth * (nth + 1.0) <= ALARM
}

fn belongs(surest: &Member, other: &Member) -> bool {
    if (surest.kind == Kind::Drift) != (other.kind == Kind::Drift) {
        return false;
    }
    if surest.kind != Kind::Drift {
        return surest.at.abs_diff(other.at) <= REACH;
    }
    let shared = surest.to.min(other.to).saturating_sub(surest.at.max(other.at));
    2 * shared > (surest.to - surest.at).min(other.to - other.at)
}

/// From the first to the last beginning of a member.
fn extent(event: &Event) -> Range<usize> {
    let starts = event.members.iter().map(|member| member.at);
    starts.clone().min().unwrap_or(event.at)..starts.max().unwrap_or(event.at)
}

/// The runs that are asked before and after an event between its neighbours at `from` and `to`.
fn sides(from: usize, event: &Range<usize>, to: usize) -> [Range<usize>; 2] {
    let to = to.max(event.end);
    let apart = |side: usize| if side >= REACH + ENOUGH { REACH } else { 0 };
    let end = event.start - apart(event.start - from);
    let start = event.end + apart(to - event.end);
    [from.max(end.saturating_sub(NEAR))..end, start..to.min(start + NEAR)]
}

/// What differs between two sides, without what says nothing: facts of which most runs have a value of
/// their own, such as a time.
fn facts_beside(before: &[Run], after: &[Run]) -> Vec<Difference> {
    if before.is_empty() || after.is_empty() {
        return Vec::new();
    }
    let fields = |runs: &[Run]| -> Vec<Vec<Field>> { runs.iter().map(|run| run.facts.clone()).collect() };
    let each_its_own = |values: &[String], runs: &[Run]| values.len() > 2 && 2 * values.len() > runs.len();
    let mut found = differences(&fields(before), &fields(after));
    found.retain(|difference| {
        let [old, new] = &difference.values;
        !each_its_own(old, before) && !each_its_own(new, after)
    });
    found
}
