//! Which frames are lost: each for itself, or several in a row.

use rand::RngExt as _;
use rand_pcg::Pcg64;

use crate::lab::Impairment;

/// A rule of loss with its state.
///
/// Losses in a row follow a chain of two states: in the bad one all frames are lost, in the good one none.  Source:
/// E. N. Gilbert, "Capacity of a burst-noise channel", Bell System Technical Journal 39, 1960, with h = 0.
#[derive(Debug)]
pub(super) struct Losing {
    /// The share of frames that are lost after one that was not.
    begins: f64,
    /// The share of frames that are not lost after one that was.
    ends: f64,
    bad: bool,
    random: Pcg64,
}

impl Losing {
    pub(super) fn new(rules: &Impairment, random: Pcg64) -> Self {
        let (begins, ends) = match rules.loss_burst {
            None => (rules.loss, 1.0 - rules.loss),
            Some(burst) => (burst_begins(rules.loss, burst), 1.0 / burst),
        };
        Self { begins, ends, bad: false, random }
    }

    /// Whether the next frame is lost.
    pub(super) fn loses(&mut self) -> bool {
        if self.begins <= 0.0 {
            return false;
        }
        let draw = self.random.random::<f64>();
        self.bad = if self.bad { draw >= self.ends } else { draw < self.begins };
        self.bad
    }
}

/// The share of frames with which a burst begins, so that `loss` of all frames are lost in bursts of `burst`. A share
/// above 1 cannot be.
pub(in crate::lab) fn burst_begins(loss: f64, burst: f64) -> f64 {
    loss / ((1.0 - loss) * burst)
}
