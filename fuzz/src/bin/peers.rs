//! libFuzzer's way to [`linerate_fuzz::peers`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| linerate_fuzz::peers(data));
