//! A JSON document that is read as a handoff means the same after converting it
//! to XML and back.

#![no_main]

use baton_protocol::handoff::Handoff;
use jiff::Timestamp;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(handoff) = Handoff::from_json(bytes) else {
        return;
    };
    let written = handoff.to_xml(Timestamp::UNIX_EPOCH);
    let again = Handoff::from_xml(written.as_bytes()).expect("what we write, we read");
    assert_eq!(again.kind(), handoff.kind());
    assert_eq!(again.to_xml(Timestamp::MAX), written);
});
