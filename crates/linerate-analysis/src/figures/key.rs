//! Which figure of what: the name by which runs are compared and followed.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use linerate_core::traffic::Direction;
use serde::Serialize;

use crate::facts::{About, Band, Better, By, Followed, KINDS, Listed, Part, Unit};

/// One figure of one curve or load.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Key {
    /// The pattern of a curve, such as `ping-pong`; the name of a load, such as `stream` or `idle`.
    pub subject: String,
    /// Which figure of it.
    pub figure: Figure,
}

/// A fact by which runs are compared, of a part of its subject.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(into = "String")]
pub struct Figure {
    about: &'static About,
    followed: &'static Followed,
    part: Part,
    /// Its place in the catalogue.
    place: usize,
}

/// The names of the facts that are followed, in the order of the catalogue.
fn names() -> &'static [&'static str] {
    static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
    let facts = || KINDS.iter().flat_map(Listed::facts);
    NAMES.get_or_init(|| facts().filter_map(|about| Some(about.followed?.name)).collect())
}

impl Figure {
    /// The figure of a fact; absent if it is not followed.
    #[must_use]
    pub fn of(about: &'static About, part: Part) -> Option<Self> {
        let followed = about.followed.as_ref()?;
        let place = names().iter().position(|name| *name == followed.name).unwrap_or(usize::MAX);
        Some(Self { about, followed, part, place })
    }

    /// Every figure there is.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().flat_map(|kind| {
            let of = |about| (kind.parts)().into_iter().filter_map(move |part| Self::of(about, part));
            kind.facts().flat_map(of)
        })
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
        let figure = Figure::all().find(|figure| figure.to_string() == name).ok_or_else(wrong)?;
        Ok(Self { subject: subject.to_owned(), figure })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
