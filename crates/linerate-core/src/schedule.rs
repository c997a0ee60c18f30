//! Which message sizes are measured.

mod netpipe;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::units::Size;

/// The most sizes that a schedule may have.
pub const MAX_SIZES: usize = 4096;
/// NetPIPE's default end (3.x to 5.x). Unit: bytes.
pub const NETPIPE_END: u64 = 10_000_000;
/// NetPIPE's default perturbation. Unit: bytes.
pub const NETPIPE_PERTURBATION: u64 = 3;

/// How message sizes are chosen.
///
/// ```
/// use linerate_core::schedule::{Bounds, Schedule};
/// use linerate_core::units::Size;
///
/// let bounds = Bounds { to: Some(Size(16)), ..Bounds::default() };
/// assert_eq!(Schedule::Octave(1).sizes(bounds)?, [1, 2, 4, 8, 16]);
/// assert_eq!(Schedule::Netpipe.sizes(Bounds::default())?.len(), 124);
/// # Ok::<(), linerate_core::schedule::ScheduleError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Exactly NetPIPE's: 2^k and 3 x 2^(k-1), each with a size just below and just above.
    #[default]
    Netpipe,
    /// This many sizes an octave, evenly spaced in the logarithm.
    Octave(u32),
    /// These, in this order.
    List(Vec<Size>),
}

/// A schedule with its bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Smallest base size. If absent, 1 B, or the whole list.
    pub from: Option<Size>,
    /// Largest base size. If absent, NetPIPE's 10,000,000 B, or the whole list.
    pub to: Option<Size>,
    /// Distance of the extra sizes on each side of a base size. If absent, 3 B for `netpipe`, and
    /// no extra sizes for the others.
    pub perturb: Option<Size>,
}

/// Why a schedule has no sizes to measure.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The text is not the name of a schedule.
    #[error("`{0}` is not a schedule; write netpipe, octave:N with N from 1 to 64, or list:A,B,..")]
    Unknown(String),
    /// An entry of a list is not a size.
    #[error(transparent)]
    Entry(#[from] crate::units::ParseSizeError),
    /// A message must have at least one byte.
    #[error("a message of 0 B cannot be timed; the smallest size is 1")]
    Zero,
    /// The bounds are the wrong way round.
    #[error("from ({from}) is above to ({to}); give --min-size a size that is at most --max-size")]
    Reversed {
        /// The lower bound.
        from: Size,
        /// The upper bound.
        to: Size,
    },
    /// The bounds leave nothing of the list.
    #[error("no size of the list lies between from and to; widen --min-size and --max-size")]
    Empty,
    /// There are too many sizes.
    #[error("the schedule has more than {MAX_SIZES} sizes; narrow its bounds or make it coarser")]
    TooMany,
}

impl Schedule {
    /// The sizes in the order of the schedule.
    ///
    /// # Errors
    ///
    /// When the bounds or the list leave nothing that can be measured.
    pub fn sizes(&self, bounds: Bounds) -> Result<Vec<u64>, ScheduleError> {
        let from = bounds.from.unwrap_or(Size(1));
        let to = bounds.to.unwrap_or(Size(NETPIPE_END));
        if from == Size(0) {
            return Err(ScheduleError::Zero);
        }
        // A list is bounded only by what was asked, not by the defaults of the other schedules.
        let upper = if matches!(self, Self::List(_)) { bounds.to.unwrap_or(Size(u64::MAX)) } else { to };
        if from > upper {
            return Err(ScheduleError::Reversed { from, to: upper });
        }
        let sizes = match self {
            Self::Netpipe => {
                let perturb = bounds.perturb.map_or(NETPIPE_PERTURBATION, Size::bytes);
                netpipe::sizes(from.0, to.0, perturb).take(MAX_SIZES + 1).collect()
            }
            Self::Octave(per_octave) => {
                octave(*per_octave, from.0, to.0, bounds.perturb.map_or(0, Size::bytes))
            }
            Self::List(list) => {
                if list.contains(&Size(0)) {
                    return Err(ScheduleError::Zero);
                }
                let within = list.iter().filter(|size| (from..=upper).contains(size));
                let perturb = bounds.perturb.map_or(0, Size::bytes);
                within.flat_map(|size| around(size.0, perturb)).collect()
            }
        };
        match sizes.len() {
            0 => Err(ScheduleError::Empty),
            1..=MAX_SIZES => Ok(sizes),
            _ => Err(ScheduleError::TooMany),
        }
    }
}

/// `base` with a size `perturb` below it and one above, where there is such a size below.
fn around(base: u64, perturb: u64) -> impl Iterator<Item = u64> {
    let extra = (perturb > 0 && base > perturb).then_some(perturb);
    let (below, above) = (extra.map(|p| base - p), extra.map(|p| base.saturating_add(p)));
    below.into_iter().chain([base]).chain(above)
}

