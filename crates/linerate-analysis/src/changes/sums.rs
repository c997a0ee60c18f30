//! Weighted least squares of a level or a ramp over any stretch of a series, at a fixed cost.

/// A series with weights, and the sums that make any stretch of it cheap to fit.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    pub(super) x: Vec<f64>,
    /// Which run each value is of: the abscissa of a ramp.
    pub(super) run: Vec<usize>,
    pub(super) weight: Vec<f64>,
    /// Of values that are few, such as 0 and 1: those of all runs, outliers too.
    pub(super) few_values: Option<Vec<f64>>,
    /// Sums before each value.
    before: Vec<Moments>,
}

/// Sums of weights, runs t and values x.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    w: f64,
    wt: f64,
    wtt: f64,
    wx: f64,
    wxx: f64,
    wtx: f64,
}

impl Moments {
    fn minus(self, other: Self) -> Self {
        Self {
            w: self.w - other.w,
            wt: self.wt - other.wt,
            wtt: self.wtt - other.wtt,
            wx: self.wx - other.wx,
            wxx: self.wxx - other.wxx,
            wtx: self.wtx - other.wtx,
        }
    }
}

/// A fitted stretch: `base + slope * rise(t)`, where the rise is 0 up to the run `knees[0]`, then
/// grows by 1 a run, and stays from the run `knees[1]` on. A level has the slope 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fit {
    pub(super) knees: [usize; 2],
    pub(super) base: f64,
    pub(super) slope: f64,
    /// Weighted sum of the squares of the residuals.
    pub(super) rss: f64,
    /// Variances of base and slope and their covariance, for residuals of weighted variance 1.
    pub(super) variance: [f64; 3],
}

impl Fit {
    pub(super) fn is_ramp(&self) -> bool {
        self.knees[1] > self.knees[0]
    }

    fn rise(&self, run: usize) -> f64 {
        (run.clamp(self.knees[0], self.knees[1]) - self.knees[0]) as f64
    }

    pub(super) fn value(&self, run: usize) -> f64 {
        self.base + self.slope * self.rise(run)
    }

    /// Variance of [`Fit::value`], for residuals of weighted variance 1.
    pub(super) fn variance_at(&self, run: usize) -> f64 {
        let rise = self.rise(run);
        let [base, slope, both] = self.variance;
        base + rise * rise * slope + 2.0 * rise * both
    }
}

impl Sums {
    pub(super) fn new(x: Vec<f64>, run: Vec<usize>, weight: Vec<f64>) -> Self {
        let mut sum = Moments::default();
        let mut before = Vec::with_capacity(x.len() + 1);
        before.push(sum);
        for ((x, run), w) in x.iter().zip(&run).zip(&weight) {
            let t = *run as f64;
            sum.w += w;
            sum.wt += w * t;
            sum.wtt += w * t * t;
            sum.wx += w * x;
            sum.wxx += w * x * x;
            sum.wtx += w * t * x;
            before.push(sum);
        }
        Self { x, run, weight, few_values: None, before }
    }

    /// The same of a series whose values are few, if they are.
    pub(super) fn of_few_values(self, few_values: Option<Vec<f64>>) -> Self {
        Self { few_values, ..self }
    }

    pub(super) fn len(&self) -> usize {
        self.x.len()
    }

    fn over(&self, from: usize, to: usize) -> Moments {
        self.before[to].minus(self.before[from])
    }

    /// The weighted mean of the values from `from` to before `to`.
    pub(super) fn level(&self, from: usize, to: usize) -> Fit {
        let sums = self.over(from, to);
        let base = sums.wx / sums.w;
        let rss = (sums.wxx - base * sums.wx).max(0.0);
        let knees = [self.run[from]; 2];
        Fit { knees, base, slope: 0.0, rss, variance: [1.0 / sums.w, 0.0, 0.0] }
    }

