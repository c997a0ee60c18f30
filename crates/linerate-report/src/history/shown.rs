//! What of the changes of a path is shown: those that people muted are only counted.

use linerate_analysis::changes::{Event, FigureHistory, Kind, Member, Outlier, SpreadChange, Standing};
use linerate_analysis::figures::Key;

use super::PathHistory;

/// What people said of a change that nobody wants to see again.
const MUTED: &str = "muted";

/// The changes of a path that are shown.
pub(super) struct Shown<'a> {
    /// In order of time.
    pub(super) events: Vec<ShownEvent<'a>>,
    /// How many changes of figures are not shown.
    pub(super) muted: usize,
}

/// An event with the members that are shown.
pub(super) struct ShownEvent<'a> {
    pub(super) event: &'a Event,
    /// At least one.
    pub(super) members: Vec<ShownMember<'a>>,
}

/// A change of a figure.
pub(super) struct ShownMember<'a> {
    pub(super) member: &'a Member,
    pub(super) history: &'a FigureHistory,
    /// What people said of it.
    pub(super) said: Option<&'a str>,
}

impl<'a> Shown<'a> {
    pub(super) fn of(path: &'a PathHistory) -> Self {
        let mut shown = Self { events: Vec::new(), muted: 0 };
        for event in &path.changes.events {
            let all: Vec<ShownMember<'a>> =
                event.members.iter().filter_map(|member| ShownMember::of(path, member)).collect();
            let (muted, members): (Vec<_>, Vec<_>) =
                all.into_iter().partition(|member| member.said == Some(MUTED));
            shown.muted += muted.len();
            if !members.is_empty() {
                shown.events.push(ShownEvent { event, members });
            }
        }
        shown
    }
}

impl ShownEvent<'_> {
    /// Confirmed if one of those that are shown is.
    pub(super) fn standing(&self) -> Standing {
        let confirmed = self.members.iter().any(|it| it.member.standing == Standing::Confirmed);
        if confirmed { Standing::Confirmed } else { Standing::Unconfirmed }
    }

    /// The one that the event is told by.
    pub(super) fn lead(&self) -> &ShownMember<'_> {
        let order = |it: &&ShownMember<'_>| it.key().figure.band().is_some();
        let first = self
            .members
            .iter()
            .min_by(|one, other| order(one).cmp(&order(other)).then(one.member.p.total_cmp(&other.member.p)));
        first.expect("an event that is shown has a member")
    }

    /// The last run of what changed: that of the drift that goes on longest, otherwise the first.
    pub(super) fn to(&self) -> usize {
        self.members.iter().map(|it| it.member.to).fold(self.event.at, usize::max)
    }
}

impl<'a> ShownMember<'a> {
    fn of(path: &'a PathHistory, member: &'a Member) -> Option<Self> {
        let history = path.changes.figures.get(member.figure)?;
        let said = path.said.get(&member.id.to_string()).map(String::as_str);
        Some(Self { member, history, said })
    }

    pub(super) fn key(&self) -> &'a Key {
        &self.history.key
    }

    /// The change of spread that it is.
    pub(super) fn spread(&self) -> Option<&'a SpreadChange> {
        let is_spread = self.member.kind == Kind::Spread;
        self.history.spread_changes.iter().find(|change| is_spread && change.at == self.member.at)
    }

    /// Whether it is a drift that lasts until the last run.
    pub(super) fn ongoing(&self) -> bool {
        let same = |from: usize, to: usize| [from, to] == [self.member.at, self.member.to];
        let drifts = self.history.drifts.iter();
        self.member.kind == Kind::Drift
            && drifts.filter(|it| it.ongoing).any(|drift| same(drift.from, drift.to))
    }

    /// How many runs of the figure's values follow before the next change.
    pub(super) fn runs_after(&self, runs: usize) -> usize {
        let at = self.member.at;
        self.history.runs_after(at).unwrap_or_else(|| runs.saturating_sub(at))
    }
}

/// The outliers of a path by their first run, each with its figure.
pub(super) fn outliers(path: &PathHistory) -> Vec<(&Key, &Outlier)> {
    let figures = path.changes.figures.iter();
    let mut all: Vec<(&Key, &Outlier)> =
        figures.flat_map(|figure| figure.outliers.iter().map(move |it| (&figure.key, it))).collect();
    all.sort_by_key(|(_, outlier)| outlier.first);
    all
}
