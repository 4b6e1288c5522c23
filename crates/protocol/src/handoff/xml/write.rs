//! Elements to XML text.

use super::characters::is_allowed;
use super::element::{Element, Node};

/// Writes a document: two spaces per level, one line per element, except that
/// an element with text in it is written exactly, without layout.
///
/// Characters that no XML document can carry (most control characters) are
/// written as U+FFFD, the replacement character.
pub fn write(root: &Element) -> String {
    let mut out = String::with_capacity(1024);
    write_element(root, Layout::Indented(0), &mut out);
    out.push('\n');
    out
}

#[derive(Clone, Copy)]
enum Layout {
    Indented(usize),
    Exact,
}

fn write_element(element: &Element, layout: Layout, out: &mut String) {
    out.push('<');
    out.push_str(element.name());
    for (name, value) in element.attributes() {
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        escape(value, escape_in_attribute, out);
        out.push('"');
    }
    if element.nodes().is_empty() {
        out.push_str("/>");
        return;
    }
    out.push('>');
    write_content(element, layout, out);
    out.push_str("</");
    out.push_str(element.name());
    out.push('>');
}

fn write_content(element: &Element, layout: Layout, out: &mut String) {
    let only_elements = element
        .nodes()
        .iter()
        .all(|node| matches!(node, Node::Element(_)));
    match layout {
        Layout::Indented(level) if only_elements => {
            for child in element.elements() {
                break_line(level + 1, out);
                write_element(child, Layout::Indented(level + 1), out);
            }
            break_line(level, out);
        }
        _ => {
            for node in element.nodes() {
                match node {
                    Node::Text(text) => escape(text, escape_in_text, out),
                    Node::Element(child) => write_element(child, Layout::Exact, out),
                }
            }
        }
    }
}

fn break_line(level: usize, out: &mut String) {
    out.push('\n');
    for _ in 0..level {
        out.push_str("  ");
    }
}

fn escape(text: &str, special: fn(char) -> Option<&'static str>, out: &mut String) {
    let mut written = 0;
    for (offset, character) in text.char_indices() {
        if let Some(replacement) = special(character) {
            out.push_str(&text[written..offset]);
            out.push_str(replacement);
            written = offset + character.len_utf8();
        }
    }
    out.push_str(&text[written..]);
}

fn escape_in_text(character: char) -> Option<&'static str> {
    match character {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        // Only `]]>` has to be escaped; always doing it needs no look-behind.
        '>' => Some("&gt;"),
        // A reader turns a bare carriage return into a line feed.
        '\r' => Some("&#13;"),
        other if !is_allowed(other) => Some("\u{FFFD}"),
        _ => None,
    }
}

fn escape_in_attribute(character: char) -> Option<&'static str> {
    match character {
        '"' => Some("&quot;"),
        '\'' => Some("&apos;"),
        // A reader turns these into spaces.
        '\n' => Some("&#10;"),
        '\t' => Some("&#9;"),
        other => escape_in_text(other),
    }
}
