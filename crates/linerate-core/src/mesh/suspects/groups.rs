//! Ranks that are near each other: groups within which all is fast, and between which it is not.

use super::super::matrix::Matrix;

/// The groups of ranks in a symmetric `matrix` of logarithms, if they are at least two with at least two members each,
/// and what is between them is above what is within them by more than `gap` almost everywhere. Ranks that nothing was
/// measured of belong to the last group.
///
/// Clusters are joined by the mean between them (average linkage), as far as the mean jumps. In time it grows with the
/// pairs.
pub(super) fn groups(matrix: &Matrix, gap: f64) -> Option<Vec<Vec<usize>>> {
    let overall = matrix.median()?;
    let mut is_known = vec![false; matrix.size()];
    matrix.iter().for_each(|(from, to, _)| (is_known[from], is_known[to]) = (true, true));
    let (known, unknown): (Vec<usize>, Vec<usize>) = (0..matrix.size()).partition(|rank| is_known[*rank]);
    let size = known.len();
    let pairs = (0..size).flat_map(|one| (one + 1..size).map(move |other| (one, other)));
    let mut means: Vec<f64> =
        pairs.map(|(one, other)| matrix.get(known[one], known[other]).unwrap_or(overall)).collect();
    let tree = kodama::linkage(&mut means, size, kodama::Method::Average);
    let steps = tree.steps();
    // More members than a few dozen clusters say nothing new about the top of the tree.
    let first = (size + 1).saturating_sub(MOST_KEPT).max(1);
    let jump = |step: usize| steps[step].dissimilarity - steps[step - 1].dissimilarity;
    let highest = (first..steps.len()).max_by(|one, other| jump(*one).total_cmp(&jump(*other)))?;
    let mut groups = after(&steps[..highest], size);
    groups.iter_mut().flatten().for_each(|rank| *rank = known[*rank]);
    let several = groups.len() >= 2 && groups.iter().all(|group| group.len() >= 2);
    groups.last_mut()?.extend(unknown);
    (several && apart(matrix, &groups, gap)).then_some(groups)
}

/// The clusters of `size` ranks once these steps were made, each in order.
fn after(steps: &[kodama::Step<f64>], size: usize) -> Vec<Vec<usize>> {
    let mut clusters: Vec<Vec<usize>> = (0..size).map(|rank| vec![rank]).collect();
    for step in steps {
        let mut joined = std::mem::take(&mut clusters[step.cluster1]);
        joined.append(&mut clusters[step.cluster2]);
        clusters.push(joined);
    }
    clusters.retain(|cluster| !cluster.is_empty());
    clusters.iter_mut().for_each(|cluster| cluster.sort_unstable());
    clusters.sort();
    clusters
}

/// How many of the last joinings are looked at.
const MOST_KEPT: usize = 64;
/// The share of the pairs that must lie on their side.
const ALMOST_ALL: f64 = 0.9;

/// Whether what is between the groups is above what is within them.
fn apart(matrix: &Matrix, groups: &[Vec<usize>], gap: f64) -> bool {
    let mut group = vec![None; matrix.size()];
    for (number, ranks) in groups.iter().enumerate() {
        ranks.iter().for_each(|rank| group[*rank] = Some(number));
    }
    let (within, between): (Vec<_>, Vec<_>) =
        matrix.iter().partition(|(from, to, _)| group[*from] == group[*to]);
    let values =
        |cells: Vec<(usize, usize, f64)>| cells.into_iter().map(|(_, _, value)| value).collect::<Vec<_>>();
    let (within, between) = (values(within), values(between));
    let usual = super::polish::usual(within.iter().copied());
    let share = |cells: &[f64], wanted: &dyn Fn(f64) -> bool| {
        cells.iter().filter(|value| wanted(**value)).count() as f64 >= ALMOST_ALL * cells.len() as f64
    };
    share(&within, &|value| value < usual + gap) && share(&between, &|value| value > usual + gap)
}
