//! Detects which kind of report a file is, if any.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

pub(super) enum Shape<'a> {
    Junit,
    Testng,
    Json { object: Object, text: &'a [u8] },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Object {
    Jest,
    Mocha,
    Rspec,
    Ctrf,
    PytestJsonReport,
    Playwright,
    Eslint,
    Golangci,
    Sarif,
}

/// JSON has to be held in memory as a whole, and no useful report is larger.
const MAX_JSON_BYTES: usize = 64 << 20;

pub(super) fn shape(bytes: &[u8]) -> Option<Shape<'_>> {
    let text = bytes.trim_ascii_start();
    if text.starts_with(b"<") {
        return xml(text);
    }
    let text = after_banner(text)?;
    let object = json(text)?;
    Some(Shape::Json { object, text })
}

/// Decides by the first element after declaration, comments and document type.
fn xml(text: &[u8]) -> Option<Shape<'_>> {
    let mut rest = text;
    loop {
        let end: &[u8] = if rest.starts_with(b"<?") {
            b"?>"
        } else if rest.starts_with(b"<!--") {
            b"-->"
        } else if rest.starts_with(b"<!") {
            b">"
        } else {
            break;
        };
        let at = memchr::memmem::find(rest, end)?;
        rest = rest[at + end.len()..].trim_ascii_start();
    }
    if rest.starts_with(b"<testsuite") {
        Some(Shape::Junit)
    } else if rest.starts_with(b"<testng-results") {
        Some(Shape::Testng)
    } else {
        None
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
            line if line.starts_with(b"yarn run ") => {
                rest = &line[memchr::memchr(b'\n', line)?..];
            }
            _ => return None,
        }
    }
    None
}

fn json(text: &[u8]) -> Option<Object> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let keys = deserializer.deserialize_any(Keys).ok()?;
    let mut values = deserializer.into_iter::<IgnoredAny>();
    if values.next().is_some_and(|next| next.is_ok()) {
        // Several values in a row are a log of events, one per line.
        return None;
    }
    let has = |key: &str| keys.0.contains(key);
    if keys.1 {
        return (has("filePath") && has("messages")).then_some(Object::Eslint);
    }
    let object = if has("testResults") && has("numTotalTests") {
        Object::Jest
    } else if has("stats") && has("tests") && has("failures") && has("passes") {
        Object::Mocha
    } else if has("examples") && has("summary") {
        Object::Rspec
    } else if has("results") && !has("runs") {
        Object::Ctrf
    } else if has("exitcode") && has("summary") && (has("tests") || has("collectors")) {
        Object::PytestJsonReport
    } else if has("suites") && has("config") {
        Object::Playwright
    } else if has("Issues") && has("Report") {
        Object::Golangci
    } else if has("runs") {
        Object::Sarif
    } else {
        return None;
    };
    Some(object)
}

/// The keys of an object, or of the first object of an array. Nothing else is
/// built while reading them.
struct Keys;

/// The keys, and whether they were inside an array.
struct Found(BTreeSet<String>, bool);

impl<'de> Visitor<'de> for Keys {
    type Value = Found;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object or an array of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found, A::Error> {
        /// Reports have about a dozen top-level keys.
        const MAX_KEYS: usize = 100;
        let mut keys = BTreeSet::new();
        while let Some((key, _)) = map.next_entry::<String, IgnoredAny>()? {
            if keys.len() < MAX_KEYS {
                keys.insert(key);
            }
        }
        Ok(Found(keys, false))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Found, A::Error> {
        let first = seq.next_element_seed(First)?;
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Found(
            first.map_or_else(BTreeSet::new, |found| found.0),
            true,
        ))
    }
}

struct First;

impl<'de> serde::de::DeserializeSeed<'de> for First {
    type Value = Found;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found, D::Error> {
        deserializer.deserialize_map(Keys)
    }
}

#[cfg(test)]
mod tests {
    use super::{Object, Shape, shape};

    fn object(text: &str) -> Option<Object> {
        match shape(text.as_bytes())? {
            Shape::Json { object, .. } => Some(object),
            _ => None,
        }
    }

    #[test]
    fn documents_are_identified_by_their_keys() {
        let jest = r#"{"numTotalTests":1,"x":[{"a":[]}],"testResults":[]}"#;
        assert_eq!(object(jest), Some(Object::Jest));
        let banner = format!("\n> app@1.0.0 test\n> jest --json\n\n{jest}\nDone in 1s.");
        assert_eq!(object(&banner), Some(Object::Jest));
        let eslint = r#"[{"filePath":"a.js","messages":[]},{"other":1}]"#;
        assert_eq!(object(eslint), Some(Object::Eslint));
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
            assert_eq!(object(text), None, "{text}");
        }
    }

    #[test]
    fn lines_of_json_are_a_log() {
        let event = r#"{"results":{},"Action":"run"}"#;
        assert_eq!(object(event), Some(Object::Ctrf));
        assert_eq!(object(&format!("{event}\n{event}\n")), None);
    }

    #[test]
    fn other_xml_is_ignored() {
        let is_junit = |text: &str| matches!(shape(text.as_bytes()), Some(Shape::Junit));
        assert!(is_junit("<testsuite/>"));
        assert!(is_junit(
            "<?xml version='1.0'?>\n<!-- <a> -->\n<testsuites>"
        ));
        assert!(is_junit("<!DOCTYPE x><testsuites>"));
        assert!(!is_junit("<html><testsuite/></html>"));
        assert!(!is_junit("<"));
    }
}
