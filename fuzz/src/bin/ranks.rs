//! libFuzzer's way to [`linerate_fuzz::ranks`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| linerate_fuzz::ranks(data));
