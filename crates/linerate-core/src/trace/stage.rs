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
    /// Its share of the time of all messages together, from 0 to 1. The shares of all stages add up to 1.
    pub share: f64,
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

/// The stages between those of `points` that follow each other, over the messages that have all of them but the
/// optional ones. A message without an optional point has its time in the stage after that.
#[must_use]
pub fn stages(messages: &[Message], points: &[Point]) -> Vec<Stage> {
    let needed = || points.iter().filter(|point| !point.is_optional());
    let complete: Vec<&Message> =
        messages.iter().filter(|message| needed().all(|point| message.at(*point).is_some())).collect();
    let whole: i64 = complete.iter().map(|message| message.taken_ns).sum();
    points.iter().skip(1).filter_map(|to| stage(&complete, points, *to, whole)).collect()
}

fn stage(messages: &[&Message], points: &[Point], to: Point, whole: i64) -> Option<Stage> {
    let before = |message: &Message| {
        points.iter().rev().filter(|point| **point < to).find_map(|point| Some((*point, message.at(*point)?)))
    };
    let spent = |message: &&Message| {
        let (from, began) = before(message)?;
        Some((from, message.at(to)?.saturating_sub(began)))
    };
    let spent: Vec<(Point, i64)> = messages.iter().filter_map(spent).collect();
    let mut times: Vec<i64> = spent.iter().map(|(_, ns)| *ns).collect();
    times.sort_unstable();
    let from =
        points.iter().copied().max_by_key(|point| spent.iter().filter(|(from, _)| from == point).count())?;
    let total: i64 = times.iter().sum();
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
pub(super) fn rank(sorted: &[i64], share: f64) -> Option<i64> {
    let nth = (share * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted.get(nth - 1).copied()
}
