use baton_protocol::handoff::{Handoff, xml};
use proptest::prelude::*;
use serde_json::Value;

use super::arbitrary::{element, handoff};
use super::cases::cases;

const NOW: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH;

/// The JSON form without the timestamp that writing XML adds.
fn facts(handoff: &Handoff, original: &Handoff) -> Value {
    let mut json = handoff.to_json();
    if original.timestamp().is_none() {
        json.as_object_mut().unwrap().remove("timestamp");
    }
    json
}

proptest! {
    #[test]
    fn a_handoff_survives_xml(handoff in handoff()) {
        let written = handoff.to_xml(NOW);
        let read = Handoff::from_xml(written.as_bytes())
            .map_err(|error| TestCaseError::fail(format!("{error}\n{written}")))?;
        prop_assert_eq!(facts(&read, &handoff), handoff.to_json(), "{}", &written);
        if handoff.timestamp().is_some() {
            prop_assert_eq!(&read, &handoff);
        }
        prop_assert_eq!(read.to_xml(NOW), written);
    }

    #[test]
    fn a_handoff_survives_json(handoff in handoff()) {
        let written = serde_json::to_vec(&handoff).unwrap();
        prop_assert_eq!(&Handoff::from_json(&written).unwrap(), &handoff);
        let read: Handoff = serde_json::from_slice(&written).unwrap();
        prop_assert_eq!(read, handoff);
    }

    #[test]
    fn an_element_survives_writing(element in element()) {
        let written = xml::write(&element);
        prop_assert_eq!(xml::parse(written.as_bytes()).unwrap(), element, "{}", &written);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Handoff::from_xml(&bytes);
        let _ = Handoff::from_json(&bytes);
    }

    #[test]
    fn arbitrary_markup_never_panics(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24)) {
        if let Ok(element) = xml::parse(pieces.concat().as_bytes()) {
            prop_assert_eq!(xml::parse(xml::write(&element).as_bytes()).unwrap(), element);
        }
    }

    #[test]
    fn a_damaged_handoff_never_panics_and_what_is_read_can_be_written(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        length in 0..12_usize,
        damage in prop::sample::select(PIECES),
    ) {
        let cases = cases("good", "xml", "json");
        let case = which.get(&cases);
        for (document, parse) in [
            (&case.document, Handoff::from_xml as fn(&[u8]) -> _),
            (&case.expected, Handoff::from_json),
        ] {
            let start = at.index(document.len());
            let end = (start + length).min(document.len());
            let mut damaged = document.clone();
            damaged.splice(start..end, damage.bytes());
            if let Ok(handoff) = parse(&damaged) {
                let written = handoff.to_xml(NOW);
                let read = Handoff::from_xml(written.as_bytes()).unwrap();
                prop_assert_eq!(facts(&read, &handoff), handoff.to_json());
            }
        }
    }
}

/// What markup is made of, for documents that almost parse.
const PIECES: &[&str] = &[
    "<handoff>",
    "</handoff>",
    "<from>",
    "</from>",
    "<a",
    "<a>",
    "</a>",
    "/>",
    ">",
    "<",
    "&",
    ";",
    "&amp;",
    "&#",
    "&#x41;",
    "&#1;",
    "\"",
    "'",
    " b='1'",
    " b=\"&lt;\"",
    "=",
    "<!--",
    "-->",
    "--",
    "<![CDATA[",
    "]]>",
    "<?",
    "?>",
    "<?xml version='1.0'?>",
    "<!DOCTYPE",
    "[",
    "]",
    " ",
    "\n",
    "\r",
    "\t",
    "\u{FEFF}",
    "\u{FFFE}",
    "\0",
    "ü",
    "0",
    "-1",
    "|",
    "\\",
    "{",
    "}",
    ",",
    "null",
    "",
];
