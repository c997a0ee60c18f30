//! Which figure of what: the name by which runs are compared and followed.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use linerate_core::traffic::Direction;
use serde::{Deserialize, Serialize};

use crate::facts::{About, Band, Better, By, Followed, KINDS, Listed, Part, Unit};

/// One figure of one curve or load.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    /// The pattern of a curve, such as `ping-pong`; the name of a load, such as `stream` or `idle`.
    pub subject: String,
    /// Which figure of it.
    pub figure: Figure,
}

/// A fact by which runs are compared, of a part of its subject.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Figure {
    about: &'static About,
    followed: &'static Followed,
    part: Part,
    /// Its place in the catalogue.
    place: usize,
}

/// Every figure there is, in the order of the catalogue. Texts that name one are read by the thousand.
fn catalogue() -> &'static [Figure] {
    static ALL: OnceLock<Vec<Figure>> = OnceLock::new();
    let facts = || KINDS.iter().flat_map(|kind| (kind.facts)().into_iter().map(move |about| (kind, about)));
    let followed = || facts().filter(|(_, about)| about.followed.is_some()).enumerate();
    let figures = |(place, (kind, about)): (usize, (&Listed, &'static About))| {
        let parts = (kind.parts)().into_iter();
        parts.filter_map(move |part| Figure::at(place, about, part)).collect::<Vec<Figure>>()
    };
    ALL.get_or_init(|| followed().flat_map(figures).collect())
}

impl Figure {
    /// The figure of a fact; absent if it is not followed.
    #[must_use]
    pub fn of(about: &'static About, part: Part) -> Option<Self> {
        let known = catalogue().iter().find(|figure| Some(figure.followed) == about.followed.as_ref());
        Self::at(known.map_or(usize::MAX, |figure| figure.place), about, part)
    }

    fn at(place: usize, about: &'static About, part: Part) -> Option<Self> {
        Some(Self { about, followed: about.followed.as_ref()?, part, place })
    }

    /// Every figure there is.
    pub fn all() -> impl Iterator<Item = Self> {
        catalogue().iter().copied()
    }

    /// What its values are counted in.
    #[must_use]
    pub const fn unit(self) -> Unit {
        self.about.unit
    }

    /// Which way is better.
    #[must_use]
    pub const fn better(self) -> Better {
        self.about.better
    }

    /// In a few words, after "the".
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        self.about.meaning
    }

    /// How two values are compared.
    #[must_use]
    pub const fn by(self) -> By {
        self.followed.by
    }

    /// Whether values are compared by their ratio.
    #[must_use]
    pub const fn is_ratio(self) -> bool {
        matches!(self.followed.by, By::Ratio)
    }

    /// Whether a short table shows it.
    #[must_use]
    pub const fn is_headline(self) -> bool {
        self.followed.is_headline
    }

    /// Its metric: the name before the unit, and a quantile.
    #[must_use]
    pub const fn metric(self) -> (&'static str, Option<&'static str>) {
        self.followed.metric
    }

    /// Which way the bytes went that it is of, if that is said.
    #[must_use]
    pub const fn direction(self) -> Option<Direction> {
        match self.part {
            Part::Way(direction) => Some(direction),
            Part::Whole | Part::Band(_) => None,
        }
    }

    /// The sizes that it is of, if these are a band.
    #[must_use]
    pub const fn band(self) -> Option<Band> {
        match self.part {
            Part::Band(band) => Some(band),
            Part::Whole | Part::Way(_) => None,
        }
    }

    /// What people call it.
    #[must_use]
    pub fn title(self) -> String {
        match self.part {
            Part::Whole => self.followed.title.to_owned(),
            Part::Way(direction) => format!("{}, {}", self.followed.title, direction.name()),
            Part::Band(band) => band.to_string(),
        }
    }
}

// The place alone would do for the catalogue; other facts have names only.
impl Ord for Figure {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = |it: &Self| (it.place, it.followed.name, it.part);
        order(self).cmp(&order(other))
    }
}

