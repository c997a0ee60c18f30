//! What marks at the outputs of switches.

use linerate_core::units::Size;

use super::Draft;
use crate::ethernet::topology::{EarlyDetection, Marking};
use crate::plan::{MarkingPlan, ModelError, RedPlan, require};

/// As for `network.queue`. Unit: bytes.
const MOST: u64 = 1 << 30;

impl Draft<'_> {
    /// When outputs mark, if the plan says so.
    pub(super) fn marking(&self) -> Result<Option<Marking>, ModelError> {
        let Some(MarkingPlan { above, above_frames, red }) = &self.plan.marking else { return Ok(None) };
        let within = |key, size: &Size| require(size.bytes() <= MOST, key, size, "it must be at most 1 GiB");
        Ok(Some(match (above, above_frames, red) {
            (Some(above), None, None) => {
                within("network.marking.above", above)?;
                Marking::AboveBytes(above.bytes())
            }
            (None, Some(frames), None) => Marking::AboveFrames(*frames),
            (None, None, Some(red)) => Marking::Early(early(red)?),
            _ => {
                let given = [above.is_some(), above_frames.is_some(), red.is_some()];
                let given = given.into_iter().filter(|given| *given).count();
                let reason = "give exactly one of above, above-frames and [network.marking.red]";
                return Err(ModelError::value("network.marking", format!("given in {given} ways"), reason));
            }
        }))
    }
}

fn early(red: &RedPlan) -> Result<EarlyDetection, ModelError> {
    let RedPlan { least, most, probability, weight } = red;
    let ordered = least.bytes() < most.bytes() && most.bytes() <= MOST;
    let reason = format!("it must be above network.marking.red.least, {least}, and at most 1 GiB");
    require(ordered, "network.marking.red.most", most, &reason)?;
    let share = (0.0..=1.0).contains(probability);
    require(share, "network.marking.red.probability", *probability, "it must be from 0 to 1")?;
    let some = *weight > 0.0 && *weight <= 1.0;
    require(some, "network.marking.red.weight", *weight, "it must be above 0 and at most 1")?;
    let (least, most) = (least.bytes(), most.bytes());
    Ok(EarlyDetection { least, most, probability: *probability, weight: *weight })
}
