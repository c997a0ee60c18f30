//! What both ends of a curve reserve for their messages.

use std::io;

use linerate_core::environment::Fact;
use linerate_core::options::{Granted, MemoryOptions};
use linerate_core::payload::Buffers;

use super::ring::check_available;
use super::{MemoryError, MessageRings, footprint};

/// One end's memory for the messages of a curve.
#[derive(Debug)]
pub enum Reserved {
    /// One place each way: the loop of a trial is that of the pattern and nothing more.
    One(Buffers),
    /// As the memory options ask.
    Rings(Box<MessageRings>),
}

impl Reserved {
    /// Refuses what the host does not have enough memory for, without reserving any.
    ///
    /// # Errors
    ///
    /// When the host does not have that much memory.
    pub fn check(largest: u64, asked: &MemoryOptions) -> Result<(), MemoryError> {
        check_available(Self::bytes(largest, asked))
    }

    /// Memory as `asked` for messages of up to `largest` bytes, each way.
    ///
    /// # Errors
    ///
    /// When the host does not have that much memory, or no huge pages.
    pub fn new(largest: u64, asked: &MemoryOptions) -> Result<Self, MemoryError> {
        Self::check(largest, asked)?;
        let none = || MemoryError::Map(io::ErrorKind::OutOfMemory.into());
        let largest = usize::try_from(largest).map_err(|_| none())?;
        if asked.is_plain() {
            return Buffers::try_new(largest).map(Self::One).map_err(|_| none());
        }
        Ok(Self::Rings(Box::new(MessageRings::new(largest, asked)?)))
    }

    /// What that takes. Unit: bytes.
    #[must_use]
    pub fn bytes(largest: u64, asked: &MemoryOptions) -> u64 {
        footprint(largest, asked).saturating_mul(2)
    }

    /// What the socket was `granted`, with what the kernel granted of this memory.
    #[must_use]
    pub fn granted(&self, granted: Granted) -> Granted {
        Granted { huge_pages: self.huge_pages(), ..granted }
    }

    fn huge_pages(&self) -> Option<Fact<u64>> {
        match self {
            Self::One(_) => None,
            Self::Rings(rings) => rings.huge_pages(),
        }
    }
}

impl From<Buffers> for Reserved {
    fn from(buffers: Buffers) -> Self {
        Self::One(buffers)
    }
}

#[cfg(test)]
mod tests {
    use linerate_core::units::Size;

    use super::*;

    #[test]
    fn only_what_is_out_of_the_ordinary_leaves_the_plain_loop() {
        let plain = Reserved::new(1000, &MemoryOptions::default()).expect("memory");
        assert!(matches!(plain, Reserved::One(_)));
        let plain = MemoryOptions::default();
        for asked in [
            MemoryOptions { working_set: Some(Size(1)), ..plain.clone() },
            MemoryOptions { touch: true, ..plain.clone() },
            MemoryOptions { offset: 1, ..plain.clone() },
        ] {
            let rings = Reserved::new(1000, &asked).expect("memory");
            assert!(matches!(rings, Reserved::Rings(_)), "{asked:?}");
            assert_eq!(rings.granted(Granted::default()), Granted::default());
        }
    }

    #[test]
    fn more_than_the_host_has_is_refused_before_it_is_taken() {
        let asked = MemoryOptions::default();
        let error = Reserved::new(1 << 60, &asked).expect_err("two exbibytes");
        assert!(matches!(error, MemoryError::Short { needed, .. } if needed == 2 << 60), "{error}");
        let asked = MemoryOptions { working_set: Some(Size(1 << 60)), ..asked };
        let error = Reserved::new(1, &asked).expect_err("two exbibytes");
        assert!(matches!(error, MemoryError::Short { needed, .. } if needed == 2 << 60), "{error}");
    }
}
