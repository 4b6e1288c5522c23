//! A short readable text made from any output: its plain fields, the lengths of
//! its lists and their first items.
//!
//! All of it may be foreign text, so it is sanitized for terminals.

use std::fmt::Write as _;

use serde_json::Value;

/// In bytes, approximately.
const MAX_TEXT_LEN: usize = 3000;

/// In characters.
const MAX_LINE_LEN: usize = 200;

/// Of each list.
const MAX_ITEMS: usize = 5;

/// Of each item in a list.
const MAX_FIELDS: usize = 3;

pub(super) fn render(output: &Value) -> String {
    let mut outline = Outline::default();
    match output {
        Value::Object(fields) => {
            for (name, field) in fields {
                outline.field(name, field, 0);
            }
        }
        other => outline.line(0, &plain(other)),
    }
    outline.text
}

/// Foreign text in one short line.
pub(super) fn line(text: &str) -> String {
    let text = harmless(text);
    let mut words = text.split_whitespace();
    let mut line = words.next().unwrap_or_default().to_owned();
    for word in words {
        line.push(' ');
        line.push_str(word);
    }
    cut(line, MAX_LINE_LEN)
}

/// Foreign text that keeps its lines.
pub(super) fn block(text: &str) -> String {
    cut(harmless(text), MAX_TEXT_LEN)
}

/// Without control characters for a terminal or for the direction of text.
pub(super) fn harmless(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

#[derive(Default)]
struct Outline {
    text: String,
    full: bool,
}

impl Outline {
    fn field(&mut self, name: &str, value: &Value, depth: usize) {
        match value {
            Value::Object(fields) if depth == 0 => {
                self.line(depth, &format!("{name}:"));
                for (name, field) in fields {
                    self.field(name, field, depth + 1);
                }
            }
            Value::Object(fields) => {
                self.line(depth, &format!("{name}: {}", in_short(fields)));
            }
            Value::Array(items) => self.list(name, items, depth),
            value => self.line(depth, &format!("{name}: {}", plain(value))),
        }
    }

    fn list(&mut self, name: &str, items: &[Value], depth: usize) {
        if items.is_empty() {
            self.line(depth, &format!("{name}: none"));
            return;
        }
        self.line(depth, &format!("{name}: {}", items.len()));
        for item in items.iter().take(MAX_ITEMS) {
            let item = match item {
                Value::Object(fields) => in_short(fields),
                other => plain(other),
            };
            self.line(depth + 1, &format!("- {item}"));
        }
        if items.len() > MAX_ITEMS {
            let more = items.len() - MAX_ITEMS;
            self.line(depth + 1, &format!("… and {more} more"));
        }
    }

    fn line(&mut self, depth: usize, content: &str) {
        if self.full {
            return;
        }
        if self.text.len() > MAX_TEXT_LEN {
            self.full = true;
            self.text.push_str("…\n");
            return;
        }
        let indent = "  ".repeat(depth);
        writeln!(self.text, "{indent}{}", line(content)).expect("a string takes all text");
    }
}

/// The first plain fields of an object, in one line.
fn in_short(fields: &serde_json::Map<String, Value>) -> String {
    let shown: Vec<String> = fields
        .iter()
        .filter(|(_, value)| !value.is_object() && !value.is_array() && !value.is_null())
        .take(MAX_FIELDS)
        .map(|(name, value)| format!("{name}: {}", plain(value)))
        .collect();
    if shown.is_empty() {
        return format!("{} fields", fields.len());
    }
    shown.join(", ")
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => line(text),
        Value::Null => "none".to_owned(),
        other => other.to_string(),
    }
}

fn cut(mut text: String, longest: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(longest) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_outline_has_the_plain_fields_and_the_first_items_of_lists() {
        let output = json!({
            "pr": "octo/demo#1",
            "ready": false,
            "checks": { "ci": true, "why": { "a": 1, "b": [1] } },
            "failures": (0..7).map(|n| json!({ "name": format!("t{n}"), "error": "a\u{1b}[31m\nb" })).collect::<Vec<_>>(),
            "labels": ["one", "two"],
            "issues": [],
            "message": null,
        });
        insta::assert_snapshot!(render(&output), @r"
        pr: octo/demo#1
        ready: false
        checks:
          ci: true
          why: a: 1
        failures: 7
          - name: t0, error: a�[31m b
          - name: t1, error: a�[31m b
          - name: t2, error: a�[31m b
          - name: t3, error: a�[31m b
          - name: t4, error: a�[31m b
          … and 2 more
        labels: 2
          - one
          - two
        issues: none
        message: none
        ");
    }

    #[test]
    fn it_stays_short_whatever_comes() {
        let output: Value = (0..10_000)
            .map(|n| (format!("field{n}"), json!("x".repeat(1000))))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let text = render(&output);
        assert!(
            text.len() < MAX_TEXT_LEN + 2 * MAX_LINE_LEN,
            "{}",
            text.len()
        );
        assert!(text.ends_with("…\n"));
    }
}
