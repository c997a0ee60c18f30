//! What is known about a host before the fit.

use linerate_core::pattern::Pattern;
use linerate_core::units::{Size, Span};
use serde::{Deserialize, Serialize};

use super::Parameter;
use crate::machine::Profile;

/// What a message's time depends on, besides the hosts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Conditions {
    /// Who sends when.
    pub pattern: Pattern,
    /// Message size. Unit: bytes.
    pub size: u64,
    /// Largest IP packet. Unit: bytes.
    pub mtu: u32,
    /// `TCP_MAXSEG` as requested. If absent, what the MTU leaves. Unit: bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mss: Option<u32>,
    /// `SO_RCVBUF` as requested at both ends. If absent, the kernel decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_buffer: Option<Size>,
    /// `SO_SNDBUF` as requested at both ends. If absent, the kernel decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_buffer: Option<Size>,
    /// `TCP_NODELAY`.
    pub nodelay: bool,
    /// Whether the threads of both ends share one processor, of a host on which both run.
    #[serde(default, skip_serializing_if = "is_no")]
    pub one_processor: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_no(flag: &bool) -> bool {
    !*flag
}

impl Conditions {
    /// Of a ping-pong whose every message is sent at once, over connections with the kernel's own
    /// buffers. Units: bytes.
    #[must_use]
    pub const fn usual(mtu: u32, size: u64) -> Self {
        Self {
            pattern: Pattern::PingPong,
            size,
            mtu,
            mss: None,
            receive_buffer: None,
            send_buffer: None,
            nodelay: true,
            one_processor: false,
        }
    }

    /// The same of a one-way stream.
    #[must_use]
    pub fn one_way(self) -> Self {
        Self { pattern: Pattern::OneWay, ..self }
    }

    /// The same with the threads of both ends on one processor.
    #[must_use]
    pub fn on_one_processor(self) -> Self {
        Self { one_processor: true, ..self }
    }
}

/// A time that was measured, and under which conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The conditions.
    pub conditions: Conditions,
    /// One-way time of a message: the median.
    pub time: Span,
    /// Standard deviation of the median's logarithm: 0.02 is about 2 %.
    pub sigma: f64,
    /// For how long the threads of both ends worked for a message, the one that sends first, with what the
    /// kernel did in their calls, and the standard deviation of the logarithms. Absent if that is not known.
    pub worked: Option<([Span; 2], f64)>,
}

/// What the model says of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicted {
    /// Its one-way time.
    pub time: Span,
    /// For how long the threads of both ends work for it, the one that sends first.
    pub worked: [Span; 2],
}

/// What a micro-measurement or an assumption says about one parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Belief {
    /// Of which.
    pub parameter: Parameter,
    /// The value is a multiple of this other parameter. If absent, the parameter's own unit.
    pub relative_to: Option<Parameter>,
    /// The value, or the multiple.
    pub value: f64,
    /// Standard deviation of the value's logarithm: 0.7 is about a factor of two.
    pub sigma: f64,
    /// Where it comes from, for people.
    pub source: String,
}

impl Belief {
    /// By how much `profile` differs from it. Unit: its standard deviations.
    pub(super) fn residual(&self, profile: &Profile) -> f64 {
        let other = self.relative_to.map_or(1.0, |other| other.of(profile));
        (self.parameter.of(profile) / (other * self.value)).ln() / self.sigma
    }
}

/// All that is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// About single parameters. Each parameter needs at least one, or the fit may not determine it.
    pub beliefs: Vec<Belief>,
    /// About whole messages.
    pub measured: Vec<Measured>,
}

impl Evidence {
    /// How many residuals it gives.
    pub(super) fn pieces(&self) -> usize {
        let worked = self.measured.iter().filter(|it| it.worked.is_some()).count();
        self.measured.len() + 2 * worked + self.beliefs.len()
    }

    /// The conditions of what was measured.
    #[must_use]
    pub fn conditions(&self) -> Vec<Conditions> {
        self.measured.iter().map(|measured| measured.conditions.clone()).collect()
    }
}
