//! Passwords and keys that are stored or displayed in plain text.

use tree_sitter::Node;

use super::logged::reveals_secret;
use super::{Check, Context, Place};
use crate::syntax::{field, text_of};

pub(super) const CHECK: Check = Check {
    name: "cleartext-storage",
    kinds: &["call", "call_expression", "assignment_expression"],
    look: stored,
};

fn stored(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let text = context.text;
    if node.kind() == "assignment_expression" {
        let target = field(node, "left", text)?;
        let is_kept = target == "document.cookie"
            || [
                "localStorage.",
                "sessionStorage.",
                "localStorage[",
                "sessionStorage[",
            ]
            .iter()
            .any(|store| target.trim_start_matches("window.").starts_with(store));
        let value = node.child_by_field_name("right")?;
        return (is_kept && reveals_secret(value, text)).then(|| node.byte_range());
    }
    let arguments = node.child_by_field_name("arguments")?;
    let receiver = field(node, "receiver", text);
    let called = match field(node, "method", text) {
        Some(method) => format!("{}.{method}", receiver.unwrap_or_default()),
        None => text_of(node.child_by_field_name("function")?, text).to_owned(),
    };
    (stores(&called) && reveals_secret(arguments, text)).then(|| node.byte_range())
}

/// Calls that write what they are given where others read it.
fn stores(called: &str) -> bool {
    let (holder, method) = called.rsplit_once('.').unwrap_or(("", called));
    let holder = holder.rsplit('.').next().unwrap_or(holder);
    let holder = holder.to_ascii_lowercase();
    let holder = holder.trim_start_matches(['$', '@']).trim_end_matches("()");
    match method {
        "setItem" => matches!(holder, "localstorage" | "sessionstorage" | "asyncstorage"),
        "cookie" | "setCookie" => matches!(holder, "res" | "response" | "reply"),
        "set_cookie" => matches!(holder, "res" | "resp" | "response" | "self"),
        "put" | "putObject" | "set" => matches!(holder, "cookies" | "cookie" | "cachefactory"),
        "write_text" | "write_bytes" => true,
        "write" | "writelines" => matches!(
            holder,
            "file" | "f" | "fh" | "fp" | "out" | "stdout" | "stderr"
        ),
        "print" => holder.is_empty(),
        _ => false,
    }
}
