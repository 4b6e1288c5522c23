//! A request to a phase or a tool is either refused with reasons or understood,
//! and what was understood means the same when it is written down and read again.

#![no_main]

use baton_protocol::{json, schema};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = json::parse(bytes) else {
        return;
    };
    for entry in schema::entries().filter(|entry| entry.name.ends_with(".input")) {
        match entry.round_trip(&value) {
            Ok(written) => {
                let again = entry.round_trip(&written).expect("what we write, we read");
                assert_eq!(again, written);
            }
            Err(problems) => assert!(!problems.is_empty()),
        }
    }
});
