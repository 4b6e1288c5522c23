//! Reads report files that runners write for other programs: a whole file of XML
//! or JSON, recognised by its root element or its keys.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::session::{Evidence, Session};
use crate::tools::TOOLS;

/// A kind of report file. Only the relevant fields are read and kept.
pub(crate) enum Document {
    Xml {
        /// How the name of the first element begins.
        root: &'static str,
        read: fn(&str) -> Vec<Session>,
    },
    Json {
        has: fn(&Keys) -> bool,
        read: fn(&[u8]) -> Option<Session>,
    },
}

/// The keys of an object, or of the first object of an array.
#[derive(Default)]
pub(crate) struct Keys {
    names: BTreeSet<String>,
    is_array: bool,
}

impl Keys {
    pub(crate) fn of_object(&self, names: &[&str]) -> bool {
        !self.is_array && names.iter().all(|name| self.names.contains(*name))
    }

    pub(crate) fn of_array(&self, names: &[&str]) -> bool {
        self.is_array && names.iter().all(|name| self.names.contains(*name))
    }
}

/// JSON has to be held in memory as a whole, and no useful report is larger.
const MAX_JSON_BYTES: usize = 64 << 20;

/// The sessions of a report file, or `None` if the bytes are not one.
pub(crate) fn read(bytes: &[u8]) -> Option<Vec<Session>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = bytes.trim_ascii_start();
    let mut sessions = if text.starts_with(b"<") {
        read_xml(text)?
    } else {
        vec![read_json(after_banner(text)?)?]
    };
    // Documents have no useful line numbers; the sessions of one must only not
    // appear nested.
    for (number, session) in (1..).zip(&mut sessions) {
        session.lines = (number, number);
    }
    (!sessions.is_empty()).then_some(sessions)
}

fn read_xml(text: &[u8]) -> Option<Vec<Session>> {
    let element = first_element(text)?;
    TOOLS.iter().find_map(|tool| match &tool.document {
        Some(Document::Xml { root, read }) if element.starts_with(root.as_bytes()) => {
            Some(read(&String::from_utf8_lossy(text)))
        }
        _ => None,
    })
}

fn read_json(text: &[u8]) -> Option<Session> {
    let keys = keys(text)?;
    let read = TOOLS.iter().find_map(|tool| match &tool.document {
        Some(Document::Json { has, read }) if has(&keys) => Some(read),
        _ => None,
    })?;
    let mut session = read(text)?;
    session.evidence = Evidence::Complete;
    Some(session)
}

/// The name of the first element after declaration, comments and document type,
/// and everything behind it.
fn first_element(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text;
    loop {
        let end: &[u8] = if rest.starts_with(b"<?") {
            b"?>"
        } else if rest.starts_with(b"<!--") {
            b"-->"
        } else if rest.starts_with(b"<!") {
            b">"
        } else {
            return rest.strip_prefix(b"<");
        };
        let at = memchr::memmem::find(rest, end)?;
        rest = rest[at + end.len()..].trim_ascii_start();
    }
}

/// Package managers print what they run (`> app@1.0.0 test`) on standard output,
/// before the report.
fn after_banner(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text;
    while rest.len() <= MAX_JSON_BYTES {
        match rest.trim_ascii_start() {
            rest @ [b'{' | b'[', ..] => return Some(rest),
            line @ [b'>' | b'$', b' ', ..] => rest = &line[memchr::memchr(b'\n', line)?..],
            line if line.starts_with(b"yarn run ") || line.starts_with(b"USING RUNNER: ") => {
                rest = &line[memchr::memchr(b'\n', line)?..];
            }
            _ => return None,
        }
    }
    None
}

fn keys(text: &[u8]) -> Option<Keys> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let keys = deserializer.deserialize_any(KeyVisitor).ok()?;
    let mut values = deserializer.into_iter::<IgnoredAny>();
    // Several values in a row are a log of events, one per line.
    let is_log = values.next().is_some_and(|next| next.is_ok());
    (!is_log).then_some(keys)
}

/// Builds nothing but the keys.
struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Keys;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object or an array of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
        /// Reports have about a dozen top-level keys.
        const MAX_KEYS: usize = 100;
        let mut keys = Keys::default();
        while let Some((key, _)) = map.next_entry::<String, IgnoredAny>()? {
            if keys.names.len() < MAX_KEYS {
                keys.names.insert(key);
            }
        }
        Ok(keys)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Keys, A::Error> {
        let first = seq.next_element_seed(FirstObject)?.unwrap_or_default();
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Keys {
            is_array: true,
            ..first
        })
    }
}

struct FirstObject;

impl<'de> serde::de::DeserializeSeed<'de> for FirstObject {
    type Value = Keys;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Keys, D::Error> {
        deserializer.deserialize_map(KeyVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    /// The framework whose report it is.
    fn framework(text: &str) -> Option<&'static str> {
        Some(read(text.as_bytes())?.first()?.framework)
    }

    #[test]
    fn documents_are_identified_by_their_keys() {
        let jest = r#"{"numTotalTests":1,"numPassedTests":1,"numFailedTests":0,"numRuntimeErrorTestSuites":0,"x":[{"a":[]}],"testResults":[]}"#;
        assert_eq!(framework(jest), Some("jest"));
        let banner = format!("\n> app@1.0.0 test\n> jest --json\n\n{jest}\nDone in 1s.");
        assert_eq!(framework(&banner), Some("jest"));
        let eslint = r#"[{"filePath":"a.js","messages":[]}]"#;
        assert_eq!(framework(eslint), Some("eslint"));
        for text in [
            "",
            "{",
            "[]",
            "{}",
            "3",
            "ok\n{}",
            "{\"results\":1",
            "[1]",
            "[[{\"filePath\":1,\"messages\":2}]]",
        ] {
            assert_eq!(framework(text), None, "{text}");
        }
    }

    #[test]
    fn lines_of_json_are_a_log() {
        let event = r#"{"results":{"tests":[]},"Action":"run"}"#;
        assert_eq!(framework(event), Some("ctrf"));
        assert_eq!(framework(&format!("{event}\n{event}\n")), None);
    }

    #[test]
    fn other_xml_is_ignored() {
        let is_junit = |text: &str| framework(text) == Some("junit");
        assert!(is_junit("<testsuite/>"));
        assert!(is_junit(
            "<?xml version='1.0'?>\n<!-- <a> -->\n<testsuites>"
        ));
        assert!(is_junit("<!DOCTYPE x><testsuites>"));
        assert!(!is_junit("<html><testsuite/></html>"));
        assert!(!is_junit("<"));
    }
}
