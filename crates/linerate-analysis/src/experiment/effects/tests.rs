use rstest::rstest;

use super::*;
use crate::experiment::design::{Design, cells};

/// Observations by block, plot, cell and value.
type Row = (usize, usize, Vec<usize>, f64);

fn analysed(rows: &[Row], levels: &[usize], hard: &[bool]) -> Effects {
    effects(&observations(rows), Factors { levels, hard }, 0.05).expect("observations that fit")
}

fn observations(rows: &[Row]) -> Vec<Observation<'_>> {
    rows.iter()
        .map(|(block, plot, cell, y)| Observation { block: *block, plot: *plot, cell, y: *y })
        .collect()
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

fn level(effects: &Effects, factor: usize, level: usize) -> (f64, Evidence) {
    let effect = effects.factors[factor].levels[level - 1];
    (effect.estimate.expect("an estimate"), effect.evidence.expect("a test"))
}

fn pair(effects: &Effects, factors: [usize; 2]) -> &PairEffect {
    effects.pairs.iter().find(|pair| pair.factors == factors).expect("every pair is there")
}

/// The filtration rate of Montgomery, Design and Analysis of Experiments, example 6.2.
fn filtration() -> Vec<Row> {
    let values = [45, 71, 48, 65, 68, 60, 80, 65, 43, 100, 45, 104, 75, 86, 70, 96];
    let cells = cells(&Design::TwoLevel, &[2; 4], 0).expect("a design").cells;
    cells.into_iter().zip(values).map(|(cell, value)| (0, 0, cell, f64::from(value))).collect()
}

#[test]
fn sixteen_runs_without_repetition_are_judged_by_lenth() {
    let effects = analysed(&filtration(), &[2; 4], &[]);
    assert!(effects.by_lenth);
    for (factor, expected) in [21.625, 3.125, 9.875, 14.625].into_iter().enumerate() {
        let (estimate, evidence) = level(&effects, factor, 1);
        near(estimate, expected, 1e-9);
        near(evidence.error, 2.625, 1e-9);
        near(evidence.freedom, 5.0, 0.0);
        near(evidence.interval[1] - estimate, 6.747_777, 1e-6);
    }
    for (factors, expected) in [([0, 1], 0.125), ([0, 2], -18.125), ([0, 3], 16.625), ([1, 2], 2.375)] {
        let pair = pair(&effects, factors);
        let effect = pair.effect.expect("two levels each");
        near(effect.estimate.expect("an estimate"), expected, 1e-9);
        let evidence = effect.evidence.expect("a test");
        let test = pair.test.expect("a test");
        near(evidence.t.powi(2), test.f, 1e-9);
        near(evidence.p, test.p, 1e-9);
    }
    let seen: Vec<bool> = (0..4).map(|factor| level(&effects, factor, 1).1.p < 0.05).collect();
    assert_eq!(seen, [true, false, true, true]);
}

fn squared() -> Vec<Row> {
    let cells = [([0, 0], [100, 104]), ([1, 0], [110, 113]), ([0, 1], [95, 98]), ([1, 1], [125, 121])];
    let both = |(cell, values): ([usize; 2], [i32; 2])| {
        values.map(|value| (0, 0, cell.to_vec(), f64::from(value).ln()))
    };
    cells.into_iter().flat_map(both).collect()
}

#[test]
fn ratios_of_two_factors_are_those_of_the_vector() {
    let effects = analysed(&squared(), &[2, 2], &[]);
    for (factor, ratio, p) in [(0, 1.180_445, 0.000_534), (1, 1.021_610, 0.261_536)] {
        let (estimate, evidence) = level(&effects, factor, 1);
        near(estimate.exp(), ratio, 1e-6);
        near(evidence.error, 0.016_368, 1e-6);
        near(evidence.freedom, 4.0, 0.0);
        near(evidence.p, p, 1e-6);
    }
    let pair = pair(&effects, [0, 1]);
    near(pair.effect.and_then(|effect| effect.estimate).expect("an estimate").exp(), 1.079_759, 1e-6);
    near(pair.test.expect("a test").p, 0.009_390, 1e-6);
    // Holm: 3 x .000534, 2 x .009390, .261536.
    near(level(&effects, 0, 1).1.adjusted, 0.001_602, 2e-6);
    near(pair.adjusted.expect("a test"), 0.018_780, 2e-6);
    near(level(&effects, 1, 1).1.adjusted, 0.261_536, 1e-6);
}

