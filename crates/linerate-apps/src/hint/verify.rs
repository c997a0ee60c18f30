//! What HINT checks about its own curve.

use super::Hint;
use super::decomposition::{Cut, Decomposition};
use super::number::DataType;
use super::outcome::HintPoint;
use super::quality::{PUBLISHED, bounds_hold};
use linerate_core::app::Check;

/// Noise of a quality that is said to stand still: none, it is calculated.
const NONE_WORSE: f64 = 1e-12;

pub(crate) fn verify(plan: &Hint, cut: &Cut, points: &[HintPoint], steady: bool) -> Vec<Check> {
    let all = points.len();
    let held = points.iter().filter(|at| bounds_hold(plan.data.bits(), at.lower, at.upper)).count();
    let mut checks = vec![
        Check::new(
            "the true area lies between the bounds",
            held == all,
            format!("at {held} of {all} points"),
        ),
        Check::new(
            "every evaluation of a size gives the same bounds",
            steady,
            if steady { "they agree" } else { "some differ" },
        ),
    ];
    checks.extend(rises(points));
    if cut.how == Decomposition::Interleaved && cut.chunks == 1 && plan.data == DataType::Double {
        checks.extend(published(points));
    }
    checks
}

/// Quality may stand still where precision ends, and with interleaved chunks fall by what one round of halving is worth.
fn rises(points: &[HintPoint]) -> Option<Check> {
    let worst = points.windows(2).map(|pair| pair[1].quality / pair[0].quality).min_by(f64::total_cmp)?;
    let found = format!("the smallest step is a factor of {worst:.4}");
    Some(Check::new("more subintervals give better quality", worst >= 1.0 - NONE_WORSE, found))
}

/// The serial algorithm has published values.
fn published(points: &[HintPoint]) -> Option<Check> {
    let expected = |at: &HintPoint| {
        let found = PUBLISHED.binary_search_by_key(&at.subintervals, |one| one.0).ok()?;
        Some(PUBLISHED[found].1 == at.gamut())
    };
    let compared: Vec<bool> = points.iter().filter_map(expected).collect();
    let held = compared.iter().filter(|held| **held).count();
    let found = format!("{held} of {} published values", compared.len());
    (!compared.is_empty())
        .then(|| Check::new("the bounds are those of the published algorithm", held == compared.len(), found))
}
