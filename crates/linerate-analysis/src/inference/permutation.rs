//! Exact permutation of whole runs, for many questions at once.

use rand::RngExt;
use rand_pcg::Pcg64;

use super::ALPHA;

/// With more splits than this, as many are drawn at random.
const MOST_SPLITS: usize = 20_000;
/// Two statistics that differ by less are equal: the order of summation decides their last digits.
const TOLERANCE: f64 = 1e-9;

/// What the permutation of whole runs says of each question.
#[derive(Clone, Debug, PartialEq)]
pub struct Permutation {
    /// The probability of each by itself.
    pub p: Vec<f64>,
    /// Each corrected over all questions by step-down max-T.
    pub adjusted: Vec<f64>,
    /// How many splits were looked at.
    pub splits: usize,
    /// Whether these are all that there are.
    pub exact: bool,
}

/// Splits the runs of both sides in every way into as many for one and for the other, and compares
/// |t| (Welch) of each question with what the splits give.
///
/// `first` and `second` hold a row for each run, and a row a value for each question. Whole runs are
/// exchanged, so what moves together in a run stays together, and a few runs serve for any number of
/// questions. With more than 20,000 splits as many are drawn with one seed, and p = (c + 1)/(B + 1).
/// Absent if either side has fewer than two runs.
///
/// Source: Westfall and Young, Resampling-Based Multiple Testing (1993), step-down max-T.
///
/// # Panics
///
/// If rows differ in length.
#[must_use]
pub fn permute(first: &[Vec<f64>], second: &[Vec<f64>]) -> Option<Permutation> {
    if first.len() < 2 || second.len() < 2 {
        return None;
    }
    let rows: Vec<&[f64]> = first.iter().chain(second).map(Vec::as_slice).collect();
    let questions = rows[0].len();
    assert!(rows.iter().all(|row| row.len() == questions), "every run answers every question");
    let observed_split: Vec<usize> = (0..first.len()).collect();
    let observed = statistics(&rows, &observed_split);
    let mut order: Vec<usize> = (0..questions).collect();
    order.sort_by(|one, other| observed[*other].total_cmp(&observed[*one]));

    let mut alone = vec![0_usize; questions];
    let mut together = vec![0_usize; questions];
    let mut count = |split: &[usize]| {
        let found = statistics(&rows, split);
        let mut largest = 0.0_f64;
        for index in order.iter().rev() {
            largest = largest.max(found[*index]);
            alone[*index] += usize::from(reaches(found[*index], observed[*index]));
            together[*index] += usize::from(reaches(largest, observed[*index]));
        }
    };
    let (looked_at, exact) = each_split(rows.len(), first.len(), &mut count);
    let share = |counted: usize| counted as f64 / looked_at as f64;
    let mut adjusted = vec![1.0; questions];
    let mut least = 0.0_f64;
    for index in order {
        least = least.max(share(together[index]));
        adjusted[index] = least;
    }
    Some(Permutation { p: alone.into_iter().map(share).collect(), adjusted, splits: looked_at, exact })
}

/// The |t| (Welch) that the largest of all questions exceeds in 5 % of the splits at most, where the two
/// sides do not differ: how many standard errors wide intervals must be that hold for all questions
/// together. From the residuals of the runs about the mean of their side. Absent if either side has
/// fewer than two runs.
///
/// Source: Westfall and Young, Resampling-Based Multiple Testing (1993), section 4.3.
///
/// # Panics
///
/// If rows differ in length.
#[must_use]
pub fn joint_limit(first: &[Vec<f64>], second: &[Vec<f64>]) -> Option<f64> {
    if first.len() < 2 || second.len() < 2 {
        return None;
    }
    let residuals = [centred(first), centred(second)].concat();
    let rows: Vec<&[f64]> = residuals.iter().map(Vec::as_slice).collect();
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "every run answers every question");
    let mut largest = Vec::new();
    each_split(rows.len(), first.len(), &mut |split| {
        largest.push(statistics(&rows, split).into_iter().fold(0.0, f64::max));
    });
    largest.sort_by(|one, other| other.total_cmp(one));
    largest.get((ALPHA * largest.len() as f64) as usize).copied()
}

/// The runs of a side less their mean.
fn centred(runs: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mean = |question: usize| runs.iter().map(|run| run[question]).sum::<f64>() / runs.len() as f64;
    let means: Vec<f64> = (0..runs[0].len()).map(mean).collect();
    runs.iter().map(|run| run.iter().zip(&means).map(|(value, mean)| value - mean).collect()).collect()
}

/// Calls `visit` with every split, or with the observed one and others drawn at random if there are too
/// many; how many, and whether these are all.
fn each_split(all: usize, taken: usize, visit: &mut dyn FnMut(&[usize])) -> (usize, bool) {
    if let Some(splits) = splits(all, taken) {
        splits.iter().for_each(|split| visit(split));
        return (splits.len(), true);
    }
    let observed: Vec<usize> = (0..taken).collect();
    visit(&observed);
    let mut random = Pcg64::new(1, 5);
    (1..MOST_SPLITS).for_each(|_| visit(&drawn(all, taken, &mut random)));
    (MOST_SPLITS, false)
}

/// Whether `value` is at least `observed`, as far as rounding lets one tell.
fn reaches(value: f64, observed: f64) -> bool {
    value == observed || value >= observed - TOLERANCE * observed.abs()
}