/// Sizes at `per_octave` even steps of the logarithm, each once, with `perturb` on both sides
/// where that keeps them in order.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded by `to`")]
fn octave(per_octave: u32, from: u64, to: u64, perturb: u64) -> Vec<u64> {
    let mut sizes: Vec<u64> = Vec::new();
    let mut push = |size: u64| {
        if sizes.last().is_none_or(|last| size > *last) {
            sizes.push(size);
        }
    };
    for step in 0..=MAX_SIZES as u32 {
        let base = (from as f64 * (f64::from(step) / f64::from(per_octave)).exp2()).round();
        if base > to as f64 {
            break;
        }
        around(base as u64, perturb).for_each(&mut push);
    }
    sizes
}

impl fmt::Display for Schedule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Netpipe => out.write_str("netpipe"),
            Self::Octave(per_octave) => write!(out, "octave:{per_octave}"),
            Self::List(sizes) => {
                let sizes: Vec<_> = sizes.iter().map(|size| size.0.to_string()).collect();
                write!(out, "list:{}", sizes.join(","))
            }
        }
    }
}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || ScheduleError::Unknown(text.to_owned());
        match text.split_once(':') {
            None if text == "netpipe" => Ok(Self::Netpipe),
            Some(("octave", count)) => match count.parse() {
                Ok(per_octave @ 1..=64) => Ok(Self::Octave(per_octave)),
                _ => Err(unknown()),
            },
            Some(("list", list)) => {
                let sizes: Result<Vec<Size>, _> = list.split(',').map(str::parse).collect();
                Ok(Self::List(sizes?))
            }
            _ => Err(unknown()),
        }
    }
}

impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        String::deserialize(input)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Schedule {
    fn schema_name() -> Cow<'static, str> {
        "Schedule".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Which message sizes are measured: `netpipe`, `octave:N` with N sizes in each octave, \
                            or `list:A,B,..`.",
            "type": "string",
            "pattern": "^(netpipe|octave:[0-9]+|list:.+)$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sizes(schedule: &str, bounds: Bounds) -> Result<Vec<u64>, ScheduleError> {
        schedule.parse::<Schedule>()?.sizes(bounds)
    }

    #[test]
    fn octave_steps_are_even_and_distinct() {
        let bounds = Bounds { to: Some(Size(16)), ..Bounds::default() };
        assert_eq!(sizes("octave:1", bounds), Ok(vec![1, 2, 4, 8, 16]));
        assert_eq!(sizes("octave:4", bounds), Ok(vec![1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13, 16]));
    }

    #[test]
    fn a_list_keeps_its_order_and_is_cut_only_where_asked() {
        let bounds = Bounds { from: Some(Size(2)), ..Bounds::default() };
        assert_eq!(sizes("list:64KiB,1,1GiB", bounds), Ok(vec![65536, 1 << 30]));
        let perturbed = Bounds { perturb: Some(Size(3)), ..Bounds::default() };
        assert_eq!(sizes("list:100,2", perturbed), Ok(vec![97, 100, 103, 2]));
    }

    #[test]
    fn what_cannot_be_measured_is_refused() {
        let reversed = Bounds { from: Some(Size(9)), to: Some(Size(8)), perturb: None };
        assert!(matches!(sizes("netpipe", reversed), Err(ScheduleError::Reversed { .. })));
        assert_eq!(sizes("list:0,1", Bounds::default()), Err(ScheduleError::Zero));
        for text in ["", "octave", "octave:0", "octave:65", "octave:x", "linear:3"] {
            assert!(matches!(text.parse::<Schedule>(), Err(ScheduleError::Unknown(_))), "{text}");
        }
        assert!("list:".parse::<Schedule>().is_err());
    }

    proptest! {
        #[test]
        fn every_schedule_covers_its_bounds_and_ends(from in 1_u64..1 << 40, ratio in 1_u64..1 << 20, perturb in 0_u64..100, octave in prop::option::of(1_u32..16)) {
            let to = from.saturating_mul(ratio);
            let bounds = Bounds { from: Some(Size(from)), to: Some(Size(to)), perturb: Some(Size(perturb)) };
            let schedule = octave.map_or(Schedule::Netpipe, Schedule::Octave);
            let sizes = schedule.sizes(bounds).expect("the bounds are in order");
            prop_assert!(sizes.iter().all(|size| (from.saturating_sub(perturb).max(1)..=to + perturb).contains(size)));
            prop_assert!(sizes.iter().any(|size| *size <= from));
            let reach = if octave.is_some() { 2.0 } else { 1.5 };
            prop_assert!(sizes.iter().any(|size| *size as f64 * reach >= to as f64));
        }
    }
}
