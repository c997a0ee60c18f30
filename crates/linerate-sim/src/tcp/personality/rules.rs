//! What one kernel does, as far as it differs from another's.

use linerate_core::units::{Size, Span, SpanText, span_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod congestion;

pub use congestion::{CongestionRules, Counting, Detection, Recovery, ReducedFrom, Reduction};

use super::Personality;

/// The rules of one kernel: the content of `plans/kernels/NAME.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rules {
    /// Its name.
    pub name: String,
    /// One line about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// When its timers run out.
    pub timers: TimerRules,
    /// What `SO_RCVBUF` gives.
    pub receive_buffer: ReceiveBuffer,
    /// What `SO_SNDBUF` gives, and when a writer sleeps.
    pub send_buffer: SendBuffer,
    /// The window that it offers.
    pub window: WindowRules,
    /// When it acknowledges.
    pub acknowledgement: AcknowledgementRules,
    /// What its SYN offers.
    pub options: OptionRules,
    /// Congestion control: how much may be in flight.
    pub congestion: CongestionRules,
    /// When it sends less than a full segment.
    pub sending: SendingRules,
}

/// Timers. Source of the shape: RFC 6298.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TimerRules {
    /// The timers of retransmission and of window probes run out at multiples of this: 1/HZ.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub tick: Span,
    /// The timer of delayed acknowledgements runs out at multiples of this.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub acknowledgement_tick: Span,
    /// The clock of timestamps (RFC 7323, 5.4: between 1 ms and 1 s).
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub timestamp_tick: Span,
    /// Retransmission timeout before the first sample (RFC 6298, 2.1).
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub rto_initial: Span,
    /// The least retransmission timeout (RFC 6298, 2.4).
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub rto_least: Span,
    /// The most (RFC 6298, 2.5).
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub rto_most: Span,
    /// Whether the least holds for four times the variance, and the round-trip time comes on top,
    /// or for the sum of both as in RFC 6298.
    pub rto_least_is_of_variance: bool,
    /// The least time before a tail probe (RFC 8985, 7.2).
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub probe_least: Span,
    /// How often a segment is retransmitted before the connection is given up (RFC 9293, 3.8.3,
    /// R2).
    pub retries: u32,
    /// The same for a SYN.
    pub syn_retries: u32,
}

/// The receive buffer of a socket. Unit: bytes, of payload or of buffers: see
/// [`WindowRules::charge`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ReceiveBuffer {
    /// The default of a socket. Where the kernel tunes it, the largest value: the model starts with
    /// a buffer that has grown to it, unless `grows_from` says less.
    pub default: Size,
    /// Where a buffer that nobody asked for begins, and grows from with what the application takes in
    /// a round trip (dynamic right-sizing). If absent, it is the default from the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grows_from: Option<Size>,
    /// More is taken as this much when asked.
    pub most_asked: Size,
    /// What was asked is multiplied by this; the default is not.
    pub multiplier: u64,
}

/// The send buffer of a socket. Unit: bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SendBuffer {
    /// The default of a socket. Where the kernel tunes it, the largest value.
    pub default: Size,
    /// Where a buffer that nobody asked for begins, and grows from with the congestion window. If
    /// absent, it is the default from the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grows_from: Option<Size>,
    /// More is taken as this much when asked.
    pub most_asked: Size,
    /// What was asked is multiplied by this; the default is not.
    pub multiplier: u64,
    /// What a segment takes of the buffer besides its payload: headers and the kernel's record.
    pub segment_overhead: Size,
    /// Whether a whole segment is taken as soon as there is any room at all.
    pub whole_segments: bool,
    /// A sleeping writer is woken when there is room for this many bytes,
    pub wake_at_bytes: Size,
    /// and when this part of the buffer is free: 3 is a third; 0 is no condition.
    pub wake_at_part: u64,
}

/// The window that is offered: `share * (buffer - charged)`, at most `most`, rounded down to
/// `unit`. No kernel takes back what it has offered (RFC 9293, 3.8.6).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WindowRules {
    /// The offered part of the free buffer: numerator and denominator.
    pub share: [u64; 2],
    /// To what it is rounded down.
    pub unit: Unit,
    /// The most that is ever offered. Without window scaling 65535 holds besides (RFC 9293, 3.1).
    pub most: Size,
    /// The most that a SYN offers.
    pub first: Size,
    /// What the receive buffer is charged for a segment.
    pub charge: Charge,
    /// What the shift of window scaling is computed from.
    pub scale_from: ScaleFrom,
    /// When a read sends a window update.
    pub raise: Raise,
}

/// To what a window is rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Whole segments.
    Segments,
    /// 1024 bytes.
    Kilobytes,
    /// Not at all.
    Bytes,
}