fn blocks(ignored: bool) -> Effects {
    let values = [[100, 104, 97, 110], [103, 108, 99, 115], [98, 103, 96, 108]];
    let mut rows = Vec::new();
    for (block, values) in values.into_iter().enumerate() {
        let block = if ignored { 0 } else { block };
        rows.extend(
            values.into_iter().enumerate().map(|(level, value)| (block, 0, vec![level], f64::from(value))),
        );
    }
    analysed(&rows, &[4], &[])
}

#[test]
fn blocks_are_taken_out() {
    let test = blocks(false).factors[0].test.expect("a test");
    near(test.squares, 319.583_333, 1e-6);
    assert_eq!(test.freedom, [3.0, 6.0]);
    near(test.f, 136.964_286, 1e-6);
    near(test.p, 6.486e-6, 1e-9);
    let noise = blocks(false).noise.expect("repeated");
    near(noise.deviation.powi(2) * noise.freedom, 4.666_667, 1e-6);
    let test = blocks(true).factors[0].test.expect("a test");
    near(test.f, 14.864_341, 1e-6);
    assert_eq!(test.freedom, [3.0, 8.0]);
}

/// Kernel and MTU: a plot is a boot.
fn boots() -> Vec<Row> {
    let plots = [(0, [100, 120]), (0, [104, 126]), (1, [90, 108]), (1, [94, 112])];
    let both = |(plot, (kernel, values)): (usize, (usize, [i32; 2]))| {
        [0, 1].map(|mtu| (0, plot, vec![kernel, mtu], f64::from(values[mtu])))
    };
    plots.into_iter().enumerate().flat_map(both).collect()
}

#[test]
fn a_hard_factor_is_tested_against_plots() {
    let effects = analysed(&boots(), &[2, 2], &[true, false]);
    let plots = effects.plot_noise.expect("a hard factor").expect("two plots a level");
    near(plots.deviation.powi(2) * plots.freedom, 41.0, 1e-9);
    let noise = effects.noise.expect("repeated");
    near(noise.deviation.powi(2) * noise.freedom, 1.0, 1e-9);
    let tests = [effects.factors[0].test, effects.factors[1].test, pair(&effects, [0, 1]).test];
    for (test, (squares, f, p)) in tests.into_iter().zip([
        (264.5, 12.902_439, 0.069_520),
        (760.5, 1521.0, 0.000_657),
        (4.5, 9.0, 0.095_466),
    ]) {
        let test = test.expect("a test");
        near(test.squares, squares, 1e-9);
        near(test.f, f, 1e-6);
        near(test.p, p, 1e-6);
        assert_eq!(test.freedom, [1.0, 2.0]);
    }
    near(level(&effects, 0, 1).0, -11.5, 1e-9);
    near(level(&effects, 0, 1).1.p, 0.069_520, 1e-6);
    near(level(&effects, 1, 1).1.t, 39.0, 1e-9);
    let ignored = analysed(&boots(), &[2, 2], &[]).factors[0].test.expect("a test");
    near(ignored.f, 25.190_476, 1e-6);
    near(ignored.p, 0.007_391, 1e-6);
}

#[test]
fn one_plot_a_level_is_no_test_of_a_hard_factor() {
    let mut rows = boots();
    rows.iter_mut().for_each(|row| row.1 = row.2[0]);
    let effects = analysed(&rows, &[2, 2], &[true, false]);
    let hard = effects.factors[0].levels[0];
    near(hard.estimate.expect("still an estimate"), -11.5, 1e-9);
    assert_eq!(hard.evidence, Err(Untested::OnePlotALevel));
    assert_eq!(effects.factors[0].test, Err(Untested::OnePlotALevel));
    assert!(effects.factors[1].test.is_ok() && pair(&effects, [0, 1]).test.is_ok());
}

