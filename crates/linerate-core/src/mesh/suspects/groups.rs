//! Ranks that are near each other: groups within which all is fast, and between which it is not.

use super::super::matrix::Matrix;

/// The groups of ranks in a symmetric `matrix` of logarithms, if they are at least two with at least two members each,
/// and what is between them is above what is within them by more than `gap` almost everywhere. Ranks that nothing was
/// measured of belong to the last group.
///
/// Clusters are joined by the mean between them (average linkage), as far as the mean jumps.
pub(super) fn groups(matrix: &Matrix, gap: f64) -> Option<Vec<Vec<usize>>> {
    let size = matrix.size();
    let overall = matrix.median()?;
    let mut clusters: Vec<Vec<usize>> = (0..size).map(|rank| vec![rank]).collect();
    let between = |one: usize, other: usize| matrix.get(one, other).unwrap_or(overall);
    let mut means: Vec<Vec<f64>> =
        (0..size).map(|one| (0..size).map(|other| between(one, other)).collect()).collect();
    // The clusters before each joining, and how far apart the two were.
    let mut joined: Vec<(f64, Vec<Vec<usize>>)> = Vec::new();
    while clusters.len() > 1 {
        let (one, other) = nearest(&means);
        // More members than a few dozen clusters say nothing new about the top of the tree.
        if clusters.len() <= MOST_KEPT {
            joined.push((means[one][other], clusters.clone()));
        }
        let (a, b) = (clusters[one].len() as f64, clusters[other].len() as f64);
        for third in (0..clusters.len()).filter(|third| *third != one && *third != other) {
            let mean = means[one][third].mul_add(a, means[other][third] * b) / (a + b);
            (means[one][third], means[third][one]) = (mean, mean);
        }
        let moved = clusters.remove(other);
        clusters[one].extend(moved);
        means.remove(other);
        for row in &mut means {
            row.remove(other);
        }
    }
    let jump = |place: usize| joined[place].0 - joined[place - 1].0;
    let highest = (1..joined.len()).max_by(|one, other| jump(*one).total_cmp(&jump(*other)))?;
    let mut groups = joined.swap_remove(highest).1;
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups.sort();
    let several = groups.len() >= 2 && groups.iter().all(|group| group.len() >= 2);
    (several && apart(matrix, &groups, gap)).then_some(groups)
}

/// How many of the last joinings are looked at.
const MOST_KEPT: usize = 64;
/// The share of the pairs that must lie on their side.
const ALMOST_ALL: f64 = 0.9;

fn nearest(means: &[Vec<f64>]) -> (usize, usize) {
    let pairs = (0..means.len()).flat_map(|one| (one + 1..means.len()).map(move |other| (one, other)));
    let nearer = |a: &(usize, usize), b: &(usize, usize)| means[a.0][a.1].total_cmp(&means[b.0][b.1]);
    pairs.min_by(nearer).unwrap_or_default()
}

/// Whether what is between the groups is above what is within them.
fn apart(matrix: &Matrix, groups: &[Vec<usize>], gap: f64) -> bool {
    let group = |rank: usize| groups.iter().position(|group| group.contains(&rank));
    let (within, between): (Vec<_>, Vec<_>) =
        matrix.iter().partition(|(from, to, _)| group(*from) == group(*to));
    let values =
        |cells: Vec<(usize, usize, f64)>| cells.into_iter().map(|(_, _, value)| value).collect::<Vec<_>>();
    let (within, between) = (values(within), values(between));
    let usual = super::polish::median(within.clone());
    let share = |cells: &[f64], wanted: &dyn Fn(f64) -> bool| {
        cells.iter().filter(|value| wanted(**value)).count() as f64 >= ALMOST_ALL * cells.len() as f64
    };
    share(&within, &|value| value < usual + gap) && share(&between, &|value| value > usual + gap)
}
