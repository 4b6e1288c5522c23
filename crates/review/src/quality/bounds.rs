//! Loops and slices that go one too far.

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::syntax::{field, parts, text_of};

pub(super) const CHECK: Check = Check {
    name: "off-by-one",
    kinds: &[
        "for_statement",
        "for_expression",
        "for",
        "call",
        "subscript",
        "subscript_expression",
        "element_reference",
        "array_access",
        "index_expression",
    ],
    look,
};

fn look(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let text = context.text;
    match node.kind() {
        "for_statement" | "for_expression" => {
            let (index, bound) = bound(node, text)?;
            let body = field(node, "body", text)?;
            if !context.budget.search(body.len() * 3) {
                return None;
            }
            let used = [
                format!("{bound}[{index}]"),
                format!("{bound}.get({index})"),
                format!("{bound}.charAt({index})"),
            ];
            used.iter()
                .any(|access| body.contains(access))
                .then(|| head(node))
        }
        "for" | "call" => {
            let (index, list, body) = counted_in_ruby(node, text)?;
            let affordable = context.budget.search(body.len());
            (affordable && body.contains(&format!("{list}[{index}]"))).then(|| head(node))
        }
        _ => {
            // `list[list.length]` is past the end; writing to it appends.
            let pieces = parts(node);
            let (list, index) = (
                text_of(*pieces.first()?, text),
                text_of(*pieces.get(1)?, text),
            );
            if length_of(index)? != list {
                return None;
            }
            let assigned = context.index.parent(node).is_some_and(|parent| {
                field(parent, "left", text).is_some_and(|left| left == text_of(node, text))
            });
            (!assigned).then(|| node.byte_range())
        }
    }
}

/// The index and the list of a loop that includes the list's length.
fn bound<'t>(node: Node<'_>, text: &'t str) -> Option<(&'t str, &'t str)> {
    if let Some(value) = field(node, "value", text).filter(|_| node.kind() == "for_expression") {
        // Rust: `for i in 0..=v.len()`.
        let list = length_of(value.strip_prefix("0..=")?)?;
        return Some((field(node, "pattern", text)?, list));
    }
    if let Some(right) = field(node, "right", text) {
        // Python: `for i in range(len(v) + 1)`.
        let inner = right.strip_prefix("range(")?.strip_suffix(')')?;
        let inner = inner.strip_prefix("0, ").unwrap_or(inner);
        let list = length_of(inner.strip_suffix("+ 1")?.trim_end())?;
        return Some((field(node, "left", text)?, list));
    }
    let condition = node.child_by_field_name("condition").or_else(|| {
        parts(node)
            .into_iter()
            .find(|part| part.kind() == "for_clause")?
            .child_by_field_name("condition")
    })?;
    let condition = text_of(condition, text).trim_end_matches(';');
    let (index, length) = condition.split_once("<=")?;
    Some((index.trim(), length_of(length.trim())?))
}

/// The index, the list and the body of `(0..list.length).each { |index| … }`
/// and of `for index in 0..list.length`.
fn counted_in_ruby<'t>(node: Node<'_>, text: &'t str) -> Option<(&'t str, &'t str, &'t str)> {
    let (range, index, body) = if node.kind() == "for" {
        let range = field(node, "value", text)?.trim_start_matches("in").trim();
        (
            range,
            field(node, "pattern", text)?,
            field(node, "body", text)?,
        )
    } else {
        let block = node.child_by_field_name("block")?;
        if !matches!(field(node, "method", text)?, "each" | "map" | "each_entry") {
            return None;
        }
        (
            field(node, "receiver", text)?,
            field(block, "parameters", text)?.trim_matches('|'),
            field(block, "body", text)?,
        )
    };
    let range = range.trim_start_matches('(').trim_end_matches(')');
    let end = range.strip_prefix("0..")?.trim_start();
    Some((index.trim(), length_of(end)?, body))
}

/// The list in `list.length`, `len(list)`, `list.size()`.
fn length_of(text: &str) -> Option<&str> {
    let list = text
        .strip_suffix(".length")
        .or_else(|| text.strip_suffix(".length()"))
        .or_else(|| text.strip_suffix(".size()"))
        .or_else(|| text.strip_suffix(".len()"))
        .or_else(|| text.strip_suffix(".size"))
        .or_else(|| text.strip_prefix("len(")?.strip_suffix(')'))?;
    (!list.is_empty() && !list.contains([' ', '('])).then_some(list)
}

/// The loop without its body.
fn head(node: Node<'_>) -> Place {
    let body = ["body", "block"]
        .iter()
        .find_map(|name| node.child_by_field_name(name));
    node.start_byte()..body.map_or(node.end_byte(), |body| body.start_byte())
}
