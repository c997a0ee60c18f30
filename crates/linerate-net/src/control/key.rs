//! The shared key, and how each end proves that it has it.
//!
//! A proof is HMAC-SHA-256 (RFC 2104, FIPS 180-4) over the prover's role and both ends' random
//! bytes, so that no proof can be replayed or reflected; it is compared in constant time.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use hmac::{Hmac, KeyInit, Mac};
use rand::TryRng;
use rand::rngs::SysRng;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::Challenge;
use super::seal::{SEALED_SINCE, Seal, Seals};

/// Letters of a key: no 0, 1, i, l or o, which people confuse.
const ALPHABET: &[u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";
/// Letters of a fresh key: 12 of 31 are 59 bits.
const LETTERS: usize = 12;
const GROUP: usize = 4;
/// What a key that people chose must have, as if they had drawn it. Unit: bits.
const LEAST_BITS: f64 = 60.0;
/// The fewest different letters or digits of a key: fewer are a pattern, not a draw. A fresh key has
/// fewer once in 300 million times.
const LEAST_DIFFERENT: usize = 4;

/// A key that both ends know.
///
/// ```
/// use linerate_net::control::Key;
///
/// let key = Key::fresh()?;
/// assert_eq!(key.to_string().parse::<Key>()?, key);
/// assert!("aaaaaaaaaaaa".parse::<Key>().is_err(), "anybody would try that");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    letters: String,
    /// Whether it is enough that a peer proved it once.
    proof_is_enough: bool,
}

/// One end's proof that it knows the key.
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Proof([u8; 32]);

/// Text that is not a key.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// Whoever sees one proof on the wire can try all keys of this length.
    #[error("a key has at least 12 letters and digits, or 19 digits alone (60 bits); this has {0}")]
    Short(usize),
    /// It is a pattern that is soon tried.
    #[error("a key has at least {LEAST_DIFFERENT} different letters or digits; this has {0}")]
    Plain(usize),
}

/// The peer has the key, and only older versions are common to both ends.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "protect control messages from changes on the path: version {version} of the protocol, the newest that both ends speak, cannot"
)]
pub struct Unauthenticated {
    /// The newest version that both speak.
    pub version: u16,
}

impl Key {
    /// A fresh key from the operating system's random numbers.
    ///
    /// # Errors
    ///
    /// When the operating system has no random numbers.
    pub fn fresh() -> std::io::Result<Self> {
        let mut letters = String::with_capacity(LETTERS);
        while letters.len() < LETTERS {
            let [byte] = random::<1>()?;
            // Bytes past the last whole multiple of the alphabet's length would favour its first
            // letters.
            if usize::from(byte) < 256 / ALPHABET.len() * ALPHABET.len() {
                letters.push(char::from(ALPHABET[usize::from(byte) % ALPHABET.len()]));
            }
        }
        Ok(Self::of(letters))
    }

    const fn of(letters: String) -> Self {
        Self { letters, proof_is_enough: false }
    }

    /// The client's proof.
    #[must_use]
    pub fn prove_client(&self, version: u16, server: &Challenge, client: &Challenge) -> Proof {
        Proof(self.hmac(version, b"linerate client", server, client).finalize().into_bytes().into())
    }

    /// The server's proof.
    #[must_use]
    pub fn prove_server(&self, version: u16, server: &Challenge, client: &Challenge) -> Proof {
        Proof(self.hmac(version, b"linerate server", server, client).finalize().into_bytes().into())
    }

    /// Whether `proof` is a client's, in constant time.
    #[must_use]
    pub fn accepts_client(
        &self,
        version: u16,
        proof: &Proof,
        server: &Challenge,
        client: &Challenge,
    ) -> bool {
        self.hmac(version, b"linerate client", server, client).verify_slice(&proof.0).is_ok()
    }

    /// Whether `proof` is a server's, in constant time.
    #[must_use]
    pub fn accepts_server(
        &self,
        version: u16,
        proof: &Proof,
        server: &Challenge,
        client: &Challenge,
    ) -> bool {
        self.hmac(version, b"linerate server", server, client).verify_slice(&proof.0).is_ok()
    }

    /// The same key, and whether a peer may prove it and then speak a version without codes: everybody on the path can
    /// change what such a peer says.
    #[must_use]
    pub fn allow_unauthenticated_control(self, allowed: bool) -> Self {
        Self { proof_is_enough: allowed, ..self }
    }

