//! The bytes of a direction that were written and not read.

/// Bytes in the order in which they were written. In one piece, so that each is copied in and out by
/// one call.
#[derive(Debug, Default)]
pub(super) struct Payload {
    bytes: Vec<u8>,
    /// How many at the beginning were read.
    read: usize,
}

impl Payload {
    pub(super) fn write(&mut self, data: &[u8]) {
        let is_full = self.bytes.len() + data.len() > self.bytes.capacity();
        // Each byte that is moved makes room for at least one.
        if is_full && self.read > 0 && self.read >= self.bytes.len() / 2 {
            self.bytes.drain(..self.read);
            self.read = 0;
        }
        self.bytes.extend_from_slice(data);
    }

    /// Fills `data` with the oldest bytes.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    pub(super) fn read(&mut self, data: &mut [u8]) {
        let end = self.read + data.len();
        data.copy_from_slice(&self.bytes[self.read..end]);
        self.read = end;
        if self.is_empty() {
            self.bytes.clear();
            self.read = 0;
        }
    }

    /// Whether everything was read.
    pub(super) const fn is_empty(&self) -> bool {
        self.read == self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Any mixture of writing and reading gives the bytes in order, and keeps no more than a few
        /// times the most that was ever there.
        #[test]
        fn bytes_come_out_in_order(steps in prop::collection::vec((any::<bool>(), 0..200_usize), 0..200)) {
            let mut payload = Payload::default();
            let (mut written, mut read, mut most) = (0_usize, 0_usize, 0);
            for (writes, count) in steps {
                if writes {
                    let data: Vec<u8> = (written..written + count).map(|at| at as u8).collect();
                    payload.write(&data);
                    written += count;
                    most = most.max(written - read);
                } else {
                    let mut data = vec![0; count.min(written - read)];
                    payload.read(&mut data);
                    let expected: Vec<u8> = (read..read + data.len()).map(|at| at as u8).collect();
                    prop_assert_eq!(&data, &expected);
                    read += data.len();
                }
                prop_assert_eq!(payload.is_empty(), read == written);
                prop_assert!(payload.bytes.len() <= 6 * most.max(8), "{} of {most}", payload.bytes.len());
            }
        }
    }
}
