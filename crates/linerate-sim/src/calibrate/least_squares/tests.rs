//! Closed forms, and known hard problems with their published minima: Moré, Garbow, Hillstrom, "Testing unconstrained
//! optimization software", ACM Trans. Math. Softw. 7, 1981, by their numbers there (MGH).

use std::cell::Cell;

use super::*;

const LIMITS: Limits = Limits { tolerance: 1e-14, evaluations: 500 };

/// Slopes by differences to both sides.
fn differences(residuals: impl Fn(&[f64]) -> Vec<f64>, at: &[f64]) -> Vec<Vec<f64>> {
    let column = |nth: usize| {
        let step = 6e-6 * at[nth].abs().max(1e-3);
        let beside = |step: f64| {
            let mut at = at.to_vec();
            at[nth] += step;
            residuals(&at)
        };
        sum(&beside(step), &beside(-step), -1.0).iter().map(|change| change / (2.0 * step)).collect()
    };
    (0..at.len()).map(column).collect()
}

fn least(start: &[f64], residuals: impl Fn(&[f64]) -> Vec<f64>) -> Minimum {
    let found =
        minimize(start.to_vec(), LIMITS, |at| Some(residuals(at)), |at| Some(differences(&residuals, at)));
    found.expect("the start has residuals")
}

#[track_caller]
fn assert_near(found: &[f64], expected: &[f64], share: f64) {
    for (found_one, expected_one) in zip(found, expected) {
        assert!(
            (found_one - expected_one).abs() <= share * expected_one.abs(),
            "{found:?}, not {expected:?}"
        );
    }
}

#[test]
fn a_weighted_line_is_that_of_the_closed_form() {
    let points = [(0.0, 1.2, 0.1), (1.0, 2.9, 0.2), (2.0, 5.3, 0.1), (4.0, 9.0, 0.4)];
    let found =
        least(&[7.0, -3.0], |at| points.map(|(x, y, sigma)| (at[0] + at[1] * x - y) / sigma).to_vec());
    let moment =
        |of: fn(f64, f64) -> f64| points.map(|(x, y, sigma)| of(x, y) / (sigma * sigma)).iter().sum::<f64>();
    let [one, x, y, xx, xy] =
        [moment(|_, _| 1.0), moment(|x, _| x), moment(|_, y| y), moment(|x, _| x * x), moment(|x, y| x * y)];
    let slope = (one * xy - x * y) / (one * xx - x * x);
    assert_near(&found.at, &[(y - slope * x) / one, slope], 1e-9);
}

#[test]
fn factors_give_the_solution_and_leverages_of_a_line() {
    // The leverage of a point of a line is 1/n + (x - mean)^2 / sum of (x - mean)^2.
    let factors = Qr::new(vec![vec![1.0; 4], vec![0.0, 1.0, 2.0, 5.0]]).expect("two points differ");
    assert_near(&factors.solve(&[1.0, 3.0, 5.0, 11.0]), &[1.0, 2.0], 1e-14);
    for x in [0.0, 1.0, 2.0, 5.0_f64] {
        let leverage = norm(&factors.solve_transposed(&[1.0, x])).powi(2);
        assert_near(&[leverage], &[0.25 + (x - 2.0).powi(2) / 14.0], 1e-14);
    }
    assert!(Qr::new(vec![vec![1.0, 2.0, 3.0], vec![1e-9, 2e-9, 3e-9]]).is_none(), "one is a multiple");
    assert!(Qr::new(vec![vec![1.0, 2.0], vec![0.0, 0.0]]).is_none(), "one is zero");
    assert!(Qr::new(vec![vec![1.0, f64::NAN]]).is_none());
}

#[test]
fn rosenbrock_and_the_helical_valley_end_at_zero() {
    // MGH 1 and 7.
    let found = least(&[-1.2, 1.0], |at| vec![10.0 * (at[1] - at[0] * at[0]), 1.0 - at[0]]);
    assert_near(&found.at, &[1.0, 1.0], 1e-9);
    assert!(found.squares < 1e-18, "{}", found.squares);
    let found = least(&[-1.0, 0.0, 0.0], |at| {
        let half = if at[0] < 0.0 { 0.5 } else { 0.0 };
        let angle = (at[1] / at[0]).atan() / std::f64::consts::TAU + half;
        vec![10.0 * (at[2] - 10.0 * angle), 10.0 * (at[0].hypot(at[1]) - 1.0), at[2]]
    });
    assert!(found.squares < 1e-18 && (found.at[0] - 1.0).abs() < 1e-9, "{found:?}");
}

