//! A cursor that is accepted is one that we issued: no other text stands for a page.

#![no_main]

use baton_protocol::cursor::{CursorKey, CursorScope, issue, redeem};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let key = CursorKey::new([7; 32]);
    let scope = CursorScope::new(
        "get_failing_tests",
        &serde_json::json!({ "pr": "ada/loom#3" }),
    );
    if let Ok(offset) = redeem(&key, &scope, text) {
        assert_eq!(issue(&key, &scope, offset), text);
    }
});
