//! What is read from JSON is the same after it was written as JSON or as XML
//! and read again.
#![no_main]

use baton_protocol::handoff::{Handoff, HandoffError, JsonError};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(handoff) = Handoff::from_json(data) else {
        return;
    };
    let written = handoff.to_json();
    match Handoff::from_json(written.to_string().as_bytes()) {
        Ok(again) => assert_eq!(again, handoff),
        // Escaping can push a document near the cap over it.
        Err(HandoffError::Json(JsonError::TooLarge { .. })) => {}
        Err(error) => panic!("{error}\n{written}"),
    }
    let xml = handoff.to_xml(jiff::Timestamp::UNIX_EPOCH);
    let again = Handoff::from_xml(xml.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{xml}"));
    let mut json = again.to_json();
    if handoff.timestamp().is_none() {
        json.as_object_mut()
            .expect("the JSON form is an object")
            .remove("timestamp");
    }
    assert_eq!(json, written);
});
