//! The cells of a heat map: times of one pattern as ratios, by size and by run.

use std::collections::BTreeMap;

use linerate_analysis::changes::{FigureHistory, Verdict};
use linerate_core::pattern::Pattern;

use super::super::text::count;
use super::level::drifts;
use super::{PathHistory, dates, median};

/// At most this many columns and rows are drawn.
const COLUMNS: usize = 400;
const ROWS: usize = 300;
/// Without a baseline and a stable stretch, this many runs are what the others are held against.
const FIRST: usize = 10;
/// A stretch of fewer runs is no level to hold others against.
const ENOUGH: usize = 5;

/// A heat map as numbers.
pub(super) struct Grid {
    /// The first and the last run of each column.
    pub(super) columns: Vec<[usize; 2]>,
    /// The first and the last size of each row. Unit: bytes.
    pub(super) rows: Vec<[u64; 2]>,
    /// By row and then by column: time over that of the reference, if both are known.
    pub(super) ratios: Vec<Vec<Option<f64>>>,
    /// What the reference is.
    pub(super) reference: String,
}

impl Grid {
    /// That of a pattern. Absent unless two runs have a curve of it.
    pub(super) fn of(path: &PathHistory, pattern: Pattern) -> Option<Self> {
        let curves = path.curves.get(&pattern).filter(|curves| curves.len() > 1)?;
        let (reference, times) = reference(path, pattern);
        let sizes: Vec<u64> = times.keys().copied().collect();
        if sizes.is_empty() {
            return None;
        }
        let columns = bins(path.runs.len(), COLUMNS);
        let rows = bins(sizes.len(), ROWS);
        let [wide, high] = [&columns, &rows].map(|bins| bins[0][1] + 1);
        let row_of: BTreeMap<u64, (usize, f64)> =
            times.iter().enumerate().map(|(nth, (size, us))| (*size, (nth / high, *us))).collect();
        let mut cells = vec![vec![Vec::new(); columns.len()]; rows.len()];
        for (run, curve) in curves.iter().filter(|(run, _)| *run < path.runs.len()) {
            for (size, us) in curve {
                let Some((row, expected)) = row_of.get(size) else { continue };
                cells[*row][run / wide].push(us / expected);
            }
        }
        let ratio = |cell: Vec<f64>| median(cell).filter(|ratio| *ratio > 0.0);
        Some(Self {
            columns,
            rows: rows.iter().map(|[first, last]| [sizes[*first], sizes[*last]]).collect(),
            ratios: cells.into_iter().map(|row| row.into_iter().map(ratio).collect()).collect(),
            reference,
        })
    }
}

/// So many things in at most `most` bins, all but the last with as many: the first and the last of each.
fn bins(number: usize, most: usize) -> Vec<[usize; 2]> {
    let each = number.div_ceil(most).max(1);
    (0..number).step_by(each).map(|first| [first, (first + each).min(number) - 1]).collect()
}

/// What the times are held against, in words and by size: the baseline; without one the first stable
/// stretch; without that the first runs that have a curve.
fn reference(path: &PathHistory, pattern: Pattern) -> (String, BTreeMap<u64, f64>) {
    let curves = &path.curves[&pattern];
    let of = |wanted: &dyn Fn(usize) -> bool| {
        curves.iter().filter(|(run, _)| wanted(*run)).collect::<Vec<&(usize, BTreeMap<u64, f64>)>>()
    };
    let baseline = of(&|run| path.runs.get(run).is_some_and(|run| run.baseline));
    if !baseline.is_empty() {
        let runs = count(baseline.len() as u64, "run");
        return (format!("the baseline, the middle of {runs}"), middle(&baseline));
    }
    let stretch = stable(path, pattern).unwrap_or([1, 0]);
    let curves_of = of(&|run| (stretch[0]..=stretch[1]).contains(&run));
    if !curves_of.is_empty() {
        let [from, to] = stretch.map(|run| path.runs.get(run).map_or(0, |run| run.started_us));
        let runs = count(curves_of.len() as u64, "run");
        let when = format!("{} to {}", dates::day(from), dates::day(to));
        return (format!("the first stable stretch, {when}, the middle of {runs}"), middle(&curves_of));
    }
    let first: Vec<_> = curves.iter().take(FIRST).collect();
    (format!("the first runs, the middle of {}", count(first.len() as u64, "run")), middle(&first))
}

