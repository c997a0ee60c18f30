//! Codes by which each end knows that a frame is the peer's next one.
//!
//! Whoever is on the path can change what passes. Once both ends have proved the key, each frame ends with a code:
//! HMAC-SHA-256, its first 16 bytes, over the number of the frame and the frame as it is sent. Each direction has a
//! key of its own, made of the shared key, the version and both challenges, so that no frame can be changed, left out,
//! repeated, put elsewhere, turned round or taken from another conversation.

use std::fmt;

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// The first version of the conversation in which frames have codes.
pub const SEALED_SINCE: u16 = 12;
/// The length of a code. Unit: bytes.  Source: RFC 2104, section 5: half of the hash.
pub const CODE_LEN: usize = 16;

/// The codes of the frames of one direction, in their order.
#[derive(Clone)]
pub struct Seal {
    keyed: Hmac<Sha256>,
    next: u64,
}

impl Seal {
    pub(super) const fn new(keyed: Hmac<Sha256>) -> Self {
        Self { keyed, next: 0 }
    }

    /// The code of the next frame.
    pub fn code(&mut self, frame: &[u8]) -> [u8; CODE_LEN] {
        let whole = self.next_over(frame).finalize().into_bytes();
        *whole.first_chunk().expect("a hash is longer")
    }

    /// Whether `code` is that of the next frame, in constant time.
    pub(super) fn accepts(&mut self, frame: &[u8], code: &[u8; CODE_LEN]) -> bool {
        self.next_over(frame).verify_truncated_left(code).is_ok()
    }

    fn next_over(&mut self, frame: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.keyed.clone();
        mac.update(&self.next.to_be_bytes());
        mac.update(frame);
        self.next += 1;
        mac
    }
}

impl fmt::Debug for Seal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Seal({} ..)", self.next)
    }
}

/// The codes of both directions, as one end uses them.
#[derive(Clone, Debug)]
pub struct Seals {
    /// Of what this end says.
    pub says: Seal,
    /// Of what it hears.
    pub hears: Seal,
}

impl Seals {
    /// The same as the peer uses them.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { says: self.hears, hears: self.says }
    }
}
