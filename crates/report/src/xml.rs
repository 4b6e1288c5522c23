//! Reads XML leniently: reports are truncated, and tools escape text wrongly.

use quick_xml::events::BytesStart;
use quick_xml::reader::Reader;

pub(crate) fn lenient(text: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    reader
}

/// The first of these attributes that is present and not empty.
pub(crate) fn attribute(tag: &BytesStart<'_>, names: &[&str]) -> Option<String> {
    let value = |name: &str| {
        let found = tag
            .html_attributes()
            .flatten()
            .find(|attribute| attribute.key.local_name().as_ref() == name)?;
        let value = unescaped(&found.value);
        (!value.is_empty()).then_some(value)
    };
    names.iter().find_map(|name| value(name))
}

/// Resolves the references that XML itself defines, and leaves others as they
/// are.
pub(crate) fn unescaped(text: &str) -> String {
    if let Ok(text) = quick_xml::escape::unescape(text) {
        return text.into_owned();
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        result.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.find(';').map_or(rest.len(), |end| end + 1);
        let resolved = quick_xml::escape::unescape(&rest[..end]);
        // After an unknown reference, the rest may still contain one.
        let end = if resolved.is_ok() { end } else { 1 };
        result.push_str(resolved.as_deref().unwrap_or("&"));
        rest = &rest[end..];
    }
    result.push_str(rest);
    result
}

/// Appends as much of the text as there is room for.
pub(crate) fn push_bounded(target: &mut String, text: &str, max: usize) {
    let room = max.saturating_sub(target.len());
    target.push_str(&text[..text.floor_char_boundary(room)]);
}