/// The stretch with enough runs that ends first among the figures of a pattern, up to where it begins to
/// drift: its first and last run.
fn stable(path: &PathHistory, pattern: Pattern) -> Option<[usize; 2]> {
    let of_pattern =
        |figure: &&FigureHistory| figure.key.subject == pattern.name() && figure.verdict != Verdict::TooFew;
    let figures = path.changes.figures.iter().filter(of_pattern);
    let first = figures.filter_map(|figure| {
        let stretch = figure.stretches.iter().find(|stretch| stretch.runs >= ENOUGH)?;
        let last = drifts(figure, stretch).next().map_or(stretch.last, |drift| drift.from);
        (last - stretch.first + 1 >= ENOUGH).then_some([stretch.first, last])
    });
    first.min_by_key(|[first, last]| (*last, *first))
}

/// The median of each size of these curves. Unit: us.
pub(super) fn middle(curves: &[&(usize, BTreeMap<u64, f64>)]) -> BTreeMap<u64, f64> {
    let mut times: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (size, us) in curves.iter().flat_map(|(_, curve)| curve) {
        times.entry(*size).or_default().push(*us);
    }
    let middle = |(size, times)| Some((size, median(times).filter(|us| *us > 0.0)?));
    times.into_iter().filter_map(middle).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{history, step};
    use super::*;

    /// The cells of the row with a size, in a column.
    fn cells(grid: &Grid, size: u64) -> &[Option<f64>] {
        let row = grid.rows.iter().position(|[first, last]| (*first..=*last).contains(&size));
        &grid.ratios[row.expect("the size is drawn")]
    }

    #[test]
    fn ratios_are_to_the_baseline_and_show_the_step_where_it_is() {
        let path = history(60, 100);
        let grid = Grid::of(&path, Pattern::PingPong).expect("it has curves");
        assert_eq!((grid.columns.len(), grid.rows.len()), (60, path.curves[&Pattern::PingPong][0].1.len()));
        assert!(grid.reference.starts_with("the baseline, the middle of 9 runs"), "{}", grid.reference);
        for (run, ratio) in cells(&grid, 1).iter().enumerate() {
            let expected = if run >= step(60) { 1.12 } else { 1.0 };
            match ratio {
                Some(ratio) => assert!((ratio / expected - 1.0).abs() < 0.05, "{run}: {ratio}"),
                None => assert_eq!(run % 9, 4, "a run without a curve is a gap"),
            }
        }
        let largest = grid.rows.last().expect("a row")[1];
        assert!(cells(&grid, largest).iter().flatten().all(|ratio| (ratio - 1.0).abs() < 0.05));
    }

    #[test]
    fn without_a_baseline_the_first_stable_stretch_counts_and_without_that_the_first_runs() {
        let mut path = history(60, 20);
        path.runs.iter_mut().for_each(|run| run.baseline = false);
        let grid = Grid::of(&path, Pattern::PingPong).expect("it has curves");
        let expected = "the first stable stretch, 2026-01-01 to 2026-02-05, the middle of 32 runs";
        assert_eq!(grid.reference, expected);
        let few = Grid::of(&history(3, 20), Pattern::PingPong).expect("it has curves");
        assert_eq!(few.reference, "the first runs, the middle of 3 runs");
    }

    #[test]
    fn many_runs_and_sizes_are_put_together() {
        assert_eq!(bins(5, 2), [[0, 2], [3, 4]]);
        assert_eq!(bins(4, 4), [[0, 0], [1, 1], [2, 2], [3, 3]]);
        assert_eq!(bins(0, 4), [[0; 2]; 0]);
        assert!(bins(10_000, COLUMNS).len() <= COLUMNS);
        let path = history(450, 4);
        let grid = Grid::of(&path, Pattern::PingPong).expect("it has curves");
        assert_eq!(grid.columns[..2], [[0, 1], [2, 3]]);
        let [first, last] = [grid.ratios[0][0], grid.ratios[0][grid.columns.len() - 1]];
        let ratio = last.expect("a run") / first.expect("a run");
        assert!((ratio / 1.12 - 1.0).abs() < 0.05, "{ratio}");
    }

    #[test]
    fn without_a_curve_there_is_nothing_to_draw() {
        let mut path = history(20, 20);
        path.curves.get_mut(&Pattern::PingPong).expect("it has curves").clear();
        assert!(Grid::of(&path, Pattern::PingPong).is_none());
        path.curves.clear();
        assert!(Grid::of(&path, Pattern::PingPong).is_none());
    }
}
