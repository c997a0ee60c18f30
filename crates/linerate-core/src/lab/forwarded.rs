//! What makes a link late and lossy, and what became of its frames.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::emulator::Counts;
use crate::units::Span;

/// A frame that leaves no later than this after its time is punctual.
const PUNCTUAL: Span = Span::from_us(50);

/// What a link is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mechanism {
    /// A virtual wire alone.
    Wire,
    /// Queues of the kernel at both ends: tc-netem(8) for delays, tc-tbf(8) for rates.
    Kernel,
    /// The forwarder of linerate.
    Forwarder,
}

impl Mechanism {
    /// What it is called for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wire => "a virtual wire",
            Self::Kernel => "queues of the kernel (netem, tbf)",
            Self::Forwarder => "linerate's own forwarder",
        }
    }
}

/// What the forwarder did with the frames of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Forwarded {
    /// What the rules say of those that came.
    #[serde(flatten)]
    pub counts: Counts,
    /// Frames that were sent on.
    pub sent: u64,
    /// Frames that the forwarder itself lost, because this host gave it too little time or memory.
    pub missed: u64,
    /// Of those that were sent, frames that left more than 50 us after their time.
    pub late: u64,
    /// How long after their time all of them left together.
    #[serde(rename = "lateness_ps")]
    pub lateness: Span,
    /// How long after its time the latest one left.
    #[serde(rename = "latest_ps")]
    pub latest: Span,
}

impl Forwarded {
    /// Counts a frame that was sent so long after its time.
    pub fn sent(&mut self, late: Span) {
        self.sent += 1;
        self.late += u64::from(late > PUNCTUAL);
        self.lateness += late;
        self.latest = self.latest.max(late);
    }
}

impl fmt::Display for Forwarded {
    /// `100 frames came, 95 were sent, 3 dropped by rule, 2 by the queue`, and what else happened, if it did.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts {
            arrived,
            dropped_by_rule,
            dropped_by_queue,
            duplicated,
            corrupted,
            reordered,
            jitter,
            passed,
        } = self.counts;
        write!(
            out,
            "{arrived} frames came, {} were sent, {dropped_by_rule} dropped by rule, {dropped_by_queue} by the queue",
            self.sent
        )?;
        for (count, what) in [(duplicated, "duplicated"), (corrupted, "corrupted"), (reordered, "reordered")]
        {
            if count > 0 {
                write!(out, ", {count} {what}")?;
            }
        }
        if jitter > Span::ZERO {
            write!(out, ", {} of jitter on average", jitter / passed)?;
        }
        if self.missed > 0 {
            write!(out, "; {} were lost for want of time or memory", self.missed)?;
        }
        if self.late > 0 {
            write!(out, "; {} left more than {PUNCTUAL} late, {} at most", self.late, self.latest)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_happen_is_not_said() {
        let counts = Counts { arrived: 10, passed: 8, dropped_by_rule: 2, ..Counts::default() };
        let mut forwarded = Forwarded { counts, ..Forwarded::default() };
        (0..8).for_each(|_| forwarded.sent(Span::from_us(50)));
        assert_eq!(forwarded.to_string(), "10 frames came, 8 were sent, 2 dropped by rule, 0 by the queue");
        forwarded.counts.corrupted = 1;
        forwarded.missed = 3;
        forwarded.sent(Span::from_us(51));
        assert_eq!(
            forwarded.to_string(),
            "10 frames came, 9 were sent, 2 dropped by rule, 0 by the queue, 1 corrupted; 3 were lost for want of \
             time or memory; 1 left more than 50.0 us late, 51.0 us at most"
        );
    }

    #[test]
    fn in_a_file_the_counts_are_beside_the_rest() {
        let counts = Counts { arrived: 1, passed: 1, ..Counts::default() };
        let forwarded = Forwarded { counts, sent: 1, latest: Span::from_us(3), ..Forwarded::default() };
        let text = serde_json::to_string(&forwarded).expect("it has a form");
        assert!(
            text.starts_with(r#"{"arrived":1,"passed":1,"#) && text.contains(r#""latest_ps":3000000"#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Forwarded>(&text).expect("it is read"), forwarded);
    }
}