impl PartialOrd for Figure {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Figure {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Figure {}

impl fmt::Display for Figure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.followed.name;
        match self.part {
            Part::Whole => out.write_str(name),
            Part::Way(direction) => write!(out, "{name}-{}", direction.name()),
            Part::Band(band) => write!(out, "{name}-{}", band.name()),
        }
    }
}

impl From<Figure> for String {
    fn from(figure: Figure) -> Self {
        figure.to_string()
    }
}

impl TryFrom<String> for Figure {
    type Error = ParseKeyError;

    fn try_from(name: String) -> Result<Self, ParseKeyError> {
        Self::all().find(|figure| figure.to_string() == name).ok_or(ParseKeyError(name))
    }
}

/// The figures that stand for a run, the first that it has: what a path sustains (of a curve where that was looked at,
/// behind a shaper too, the peak is that), the median of requests, the rate of bulk.
const HEADLINES: [&str; 3] = ["peak", "p50", "rate"];
/// Of which subject, where several have it.
const SUBJECTS: [&str; 3] = ["ping-pong", "one-way", "idle"];

impl Key {
    /// Which of `keys` stands for their run where there is room for one figure: in the sentence of a comparison, in a
    /// list of a history, as the goal of an experiment that names none. Without a figure that usually does, one of
    /// which more is better, less is, or any, in this order. Absent without any.
    pub fn headline<'a>(keys: impl IntoIterator<Item = &'a Self>) -> Option<&'a Self> {
        let place =
            |known: &[&str], name: &str| known.iter().position(|it| *it == name).unwrap_or(known.len());
        let rank = |key: &&'a Self| {
            let better = match key.figure.better() {
                Better::More => 0,
                Better::Less => 1,
                Better::Neither => 2,
            };
            (place(&HEADLINES, key.figure.followed.name), better, place(&SUBJECTS, &key.subject))
        };
        keys.into_iter().min_by_key(rank)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.subject, self.figure)
    }
}

/// A text that names no figure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no key figure; write the curve or load and the figure, such as ping-pong/latency or stream/rate-send"
)]
pub struct ParseKeyError(String);

impl FromStr for Key {
    type Err = ParseKeyError;

    fn from_str(text: &str) -> Result<Self, ParseKeyError> {
        let wrong = || ParseKeyError(text.to_owned());
        let (subject, name) = text.rsplit_once('/').ok_or_else(wrong)?;
        let figure = Figure::try_from(name.to_owned()).map_err(|_| wrong())?;
        Ok(Self { subject: subject.to_owned(), figure })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_figure_stands_for_a_run() {
        let of = |names: &[&str]| {
            let keys: Vec<Key> = names.iter().map(|name| name.parse().expect("a key")).collect();
            Key::headline(&keys).map(Key::to_string)
        };
        let curve =
            ["ping-pong/band-1KiB", "ping-pong/latency", "ping-pong/peak", "ping-pong/half-performance"];
        for (names, expected) in [
            (&curve[..], "ping-pong/peak"),
            // Behind a shaper without a look at what it sustains there is no peak.
            (
                &["ping-pong/half-performance", "ping-pong/latency", "ping-pong/band-1KiB"],
                "ping-pong/latency",
            ),
            (&["exchange/peak", "one-way/peak", "ping-pong/peak"], "ping-pong/peak"),
            (&["stream/loss-send", "stream/rate-send"], "stream/rate-send"),
            (
                &["bulk from here/p50", "bulk from here/rate-send", "idle/p50", "idle/transactions"],
                "idle/p50",
            ),
        ] {
            assert_eq!(of(names).as_deref(), Some(expected));
        }
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn every_figure_is_found_by_its_name() {
        let all: Vec<Figure> = Figure::all().collect();
        for (nth, figure) in all.iter().enumerate() {
            let key = Key { subject: "a/b".to_owned(), figure: *figure };
            assert_eq!(key.to_string().parse(), Ok(key.clone()), "{key}");
            assert_eq!(all.iter().position(|other| other == figure), Some(nth), "{key}");
        }
        for wrong in ["latency", "ping-pong/", "ping-pong/speed", ""] {
            assert!(wrong.parse::<Key>().is_err(), "{wrong}");
        }
    }
}
