//! libFuzzer's way to [`linerate_fuzz::run_file`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| linerate_fuzz::run_file(data));
