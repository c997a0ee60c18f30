//! The first bytes of every connection, by which two linerates recognise each other.
//!
//! ```text
//! client  "linerate" newest(u16 BE) purpose(u8) earlier(u8) CR LF CR LF     16 bytes
//! server  "linerate" newest(u16 BE) open(u8)    earlier(u8) challenge       44 bytes
//! ```
//!
//! Each end states the newest version of the conversation that it speaks, and how many before that.
//! Both then use the newest common version.
//!
//! The client's greeting ends like an HTTP request, so that a web server answers it at once.

use std::fmt;

use linerate_core::foreign::plain;

/// Newest version of the conversation that this linerate speaks.
pub const PROTOCOL: u16 = 12;
/// Oldest version that it speaks. In version 3 a trial has no lead; in version 4 there are no settings,
/// in version 5 no ranks, in version 6 no traces, in version 7 no loads, in version 8 a
/// client that waits does not hear who holds the slot, in version 9 no frame is packed, in version 10 each question
/// waits for the answer to the one before, and in version 11 frames have no codes.
const OLDEST: u16 = 4;
/// Length of a client's greeting. Unit: bytes.
pub const GREETING_LEN: usize = 16;
/// Length of a server's random challenge. Unit: bytes.
pub const CHALLENGE_LEN: usize = 32;
/// Length of a server's answer to a greeting. Unit: bytes.
pub(crate) const WELCOME_LEN: usize = HEAD_LEN + CHALLENGE_LEN;

const NAME: &[u8; 8] = b"linerate";
const HEAD_LEN: usize = 12;
const TAIL: &[u8; 4] = b"\r\n\r\n";

/// A server's random bytes, which a proof must contain.
pub type Challenge = [u8; CHALLENGE_LEN];

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The conversation.
    Control = 1,
    /// The bytes under test; the token that the server gave and the number of the flow follow.
    Data = 2,
    /// Messages between ranks.
    Rank = 3,
}

/// The versions of the conversation that an end speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions {
    /// The oldest of them.
    pub oldest: u16,
    /// The newest of them.
    pub newest: u16,
}

impl Versions {
    /// Those of this linerate.
    pub const OURS: Self = Self { oldest: OLDEST, newest: PROTOCOL };

    /// The newest version that both ends speak.
    ///
    /// # Errors
    ///
    /// When there is no common version.
    pub fn agreed(self, theirs: Self) -> Result<u16, GreetingError> {
        let version = self.newest.min(theirs.newest);
        let spoken = version >= self.oldest.max(theirs.oldest);
        if spoken { Ok(version) } else { Err(GreetingError::Version { theirs }) }
    }

    /// How many versions before the newest are spoken, as far as a byte tells.
    fn earlier(self) -> u8 {
        u8::try_from(self.newest.saturating_sub(self.oldest)).unwrap_or(u8::MAX)
    }
}

impl fmt::Display for Versions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { oldest, newest } = self;
        if oldest == newest {
            write!(out, "version {newest}")
        } else {
            write!(out, "versions {oldest} to {newest}")
        }
    }
}

/// A client's first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// What it speaks.
    pub versions: Versions,
    /// What the connection is for.
    pub purpose: Purpose,
}

/// A server's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Welcome {
    /// What it speaks.
    pub versions: Versions,
    /// The server requires no key.
    pub open: bool,
    /// Random bytes for the proofs.
    pub challenge: Challenge,
}

/// Why a greeting is not understood. Displayed after "failed to ...".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GreetingError {
    /// The peer does not speak linerate.
    #[error("find linerate at the peer: it said `{said}`")]
    Foreign {
        /// What it sent instead, as readable text.
        said: String,
    },
    /// There is no version that both ends speak.
    #[error(
        "talk to the peer: it speaks {theirs} of the protocol and this linerate speaks {}",
        Versions::OURS
    )]
    Version {
        /// What the peer speaks.
        theirs: Versions,
    },
    /// The peer speaks this version, but its message is invalid.
    #[error("understand the greeting: purpose {0} is unknown")]
    Purpose(u8),
}

impl Greeting {
    /// This linerate's.
    #[must_use]
    pub const fn new(purpose: Purpose) -> Self {
        Self { versions: Versions::OURS, purpose }
    }

    /// The bytes to send.
    #[must_use]
    pub fn encode(self) -> [u8; GREETING_LEN] {
        let mut bytes = [0; GREETING_LEN];
        bytes[..HEAD_LEN].copy_from_slice(&head(self.versions, self.purpose as u8));
        bytes[HEAD_LEN..].copy_from_slice(TAIL);
        bytes
    }

    /// Understands a client's first bytes.
    ///
    /// # Errors
    ///
    /// When they are not those of a linerate that speaks a version of ours.
    pub fn decode(bytes: &[u8; GREETING_LEN]) -> Result<Self, GreetingError> {
        let (versions, purpose) = read_head(bytes)?;
        let purpose = match purpose {
            1 => Purpose::Control,
            2 => Purpose::Data,
            3 => Purpose::Rank,
            other => return Err(GreetingError::Purpose(other)),
        };
        Ok(Self { versions, purpose })
    }
}

impl Welcome {
    /// This linerate's.
    #[must_use]
    pub const fn new(open: bool, challenge: Challenge) -> Self {
        Self { versions: Versions::OURS, open, challenge }
    }

