//! libFuzzer's way to [`linerate_fuzz::account`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| linerate_fuzz::account(data));