#[test]
fn residuals_that_stay_are_as_small_as_published() {
    // MGH 2, whose local minimum is the one that is found from here.
    let found = least(&[0.5, -2.0], |at| {
        let [x, y] = [at[0], at[1]];
        vec![x - 13.0 + ((5.0 - y) * y - 2.0) * y, x - 29.0 + ((y + 1.0) * y - 14.0) * y]
    });
    assert_near(&[found.squares], &[48.984_253_679], 1e-9);
    // MGH 8.
    let y = [0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39];
    let found = least(&[1.0; 3], |at| {
        let one = |(u, y): (f64, f64)| y - (at[0] + u / ((16.0 - u) * at[1] + u.min(16.0 - u) * at[2]));
        zip((1..=15).map(f64::from), y).map(one).collect()
    });
    assert_near(&[found.squares], &[8.214_877e-3], 1e-6);
    // MGH 6, whose slopes range over orders of magnitude.
    let found = least(&[0.3, 0.4], |at| {
        (1..=10)
            .map(f64::from)
            .map(|nth| 2.0 + 2.0 * nth - ((nth * at[0]).exp() + (nth * at[1]).exp()))
            .collect()
    });
    assert_near(&[found.squares], &[124.362], 1e-5);
}

#[test]
fn units_do_not_matter() {
    // MGH 3 and 4.
    let found =
        least(&[0.0, 1.0], |at| vec![1e4 * at[0] * at[1] - 1.0, (-at[0]).exp() + (-at[1]).exp() - 1.0001]);
    assert!(found.squares < 1e-18, "{found:?}");
    assert_near(&found.at, &[1.098e-5, 9.106], 1e-3);
    let found = least(&[1.0, 1.0], |at| vec![at[0] - 1e6, at[1] - 2e-6, at[0] * at[1] - 2.0]);
    assert_near(&found.at, &[1e6, 2e-6], 1e-6);
}

#[test]
fn parameters_that_are_not_told_apart_are_no_obstacle() {
    // MGH 33: of rank 1, with 10 residuals; and a parameter without any.
    let found = least(&[1.0, 2.0, 5.0], |at| {
        (1..=10).map(|nth| f64::from(nth) * (at[0] + 2.0 * at[1]) - 1.0).collect()
    });
    assert_near(&[found.squares], &[10.0 * 9.0 / (2.0 * 21.0)], 1e-9);
    assert_near(&[found.at[2]], &[5.0], 0.0);
    // MGH 13, whose slopes are singular where the squares are zero.
    let found = least(&[3.0, -1.0, 0.0, 1.0], |at| {
        let root = |factor: f64, of: f64| factor.sqrt() * of * of;
        vec![
            at[0] + 10.0 * at[1],
            5.0_f64.sqrt() * (at[2] - at[3]),
            root(1.0, at[1] - 2.0 * at[2]),
            root(10.0, at[0] - at[3]),
        ]
    });
    assert!(found.squares < 1e-18, "{found:?}");
    // Fewer residuals than parameters.
    assert!(least(&[3.0, 4.0], |at| vec![at[0] * at[1] - 1.0]).squares < 1e-18);
}

#[test]
fn no_step_ends_where_there_are_no_residuals() {
    let evaluations = Cell::new(0);
    let residuals = |at: &[f64]| {
        evaluations.set(evaluations.get() + 1);
        (at[0] > 0.0).then(|| vec![at[0].ln() + 2.0])
    };
    let slopes = |at: &[f64]| Some(vec![vec![1.0 / at[0]]]);
    // Newton's first step from here leads below zero.
    let found = minimize(vec![9.0], LIMITS, residuals, slopes).expect("it starts above zero");
    assert_near(&found.at, &[(-2.0_f64).exp()], 1e-9);
    assert!(minimize(vec![-1.0], LIMITS, residuals, slopes).is_none());
    evaluations.set(0);
    let found =
        minimize(vec![9.0], Limits { evaluations: 3, ..LIMITS }, residuals, slopes).expect("the same");
    assert!(evaluations.get() == 3 && found.squares > 0.0, "{}: {found:?}", evaluations.get());
    let found = minimize(vec![9.0], LIMITS, residuals, |_| None).expect("the start counts");
    assert_eq!(found.at, [9.0]);
}
