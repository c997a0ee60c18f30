//! Ethtool commands whose structure is a row of 32-bit words: rings, coalescing, channels and flow control, read and
//! set.
#![expect(unsafe_code, reason = "each ioctl gets a pointer to the words of its command")]

use std::io;

use super::Device;

/// The most words that one of them has: those of `struct ethtool_coalesce`.
pub(crate) const MOST_WORDS: usize = 23;

/// One of these structures. The first word is the command.  Source: `linux/ethtool.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// `struct ethtool_ringparam`.
    Rings,
    /// `struct ethtool_coalesce`.
    Coalescing,
    /// `struct ethtool_channels`.
    Channels,
    /// `struct ethtool_pauseparam`.
    Pause,
}

impl Table {
    /// The commands that read and set it.  Source: `linux/ethtool.h`.
    const fn commands(self) -> (u32, u32) {
        match self {
            Self::Rings => (0x10, 0x11),
            Self::Coalescing => (0x0e, 0x0f),
            Self::Channels => (0x3c, 0x3d),
            Self::Pause => (0x12, 0x13),
        }
    }
}

impl Device {
    /// The words of `table`, and zeros behind its end.
    pub(crate) fn words(&self, table: Table) -> io::Result<[u32; MOST_WORDS]> {
        let mut words = [0; MOST_WORDS];
        words[0] = table.commands().0;
        // SAFETY: each of these commands reads and writes one structure of at most `MOST_WORDS` words.
        unsafe { self.ask(words.as_mut_ptr().cast()) }?;
        Ok(words)
    }

    /// Sets all of `table`; the first word is not looked at.
    pub(crate) fn set_words(&self, table: Table, mut words: [u32; MOST_WORDS]) -> io::Result<()> {
        words[0] = table.commands().1;
        // SAFETY: each of these commands reads and writes one structure of at most `MOST_WORDS` words.
        unsafe { self.ask(words.as_mut_ptr().cast()) }
    }
}
