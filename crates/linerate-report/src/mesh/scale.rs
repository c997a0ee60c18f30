//! How bad a value is among the others: from it comes its shade.

use linerate_analysis::report::{MeshUnit, MeshView};

/// The least ratio of both ends: what differs less is shown as nearly alike.
const NARROWEST: f64 = 1.25;
/// From this ratio on the scale is logarithmic.
const WIDE: f64 = 10.0;

/// From the best value to the worst.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// Where nothing is better.
    pub(super) best: f64,
    /// Where nothing is worse.
    pub(super) worst: f64,
    pub(super) is_logarithmic: bool,
}

impl Scale {
    /// The scale of a view.
    pub(super) fn of(view: &MeshView) -> Self {
        let (mut best, mut worst) = (view.best.value, view.worst.value);
        match view.unit {
            MeshUnit::Microseconds => worst = worst.max(best * NARROWEST),
            MeshUnit::Mbps => worst = worst.min(best / NARROWEST),
        }
        if best.max(worst) <= 0.0 {
            (best, worst) = (0.0, 1.0);
        }
        let [low, high] = [best.min(worst), best.max(worst)];
        Self { best, worst, is_logarithmic: low > 0.0 && high > low * WIDE }
    }

    /// From 0, the best, to 1, the worst.
    pub(super) fn badness(&self, value: f64) -> f64 {
        let place = |value: f64| if self.is_logarithmic { value.ln() } else { value };
        let share = (place(value) - place(self.best)) / (place(self.worst) - place(self.best));
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The value of a badness.
    pub(super) fn value(&self, badness: f64) -> f64 {
        if self.is_logarithmic {
            self.best * (self.worst / self.best).powf(badness)
        } else {
            (self.worst - self.best).mul_add(badness, self.best)
        }
    }

    /// Which of `steps` shades a value has, the worst last.
    pub(super) fn step(&self, value: f64, steps: usize) -> usize {
        ((self.badness(value) * steps as f64) as usize).min(steps.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn scale(unit: MeshUnit, best: f64, worst: f64) -> Scale {
        let mut view = fixture::small().meshes[0].views[0].clone();
        view.unit = unit;
        (view.best.value, view.worst.value) = (best, worst);
        Scale::of(&view)
    }

    #[test]
    fn the_worst_is_1_whatever_the_unit_and_a_wide_scale_is_logarithmic() {
        let rates = scale(MeshUnit::Mbps, 1_000.0, 10.0);
        assert!(rates.is_logarithmic);
        assert_eq!([1_000.0, 100.0, 10.0].map(|it| rates.step(it, 5)), [0, 2, 4]);
        assert!((rates.badness(100.0) - 0.5).abs() < 1e-12 && (rates.value(0.5) - 100.0).abs() < 1e-9);
        let times = scale(MeshUnit::Microseconds, 10.0, 20.0);
        assert!(!times.is_logarithmic);
        assert_eq!([10.0, 15.0, 20.0, 99.0].map(|it| times.badness(it)), [0.0, 0.5, 1.0, 1.0]);
    }

    #[test]
    fn what_hardly_differs_is_not_blown_up() {
        let times = scale(MeshUnit::Microseconds, 100.0, 102.0);
        assert!((times.badness(102.0) - 0.08).abs() < 1e-9);
        let rates = scale(MeshUnit::Mbps, 100.0, 100.0);
        assert!(rates.badness(100.0).abs() < 1e-9 && rates.worst <= 80.0);
    }

    #[test]
    fn values_of_zero_have_a_place() {
        let times = scale(MeshUnit::Microseconds, 0.0, 0.0);
        assert!(times.badness(0.0) == 0.0);
        assert!(!scale(MeshUnit::Mbps, 5.0, 0.0).is_logarithmic);
    }
}
