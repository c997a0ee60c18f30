//! What a path does to the frames that come in at stations, in a plan.

use linerate_core::units::{Size, Span, SpanText, span_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ModelError, require};
use crate::stations::Impairment;

/// What the link of a station does to incoming frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ImpairPlan {
    /// Which stations. If absent, all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stations: Option<Vec<u32>>,
    /// Share of frames that are lost.
    pub loss: f64,
    /// One frame in this many is lost; zero is never.
    pub lose_every: u64,
    /// These are lost, counted from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lose: Vec<u64>,
    /// Share of frames that come twice.
    pub duplicate: f64,
    /// Share of frames that come later than those behind them.
    pub reorder: f64,
    /// How much later.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub reorder_by: Span,
    /// Delay of every frame.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub delay: Span,
    /// Additional delay, uniform from zero to this.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub jitter: Span,
    /// Packets smaller than this are only delayed.
    pub spare_below: Size,
}

/// The longest delay: nothing on Earth is further away.
const LONGEST: Span = Span::from_ms(60_000);

impl ImpairPlan {
    /// What it does.
    ///
    /// # Errors
    ///
    /// When a value is invalid.
    pub fn law(&self) -> Result<Impairment, ModelError> {
        for (key, share) in [
            ("impair.loss", self.loss),
            ("impair.duplicate", self.duplicate),
            ("impair.reorder", self.reorder),
        ] {
            require((0.0..=1.0).contains(&share), key, share, "it must be from 0 to 1")?;
        }
        for (key, span) in [
            ("impair.delay", self.delay),
            ("impair.jitter", self.jitter),
            ("impair.reorder-by", self.reorder_by),
        ] {
            require(span <= LONGEST, key, span, "it must be at most 1min")?;
        }
        Ok(Impairment {
            loss: self.loss,
            lose_every: self.lose_every,
            lose: self.lose.clone(),
            duplicate: self.duplicate,
            reorder: self.reorder,
            reorder_by: self.reorder_by,
            delay: self.delay,
            jitter: self.jitter,
            spare_below: u32::try_from(self.spare_below.bytes()).unwrap_or(u32::MAX),
        })
    }

    /// Whether any of it is random.
    #[must_use]
    pub fn is_random(&self) -> bool {
        self.loss > 0.0 || self.duplicate > 0.0 || self.reorder > 0.0 || self.jitter > Span::ZERO
    }

    /// Whether frames may overtake each other.
    #[must_use]
    pub fn reorders(&self) -> bool {
        self.reorder > 0.0 || self.jitter > Span::ZERO
    }

    /// Whether it applies to a station.
    #[must_use]
    pub fn holds_for(&self, station: u32) -> bool {
        self.stations.as_ref().is_none_or(|stations| stations.contains(&station))
    }
}
