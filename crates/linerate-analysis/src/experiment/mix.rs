//! Numbers that depend on what they are drawn for, and not on what was drawn before.

/// A number for these words. Words that differ give numbers that have nothing in common, so a shuffle by
/// such numbers keeps the order of old things when new ones join.
/// Source: the finalizer of `SplitMix64`, Steele et al., Fast splittable pseudorandom number generators,
/// OOPSLA 2014.
pub(super) fn mixed(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(0, |state, word| finalized(finalized(state) ^ word))
}

fn finalized(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