    /// The codes of what follows the proofs, as the client uses them; none in a version that has none.
    ///
    /// # Errors
    ///
    /// When the version has none, and the user does not accept that.
    pub fn seals(
        &self,
        version: u16,
        server: &Challenge,
        client: &Challenge,
    ) -> Result<Option<Seals>, Unauthenticated> {
        let seal = |role| {
            let secret = self.hmac(version, role, server, client).finalize().into_bytes();
            Seal::new(keyed(&secret))
        };
        match version {
            SEALED_SINCE.. => Ok(Some(Seals {
                says: seal(b"linerate client frames"),
                hears: seal(b"linerate server frames"),
            })),
            _ if self.proof_is_enough => Ok(None),
            version => Err(Unauthenticated { version }),
        }
    }

    fn hmac(&self, version: u16, role: &[u8], server: &Challenge, client: &Challenge) -> Hmac<Sha256> {
        let mut mac = keyed(self.letters.as_bytes());
        for part in [role, &version.to_be_bytes(), server, client] {
            mac.update(part);
        }
        mac
    }
}

fn keyed(secret: &[u8]) -> Hmac<Sha256> {
    <Hmac<Sha256> as KeyInit>::new_from_slice(secret).expect("HMAC takes a key of any length")
}

/// Random bytes from the operating system.
///
/// # Errors
///
/// When the operating system has no random bytes.
pub(crate) fn random<const N: usize>() -> std::io::Result<[u8; N]> {
    let mut bytes = [0; N];
    SysRng.try_fill_bytes(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes)
}

impl FromStr for Key {
    type Err = KeyError;

    /// Case, hyphens and blanks do not count, so that a key can be read aloud.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let letters: String =
            text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        let drawn_from: f64 = if letters.bytes().all(|letter| letter.is_ascii_digit()) { 10.0 } else { 36.0 };
        if (letters.len() as f64) * drawn_from.log2() < LEAST_BITS {
            return Err(KeyError::Short(letters.len()));
        }
        match letters.bytes().collect::<BTreeSet<u8>>().len() {
            different @ ..LEAST_DIFFERENT => Err(KeyError::Plain(different)),
            _ => Ok(Self::of(letters)),
        }
    }
}

impl fmt::Display for Key {
    /// In groups of four, as it is printed for people.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, letter) in self.letters.chars().enumerate() {
            if index > 0 && index % GROUP == 0 {
                out.write_str("-")?;
            }
            write!(out, "{letter}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Key(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::super::PROTOCOL;
    use super::*;

    const SERVER: Challenge = [1; 32];
    const CLIENT: Challenge = [2; 32];

    #[test]
    fn a_key_is_read_as_people_write_it() {
        let key = Key::fresh().expect("random numbers");
        let shown = key.to_string();
        assert_eq!(shown.len(), 14, "{shown}");
        assert_eq!(shown.to_uppercase().parse(), Ok(key));
        assert!(!format!("{:?}", "abcd-efgh-2345".parse::<Key>()).contains("abcd"));
    }

    #[test]
    fn a_key_that_is_soon_tried_is_refused() {
        let refused = |text: &str| text.parse::<Key>().expect_err(text);
        assert_eq!(refused("abc-d"), KeyError::Short(4));
        // 11 of 36 are 56.9 bits, 18 of 10 are 59.8.
        assert_eq!(refused("abcdefghij2"), KeyError::Short(11));
        assert_eq!(refused("271828182845904523"), KeyError::Short(18));
        assert_eq!(refused("aaaaaaaaaaaaaaaaaaaa"), KeyError::Plain(1));
        assert_eq!(refused("abcabcabcabcabcabc"), KeyError::Plain(3));
        for fine in ["abcdefghij23", "2718281828459045235", "correct horse battery"] {
            assert!(fine.parse::<Key>().is_ok(), "{fine}");
        }
    }

    #[test]
    fn proofs_bind_key_role_and_both_challenges() {
        let (key, other): (Key, Key) =
            ("abcd-efgh-2345".parse().expect("ok"), "abcd-efgi-2345".parse().expect("ok"));
        let proof = key.prove_client(PROTOCOL, &SERVER, &CLIENT);
        assert!(key.accepts_client(PROTOCOL, &proof, &SERVER, &CLIENT));
        assert!(!other.accepts_client(PROTOCOL, &proof, &SERVER, &CLIENT));
        assert!(!key.accepts_server(PROTOCOL, &proof, &SERVER, &CLIENT), "a reflected proof");
        assert!(!key.accepts_client(PROTOCOL, &proof, &CLIENT, &CLIENT), "a replayed proof");
        assert!(key.accepts_server(
            PROTOCOL,
            &key.prove_server(PROTOCOL, &SERVER, &CLIENT),
            &SERVER,
            &CLIENT
        ));
    }
}