    /// The ramp between the values `first` and `last` of a stretch. `None` if it has no extent.
    pub(super) fn ramp(&self, from: usize, to: usize, [first, last]: [usize; 2]) -> Option<Fit> {
        let knees = [self.run[first], self.run[last]];
        let all = self.over(from, to);
        let middle = self.over(first, last);
        let end = self.over(last, to);
        let (start, height) = (knees[0] as f64, (knees[1] - knees[0]) as f64);
        let r = middle.wt - start * middle.w + height * end.w;
        let rr = middle.wtt - 2.0 * start * middle.wt + start * start * middle.w + height * height * end.w;
        let rx = middle.wtx - start * middle.wx + height * end.wx;
        let determinant = all.w * rr - r * r;
        if determinant <= 1e-9 * all.w * rr {
            return None;
        }
        let slope = (all.w * rx - r * all.wx) / determinant;
        let base = (all.wx - slope * r) / all.w;
        let rss = (all.wxx - base * all.wx - slope * rx).max(0.0);
        let variance = [rr / determinant, all.w / determinant, -r / determinant];
        Some(Fit { knees, base, slope, rss, variance })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logarithms(text: &str) -> Sums {
        let value = |line: &str| line.split_once(',').and_then(|(_, value)| value.parse::<f64>().ok());
        let x: Vec<f64> = text.lines().skip(1).map(|line| value(line).expect("time,value").ln()).collect();
        let count = x.len();
        Sums::new(x, (0..count).collect(), vec![1.0; count])
    }

    /// n ln(RSS/n) + k ln n.
    fn bic(sums: &Sums, rss: f64, parameters: f64) -> f64 {
        let count = sums.len() as f64;
        count * (rss / count).ln() + parameters * count.ln()
    }

    fn of_steps(sums: &Sums, cuts: &[usize]) -> f64 {
        let starts = [0].iter().chain(cuts);
        let rss =
            starts.zip(cuts.iter().chain([&sums.len()])).map(|(from, to)| sums.level(*from, *to).rss).sum();
        bic(sums, rss, 2.0 * cuts.len() as f64 + 1.0)
    }

    fn of_ramp(sums: &Sums, from: usize, parameters: f64) -> f64 {
        let ramp = sums.ramp(0, sums.len(), [from, sums.len() - 1]).expect("it has an extent");
        bic(sums, ramp.rss, parameters)
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() < within, "{found} is not {expected}");
    }

    // Computed with numpy. Numbers of parameters: a line 2, a line with a knee 3, c steps 2c + 1.
    #[test]
    fn fits_have_the_bic_of_other_software() {
        let steps = logarithms(include_str!("../../tests/history/two-steps.csv"));
        assert_near(of_ramp(&steps, 0, 2.0), -968.0, 0.05);
        let one = (5..115).map(|cut| of_steps(&steps, &[cut])).fold(f64::MAX, f64::min);
        assert_near(one, -933.8, 0.05);
        assert_near(of_steps(&steps, &[40, 90]), -1064.9, 0.05);
        let drift = logarithms(include_str!("../../tests/history/drift.csv"));
        assert_near(of_ramp(&drift, 0, 2.0), -1093.951, 5e-4);
        assert_near(of_ramp(&drift, 20, 3.0), -1105.864, 5e-4);
        assert_near(of_steps(&drift, &[31, 53, 82, 105]), -1080.130, 5e-4);
    }

    #[test]
    fn a_ramp_between_two_knees_is_fitted_exactly() {
        let truth = |run: usize| 3.0 + 0.5 * (run.clamp(4, 12) - 4) as f64;
        let runs: Vec<usize> = (0..20).filter(|run| *run != 7).collect();
        let weight = runs.iter().map(|run| 1.0 + (run % 3) as f64).collect();
        let sums = Sums::new(runs.iter().map(|run| truth(*run)).collect(), runs, weight);
        // The twelfth run is the eleventh that is left.
        let fit = sums.ramp(0, sums.len(), [4, 11]).expect("it has an extent");
        assert_eq!(fit.knees, [4, 12]);
        assert!(fit.rss < 1e-9 && (fit.slope - 0.5).abs() < 1e-9);
        assert!((0..20).all(|run| (fit.value(run) - truth(run)).abs() < 1e-9));
    }
}
