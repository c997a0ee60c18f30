//! The stages between the points: what a table has of them.

use serde::Serialize;

use super::{Message, Point};

/// What the messages of one size spent in one stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stage {
    /// Where it begins in most messages.
    pub from: Point,
    /// Where it ends.
    pub to: Point,
    /// How many messages have it.
    pub messages: usize,
    /// Median over these. Unit: nanoseconds.
    pub median_ns: i64,
    /// 90 % of them took at most this. Unit: nanoseconds.
    pub p90_ns: i64,
    /// And 99 %.
    pub p99_ns: i64,
    /// The longest.
    pub max_ns: i64,
    /// Its share of the time of the [`middle`] messages, from 0 to 1. The shares of all stages add up to 1.
    pub share: f64,
}

impl Stage {
    /// What a message does in it.
    #[must_use]
    pub fn work(&self) -> String {
        let between = Point::ALL.into_iter().filter(|point| self.from < *point && *point < self.to);
        let mut works = between.filter(|point| !point.is_optional()).map(Point::work);
        match (works.next(), self.from, self.to) {
            (Some(first), ..) => format!("{first} to {}", self.to.work()),
            (None, Point::Ready, Point::Taken) => format!("wake-up, {}", self.to.work()),
            (None, ..) => self.to.work().to_owned(),
        }
    }
}

/// The points that `messages` have: those of every host, and the optional ones of at least one message.
#[must_use]
pub fn common_points(messages: &[Message]) -> Vec<Point> {
    let has = |point: Point| {
        let mut told = messages.iter().map(|message| message.at(point).is_some());
        if point.is_optional() {
            told.any(|told| told)
        } else {
            told.filter(|told| *told).count() * 2 > messages.len()
        }
    };
    Point::ALL.into_iter().filter(|point| has(*point)).collect()
}

/// The messages that have all of `points` but the optional ones.
#[must_use]
pub fn complete<'a>(messages: impl IntoIterator<Item = &'a Message>, points: &[Point]) -> Vec<&'a Message> {
    let needed = || points.iter().filter(|point| !point.is_optional());
    messages.into_iter().filter(|message| needed().all(|point| message.at(*point).is_some())).collect()
}

/// The stages between those of `points` that follow each other, over the messages that have all of them but the
/// optional ones. A message without an optional point has its time in the stage after that.
#[must_use]
pub fn stages<'a>(messages: impl IntoIterator<Item = &'a Message>, points: &[Point]) -> Vec<Stage> {
    let complete = complete(messages, points);
    points.iter().skip(1).filter_map(|to| stage(&complete, points, *to)).collect()
}

/// Of `messages` those in the middle by the time that they took: without the tenth that took the least, and without the
/// tenth that took the most. One that was held up for milliseconds says nothing of where the others are.
#[must_use]
pub fn middle<'a>(messages: &[&'a Message]) -> Vec<&'a Message> {
    let mut sorted = messages.to_vec();
    sorted.sort_by_key(|message| message.taken_ns);
    let ends = sorted.len() / 10;
    sorted[ends..sorted.len() - ends].to_vec()
}

fn stage(messages: &[&Message], points: &[Point], to: Point) -> Option<Stage> {
    let before = |message: &Message| {
        points.iter().rev().filter(|point| **point < to).find_map(|point| Some((*point, message.at(*point)?)))
    };
    let spent = |message: &&Message| {
        let (from, began) = before(message)?;
        Some((from, message.at(to)?.saturating_sub(began)))
    };
    let all: Vec<(Point, i64)> = messages.iter().filter_map(spent).collect();
    let mut times: Vec<i64> = all.iter().map(|(_, ns)| *ns).collect();
    times.sort_unstable();
    let from =
        points.iter().copied().max_by_key(|point| all.iter().filter(|(from, _)| from == point).count())?;
    let middle = middle(messages);
    let whole: i64 = middle.iter().map(|message| message.taken_ns).sum();
    let total: i64 = middle.iter().filter_map(|message| Some(spent(message)?.1)).sum();
    Some(Stage {
        from,
        to,
        messages: times.len(),
        median_ns: rank(&times, 0.5)?,
        p90_ns: rank(&times, 0.9)?,
        p99_ns: rank(&times, 0.99)?,
        max_ns: *times.last()?,
        share: if whole > 0 { total as f64 / whole as f64 } else { 0.0 },
    })
}

/// The least of the `sorted` times that this share of them does not exceed. Absent without times.
#[must_use]
pub fn rank(sorted: &[i64], share: f64) -> Option<i64> {
    let nth = (share * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted.get(nth - 1).copied()
}
