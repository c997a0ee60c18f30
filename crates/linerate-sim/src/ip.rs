//! What an IP header says of congestion: RFC 3168, section 5.

/// The ECN field of an IP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Codepoint {
    /// Not-ECT: its sender does not understand marks.
    #[default]
    NotCapable,
    /// ECT(0): a queue may mark it instead of losing it.
    Capable,
    /// CE: a queue marked it.
    Experienced,
}

impl Codepoint {
    /// The two bits of the field.
    #[must_use]
    pub const fn bits(self) -> u8 {
        match self {
            Self::NotCapable => 0b00,
            Self::Capable => 0b10,
            Self::Experienced => 0b11,
        }
    }
}