    /// The bytes to send.
    #[must_use]
    pub fn encode(&self) -> [u8; WELCOME_LEN] {
        let mut bytes = [0; WELCOME_LEN];
        bytes[..HEAD_LEN].copy_from_slice(&head(self.versions, u8::from(self.open)));
        bytes[HEAD_LEN..].copy_from_slice(&self.challenge);
        bytes
    }

    /// Understands a server's answer.
    ///
    /// # Errors
    ///
    /// When it is not that of a linerate that speaks a version of ours.
    pub fn decode(bytes: &[u8; WELCOME_LEN]) -> Result<Self, GreetingError> {
        let (versions, open) = read_head(bytes)?;
        let open = match open {
            0 => false,
            1 => true,
            other => return Err(GreetingError::Purpose(other)),
        };
        let mut challenge = [0; CHALLENGE_LEN];
        challenge.copy_from_slice(&bytes[HEAD_LEN..]);
        Ok(Self { versions, open, challenge })
    }
}

fn head(versions: Versions, detail: u8) -> [u8; HEAD_LEN] {
    let mut bytes = [0; HEAD_LEN];
    bytes[..NAME.len()].copy_from_slice(NAME);
    bytes[NAME.len()..NAME.len() + 2].copy_from_slice(&versions.newest.to_be_bytes());
    bytes[NAME.len() + 2] = detail;
    bytes[NAME.len() + 3] = versions.earlier();
    bytes
}

/// Checks name and versions; with these the byte between them.
fn read_head(bytes: &[u8]) -> Result<(Versions, u8), GreetingError> {
    if !bytes.starts_with(NAME) {
        return Err(GreetingError::Foreign { said: readable(bytes) });
    }
    let [high, low, detail, earlier] = [0, 1, 2, 3].map(|at| bytes[NAME.len() + at]);
    let newest = u16::from_be_bytes([high, low]);
    let theirs = Versions { oldest: newest.saturating_sub(earlier.into()), newest };
    Versions::OURS.agreed(theirs).map(|_| (theirs, detail))
}

/// The longest excerpt of an unknown peer's answer in an error.
const EXCERPT: usize = 32;

/// Bytes of an unknown peer as text that a terminal shows harmlessly.
pub(crate) fn readable(bytes: &[u8]) -> String {
    let end = bytes.len().min(EXCERPT);
    bytes[..end].escape_ascii().to_string()
}

/// The longest text of an unknown peer that is shown or logged. Unit: characters.
const LONGEST: usize = 1000;

/// An unknown peer's text, shortened, without control characters and bidirectional overrides.
pub(crate) fn harmless(text: &str) -> String {
    plain(&text.chars().take(LONGEST).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_survive() {
        for purpose in [Purpose::Control, Purpose::Data, Purpose::Rank] {
            let greeting = Greeting::new(purpose);
            assert_eq!(Greeting::decode(&greeting.encode()), Ok(greeting));
        }
        let welcome = Welcome::new(true, [7; CHALLENGE_LEN]);
        assert_eq!(Welcome::decode(&welcome.encode()), Ok(welcome));
    }

    #[test]
    fn a_unknown_peers_text_neither_steers_a_terminal_nor_floods_it() {
        assert_eq!(
            harmless("no \u{1b}[2J\n\u{202e}way: \u{e4}"),
            "no \u{fffd}[2J\u{fffd}\u{fffd}way: \u{e4}"
        );
        assert_eq!(harmless(&"x".repeat(60_000)).len(), LONGEST);
    }

    #[test]
    fn unknown_peers_and_other_versions_are_named() {
        let outsider = Greeting::decode(b"GET / HTTP/1.1\r\n").expect_err("no linerate");
        assert_eq!(outsider, GreetingError::Foreign { said: "GET / HTTP/1.1\\r\\n".to_owned() });
        let mut later = Greeting::new(Purpose::Control).encode();
        let newest = Versions::OURS.newest + 1;
        (later[9], later[11]) = (u8::try_from(newest).expect("a small number"), 0);
        let theirs = Versions { oldest: newest, newest };
        assert_eq!(Greeting::decode(&later), Err(GreetingError::Version { theirs }));
        later[11] = 6;
        let theirs = Versions { oldest: newest - 6, newest };
        assert_eq!(Greeting::decode(&later).map(|greeting| greeting.versions), Ok(theirs));
        let mut odd = Greeting::new(Purpose::Control).encode();
        odd[10] = 77;
        assert_eq!(Greeting::decode(&odd), Err(GreetingError::Purpose(77)));
    }

    #[test]
    fn both_speak_the_newest_version_that_both_know() {
        let versions = |oldest, newest| Versions { oldest, newest };
        for (ours, theirs, agreed) in [
            (versions(3, 3), versions(3, 3), Some(3)),
            (versions(3, 5), versions(2, 4), Some(4)),
            (versions(3, 5), versions(5, 9), Some(5)),
            (versions(3, 5), versions(1, 3), Some(3)),
            (versions(3, 5), versions(1, 2), None),
            (versions(3, 5), versions(6, 9), None),
        ] {
            assert_eq!(ours.agreed(theirs).ok(), agreed, "{ours}, {theirs}");
            assert_eq!(theirs.agreed(ours).ok(), agreed, "{theirs}, {ours}");
        }
        let error = versions(3, 5).agreed(versions(1, 2)).expect_err("nothing in common").to_string();
        assert!(error.contains("it speaks versions 1 to 2 of the protocol"), "{error}");
    }
}
