//! A set of stations in which the next one round the ring is found quickly.

/// Stations by number, one bit each.
#[derive(Debug)]
pub(super) struct Ready {
    words: Vec<u64>,
}

impl Ready {
    /// An empty set of up to `stations`.
    pub(super) fn new(stations: usize) -> Self {
        Self { words: vec![0; stations.div_ceil(64)] }
    }

    /// Puts `station` in; false if it was.
    pub(super) fn insert(&mut self, station: usize) -> bool {
        let word = &mut self.words[station / 64];
        let before = *word;
        *word |= 1 << (station % 64);
        *word != before
    }

    pub(super) fn remove(&mut self, station: usize) {
        self.words[station / 64] &= !(1 << (station % 64));
    }

    /// The first one after `station` round the ring; `station` itself comes last.
    pub(super) fn next_after(&self, station: usize) -> Option<usize> {
        self.first_from(station + 1).or_else(|| self.first_from(0))
    }

    fn first_from(&self, start: usize) -> Option<usize> {
        let mut mask = u64::MAX << (start % 64);
        for (index, word) in self.words.iter().enumerate().skip(start / 64) {
            if word & mask != 0 {
                return Some(index * 64 + (word & mask).trailing_zeros() as usize);
            }
            mask = u64::MAX;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_next_one_is_found_as_by_looking_at_each(
            inside in prop::collection::btree_set(0..200_usize, 0..20), station in 0..200_usize
        ) {
            let mut ready = Ready::new(200);
            for one in 0..200 {
                prop_assert!(ready.insert(one));
                prop_assert!(!ready.insert(one));
            }
            (0..200).filter(|one| !inside.contains(one)).for_each(|one| ready.remove(one));
            let expected = (1..=200).map(|step| (station + step) % 200).find(|one| inside.contains(one));
            prop_assert_eq!(ready.next_after(station), expected);
        }
    }
}
