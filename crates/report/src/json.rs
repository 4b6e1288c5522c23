//! Parses JSON among other output: the first value of a text, and lines that are
//! objects, including truncated ones.

use serde::de::DeserializeOwned;

/// The first value of a text, ignoring what a wrapper prints after it.
pub(crate) fn first_value<T: DeserializeOwned>(text: &[u8]) -> Option<T> {
    serde_json::Deserializer::from_slice(text)
        .into_iter()
        .next()?
        .ok()
}

/// Reads an object of one line. A line that was truncated has usually lost the
/// end of its last string, which is repaired.
pub(crate) fn read_line<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str(text)
        .or_else(|error| {
            repaired(text).map_or(Err(error), |repaired| serde_json::from_str(&repaired))
        })
        .ok()
}

/// Closes the last string of a truncated object; `None` if it was not truncated
/// there.
fn repaired(text: &str) -> Option<String> {
    if text.ends_with('}') {
        return None;
    }
    // The truncation may have split an escape sequence such as `\u001b`.
    let end = match text.rfind('\\') {
        Some(at) if text.len() - at < 6 => at,
        _ => text.len(),
    };
    let head = text.get(..end)?;
    Some(format!("{}\"}}", head.trim_end_matches('\\')))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    #[test]
    fn truncated_lines_are_repaired() {
        let value = |text| {
            let object: Option<HashMap<String, String>> = super::read_line(text);
            object.map(|object| object["a"].clone())
        };
        assert_eq!(value(r#"{"a":"b"}"#).as_deref(), Some("b"));
        assert_eq!(value(r#"{"a":"bc"#).as_deref(), Some("bc"));
        assert_eq!(value(r#"{"a":"bc\u00"#).as_deref(), Some("bc"));
        assert_eq!(value(r#"{"a":"bc\n\"#).as_deref(), Some("bc\n"));
        assert_eq!(value("{\"a\":"), None);
        assert_eq!(value("no object"), None);
    }
}
