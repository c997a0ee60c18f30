//! One visit to one size, and its result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::endpoint::{Endpoint, LinkError};
use crate::kernel::Effort;
use crate::pattern::Pattern;
use crate::payload::{Check, Corruption, Messages};
use crate::units::{Span, Time};

/// The most samples that one trial may ask for: beyond that messages are timed in batches.
pub const MAX_SAMPLES: u32 = 1 << 16;

/// One visit to one size: `samples` timed samples of `batch` messages each way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// Who sends when.
    pub pattern: Pattern,
    /// Message size. Unit: bytes.
    pub size: u64,
    /// How many samples are timed, at least 1 and at most [`MAX_SAMPLES`].
    pub samples: u32,
    /// How many messages pass before the first sample, besides the opening one: what a path or a
    /// buffer holds is gone by then. Only where messages overlap.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lead: u32,
    /// How many messages one sample spans, at least 1; more than one if a single message is too
    /// quick for the clock.
    pub batch: u32,
    /// Seed of the messages' bytes.
    pub seed: u64,
    /// How thoroughly the bytes are checked.
    pub check: Check,
}

impl Trial {
    /// Messages that the initiator sends.
    #[must_use]
    pub const fn messages(&self) -> u64 {
        self.untimed() + self.samples as u64 * self.batch as u64
    }

    /// Messages that the initiator sends before the first sample.
    #[must_use]
    pub const fn untimed(&self) -> u64 {
        self.pattern.opening_messages() + self.lead as u64
    }

    /// The time of one message one way, from the time of one sample.
    #[must_use]
    pub fn per_message(&self, sample: Span) -> Span {
        sample / (u64::from(self.batch) * self.pattern.legs())
    }

    /// What the initiator and the responder must have counted after it.
    pub(crate) fn tallies(&self) -> [Tally; 2] {
        let messages = self.messages();
        let sender = Tally { sent_bytes: messages * self.size, sent: messages, ..Tally::default() };
        let receiver = Tally { received_bytes: messages * self.size, received: messages, ..Tally::default() };
        let both = Tally { sent: messages, sent_bytes: messages * self.size, ..receiver };
        match self.pattern {
            Pattern::OneWay => [sender, receiver],
            Pattern::PingPong | Pattern::Exchange => [both, both],
        }
    }

    /// Message size as a length in memory.
    ///
    /// # Errors
    ///
    /// [`LinkError::System`] on a host whose addresses are too short for it.
    pub fn message_len(&self) -> Result<usize, LinkError> {
        usize::try_from(self.size).map_err(|source| LinkError::System {
            operation: "address a message in memory",
            source: std::io::Error::new(std::io::ErrorKind::InvalidInput, source),
        })
    }
}

fn is_zero(lead: &u32) -> bool {
    *lead == 0
}

/// What one end counted: the other end's must be its mirror image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Bytes handed to the channel.
    pub sent_bytes: u64,
    /// Bytes taken from it.
    pub received_bytes: u64,
    /// Messages sent.
    pub sent: u64,
    /// Messages received.
    pub received: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        // Saturating, because a file may say anything.
        self.sent_bytes = self.sent_bytes.saturating_add(other.sent_bytes);
        self.received_bytes = self.received_bytes.saturating_add(other.received_bytes);
        self.sent = self.sent.saturating_add(other.sent);
        self.received = self.received.saturating_add(other.received);
    }
}

/// One end's account of a trial.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Half {
    /// Time of each sample on this end's clock; empty at the end that does not time.
    pub elapsed: Vec<Span>,
    /// What this end counted.
    pub tally: Tally,
    /// What had arrived here and was still to be read when the first sample began, out of order too, and
    /// when the last one ended, where messages overlap and the channel can say. Unit: bytes.
    #[serde(default, skip_serializing_if = "is_none_waiting")]
    pub waiting: [u64; 2],
    /// The first wrong byte among those that were checked.
    pub corruption: Option<Corruption>,
    /// What this end spent on it. Absent if nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
}

fn is_none_waiting(waiting: &[u64; 2]) -> bool {
    *waiting == [0, 0]
}

/// What a trial gave, agreed by both ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Time of one message one way, from each sample in order.
    pub times: Vec<Span>,
    /// What the initiator counted.
    pub tally: Tally,
    /// Whether the receiver kept up with what arrived. If not, the samples time how fast it reads what
    /// had arrived before.
    pub kept_up: bool,
    /// All the time that the trial took on the bench's clock, set-up included.
    pub spent: Span,
    /// What the initiator and the responder spent on it, where both looked.
    pub effort: Option<[Effort; 2]>,
}

/// Records the time between laps on an endpoint's clock, one clock read a lap.
#[derive(Debug)]
pub(crate) struct Laps {
    last: Time,
    elapsed: Vec<Span>,
}

impl Laps {
    pub(crate) fn start<E: Endpoint>(end: &E, samples: u32) -> Self {
        let elapsed = Vec::with_capacity(samples as usize);
        Self { last: end.now(), elapsed }
    }

    pub(crate) fn lap<E: Endpoint>(&mut self, end: &E) {
        let now = end.now();
        self.elapsed.push(now.since(self.last));
        self.last = now;
    }

    pub(crate) fn finish(self) -> Vec<Span> {
        self.elapsed
    }
}

/// The seed of the bytes that the responder sends.
pub(crate) const fn reply_seed(seed: u64) -> u64 {
    !seed
}

/// Checks what arrived and closes one end's account.
pub(crate) fn close(
    trial: &Trial,
    messages: &mut impl Messages,
    incoming_seed: Option<u64>,
    elapsed: Vec<Span>,
    tally: Tally,
) -> Result<Half, LinkError> {
    let size = trial.message_len()?;
    let corruption = incoming_seed.and_then(|seed| messages.inspect(size, seed, trial.check).err());
    Ok(Half { elapsed, tally, waiting: [0, 0], corruption, effort: None })
}
