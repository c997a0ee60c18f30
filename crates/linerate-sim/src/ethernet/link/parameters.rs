//! What a link is like.

use linerate_core::units::Span;

use crate::ethernet::pause::{FlowControl, QUANTUM_BITS, reaction_limit_quanta};
use crate::pace::Pace;

/// What one side of a link is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// What it does about PAUSE.
    pub flow: FlowControl,
    /// Reaction time: how long after the end of a PAUSE frame it may still begin frames, because of
    /// the delay of its receiver and of frames that its transmitter has already accepted. The
    /// standard allows up to [`reaction_limit_quanta`].
    ///
    /// Unit: bit times.
    pub reaction_bits: u64,
}

impl Side {
    /// Without PAUSE.
    pub const PLAIN: Self = Self { flow: FlowControl::NONE, reaction_bits: 0 };

    /// A side that reacts to PAUSE as late as the standard allows at this pace.
    #[must_use]
    pub fn at_reaction_limit(flow: FlowControl, pace: Pace) -> Self {
        Self { flow, reaction_bits: reaction_limit_quanta(pace) * QUANTUM_BITS }
    }
}

/// What a link is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Time of a bit of the MAC's data, after line coding; the same in both directions.
    pub pace: Pace,
    /// From a bit's leaving to its arrival; the same in both directions.
    pub delay: Span,
    /// The sides at port 0 and port 1.
    pub sides: [Side; 2],
}

impl Parameters {
    /// A link without PAUSE.
    #[must_use]
    pub const fn new(pace: Pace, delay: Span) -> Self {
        Self { pace, delay, sides: [Side::PLAIN; 2] }
    }

    /// The same link with the given PAUSE modes, both sides at the reaction limit.
    #[must_use]
    pub fn with_flow_control(mut self, flow: [FlowControl; 2]) -> Self {
        self.sides = flow.map(|flow| Side::at_reaction_limit(flow, self.pace));
        self
    }
}
