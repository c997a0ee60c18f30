//! Ethtool commands whose answer has a variable shape: the features of a device.
//!
//! Each answer is an array of 32-bit words. Source: `linux/ethtool.h`, `struct
//! ethtool_sset_info`, `ethtool_gstrings`, `ethtool_gfeatures`.
#![expect(unsafe_code, reason = "each ioctl gets a pointer to the words of its command")]

use std::collections::BTreeMap;
use std::io;

use super::{Device, text};

/// Command numbers.  Source: `linux/ethtool.h`.
const ETHTOOL_GSTRINGS: u32 = 0x1b;
const ETHTOOL_GSSET_INFO: u32 = 0x37;
const ETHTOOL_GFEATURES: u32 = 0x3a;
const ETHTOOL_SFEATURES: u32 = 0x3b;

/// The string set that names the features.  Source: `enum ethtool_stringset`.
const ETH_SS_FEATURES: u32 = 4;

/// Bytes of a name, padded with NUL (`ETH_GSTRING_LEN`), and the same in words.
const NAME_BYTES: usize = 32;
const NAME_WORDS: usize = NAME_BYTES / 4;

/// Words of `struct ethtool_get_features_block`: available, requested, active, never changed.
const BLOCK_WORDS: usize = 4;
/// Words of `struct ethtool_set_features_block`: valid, requested.
const CHANGE_WORDS: usize = 2;

/// More features than any kernel has (64 in 2026); a larger number is not believed.
const MOST_FEATURES: u32 = 4_096;

/// A feature of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Feature {
    /// What the kernel calls it.
    pub(crate) name: String,
    /// Whether it can be switched: the driver lets users change it.
    pub(crate) changeable: bool,
    /// Whether it is active.
    pub(crate) on: bool,
    /// Whether it is active as soon as those are that it depends on.
    pub(crate) requested: bool,
}

impl Device {
    /// Every feature by its kernel name, and whether it is active.
    pub(crate) fn features(&self) -> io::Result<BTreeMap<String, bool>> {
        let count = self.feature_count()?;
        Ok(active(&self.feature_names(count)?, &self.feature_blocks(count)?))
    }

    /// Every feature that has a name, in the kernel's order.
    pub(crate) fn feature_list(&self) -> io::Result<Vec<Feature>> {
        let count = self.feature_count()?;
        Ok(listed(&self.feature_names(count)?, &self.feature_blocks(count)?))
    }

    /// Switches those of its features off whose name `chosen` says.
    pub(crate) fn switch_off(&self, chosen: impl Fn(&str) -> bool) -> io::Result<()> {
        self.switch(|name| chosen(name).then_some(false))
    }

    /// Switches each feature as `wanted` says of its name, and leaves the others. What the driver cannot change stays
    /// as it is, which is no error here.
    pub(crate) fn switch(&self, wanted: impl Fn(&str) -> Option<bool>) -> io::Result<()> {
        let count = self.feature_count()?;
        let names = self.feature_names(count)?;
        let mut words = vec![0_u32; 2 + count.div_ceil(32) * CHANGE_WORDS];
        (words[0], words[1]) = (ETHTOOL_SFEATURES, word(count.div_ceil(32)));
        for (i, name) in names.iter().enumerate() {
            let Some(on) = wanted(name) else { continue };
            let block = 2 + i / 32 * CHANGE_WORDS;
            words[block] |= 1 << (i % 32);
            words[block + 1] |= u32::from(on) << (i % 32);
        }
        // SAFETY: ETHTOOL_SFEATURES reads two words and as many blocks as the second states, which
        // are there.
        unsafe { self.ask(words.as_mut_ptr().cast()) }
    }