/// What the receive buffer is charged for a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Charge {
    /// The buffer in which it came (truesize).
    Buffer,
    /// Its payload.
    Payload,
}

/// From what the shift of window scaling is taken: the least that fits it into 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScaleFrom {
    /// The receive buffer.
    Buffer,
    /// The largest window that it can offer.
    Window,
}

/// When a read that made room sends an acknowledgement to tell of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Raise {
    /// The window would be at least twice what is left of the last offer.
    DoubleTheRemaining,
    /// The same after a bare acknowledgement; after a segment with data, whose offer counts as not
    /// used, twice that offer.
    DoubleTheCarried,
    /// Its right edge would move by two segments or half the buffer.
    TwoSegments,
}

/// When what arrived is acknowledged (RFC 9293, 3.8.6.3; RFC 5681, 4.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AcknowledgementRules {
    /// How much unacknowledged payload is acknowledged at once.
    pub threshold: Threshold,
    /// What counts as a segment there.
    pub receive_mss: ReceiveMss,
    /// Whether that much waits for the application's read unless a larger window than the last can be
    /// offered. The read then acknowledges more than a segment, and a message whose last
    /// byte it took unless the application answers.
    #[serde(default, skip_serializing_if = "is_no")]
    pub waits_for_read: bool,
    /// The least delay of an acknowledgement; zero runs out at the next tick.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub delay_least: Span,
    /// The most; the delay follows the spacing of what arrives between the two.
    #[serde(with = "span_text")]
    #[schemars(with = "SpanText")]
    pub delay_most: Span,
    /// A small segment with PSH sets the delay to its least.
    pub push_resets_delay: bool,
    /// Quick acknowledgements: this many segments of a new connection are acknowledged at once,
    /// until it turns out to be interactive. Unit: segments.
    pub quick: u32,
}

/// How much unacknowledged payload is acknowledged at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Threshold {
    /// Two segments or more.
    TwoSegments,
    /// More than one segment.
    MoreThanOne,
    /// Every segment.
    Every,
    /// Any amount waits for the timer, or for a read.
    Never,
}

/// What counts as a segment when unacknowledged payload is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReceiveMss {
    /// The largest that was seen, and at least 536 bytes.
    Seen,
    /// What its own SYN announced, without the room that options take: with timestamps two full
    /// segments fall short of two of these.
    Announced,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_no(flag: &bool) -> bool {
    !*flag
}

/// What a SYN offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OptionRules {
    /// Timestamps (RFC 7323): each segment has 12 bytes less payload.
    pub timestamps: bool,
    /// Window scaling (RFC 7323).
    pub window_scaling: bool,
    /// Selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Explicit congestion notification (RFC 3168).
    #[serde(default)]
    pub ecn: EcnUse,
}

/// Whether an end uses explicit congestion notification (RFC 3168, 6.1.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EcnUse {
    /// Never.
    #[default]
    No,
    /// If the peer's SYN asks for it.
    WhenAsked,
    /// Its own SYN asks for it too.
    Yes,
}

/// When less than a full segment is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SendingRules {
    /// For what a small segment waits unless the application says no.
    pub nagle: Nagle,
}

/// For what a small segment waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Nagle {
    /// Until all that was sent is acknowledged.
    #[serde(rename = "rfc-896")]
    Rfc896,
    /// Until the last small segment is acknowledged (Minshall's change).
    Minshall,
}

