//! A rate over time, in a bounded number of points.

/// The most points that are kept.
const MOST: usize = 1_024;

/// Points at even steps: when there are too many, every second one is left out, from then on too.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    points: Vec<(f64, f64)>,
    /// Every how many-th point is kept.
    stride: u64,
    told: u64,
}

impl Running {
    pub(crate) const fn new() -> Self {
        Self { points: Vec::new(), stride: 1, told: 0 }
    }

    /// The rate until `seconds`.
    pub(crate) fn tell(&mut self, seconds: f64, rate: f64) {
        self.told += 1;
        if !self.told.is_multiple_of(self.stride) {
            return;
        }
        self.points.push((seconds, rate));
        if self.points.len() > MOST {
            let mut place = 0;
            self.points.retain(|_| {
                place += 1;
                place % 2 == 0
            });
            self.stride *= 2;
        }
    }

    pub(crate) fn points(self) -> Vec<(f64, f64)> {
        self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_stay_even_and_few() {
        let mut running = Running::new();
        for round in 1..=10_000 {
            running.tell(f64::from(round), 1.0);
        }
        let points = running.points();
        assert!(points.len() > MOST / 4 && points.len() <= MOST, "{}", points.len());
        let step = points[0].0;
        assert!(points.windows(2).all(|pair| (pair[1].0 - pair[0].0 - step).abs() < 1e-9), "{step}");
    }
}
