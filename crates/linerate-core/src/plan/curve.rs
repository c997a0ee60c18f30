//! A curve over message sizes: every option of `linerate measure` that no other task has.

use super::{Common, Level, PlanError};
use crate::pattern::Pattern;
use crate::schedule::{Bounds, Schedule};
use crate::stages;
use crate::units::Size;

/// Default of [`CurvePlan::ci`].
pub const DEFAULT_TARGET: f64 = 0.02;
/// Default of [`CurvePlan::rounds`]: the fewest whose interval leaves one outlier out on each side.
pub const DEFAULT_ROUNDS: u32 = 9;

/// A curve over message sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePlan {
    /// Who sends when.
    pub pattern: Pattern,
    /// Which sizes.
    pub schedule: Schedule,
    /// Smallest base size. Unit: bytes.
    pub from: Option<Size>,
    /// Largest base size. Unit: bytes.
    pub to: Option<Size>,
    /// Distance of the extra sizes around a base size. Unit: bytes.
    pub perturb: Option<Size>,
    /// Target half-width of the 95 % interval of the median, as a share of the median.
    pub ci: f64,
    /// Rounds that every size gets before the rest of the time goes where it is needed.
    pub rounds: u32,
    /// Whole passes: each begins with new connections, and measures for the plan's time.
    pub repeat: u32,
    /// After the curve, time the stages of this many messages of each size up to 64 KiB, for at
    /// most 24 sizes.
    pub stages: Option<u32>,
}

impl Default for CurvePlan {
    fn default() -> Self {
        Self {
            pattern: Pattern::default(),
            schedule: Schedule::default(),
            from: None,
            to: None,
            perturb: None,
            ci: DEFAULT_TARGET,
            rounds: DEFAULT_ROUNDS,
            repeat: 1,
            stages: None,
        }
    }
}

impl CurvePlan {
    /// Message sizes in the order of the schedule.
    ///
    /// # Errors
    ///
    /// When the schedule and its bounds leave nothing to measure.
    pub fn sizes(&self, common: &Common) -> Result<Vec<u64>, PlanError> {
        let list = matches!(self.schedule, Schedule::List(_));
        let longest = common.transport.longest_message().filter(|_| !list).map(Size);
        let bounds = Bounds { from: self.from, to: self.to.or(longest), perturb: self.perturb };
        Ok(self.schedule.sizes(bounds)?)
    }

    /// The largest message that it sends. Unit: bytes.
    pub(super) fn largest(&self, common: &Common) -> Result<u64, PlanError> {
        Ok(self.sizes(common)?.into_iter().max().unwrap_or(1))
    }

    /// Checks the options of a curve together with those of `common`.
    pub(super) fn check(&self, common: &Common) -> Result<(), PlanError> {
        let range = PlanError::range;
        let share = "a share above 0 and up to 1, such as 0.02 for 2 %";
        range(self.ci > 0.0 && self.ci <= 1.0, "ci", self.ci.to_string(), share)?;
        range((1..=10_000).contains(&self.rounds), "rounds", self.rounds.to_string(), "from 1 to 10000")?;
        range((1..=1_000).contains(&self.repeat), "repeat", self.repeat.to_string(), "from 1 to 1000")?;
        let perturb = self.perturb.map_or(0, Size::bytes);
        range(perturb <= 1 << 40, "perturb", perturb.to_string(), "at most 1 TiB")?;
        common.check_level(Level::Interval, "point or round: only the flows of a load have intervals")?;
        let looked_at =
            "one that delivers the bytes, such as send-recv: a curve checks what arrives; streams do not";
        common.check_delivery(true, looked_at)?;
        let sizes = self.sizes(common)?;
        self.check_stages(common, &sizes)?;
        common.check_datagram("the largest size", Size(sizes.into_iter().max().unwrap_or(1)))
    }

    /// Refuses stages where the kernel does not stamp the messages.
    fn check_stages(&self, common: &Common, sizes: &[u64]) -> Result<(), PlanError> {
        let Some(messages) = self.stages else { return Ok(()) };
        let enough = (stages::FEWEST_MESSAGES..=stages::MOST_MESSAGES).contains(&messages);
        PlanError::range(enough, "stages", messages.to_string(), "from 10 to 200 messages")?;
        let stamped = "tcp or udp where stages are asked for: the kernel stamps the messages of no other";
        let transport = common.transport;
        PlanError::range(stages::stamped(transport), "transport", transport.to_string(), stamped)?;
        let one_place = "left out where stages are asked for: messages that are stamped lie in one place";
        common.check_memory(one_place)?;
        let allowed = "left out where no size is up to 64 KiB: theirs are looked at";
        PlanError::range(!stages::sizes(sizes).is_empty(), "stages", messages.to_string(), allowed)
    }
}
