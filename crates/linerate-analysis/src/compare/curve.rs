//! Curves, size by size.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Question;
use super::change::{Change, Scale};
use super::dips::{self, DipChange};
use super::family::{Asked, judge};
use super::method::Method;
use super::sides::Sides;
use crate::figures::{Better, Sheet, SizeTimes};
use linerate_core::pattern::Pattern;

/// What a curve did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurveChange {
    /// Its pattern.
    pub pattern: Pattern,
    /// The one-way times of the sizes that every run has, by size.
    pub sizes: Vec<SizeChange>,
    /// The sizes that some run of a side does not have. Unit: bytes.
    pub left_out: Vec<u64>,
    /// What dips did.
    pub dips: Vec<DipChange>,
}

/// What the one-way time of a size did. Unit of its values: us.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeChange {
    /// The message's size. Unit: bytes.
    pub size: u64,
    /// What its time did.
    pub change: Change,
}

/// The change of every curve that both sides have.
pub(super) fn curves(sides: &Sides<'_>, method: Method, question: &Question) -> Vec<CurveChange> {
    let patterns_of = |side: &Vec<Sheet>| -> BTreeSet<Pattern> {
        side.iter().flat_map(|sheet| sheet.curves.keys().copied()).collect()
    };
    let [base, candidate] = sides.sheets.each_ref().map(patterns_of);
    base.intersection(&candidate).map(|pattern| curve(sides, *pattern, method, question)).collect()
}

fn curve(sides: &Sides<'_>, pattern: Pattern, method: Method, question: &Question) -> CurveChange {
    let none = BTreeMap::new();
    let curves: [Vec<&BTreeMap<u64, SizeTimes>>; 2] = sides
        .sheets
        .each_ref()
        .map(|side| side.iter().map(|sheet| sheet.curves.get(&pattern).unwrap_or(&none)).collect());
    let all: BTreeSet<u64> = curves.iter().flatten().flat_map(|curve| curve.keys().copied()).collect();
    let everywhere = |size: &u64| curves.iter().flatten().all(|curve| curve.contains_key(size));
    let (sizes, left_out): (Vec<u64>, Vec<u64>) = all.into_iter().partition(everywhere);
    let ask = |size: &u64| Asked {
        values: curves.each_ref().map(|side| side.iter().map(|curve| curve[size].us).collect()),
        rounds: curves
            .each_ref()
            .map(|side| side.iter().map(|curve| curve[size].rounds_us.clone()).collect()),
        scale: Scale::Ratio,
        better: Better::Less,
        margin: question.threshold,
        prior: question.spread.as_ref().and_then(|spread| spread.size(pattern, *size)),
    };
    let asked: Vec<Asked> = sizes.iter().map(ask).collect();
    let changes = judge(&asked, method);
    CurveChange {
        pattern,
        sizes: sizes.into_iter().zip(changes).map(|(size, change)| SizeChange { size, change }).collect(),
        left_out,
        dips: dips::dips(sides, pattern, method),
    }
}
