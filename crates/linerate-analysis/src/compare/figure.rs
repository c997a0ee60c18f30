//! Key figures and bands of sizes.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Question;
use super::change::{Change, Scale, Verdict};
use super::family::{Asked, judge};
use super::method::Method;
use super::sides::Sides;
use crate::facts::By;
use crate::figures::{Better, Key, Sheet, Unit};

/// What a key figure or a band of sizes did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureChange {
    /// Which.
    pub key: Key,
    /// What its values are counted in.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// What it did.
    pub change: Change,
    /// How many runs of each side have it.
    pub known: [usize; 2],
}

/// The change of every figure that a run of each side has.
pub(super) fn figures(sides: &Sides<'_>, method: Method, question: &Question) -> Vec<FigureChange> {
    let keys_of = |side: &Vec<Sheet>| -> BTreeSet<Key> {
        side.iter().flat_map(|sheet| sheet.figures.iter().map(|value| value.key.clone())).collect()
    };
    let [base, candidate] = sides.sheets.each_ref().map(keys_of);
    let values = |key: &Key| {
        sides
            .sheets
            .each_ref()
            .map(|side| side.iter().filter_map(|sheet| sheet.value(key)).collect::<Vec<f64>>())
    };
    let asked: Vec<(Key, Asked)> =
        base.intersection(&candidate).map(|key| (key.clone(), asked(key, values(key), question))).collect();
    let complete = |(_, asked): &(Key, Asked)| asked.values.each_ref().map(Vec::len) == sides.counts();
    let (whole, partial): (Vec<_>, Vec<_>) = asked.into_iter().partition(complete);
    let (keys, questions): (Vec<Key>, Vec<Asked>) = whole.into_iter().unzip();
    let changes = judge(&questions, method);
    let mut rows: Vec<FigureChange> =
        keys.into_iter().zip(changes).map(|(key, change)| row(key, change, sides.counts())).collect();
    for (key, asked) in partial {
        let known = asked.values.each_ref().map(Vec::len);
        // A figure that some runs do not show is itself no stable figure.
        let change = judge(&[asked], Method::OneEach).remove(0);
        rows.push(row(key, Change { verdict: Verdict::NoVerdict, ..change }, known));
    }
    rows.sort_by(|one, other| one.key.cmp(&other.key));
    rows
}

fn row(key: Key, change: Change, known: [usize; 2]) -> FigureChange {
    FigureChange { unit: key.figure.unit(), better: key.figure.better(), key, change, known }
}

fn asked(key: &Key, values: [Vec<f64>; 2], question: &Question) -> Asked {
    let figure = key.figure;
    let (scale, margin) = match figure.by() {
        By::Ratio => (Scale::Ratio, question.threshold),
        By::Difference(least) => (Scale::Difference, least.unwrap_or(question.threshold)),
    };
    Asked {
        values,
        rounds: [Vec::new(), Vec::new()],
        scale,
        better: figure.better(),
        margin,
        prior: question.spread.as_ref().and_then(|spread| spread.figure(key)),
    }
}
