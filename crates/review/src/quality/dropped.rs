//! Errors in Rust that are dropped by `let _` or `.ok()`.

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::engine::is_test_path;
use crate::syntax::{field, text_of};

const KINDS: &[&str] = &["expression_statement", "let_declaration"];

/// Of what had to be stored.
pub(super) const CHECK: Check = Check {
    name: "dropped-error",
    kinds: KINDS,
    look: |node, context| look(node, context, stores),
};

/// For calls that may well fail: cleanup, and sending to a receiver that may be gone.
pub(super) const ON_PURPOSE: Check = Check {
    name: "dropped-error-on-purpose",
    kinds: KINDS,
    look: |node, context| look(node, context, cleans_up_or_sends),
};

fn look(
    node: Node<'_>,
    context: &Context<'_>,
    matters: fn(Node<'_>, &str) -> bool,
) -> Option<Place> {
    let text = context.text;
    let call = dropped(node, text)?;
    let function = call.child_by_field_name("function")?;
    let counts = matters(function, text) && !is_explained(node, text);
    (counts && !is_test_path(context.path)).then(|| node.byte_range())
}

/// The call whose result is dropped.
fn dropped<'t>(node: Node<'t>, text: &str) -> Option<Node<'t>> {
    let value = if node.kind() == "let_declaration" {
        let value = node.child_by_field_name("value")?;
        (field(node, "pattern", text) == Some("_")).then_some(value)?
    } else {
        node.named_child(0).filter(|value| is_ok(*value, text))?
    };
    let mut inner = value;
    loop {
        inner = match inner.kind() {
            "await_expression" => inner.named_child(0)?,
            "call_expression" if is_ok(inner, text) => inner
                .child_by_field_name("function")?
                .child_by_field_name("value")?,
            "call_expression" => return Some(inner),
            _ => return None,
        };
    }
}

/// `….ok()`, which makes nothing of an error.
fn is_ok(call: Node<'_>, text: &str) -> bool {
    call.child_by_field_name("function")
        .filter(|function| function.kind() == "field_expression")
        .is_some_and(|function| {
            field(function, "field", text) == Some("ok")
                && field(call, "arguments", text) == Some("()")
        })
}

fn stores(function: Node<'_>, text: &str) -> bool {
    if let Some(name) = file_system_function(function, text) {
        return matches!(
            name,
            "write" | "rename" | "copy" | "create_dir" | "create_dir_all" | "set_permissions"
        );
    }
    // `write_all` is less clear: a buffer in memory accepts everything, and a terminal may be gone.
    matches!(
        field(function, "field", text),
        Some("sync_all" | "sync_data" | "commit")
    )
}

fn cleans_up_or_sends(function: Node<'_>, text: &str) -> bool {
    match file_system_function(function, text) {
        Some(name) => matches!(name, "remove_file" | "remove_dir" | "remove_dir_all"),
        None => field(function, "field", text) == Some("send"),
    }
}

/// `write` in `fs::write`, `std::fs::write` and `tokio::fs::write`.
fn file_system_function<'t>(function: Node<'_>, text: &'t str) -> Option<&'t str> {
    let (module, name) = text_of(function, text).rsplit_once("::")?;
    (module == "fs" || module.ends_with("::fs")).then_some(name)
}

/// Whether a comment beside it or above it gives the reason.
fn is_explained(node: Node<'_>, text: &str) -> bool {
    let rest = &text[node.end_byte()..];
    let beside = rest.lines().next().unwrap_or_default();
    let mut before = text[..node.start_byte()].lines().rev();
    // The first of these is the indentation of the line itself.
    before.next();
    let above = before.next().unwrap_or_default();
    beside.contains("//") || above.trim_start().starts_with("//")
}
