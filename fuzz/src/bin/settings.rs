//! libFuzzer's way to [`linerate_fuzz::settings`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| linerate_fuzz::settings(data));
