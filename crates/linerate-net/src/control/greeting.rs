//! The first bytes of every connection, by which two linerates know each other.
//!
//! ```text
//! client  "linerate" version(u16 BE) purpose(u8) 0(u8) CR LF CR LF     16 bytes
//! server  "linerate" version(u16 BE) open(u8)    0(u8) challenge       44 bytes
//! ```
//!
//! The client's greeting ends like an HTTP request, so that a web server answers it at once.

/// Version of the conversation. Ends of different versions refuse each other by name.
pub const PROTOCOL: u16 = 2;
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
}

/// A client's first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// What the connection is for.
    pub purpose: Purpose,
}

/// A server's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Welcome {
    /// The server asks for no key.
    pub open: bool,
    /// Random bytes for the proofs.
    pub challenge: Challenge,
}

/// Why a greeting is not understood. Displayed after "failed to ...".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GreetingError {
    /// The peer does not speak linerate.
    #[error("find linerate at the peer: it said `{said}`")]
    Foreign {
        /// What it said instead, readable.
        said: String,
    },
    /// The peer speaks another version.
    #[error("talk to the peer: it speaks version {theirs} of the protocol and this linerate {PROTOCOL}")]
    Version {
        /// The peer's version.
        theirs: u16,
    },
    /// The peer speaks this version and makes no sense.
    #[error("understand the greeting: purpose {0} is unknown")]
    Purpose(u8),
}

impl Greeting {
    /// The bytes to send.
    #[must_use]
    pub fn encode(self) -> [u8; GREETING_LEN] {
        let mut bytes = [0; GREETING_LEN];
        bytes[..HEAD_LEN].copy_from_slice(&head(self.purpose as u8));
        bytes[HEAD_LEN..].copy_from_slice(TAIL);
        bytes
    }

    /// Understands a client's first bytes.
    ///
    /// # Errors
    ///
    /// When they are not those of a linerate of this version.
    pub fn decode(bytes: &[u8; GREETING_LEN]) -> Result<Self, GreetingError> {
        match read_head(bytes)? {
            1 => Ok(Self { purpose: Purpose::Control }),
            2 => Ok(Self { purpose: Purpose::Data }),
            other => Err(GreetingError::Purpose(other)),
        }
    }
}

impl Welcome {
    /// The bytes to send.
    #[must_use]
    pub fn encode(&self) -> [u8; WELCOME_LEN] {
        let mut bytes = [0; WELCOME_LEN];
        bytes[..HEAD_LEN].copy_from_slice(&head(u8::from(self.open)));
        bytes[HEAD_LEN..].copy_from_slice(&self.challenge);
        bytes
    }

    /// Understands a server's answer.
    ///
    /// # Errors
    ///
    /// When it is not that of a linerate of this version.
    pub fn decode(bytes: &[u8; WELCOME_LEN]) -> Result<Self, GreetingError> {
        let open = match read_head(bytes)? {
            0 => false,
            1 => true,
            other => return Err(GreetingError::Purpose(other)),
        };
        let mut challenge = [0; CHALLENGE_LEN];
        challenge.copy_from_slice(&bytes[HEAD_LEN..]);
        Ok(Self { open, challenge })
    }
}

fn head(detail: u8) -> [u8; HEAD_LEN] {
    let mut bytes = [0; HEAD_LEN];
    bytes[..NAME.len()].copy_from_slice(NAME);
    bytes[NAME.len()..NAME.len() + 2].copy_from_slice(&PROTOCOL.to_be_bytes());
    bytes[NAME.len() + 2] = detail;
    bytes
}

/// Checks name and version; the byte after them.
fn read_head(bytes: &[u8]) -> Result<u8, GreetingError> {
    if !bytes.starts_with(NAME) {
        return Err(GreetingError::Foreign { said: readable(bytes) });
    }
    let theirs = u16::from_be_bytes([bytes[NAME.len()], bytes[NAME.len() + 1]]);
    if theirs == PROTOCOL { Ok(bytes[NAME.len() + 2]) } else { Err(GreetingError::Version { theirs }) }
}

/// The longest excerpt of an unknown peer's words in an error.
const EXCERPT: usize = 32;

/// Bytes of an unknown peer as text that a terminal shows harmlessly.
pub(crate) fn readable(bytes: &[u8]) -> String {
    let end = bytes.len().min(EXCERPT);
    bytes[..end].escape_ascii().to_string()
}

/// The longest text of an unknown peer that is shown or logged. Unit: characters.
const LONGEST: usize = 1000;

/// An unknown peer's text without what steers a terminal or turns the direction of writing, and not
/// without end.
pub(crate) fn harmless(text: &str) -> String {
    let steers = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().take(LONGEST).map(|c| if steers(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_survive() {
        for purpose in [Purpose::Control, Purpose::Data] {
            let greeting = Greeting { purpose };
            assert_eq!(Greeting::decode(&greeting.encode()), Ok(greeting));
        }
        let welcome = Welcome { open: true, challenge: [7; CHALLENGE_LEN] };
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
        let mut later = Greeting { purpose: Purpose::Control }.encode();
        later[9] = 9;
        assert_eq!(Greeting::decode(&later), Err(GreetingError::Version { theirs: 9 }));
        let mut odd = Greeting { purpose: Purpose::Control }.encode();
        odd[10] = 77;
        assert_eq!(Greeting::decode(&odd), Err(GreetingError::Purpose(77)));
    }
}
