//! A document that is read as a handoff means the same after writing it as XML
//! or as JSON, and writing it twice changes nothing.

#![no_main]

use baton_protocol::handoff::Handoff;
use jiff::Timestamp;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(handoff) = Handoff::from_xml(bytes) else {
        return;
    };
    let written = handoff.to_xml(Timestamp::UNIX_EPOCH);
    let again = Handoff::from_xml(written.as_bytes()).expect("what we write, we read");
    assert_eq!(again.kind(), handoff.kind());
    assert_eq!(again.to_xml(Timestamp::MAX), written);

    let json = serde_json::to_vec(&handoff.to_json()).expect("a handoff is JSON");
    let from_json = Handoff::from_json(&json).expect("what we convert, we read");
    assert_eq!(from_json, handoff);
});
