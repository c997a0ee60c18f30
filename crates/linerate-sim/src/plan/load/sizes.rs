//! Sizes of frames or packets in a plan: one, or a mix.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Unexpected, Visitor};

/// Sizes of frames or packets: one, or a mix. Unit: bytes.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FrameSizes {
    /// All alike.
    One(u32),
    /// Sizes and how often each comes, such as `[[64, 7], [1518, 1]]`.
    Mix(Vec<(u32, u32)>),
}

impl FrameSizes {
    /// Sizes with their weights.
    #[must_use]
    pub fn weights(&self) -> Vec<(u32, u32)> {
        match self {
            Self::One(size) => vec![(*size, 1)],
            Self::Mix(sizes) => sizes.clone(),
        }
    }

    /// The mean of the sizes. Unit: bytes.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let sizes = self.weights();
        let weight: f64 = sizes.iter().map(|(_, weight)| f64::from(*weight)).sum();
        let bytes: f64 = sizes.iter().map(|(size, weight)| f64::from(*size) * f64::from(*weight)).sum();
        bytes / weight
    }
}

/// What is asked for, wherever something else is given.
struct Sizes;

impl<'de> Visitor<'de> for Sizes {
    type Value = FrameSizes;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(
            "a size in whole bytes, such as 1518, or sizes with weights, such as [[64, 7], [1518, 1]]",
        )
    }

    fn visit_u64<E: Error>(self, size: u64) -> Result<FrameSizes, E> {
        let wrong = || E::invalid_value(Unexpected::Unsigned(size), &self);
        u32::try_from(size).map(FrameSizes::One).map_err(|_| wrong())
    }

    fn visit_i64<E: Error>(self, size: i64) -> Result<FrameSizes, E> {
        let wrong = || E::invalid_value(Unexpected::Signed(size), &self);
        u32::try_from(size).map(FrameSizes::One).map_err(|_| wrong())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<FrameSizes, A::Error> {
        let mut sizes = Vec::new();
        loop {
            let next = list.next_element::<(u32, u32)>().map_err(|_| {
                A::Error::custom(
                    "each entry of a mix is a size in whole bytes and a weight from 0 to 4294967295, \
                     such as [[64, 7], [1518, 1]]",
                )
            })?;
            let Some(pair) = next else { return Ok(FrameSizes::Mix(sizes)) };
            sizes.push(pair);
        }
    }
}

impl<'de> Deserialize<'de> for FrameSizes {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(Sizes)
    }
}