/// Why a text is not a set of rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// It is no TOML, or not of these fields.
    #[error("read the rules of a kernel: {0}")]
    Syntax(String),
    /// A value makes no sense.
    #[error("use the rules of a kernel: `{field}` {why}")]
    Value {
        /// Which.
        field: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl Rules {
    /// The rules of a kernel that comes with linerate, by its name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Personality::find(name).map(|personality| personality.rules())
    }

    /// Reads rules from TOML.
    ///
    /// # Errors
    ///
    /// If it is not a set of rules, or a value makes no sense.
    pub fn from_toml(text: &str) -> Result<Self, RulesError> {
        let rules: Self = toml::from_str(text).map_err(|error| RulesError::Syntax(error.to_string()))?;
        rules.check()?;
        Ok(rules)
    }

    /// Whether the values make sense together.
    ///
    /// # Errors
    ///
    /// The first that does not.
    pub fn check(&self) -> Result<(), RulesError> {
        let timers = &self.timers;
        let [part, whole] = self.window.share;
        let wrong = [
            ("timers.tick", timers.tick == Span::ZERO, "is zero"),
            ("timers.acknowledgement-tick", timers.acknowledgement_tick == Span::ZERO, "is zero"),
            ("timers.timestamp-tick", timers.timestamp_tick == Span::ZERO, "is zero"),
            ("timers.rto-initial", timers.rto_initial == Span::ZERO, "is zero"),
            ("timers.rto-least", timers.rto_least > timers.rto_most, "is more than rto-most"),
            ("window.share", part == 0 || part > whole, "is not a part of one"),
            ("window.most", self.window.most.bytes() < 1024, "is less than a kilobyte"),
            ("window.first", self.window.first.bytes() == 0, "is zero"),
            grows(&self.receive_buffer.grows_from, self.receive_buffer.default, "receive-buffer.grows-from"),
            grows(&self.send_buffer.grows_from, self.send_buffer.default, "send-buffer.grows-from"),
            ("receive-buffer.multiplier", self.receive_buffer.multiplier == 0, "is zero"),
            ("send-buffer.multiplier", self.send_buffer.multiplier == 0, "is zero"),
            (
                "acknowledgement.delay-least",
                self.acknowledgement.delay_least > self.acknowledgement.delay_most,
                "is more than delay-most",
            ),
            ("congestion.initial-window", self.congestion.initial_window == 0, "is zero"),
            ("congestion.duplicates", self.congestion.duplicates == 0, "is zero"),
        ];
        match wrong.into_iter().find(|(_, wrong, _)| *wrong) {
            Some((field, _, why)) => Err(RulesError::Value { field, why }),
            None => Ok(()),
        }
    }
}

impl Rules {
    /// Whether its SYN asks for ECN, and whether it agrees if a peer's does. Some algorithms
    /// do not work without.
    pub(in crate::tcp) fn ecn(&self) -> [bool; 2] {
        let needs = self.congestion.algorithm.exact_ecn;
        [needs || self.options.ecn == EcnUse::Yes, needs || self.options.ecn != EcnUse::No]
    }
}

/// Whether a buffer may grow from there to its default.
fn grows(from: &Option<Size>, default: Size, field: &'static str) -> (&'static str, bool, &'static str) {
    let wrong = from.is_some_and(|from| from.bytes() == 0 || from > default);
    (field, wrong, "is zero or more than the default")
}

impl ReceiveBuffer {
    /// What is granted. Unit: bytes.
    #[must_use]
    pub fn granted(&self, asked: Option<Size>) -> u64 {
        asked.map_or(self.default.bytes(), |asked| granted(asked, self.most_asked, self.multiplier))
    }

    /// Where it begins, if it grows to what is granted. Unit: bytes.
    pub(in crate::tcp) fn growing_from(&self, asked: Option<Size>) -> Option<u64> {
        self.grows_from.filter(|_| asked.is_none()).map(Size::bytes)
    }
}

impl SendBuffer {
    /// What is granted. Unit: bytes.
    #[must_use]
    pub fn granted(&self, asked: Option<Size>) -> u64 {
        asked.map_or(self.default.bytes(), |asked| granted(asked, self.most_asked, self.multiplier))
    }

    /// Where it begins, if it grows to what is granted. Unit: bytes.
    pub(in crate::tcp) fn growing_from(&self, asked: Option<Size>) -> Option<u64> {
        self.grows_from.filter(|_| asked.is_none()).map(Size::bytes)
    }

    /// What takes twice a congestion window of `window` bytes in segments of `mss`, with their
    /// records.
    pub(in crate::tcp) fn for_window(&self, window: u64, mss: u64) -> u64 {
        2 * window.div_ceil(mss) * (mss + self.segment_overhead.bytes())
    }

    /// How much payload in segments of `mss` a buffer of `granted` bytes takes, at least one byte.
    pub(in crate::tcp) fn capacity(&self, granted: u64, mss: u64) -> u64 {
        let each = mss + self.segment_overhead.bytes();
        if self.whole_segments {
            return granted.div_ceil(each).max(1) * mss;
        }
        let rest = (granted % each).saturating_sub(self.segment_overhead.bytes());
        (granted / each * mss + rest).max(1)
    }

    /// How much of `capacity` must be free before a writer is woken.
    pub(in crate::tcp) fn wake_at(&self, capacity: u64) -> u64 {
        let part = capacity.checked_div(self.wake_at_part).unwrap_or(0);
        self.wake_at_bytes.bytes().max(part).clamp(1, capacity)
    }
}

/// The least buffer that a socket can have. Unit: bytes. From memory: Linux grants 256 and doubles,
/// later more.
const LEAST_BUFFER: u64 = 256;

fn granted(asked: Size, most: Size, multiplier: u64) -> u64 {
    asked.bytes().min(most.bytes()).max(LEAST_BUFFER).saturating_mul(multiplier)
}