    fn feature_count(&self) -> io::Result<usize> {
        let mut set =
            SsetInfo { cmd: ETHTOOL_GSSET_INFO, reserved: 0, sset_mask: 1 << ETH_SS_FEATURES, data: [0] };
        // SAFETY: ETHTOOL_GSSET_INFO reads and writes one `ethtool_sset_info` and one word for
        // each bit of the mask, of which one is set.
        unsafe { self.ask((&raw mut set).cast()) }?;
        match set.data {
            [count] if set.sset_mask != 0 && count <= MOST_FEATURES => Ok(count as usize),
            _ => Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP)),
        }
    }

    fn feature_names(&self, count: usize) -> io::Result<Vec<String>> {
        let mut words = vec![0_u32; 3 + count * NAME_WORDS];
        (words[0], words[1], words[2]) = (ETHTOOL_GSTRINGS, ETH_SS_FEATURES, word(count));
        // SAFETY: ETHTOOL_GSTRINGS reads three words and writes three words and as many names as
        // the set has, whatever is asked; ETHTOOL_GSSET_INFO has said how many, and the number
        // is a constant of the running kernel.
        unsafe { self.ask(words.as_mut_ptr().cast()) }?;
        let bytes: Vec<u8> = words[3..].iter().flat_map(|word| word.to_ne_bytes()).collect();
        Ok(bytes.chunks_exact(NAME_BYTES).map(text).collect())
    }

    fn feature_blocks(&self, count: usize) -> io::Result<Vec<u32>> {
        let blocks = count.div_ceil(32);
        let mut words = vec![0_u32; 2 + blocks * BLOCK_WORDS];
        (words[0], words[1]) = (ETHTOOL_GFEATURES, word(blocks));
        // SAFETY: ETHTOOL_GFEATURES reads two words and writes two words and at most as many
        // blocks as the second states, for which there is room.
        unsafe { self.ask(words.as_mut_ptr().cast()) }?;
        Ok(words.split_off(2))
    }
}

#[repr(C)]
struct SsetInfo {
    cmd: u32,
    reserved: u32,
    sset_mask: u64,
    data: [u32; 1],
}

/// A count that is at most `MOST_FEATURES`.
fn word(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(0)
}

/// Every feature by its name, and whether it is active.
fn active(names: &[String], blocks: &[u32]) -> BTreeMap<String, bool> {
    listed(names, blocks).into_iter().map(|feature| (feature.name, feature.on)).collect()
}

/// Feature `i` is bit `i % 32` of the words of block `i / 32`. Unnamed ones are left out.
fn listed(names: &[String], blocks: &[u32]) -> Vec<Feature> {
    let named = names.iter().enumerate().filter(|(_, name)| !name.is_empty());
    let feature = |(i, name): (usize, &String)| {
        let &[available, requested, active, never_changed] = blocks.chunks_exact(BLOCK_WORDS).nth(i / 32)?
        else {
            return None;
        };
        let bit = |word: u32| word >> (i % 32) & 1 == 1;
        let changeable = bit(available) && !bit(never_changed);
        Some(Feature { name: name.clone(), changeable, on: bit(active), requested: bit(requested) })
    };
    named.filter_map(feature).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_is_active_by_its_bit_in_its_block() {
        let mut names = vec![String::new(); 40];
        (names[0], names[33], names[34]) = ("first".into(), "second".into(), "third".into());
        // Two blocks: available, requested, active, never changed.
        let blocks = [!0, !0, 1, 0, !0, !0, 0b100, 0];
        let expected = [("first", true), ("second", false), ("third", true)];
        assert_eq!(active(&names, &blocks), expected.map(|(name, on)| (name.to_owned(), on)).into());
    }

    #[test]
    fn a_feature_can_be_changed_if_it_is_available_and_not_fixed() {
        let names = ["both", "fixed", "absent"].map(str::to_owned);
        let changeable = listed(&names, &[0b011, 0, 0, 0b010]).into_iter().map(|feature| feature.changeable);
        assert_eq!(changeable.collect::<Vec<_>>(), [true, false, false]);
    }

    #[test]
    fn a_name_without_a_block_is_left_out() {
        assert!(active(&["lonely".to_owned()], &[]).is_empty());
    }
}
