//! What is read from XML is the same after it was written and read again.
#![no_main]

use baton_protocol::handoff::xml::XmlErrorKind;
use baton_protocol::handoff::{Handoff, HandoffError};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(handoff) = Handoff::from_xml(data) else {
        return;
    };
    let now = jiff::Timestamp::UNIX_EPOCH;
    let written = handoff.to_xml(now);
    let again = match Handoff::from_xml(written.as_bytes()) {
        Ok(again) => again,
        // Escaping can push a document near the cap over it.
        Err(HandoffError::Xml(error)) if matches!(error.kind, XmlErrorKind::TooLarge { .. }) => {
            return;
        }
        Err(error) => panic!("{error}\n{written}"),
    };
    assert_eq!(again.to_xml(now), written);
    let mut json = again.to_json();
    if handoff.timestamp().is_none() {
        json.as_object_mut()
            .expect("the JSON form is an object")
            .remove("timestamp");
    }
    assert_eq!(json, handoff.to_json());
});
