//! One load, and the types that bulk and requests share.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::common::check_socket;
use super::{PlanError, RrPlan, StreamPlan};
use crate::named::named;
use crate::options::SocketOptions;
use crate::units::{Rate, Span, SpanText, span_text};

/// One load to put on the path: a whole `linerate stream`, a row of its table, or a phase of
/// `linerate rr`. The initiator asks for one after the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Load {
    /// The bulk flows, if any.
    pub stream: Option<StreamPlan>,
    /// The flows of requests, if any.
    pub rr: Option<RrPlan>,
    /// The options requested for its sockets.
    pub socket: SocketOptions,
    /// How long it lasts, without warm-up, if nothing else bounds it.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub time: Span,
    /// How long the bulk runs before the requests begin.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub head_start: Span,
}

impl Load {
    /// Checks every value against its range.
    ///
    /// # Errors
    ///
    /// The first value that cannot be carried out.
    pub fn check(&self) -> Result<(), PlanError> {
        let Self { stream, rr, socket, time, head_start } = self;
        stream.as_ref().map_or(Ok(()), StreamPlan::check)?;
        rr.as_ref().map_or(Ok(()), RrPlan::check)?;
        check_socket(socket)?;
        for (field, span) in [("time", time), ("head-start", head_start)] {
            PlanError::range(*span <= LONGEST, field, span.exact(), "at most 24h")?;
        }
        Ok(())
    }
}

/// A load of a plan, and its label and phase among the plan's loads.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// How it differs from the others, such as `buffers=64 KiB messages=4 KiB`. Empty if it is the
    /// only one.
    pub label: String,
    /// The load.
    pub load: Load,
}

impl Asked {
    /// The only load of a plan, without a label.
    pub(super) const fn alone(load: Load) -> Self {
        Self { label: String::new(), load }
    }
}

/// The phases of `linerate rr --under-load`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Nothing else on the path.
    #[default]
    Idle,
    /// Beside bulk in one direction.
    Loaded(Direction),
}

/// Which way the bulk of a load goes, as the initiator sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// From the initiator to the responder.
    #[default]
    Send,
    /// From the responder to the initiator.
    Receive,
    /// Both at once, each in flows of its own.
    Both,
}

/// What ends a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// Time from the first byte, warm-up included.
    Time(Span),
    /// Bytes of payload, exactly.
    Bytes(u64),
    /// Messages.
    Count(u64),
}

/// The longest time of a plan.
pub(super) const LONGEST: Span = Span::from_ms(86_400_000);
/// The most bytes or messages of a load that is not bounded by time.
pub(super) const MOST: u64 = 1 << 60;
/// The most flows of one load in one direction.
pub const MOST_FLOWS: u32 = 4096;
/// The largest message of a load. Unit: bytes.
pub(super) const MOST_MESSAGE: u64 = 1 << 30;
/// Smallest size of a request and a response on datagrams, where both carry a number. Unit: bytes.
pub const DATAGRAM_TAG: u64 = 16;
/// Header of each bulk message on datagram sockets, and so the smallest size of such a message.
/// Unit: bytes.
pub const DATAGRAM_HEADER: u64 = 24;
/// Default of [`StreamPlan::message`] where messages have no boundaries. Unit: bytes.
pub const DEFAULT_MESSAGE: u64 = 128 << 10;

impl Load {
    /// Which phase of `linerate rr --under-load` it is.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        match (&self.stream, &self.rr) {
            (Some(stream), Some(_)) => Phase::Loaded(stream.direction),
            _ => Phase::Idle,
        }
    }

    /// The part of each of this many responders: an equal share of a rate, and all other options
    /// unchanged.
    #[must_use]
    pub fn share(&self, peers: u32) -> Self {
        let mut load = self.clone();
        if let Some(stream) = &mut load.stream {
            for rate in [&mut stream.rate, &mut stream.read_rate].into_iter().flatten() {
                *rate = Rate::from_bits_per_second(rate.bits_per_second() / f64::from(peers.max(1)));
            }
        }
        load
    }

    /// The number, over all responders, of the bulk flow that has number `flow` at `peer`.
    #[must_use]
    pub fn numbered(&self, peer: u32, flow: u32) -> u32 {
        let each = self.stream.as_ref().map_or(0, |stream| stream.flows);
        peer.saturating_mul(each).saturating_add(flow)
    }
}

impl Direction {
    /// Every direction, for help texts.
    pub const ALL: [Self; 3] = [Self::Send, Self::Receive, Self::Both];

    /// The name on the command line and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Receive => "receive",
            Self::Both => "both",
        }
    }

    /// The single directions that it consists of.
    #[must_use]
    pub const fn parts(self) -> &'static [Self] {
        match self {
            Self::Send => &[Self::Send],
            Self::Receive => &[Self::Receive],
            Self::Both => &[Self::Send, Self::Receive],
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Idle => out.write_str("idle"),
            Self::Loaded(direction) => write!(out, "loaded-{direction}"),
        }
    }
}

named!(Direction, "`{}` is none of {}");
