#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| baton_fuzz::review_holds(data));