/// |t| (Welch) of every question when the runs of `split` are one side and the others the other.
fn statistics(rows: &[&[f64]], split: &[usize]) -> Vec<f64> {
    let mut side = vec![1_usize; rows.len()];
    split.iter().for_each(|run| side[*run] = 0);
    let counts = [split.len() as f64, (rows.len() - split.len()) as f64];
    let sums = |of: &dyn Fn(&[f64], usize) -> f64| {
        let mut sums = [0.0; 2];
        rows.iter().zip(&side).for_each(|(row, side)| sums[*side] += of(row, *side));
        sums
    };
    let statistic = |question: usize| {
        let total = sums(&|row, _| row[question]);
        let means = [total[0] / counts[0], total[1] / counts[1]];
        let squares = sums(&|row, side| (row[question] - means[side]).powi(2));
        let error =
            (0..2).map(|side| squares[side] / (counts[side] - 1.0) / counts[side]).sum::<f64>().sqrt();
        let difference = means[1] - means[0];
        if difference == 0.0 { 0.0 } else { (difference / error).abs() }
    };
    (0..rows[0].len()).map(statistic).collect()
}

/// Every way to choose `taken` of `all`, each sorted, or none if they are too many.
fn splits(all: usize, taken: usize) -> Option<Vec<Vec<usize>>> {
    let ways = (0..taken).try_fold(1_usize, |ways, nth| Some(ways.checked_mul(all - nth)? / (nth + 1)))?;
    if ways > MOST_SPLITS {
        return None;
    }
    let mut found = Vec::with_capacity(ways);
    let mut split: Vec<usize> = (0..taken).collect();
    loop {
        found.push(split.clone());
        // The last place that can still move on, and after it the next ones in a row.
        let Some(place) = (0..taken).rev().find(|place| split[*place] < all - taken + place) else {
            return Some(found);
        };
        split[place] += 1;
        for after in place + 1..taken {
            split[after] = split[after - 1] + 1;
        }
    }
}

/// `taken` of `all`, drawn at random and sorted.
fn drawn(all: usize, taken: usize, random: &mut Pcg64) -> Vec<usize> {
    let mut runs: Vec<usize> = (0..all).collect();
    for place in 0..taken {
        runs.swap(place, random.random_range(place..all));
    }
    runs.truncate(taken);
    runs.sort_unstable();
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ln(rows: &[&[f64]]) -> Vec<Vec<f64>> {
        rows.iter().map(|row| row.iter().map(|value| value.ln()).collect()).collect()
    }

    fn near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
        }
    }

    #[test]
    fn single_questions_have_the_exact_p_of_published_vectors() {
        let a = ln(&[&[100.0], &[102.0], &[98.0], &[101.0]]);
        let b = ln(&[&[105.0], &[107.0], &[103.0], &[108.0]]);
        let c = ln(&[&[101.0], &[104.0], &[99.0], &[106.0]]);
        for (other, p) in [(b, 2.0 / 70.0), (c, 20.0 / 70.0)] {
            let found = permute(&a, &other).expect("four and four");
            near(&found.p, &[p]);
            assert!(found.exact && found.splits == 70, "{found:?}");
        }
        let (three, five) = (ln(&[&[100.0], &[102.0], &[98.0]]), [101.0, 105.0, 103.0, 99.5, 107.0]);
        let five: Vec<Vec<f64>> = five.iter().map(|value: &f64| vec![value.ln()]).collect();
        near(&permute(&three, &five).expect("three and five").p, &[9.0 / 56.0]);
    }

    #[test]
    fn many_sizes_are_corrected_by_whole_curves() {
        let a = ln(&[
            &[100.0, 200.0, 300.0],
            &[102.0, 204.0, 310.0],
            &[98.0, 199.0, 305.0],
            &[101.0, 203.0, 298.0],
        ]);
        let b = ln(&[
            &[106.0, 203.0, 301.0],
            &[107.0, 206.0, 309.0],
            &[104.0, 201.0, 304.0],
            &[108.0, 207.0, 299.0],
        ]);
        let found = permute(&a, &b).expect("four and four");
        near(&found.p, &[2.0 / 70.0, 14.0 / 70.0, 66.0 / 70.0]);
        near(&found.adjusted, &[0.028_571_43, 0.4, 0.942_857_14]);
    }

    #[test]
    fn the_least_p_is_two_of_all_splits() {
        for (each, ways) in [(2_u32, 6.0), (3, 20.0), (5, 252.0)] {
            let rows =
                |from: f64| (0..each).map(|nth| vec![from + 0.01 * f64::from(nth)]).collect::<Vec<_>>();
            near(&permute(&rows(0.0), &rows(1.0)).expect("runs").p, &[2.0 / ways]);
        }
    }

    #[test]
    fn too_many_splits_are_drawn_and_the_observed_one_is_among_them() {
        let rows = |from: f64| (0..12).map(|nth| vec![from + 0.01 * f64::from(nth)]).collect::<Vec<_>>();
        let found = permute(&rows(0.0), &rows(1.0)).expect("twelve and twelve");
        assert!(!found.exact && found.splits == MOST_SPLITS, "{found:?}");
        near(&found.p, &[1.0 / MOST_SPLITS as f64]);
        assert_eq!(permute(&rows(0.0), &rows(1.0)), Some(found), "one seed, one answer");
        assert_eq!(permute(&rows(0.0)[..1], &rows(1.0)), None, "one run has no spread");
    }

    #[test]
    fn values_without_spread_are_counted_too() {
        let same = |value: f64| vec![vec![value]; 4];
        near(&permute(&same(1.0), &same(2.0)).expect("runs").p, &[2.0 / 70.0]);
        near(&permute(&same(1.0), &same(1.0)).expect("runs").p, &[1.0]);
    }
}
