//! What marks do to the window: RFC 3168, 6.1.2; RFC 8257, 3.3.

use super::{Cause, Congestion, Growth, Phase, Progress, Proportion};
use crate::tcp::{CongestionRules, Reduction};

impl Congestion {
    /// New data was acknowledged, as `marked` or not, with so much `selected` of what is outstanding;
    /// returns whether that reduces the window: once for each window of data.
    pub(in crate::tcp) fn marked(
        &mut self,
        progress: &Progress,
        (marked, selected): (bool, u64),
        rules: &CongestionRules,
    ) -> bool {
        match &mut self.growth {
            Growth::Dctcp(dctcp) => dctcp.count(progress, marked),
            // Version 1 models the path by its rate and delay alone.
            Growth::Bbr(_) => return false,
            Growth::Reno(_) | Growth::Cubic(_) => {}
        }
        // Past what was the next position to send: the peer has seen CWR.
        if self.phase == Phase::Reduced && progress.position > self.recover {
            self.phase = Phase::Open;
            self.proportion = None;
            self.window = self.threshold;
        }
        if !marked || self.phase != Phase::Open {
            return false;
        }
        self.phase = Phase::Reduced;
        self.recover = progress.next;
        self.reduce(progress.outstanding, Cause::Mark, rules);
        if rules.reduction == Reduction::Proportional {
            let flight = (progress.outstanding + progress.bytes).saturating_sub(selected);
            self.proportion = Some(Proportion::without_loss(flight));
        } else {
            self.window = self.window.min(self.threshold);
        }
        true
    }

    /// Whether the window was reduced since last asked.
    pub(in crate::tcp) const fn take_reduced(&mut self) -> bool {
        std::mem::replace(&mut self.reduced, false)
    }
}
