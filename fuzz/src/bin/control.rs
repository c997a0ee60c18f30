//! libFuzzer's way to [`linerate_fuzz::control`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| linerate_fuzz::control(data));
