//! libFuzzer's way to [`linerate_fuzz::model_plan`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| linerate_fuzz::model_plan(data));