/// An effect averaged over the other factor is the mean of the differences of cell means, whatever the
/// counts: its variance is a quarter of the sum of those of the cell means.
#[test]
fn lost_measurements_leave_the_effects_of_cell_means() {
    let mut rows = squared();
    rows.remove(7);
    rows.extend([(0, 0, vec![0, 1], 94.0_f64.ln()), (0, 0, vec![0, 1], 99.0_f64.ln())]);
    let of = |a: usize, b: usize| -> Vec<f64> {
        rows.iter().filter(|row| row.2 == [a, b]).map(|row| row.3).collect()
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let cells = [of(0, 0), of(1, 0), of(0, 1), of(1, 1)];
    let means: Vec<f64> = cells.iter().map(|cell| mean(cell)).collect();
    let squares: f64 =
        cells.iter().zip(&means).flat_map(|(cell, mean)| cell.iter().map(move |y| (y - mean).powi(2))).sum();
    let freedom = rows.len() as f64 - 4.0;
    let inverse: f64 = cells.iter().map(|cell| 1.0 / cell.len() as f64).sum();
    let error = (squares / freedom * inverse / 4.0).sqrt();
    let effects = analysed(&rows, &[2, 2], &[]);
    let (estimate, evidence) = level(&effects, 0, 1);
    near(estimate, (means[1] - means[0] + means[3] - means[2]) / 2.0, 1e-12);
    near(evidence.error, error, 1e-12);
    near(evidence.freedom, freedom, 0.0);
    near(effects.factors[0].test.expect("a test").f, evidence.t.powi(2), 1e-8);
    let interaction = pair(&effects, [0, 1]).effect.and_then(|effect| effect.estimate).expect("an estimate");
    near(interaction, (means[3] - means[2] - means[1] + means[0]) / 2.0, 1e-12);
}

/// Two levels by three, twice each: the sums of squares of the book (two-way analysis of variance).
#[test]
fn pairs_of_more_levels_have_an_f_test() {
    let values = [[[12.0, 14.0], [15.0, 18.0], [20.0, 19.0]], [[11.0, 13.0], [19.0, 17.0], [30.0, 27.0]]];
    let mut rows = Vec::new();
    for (a, cells) in values.iter().enumerate() {
        for (b, cell) in cells.iter().enumerate() {
            rows.extend(cell.iter().map(|y| (0, 0, vec![a, b], *y)));
        }
    }
    let mean = |kept: &dyn Fn(&Row) -> bool| {
        let kept: Vec<f64> = rows.iter().filter(|row| kept(row)).map(|row| row.3).collect();
        kept.iter().sum::<f64>() / kept.len() as f64
    };
    let grand = mean(&|_| true);
    let (mut main, mut both, mut rest) = (0.0, 0.0, 0.0);
    for row in &rows {
        let of_a = mean(&|other| other.2[0] == row.2[0]);
        let of_b = mean(&|other| other.2[1] == row.2[1]);
        let of_cell = mean(&|other| other.2 == row.2);
        main += (of_b - grand).powi(2);
        both += (of_cell - of_a - of_b + grand).powi(2);
        rest += (row.3 - of_cell).powi(2);
    }
    let effects = analysed(&rows, &[2, 3], &[]);
    let pair = pair(&effects, [0, 1]);
    assert_eq!(pair.effect, None);
    let test = pair.test.expect("a test");
    assert_eq!(test.freedom, [2.0, 6.0]);
    near(test.f, (both / 2.0) / (rest / 6.0), 1e-9);
    near(effects.factors[1].test.expect("a test").f, (main / 2.0) / (rest / 6.0), 1e-9);
    near(level(&effects, 1, 2).0, mean(&|row| row.2[1] == 2) - mean(&|row| row.2[1] == 0), 1e-12);
}

fn with_values(cells: &[Vec<usize>], blocks: usize) -> Vec<Row> {
    let value = |block: usize, index: usize| ((block * 31 + index * 17) % 13) as f64;
    let row = |block: usize| {
        cells.iter().enumerate().map(move |(index, cell)| (block, 0, cell.clone(), value(block, index)))
    };
    (0..blocks).flat_map(row).collect()
}

#[test]
fn a_fraction_says_which_effects_share_an_estimate() {
    let cells = cells(&Design::Fraction { runs: 8 }, &[2; 4], 0).expect("a design").cells;
    let effects = analysed(&with_values(&cells, 2), &[2; 4], &[]);
    assert_eq!(pair(&effects, [0, 1]).aliases, [[2, 3]]);
    assert!(pair(&effects, [0, 1]).test.is_ok());
    assert_eq!(pair(&effects, [2, 3]).test, Err(Untested::Confounded));
    assert!(effects.factors.iter().all(|factor| factor.aliases.is_empty() && factor.test.is_ok()));
    let cells =
        crate::experiment::design::cells(&Design::Fraction { runs: 4 }, &[2; 3], 0).expect("a design").cells;
    let effects = analysed(&with_values(&cells, 2), &[2; 3], &[]);
    assert_eq!(effects.factors[0].aliases, [[1, 2]]);
    assert!(effects.pairs.iter().all(|pair| pair.test == Err(Untested::Confounded)));
}

#[test]
fn factors_that_always_change_together_are_not_told_apart() {
    let cells = [vec![0, 0, 0], vec![1, 1, 0], vec![0, 0, 2], vec![1, 1, 1]];
    let effects = analysed(&with_values(&cells, 3), &[2, 2, 3], &[]);
    for factor in [0, 1] {
        assert_eq!(effects.factors[factor].levels[0].evidence, Err(Untested::Confounded));
        assert_eq!(effects.factors[factor].test, Err(Untested::Confounded));
    }
    // Level 1 was measured with the others up only, and level 2 with them down only.
    assert!(effects.factors[2].test.is_ok(), "{:?}", effects.factors[2]);
}

#[test]
fn equal_values_show_nothing() {
    let cells = cells(&Design::TwoLevel, &[2; 3], 0).expect("a design").cells;
    let mut rows = with_values(&cells, 3);
    rows.iter_mut().for_each(|row| row.3 = 0.1);
    let effects = analysed(&rows, &[2; 3], &[]);
    let tests = effects.factors.iter().map(|factor| factor.test);
    assert!(
        tests.chain(effects.pairs.iter().map(|pair| pair.test)).all(|test| test.expect("a test").p == 1.0)
    );
    assert_eq!(effects.outliers(0.05), [0_usize; 0]);
    // Some lost, so that nothing is balanced.
    rows.drain(3..8);
    let effects = analysed(&rows, &[2; 3], &[]);
    assert!(effects.factors.iter().all(|factor| factor.test.expect("a test").p == 1.0));
    assert!(
        (0..3).all(|factor| level(&effects, factor, 1).0 == 0.0 && level(&effects, factor, 1).1.p == 1.0)
    );
    // A model without noise: what differs differs for certain.
    rows.iter_mut().for_each(|row| row.3 += 0.2 * row.2[1] as f64);
    let effects = analysed(&rows, &[2; 3], &[]);
    let p: Vec<f64> = (0..3).map(|factor| level(&effects, factor, 1).1.p).collect();
    assert_eq!(p, [1.0, 0.0, 1.0]);
}

/// Four boots of two kernels, in each two of the eight combinations of kernel and two easy factors.
#[test]
fn a_hard_factor_keeps_its_plots_where_nothing_else_is_repeated() {
    let plots = [(0, [[0, 0], [1, 1]]), (0, [[1, 0], [0, 1]]), (1, [[0, 0], [1, 1]]), (1, [[1, 0], [0, 1]])];
    let mut rows = Vec::new();
    for (plot, (kernel, cells)) in plots.into_iter().enumerate() {
        let row = |(nth, [one, other]): (usize, [usize; 2])| {
            let y = 10.0 * one as f64 + ((plot * 5 + nth * 3) % 7) as f64;
            (0, plot, vec![kernel, one, other], y)
        };
        rows.extend(cells.into_iter().enumerate().map(row));
    }
    let effects = analysed(&rows, &[2; 3], &[true, false, false]);
    assert!(effects.by_lenth);
    let plot_noise = effects.plot_noise.expect("a hard factor").expect("two plots a level");
    let test = effects.factors[0].test.expect("two plots a level");
    near(test.f, test.squares / plot_noise.deviation.powi(2), 1e-9);
    let evidence = level(&effects, 1, 1).1;
    near(evidence.error, effects.noise.expect("by Lenth").deviation, 0.0);
}

#[rstest]
#[case::one_at_a_time(Design::OneAtATime)]
#[case::too_few_random_cells(Design::Random { cells: 7 })]
fn cells_that_cannot_tell_pairs_apart_leave_them_out(#[case] design: Design) {
    let cells = cells(&design, &[2, 3, 2, 2], 5).expect("a design").cells;
    let effects = analysed(&with_values(&cells, 3), &[2, 3, 2, 2], &[]);
    assert!(effects.pairs.iter().all(|pair| pair.test == Err(Untested::Confounded)));
    assert!(effects.factors.iter().all(|factor| factor.test.is_ok()), "{:?}", effects.factors);
}

#[test]
fn what_was_not_measured_or_not_repeated_says_so() {
    let cells = [vec![0, 0], vec![1, 0], vec![0, 1], vec![1, 1], vec![0, 2]];
    let effects = analysed(&with_values(&cells[..4], 2), &[2, 3], &[]);
    assert_eq!(effects.factors[1].levels[1].evidence, Err(Untested::NotMeasured));
    assert!(effects.factors[1].levels[0].evidence.is_ok());
    let effects = analysed(&with_values(&cells[..2], 1), &[2, 3], &[]);
    assert_eq!(effects.factors[1].test, Err(Untested::NotMeasured));
    assert_eq!(effects.factors[0].levels[0].evidence, Err(Untested::NoRepetition));
    assert!(effects.factors[0].levels[0].estimate.is_some());
    let without_base = analysed(&with_values(&[vec![1], vec![2]], 2), &[3], &[]);
    assert_eq!(without_base.factors[0].levels[0].evidence, Err(Untested::NotMeasured));
    // A level that only one block has is told from it by the levels that both have.
    let mut later = with_values(&cells[..4], 2);
    later.push((1, 0, vec![0, 2], 5.0));
    let effects = analysed(&later, &[2, 3], &[]);
    assert!(effects.factors[1].levels[1].evidence.is_ok(), "{:?}", effects.factors[1]);
    // If it is all that the block has, it is not.
    later.last_mut().expect("a row").0 = 2;
    let effects = analysed(&later, &[2, 3], &[]);
    assert_eq!(effects.factors[1].levels[1].evidence, Err(Untested::Confounded));
    assert!(effects.factors[1].levels[0].evidence.is_ok(), "{:?}", effects.factors[1]);
}

#[test]
fn observations_that_do_not_fit_are_refused() {
    let factors = Factors { levels: &[2, 2], hard: &[] };
    let refused = |cell: &[usize], y: f64| {
        effects(&[Observation { block: 0, plot: 0, cell, y }], factors, 0.05).expect_err("does not fit")
    };
    assert_eq!(refused(&[0], 1.0), EffectsError::WrongLength { index: 0, found: 1, expected: 2 });
    assert_eq!(refused(&[0, 2], 1.0), EffectsError::NoSuchLevel { index: 0, factor: 1, level: 2 });
    assert_eq!(refused(&[0, 0], f64::NEG_INFINITY), EffectsError::NotFinite { index: 0 });
    assert_eq!(effects(&[], factors, 0.05), Err(EffectsError::NoObservations));
}

#[test]
fn an_outlier_is_pointed_at() {
    let mut rows = with_values(&cells(&Design::TwoLevel, &[2; 3], 0).expect("a design").cells, 3);
    assert_eq!(analysed(&rows, &[2; 3], &[]).outliers(0.05), [0_usize; 0]);
    rows[9].3 += 60.0;
    let effects = analysed(&rows, &[2; 3], &[]);
    assert_eq!(effects.outliers(0.05), [9]);
}

#[test]
fn the_best_cell_comes_with_those_as_good() {
    let mut rows = Vec::new();
    for (block, shift) in [0.0, 5.0, -3.0].into_iter().enumerate() {
        for (level, mean) in [10.0, 20.0, 20.1, 12.0].into_iter().enumerate() {
            let noise = [0.1, -0.2, 0.1][(block + level) % 3];
            rows.push((block, 0, vec![level], mean + shift + noise));
        }
    }
    let factors = Factors { levels: &[4], hard: &[] };
    let best = best(&observations(&rows), factors, true).expect("a best cell");
    assert_eq!(best.cell, [2]);
    assert_eq!(best.as_good(0.05).map(|other| other.cell.clone()).collect::<Vec<_>>(), [[1]]);
    near(best.others[0].difference.expect("the same blocks"), -0.1, 1e-9);
    assert_eq!(best.others.last().map(|other| other.cell.clone()), Some(vec![0]));
    let least = super::best(&observations(&rows), factors, false).expect("a best cell");
    assert_eq!(least.cell, [0]);
    assert_eq!(least.as_good(0.05).count(), 0);
}

#[test]
fn cells_of_blocks_with_nothing_in_common_cannot_be_told_apart() {
    let rows = [(0, 0, vec![0], 3.0), (0, 0, vec![0], 4.0), (1, 0, vec![1], 1.0), (1, 0, vec![1], 2.0)];
    let factors = Factors { levels: &[2], hard: &[] };
    for (higher_is_better, expected) in [(true, [0]), (false, [1])] {
        let best = best(&observations(&rows), factors, higher_is_better).expect("a best cell");
        assert_eq!(best.cell, expected);
        assert_eq!((best.others[0].difference, best.as_good(0.05).count()), (None, 1));
    }
}
